package executor_test

import (
	"strings"
	"testing"
)

// TestANameThatLeadsNowhereIsRefused wherever it stands, with what may have been meant.
func TestANameThatLeadsNowhereIsRefused(t *testing.T) {
	const closed = "{type: object, properties: {amount: {}}, additionalProperties: false}"
	tests := []struct{ name, step, inputs, more, want string }{
		{name: "a step in a parameter", step: "parameters: [{name: ref, in: query, value: $steps.ordre.outputs.id}]",
			want: `$steps.ordre.outputs.id leads nowhere: workflow "w" has no step "ordre"; did you mean "order"?`},
		{name: "an output in a payload", step: "requestBody: {contentType: application/json, payload: {l: [{v: $steps.order.outputs.idd}]}}",
			want: `step "order" declares no output "idd"; did you mean "id"?`},
		{name: "an output in text", step: "requestBody: {contentType: text/plain, payload: 'v {$steps.order.outputs.none}'}",
			want: `step "order" declares no output "none"; it has "id"`},
		{name: "in a replacement", step: "requestBody: {contentType: application/json, payload: {a: 1}, replacements: [{target: /a, value: $steps.zz.outputs.id}]}",
			want: `has no step "zz"`},
		{name: "in a condition", step: "successCriteria: [{condition: $statusCode == 200 || $steps.zz.outputs.id == 1}]", want: `has no step "zz"`},
		{name: "in a context", step: "successCriteria: [{context: $steps.zz.outputs.id, type: regex, condition: x}]", want: `has no step "zz"`},
		{name: "in an action", step: "onFailure: [{name: r, type: retry, criteria: [{condition: $steps.zz.outputs.v == null}]}]", want: `has no step "zz"`},
		{name: "in what a goto hands on", step: "onSuccess: [{name: g, type: goto, workflowId: v, parameters: [{name: p, value: $steps.zz.outputs.v}]}]", want: `has no step "zz"`},
		{name: "in an output", step: "outputs: {x: $steps.zz.outputs.v}", want: `has no step "zz"`},
		{name: "in a selector", step: "outputs: {x: {context: $steps.zz.outputs.v, selector: /a, type: jsonpointer}}", want: `has no step "zz"`},
		{name: "in what the workflow gives to all", more: "  parameters: [{name: ref, in: query, value: $steps.zz.outputs.v}]\n", want: `has no step "zz"`},
		{name: "in an action of the workflow", more: "  failureActions: [{name: e, type: end, criteria: [{condition: $steps.zz.outputs.v == 1}]}]\n", want: `has no step "zz"`},
		{name: "in an output of the workflow", more: "  outputs: {o: $steps.zz.outputs.v}\n", want: `has no step "zz"`},
		{name: "a workflow", step: "outputs: {x: $workflows.u.outputs.v}", want: `$workflows.u.outputs.v leads nowhere: the document has no workflow "u"; it has "w" and "v"`},
		{name: "an output of a workflow", step: "outputs: {x: $workflows.v.outputs.nope}", want: `workflow "v" declares no output "nope"; it has "o"`},
		{name: "a source", step: "outputs: {x: $sourceDescriptions.none.url}", want: `the document has no source "none"; it has "shop"`},
		{name: "an output of what is called", step: "CALL outputs: {x: $outputs.nope}", want: `workflow "v" declares no output "nope"; it has "o"`},
		{name: "an output where nothing is called", step: "outputs: {x: $outputs.nope}", want: `step "s" calls no workflow that has an output "nope"`},
		{name: "an input of a closed schema", inputs: closed, step: "outputs: {x: $inputs.amuont}",
			want: `the schema of workflow "w" takes no input "amuont"; did you mean "amount"?`},
		{name: "an input of a schema that is closed elsewhere", inputs: "{allOf: [{properties: {amount: {}}}], unevaluatedProperties: false}",
			step: "outputs: {x: $inputs.amuont}", want: `takes no input "amuont"`},
		{name: "an input of another workflow", step: "outputs: {x: $workflows.v.inputs.q}", want: `the schema of workflow "v" takes no input "q"; it has "p"`},

		{name: "an input that may be given", inputs: "{type: object, properties: {amount: {}}}", step: "outputs: {x: $inputs.amuont}"},
		{name: "an input by a pattern", inputs: "{patternProperties: {^a: {}}, additionalProperties: false}", step: "outputs: {x: $inputs.amuont}"},
		{name: "an input of one of several", inputs: "{anyOf: [{properties: {a: {}}, additionalProperties: false}, {}]}", step: "outputs: {x: $inputs.b}"},
		{name: "an input that a part knows", inputs: "{anyOf: [{properties: {b: {}}}, {}], unevaluatedProperties: false}", step: "outputs: {x: $inputs.b}"},
		{name: "an input of a workflow without a schema", step: "outputs: {x: $inputs.any}"},
		{name: "names with odd characters", step: "outputs: {x: '$steps.a b.c.outputs.o.p', y: $steps.order.outputs.id.more}"},
		{name: "a step that has not run", step: "outputs: {x: $workflows.v.outputs.o, y: $steps.never.outputs.x}"},
		{name: "an output of what is called that is there", step: "CALL outputs: {x: $outputs.o}"},
		{name: "what an invalid condition would name", step: "successCriteria: [{condition: '$steps.zz.outputs.v =='}]"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			calls := "operationId: createOrder"
			if rest, ok := strings.CutPrefix(test.step, "CALL "); ok {
				calls, test.step = "workflowId: v", rest
			}
			if test.step != "" {
				calls += ", " + test.step
			}
			if test.inputs != "" {
				test.more += "  inputs: " + test.inputs + "\n"
			}
			flow := `
workflows:
- workflowId: w
` + test.more + `  steps:
  - {stepId: order, operationId: tick, outputs: {id: $response.body#/id}}
  - {stepId: a b.c, operationId: tick, outputs: {o.p: $response.body}, onSuccess: [{name: on, type: goto, stepId: s}]}
  - {stepId: never, operationId: tick, outputs: {x: $response.body}}
  - {stepId: s, ` + calls + `}
- workflowId: v
  inputs: {type: object, properties: {p: {}}, additionalProperties: false}
  steps: [{stepId: s, operationId: tick}]
  outputs: {o: $inputs.p}
`
			_, refusals := (flowTest{flow: flow, ids: []string{"w"}}).compile(t)
			switch {
			case test.want == "" && len(refusals) > 0:
				t.Errorf("refused: %v", refusals)
			case test.want != "" && (len(refusals) != 1 || !strings.Contains(refusals[0].Message, test.want)):
				t.Errorf("refused with %v, want %s", refusals, test.want)
			case test.want != "" && refusals[0].Place.Span.Start.Line == 0:
				t.Error("without its place")
			}
		})
	}
}

// TestWhatNobodyAskedForMayLeadNowhere: only the workflows that are to be run count.
func TestWhatNobodyAskedForMayLeadNowhere(t *testing.T) {
	const flow = `
workflows:
- {workflowId: w, steps: [{stepId: s, operationId: tick}]}
- {workflowId: v, steps: [{stepId: s, operationId: tick, outputs: {x: $steps.zz.outputs.a}}]}
`
	if _, refusals := (flowTest{flow: flow, ids: []string{"w"}}).compile(t); refusals != nil {
		t.Errorf("refused: %v", refusals)
	}
	if got := refusalsOf(t, flowTest{flow: flow}); !strings.Contains(got, "leads nowhere") {
		t.Error(got)
	}
}
