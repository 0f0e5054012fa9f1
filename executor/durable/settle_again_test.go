package durable

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/weft-flow/weft/executor"
	"github.com/weft-flow/weft/idempotency"
)

// againFlow pays, and pays again at each message that does not end it.
const againFlow = `
workflows:
- workflowId: buy
  inputs: {type: object, properties: {ref: {type: string}}}
  steps:
  - stepId: pay
    operationId: OPERATION
    requestBody: {contentType: application/json, payload: {ref: $inputs.ref, next: $steps.wait.outputs.next}}
    onFailure: [{name: see, type: goto, stepId: wait}]
  - stepId: wait
    operationId: paid
    action: receive
    correlationId: $inputs.ref
    timeout: 259200000
    x-weft-correlation: $message.payload#/ref
    x-weft-requery-of: none
    outputs: {next: $message.payload#/next}
    onSuccess: [{name: over, type: end, criteria: [{condition: $message.payload#/end == true}]}, {name: again, type: goto, stepId: pay}]
  - {stepId: none, operationId: closeOrder, requestBody: {contentType: application/json, payload: {ref: $inputs.ref}}}
`

// TestStatement25WhatAnOperatorFoundDoneIsNotDoneAgain by a jump back that the document
// makes because it knows no better: without a key contract it is not sent, and under one
// with its key. Other work is sent, and so is the same once the server has answered.
func TestStatement25WhatAnOperatorFoundDoneIsNotDoneAgain(t *testing.T) {
	for operation, c := range map[string]struct {
		path, second string // what the second message brings
		before       int    // requests before it
	}{
		"pay":         {"/payments", `,"next":"2"`, 1},
		"createOrder": {"/orders", "", 2},
	} {
		t.Run(operation, func(t *testing.T) {
			onEach(t, func(t *testing.T, url string) {
				shop, servers := playMuted(t, 1)
				s := driving(t, url)
				flow := strings.Replace(againFlow, "OPERATION", operation, 1)
				run := begin(t, s, Spec{Bundle: flowBundle(t, flow), Config: executor.Config{Servers: servers, Timeout: executor.NoTimeout}}, `{"ref":"1"}`).Run
				awaitsWait(t, s, run, 1)
				if err := s.Settle(t.Context(), run, Settlement{Step: "pay", Outcome: "succeeded", Operator: "ann"}); err != nil {
					t.Fatal(err)
				}
				for n, more := range []string{"", c.second, `,"end":true`} {
					d := awaitsWait(t, s, run, n+1)
					if keys, _ := shop.sent(c.path); n == 1 && (len(keys) != c.before || len(slices.Compact(keys)) != 1 || d.Steps[0].Operation != idempotency.Succeeded) {
						t.Errorf("what is done was sent under %q, and is %+v", keys, d.Steps[0])
					}
					if _, err := s.Deliver(t.Context(), run, executor.Message{Box: paidBox, Identity: fmt.Sprint(n), Body: []byte(`{"ref":"1"` + more + `}`)}); err != nil {
						t.Fatal(err)
					}
				}
				result := end(t, s, run)
				if keys, _ := shop.sent(c.path); result.Status != executor.Recovered || len(keys) != c.before+1 || operation == "createOrder" && keys[1] == keys[2] {
					t.Errorf("%+v, sent under %q", result, keys)
				}
				replay(t, s, run)
			})
		})
	}
}

// awaitsWait waits until the run waits for the nth time.
func awaitsWait(t *testing.T, s *Store, run string, n int) Detail {
	t.Helper()
	d, err := untilShown(t.Context(), s, run, func(d Detail) bool {
		return d.Waiting != nil && strings.HasPrefix(d.Waiting.Name, fmt.Sprintf("buy/wait#%d/", n))
	})
	if err != nil {
		t.Fatal(err)
	}
	return d
}
