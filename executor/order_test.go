package executor_test

import (
	"strings"
	"testing"

	"github.com/weft-flow/weft/executor"
)

// TestAReferenceToALaterStepIsRefused wherever in the step it stands, unless a
// later round or a retry meets it.
func TestAReferenceToALaterStepIsRefused(t *testing.T) {
	const components = `
components:
  parameters: {late: {name: ref, in: query, value: $steps.b.outputs.x}}
  successActions: {late: {name: on, type: goto, stepId: c, criteria: [{condition: $steps.b.outputs.x == 1}]}}
  failureActions: {late: {name: on, type: retry, criteria: [{context: $steps.b.outputs.x, type: regex, condition: x}]}}
`
	tests := []struct{ name, a, b, c string }{
		{name: "in a parameter", a: "parameters: [{name: ref, in: query, value: $steps.b.outputs.x}]"},
		{name: "in a parameter of the components", a: "parameters: [{reference: $components.parameters.late}]"},
		{name: "in a value that overrides one of the components", a: "parameters: [{reference: $components.parameters.late, value: '{$steps.b.outputs.x}!'}]"},
		{name: "in the context of a selector", a: "parameters: [{name: ref, in: query, value: {context: $steps.b.outputs.x, selector: /a, type: jsonpointer}}]"},
		{name: "in a condition", a: "successCriteria: [{condition: $statusCode == 200 && $steps.b.outputs.x == 1}]"},
		{name: "in a context", a: "successCriteria: [{context: $steps.b.outputs.x, type: jsonpath, condition: '$.a'}]"},
		{name: "in a condition of another language", a: "successCriteria: [{context: $response.body, type: jsonpath, condition: '$[?@.a == \"{$steps.b.outputs.x}\"]'}]"},
		{name: "in an output", a: "outputs: {y: $steps.b.outputs.x}"},
		{name: "in a success action", a: "onSuccess: [{name: on, type: goto, stepId: c, criteria: [{condition: $steps.b.outputs.x == 1}]}]"},
		{name: "in a success action of the components", a: "onSuccess: [{reference: $components.successActions.late}]"},
		{name: "in a failure action of the components", a: "onFailure: [{reference: $components.failureActions.late}]"},
		{name: "in what a goto hands on", a: "onFailure: [{name: on, type: goto, workflowId: v, parameters: [{name: p, value: $steps.b.outputs.x}]}]"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			flow := `
workflows:
- workflowId: w
  steps:
  - {stepId: a, operationId: listOrders, A}
  - {stepId: b, operationId: tick, outputs: {x: $response.body#/n}}
  - {stepId: c, operationId: listPayments}
- {workflowId: v, steps: [{stepId: s, operationId: tick}]}
`
			flow = strings.Replace(flow, "A}", test.a+"}", 1) + components
			got := refusalsOf(t, flowTest{flow: flow, ids: []string{"w"}})
			if !strings.Contains(got, `step "a" uses an output of step "b", which comes later`) {
				t.Error(got)
			}
			looped := strings.Replace(flow, "operationId: listPayments", "operationId: listPayments, onFailure: [{name: back, type: goto, stepId: a}]", 1)
			if _, refusals := (flowTest{flow: looped, ids: []string{"w"}}).compile(t); refusals != nil {
				t.Errorf("refused though a later round meets it: %v", refusals)
			}
		})
	}
}

// TestALaterStepMayHaveRunBefore: by jumps of several steps, or because a retry
// runs it.
func TestALaterStepMayHaveRunBefore(t *testing.T) {
	tests := []struct {
		name, flow string
		refused    bool
	}{
		{name: "a retry runs it", flow: `
  - {stepId: a, operationId: listOrders, parameters: [{name: ref, in: query, value: $steps.c.outputs.x}], onFailure: [{name: r, type: retry, stepId: c}]}
  - {stepId: b, operationId: tick}
  - {stepId: c, operationId: token, outputs: {x: $response.body#/n}}
`},
		{name: "a retry of an earlier step runs it", flow: `
  - {stepId: z, operationId: tick, onFailure: [{name: r, type: retry, stepId: c}]}
  - {stepId: a, operationId: listOrders, parameters: [{name: ref, in: query, value: $steps.c.outputs.x}]}
  - {stepId: c, operationId: token, outputs: {x: $response.body#/n}}
`},
		{name: "a retry of a later step runs it", refused: true, flow: `
  - {stepId: a, operationId: listOrders, parameters: [{name: ref, in: query, value: $steps.c.outputs.x}]}
  - {stepId: z, operationId: tick, onFailure: [{name: r, type: retry, stepId: c}]}
  - {stepId: c, operationId: token, outputs: {x: $response.body#/n}}
`},
		{name: "two jumps lead back", flow: `
  - {stepId: a, operationId: listOrders, parameters: [{name: ref, in: query, value: $steps.c.outputs.x}], onFailure: [{name: on, type: goto, stepId: c}]}
  - {stepId: b, operationId: tick, onSuccess: [{name: back, type: goto, stepId: a}]}
  - {stepId: c, operationId: token, outputs: {x: $response.body#/n}, onSuccess: [{name: half, type: goto, stepId: b}]}
`},
		{name: "a jump leads back, but not from there", refused: true, flow: `
  - {stepId: a, operationId: listOrders, parameters: [{name: ref, in: query, value: $steps.c.outputs.x}]}
  - {stepId: b, operationId: tick, onSuccess: [{name: back, type: goto, stepId: a}]}
  - {stepId: c, operationId: token, outputs: {x: $response.body#/n}}
`},
		{name: "of itself", flow: `
  - {stepId: a, operationId: listOrders, parameters: [{name: ref, in: query, value: $steps.a.outputs.x}], outputs: {x: $response.body#/n}}
`},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			_, refusals := flowTest{flow: "\nworkflows:\n- workflowId: w\n  steps:" + test.flow}.compile(t)
			if (refusals != nil) != test.refused {
				t.Errorf("refused: %v", refusals)
			}
		})
	}
}

func TestStepsThatDependOnEachOtherAreRefused(t *testing.T) {
	const flow = `
workflows:
- workflowId: w
  steps:
  - {stepId: a, operationId: tick, dependsOn: [c]}
  - {stepId: b, operationId: tick}
  - {stepId: c, operationId: tick, successCriteria: [{condition: $steps.a.outputs.x == 1}]}
`
	if got := refusalsOf(t, flowTest{flow: flow}); !strings.Contains(got, `"a" and "c"`) {
		t.Error(got)
	}
}

// TestJumpsGoToTheStepThatTheyName also where dependsOn moved it.
func TestJumpsGoToTheStepThatTheyName(t *testing.T) {
	const flow = `
workflows:
- workflowId: w
  failureActions: [{name: shared, type: goto, stepId: late}]
  steps:
  - {stepId: first, operationId: tick, dependsOn: [dep]}
  - {stepId: mid, operationId: listOrders, successCriteria: [{condition: $statusCode == 500}]}
  - {stepId: dep, operationId: listPayments}
  - {stepId: skipped, operationId: listOrders}
  - {stepId: late, operationId: getOrder, parameters: [{name: id, in: path, value: x}]}
`
	got := flowTest{flow: flow, runtime: ok()}.run(t)
	if got.order() != "listOrders getOrder" {
		t.Errorf("called %q", got.order())
	}
	const ordered = `
workflows:
- workflowId: w
  steps:
  - {stepId: first, operationId: tick, dependsOn: [dep], onSuccess: [{name: on, type: goto, stepId: last}]}
  - {stepId: dep, operationId: listPayments, onSuccess: [{name: on, type: goto, stepId: first}]}
  - {stepId: between, operationId: listOrders}
  - {stepId: last, operationId: token, x-weft-effect: read}
`
	got = flowTest{flow: ordered, runtime: ok()}.run(t)
	if got.order() != "listPayments tick token" {
		t.Errorf("called %q", got.order())
	}
}

// TestAnUnmetDependencyFailsTheStep before anything is sent; its actions apply.
func TestAnUnmetDependencyFailsTheStep(t *testing.T) {
	const flow = `
workflows:
- workflowId: w
  steps:
  - {stepId: a, operationId: tick, onSuccess: [{name: skip, type: goto, stepId: c}]}
  - {stepId: b, operationId: listOrders}
  - stepId: c
    operationId: listPayments
    dependsOn: [b]
    onFailure: [{name: again, type: retry}, {name: on, type: goto, stepId: d}]
  - {stepId: d, operationId: token, x-weft-effect: read}
`
	got := flowTest{flow: flow, runtime: ok()}.run(t)
	if got.order() != "tick token" || got.Status != executor.Recovered {
		t.Errorf("called %q, ended as %s: %s", got.order(), got.Status, got.Reason)
	}
	if failed := got.texts("stepFinished")[1]; !strings.Contains(failed, `it depends on step "b"`) {
		t.Error(failed)
	}
}

// TestADependencyOnAStepOfAnotherWorkflowTriggersNothing, and that workflow need
// not be fit to run.
func TestADependencyOnAStepOfAnotherWorkflowTriggersNothing(t *testing.T) {
	const flow = `
workflows:
- {workflowId: w, steps: [{stepId: a, operationId: tick, dependsOn: [$workflows.v.steps.s]}]}
- {workflowId: v, steps: [{stepId: s, operationId: listOrders}, {stepId: x, operationId: UNKNOWN}]}
`
	got := flowTest{flow: flow, ids: []string{"w"}, runtime: ok()}.run(t)
	if got.order() != "" || got.Status != executor.Failed || !strings.Contains(got.Reason, `step "s" of workflow "v"`) {
		t.Errorf("called %q, ended as %s: %s", got.order(), got.Status, got.Reason)
	}
	fit := strings.Replace(flow, "UNKNOWN", "listPayments", 1)
	got = flowTest{flow: fit, ids: []string{"v", "w"}, runtime: ok()}.run(t)
	if got.order() != "listOrders listPayments tick" || got.Status != executor.Succeeded {
		t.Errorf("called %q, ended as %s: %s", got.order(), got.Status, got.Reason)
	}
}
