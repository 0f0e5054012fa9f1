package rules_test

import (
	"strings"
	"testing"
)

const refKey = "parameters: [{name: Idempotency-Key, in: header, value: $inputs.reference}]"

// called writes a workflow that makes a charge under its input, to be called; its
// step has further fields.
func called(id, key, fields string) string {
	return "  - workflowId: " + id + "\n    inputs: {type: object, properties: {key: {type: string}, amount: {type: string}}}\n    steps:\n" +
		"      - stepId: s\n        operationId: createCharge\n        timeout: 5000\n        parameters: [{name: Idempotency-Key, in: header, value: " + key + "}]\n" +
		"        requestBody: {payload: {reference: $inputs.key, amount: $inputs.amount}}\n" + indent(fields, 8)
}

// call writes a step that calls a workflow with a key.
func call(id, workflow, key, fields string) string {
	return "- stepId: " + id + "\n  workflowId: " + workflow + "\n  parameters: [{name: key, value: " + key + "}, {name: amount, value: $inputs.amount}]\n" + indent(fields, 2)
}

func TestKeyOnce(t *testing.T) {
	const (
		again  = `warn idempotency-key-unique: step "b" does createCharge`
		done   = "onSuccess: [{name: done, type: end}]\n"
		toB    = "onFailure: [{name: again, type: goto, stepId: b}]\n"
		toFind = "onFailure: [{name: ask, type: goto, stepId: find}]\n"
		ask    = "- stepId: find\n  operationId: findCharge\n  parameters: [{name: reference, in: path, value: $inputs.reference}]\n"
	)
	first := func(fields string) string { return moneyStep("a", "createCharge", refKey, fields) }
	second := func(fields string) string { return moneyStep("b", "createCharge", refKey, fields) }
	shared := refKey + "\n"
	for _, test := range []moneyTest{
		{name: "after other steps", flow: steps(first(""), "- {stepId: m, operationId: newKey}\n", second("")), want: []string{again}},
		{name: "by a jump after success", flow: steps(first("onSuccess: [{name: on, type: goto, stepId: b}]\n"), second("")), want: []string{again}},
		{name: "after a success that the body tells", flow: steps(first("successCriteria: [{condition: \"$response.body#/status == 'SUCCEEDED'\"}]\n"), second("")), want: []string{again}},
		{name: "after a failure it goes on with the first", flow: steps(first(toB+done), second(""))},
		{name: "after a question", flow: steps(first(toFind+done), ask, second(""))},
		{name: "after a question on success", flow: steps(first(""), ask+"  onFailure: [{name: again, type: goto, stepId: b}]\n  onSuccess: [{name: done, type: end}]\n", second(""))},
		{name: "where the body says so", flow: steps(first("onSuccess: [{name: again, type: goto, stepId: b, criteria: [{condition: \"$response.body#/status == 'PENDING'\"}]}, {name: done, type: end}]\n"), second(""))},
		{name: "where the body does not say that it is done", flow: steps(first("onSuccess: [{name: done, type: end, criteria: [{condition: \"$response.body#/status == 'SUCCEEDED'\"}]}]\n"), second(""))},
		{name: "it asks by doing the same", flow: steps(first(""), second("x-weft-requery-of: a\n"))},
		{name: "it only reads", flow: steps(first(""), second("x-weft-effect: read\n"))},
		{name: "a key that is made anew between",
			flow: steps("- {stepId: k, operationId: newKey, outputs: {key: $response.body#/key}}\n", strings.ReplaceAll(first(""), "$inputs.reference}]", "$steps.k.outputs.key}]"),
				"- {stepId: j, operationId: newKey, onSuccess: [{name: back, type: goto, stepId: k}]}\n", strings.ReplaceAll(second(""), "$inputs.reference}]", "$steps.k.outputs.key}]"))},

		{name: "the workflow's, for two", flow: shared + steps(moneyStep("a", "createCharge", "", ""), moneyStep("s", "createShipment", "", "")), want: []string{"createShipment bears the same key as createCharge"}},
		{name: "the workflow's, for three, is told once", flow: shared + steps(moneyStep("a", "createCharge", "", ""), moneyStep("s", "createShipment", "", ""), moneyStep("b", "createCharge", "", "")), want: []string{"createShipment bears the same key"}},
		{name: "the workflow's, for one and reads", flow: shared + steps(moneyStep("a", "createCharge", "", ""), ask)},
		{name: "the workflow's and constant is told once", flow: strings.ReplaceAll(shared, "$inputs.reference", "k1") + steps(moneyStep("a", "createCharge", "", ""), moneyStep("s", "createShipment", "", "")), want: []string{"error idempotency-key-unique: the key of createCharge is the same in every run"}},

		{name: "handed to a workflow twice", flow: steps(call("a", "x", "$inputs.reference", ""), call("b", "x", "$inputs.reference", "")), more: called("x", "$inputs.key", ""), want: []string{again + ` in workflow "x" again under the key of step "a"`}},
		{name: "handed on in other words", flow: steps(call("a", "x", "$inputs.reference", ""), call("b", "x", "'{$inputs.reference}'", "")), more: called("x", "'c-{$inputs.key}'", ""), want: []string{again}},
		{name: "two that are handed", flow: steps(call("a", "x", "'1-{$inputs.reference}'", ""), call("b", "x", "'2-{$inputs.reference}'", "")), more: called("x", "$inputs.key", "")},
		{name: "handed to two workflows, which put something before it", flow: steps(call("a", "x", "$inputs.reference", ""), call("b", "y", "$inputs.reference", "")), more: called("x", "'x-{$inputs.key}'", "") + called("y", "'y-{$inputs.key}'", "")},
		{name: "handed to a workflow, and the step's own", flow: steps(first(""), call("b", "x", "$inputs.reference", "")), more: called("x", "$inputs.key", ""), want: []string{again}},
		{name: "handed again after a failure", flow: steps(call("a", "x", "$inputs.reference", toB+done), call("b", "x", "$inputs.reference", "")), more: called("x", "$inputs.key", "")},
		{name: "to a workflow that looks first",
			flow: steps(call("a", "x", "$inputs.reference", ""), call("b", "x", "$inputs.reference", "")),
			more: strings.Replace(called("x", "$inputs.key", ""), "    steps:\n", "    steps:\n      - {stepId: look, operationId: findCharge, parameters: [{name: reference, in: path, value: $inputs.key}], onSuccess: [{name: there, type: end}], onFailure: [{name: make, type: goto, stepId: s}]}\n", 1)},
		{name: "through two workflows", flow: steps(call("a", "y", "$inputs.reference", ""), call("b", "x", "$inputs.reference", "")),
			more: called("x", "$inputs.key", "") + "  - workflowId: y\n    inputs: {type: object, properties: {key: {type: string}, amount: {type: string}}}\n    steps:\n" + indent(call("c", "x", "$inputs.key", ""), 6),
			want: []string{again}},
		{name: "a constant that is handed", flow: steps(call("a", "x", "order-1", "")), more: called("x", "'c-{$inputs.key}'", ""), want: []string{`error idempotency-key-unique: the key of createCharge in workflow "x" is the same in every run`}},
		{name: "a constant business key that is handed", flow: steps(call("a", "x", "order-1", "")),
			more: strings.Replace(strings.Replace(called("x", "x", ""), "Idempotency-Key", "X-Other", 1), "    steps:", "    x-weft-idempotency: {key: $inputs.key}\n    steps:", 1), want: []string{"the business key of createCharge in workflow"}},
		{name: "a constant beside what tells apart", flow: steps(call("a", "x", "k", "")), more: strings.Replace(called("x", "'{$inputs.key}-{$inputs.amount}'", ""), "", "", 1)},
		{name: "a workflow that calls itself", flow: steps("- {stepId: self, workflowId: w}\n", first(""))},

		{name: "back to itself", flow: steps(first("onSuccess: [{name: more, type: goto, stepId: a, criteria: [{condition: $response.body#/hasMore == true}]}]\n")), want: []string{"this runs createCharge again under the key"}},
		{name: "back from a later step", flow: steps(first(""), "- {stepId: n, operationId: newKey, onSuccess: [{name: more, type: goto, stepId: a, criteria: [{condition: $response.body#/key != null}]}]}\n"), want: []string{"this runs createCharge again under the key"}},
		{name: "back to a call", flow: steps(call("a", "x", "$inputs.reference", "onSuccess: [{name: more, type: goto, stepId: a, criteria: [{condition: \"$inputs.amount == '1'\"}]}]\n")), more: called("x", "$inputs.key", ""), want: []string{`this runs createCharge in workflow "x" again`}},
		{name: "back until it is done", flow: steps(first("onSuccess: [{name: more, type: goto, stepId: a, criteria: [{condition: \"$response.body#/status == 'PENDING'\"}]}]\n"))},
		{name: "back after a failure", flow: steps(first(""), "- {stepId: n, operationId: newKey, onFailure: [{name: back, type: goto, stepId: a}]}\n")},
		{name: "back by a question", flow: steps(first(""), ask+"  onSuccess: [{name: back, type: goto, stepId: a}]\n")},
		{name: "back with a key for each round",
			flow: steps("- {stepId: k, operationId: newKey, outputs: {key: $response.body#/key}}\n", strings.ReplaceAll(first("onSuccess: [{name: more, type: goto, stepId: k, criteria: [{condition: $response.body#/hasMore == true}]}]\n"), "$inputs.reference}]", "$steps.k.outputs.key}]"))},
	} {
		test.rules = "idempotency-key-unique"
		t.Run(test.name, test.run)
	}
}

func TestKeyStableInWorkflows(t *testing.T) {
	const make = "- stepId: make\n  operationId: newKey\n  outputs: {key: $response.body#/key}\n"
	made := strings.Replace(called("x", "$steps.make.outputs.key", ""), "    steps:\n", "    steps:\n"+indent(make, 6), 1)
	const retry = "onFailure: [{name: a, type: retry, retryAfter: 1, retryLimit: 3}]\n"
	for _, test := range []moneyTest{
		{name: "made in a workflow that is retried", flow: steps(call("a", "x", "k", retry)), more: made, want: []string{`error key-stable: the key of createCharge in workflow "x" changes between attempts: it is made in workflow "x"`}},
		{name: "made in a workflow to which a jump goes back", flow: steps(call("a", "x", "k", "onFailure: [{name: a, type: goto, stepId: a}]\n")), more: made, want: []string{"error key-stable"}},
		{name: "made in a workflow that is run once", flow: steps(call("a", "x", "k", "")), more: made},
		{name: "made by a step that the caller runs again", flow: steps(make, call("a", "x", "$steps.make.outputs.key", "onFailure: [{name: a, type: retry, stepId: make}]\n")), more: called("x", "$inputs.key", ""), want: []string{`it is made by step "make", which runs again`}},
		{name: "made before a call that is retried", flow: steps(make, call("a", "x", "$steps.make.outputs.key", retry)), more: called("x", "$inputs.key", "")},
		{name: "read by what names it", flow: steps(call("a", "x", "k", retry)),
			more: strings.Replace(called("x", "$steps.read.outputs.id", ""), "    steps:\n", "    steps:\n      - {stepId: read, operationId: findCharge, parameters: [{name: reference, in: path, value: $inputs.key}], outputs: {id: $response.body#/id}}\n", 1)},
		{name: "handed to a workflow that fails after a refusal alone", flow: steps(make, call("a", "x", "$steps.make.outputs.key", "onFailure: [{name: a, type: goto, stepId: make}]\n")),
			more: called("x", "$inputs.key", "onFailure: [{name: ask, type: goto, stepId: f, criteria: [{condition: $statusCode == null || $statusCode == 408 || $statusCode >= 500}]}]\nonSuccess: [{name: d, type: end}]\n") +
				"      - {stepId: f, operationId: findCharge, parameters: [{name: reference, in: path, value: $inputs.key}]}\n"},
	} {
		test.rules = "key-stable"
		t.Run(test.name, test.run)
	}
}

func TestRetrySafeFurther(t *testing.T) {
	const (
		end  = "onSuccess: [{name: d, type: end}]\n"
		lost = "onFailure: [{name: ask, type: goto, stepId: find, criteria: [{condition: $statusCode == null || $statusCode >= 500}]}]\n"
		wait = "- {stepId: wait, operationId: newKey, onSuccess: [{name: send, type: goto, stepId: transfer}]}\n"
		free = "- {stepId: wait, operationId: newKey}\n"
	)
	notSafe := []string{"error retry-safe"}
	found := func(fields string) string { return find + indent(fields, 2) }
	criteria := func(all ...string) string {
		return "successCriteria: [{condition: \"" + strings.Join(all, "\"}, {condition: \"") + "\"}]\n"
	}
	back := func(fields string) string { return "- {stepId: n, operationId: newKey, " + fields + "}\n" }
	for _, test := range []moneyTest{
		{name: "a success whose answer does not suffice", flow: steps(transfer(criteria("$statusCode == 202", "$response.body#/status == 'SUCCEEDED'") + onFailure(again, "$statusCode == 202"))), want: []string{"error retry-safe: createTransfer is sent again after 202, when it was done"}},
		{name: "a success whose answer is looked into", flow: steps(transfer(criteria("$response.body#/status == 'SUCCEEDED'") + onFailure(again, "$response.body#/status == 'PENDING'"))), want: []string{"after 202, when it was done"}},
		{name: "a success that is expected, and a refusal", flow: steps(transfer(criteria("$statusCode == 202") + onFailure(again, "$statusCode == 429")))},
		{name: "a success that the API does not have", flow: steps(transfer(criteria("$statusCode == 202") + onFailure(again, "$statusCode < 300")))},
		{name: "a success under a key", flow: steps(pay(criteria("$response.body#/status == 'SUCCEEDED'") + onFailure(again, "$statusCode == 201")))},
		{name: "a success under a key by Weft alone", flow: steps(charge(criteria("$response.body#/status == 'SUCCEEDED'") + onFailure(again, "$statusCode == 201"))), want: []string{"warn retry-safe"}},
		{name: "a success, lifted", flow: steps(transfer(criteria("$response.body#/status == 'SUCCEEDED'") + onFailure(again+", x-weft-unsafe-retry: true", "$statusCode == 202")))},

		{name: "504 let through, and back", flow: steps(transfer(criteria("$statusCode == 202 || $statusCode == 504")), back("onFailure: [{name: redo, type: goto, stepId: transfer}]")), want: []string{"createTransfer is run again by this jump after 504"}},
		{name: "504 let through, and back by way of another", flow: steps(transfer(criteria("$statusCode < 600")), free, back("onSuccess: [{name: redo, type: goto, stepId: transfer}]")), want: notSafe},
		{name: "504 let through, and asked", flow: steps(transfer(criteria("$statusCode == 202 || $statusCode == 504")), found("onFailure: [{name: redo, type: goto, stepId: transfer, criteria: [{condition: $statusCode == 404}]}]\n"))},
		{name: "504 let through, and back where the answer says so", flow: steps(transfer(criteria("$statusCode == 202 || $statusCode == 504")+"outputs: {id: $response.body#/id}\n"), back("onSuccess: [{name: redo, type: goto, stepId: transfer, criteria: [{condition: $steps.transfer.outputs.id == null}]}]"))},
		{name: "a refusal let through, and back", flow: steps(transfer(criteria("$statusCode == 202 || $statusCode == 429")), back("onFailure: [{name: redo, type: goto, stepId: transfer}]"))},

		{name: "back by a detour whatever was found", flow: steps(transfer(lost+end), found("onSuccess: [{name: w, type: goto, stepId: wait}]\n"), wait), want: notSafe},
		{name: "back by a detour without an answer", flow: steps(transfer(lost+end), found("onSuccess: [{name: d, type: end}]\nonFailure: [{name: w, type: goto, stepId: wait, criteria: [{condition: $statusCode == null || $statusCode >= 500}]}]\n"), wait), want: notSafe},
		{name: "back by a detour when nothing was found", flow: steps(transfer(lost+end), found("onSuccess: [{name: d, type: end}]\nonFailure: [{name: w, type: goto, stepId: wait, criteria: [{condition: $statusCode == 404}]}]\n"), wait)},
		{name: "back by a detour when the answer says so", flow: steps(transfer(lost+end), found("onSuccess: [{name: d, type: end, criteria: [{condition: $response.body#/0 != null}]}]\n"), wait)},
		{name: "back by a detour that decides", flow: steps(transfer(lost+end), found("outputs: {first: $response.body#/0}\n"), "- {stepId: wait, operationId: newKey, onSuccess: [{name: send, type: goto, stepId: transfer, criteria: [{condition: $steps.find.outputs.first == null}]}]}\n")},
		{name: "on to the step whatever was found", flow: steps(found(""), transfer(lost)), want: notSafe},
		{name: "on to the step by way of another whatever was found", flow: steps(found(""), free, transfer(lost)), want: notSafe},
		{name: "on to the step where nothing was found", flow: steps(found(criteria("$statusCode == 404")+"onFailure: [{name: d, type: end}]\n"), transfer(lost))},
		{name: "back where nothing was found is the success", flow: steps(transfer(lost+end), found(criteria("$statusCode == 404")+"onSuccess: [{name: b, type: goto, stepId: transfer}]\n"))},

		{name: "a workflow in a workflow that is run again", flow: steps("- {stepId: c, workflowId: x, onFailure: [{name: a, " + again + "}]}\n"), want: notSafe,
			more: "  - workflowId: x\n    steps: [{stepId: i, workflowId: y}]\n  - workflowId: y\n    steps:\n      - {stepId: s, operationId: createTransfer, requestBody: {payload: {reference: a, amount: b}}}\n"},
		{name: "a workflow to which a detour goes back", flow: steps("- {stepId: c, workflowId: x, onFailure: [{name: a, type: goto, stepId: e}], onSuccess: [{name: d, type: end}]}\n- {stepId: e, operationId: createShipment, requestBody: {payload: {}}, onSuccess: [{name: b, type: goto, stepId: c}]}\n"), want: notSafe,
			more: "  - workflowId: x\n    steps:\n      - {stepId: s, operationId: createTransfer, requestBody: {payload: {reference: a, amount: b}}}\n"},
		{name: "a workflow to which a look goes back", flow: steps("- {stepId: c, workflowId: x, onFailure: [{name: a, type: goto, stepId: find}], onSuccess: [{name: d, type: end}]}\n", found("onSuccess: [{name: b, type: goto, stepId: c}]\n")),
			more: "  - workflowId: x\n    steps:\n      - {stepId: s, operationId: createTransfer, requestBody: {payload: {reference: a, amount: b}}}\n"},
	} {
		test.rules = "retry-safe"
		t.Run(test.name, test.run)
	}
}
