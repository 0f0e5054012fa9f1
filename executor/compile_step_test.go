package executor_test

import (
	"fmt"
	"strings"
	"testing"
	"time"
)

// TestAWholeNumberIsOneHoweverItIsWritten: the schema's integer is any number without
// a fraction.
func TestAWholeNumberIsOneHoweverItIsWritten(t *testing.T) {
	const flow = `
workflows:
- workflowId: w
  steps:
  - stepId: s
    operationId: tick
    timeout: TIMEOUT
    onFailure: [{name: again, type: retry, retryLimit: LIMIT}]
`
	for _, test := range []struct{ timeout, limit, refused string }{
		{"500.0", "2.0", ""},
		{"5e2", "2e0", ""},
		{"99999999999999999999", "1", "timeout is a whole count of milliseconds from 1 to 9223372036854, this is 99999999999999999999"},
		{"500", "99999999999", "retryLimit is a whole number from 0 to 2147483647, this is 99999999999"},
	} {
		f := flowTest{flow: strings.NewReplacer("TIMEOUT", test.timeout, "LIMIT", test.limit).Replace(flow), runtime: &script{answer: always(respond(500, nil))}}
		if test.refused != "" {
			if _, refusals := f.compile(t); len(refusals) != 1 || refusals[0].Message != test.refused {
				t.Errorf("timeout %s, retryLimit %s: refused with %v", test.timeout, test.limit, refusals)
			}
			continue
		}
		got := f.run(t)
		if len(got.calls) != 3 || got.calls[0].Timeout != 500*time.Millisecond {
			t.Errorf("timeout %s, retryLimit %s: %d calls of at most %s", test.timeout, test.limit, len(got.calls), got.calls[0].Timeout)
		}
	}
}

// TestANeededParameterWithoutAValueIsNamed, by what it is written from, if it is.
func TestANeededParameterWithoutAValueIsNamed(t *testing.T) {
	for written, want := range map[string]string{
		"null":               `parameter "id" is required, and its value is null`,
		"$inputs.id":         `parameter "id" is required, and $inputs.id is absent`,
		"$response.body#/id": `parameter "id" is required, and $response.body#/id is absent`,
	} {
		got := flowTest{flow: `
workflows:
- workflowId: w
  inputs: {type: object, properties: {id: {type: string}}}
  steps: [{stepId: s, operationId: getOrder, parameters: [{name: id, in: path, value: ` + written + `}]}]
`, runtime: &script{}}.run(t)
		if !strings.HasSuffix(got.Workflows[0].Reason, want) {
			t.Errorf("%s: %s, want %s", written, got.Workflows[0].Reason, want)
		}
	}
}

// TestParametersOfTheWorkflowAreForAllItsSteps: overridden by name and place, and
// taken as far as a step has a use for them.
func TestParametersOfTheWorkflowAreForAllItsSteps(t *testing.T) {
	const flow = `
workflows:
- workflowId: w
  parameters:
  - {name: id, in: path, value: shared-id}
  - {name: X-Trace, in: header, value: shared}
  - {name: ref, in: query, value: shared}
  - {reference: $components.parameters.must, value: overridden}
  steps:
  - {stepId: a, operationId: tick}
  - {stepId: b, operationId: getOrder, parameters: [{name: x-trace, in: header, value: own}, {name: ref, in: header, value: h}]}
  - {stepId: c, operationId: getOrder, parameters: [{name: id, in: path, value: own-id}, {name: REF, in: query, value: q}]}
components:
  parameters: {must: {name: must, in: query, value: component}}
`
	got := flowTest{flow: flow, runtime: ok()}.run(t)
	want := []string{
		"[header X-Trace=shared query ref=shared query must=overridden]",
		"[path id=shared-id header x-trace=own query ref=shared query must=overridden header ref=h]",
		"[path id=own-id header X-Trace=shared query ref=shared query must=overridden query REF=q]",
	}
	if len(got.calls) != len(want) {
		t.Fatalf("called %q: %s", got.order(), got.Reason)
	}
	for i, call := range got.calls {
		var sent []string
		for _, a := range call.Arguments {
			sent = append(sent, a.In+" "+a.Name+"="+a.Value.Text())
		}
		if fmt.Sprint(sent) != want[i] {
			t.Errorf("step %d sends %v, want %s", i+1, sent, want[i])
		}
	}
}
