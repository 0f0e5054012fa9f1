package executor_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/weft-flow/weft/executor"
)

// unchecked is an API whose responses cannot be checked, each for another reason.
const unchecked = `
openapi: 3.1.0
info: {title: Unchecked, version: "1"}
servers: [{url: "http://127.0.0.1:1"}]
paths:
  /broken:
    get:
      operationId: broken
      responses: {"200": {description: ok, content: {application/json: {schema: {type: string, pattern: "("}}}}}
  /dangling:
    get:
      operationId: dangling
      responses: {"200": {description: ok, content: {application/json: {schema: {$ref: "#/components/schemas/None"}}}}}
  /fine:
    get:
      operationId: fine
      responses: {"200": {description: ok, content: {application/json: {schema: {type: object}}, text/plain: {schema: {type: string}}}}}
`

// TestWhatIsNotCheckedIsToldOnce holds that no finding is never taken for a proof.
func TestWhatIsNotCheckedIsToldOnce(t *testing.T) {
	deep := strings.Repeat("[", 1200) + strings.Repeat("]", 1200)
	tests := []struct {
		name, operation, contentType, coding, body string
		want                                       []string // parts of the notices, in order
	}{
		{"a schema that is none", "broken", "application/json", "", `"x"`, []string{"not checked: ", "pattern"}},
		{"a reference that leads nowhere", "dangling", "application/json", "", `"x"`, []string{"not checked: ", "None"}},
		{"a coding that is not understood", "fine", "application/json", "br", "\x8b\x00", []string{`not checked: the coding "br" of the body is not understood`}},
		{"a body that is nested too deep", "fine", "application/json", "", deep, []string{"not checked: the body is nested deeper than 1000"}},
		{"text that a schema of text describes", "fine", "text/plain", "", "hello", nil},
		{"what is checked", "fine", "application/json", "gzip", "{}", nil},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			answer := func(executor.Call, int) executor.Exchange {
				x := respond(200, nil, "Content-Type", test.contentType)
				if test.coding != "" {
					x.Response.Header["Content-Encoding"] = []string{test.coding}
				}
				x.Response.Body = []byte(test.body)
				return x
			}
			got := flowTest{
				flow: `
workflows:
- workflowId: w
  steps:
  - {stepId: a, operationId: $sourceDescriptions.odd.` + test.operation + `}
  - {stepId: b, operationId: $sourceDescriptions.odd.` + test.operation + `}
`,
				more:    map[string]string{"odd.yaml": unchecked, "#sources": ", {name: odd, url: odd.yaml, type: openapi}"},
				runtime: &script{answer: answer},
			}.run(t)
			notices := slices.DeleteFunc(got.texts("notice"), func(text string) bool { return !strings.Contains(text, "not checked") })
			if got.Status != executor.Succeeded || got.Counts.Findings != 0 || len(notices) != min(len(test.want), 1) {
				t.Fatalf("ended as %s with %d findings and the notices %q", got.Status, got.Counts.Findings, notices)
			}
			for _, part := range test.want {
				if !strings.Contains(notices[0], part) {
					t.Errorf("%q does not say %q", notices[0], part)
				}
			}
		})
	}
}

// TestABodyThatHasNoOneMeaningIsNeverSentOn holds that a guess at what a server
// meant goes nowhere.
func TestABodyThatHasNoOneMeaningIsNeverSentOn(t *testing.T) {
	const flow = `
workflows:
- workflowId: w
  steps:
  - {stepId: a, operationId: listOrders, outputs: {id: $response.body#/id}}
  - {stepId: b, operationId: getOrder, parameters: [{name: id, in: path, value: $steps.a.outputs.id}]}
`
	tests := []struct{ name, body, says string }{
		{"text that is not UTF-8", "{\"id\": \"caf\xe9\"}", "there is text that is not UTF-8"},
		{"half of a surrogate pair", `{"id": "\ud800"}`, "half of a surrogate pair"},
		{"a name that stands twice", `{"id": "1", "id": "2"}`, "stands twice"},
		{"nested too deep", `{"id": "1", "deep": ` + strings.Repeat("[", 1200) + strings.Repeat("]", 1200) + "}", "as text, since it is nested deeper than 1000"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			got := flowTest{flow: flow, runtime: &script{answer: func(executor.Call, int) executor.Exchange {
				x := respond(200, nil)
				x.Response.Body = []byte(test.body)
				return x
			}}}.run(t)
			if got.Status != executor.Failed || got.order() != "listOrders" || !strings.Contains(got.Reason, "is absent") {
				t.Errorf("ended as %s after %q: %s", got.Status, got.order(), got.Reason)
			}
			if notices := strings.Join(got.texts("notice"), "\n"); !strings.Contains(notices, test.says) {
				t.Errorf("the notices are %q, want what says %q", notices, test.says)
			}
		})
	}
}
