package executor_test

import (
	"strings"
	"testing"

	"github.com/weft-flow/weft/executor"
)

// stockAPI is the API of a nested document: named shop there, as another one is in
// the document that uses it.
const stockAPI = `
openapi: 3.1.0
info: {title: Stock, version: "1"}
servers: [{url: "http://127.0.0.1:2"}]
paths:
  /items:
    get: {operationId: listItems, responses: {"200": {description: ok}}}
    post:
      operationId: reserve
      parameters: [{name: Idempotency-Key, in: header, schema: {type: string}}]
      responses: {"201": {description: ok}}
`

// nested gives the files of a document beside the one under test.
func nested(library string) map[string]string {
	return map[string]string{
		"#sources":   ", {name: lib, url: lib.yaml, type: arazzo}",
		"stock.yaml": stockAPI,
		"lib.yaml": `
arazzo: 1.1.0
info: {title: lib, version: "1"}
sourceDescriptions: [{name: shop, url: stock.yaml, type: openapi}]
` + library,
	}
}

const library = `
workflows:
- workflowId: w
  inputs: {type: object, properties: {n: {type: integer, default: 7}}}
  parameters: [{reference: $components.parameters.shared}]
  failureActions: [{reference: $components.failureActions.again}]
  steps:
  - {stepId: a, operationId: listItems, outputs: {n: $inputs.n, up: $workflows.helper.outputs.x, url: $sourceDescriptions.shop.url}}
  outputs: {n: $steps.a.outputs.n, up: $steps.a.outputs.up, url: $steps.a.outputs.url, self: $self}
- workflowId: helper
  steps: [{stepId: a, operationId: reserve}]
  outputs: {x: from lib}
components:
  parameters: {shared: {name: from, in: header, value: lib}}
  failureActions: {again: {name: again, type: retry, retryLimit: 2}}
`

// TestAWorkflowOfAnotherDocumentIsCalled with its own sources, components and
// names, though all of them are called as those of the caller are.
func TestAWorkflowOfAnotherDocumentIsCalled(t *testing.T) {
	const flow = `
workflows:
- workflowId: w
  steps:
  - {stepId: first, operationId: tick}
  - stepId: a
    workflowId: $sourceDescriptions.lib.w
    parameters: [{name: n, value: 3}]
    successCriteria: [{condition: $outputs.n == 3}]
    outputs: {all: $outputs.n, url: $outputs.url, up: $outputs.up}
  outputs: {n: $steps.a.outputs.all, url: $steps.a.outputs.url, up: $steps.a.outputs.up}
- workflowId: helper
  steps: [{stepId: a, operationId: listOrders}]
  outputs: {x: from the caller}
components:
  parameters: {shared: {name: from, in: header, value: caller}}
`
	got := flowTest{flow: flow, ids: []string{"helper", "w"}, more: nested(library), runtime: &script{answer: func(call executor.Call, n int) executor.Exchange {
		if call.Operation.ID == "listItems" && n < 3 {
			return respond(500, nil)
		}
		return respond(200, nil)
	}}}.run(t)
	if got.order() != "listOrders tick listItems listItems listItems" || got.Status != executor.Succeeded {
		t.Fatalf("called %q, ended as %s: %s", got.order(), got.Status, got.Reason)
	}
	call := got.calls[2]
	if call.Server != "http://127.0.0.1:2" || len(call.Arguments) != 1 || call.Arguments[0].Value.Text() != "lib" {
		t.Errorf("sent to %s with %+v", call.Server, call.Arguments)
	}
	// The helper of the caller has run, that of the library has not.
	if outputs := got.Workflows[1].Outputs.String(); outputs != `{"n":3,"url":"stock.yaml"}` {
		t.Errorf("outputs %s", outputs)
	}
	if place := got.events[len(got.events)-4].Place.File; !strings.HasSuffix(place, "lib.yaml") && !strings.HasSuffix(place, "flow.yaml") {
		t.Errorf("an event without a file: %+v", got.events[len(got.events)-4])
	}
	assertPlaces(t, got.events)
}

// assertPlaces holds that what happens in a document is placed in its file.
func assertPlaces(t *testing.T, events []executor.Event) {
	t.Helper()
	for _, e := range events {
		want := "flow.yaml"
		if strings.Contains(e.Workflow, "lib.") || strings.Count(e.Workflow, "/") == 2 {
			want = "lib.yaml"
		}
		if e.Workflow != "" && !strings.HasSuffix(e.Place.File, want) {
			t.Errorf("%s of %s is placed in %s", e.Detail.Type(), e.Workflow, e.Place.File)
		}
	}
}

// TestAGotoLeadsIntoAnotherDocument and does not come back.
func TestAGotoLeadsIntoAnotherDocument(t *testing.T) {
	const flow = `
workflows:
- workflowId: w
  steps:
  - {stepId: a, operationId: tick, onSuccess: [{name: go, type: goto, workflowId: $sourceDescriptions.lib.w, parameters: [{name: n, value: $statusCode}]}]}
  - {stepId: b, operationId: listOrders}
`
	got := flowTest{flow: flow, more: nested(library), runtime: ok()}.run(t)
	if got.order() != "tick listItems" || got.Status != executor.Succeeded || got.Workflows[0].ID != "w" {
		t.Errorf("called %q, ended as %s: %s", got.order(), got.Status, got.Reason)
	}
	if outputs := got.Workflows[0].Outputs.String(); outputs != `{"n":200,"url":"stock.yaml"}` {
		t.Errorf("outputs %s", outputs)
	}
}

// TestAWorkflowDependsOnOneOfAnotherDocument: once a run, with the run's inputs,
// and under a name of its own though it is called the same.
func TestAWorkflowDependsOnOneOfAnotherDocument(t *testing.T) {
	const flow = `
workflows:
- {workflowId: helper, dependsOn: [$sourceDescriptions.lib.helper], steps: [{stepId: a, operationId: createOrder}]}
- {workflowId: v, dependsOn: [$sourceDescriptions.lib.helper, $sourceDescriptions.lib.w], steps: [{stepId: a, operationId: tick}]}
`
	got := flowTest{flow: flow, more: nested(library), runtime: ok(), inputs: `{"n":5}`}.run(t)
	if got.order() != "reserve createOrder listItems tick" || got.Status != executor.Succeeded {
		t.Fatalf("called %q, ended as %s: %s", got.order(), got.Status, got.Reason)
	}
	if got.calls[0].Name == got.calls[1].Name {
		t.Errorf("two calls are named %s", got.calls[0].Name)
	}
	if a, b := got.calls[0].Key, got.calls[1].Key; a == nil || b == nil || a.Value == b.Value {
		t.Errorf("two operations of two documents have the keys %+v and %+v", a, b)
	}
	for _, text := range got.texts("workflowStarted") {
		if strings.Contains(text, "ID:w") && !strings.Contains(text, `"n":5`) {
			t.Errorf("it began without the inputs of the run: %s", text)
		}
	}
}

// TestAnUnkeyedOperationOfAnotherDocumentIsNotTakenForAnother of the same name:
// the one would keep the other from being sent.
func TestAnUnkeyedOperationOfAnotherDocumentIsNotTakenForAnother(t *testing.T) {
	const flow = `
workflows:
- {workflowId: pay, dependsOn: [$sourceDescriptions.lib.pay], steps: [{stepId: a, operationId: pay}]}
`
	got := flowTest{flow: flow, runtime: ok(), more: nested(`
workflows:
- {workflowId: pay, steps: [{stepId: a, operationId: reserve, x-weft-idempotency: off}]}
`)}.run(t)
	if got.order() != "reserve pay" || got.Status != executor.Succeeded {
		t.Errorf("called %q, ended as %s: %s", got.order(), got.Status, got.Reason)
	}
}

// TestAStepDependsOnOneOfAnotherDocument.
func TestAStepDependsOnOneOfAnotherDocument(t *testing.T) {
	const flow = `
workflows:
- workflowId: w
  steps:
  - {stepId: call, workflowId: $sourceDescriptions.lib.w}
  - {stepId: a, operationId: tick, dependsOn: [$sourceDescriptions.lib.w.steps.a]}
  - {stepId: b, operationId: listOrders, dependsOn: [$sourceDescriptions.lib.helper.steps.a]}
`
	got := flowTest{flow: flow, more: nested(library), runtime: ok()}.run(t)
	if got.order() != "listItems tick" || got.Status != executor.Failed || !strings.Contains(got.Reason, `step "a" of workflow "helper"`) {
		t.Errorf("called %q, ended as %s: %s", got.order(), got.Status, got.Reason)
	}
}

// TestNestedDocumentsNestFurther, and may refer back to the first.
func TestNestedDocumentsNestFurther(t *testing.T) {
	const flow = `
workflows:
- {workflowId: w, steps: [{stepId: call, workflowId: $sourceDescriptions.lib.middle}], outputs: {x: $workflows.end.outputs.x}}
- {workflowId: end, steps: [{stepId: a, operationId: tick, outputs: {n: $response.body#/n}}], outputs: {x: $steps.a.outputs.n}}
`
	more := map[string]string{
		"#sources": ", {name: lib, url: lib.yaml, type: arazzo}",
		"lib.yaml": `
arazzo: 1.0.1
info: {title: lib, version: "1"}
sourceDescriptions: [{name: top, url: flow.yaml, type: arazzo}]
workflows:
- {workflowId: middle, steps: [{stepId: call, workflowId: $sourceDescriptions.top.end}]}
`,
	}
	got := flowTest{flow: flow, ids: []string{"w"}, more: more, runtime: ok()}.run(t)
	if got.order() != "tick" || got.Workflows[0].Outputs.String() != `{"x":1}` {
		t.Errorf("called %q, ended as %s with %s: %s", got.order(), got.Status, got.Workflows[0].Outputs, got.Reason)
	}
}

// TestANestedDocumentThatIsNotSoundIsRefused where it is needed, with its places.
func TestANestedDocumentThatIsNotSoundIsRefused(t *testing.T) {
	broken := nested(strings.Replace(library, "steps: [{stepId: a, operationId: reserve}]", "step: [{stepId: a, operationId: reserve}]", 1))
	const flow = `
workflows:
- {workflowId: w, steps: [{stepId: call, workflowId: $sourceDescriptions.lib.w}]}
- {workflowId: alone, steps: [{stepId: a, operationId: tick}]}
`
	got := refusalsOf(t, flowTest{flow: flow, ids: []string{"w"}, more: broken})
	if !strings.Contains(got, "lib.yaml:") || !strings.Contains(got, "step") {
		t.Error(got)
	}
	if _, refusals := (flowTest{flow: flow, ids: []string{"alone"}, more: broken}).compile(t); refusals != nil {
		t.Errorf("refused though it is not needed: %v", refusals)
	}
}

// TestAServerThatWasNamedIsForTheSourceOfThatName: in another document the same
// name may stand for another API.
func TestAServerThatWasNamedIsForTheSourceOfThatName(t *testing.T) {
	const flow = `
workflows:
- {workflowId: w, steps: [{stepId: a, operationId: tick}, {stepId: call, workflowId: $sourceDescriptions.lib.w}]}
`
	serversFor := func(servers map[string]string, more map[string]string) string {
		got := flowTest{flow: flow, more: more, config: executor.Config{Servers: servers}, runtime: ok()}.run(t)
		return got.calls[0].Server + " " + got.calls[1].Server
	}
	if got := serversFor(map[string]string{"shop": "http://127.0.0.1:9"}, nested(library)); got != "http://127.0.0.1:9 http://127.0.0.1:2" {
		t.Errorf("sent to %s", got)
	}
	if got := serversFor(map[string]string{"lib.shop": "http://127.0.0.1:9"}, nested(library)); got != "http://127.0.0.1:1 http://127.0.0.1:9" {
		t.Errorf("sent to %s", got)
	}
	if got := serversFor(map[string]string{"": "http://127.0.0.1:9"}, nested(library)); got != "http://127.0.0.1:9 http://127.0.0.1:9" {
		t.Errorf("sent to %s", got)
	}
	other := nested(strings.ReplaceAll(library, "sourceDescriptions.shop", "sourceDescriptions.stock"))
	other["lib.yaml"] = strings.Replace(other["lib.yaml"], "name: shop", "name: stock", 1)
	if got := serversFor(map[string]string{"stock": "http://127.0.0.1:9"}, other); got != "http://127.0.0.1:1 http://127.0.0.1:9" {
		t.Errorf("sent to %s", got)
	}
}
