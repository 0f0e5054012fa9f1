package executor_test

import (
	"strings"
	"testing"
	"time"

	"github.com/weft-flow/weft/executor"
)

// ok answers everything with 200 and a count.
func ok() *script {
	return &script{answer: func(_ executor.Call, n int) executor.Exchange {
		return respond(200, map[string]any{"n": n, "id": "o-1"}, "Etag", "e1")
	}}
}

func TestFlows(t *testing.T) {
	tests := []struct {
		name, flow, inputs string
		ids                []string
		version            string
		status             executor.Status
		order              string
		outputs            string // of the last workflow
	}{
		{
			name: "steps run in order and hand values on",
			flow: `
workflows:
- workflowId: w
  inputs: {type: object, properties: {sku: {type: string}}}
  steps:
  - stepId: a
    operationId: tick
    outputs: {n: $response.body#/n, tag: $response.header.etag}
  - stepId: b
    operationId: getOrder
    parameters: [{name: id, in: path, value: $steps.a.outputs.tag}]
    outputs: {path: $request.path.id, nothing: $response.body#/nothing}
  outputs: {n: $steps.a.outputs.n, path: $steps.b.outputs.path, sku: $inputs.sku, gone: $steps.b.outputs.nothing}
`, inputs: `{"sku":"TEA"}`,
			status: executor.Succeeded, order: "tick getOrder", outputs: `{"n":1,"path":"e1","sku":"TEA"}`,
		},
		{
			name: "a goto skips, an end stops",
			flow: `
workflows:
- workflowId: w
  steps:
  - stepId: a
    operationId: tick
    onSuccess: [{name: on, type: goto, stepId: c, criteria: [{condition: $statusCode == 200}]}]
  - {stepId: b, operationId: listOrders}
  - stepId: c
    operationId: getOrder
    parameters: [{name: id, in: path, value: x}]
    onSuccess: [{name: stop, type: end}]
  - {stepId: d, operationId: listOrders}
`,
			status: executor.Succeeded, order: "tick getOrder", outputs: `{}`,
		},
		{
			name: "the first action whose criteria pass is taken",
			flow: `
workflows:
- workflowId: w
  steps:
  - stepId: a
    operationId: tick
    onSuccess:
    - {name: no, type: end, criteria: [{condition: $statusCode == 201}]}
    - {name: yes, type: goto, stepId: c}
    - {name: late, type: end}
  - {stepId: b, operationId: listOrders}
  - {stepId: c, operationId: token, x-weft-effect: read}
`,
			status: executor.Succeeded, order: "tick token", outputs: `{}`,
		},
		{
			name: "a step's action overrides the workflow's of the same name, others are added",
			flow: `
workflows:
- workflowId: w
  successActions: [{name: x, type: end}, {name: y, type: goto, stepId: c}]
  steps:
  - stepId: a
    operationId: tick
    onSuccess: [{name: x, type: end, criteria: [{condition: $statusCode == 500}]}]
  - {stepId: b, operationId: listOrders}
  - {stepId: c, operationId: token, x-weft-effect: read, onSuccess: [{name: z, type: end}]}
`,
			status: executor.Succeeded, order: "tick token", outputs: `{}`,
		},
		{
			name: "a goto to a workflow does not come back",
			flow: `
workflows:
- workflowId: w
  steps:
  - stepId: a
    operationId: tick
    onSuccess: [{name: go, type: goto, workflowId: v, parameters: [{name: x, value: $response.body#/id}]}]
  - {stepId: b, operationId: listOrders, outputs: {none: $statusCode}}
  outputs: {mine: $steps.b.outputs.none}
- workflowId: v
  inputs: {type: object, required: [x], properties: {x: {type: string}}}
  steps: [{stepId: c, operationId: getOrder, parameters: [{name: id, in: path, value: $inputs.x}]}]
  outputs: {theirs: $inputs.x}
`, ids: []string{"w"},
			status: executor.Succeeded, order: "tick getOrder", outputs: `{"theirs":"o-1"}`,
		},
		{
			name: "a workflow is called with parameters and gives outputs",
			flow: `
workflows:
- workflowId: w
  parameters: [{name: x, value: shared}, {name: unasked, value: 1}]
  steps:
  - stepId: call
    workflowId: v
    parameters: [{name: y, value: 2}]
    successCriteria: [{condition: $outputs.y == 2}]
    outputs: {both: $outputs.both}
  - {stepId: after, operationId: tick}
  outputs: {both: $steps.call.outputs.both, direct: $workflows.v.outputs.y}
- workflowId: v
  inputs: {type: object, additionalProperties: false, properties: {x: {type: string}, y: {type: integer}}}
  steps: [{stepId: c, operationId: listOrders}]
  outputs: {both: "{$inputs.x}-{$inputs.y}", y: $inputs.y}
`, ids: []string{"w"},
			status: executor.Succeeded, order: "listOrders tick", outputs: `{"both":"shared-2","direct":2}`,
		},
		{
			name: "without a name every workflow runs, a dependency once and first",
			flow: `
workflows:
- {workflowId: a, dependsOn: [b], steps: [{stepId: s, operationId: tick}]}
- {workflowId: b, dependsOn: [c], steps: [{stepId: s, operationId: listOrders}]}
- {workflowId: c, steps: [{stepId: s, operationId: listPayments}], outputs: {v: '{$statusCode}x'}}
`,
			status: executor.Succeeded, order: "listPayments listOrders tick",
		},
		{
			name: "dependsOn of steps orders them",
			flow: `
workflows:
- workflowId: w
  steps:
  - {stepId: a, operationId: tick, dependsOn: [c]}
  - {stepId: b, operationId: listOrders}
  - {stepId: c, operationId: listPayments}
`,
			status: executor.Succeeded, order: "listOrders listPayments tick", outputs: `{}`,
		},
		{
			name: "an output keeps its value through a later round that fails",
			flow: `
workflows:
- workflowId: w
  steps:
  - stepId: a
    operationId: tick
    successCriteria: [{condition: $response.body#/n == 1}]
    outputs: {n: $response.body#/n}
    onFailure: [{name: on, type: goto, stepId: c}]
  - stepId: b
    operationId: listOrders
    onSuccess: [{name: back, type: goto, stepId: a}]
  - {stepId: c, operationId: listPayments}
  outputs: {n: $steps.a.outputs.n}
`,
			status: executor.Recovered, order: "tick listOrders tick listPayments", outputs: `{"n":1}`,
		},
		{
			name: "an invalid condition fails, and actions apply",
			flow: `
workflows:
- workflowId: w
  steps:
  - stepId: a
    operationId: tick
    successCriteria: [{condition: "$statusCode = 200"}]
    onFailure: [{name: on, type: goto, stepId: c}]
  - {stepId: b, operationId: listOrders}
  - {stepId: c, operationId: listPayments}
`,
			status: executor.Recovered, order: "tick listPayments", outputs: `{}`,
		},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			got := flowTest{flow: test.flow, inputs: test.inputs, ids: test.ids, version: test.version, runtime: ok()}.run(t)
			if got.Status != test.status {
				t.Errorf("ended as %s (%s), want %s", got.Status, got.Reason, test.status)
			}
			if got.order() != test.order {
				t.Errorf("called %q, want %q", got.order(), test.order)
			}
			last := got.Workflows[len(got.Workflows)-1].Outputs.String()
			if test.outputs != "" && last != test.outputs {
				t.Errorf("outputs %s, want %s", last, test.outputs)
			}
		})
	}
}

func TestWithoutCriteriaOnlyA2xxIsSuccess(t *testing.T) {
	const flow = `
workflows: [{workflowId: w, steps: [{stepId: a, operationId: tick}]}]
`
	for status, want := range map[int]executor.Status{200: executor.Succeeded, 204: executor.Succeeded, 302: executor.Failed, 404: executor.Failed} {
		got := flowTest{flow: flow, runtime: &script{answer: always(respond(status, nil))}}.run(t)
		if got.Status != want {
			t.Errorf("status %d: ended as %s, want %s", status, got.Status, want)
		}
	}
}

func TestAFailedWorkflowFailsTheStepThatCalledIt(t *testing.T) {
	const flow = `
workflows:
- workflowId: w
  steps: [{stepId: call, workflowId: v}, {stepId: after, operationId: listOrders}]
- workflowId: v
  steps: [{stepId: c, operationId: tick}]
`
	got := flowTest{flow: flow, ids: []string{"w"}, runtime: &script{answer: always(respond(404, nil))}}.run(t)
	if got.Status != executor.Failed || got.order() != "tick" || !strings.Contains(got.Reason, `workflow "v" ended as failed`) {
		t.Errorf("ended as %s after %q: %s", got.Status, got.order(), got.Reason)
	}
}

func TestARequiredParameterWithoutAValueFailsBeforeSending(t *testing.T) {
	const flow = `
workflows:
- workflowId: w
  steps:
  - {stepId: a, operationId: tick, outputs: {none: $response.body#/nothing, nil: $response.body#/null}}
  - {stepId: b, operationId: listOrders, parameters: [{name: ref, in: query, value: $steps.a.outputs.none}]}
  - {stepId: c, operationId: getOrder, parameters: [{name: id, in: path, value: $steps.a.outputs.none}]}
`
	got := flowTest{flow: flow, runtime: ok()}.run(t)
	if got.order() != "tick listOrders" {
		t.Fatalf("called %s", got.order())
	}
	if len(got.calls[1].Arguments) != 0 {
		t.Errorf("an optional parameter without a value was sent: %+v", got.calls[1].Arguments)
	}
	if got.Status != executor.Failed || !strings.Contains(got.Reason, `parameter "id" is required`) {
		t.Errorf("ended as %s: %s", got.Status, got.Reason)
	}
}

func TestAnEndlessLoopIsBounded(t *testing.T) {
	const flow = `
workflows:
- workflowId: w
  steps: [{stepId: a, operationId: tick, onSuccess: [{name: again, type: goto, stepId: a}]}]
`
	got := flowTest{flow: flow, config: executor.Config{MaxSteps: 7}, runtime: ok()}.run(t)
	if len(got.calls) != 7 || got.Status != executor.Failed || !strings.Contains(got.Reason, "7 steps") {
		t.Errorf("%d calls, ended as %s: %s", len(got.calls), got.Status, got.Reason)
	}
}

func TestWorkflowsThatCallThemselvesAreBounded(t *testing.T) {
	const flow = `
workflows:
- workflowId: w
  steps: [{stepId: a, workflowId: w}]
`
	got := flowTest{flow: flow, runtime: ok()}.run(t)
	if got.Status != executor.Failed || !strings.Contains(got.Reason, "deeper than 32") {
		t.Errorf("ended as %s: %s", got.Status, got.Reason)
	}
}

func TestTheRunsTimeIsBounded(t *testing.T) {
	const flow = `
workflows:
- workflowId: w
  steps: [{stepId: a, operationId: tick, onSuccess: [{name: again, type: goto, stepId: a}]}]
`
	got := flowTest{flow: flow, config: executor.Config{Timeout: 35 * time.Millisecond}, runtime: ok()}.run(t)
	if len(got.calls) != 4 || got.Status != executor.Failed || !strings.Contains(got.Reason, "deadline") {
		t.Errorf("%d calls, ended as %s: %s", len(got.calls), got.Status, got.Reason)
	}
}

func TestSecretsAreMaskedInEvents(t *testing.T) {
	const flow = `
workflows:
- workflowId: w
  inputs: {type: object, properties: {pin: {type: string, format: password}}}
  steps:
  - stepId: a
    operationId: listOrders
    parameters: [{name: ref, in: query, value: $inputs.pin}]
    outputs: {echo: $response.body}
`
	s := &script{answer: func(call executor.Call, _ int) executor.Exchange {
		x := respond(200, map[string]any{"pin": "s3cr3t-pin"}, "Set-Cookie", "session=s3cr3t-cookie")
		x.Sent = executor.Sent{
			Method: "GET", URL: call.Server + "/orders?ref=s3cr3t-pin",
			Header: executor.Header{"Authorization": {"Bearer s3cr3t-token"}},
		}
		return x
	}}
	got := flowTest{flow: flow, inputs: `{"pin":"s3cr3t-pin"}`, runtime: s}.run(t)
	if got.calls[0].Arguments[0].Value.Text() != "s3cr3t-pin" {
		t.Fatal("the secret was not sent, so the test tells nothing")
	}
	for _, kind := range []string{"workflowStarted", "requestPrepared", "attemptFinished", "stepFinished", "runFinished"} {
		for _, text := range got.texts(kind) {
			if strings.Contains(text, "s3cr3t") {
				t.Errorf("%s shows a secret: %s", kind, text)
			}
		}
	}
}
