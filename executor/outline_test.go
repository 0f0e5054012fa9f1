package executor_test

import (
	"fmt"
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
		Workflows: []executor.OutlineWorkflow{{ID: "w", Document: got.Workflows[0].Document, Steps: []executor.OutlineStep{
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
			{ID: "call", Calls: "workflow v", Workflow: &executor.OutlineWorkflow{
				ID: "v", Document: got.Workflows[0].Document, Steps: []executor.OutlineStep{{
					ID: "t", Calls: "GET /tick", Server: server, Target: "/tick", KeyReason: "nothing says that the API takes a key",
				}},
			}},
		}}},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if digest == "" {
		t.Error("a key that is known has no digest")
	}
}

// nestedOrders calls a workflow of its own and one of another document, which make
// keys of business keys.
const nestedOrders = `
x-weft-idempotency: {key: $inputs.ref}
workflows:
- workflowId: w
  inputs: {type: object, properties: {ref: {type: string}}}
  steps:
  - {stepId: own, workflowId: v, parameters: [{name: ref, value: "own-{$inputs.ref}"}]}
  - {stepId: other, workflowId: $sourceDescriptions.more.v, parameters: [{name: ref, value: $inputs.ref}]}
  - {stepId: here, operationId: createOrder, outputs: {id: $response.body#/id}}
  - {stepId: late, workflowId: v, parameters: [{name: ref, value: $steps.here.outputs.id}]}
  - {stepId: again, workflowId: w, parameters: [{name: ref, value: x}], onFailure: [{name: off, type: end}]}
- workflowId: v
  dependsOn: [first]
  inputs: {type: object, properties: {ref: {type: string, default: none}}}
  steps: [{stepId: in, operationId: createOrder, onFailure: [{name: help, type: goto, workflowId: helper}]}]
- workflowId: first
  steps: [{stepId: t, operationId: tick}]
- workflowId: helper
  steps: [{stepId: t, operationId: tick}, {stepId: o, operationId: createOrder}]
`

const moreOrders = `
arazzo: 1.1.0
info: {title: more, version: "1"}
sourceDescriptions: [{name: shop, url: shop.yaml, type: openapi}]
x-weft-idempotency: {key: $inputs.ref}
workflows:
- workflowId: v
  inputs: {type: object, properties: {ref: {type: string}}}
  steps: [{stepId: in, operationId: createOrder}]
`

func nestedOrdersTest(runtime *script) flowTest {
	return flowTest{
		flow: nestedOrders, ids: []string{"w"}, inputs: `{"ref": "r1"}`, runtime: runtime,
		more: map[string]string{"more.yaml": moreOrders, "#sources": ", {name: more, url: more.yaml, type: arazzo}"},
	}
}

// TestTheKeysOfAnOutlineAreThoseThatAreSent, also within the workflows that steps call.
func TestTheKeysOfAnOutlineAreThoseThatAreSent(t *testing.T) {
	test := nestedOrdersTest(&script{answer: always(respond(201, map[string]string{"id": "o1"}))})
	plan, refusals := test.compile(t)
	if refusals != nil {
		t.Fatal(refusals)
	}
	outline, err := plan.Outline(value.Object(value.Member{Name: "ref", Value: value.String("r1")}))
	if err != nil {
		t.Fatal(err)
	}
	steps := outline.Workflows[0].Steps
	test.config.MaxSteps = 8
	var sent []string
	events := &recorder{}
	test.runtime.t = t
	if _, err := plan.Run(t.Context(), test.runtime, executor.Start{Inputs: value.Object(value.Member{Name: "ref", Value: value.String("r1")}), Sink: events}); err != nil {
		t.Fatal(err)
	}
	for _, call := range test.runtime.calls {
		if call.Key != nil {
			sent = append(sent, call.Key.Value)
		}
	}
	known := []string{steps[0].Workflow.Steps[0].Key, steps[1].Workflow.Steps[0].Key, steps[2].Key}
	for i, key := range known {
		if key == "" || key != sent[i] {
			t.Errorf("key %d is %q, sent was %q", i, key, sent[i])
		}
	}
	late := steps[3].Workflow.Steps[0]
	if late.Key != "" || late.Problem != "" || steps[4].Workflow != nil {
		t.Errorf("what only the run can tell is told: %+v", late)
	}
	var others []string
	for _, w := range outline.Others {
		others = append(others, w.ID+" "+w.Why)
	}
	want := []string{"first once, before a workflow that is called and depends on it", "helper if an action leads to it"}
	if diff := cmp.Diff(want, others); diff != "" {
		t.Error(diff)
	}
	if outline.Others[1].Steps[1].Key != "" {
		t.Error("there is a key for a step of which it is not known from where it is come to")
	}
}

// TestAnOutlineTellsWhatMustFail: a business key or a required parameter that nothing
// will bring.
func TestAnOutlineTellsWhatMustFail(t *testing.T) {
	plan, refusals := flowTest{flow: `
x-weft-idempotency: {key: $inputs.ref}
workflows:
- workflowId: w
  inputs: {type: object, properties: {ref: {type: string}}}
  steps:
  - {stepId: a, operationId: createOrder}
  - {stepId: b, operationId: getOrder, parameters: [{name: id, in: path, value: $inputs.ref}]}
`}.compile(t)
	if refusals != nil {
		t.Fatal(refusals)
	}
	outline, err := plan.Outline(value.Absent)
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []string{"x-weft-idempotency: key $inputs.ref is absent; expected a text or number that is this order's own", `parameter "id" is required, and $inputs.ref is absent`} {
		if got := outline.Workflows[0].Steps[i].Problem; got != want {
			t.Errorf("step %d: got %q, want %q", i, got, want)
		}
	}
}

// TestAnOutlineIsBounded: calls of calls multiply.
func TestAnOutlineIsBounded(t *testing.T) {
	flow := "workflows:\n"
	for i := range 20 {
		flow += fmt.Sprintf("- workflowId: w%d\n  steps: [{stepId: a, workflowId: w%d}, {stepId: b, workflowId: w%d}]\n", i, i+1, i+1)
	}
	flow += "- workflowId: w20\n  steps: [{stepId: t, operationId: tick}]\n"
	plan, refusals := flowTest{flow: flow, ids: []string{"w0"}}.compile(t)
	if refusals != nil {
		t.Fatal(refusals)
	}
	outline, err := plan.Outline(value.Absent)
	if err != nil || !outline.Shortened {
		t.Errorf("a million calls are listed: %v", err)
	}
}
