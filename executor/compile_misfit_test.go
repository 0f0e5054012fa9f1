package executor_test

import (
	"strings"
	"testing"

	"github.com/weft-flow/weft/executor"
)

// TestWhatIsWrittenForACalledWorkflowMustFit its schema, or the run is refused before the
// first request.
func TestWhatIsWrittenForACalledWorkflowMustFit(t *testing.T) {
	const flow = `
components: {inputs: {money: {type: object, properties: {amount: {type: integer, minimum: 1}}}}}
workflows:
- workflowId: w
  inputs: {type: object, properties: {n: {type: integer}}}
  steps:
  - {stepId: first, operationId: createOrder, requestBody: {payload: {}}}
  - {stepId: s, CALL}
- workflowId: v
  inputs: {type: object, required: [amount], properties: {note: {type: string}, pin: {type: string, format: password}, o: {type: object, additionalProperties: false}}, allOf: [{$ref: '#/components/inputs/money'}]}
  steps: [{stepId: s, operationId: tick}]
- workflowId: either
  inputs: {oneOf: [{type: object, properties: {a: {type: string}}, required: [a]}, {type: object, properties: {a: {type: integer}, b: {type: integer}}, required: [b]}]}
  steps: [{stepId: s, operationId: tick}]
`
	const step, action = "/workflows/0/steps/1", "/workflows/0/steps/1/onSuccess/0"
	for _, test := range []struct{ call, want, at string }{
		{"workflowId: v, parameters: [{name: amount, value: ten}]",
			`step "s": input "amount" of workflow "v": expected integer, this is a string`, step + "/parameters/0"},
		{"workflowId: v, parameters: [{name: amount, value: 0}, {name: note, value: $inputs.n}]",
			`step "s": input "amount" of workflow "v": `, step + "/parameters/0"},
		{"workflowId: v, parameters: [{name: amount, value: $inputs.n}, {name: note, value: 5}]",
			`step "s": input "note" of workflow "v": expected string, this is a number`, step + "/parameters/1"},
		{"workflowId: v, parameters: [{name: pin, value: '99887766'}, {name: amount, value: 1}, {name: o, value: {99887766: 1}}]",
			`step "s": input "o.***" of workflow "v": unknown property ***`, step + "/parameters/2"},
		{"workflowId: v, parameters: [{name: note, value: a}]", "", ""}, // the document may have an action for it
		{"workflowId: either, parameters: [{name: a, value: [7]}]", `step "s": input "a" of workflow "either": `, step + "/parameters/0"},
		{"operationId: tick, onSuccess: [{name: g, type: goto, workflowId: v, parameters: [{name: amount, value: true}]}]",
			`action "g": input "amount" of workflow "v": expected integer, this is a boolean`, action + "/parameters/0"},
		{"workflowId: v, parameters: [{name: amount, value: 7}, {name: note, value: a}]", "", ""},
		{"workflowId: v, parameters: [{name: amount, value: $inputs.n}]", "", ""},
		{"workflowId: v, parameters: [{name: amount, value: 7}, {name: other, value: []}]", "", ""},
		{"workflowId: either, parameters: [{name: a, value: 7}, {name: b, value: $inputs.n}]", "", ""},
	} {
		f := flowTest{flow: strings.Replace(flow, "CALL", test.call, 1), ids: []string{"w"}, runtime: ok()}
		_, refusals := f.compile(t)
		switch {
		case test.want == "" && len(refusals) > 0:
			t.Errorf("%s: refused with %v", test.call, refusals)
		case test.want != "" && (len(refusals) != 1 || !strings.HasPrefix(refusals[0].Message, test.want) || refusals[0].Place.Pointer != test.at):
			t.Errorf("%s: refused with %v at %q, want %s", test.call, refusals, placesOf(refusals), test.want)
		case test.want != "" && strings.Contains(refusals[0].Message, "99887766"):
			t.Errorf("%s: %s shows a password", test.call, refusals[0].Message)
		}
	}
}

func placesOf(refusals []executor.Refusal) (pointers []string) {
	for _, r := range refusals {
		pointers = append(pointers, r.Place.Pointer)
	}
	return pointers
}
