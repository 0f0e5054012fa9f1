package executor_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/weft-flow/weft/arazzo/value"
	"github.com/weft-flow/weft/executor"
)

func TestAnOutlineTellsWhatCanBeKnown(t *testing.T) {
	plan, refusals := flowTest{flow: `
workflows:
- workflowId: w
  inputs: {type: object, properties: {ref: {type: string, default: r 1}}}
  steps:
  - {stepId: derived, operationId: createOrder}
  - stepId: written
    operationId: createOrder
    parameters: [{name: Idempotency-Key, in: header, value: "k-{$inputs.ref}"}]
  - {stepId: unkeyed, operationId: pay, outputs: {id: $response.body#/id}}
  - {stepId: read, operationId: getOrder, parameters: [{name: id, in: path, value: $steps.unkeyed.outputs.id}]}
  - {stepId: list, operationId: listOrders, parameters: [{name: ref, in: query, value: $inputs.ref}]}
  - {stepId: call, workflowId: v}
- workflowId: v
  steps: [{stepId: t, operationId: tick}]
`, ids: []string{"w"}}.compile(t)
	if refusals != nil {
		t.Fatal(refusals)
	}
	got, err := plan.Outline(value.Absent)
	if err != nil {
		t.Fatal(err)
	}
	const server = "http://127.0.0.1:1"
	digest := got.Workflows[0].Steps[1].KeyDigest
	want := executor.Outline{
		Origins: []string{server},
		Workflows: []executor.OutlineWorkflow{{ID: "w", Steps: []executor.OutlineStep{
			{
				ID: "derived", Calls: "POST /orders", Server: server, Target: "/orders", Effectful: true, Contract: true,
				KeyHeader: "Idempotency-Key", KeyReason: "the API declares Idempotency-Key",
			},
			{
				ID: "written", Calls: "POST /orders", Server: server, Target: "/orders", Effectful: true, Contract: true,
				KeyHeader: "Idempotency-Key", Key: "k-r 1", KeyDigest: digest,
				KeyReason: "the step writes Idempotency-Key; the API declares it",
			},
			{
				ID: "unkeyed", Calls: "POST /payments", Server: server, Target: "/payments", Effectful: true,
				KeyReason: "nothing says that the API takes a key",
			},
			{
				ID: "read", Calls: "GET /orders/{id}", Server: server, Target: "/orders/{id}",
				KeyReason: "nothing says that the API takes a key", Unresolved: []string{"$steps.unkeyed.outputs.id"},
			},
			{
				ID: "list", Calls: "GET /orders", Server: server, Target: "/orders?ref=r 1",
				KeyReason: "nothing says that the API takes a key",
			},
			{ID: "call", Calls: "workflow v"},
		}}},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if digest == "" {
		t.Error("a key that is known has no digest")
	}
}
