package rules_test

import "testing"

// TestPendingLetThrough holds that to look at a status helps only where what goes on
// still is not let through.
func TestPendingLetThrough(t *testing.T) {
	jump := func(condition string) string {
		return "onSuccess: [{name: g, type: goto, stepId: ship, criteria: [{condition: " + condition + "}]}, {name: e, type: end}]\n"
	}
	ship := moneyStep("ship", "createCharge", "", "")
	begun := []string{"warn accepted-is-not-done: this runs before createTransfer is known to be done"}
	const out = "outputs: {s: $response.body#/status}\n"
	for _, test := range []moneyTest{
		{name: "what is pending alone", flow: steps(transfer(jump("$response.body#/status == 'PENDING'")), ship), want: begun},
		{name: "all but what failed", flow: steps(transfer(jump("$response.body#/status != 'FAILED'")), ship), want: begun},
		{name: "what is done alone", flow: steps(transfer(jump("$response.body#/status == 'SUCCEEDED'")), ship)},
		{name: "what another member says too", flow: steps(transfer(jump("$response.body#/status != 'FAILED' && $response.body#/id != null")), ship)},
		{name: "criteria that let it through", flow: steps(transfer("successCriteria: [{condition: $statusCode == 202 && ($response.body#/status == 'PENDING' || $response.body#/status == 'SUCCEEDED')}]\n"), ship), want: begun},
		{name: "criteria that do not", flow: steps(transfer("successCriteria: [{condition: $statusCode == 202}, {condition: $response.body#/status == 'SUCCEEDED'}]\n"), ship)},
		{name: "judged later", flow: steps(transfer(out), "- {stepId: k, operationId: newKey, onSuccess: [{name: e, type: end, criteria: [{condition: $steps.transfer.outputs.s != 'SUCCEEDED'}]}]}\n", ship)},
		{name: "not judged later", flow: steps(transfer(out), "- {stepId: k, operationId: newKey}\n", ship), want: begun},
	} {
		test.rules = "accepted-is-not-done"
		t.Run(test.name, test.run)
	}
}

// TestAskedByCaller holds that whoever calls a workflow may ask for what became of it.
func TestAskedByCaller(t *testing.T) {
	call := func(fields string) string {
		return "- stepId: c\n  workflowId: v\n  parameters: [{name: reference, value: $inputs.reference}, {name: amount, value: $inputs.amount}]\n  onSuccess: [{name: d, type: end}]\n" + indent(fields, 2)
	}
	more := "  - workflowId: v\n    inputs: {type: object, properties: {reference: {type: string}, amount: {type: string}}}\n" + indent(steps(transfer("")), 4)
	could := []string{"warn timeout-requery"}
	for _, test := range []moneyTest{
		{name: "asked", flow: steps(call("onFailure: [{name: a, type: goto, stepId: find}]\n"), find), more: more},
		{name: "asked after some failures", flow: steps(call("onFailure: [{name: a, type: goto, stepId: find, criteria: [{condition: $inputs.amount != '1'}]}]\n"), find), more: more, want: could},
		{name: "asked by nobody", flow: steps(call("")), more: more, want: could},
		{name: "called by nobody", flow: steps(find), more: more, want: could},
	} {
		test.rules = "timeout-requery"
		t.Run(test.name, test.run)
	}
}
