package rules_test

import "testing"

// TestHelpers holds what is said of retries that run a step or a workflow first, and
// of jumps to another workflow.
func TestHelpers(t *testing.T) {
	const (
		lost   = "$statusCode == null || $statusCode >= 500"
		twice  = "warn replay-safe: this runs createTransfer before each retry"
		helped = "type: retry, retryAfter: 1, retryLimit: 3, stepId: transfer"
	)
	first := "- {stepId: first, operationId: newKey, onSuccess: [{name: j, type: goto, stepId: read}]}\n"
	read := func(action string) string {
		return "- stepId: read\n  operationId: findTransfers\n  parameters: [{name: reference, in: query, value: $inputs.reference}]\n" + indent(onFailure(action, "$statusCode == 503"), 2)
	}
	other := func(text string) string {
		return "  - workflowId: v\n    inputs: {type: object, properties: {reference: {type: string}, amount: {type: string}}}\n" + indent(steps(text), 4)
	}
	const called = "type: retry, retryAfter: 1, retryLimit: 3, workflowId: v, parameters: [{name: reference, value: $inputs.reference}]"
	for _, test := range []moneyTest{
		{name: "a step", rules: "replay-safe", flow: steps(first, transfer(""), read(helped)), want: []string{twice}},
		{name: "a step that runs once", rules: "replay-safe", flow: steps(first, transfer(""), read("type: retry, retryAfter: 1, stepId: transfer"))},
		{name: "a step that has run", rules: "replay-safe", flow: steps(transfer(""), read("type: retry, retryAfter: 1, stepId: transfer")), want: []string{twice}},
		{name: "a step with a key", rules: "replay-safe", flow: steps(first, pay(""), read("type: retry, retryAfter: 1, retryLimit: 3, stepId: pay"))},
		{name: "a step that is idempotent", rules: "replay-safe", flow: steps(first, transfer("x-weft-effect: idempotent\n"), read(helped))},
		{name: "lifted", rules: "replay-safe", flow: steps(first, transfer(""), read(helped+", x-weft-unsafe-retry: true"))},
		{name: "a workflow", rules: "replay-safe", flow: steps(read(called)), more: other(transfer("")), want: []string{twice}},
		{name: "a workflow that may not", rules: "replay-safe", flow: steps(read(called)), more: other("- {stepId: k, operationId: newKey, onSuccess: [{name: d, type: end, criteria: [{condition: $response.body#/key != null}]}]}\n" + transfer(""))},
		{name: "a workflow that reads", rules: "replay-safe", flow: steps(read(called)), more: other(find)},
		{name: "a step that lets in", rules: "replay-safe", flow: steps(first, moneyStep("newToken", "createTransfer", "", ""), read("type: retry, retryAfter: 1, retryLimit: 3, stepId: newToken"))},
		{name: "a workflow that asks", rules: "retry-is-not-requery", flow: steps(transfer(onFailure(called, lost))), more: other(find), want: []string{`this runs workflow "v" and then sends createTransfer again`}},
		{name: "a workflow that asks about something else", rules: "retry-is-not-requery", flow: steps(transfer(onFailure("type: retry, retryAfter: 1, workflowId: v, parameters: [{name: reference, value: $inputs.customerId}]", lost))), more: other(find)},
		{name: "a workflow that does something", rules: "retry-is-not-requery", flow: steps(transfer(onFailure(called, lost))), more: other(find + charge(""))},
		{name: "undone in another workflow", rules: "compensate-known", flow: steps(transfer(onFailure("type: goto, workflowId: v", lost))), more: other(moneyStep("undo", "refundCharge", "parameters: [{name: chargeId, in: path, value: $inputs.reference}]", "")), want: []string{"refundCharge undoes something after"}},
		{name: "asked in another workflow", rules: "compensate-known", flow: steps(transfer(onFailure("type: goto, workflowId: v", lost))), more: other(find + moneyStep("undo", "refundCharge", "parameters: [{name: chargeId, in: path, value: $inputs.reference}]", ""))},
	} {
		t.Run(test.rules+": "+test.name, test.run)
	}
}

func TestKeysOfExtension(t *testing.T) {
	const make = "- {stepId: make, operationId: newKey, outputs: {key: $response.body#/key}}\n"
	const again = "onFailure: [{name: a, type: goto, stepId: make, criteria: [{condition: $statusCode == null || $statusCode >= 500}]}]\n"
	page := "- {stepId: page, operationId: findTransfers, parameters: [{name: reference, in: query, value: $steps.page.outputs.next}], outputs: {next: $response.body#/0/id}}\n"
	each := func(key string) string {
		return "- stepId: each\n  operationId: createCharge\n  parameters: [{name: Idempotency-Key, in: header, value: " + key + "}]\n  requestBody: {payload: {reference: $steps.page.outputs.next, amount: $inputs.amount}}\n" +
			"  onSuccess: [{name: more, type: goto, stepId: page, criteria: [{condition: $steps.page.outputs.next != null}]}]\n"
	}
	for _, test := range []moneyTest{
		{name: "of the customer", rules: "idempotency-key-unique", flow: steps(charge("x-weft-idempotency: {key: $inputs.customerId}\n")), want: []string{"warn idempotency-key-unique: the business key of createCharge is made of customerId alone"}},
		{name: "of the customer, once for a workflow", rules: "idempotency-key-unique", flow: "x-weft-idempotency: {key: $inputs.customerId}\n" + steps(charge(""), moneyStep("more", "createShipment", "", "")), want: []string{"the business key of createCharge is made of customerId alone"}},
		{name: "of the order", rules: "idempotency-key-unique", flow: steps(charge("x-weft-idempotency: {key: $inputs.orderId}\n"))},
		{name: "of the customer, and none is sent", rules: "idempotency-key-unique", flow: steps(transfer("x-weft-idempotency: {key: $inputs.customerId}\n"))},
		{name: "made by a step that runs again", rules: "key-stable", flow: steps(make, charge("x-weft-idempotency: {key: $steps.make.outputs.key}\n"+again)), want: []string{"error key-stable: the business key of createCharge changes"}},
		{name: "made by a step that runs once", rules: "key-stable", flow: steps(make, charge("x-weft-idempotency: {key: $steps.make.outputs.key}\n"))},
		{name: "one key for each page", rules: "idempotency-key-unique", flow: steps(page, each("$inputs.orderId")), want: []string{"this runs createCharge again under the key"}},
		{name: "a key of each page", rules: "idempotency-key-unique", flow: steps(page, each("$steps.page.outputs.next"))},
	} {
		t.Run(test.rules+": "+test.name, test.run)
	}
}

func TestChosenRefusals(t *testing.T) {
	for _, test := range []moneyTest{
		{name: "another criterion", flow: steps(transfer(onFailure(again, "$response.header.Server != null", "$statusCode == 401"))), want: []string{"is sent again after 401"}},
		{name: "what a body says of it", flow: steps(transfer(onFailure(again, "$response.body#/title == 'x'", "$statusCode == 403"))), want: []string{"is sent again after 403"}},
		{name: "what a body says of any refusal", flow: steps(transfer(onFailure(again, "$response.body#/title == 'x'", "$statusCode >= 400")))},
		{name: "when to come again", flow: steps(transfer(onFailure(again, "$response.header.Retry-After != null", "$statusCode == 403")))},
		{name: "a limit of the rate", flow: steps(transfer(onFailure(again, "$response.body#/code == 'rate_limited'", "$statusCode == 400")))},
		{name: "with a helper", flow: steps(find, transfer(onFailure(again+", stepId: find", "$response.header.Server != null", "$statusCode == 401")))},
	} {
		test.rules = "retry-transient-only"
		t.Run(test.name, test.run)
	}
}

func TestAskedAfterNoMessage(t *testing.T) {
	receive := func(fields string) string {
		return "- stepId: await\n  operationId: chargeChanged\n  action: receive\n  correlationId: $inputs.reference\n  onSuccess: [{name: d, type: end}]\n" + indent(fields, 2)
	}
	const ask = "- stepId: ask\n  operationId: findCharge\n  parameters: [{name: reference, in: path, value: $inputs.reference}]\n"
	want := []string{`step "ask" could ask`}
	for _, test := range []moneyTest{
		{name: "asked after any failure", flow: steps(receive(onFailure("type: goto, stepId: ask")), ask)},
		{name: "asked after a message alone", flow: steps(receive(onFailure("type: goto, stepId: ask", "$message.payload != null")), ask), want: want},
		{name: "said to ask", flow: steps(receive(onFailure("type: goto, stepId: ask", "$message.payload#/status == 'FAILED'")), ask+"  x-weft-requery-of: await\n"), want: want},
		{name: "read before", flow: steps(ask, receive(""))},
	} {
		test.rules = "receive-requery"
		t.Run(test.name, test.run)
	}
}
