package executor_test

import (
	"strings"
	"testing"
)

// TestAnIDThatStandsTwiceIsRefused: two steps of one id would send two pieces of work
// under one key, and the second order would never be made.
func TestAnIDThatStandsTwiceIsRefused(t *testing.T) {
	for flow, want := range map[string]string{
		`
workflows:
- workflowId: w
  steps:
  - {stepId: s, operationId: tick}
  - {stepId: s, operationId: listOrders}
`: `flow.yaml:9:14: step "s" stands twice in workflow "w", also in line 8; each needs a stepId of its own`,
		`
workflows:
- workflowId: w
  steps: [{stepId: s, operationId: tick}]
- workflowId: w
  steps: [{stepId: s, operationId: listOrders}]
`: `flow.yaml:8:15: workflow "w" stands twice in the document, also in line 6; each needs a workflowId of its own`,
		`
workflows:
- workflowId: w
  steps: [{stepId: s, operationId: tick}, {stepId: S, operationId: tick}]
- workflowId: v
  steps: [{stepId: s, operationId: tick}]
`: "",
	} {
		_, refusals := flowTest{flow: flow}.compile(t)
		switch {
		case want == "" && len(refusals) > 0:
			t.Errorf("%s: refused: %v", flow, refusals)
		case want != "" && (len(refusals) != 1 || !strings.HasSuffix(refusals[0].Error(), want)):
			t.Errorf("%s: refused with %v, want %s", flow, refusals, want)
		}
	}
}

// TestAParameterThatStandsTwiceIsRefused, but where it is another: in another place,
// or that of the workflow.
func TestAParameterThatStandsTwiceIsRefused(t *testing.T) {
	for parameters, want := range map[string]string{
		`{name: a, in: query, value: 1}, {name: a, in: query, value: 2}`:       `the query parameter "a" stands twice`,
		`{name: X-A, in: header, value: 1}, {name: x-a, in: header, value: 2}`: `the header parameter "x-a" stands twice`,
		`{name: a, in: query, value: 1}, {name: a, in: header, value: 2}`:      "",
		`{name: a, in: query, value: 1}, {name: A, in: query, value: 2}`:       "",
		`{name: shared, in: query, value: 1}`:                                  "",
	} {
		_, refusals := flowTest{flow: `
workflows:
- workflowId: w
  parameters: [{name: shared, in: query, value: 0}]
  steps: [{stepId: s, operationId: listOrders, parameters: [` + parameters + `]}]
`}.compile(t)
		switch {
		case want == "" && len(refusals) > 0:
			t.Errorf("%s: refused: %v", parameters, refusals)
		case want != "" && (len(refusals) != 1 || !strings.Contains(refusals[0].Message, want)):
			t.Errorf("%s: refused with %v, want %s", parameters, refusals, want)
		}
	}
	for workflow, want := range map[string]string{
		`steps: [{stepId: s, workflowId: v, parameters: [{name: a, value: 1}, {name: a, value: 2}]}]`:                                                        `step "s": the parameter "a" stands twice`,
		`steps: [{stepId: s, operationId: tick, onSuccess: [{name: g, type: goto, workflowId: v, parameters: [{name: a, value: 1}, {name: a, value: 2}]}]}]`: `action "g": the parameter "a" stands twice`,
		`{parameters: [{name: ref, in: query, value: 1}, {name: ref, in: query, value: 2}], steps: [{stepId: s, operationId: listOrders}]}`:                  `workflow "w": the query parameter "ref" stands twice`,
	} {
		_, refusals := flowTest{flow: `
workflows:
- workflowId: w
  ` + strings.ReplaceAll(strings.Trim(workflow, "{}"), "], steps", "]\n  steps") + `
- workflowId: v
  inputs: {type: object, properties: {a: {type: integer}}}
  steps: [{stepId: s, operationId: tick}]
`}.compile(t)
		if len(refusals) != 1 || !strings.Contains(refusals[0].Message, want) {
			t.Errorf("%s: refused with %v, want %s", workflow, refusals, want)
		}
	}
}
