package executor_test

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/weft-flow/weft/arazzo/source"
	"github.com/weft-flow/weft/arazzo/value"
	"github.com/weft-flow/weft/executor"
)

// oddFlow has a little of everything.
const oddFlow = `arazzo: 1.1.0
info: {title: t, version: "1"}
sourceDescriptions:
- {name: shop, url: shop.yaml, type: openapi}
x-weft-idempotency: {key: $inputs.ref}
workflows:
- workflowId: w
  inputs:
    type: object
    properties:
      ref: {type: string, default: r1}
      pin: {format: password}
  dependsOn: [v]
  parameters:
  - {name: ref, in: query, value: $inputs.ref}
  failureActions:
  - reference: $components.failureActions.again
  steps:
  - stepId: order
    operationId: createOrder
    dependsOn: [$workflows.v.steps.s]
    requestBody:
      payload: {a: {context: $inputs.ref, selector: /a, type: jsonpointer}}
      replacements:
      - {target: /b, value: $inputs.ref}
    successCriteria:
    - condition: $statusCode == 200
    - context: $response.body
      condition: $.n
      type: jsonpath
    onSuccess:
    - name: on
      type: goto
      stepId: look
      criteria:
      - condition: $response.body#/n > 0
    outputs:
      n: $response.body#/n
  - stepId: call
    workflowId: v
    timeout: 1000
    parameters:
    - reference: $components.parameters.x
      value: 2
  - stepId: look
    operationId: listOrders
    x-weft-requery-of: order
    onFailure:
    - name: r
      type: retry
      retryAfter: 1.5
      retryLimit: 2
      stepId: call
    - name: g
      type: goto
      workflowId: v
  - stepId: wait
    operationId: paid
    action: receive
    correlationId: $inputs.ref
    timeout: 10
    x-weft-correlation: $message.payload#/ref
  outputs:
    n: $steps.order.outputs.n
- workflowId: v
  steps:
  - stepId: s
    operationPath: '{$sourceDescriptions.shop.url}#/paths/~1tick/get'
components:
  parameters:
    x: {name: x, value: 1}
  failureActions:
    again: {name: again, type: retry}
`

// TestADocumentThatIsNotSoundNeverPanics: whatever line is missing or spoilt, it
// is refused or runs.
func TestADocumentThatIsNotSoundNeverPanics(t *testing.T) {
	lines := strings.SplitAfter(oddFlow, "\n")
	ran := 0
	for i := range lines {
		for _, instead := range []string{"", lines[i][:len(lines[i])-len(strings.TrimLeft(lines[i], " -"))] + "type: end\n", spoiled(lines[i])} {
			text := strings.Join(lines[:i], "") + instead + strings.Join(lines[i+1:], "")
			dir := writeFiles(t, map[string]string{"shop.yaml": shopAPI, "flow.yaml": text})
			loader := source.NewLoader(source.Options{Offline: true})
			doc, location, _, err := loader.LoadDocument(t.Context(), filepath.Join(dir, "flow.yaml"))
			if err != nil || doc == nil {
				continue
			}
			set, _ := loader.Load(t.Context(), doc, location)
			plan, refusals := executor.Compile(set, nil, executor.Config{MaxSteps: 50})
			if (plan == nil) != (len(refusals) > 0) {
				t.Fatalf("a plan and refusals, or neither: %v\n%s", refusals, text)
			}
			if plan == nil {
				continue
			}
			ran++
			if _, err := plan.Run(t.Context(), ok(), executor.Start{Sink: &recorder{}, Inputs: value.Absent}); err != nil {
				t.Errorf("%v\n%s", err, text)
			}
		}
	}
	if ran < len(lines)/4 {
		t.Errorf("only %d of the documents could be run: the test tells little", ran)
	}
}

// spoiled gives a line whose value is of another kind.
func spoiled(line string) string {
	if at := strings.Index(line, ": "); at >= 0 {
		return line[:at] + ": [1]\n"
	}
	return strings.TrimRight(line, ":\n") + ": null\n"
}

// TestEachReasonIsToldOnce, in the order of the places.
func TestEachReasonIsToldOnce(t *testing.T) {
	const flow = `
workflows:
- workflowId: w
  failureActions: [{name: on, type: goto, stepId: none}]
  parameters: [{reference: $components.parameters.none}]
  steps:
  - {stepId: a, operationId: tick}
  - {stepId: b, operationId: nothing}
  - {stepId: c, operationId: tick}
components: {parameters: {some: {name: x, in: query, value: 1}}}
`
	_, refusals := flowTest{flow: flow}.compile(t)
	if len(refusals) != 3 {
		t.Fatalf("%d refusals: %v", len(refusals), refusals)
	}
	for i, want := range []string{"no step", "no such component", "nothing"} {
		if !strings.Contains(refusals[i].Message, want) {
			t.Errorf("refusal %d is %q, want one with %q", i+1, refusals[i].Message, want)
		}
	}
}
