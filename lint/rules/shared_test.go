package rules_test

import "testing"

// TestLoopsThroughTheWorkflow holds that a workflow which begins itself anew for the
// next of many does not repeat what it did for the one before.
func TestLoopsThroughTheWorkflow(t *testing.T) {
	loop := func(payload, reference string) string {
		return steps("- stepId: read\n  operationId: listItems\n  parameters: [{name: page, in: query, value: $inputs.reference}]\n  outputs: {next: $response.body#/next}\n",
			"- stepId: send\n  operationId: createTransfer\n  requestBody: {payload: "+payload+"}\n"+
				"  onSuccess: [{name: more, type: goto, workflowId: w, parameters: [{name: reference, value: "+reference+"}], criteria: [{condition: $steps.read.outputs.next != null}]}]\n")
	}
	keyed := func(reference string) string {
		return steps("- stepId: pay\n  operationId: createCharge\n  parameters: [{name: Idempotency-Key, in: header, value: $inputs.reference}]\n" +
			"  requestBody: {payload: {reference: $inputs.reference, amount: b}}\n  outputs: {next: $response.body#/id}\n" +
			"  onSuccess: [{name: more, type: goto, workflowId: w, parameters: [{name: reference, value: " + reference + "}], criteria: [{condition: $steps.pay.outputs.next != null}]}]\n")
	}
	for _, test := range []moneyTest{
		{name: "the next key", rules: "idempotency-key-unique", flow: keyed("$steps.pay.outputs.next")},
		{name: "the same key", rules: "idempotency-key-unique", flow: keyed("$inputs.reference"), want: []string{"this runs createCharge again under the key"}},
		{name: "the next", rules: "replay-safe", flow: loop("{reference: $inputs.reference, amount: b}", "$steps.read.outputs.next")},
		{name: "the same again", rules: "replay-safe", flow: loop("{reference: $inputs.reference, amount: b}", "$inputs.reference"), want: []string{"this runs createTransfer again"}},
		{name: "the same for the next", rules: "replay-safe", flow: loop("{reference: a, amount: b}", "$steps.read.outputs.next"), want: []string{"this runs createTransfer again"}},
	} {
		t.Run(test.name, test.run)
	}
}

// TestActionsThatMayBeMeantElsewhere holds that an action of a workflow, or of the
// components, is not reported for one step where it may be meant for another.
func TestActionsThatMayBeMeantElsewhere(t *testing.T) {
	const none = "successActions: [{name: none, type: end, criteria: [{condition: $statusCode == 404}]}]\n"
	const ok = "- {stepId: list, operationId: newKey, successCriteria: [{condition: $statusCode == 200}]}\n"
	const either = "- stepId: find\n  operationId: findCharge\n  parameters: [{name: reference, in: path, value: $inputs.reference}]\n" +
		"  successCriteria: [{condition: $statusCode == 200 || $statusCode == 404}]\n"
	for _, test := range []moneyTest{
		{name: "after no step", rules: "criteria-satisfiable", flow: none + steps(ok), want: []string{"this can never hold here"}},
		{name: "after one of two", rules: "criteria-satisfiable", flow: none + steps(ok, either)},
		{name: "of the components", rules: "criteria-satisfiable", flow: steps("- {stepId: list, operationId: newKey, successCriteria: [{condition: $statusCode == 200}], onSuccess: [{reference: $components.successActions.none}]}\n"),
			more: "components: {successActions: {none: {name: none, type: end, criteria: [{condition: $statusCode == 404}]}}}\n"},
		{name: "a status of one of two", rules: "status-declared", flow: "successActions: [{name: made, type: end, criteria: [{condition: $statusCode == 201}]}]\n" + steps(pay(""), either)},
		{name: "a status of none", rules: "status-declared", flow: "successActions: [{name: made, type: end, criteria: [{condition: $statusCode == 207}]}]\n" + steps(pay(""), either),
			want: []string{"none of the operations after which this is tried describes a response 207"}},
		{name: "a value of one of two", rules: "enum-value", flow: "successActions: [{name: found, type: end, criteria: [{condition: $response.body#/status == 'SENT'}]}]\n" + steps(pay(""), ok)},
	} {
		t.Run(test.rules+": "+test.name, test.run)
	}
}
