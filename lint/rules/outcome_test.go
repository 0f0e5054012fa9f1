package rules_test

import (
	"context"
	"testing"

	"github.com/weft-flow/weft/arazzo/source"
	"github.com/weft-flow/weft/lint"
	"github.com/weft-flow/weft/lint/rules"
)

func TestOutcomes(t *testing.T) {
	const done = "onSuccess: [{name: done, type: end}]\n"
	refund := func(fields string) string {
		return "- stepId: refund\n  operationId: refundCharge\n  parameters: [{name: chargeId, in: path, value: $inputs.orderId}]\n" + indent(fields, 2)
	}
	ship := func(fields string) string {
		return "- stepId: ship\n  operationId: createShipment\n  requestBody: {payload: {reference: $inputs.reference}}\n" + indent(fields, 2)
	}
	const findCharge = "- stepId: findCharge\n  operationId: findCharge\n  parameters: [{name: reference, in: path, value: $inputs.reference}]\n"
	for _, test := range []moneyTest{
		{name: "without", rules: "timeout-present", flow: steps("- stepId: t\n  operationId: createTransfer\n  requestBody: {payload: {reference: a, amount: b}}\n"), want: []string{"warn timeout-present"}},
		{name: "under a key", rules: "timeout-present", flow: steps("- stepId: t\n  operationId: createCharge\n  requestBody: {payload: {reference: a, amount: b}}\n")},
		{name: "of a read", rules: "timeout-present", flow: steps(find)},

		{name: "the API offers a question", rules: "timeout-requery", flow: steps(transfer("")), want: []string{"findTransfers takes a value that it sent"}},
		{name: "a step asks", rules: "timeout-requery", flow: steps(transfer(onFailure("type: goto, stepId: find")), find)},
		{name: "a step could ask and is not reached", rules: "timeout-requery", flow: steps(transfer(""), find), want: []string{`step "find" could ask`}},
		{name: "a retry under a key", rules: "timeout-requery", flow: steps(pay(onFailure(again)))},
		{name: "a retry under a key after 503 alone", rules: "timeout-requery", flow: steps(pay(onFailure(again, "$statusCode == 503"))), want: []string{"after 408, 500-502, 504-599, no response"}},
		{name: "a retry without a key", rules: "timeout-requery", flow: steps(transfer(onFailure(again))), want: []string{"warn timeout-requery"}},
		{name: "nothing to ask by", rules: "timeout-requery", flow: steps("- stepId: t\n  operationId: createTransfer\n  requestBody: {payload: $inputs.amount}\n")},
		{name: "another step first, which cannot ask", rules: "timeout-requery", flow: steps(transfer(onFailure("type: goto, stepId: other")+done), "- {stepId: other, operationId: newKey}\n"), want: []string{"warn timeout-requery"}},
		{name: "another workflow goes on", rules: "timeout-requery", flow: steps(transfer(onFailure("type: goto, workflowId: x"))), more: "  - workflowId: x\n    steps: [{stepId: s, operationId: newKey}]\n"},

		{name: "after anything", rules: "compensate-known", flow: steps(ship(onFailure("type: goto, stepId: refund")+done), refund("")), want: []string{"warn compensate-known: refundCharge undoes something"}},
		{name: "after a refusal", rules: "compensate-known", flow: steps(ship(onFailure("type: goto, stepId: refund", "$statusCode == 409")+done), refund(""))},
		{name: "after a question", rules: "compensate-known", flow: steps(ship(onFailure("type: goto, stepId: findCharge")+done), findCharge, refund(""))},
		{name: "after what the body tells", rules: "compensate-known", flow: steps(ship(onFailure("type: goto, stepId: refund", "$response.body#/error == 'NO_STOCK'")+done), refund(""))},

		{name: "nothing undoes", rules: "compensation-present", flow: steps(pay(""), ship("")), want: []string{"refundCharge would undo it"}},
		{name: "a step undoes", rules: "compensation-present", flow: steps(pay(""), ship(onFailure("type: goto, stepId: refund", "$statusCode == 409")+done), refund(""))},
		{name: "only reads follow", rules: "compensation-present", flow: steps(pay(""), findCharge)},
		{name: "nothing could undo", rules: "compensation-present", flow: steps(transfer(""), ship(""))},

		{name: "202", rules: "accepted-is-not-done", flow: steps(transfer("successCriteria: [{condition: $statusCode == 202}]\n"), ship("")), want: []string{"202 says that it was accepted"}},
		{name: "a status that may be pending", rules: "accepted-is-not-done", flow: steps(pay(""), ship("")), want: []string{"its status may be PENDING"}},
		{name: "a status that is judged", rules: "accepted-is-not-done", flow: steps(pay("successCriteria: [{condition: $response.body#/status == 'SUCCEEDED'}]\n"), ship(""))},
		{name: "a status that is asked for", rules: "accepted-is-not-done", flow: steps(pay(""), findCharge, ship(""))},
		{name: "a read of what was answered", rules: "accepted-is-not-done", flow: steps(pay("outputs: {id: $response.body#/id}\n"),
			"- stepId: read\n  operationId: getCharge\n  parameters: [{name: chargeId, in: path, value: $steps.pay.outputs.id}]\n", ship(""))},
		{name: "a status of an order that waits", rules: "accepted-is-not-done", flow: steps("- stepId: order\n  operationId: createOrder\n  requestBody: {payload: {reference: a, itemId: b}}\n", ship(""))},
		{name: "it is undone next", rules: "accepted-is-not-done", flow: steps(pay(""), refund(""))},
	} {
		t.Run(test.rules+": "+test.name, test.run)
	}
}

func TestFlow(t *testing.T) {
	const list = "- {stepId: list, operationId: listItems}\n"
	for _, test := range []moneyTest{
		{name: "behind a jump", rules: "step-reachable", flow: steps("- {stepId: a, operationId: newKey, onSuccess: [{name: j, type: goto, stepId: c}]}\n- {stepId: b, operationId: newKey}\n- {stepId: c, operationId: newKey}\n"), want: []string{`no way leads to step "b"`}},
		{name: "a helper of a retry", rules: "step-reachable", flow: steps("- {stepId: a, operationId: newKey, onSuccess: [{name: j, type: end}], onFailure: [{name: r, type: retry, stepId: b, criteria: [{condition: $statusCode == 401}]}]}\n- {stepId: b, operationId: newKey}\n")},
		{name: "after a failure that cannot be known", rules: "step-reachable", flow: steps("- {stepId: a, operationId: newKey, onSuccess: [{name: j, type: end, criteria: [{condition: $response.body#/key == 'x'}]}]}\n- {stepId: b, operationId: newKey}\n")},
		{name: "what a cancel leads to", rules: "step-reachable", flow: "x-weft-on-cancel: [{name: u, type: goto, stepId: b}]\n" + steps("- {stepId: a, operationId: newKey, onSuccess: [{name: j, type: end}]}\n- {stepId: b, operationId: newKey}\n")},

		{name: "by the step's own action", rules: "action-shadowed", flow: "failureActions: [{name: w, type: end}]\n" + steps("- {stepId: a, operationId: newKey, onFailure: [{name: mine, type: goto, stepId: a}]}\n")},
		{name: "behind a retry", rules: "action-shadowed", flow: steps("- {stepId: a, operationId: newKey, onFailure: [{name: r, type: retry}, {name: e, type: end}]}\n")},
		{name: "by a wider one", rules: "action-shadowed", flow: steps("- stepId: a\n  operationId: newKey\n  onFailure:\n    - {name: wide, type: end, criteria: [{condition: $statusCode >= 400}]}\n    - {name: narrow, type: goto, stepId: a, criteria: [{condition: $statusCode == 404}]}\n"), want: []string{`"narrow" is never taken: "wide"`}},
		{name: "by a narrower one", rules: "action-shadowed", flow: steps("- stepId: a\n  operationId: newKey\n  onFailure:\n    - {name: narrow, type: goto, stepId: a, criteria: [{condition: $statusCode == 404}]}\n    - {name: wide, type: end, criteria: [{condition: $statusCode >= 400}]}\n")},

		{name: "through two steps", rules: "poll-bounded", flow: steps(find, list+"  \n"), want: nil},
		{name: "round through another read", rules: "poll-bounded", flow: steps(find+"  outputs: {a: $response.body}\n", "- {stepId: more, operationId: newKey, onSuccess: [{name: j, type: goto, stepId: find, criteria: [{condition: $response.body#/key == 'x'}]}]}\n"), want: []string{`how often "find" is asked`}},
		{name: "paging through the workflow", rules: "poll-bounded", flow: steps("- stepId: page\n  operationId: listItems\n  parameters: [{name: page, in: query, value: $inputs.reference}]\n  outputs: {next: $response.body#/next}\n" +
			"  onSuccess: [{name: j, type: goto, workflowId: w, parameters: [{name: reference, value: $steps.page.outputs.next}], criteria: [{condition: $response.body#/next != null}]}]\n")},
		{name: "the same again through the workflow", rules: "poll-bounded", flow: steps("- stepId: page\n  operationId: newKey\n  parameters: [{name: page, in: query, value: $inputs.reference}]\n" +
			"  onSuccess: [{name: j, type: goto, workflowId: w, parameters: [{name: reference, value: $inputs.reference}], criteria: [{condition: $response.body#/key != null}]}]\n"), want: []string{"warn poll-bounded"}},
		{name: "paging", rules: "poll-bounded", flow: steps("- stepId: page\n  operationId: listItems\n  parameters: [{name: page, in: query, value: $steps.page.outputs.next}]\n  outputs: {next: $response.body#/next}\n  onSuccess: [{name: j, type: goto, stepId: page, criteria: [{condition: $response.body#/next != null}]}]\n")},
		{name: "after a failure", rules: "poll-bounded", flow: steps(find + "  onFailure: [{name: j, type: goto, stepId: find}]\n"), want: []string{"warn poll-bounded"}},

		{name: "a way out in success", rules: "goto-loop", flow: steps("- {stepId: a, operationId: newKey, onSuccess: [{name: j, type: goto, stepId: a, criteria: [{condition: $response.body#/key == 'x'}]}]}\n")},
		{name: "a way out by failing alone", rules: "goto-loop", flow: steps("- {stepId: a, operationId: newKey}\n- {stepId: b, operationId: newKey, onSuccess: [{name: j, type: goto, stepId: a}]}\n"), want: []string{"error goto-loop"}},
		{name: "a way out to another workflow", rules: "goto-loop", flow: steps("- {stepId: a, operationId: newKey, onSuccess: [{name: j, type: goto, stepId: a}], onFailure: [{name: x, type: goto, workflowId: x}]}\n"), more: "  - workflowId: x\n    steps: [{stepId: s, operationId: newKey}]\n"},

		{name: "a failure ends elsewhere", rules: "output-on-every-path", flow: steps("- {stepId: a, operationId: newKey, onFailure: [{name: e, type: end}], outputs: {key: $response.body#/key}}\n") + "outputs: {key: $steps.a.outputs.key}\n"},
		{name: "a failure goes on", rules: "output-on-every-path", flow: steps("- {stepId: a, operationId: newKey, onFailure: [{name: g, type: goto, stepId: b}], outputs: {key: $response.body#/key}}\n- {stepId: b, operationId: newKey}\n") + "outputs: {key: $steps.a.outputs.key}\n", want: []string{`without step "a"`}},
	} {
		t.Run(test.rules+": "+test.name, test.run)
	}
}

func TestHygiene(t *testing.T) {
	secret := func(name, in, value string) string {
		return "parameters: [{name: " + name + ", in: " + in + ", value: " + value + "}]\n" + steps("- {stepId: a, operationId: newKey}\n")
	}
	for _, test := range []moneyTest{
		{name: "a token", rules: "no-literal-secret", flow: secret("Authorization", "header", "Bearer 8f14e45fceea167a"), want: []string{`the value of "Authorization"`}},
		{name: "an empty name and password", rules: "no-literal-secret", flow: secret("Authorization", "header", "Basic Og==")},
		{name: "a place for a token", rules: "no-literal-secret", flow: secret("Authorization", "header", "Bearer <token>")},
		{name: "your token", rules: "no-literal-secret", flow: secret("Authorization", "header", "Bearer YOUR_TOKEN")},
		{name: "a scheme alone", rules: "no-literal-secret", flow: secret("Authorization", "header", "Bearer")},
		{name: "an input", rules: "no-literal-secret", flow: secret("Authorization", "header", "$inputs.reference")},
		{name: "a page token", rules: "no-literal-secret", flow: secret("nextPageToken", "query", "abcdef")},
		{name: "a password in a body", rules: "no-literal-secret", flow: steps("- {stepId: a, operationId: createTransfer, requestBody: {payload: {reference: a, amount: b, login: {password: correct-horse}}}}\n"), want: []string{`the value of "password"`}},
		{name: "a credential anywhere", rules: "no-literal-secret", flow: "description: use ghp_" + "abcdefghijklmnopqrstuvwxyz0123456789\n" + steps("- {stepId: a, operationId: newKey}\n"), want: []string{"looks like a credential"}},

		{name: "an access token", rules: "no-secret-output", flow: steps("- {stepId: a, operationId: newKey, outputs: {key: $response.body#/access_token}}\n") + "outputs: {key: $steps.a.outputs.key}\n", want: []string{"gives out a secret"}},
		{name: "a cookie", rules: "no-secret-output", flow: steps("- {stepId: a, operationId: newKey, outputs: {key: $response.header.Set-Cookie}}\n") + "outputs: {key: $steps.a.outputs.key}\n", want: []string{"gives out a secret"}},
		{name: "a page token is none", rules: "no-secret-output", flow: steps("- {stepId: a, operationId: newKey, outputs: {next: $response.body#/nextPageToken}}\n") + "outputs: {next: $steps.a.outputs.next}\n"},
		{name: "for another workflow", rules: "no-secret-output", flow: steps("- {stepId: a, operationId: newKey, outputs: {token: $response.body#/token}}\n") + "outputs: {token: $steps.a.outputs.token}\n",
			more: "  - workflowId: x\n    dependsOn: [w]\n    steps: [{stepId: s, operationId: newKey, parameters: [{name: Authorization, in: header, value: $workflows.w.outputs.token}]}]\n"},
	} {
		t.Run(test.rules+": "+test.name, test.run)
	}
}

// TestOrderFlowIsCleanUnderStrict holds that nothing at all is reported of the
// order flow that is shown as an example, hints counted as warnings.
func TestOrderFlowIsCleanUnderStrict(t *testing.T) {
	loader := source.NewLoader(source.Options{Offline: true})
	inputs := []lint.Input{{Path: "../../specs/orderflow/order.arazzo.yaml"}}
	result, err := lint.Run(context.Background(), inputs, lint.Options{Rules: rules.All(), Loader: loader, Config: lint.Config{Preset: lint.Strict}})
	if err != nil {
		t.Fatal(err)
	}
	if file := result.Files[0]; len(file.Diagnostics) > 0 || !file.Complete {
		t.Errorf("complete %t: %s", file.Complete, told(file.Diagnostics))
	}
}
