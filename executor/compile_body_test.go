package executor_test

import (
	"strings"
	"testing"

	"github.com/weft-flow/weft/executor"
)

// mediaAPI describes one operation that takes several types of content.
func mediaAPI(types ...string) map[string]string {
	content := ""
	for _, t := range types {
		content += "          " + t + ": {schema: {}}\n"
	}
	if content != "" {
		content = "      requestBody:\n        content:\n" + content
	}
	return map[string]string{
		"#sources": ", {name: media, url: media.yaml, type: openapi}",
		"media.yaml": `
openapi: 3.1.0
info: {title: Media, version: "1"}
servers: [{url: "http://127.0.0.1:1"}]
paths:
  /in:
    post:
      operationId: put
` + content + `      responses: {"200": {description: ok}}
`,
	}
}

func bodyFlow(requestBody string) string {
	return `
workflows:
- workflowId: w
  inputs: {type: object, properties: {x: {default: 1.50}, text: {default: '{"a":1}'}}}
  steps: [{stepId: a, operationId: $sourceDescriptions.media.put, requestBody: ` + requestBody + `}]
`
}

func TestTheContentTypeIsTheOneThatCanBeMeant(t *testing.T) {
	tests := []struct {
		name     string
		declared []string
		want     string // empty: refused
	}{
		{"the only one", []string{"text/plain"}, "text/plain"},
		{"JSON among others", []string{"text/plain", "application/json", "text/csv"}, "application/json"},
		{"JSON itself before what is built on it", []string{"application/merge-patch+json", "application/json"}, "application/json"},
		{"what is built on JSON", []string{"text/plain", "application/hal+json"}, "application/hal+json"},
		{"a range alone", []string{"'*/*'"}, ""},
		{"none of them JSON", []string{"text/plain", "text/csv"}, ""},
		{"none", nil, ""},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			f := flowTest{flow: bodyFlow("{payload: {a: 1}}"), more: mediaAPI(test.declared...), runtime: ok()}
			if test.want == "" {
				if got := refusalsOf(t, f); !strings.Contains(got, "contentType is missing") {
					t.Error(got)
				}
				return
			}
			if got := f.run(t).calls[0].Body.ContentType; got != test.want {
				t.Errorf("content type %s", got)
			}
		})
	}
}

// TestTheDescriptionOfTheContentIsFoundByRange where none names it.
func TestTheDescriptionOfTheContentIsFoundByRange(t *testing.T) {
	more := mediaAPI("'*/*'", "'text/*'", "text/csv")
	for contentType, want := range map[string]string{"text/csv; charset=utf-8": "text/csv", "text/plain": "text/*", "application/json": "*/*"} {
		got := flowTest{flow: bodyFlow("{contentType: '" + contentType + "', payload: x}"), more: more, runtime: ok()}.run(t)
		if d := got.calls[0].Body.Declared; d == nil || d.Type != want {
			t.Errorf("%s: described by %+v, want %s", contentType, d, want)
		}
	}
}

func TestPayloadsAndReplacements(t *testing.T) {
	tests := []struct {
		name, contentType, body string
		want                    string // the value; empty: the step fails
		verbatim                bool
	}{
		{name: "an object keeps numbers and order", contentType: "application/json", body: "{payload: {z: $inputs.x, a: 10.10}}", want: `{"z":1.50,"a":10.10}`},
		{name: "an absent member is left out, null stays", contentType: "application/json", body: "{payload: {a: $inputs.none, b: null}}", want: `{"b":null}`},
		{name: "an absent element fails", contentType: "application/json", body: "{payload: [$inputs.none]}"},
		{name: "an absent payload fails", contentType: "application/json", body: "{payload: $inputs.none}"},
		{name: "an absent value in text fails", contentType: "application/json", body: "{payload: 'a{$inputs.none}'}"},
		{name: "a template is sent as written", contentType: "application/json", body: `{payload: '{ "a": {$inputs.x} }'}`, want: `"{ \"a\": 1.50 }"`, verbatim: true},
		{name: "an expression keeps its type", contentType: "application/json", body: "{payload: $inputs.text}", want: `"{\"a\":1}"`},
		{name: "JSON Pointer replaces, adds and appends, in order", contentType: "application/json", body: `
      {payload: {a: 1, l: [1]}, replacements: [{target: /a, value: $inputs.x}, {target: /b, value: {c: 1}}, {target: /b/d, value: 2}, {target: /l/-, value: 3}]}`,
			want: `{"a":1.50,"l":[1,3],"b":{"c":1,"d":2}}`},
		{name: "a missing parent fails", contentType: "application/json", body: "{payload: {a: 1}, replacements: [{target: /b/c, value: 1}]}"},
		{name: "an absent value fails", contentType: "application/json", body: "{payload: {a: 1}, replacements: [{target: /a, value: $inputs.none}]}"},
		{name: "a template is JSON before it is changed", contentType: "application/json", body: `{payload: '{"a":{$inputs.x},"b":2}', replacements: [{target: /b, value: 3}]}`, want: `{"a":1.50,"b":3}`},
		{name: "JSONPath replaces all matches", contentType: "application/json", body: `
      {payload: [{a: 1}, {a: 2}], replacements: [{target: '$[*].a', targetSelectorType: jsonpath, value: 0}]}`, want: `[{"a":0},{"a":0}]`},
		{name: "no match of a JSONPath fails", contentType: "application/json", body: "{payload: [], replacements: [{target: '$[*].a', targetSelectorType: jsonpath, value: 0}]}"},
		{name: "a form", contentType: "application/x-www-form-urlencoded", body: "{payload: {a: 1}, replacements: [{target: /b, value: 2}]}", want: `{"a":1,"b":2}`},
		{name: "a form that is text", contentType: "application/x-www-form-urlencoded", body: "{payload: 'a=x+y%26z&b=1&b=2', replacements: [{target: /b/0, value: 9}, {target: /c, value: $inputs.x}]}",
			want: `{"a":"x y&z","b":[9,"2"],"c":1.50}`},
		{name: "a form that is text and not changed", contentType: "application/x-www-form-urlencoded", body: "{payload: 'b=1&a={$inputs.x}'}", want: `"b=1&a=1.50"`, verbatim: true},
		{name: "XML by XPath", contentType: "application/xml", body: "{payload: '<o><id>1</id></o>', replacements: [{target: /o/id, value: $inputs.x}]}", want: `"<o><id>1.50</id></o>"`, verbatim: true},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			body := strings.Replace(test.body, "{payload", "{contentType: "+test.contentType+", payload", 1)
			got := flowTest{flow: bodyFlow(body), more: mediaAPI("'*/*'"), runtime: ok()}.run(t)
			if test.want == "" {
				if len(got.calls) != 0 || got.Status != executor.Failed {
					t.Errorf("%d calls, ended as %s", len(got.calls), got.Status)
				}
				return
			}
			if len(got.calls) != 1 {
				t.Fatalf("nothing was sent: %s", got.Reason)
			}
			sent := got.calls[0].Body
			if sent.Value.String() != test.want || sent.Verbatim != test.verbatim {
				t.Errorf("sent %s (verbatim %v), want %s", sent.Value, sent.Verbatim, test.want)
			}
		})
	}
}
