package executor_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/weft-flow/weft/arazzo/value"
	"github.com/weft-flow/weft/executor"
)

// refusalsOf compiles a flow that must not run and joins what was said.
func refusalsOf(t *testing.T, f flowTest) string {
	t.Helper()
	plan, refusals := f.compile(t)
	if plan != nil || len(refusals) == 0 {
		t.Fatal("it was not refused")
	}
	texts := make([]string, len(refusals))
	for i, r := range refusals {
		texts[i] = r.Error()
	}
	return strings.Join(texts, "\n")
}

// TestACircleOfDependenciesIsRefused also where the workflows of the circle are
// only called by a step.
func TestACircleOfDependenciesIsRefused(t *testing.T) {
	const flow = `
workflows:
- {workflowId: w, steps: [{stepId: call, workflowId: a}]}
- {workflowId: a, dependsOn: [b], steps: [{stepId: s, operationId: tick}]}
- {workflowId: b, dependsOn: [a], steps: [{stepId: s, operationId: tick}]}
`
	for _, ids := range [][]string{{"a"}, {"w"}, nil} {
		if got := refusalsOf(t, flowTest{flow: flow, ids: ids}); !strings.Contains(got, "depends on itself") {
			t.Errorf("%v: %s", ids, got)
		}
	}
}

// TestADependencyThatCallsItsDependantEnds: each waits for the other.
func TestADependencyThatCallsItsDependantEnds(t *testing.T) {
	const flow = `
workflows:
- {workflowId: w, dependsOn: [v], steps: [{stepId: s, operationId: tick}]}
- {workflowId: v, steps: [{stepId: call, workflowId: w}]}
`
	got := flowTest{flow: flow, ids: []string{"w"}, config: executor.Config{MaxSteps: 1 << 40}, runtime: ok()}.run(t)
	if got.Status != executor.Failed || len(got.calls) != 0 || !strings.Contains(got.Reason, `"v"`) {
		t.Errorf("ended as %s after %q: %s", got.Status, got.order(), got.Reason)
	}
}

// TestInputsOfEveryDependencyAreCheckedBeforeTheRun: also of one that only a
// called workflow depends on.
func TestInputsOfEveryDependencyAreCheckedBeforeTheRun(t *testing.T) {
	const flow = `
workflows:
- {workflowId: w, steps: [{stepId: first, operationId: tick}, {stepId: call, workflowId: v}]}
- {workflowId: v, dependsOn: [d], steps: [{stepId: s, operationId: tick}]}
- workflowId: d
  inputs: {type: object, required: [x], properties: {x: {type: integer}}}
  steps: [{stepId: s, operationId: listOrders}]
`
	plan, refusals := flowTest{flow: flow, ids: []string{"w"}}.compile(t)
	if refusals != nil {
		t.Fatal(refusals)
	}
	s := ok()
	_, err := plan.Run(t.Context(), s, executor.Start{})
	var input *executor.InputError
	if !errors.As(err, &input) || input.Workflow != "d" || len(s.calls) != 0 {
		t.Errorf("got %v after %q; want an InputError of workflow d before any call", err, s.order())
	}
	if names := plan.InputNames(); len(names) != 1 || names[0] != "x" {
		t.Errorf("the inputs are %v, want x", names)
	}
	got := flowTest{flow: flow, ids: []string{"w"}, inputs: `{"x":1}`, runtime: ok()}.run(t)
	if got.Status != executor.Succeeded || got.order() != "tick listOrders tick" {
		t.Errorf("ended as %s after %q: %s", got.Status, got.order(), got.Reason)
	}
}

func TestACancelInADependencyCancelsTheRun(t *testing.T) {
	const flow = `
workflows:
- {workflowId: w, dependsOn: [v], steps: [{stepId: s, operationId: listOrders}]}
- workflowId: v
  steps: [{stepId: s, operationId: tick, onFailure: [{name: again, type: retry, retryAfter: 5}]}]
`
	got := flowTest{flow: flow, ids: []string{"w"}, runtime: &script{answer: always(respond(500, nil)), cancel: true}}.run(t)
	if got.Status != executor.Cancelled {
		t.Errorf("ended as %s: %s", got.Status, got.Reason)
	}
}

// TestWhatSucceededWhileTheRunWasCancelledIsRecorded: its outputs, and what it
// says of an unknown outcome.
func TestWhatSucceededWhileTheRunWasCancelledIsRecorded(t *testing.T) {
	const flow = `
workflows:
- workflowId: w
  steps:
  - {stepId: pay, operationId: pay, onFailure: [{name: ask, type: goto, stepId: ask}]}
  - {stepId: ask, operationId: listPayments, x-weft-requery-of: pay, outputs: {id: $response.body#/0/id}}
  - {stepId: after, operationId: tick}
  outputs: {id: $steps.ask.outputs.id}
`
	got := flowTest{flow: flow, runtime: &script{answer: func(call executor.Call, _ int) executor.Exchange {
		if call.Operation.ID == "pay" {
			return lost()
		}
		x := respond(200, []map[string]string{{"id": "p1"}})
		x.Cancelled = true
		return x
	}}}.run(t)
	if got.Status != executor.Cancelled || got.order() != "pay listPayments" {
		t.Errorf("ended as %s after %q: %s", got.Status, got.order(), got.Reason)
	}
	if outputs := got.Workflows[0].Outputs.String(); outputs != `{"id":"p1"}` {
		t.Errorf("outputs %s", outputs)
	}
}

// TestTheEventThatEndsAWorkflowSaysWhatTheResultSays, also where an outcome
// stayed unknown.
func TestTheEventThatEndsAWorkflowSaysWhatTheResultSays(t *testing.T) {
	const flow = `
workflows:
- workflowId: w
  steps:
  - {stepId: pay, operationId: pay, onFailure: [{name: on, type: goto, stepId: b}]}
  - {stepId: b, operationId: tick}
`
	got := flowTest{flow: flow, runtime: &script{answer: func(call executor.Call, _ int) executor.Exchange {
		if call.Operation.ID == "pay" {
			return lost()
		}
		return respond(200, nil)
	}}}.run(t)
	if got.Status != executor.Unknown {
		t.Fatalf("ended as %s", got.Status)
	}
	if ends := got.texts("workflowFinished"); len(ends) != 1 || !strings.Contains(ends[0], "Status:unknown") {
		t.Errorf("the workflow ended with %v", ends)
	}
}

// TestNoTwoCallsOfARunHaveOneName: boundaries and jitter are found by it.
func TestNoTwoCallsOfARunHaveOneName(t *testing.T) {
	const flow = `
workflows:
- workflowId: outer
  steps:
  - stepId: call
    workflowId: inner
    onFailure: [{name: again, type: retry, retryLimit: 2, workflowId: inner}, {name: go, type: goto, workflowId: inner}]
- workflowId: inner
  steps:
  - {stepId: order, operationId: createOrder}
  - {stepId: look, operationId: tick, onFailure: [{name: again, type: retry}]}
`
	got := flowTest{flow: flow, ids: []string{"outer"}, runtime: &script{answer: func(call executor.Call, _ int) executor.Exchange {
		if call.Operation.ID == "tick" {
			return respond(404, nil)
		}
		return respond(201, nil)
	}}}.run(t)
	seen := map[string]bool{}
	for _, call := range got.calls {
		if seen[call.Name] {
			t.Errorf("two calls are named %s", call.Name)
		}
		seen[call.Name] = true
	}
	keys := map[string]bool{}
	for _, call := range got.calls {
		if call.Key != nil {
			keys[call.Key.Value] = true
		}
	}
	// The called workflow under its one key, twice as an assistant, once by goto.
	if got.seen["createOrder"] != 6 || len(keys) != 4 {
		t.Errorf("%d orders with %d keys, want 6 with 4", got.seen["createOrder"], len(keys))
	}
}

// TestARetriedWorkflowMaySendOtherContentWhereNoKeyIsAtStake: what only reads, or
// may be repeated, is new work in a new round.
func TestARetriedWorkflowMaySendOtherContentWhereNoKeyIsAtStake(t *testing.T) {
	const flow = `
workflows:
- workflowId: outer
  steps:
  - {stepId: call, workflowId: inner, onFailure: [{name: again, type: retry}]}
- workflowId: inner
  steps:
  - {stepId: a, operationId: tick, outputs: {n: $response.body#/n}}
  - {stepId: b, operationId: pay, x-weft-effect: idempotent, requestBody: {payload: {n: $steps.a.outputs.n}}}
  - {stepId: c, operationId: listOrders, successCriteria: [{condition: $response.body#/n == 2}]}
`
	got := flowTest{flow: flow, ids: []string{"outer"}, runtime: ok()}.run(t)
	if got.Status != executor.Succeeded || got.order() != "tick pay listOrders tick pay listOrders" {
		t.Errorf("ended as %s after %q: %s", got.Status, got.order(), got.Reason)
	}
}

func TestTheTimeOfACalledWorkflowIsBounded(t *testing.T) {
	const flow = `
workflows:
- workflowId: w
  steps:
  - {stepId: call, workflowId: v, timeout: 25, onFailure: [{name: on, type: goto, stepId: after}]}
  - {stepId: after, operationId: listOrders}
- workflowId: v
  steps: [{stepId: a, operationId: tick, onSuccess: [{name: again, type: goto, stepId: a}]}]
`
	got := flowTest{flow: flow, ids: []string{"w"}, runtime: ok()}.run(t)
	if got.order() != "tick tick tick listOrders" || got.Status != executor.Recovered {
		t.Errorf("ended as %s after %q: %s", got.Status, got.order(), got.Reason)
	}
	for i, call := range got.calls[:3] {
		if call.Timeout > 25*time.Millisecond {
			t.Errorf("call %d may take %v, past the time of the step", i+1, call.Timeout)
		}
	}
	if after := got.calls[3].Timeout; after != executor.DefaultStepTimeout {
		t.Errorf("the time of the call bounds what comes after it: %v", after)
	}
}

func TestRetryingACalledWorkflowEndsWithTheStepsOfTheRun(t *testing.T) {
	const flow = `
workflows:
- workflowId: w
  steps: [{stepId: call, workflowId: v, onFailure: [{name: again, type: retry, retryLimit: 2000000000}]}]
- workflowId: v
  steps: [{stepId: a, operationId: tick}]
`
	got := flowTest{flow: flow, ids: []string{"w"}, config: executor.Config{MaxSteps: 5}, runtime: &script{answer: always(respond(404, nil))}}.run(t)
	if len(got.calls) != 4 || got.Status != executor.Failed {
		t.Errorf("%d calls, ended as %s: %s", len(got.calls), got.Status, got.Reason)
	}
}

func TestAMissingInputOfACalledWorkflowFailsTheStep(t *testing.T) {
	const flow = `
workflows:
- workflowId: w
  steps:
  - {stepId: call, workflowId: v, onFailure: [{name: again, type: retry}, {name: on, type: goto, stepId: after}]}
  - {stepId: after, operationId: listOrders}
- workflowId: v
  inputs: {type: object, required: [x], properties: {x: {type: string}}}
  steps: [{stepId: a, operationId: tick}]
`
	got := flowTest{flow: flow, ids: []string{"w"}, runtime: ok()}.run(t)
	failed := got.texts("stepFinished")[0]
	if got.order() != "listOrders" || got.Status != executor.Recovered || !strings.Contains(failed, "x") {
		t.Errorf("ended as %s after %q; the step said %s", got.Status, got.order(), failed)
	}
}

// TestInputsThatAnotherWorkflowWantsAreNoFault of one whose schema, written
// elsewhere, allows no others.
func TestInputsThatAnotherWorkflowWantsAreNoFault(t *testing.T) {
	const flow = `
workflows:
- {workflowId: a, inputs: {$ref: '#/components/inputs/closed'}, steps: [{stepId: s, operationId: tick}]}
- {workflowId: b, inputs: {type: object, properties: {y: {type: string}}}, steps: [{stepId: s, operationId: tick}], outputs: {y: $inputs.y}}
components:
  inputs: {closed: {type: object, additionalProperties: false, properties: {x: {type: string}}}}
`
	got := flowTest{flow: flow, inputs: `{"x":"1","y":"2"}`, runtime: ok()}.run(t)
	if got.Status != executor.Succeeded || got.Workflows[1].Outputs.String() != `{"y":"2"}` {
		t.Errorf("ended as %s: %s", got.Status, got.Reason)
	}
}

// failing is a sink that cannot write.
type failing struct{}

var errFull = errors.New("the disk is full")

func (failing) Write(executor.Event) error { return errFull }

func TestASinkThatFailsIsToldAtTheEnd(t *testing.T) {
	plan, refusals := flowTest{flow: `
workflows: [{workflowId: w, steps: [{stepId: a, operationId: tick}]}]
`}.compile(t)
	if refusals != nil {
		t.Fatal(refusals)
	}
	result, err := plan.Run(t.Context(), ok(), executor.Start{Sink: failing{}, Inputs: value.Absent})
	if !errors.Is(err, errFull) || result.Status != executor.Succeeded {
		t.Errorf("ended as %s with %v; want succeeded, and the sink's error", result.Status, err)
	}
}

// TestTheSchemaOfAnInputIsFoundWhereverItIsWritten: by it the command line reads
// what it was given.
func TestTheSchemaOfAnInputIsFoundWhereverItIsWritten(t *testing.T) {
	const flow = `
workflows:
- {workflowId: a, inputs: {$ref: '#/components/inputs/page'}, steps: [{stepId: s, operationId: tick}]}
components:
  inputs:
    page: {type: object, allOf: [{properties: {n: {$ref: '#/components/inputs/count'}}}]}
    count: {type: integer}
`
	plan, refusals := flowTest{flow: flow}.compile(t)
	if refusals != nil {
		t.Fatal(refusals)
	}
	if got := plan.InputSchema("n").String(); got != `{"type":"integer"}` {
		t.Errorf("the schema of n is %s", got)
	}
}

// TestStatement01AnUnknownOutcomeIsNotRepeatedByBeginningItsWorkflowAnew, whichever
// way leads back to the step.
func TestStatement01AnUnknownOutcomeIsNotRepeatedByBeginningItsWorkflowAnew(t *testing.T) {
	const inner = `
- workflowId: inner
  steps:
  - {stepId: pay, operationId: PAY, onSuccess: [{name: end, type: end}]}
`
	tests := map[string]string{
		"a retry of the calling step":      "{name: again, type: retry}",
		"a jump back to the calling step":  "{name: back, type: goto, stepId: call}",
		"a jump to the workflow itself":    "{name: anew, type: goto, workflowId: outer}",
		"a retry that runs it as a helper": "{name: help, type: retry, workflowId: inner}",
	}
	for name, action := range tests {
		for operation, want := range map[string]int{"pay": 1, "createOrder": 2} {
			t.Run(name+", "+operation, func(t *testing.T) {
				flow := `
workflows:
- workflowId: outer
  steps: [{stepId: call, workflowId: inner, onFailure: [` + action + `]}]
` + strings.Replace(inner, "PAY", operation, 1)
				got := flowTest{flow: flow, ids: []string{"outer"}, config: executor.Config{MaxSteps: 20}, runtime: &script{answer: func(call executor.Call, n int) executor.Exchange {
					if n == 1 {
						return lost()
					}
					return respond(201, nil)
				}}}.run(t)
				if len(got.calls) < want || operation == "pay" && len(got.calls) > want {
					t.Fatalf("%d requests, want %d", len(got.calls), want)
				}
				if operation == "createOrder" && got.calls[0].Key.Value != got.calls[1].Key.Value {
					t.Error("the outcome that is unknown is asked for under another key")
				}
				if operation == "pay" && got.Status != executor.Unknown {
					t.Errorf("ended as %s", got.Status)
				}
			})
		}
	}
}
