package executor_test

import (
	"strings"
	"testing"

	"github.com/weft-flow/weft/executor"
)

const cancelFlow = `
workflows:
- workflowId: w
  x-weft-on-cancel:
  - {name: undo, type: goto, stepId: undo, criteria: [{condition: $steps.make.outputs.id != null}]}
  - {name: nothing, type: end}
  steps:
  - {stepId: make, operationId: createOrder, outputs: {id: $response.body#/id}}
  - stepId: poll
    operationId: tick
    onFailure: [{name: again, type: retry, retryAfter: 10, retryLimit: 5}]
    onSuccess: [{name: done, type: end}]
  - stepId: undo
    operationId: listOrders
    onFailure: [{name: again, type: retry, retryAfter: 1}]
`

// cancelling answers as the test says, and cancels the first wait.
func cancelling(answer func(executor.Call, int) executor.Exchange) *script {
	return &script{answer: answer, cancel: true}
}

// TestACancelRunsTheCancelActions of the workflow, in full: a wait among them is
// not ended by the same cancel.
func TestACancelRunsTheCancelActions(t *testing.T) {
	got := flowTest{flow: cancelFlow, runtime: cancelling(func(call executor.Call, n int) executor.Exchange {
		switch {
		case call.Operation.ID == "tick", call.Operation.ID == "listOrders" && n == 1:
			return respond(503, nil)
		default:
			return respond(200, map[string]any{"id": "o-1"})
		}
	})}.run(t)
	if got.Status != executor.Cancelled || got.order() != "createOrder tick listOrders listOrders" {
		t.Errorf("ended as %s after %q: %s", got.Status, got.order(), got.Reason)
	}
	if !got.calls[2].AfterCancel || got.calls[1].AfterCancel {
		t.Error("the calls do not tell which of them come after the cancel")
	}
	chosen := got.texts("actionChosen")
	if len(chosen) != 1 || !strings.Contains(chosen[0], "Trigger:onCancel") || !strings.Contains(chosen[0], "Name:undo") {
		t.Errorf("actions %v", chosen)
	}
}

// TestACancelActionIsChosenByItsCriteria, and none leaves the run as it is.
func TestACancelActionIsChosenByItsCriteria(t *testing.T) {
	got := flowTest{flow: cancelFlow, runtime: cancelling(func(call executor.Call, _ int) executor.Exchange {
		if call.Operation.ID == "createOrder" {
			return respond(200, map[string]any{})
		}
		return respond(503, nil)
	})}.run(t)
	if got.Status != executor.Cancelled || got.order() != "createOrder tick" {
		t.Errorf("ended as %s after %q", got.Status, got.order())
	}
}

// TestACancelWithAnUnknownOutcomeEndsUnknown, whatever the cancel actions did.
func TestACancelWithAnUnknownOutcomeEndsUnknown(t *testing.T) {
	got := flowTest{flow: cancelFlow, runtime: cancelling(func(call executor.Call, _ int) executor.Exchange {
		switch call.Operation.ID {
		case "createOrder":
			x := lost()
			x.Cancelled = true
			return x
		default:
			return respond(200, nil)
		}
	})}.run(t)
	if got.Status != executor.Unknown {
		t.Errorf("ended as %s after %q", got.Status, got.order())
	}
}

// TestACancelReachesTheWorkflowsAround: the inner one is undone first.
func TestACancelReachesTheWorkflowsAround(t *testing.T) {
	const flow = `
workflows:
- workflowId: outer
  x-weft-on-cancel: [{name: undoOuter, type: goto, stepId: undo}]
  steps:
  - {stepId: call, workflowId: inner}
  - {stepId: after, operationId: getOrder, parameters: [{name: id, in: path, value: x}]}
  - {stepId: undo, operationId: listPayments}
- workflowId: inner
  x-weft-on-cancel: [{name: undoInner, type: goto, stepId: undo}]
  steps:
  - stepId: poll
    operationId: tick
    onFailure: [{name: again, type: retry, retryAfter: 10}]
    onSuccess: [{name: done, type: end}]
  - {stepId: undo, operationId: listOrders}
`
	got := flowTest{flow: flow, ids: []string{"outer"}, runtime: cancelling(func(call executor.Call, _ int) executor.Exchange {
		if call.Operation.ID == "tick" {
			return respond(503, nil)
		}
		return respond(200, nil)
	})}.run(t)
	if got.Status != executor.Cancelled || got.order() != "tick listOrders listPayments" {
		t.Errorf("ended as %s after %q", got.Status, got.order())
	}
}

// TestFailedCancelActionsAreTold in the reason.
func TestFailedCancelActionsAreTold(t *testing.T) {
	got := flowTest{flow: strings.Replace(cancelFlow, "retryAfter: 1}", "retryLimit: 0}", 1), runtime: cancelling(func(call executor.Call, _ int) executor.Exchange {
		if call.Operation.ID == "createOrder" {
			return respond(200, map[string]any{"id": "o-1"})
		}
		return respond(404, nil)
	})}.run(t)
	if got.Status != executor.Cancelled || !strings.Contains(got.Reason, "its cancel actions failed") {
		t.Errorf("ended as %s: %s", got.Status, got.Reason)
	}
}

// TestACancelActionMakesUpForWhatWasBegunAlone: of two workflows, the second never
// began.
func TestACancelActionMakesUpForWhatWasBegunAlone(t *testing.T) {
	const flow = `
workflows:
- {workflowId: first, x-weft-on-cancel: [{name: undo, type: goto, stepId: undo}], steps: [{stepId: s, operationId: tick, onFailure: [{name: again, type: retry, retryAfter: 5}]}, {stepId: undo, operationId: listOrders}]}
- {workflowId: second, x-weft-on-cancel: [{name: undo, type: goto, stepId: undo}], steps: [{stepId: s, operationId: tick}, {stepId: undo, operationId: listPayments}]}
`
	got := flowTest{flow: flow, runtime: &script{cancel: true, answer: func(call executor.Call, _ int) executor.Exchange {
		if call.Operation.ID == "tick" {
			return respond(500, nil)
		}
		return respond(200, nil)
	}}}.run(t)
	if got.order() != "tick listOrders" || got.Status != executor.Cancelled {
		t.Errorf("called %q, ended as %s: %s", got.order(), got.Status, got.Reason)
	}
}
