package cli_test

import (
	"fmt"
	"net/http"
	"os"
	"strings"
	"testing"
)

// wide is JSON with many numbers, nested a little: what selectors explode on.
func wide() string {
	row := "[" + strings.TrimSuffix(strings.Repeat("1,", 60), ",") + "]"
	return `{"id":"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa!","rows":[` + strings.TrimSuffix(strings.Repeat(row+",", 60), ",") + `]}`
}

// tall is XML with many elements.
func tall() string {
	return "<a>" + strings.Repeat("<b>"+strings.Repeat("<c>1</c>", 40)+"</b>", 80) + "</a>"
}

// TestHostileDocuments: whatever a document asks for, the run ends in time, within
// bounded memory, with a complete report and the right exit code.
func TestHostileDocuments(t *testing.T) {
	const criterion = `
arazzo: 1.1.0
info: {title: t, version: "1"}
sourceDescriptions: [{name: api, url: api.yaml, type: openapi}]
workflows:
- workflowId: w
  steps:
  - {stepId: s, operationId: read, successCriteria: [%s]}
`
	tests := []struct {
		name   string
		flow   string
		body   string
		kind   string
		code   int
		says   string
		inputs []string
	}{
		{name: "a regular expression that backtracks", code: 1, says: "criterion not met",
			flow: fmt.Sprintf(criterion, `{context: $response.body#/id, type: regex, condition: "^(a+)+$"}`)},
		{name: "one that needs backtracking and has no bound", code: 2, says: "its time has no bound",
			flow: fmt.Sprintf(criterion, `{context: $response.body#/id, type: regex, condition: "^(?=(a+)+$).*$"}`)},
		{name: "one that the server sent", code: 1, says: "its time has no bound", body: `{"id":"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa!","pattern":"^(?=(a+)+$).*$"}`,
			flow: fmt.Sprintf(criterion, `{context: $response.body#/id, type: regex, condition: "{$response.body#/pattern}"}`)},
		{name: "one that repeats repeats", code: 1, says: "a{1000}",
			flow: fmt.Sprintf(criterion, `{context: $response.body#/id, type: regex, condition: "((a{1000}){1000}){1000}"}`)},
		{name: "a JSONPath of descendants of descendants", code: 1, says: "steps of work", body: strings.Repeat("[", 300) + strings.Repeat("]", 300),
			flow: fmt.Sprintf(criterion, `{context: $response.body, type: jsonpath, condition: "$..*..*..*..*..*"}`)},
		{name: "a JSONPath that counts within filters", code: 1, says: "steps of work",
			flow: fmt.Sprintf(criterion, `{context: $response.body, type: jsonpath, condition: "$..[?count($..[?count($..*) > 1]) > 1]"}`)},
		{name: "an XPath of descendants of descendants", code: 1, says: "steps of work", kind: "application/xml", body: tall(),
			flow: fmt.Sprintf(criterion, `{context: $response.body, type: xpath, condition: "count(//*[count(//*[count(//*) > 0]) > 0]) < 0"}`)},
		{name: "XML whose entities multiply", code: 1, says: "a document type that declares something is refused", kind: "application/xml",
			body: `<!DOCTYPE a [<!ENTITY x "xxxxxxxxxx"><!ENTITY y "&x;&x;&x;&x;&x;&x;&x;&x;&x;&x;">]><a>&y;</a>`,
			flow: fmt.Sprintf(criterion, `{context: $response.body, type: xpath, condition: "/a"}`)},
		{name: "text that doubles with each call", code: 1, says: "MiB",
			flow: doubling(`"{$inputs.text}{$inputs.text}"`), inputs: []string{"-i", "text=0123456789abcdef"}},
		{name: "lists that double with each call", code: 1, says: "MiB",
			flow: doubling(`[$inputs.text, $inputs.text]`), inputs: []string{"-i", "text=0123456789abcdef"}},
		{name: "a body that is made of bodies", code: 1, says: "MiB", flow: bodyOfBodies,
			body: `{"id":"` + strings.Repeat("x", 4<<20) + `"}`},
		{name: "aliases that multiply", code: 2, says: "alias",
			flow: "a: &a [1,1,1,1,1,1,1,1,1,1]\nb: &b [*a,*a,*a,*a,*a,*a,*a,*a,*a,*a]\nc: &c [*b,*b,*b,*b,*b,*b,*b,*b,*b,*b]\nd: &d [*c,*c,*c,*c,*c,*c,*c,*c,*c,*c]\ne: [*d,*d,*d,*d,*d,*d,*d,*d,*d,*d]\n"},
		{name: "nesting without end", code: 2, says: "nested deeper", flow: strings.Repeat("[", 200_000)},
		{name: "a loop that collects large answers", code: 1, says: "the run has taken 20 steps, its limit",
			inputs: []string{"--max-steps", "20", "--har", os.DevNull}, body: `{"id":"` + strings.Repeat("x", 8<<20) + `"}`,
			flow: strings.Replace(fmt.Sprintf(criterion, `{condition: "true"}`), "]}\n", "], outputs: {id: $response.body#/id}, onSuccess: [{name: again, type: goto, stepId: s}]}\n", 1)},
		{name: "an endless loop", code: 1, says: "the run has taken 50 steps, its limit", inputs: []string{"--max-steps", "50"},
			flow: strings.Replace(fmt.Sprintf(criterion, `{condition: "true"}`), "]}\n", "], onSuccess: [{name: again, type: goto, stepId: s}]}\n", 1)},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if test.body == "" {
				test.body = wide()
			}
			if test.kind == "" {
				test.kind = "application/json"
			}
			_, base := start(t, func(w http.ResponseWriter, r *http.Request) {
				w.Header().Set("Content-Type", test.kind)
				_, _ = w.Write([]byte(test.body))
			})
			h := runHostile(t, map[string]string{"flow.yaml": test.flow}, base, append(test.inputs, "--contract", "off")...)
			h.expect(t, test.code, test.says)
		})
	}
}

// doubling calls itself with twice the text, as deep as calls go.
func doubling(twice string) string {
	return `
arazzo: 1.1.0
info: {title: t, version: "1"}
sourceDescriptions: [{name: api, url: api.yaml, type: openapi}]
workflows:
- workflowId: w
  inputs: {type: object, properties: {text: {}}}
  steps:
  - {stepId: s, workflowId: w, parameters: [{name: text, value: ` + twice + `}]}
`
}

// bodyOfBodies sends a body in which a large value stands a thousand times.
var bodyOfBodies = `
arazzo: 1.1.0
info: {title: t, version: "1"}
sourceDescriptions: [{name: api, url: api.yaml, type: openapi}]
workflows:
- workflowId: w
  steps:
  - {stepId: s, operationId: read, outputs: {id: $response.body#/id}}
  - {stepId: t, operationId: write, requestBody: {contentType: application/json, payload: [` +
	strings.TrimSuffix(strings.Repeat("$steps.s.outputs.id, ", 1000), ", ") + `]}}
`
