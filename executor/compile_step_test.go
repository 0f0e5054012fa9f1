package executor_test

import (
	"fmt"
	"testing"
)

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
