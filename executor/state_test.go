package executor_test

import (
	"strings"
	"testing"

	"github.com/weft-flow/weft/executor"
)

const stateFlow = `
workflows:
- workflowId: w
  x-weft-states: {initial: NEW, terminal: [DONE, FAILED], transitions: {NEW: [ASKED], ASKED: [WAITING, DONE, FAILED], WAITING: [DONE]}}
  steps:
  - {stepId: ask, operationId: createOrder, x-weft-state: ASKED}
  - stepId: look
    operationId: tick
    x-weft-state: {value: $response.body#/status, map: {CAPTURED: DONE, OPEN: WAITING}}
    onSuccess: [{name: again, type: goto, stepId: look, criteria: [{condition: $response.body#/more == true}]}]
  - {stepId: late, operationId: listOrders, x-weft-state: FAILED}
`

// TestStatesMoveOnlyWhereTheDocumentAllowsIt: a move that it does not allow, and a
// value that it does not name, change nothing and are told.
func TestStatesMoveOnlyWhereTheDocumentAllowsIt(t *testing.T) {
	tests := []struct {
		name    string
		answers []string // of tick
		state   string
		moved   []string
		refused []string
	}{
		{"straight", []string{"CAPTURED"}, "DONE", []string{"NEW ASKED", "ASKED DONE"}, []string{"DONE is terminal"}},
		{"by way of waiting", []string{"OPEN", "CAPTURED"}, "DONE", []string{"NEW ASKED", "ASKED WAITING", "WAITING DONE"}, []string{"DONE is terminal"}},
		{"the same again is no move", []string{"OPEN", "OPEN", "CAPTURED"}, "DONE", []string{"NEW ASKED", "ASKED WAITING", "WAITING DONE"}, []string{"DONE is terminal"}},
		{"a value that nobody knows", []string{"ODD"}, "FAILED", []string{"NEW ASKED", "ASKED FAILED"}, []string{"which the map does not name"}},
		{"a move that is not allowed", []string{"OPEN"}, "WAITING", []string{"NEW ASKED", "ASKED WAITING"}, []string{`FAILED must not follow WAITING; what may is "DONE"`}},
		{"back", []string{"CAPTURED", "OPEN"}, "DONE", []string{"NEW ASKED", "ASKED DONE"}, []string{"DONE is terminal", "DONE is terminal"}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			got := flowTest{flow: stateFlow, runtime: &script{answer: func(call executor.Call, n int) executor.Exchange {
				if call.Operation.ID != "tick" {
					return respond(201, nil)
				}
				return respond(200, map[string]any{"status": test.answers[n-1], "more": n < len(test.answers)})
			}}}.run(t)
			if got.Workflows[0].State != test.state {
				t.Errorf("the state is %s, want %s", got.Workflows[0].State, test.state)
			}
			moved, refused := got.texts("stateMoved"), got.texts("stateRefused")
			if len(moved) != len(test.moved) || len(refused) != len(test.refused) {
				t.Fatalf("moved %v, refused %v", moved, refused)
			}
			for i, want := range test.moved {
				from, to, _ := strings.Cut(want, " ")
				if !strings.Contains(moved[i], "From:"+from+" To:"+to) {
					t.Errorf("move %d is %s, want %s", i+1, moved[i], want)
				}
			}
			for i, want := range test.refused {
				if !strings.Contains(refused[i], want) {
					t.Errorf("refusal %d is %s, want %s", i+1, refused[i], want)
				}
			}
		})
	}
}

// TestStatesOfTheDocumentGoOnThroughWorkflows that are called or gone to, unless
// these have states of their own.
func TestStatesOfTheDocumentGoOnThroughWorkflows(t *testing.T) {
	const flow = `
x-weft-states: {initial: A, terminal: [D], transitions: {A: [B], B: [C], C: [D]}}
workflows:
- workflowId: w
  steps:
  - {stepId: call, workflowId: inner}
  - {stepId: own, workflowId: apart}
  - {stepId: go, operationId: tick, x-weft-state: C, onSuccess: [{name: on, type: goto, workflowId: last}]}
- {workflowId: inner, steps: [{stepId: s, operationId: tick, x-weft-state: B}]}
- workflowId: apart
  x-weft-states: {initial: X, terminal: [Y], transitions: {X: [Y]}}
  steps: [{stepId: s, operationId: tick, x-weft-state: Y}]
- {workflowId: last, steps: [{stepId: s, operationId: tick, x-weft-state: D}]}
`
	got := flowTest{flow: flow, ids: []string{"w"}, runtime: ok()}.run(t)
	if got.Workflows[0].State != "D" || len(got.texts("stateRefused")) != 0 || len(got.texts("stateMoved")) != 4 {
		t.Errorf("the state is %s: %v, %v", got.Workflows[0].State, got.texts("stateMoved"), got.texts("stateRefused"))
	}
}
