package executor_test

import (
	"strings"
	"testing"

	"github.com/weft-flow/weft/arazzo/value"
	"github.com/weft-flow/weft/executor"
)

// TestWhatCanNeverBeSentIsRefused before the run, by what the path and the query are.
func TestWhatCanNeverBeSentIsRefused(t *testing.T) {
	for parameters, want := range map[string]string{
		``:                                `the path /orders/{id} needs a value for its parameter "id"`,
		`{name: ID, in: path, value: 1}`:  `the path /orders/{id} has no parameter "ID"; it has "id"`,
		`{name: id, in: query, value: 1}`: `needs a value for its parameter "id"`,
		`{name: id, in: path, value: 1}, {name: no, in: path, value: 1}`:                   `has no parameter "no"; it has "id"`,
		`OK, {name: all, in: querystring, value: a=1}, {name: q, in: query, value: 1}`:     `the parameter "all" is the whole query string, so "q" in query cannot be sent beside it`,
		`OK, {name: all, in: querystring, value: a}, {name: b, in: querystring, value: b}`: `the parameters "all" and "b" are each the whole query string`,
		`OK`: "",
		`OK, {name: all, in: querystring, value: a=1}`:       "",
		`{name: id, in: path, value: $steps.s.outputs.none}`: "", // it may be there in another round
	} {
		parameters = strings.ReplaceAll(parameters, "OK,", "{name: id, in: path, value: 1},")
		if parameters == "OK" {
			parameters = "{name: id, in: path, value: 1}"
		}
		_, refusals := flowTest{flow: `
workflows:
- workflowId: w
  parameters: [{name: other, in: path, value: 0}]
  steps: [{stepId: s, operationId: getOrder, parameters: [` + parameters + `], outputs: {none: $response.body}}]
`}.compile(t)
		said := ""
		for _, r := range refusals {
			said += r.Error() + "\n"
		}
		if want == "" && said != "" || !strings.Contains(said, want) {
			t.Errorf("%s: refused with %q, want %q", parameters, said, want)
		}
	}
}

// TestAStepsOwnParametersAreHandedOn to the workflow that it calls, whether it declares
// them or not; what its schema cannot take is refused before the run.
func TestAStepsOwnParametersAreHandedOn(t *testing.T) {
	flow := func(schema, calls string) string {
		return `
workflows:
- workflowId: w
  parameters: [{name: shared, in: query, value: 0}]
  steps: [{stepId: s, ` + calls + `}]
- workflowId: v
  inputs: ` + schema + `
  steps: [{stepId: s, operationId: tick}]
  outputs: {extra: $inputs.extra, shared: $inputs.shared}
`
	}
	const open, closed = "{type: object, properties: {amount: {}}}", "{type: object, properties: {amount: {}}, additionalProperties: false}"
	const call = "workflowId: v, parameters: [{name: extra, value: 7}], outputs: {e: $outputs.extra, s: $outputs.shared}"
	got := flowTest{flow: flow(open, call) + "", ids: []string{"w"}, runtime: ok()}.run(t)
	if got.Status != executor.Succeeded {
		t.Fatalf("ended as %s: %s", got.Status, got.Reason)
	}
	given := false
	for _, e := range got.events {
		if begun, ok := e.Detail.(executor.WorkflowStarted); ok && begun.ID == "v" {
			given = true
			if text := string(value.AppendJSON(nil, begun.Inputs)); text != `{"extra":7}` {
				t.Errorf("workflow v was given %s", text)
			}
		}
	}
	if !given {
		t.Error("workflow v did not run")
	}
	for _, calls := range []string{
		"workflowId: v, parameters: [{name: amuont, value: 7}]",
		"operationId: tick, onSuccess: [{name: g, type: goto, workflowId: v, parameters: [{name: amuont, value: 7}]}]",
	} {
		said := refusalsOf(t, flowTest{flow: strings.ReplaceAll(flow(closed, calls), "  outputs: {extra: $inputs.extra, shared: $inputs.shared}\n", ""), ids: []string{"w"}})
		if want := `the schema of workflow "v" takes no input "amuont"; did you mean "amount"?`; !strings.Contains(said, want) {
			t.Errorf("refused with %q, want %s", said, want)
		}
	}
}

// TestAFieldThatNoRequestCanHaveIsRefused before anything is sent: by its name, or by what
// is written in its value.
func TestAFieldThatNoRequestCanHaveIsRefused(t *testing.T) {
	const control = "its value holds the control character 0x0a, which no header field can carry"
	for parameter, want := range map[string]string{
		`{name: Host, in: header, value: a.example}`:                      "this field says how the request is carried and cannot be set",
		`{name: content-length, in: header, value: $inputs.n}`:            "this field says how the request is carried and cannot be set",
		`{name: Transfer-Encoding, in: header, value: chunked}`:           "this field says how the request is carried and cannot be set",
		`{name: Connection, in: header, value: close}`:                    "this field says how the request is carried and cannot be set",
		`{name: "X Team", in: header, value: a}`:                          "this is not the name of a header field",
		`{name: "", in: header, value: a}`:                                "this is not the name of a header field",
		`{name: X-Team, in: header, value: "a\nb"}`:                       control,
		`{name: X-Team, in: header, value: [a, "b\n"]}`:                   control,
		`{name: X-Team, in: header, value: {"a\n": b}}`:                   control,
		`{name: X-Team, in: header, value: "of {$inputs.n}\n"}`:           control,
		`{name: X-Team, in: header, value: [$inputs.n, "{$inputs.n}\n"]}`: control,
		`{name: "a b", in: cookie, value: c}`:                             "this is not the name of a cookie",
		`{name: X-Team, in: header, value: "a\tb"}`:                       "",
		`{name: Host, in: header, value: null}`:                           "",
		`{name: X-Team, in: header, value: $inputs.n}`:                    "",
		`{name: "a b", in: cookie, value: $inputs.n}`:                     "", // it may be an object
		`{name: "a b", in: query, value: "a\nb"}`:                         "",
		`{reference: $components.parameters.host}`:                        "this field says how the request is carried and cannot be set",
	} {
		_, refusals := flowTest{flow: `
components: {parameters: {host: {name: Host, in: header, value: a.example}}}
workflows:
- workflowId: w
  inputs: {type: object, properties: {n: {}}}
  steps:
  - {stepId: first, operationId: createOrder, requestBody: {payload: {}}}
  - {stepId: s, operationId: tick, parameters: [` + parameter + `]}
`}.compile(t)
		switch {
		case want == "" && len(refusals) > 0:
			t.Errorf("%s: refused with %v", parameter, refusals)
		case want != "" && (len(refusals) != 1 || !strings.HasSuffix(refusals[0].Message, want) || refusals[0].Place.Pointer != "/workflows/0/steps/1/parameters/0"):
			t.Errorf("%s: refused with %v, want %s", parameter, refusals, want)
		}
	}
	said := refusalsOf(t, flowTest{flow: `
workflows:
- workflowId: w
  steps: [{stepId: s, operationId: pay, requestBody: {contentType: "application/json\n", payload: {}}}]
`})
	if want := `the content type "application/json\n" can never be sent: ` + control; !strings.Contains(said, want) {
		t.Errorf("refused with %q, want %s", said, want)
	}
}
