package durable

import (
	"errors"
	"strings"
	"testing"

	"github.com/weft-flow/weft/executor"
	"github.com/weft-flow/weft/idempotency"
)

// calledFlow orders in a workflow that is called again until it has succeeded.
const calledFlow = `
workflows:
- workflowId: buy
  inputs: {type: object, properties: {ref: {type: string}}}
  steps:
  - stepId: call
    workflowId: inner
    parameters: [{name: ref, value: $inputs.ref}]
    onFailure: [{name: again, type: retry, retryAfter: 0.01, retryLimit: 3}]
  - stepId: wait
    operationId: paid
    action: receive
    correlationId: $inputs.ref
    timeout: 259200000
    x-weft-correlation: $message.payload#/ref
- workflowId: inner
  inputs: {type: object, properties: {ref: {type: string}}}
  steps:
  - {stepId: order, operationId: createOrder, requestBody: {contentType: application/json, payload: {ref: $inputs.ref}}}
`

// TestStatement25WhatWasGoneOnWithElsewhereIsShownAsItIs: an operation whose outcome was
// unknown, and that another call of its workflow went on with, is not unknown for good.
func TestStatement25WhatWasGoneOnWithElsewhereIsShownAsItIs(t *testing.T) {
	onEach(t, func(t *testing.T, url string) {
		shop, servers := playMuted(t, 2)
		s := driving(t, url)
		spec := Spec{Bundle: flowBundle(t, calledFlow), Workflows: []string{"buy"}, Config: executor.Config{Servers: servers, Timeout: executor.NoTimeout}}
		run := begin(t, s, spec, `{"ref":"1"}`).Run
		d, err := untilShown(t.Context(), s, run, isWaiting)
		if err != nil {
			t.Fatal(err)
		}
		if keys, _ := shop.sent("/orders"); len(keys) != 3 || keys[0] != keys[2] || len(d.Steps) != 3 {
			t.Fatalf("sent under %q: %+v", keys, d.Steps)
		}
		for n, step := range d.Steps {
			if unknown := step.Class == idempotency.Unknown; unknown != (n < 2) || step.Operation != idempotency.Succeeded || strings.Contains(step.Reason, "closed") {
				t.Errorf("%+v", step)
			}
			err := s.Settle(t.Context(), run, Settlement{Workflow: step.Workflow, Step: "order", Outcome: "failed", Operator: "ann"})
			if !errors.Is(err, ErrNotUnknown) {
				t.Errorf("settled what has succeeded: %v", err)
			}
		}
	})
}
