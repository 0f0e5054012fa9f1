package rules_test

import (
	"strings"
	"testing"
)

func TestReceiving(t *testing.T) {
	receive := func(fields string) string {
		return "- stepId: await\n  operationId: chargeChanged\n  action: receive\n" + indent(fields, 2)
	}
	const correlated = "correlationId: $inputs.reference\n"
	const findCharge = "- stepId: findCharge\n  operationId: findCharge\n  parameters: [{name: reference, in: path, value: $inputs.reference}]\n"
	callback := func(payload, fields string) string {
		return "- stepId: t\n  operationId: createTransfer\n  requestBody: {payload: " + payload + "}\n" +
			"- stepId: await\n  operationId: transferDone\n  action: receive\n" + indent(fields, 2)
	}
	for _, test := range []moneyTest{
		{name: "nothing", rules: "receive-correlated", flow: steps(receive("")), want: []string{"error receive-correlated"}},
		{name: "an id", rules: "receive-correlated", flow: steps(receive(correlated))},
		{name: "a criterion on a value of the run", rules: "receive-correlated", flow: steps(receive("successCriteria: [{condition: $message.payload#/reference == $inputs.reference}]\n")), want: []string{"its criteria judge the first message, they choose none"}},
		{name: "a criterion on a constant", rules: "receive-correlated", flow: steps(receive("successCriteria: [{condition: $message.payload#/status == 'SUCCEEDED'}]\n")), want: []string{"error receive-correlated"}},
		{name: "a callback, whose address a request names", rules: "receive-correlated", flow: steps(callback("{reference: a, amount: b, callbackUrl: $inputs.reference}", ""))},

		{name: "a status", rules: "receive-criteria", flow: steps(receive("")), want: []string{`messages have "status"`}},
		{name: "a status that actions judge", rules: "receive-criteria", flow: steps(receive("onSuccess: [{name: failed, type: goto, stepId: await, criteria: [{condition: $message.payload#/status == 'FAILED'}]}]\n"))},

		{name: "the API offers a question", rules: "receive-requery", flow: steps(pay(""), receive(correlated)), want: []string{"findCharge takes a value that it sent"}},
		{name: "a step asks", rules: "receive-requery", flow: steps(pay(""), receive(correlated+onFailure("type: goto, stepId: findCharge")+"onSuccess: [{name: done, type: end}]\n"), findCharge)},
		{name: "a step asks where a message says so, not where none comes", rules: "receive-requery", flow: steps(pay(""), receive(correlated+onFailure("type: goto, stepId: findCharge", "$message.payload#/status == 'FAILED'")+"onSuccess: [{name: done, type: end}]\n"), findCharge),
			want: []string{`step "findCharge" could ask`}},
		{name: "the API offers a question by what a text says", rules: "receive-requery", flow: steps("- stepId: t\n  operationId: createTransfer\n  requestBody: {payload: '{\"reference\": \"{$inputs.reference}\", \"amount\": \"1\"}'}\n", receive(correlated)), want: []string{"findTransfers takes a value that it sent"}},
		{name: "nothing was sent", rules: "receive-requery", flow: steps(receive(correlated))},
		{name: "a step reads it once the message is there", rules: "receive-requery", flow: steps(receive(correlated), findCharge), want: []string{`step "findCharge" could ask`}},
		{name: "a step that nothing leads to reads it", rules: "receive-requery", flow: steps(receive(correlated+"onSuccess: [{name: done, type: end}]\n"), findCharge), want: []string{`step "findCharge" could ask`}},
		{name: "a step has read it before", rules: "receive-requery", flow: steps(findCharge, receive(correlated))},
		{name: "a step reads something else by the way", rules: "receive-requery", flow: steps(receive(correlated), "- stepId: other\n  operationId: findCharge\n  parameters: [{name: reference, in: path, value: 'x-{$inputs.amount}-{$inputs.reference}'}]\n")},

		{name: "an output of the trigger", rules: "correlation-early", flow: steps(pay("outputs: {id: $response.body#/id}\n"), receive("correlationId: $steps.pay.outputs.id\n")), want: []string{"the answer of createCharge"}},
		{name: "an output of an earlier call", rules: "correlation-early", flow: steps(pay("outputs: {id: $response.body#/id}\n"), transfer(""), receive("correlationId: $steps.pay.outputs.id\n"))},
		{name: "what the trigger sent", rules: "correlation-early", flow: steps(pay("outputs: {id: $request.body#/reference}\n"), receive("correlationId: $steps.pay.outputs.id\n"))},
		{name: "an output of a read", rules: "correlation-early", flow: steps("- {stepId: k, operationId: newKey, outputs: {key: $response.body#/key}}\n", receive("correlationId: $steps.k.outputs.key\n"))},

		{name: "a place is named", rules: "correlation-inferred", flow: steps(receive(correlated + "x-weft-correlation: $message.payload#/reference\n"))},
		{name: "a member of the same name", rules: "correlation-inferred", flow: steps(receive(correlated)), want: []string{"warn correlation-inferred: nothing says where in the message the correlation id stands: $message.payload#/reference is taken"}},
		{name: "nothing of the same name", rules: "correlation-inferred", flow: steps(receive("correlationId: $inputs.orderId\n")), want: []string{"error correlation-inferred: nothing says where in the message the correlation id stands, and nothing has the same name"}},

		{name: "no address", rules: "callback-url-not-sent", flow: steps(callback("{reference: a, amount: b}", "")), want: []string{"its body has no /callbackUrl"}},
		{name: "an address of an input", rules: "callback-url-not-sent", flow: steps(callback("{reference: a, amount: b, callbackUrl: $inputs.reference}", ""))},
		{name: "an address that is fixed", rules: "callback-url-not-sent", flow: steps(callback("{reference: a, amount: b, callbackUrl: 'https://example.com/hook'}", "")), want: []string{"is a fixed address"}},
		{name: "no address in a text", rules: "callback-url-not-sent", flow: steps(callback(`'{"reference": "{$inputs.reference}", "amount": "1"}'`, "")), want: []string{"its body has no /callbackUrl"}},
		{name: "an address that is fixed in a text", rules: "callback-url-not-sent", flow: steps(callback(`'{"reference": "{$inputs.reference}", "amount": "1", "callbackUrl": "https://example.com/hook"}'`, "")), want: []string{"is a fixed address"}},
		{name: "an address of an input in a text", rules: "callback-url-not-sent", flow: steps(callback(`'{"reference": "a", "amount": "1", "callbackUrl": "{$inputs.reference}"}'`, ""))},
		{name: "a text whose members are known in the run alone", rules: "callback-url-not-sent", flow: steps(callback(`'{{$inputs.reference}}'`, ""))},
		{name: "a body that is known in the run alone", rules: "callback-url-not-sent", flow: steps(callback("$inputs.reference", ""))},
		{name: "an address by replacement", rules: "callback-url-not-sent", flow: steps("- stepId: t\n  operationId: createTransfer\n  requestBody: {payload: {reference: a, amount: b}, replacements: [{target: /callbackUrl, value: $inputs.reference}]}\n- {stepId: await, operationId: transferDone, action: receive}\n")},
		{name: "an input for the address that nothing sends", rules: "callback-url-not-sent", flow: steps(findCharge),
			more: "  - workflowId: v\n    inputs: {type: object, properties: {back: {type: string, x-weft-callback: await}}}\n" + indent(steps(receive("")), 4), want: []string{"nothing sends it"}},
		{name: "nobody makes the call", rules: "callback-url-not-sent", flow: steps("- {stepId: await, operationId: transferDone, action: receive}\n"), want: []string{"no step calls createTransfer"}},
	} {
		t.Run(test.rules+": "+test.name, test.run)
	}
}

func TestStates(t *testing.T) {
	const states = "x-weft-states:\n  initial: NEW\n  terminal: [PAID, FAILED]\n  transitions:\n    NEW: [ASKED]\n    ASKED: [PAID, FAILED]\n"
	to := func(state string) string { return "x-weft-state: " + state + "\n" }
	for _, test := range []moneyTest{
		{name: "a way through", flow: states + steps(pay(to("ASKED")), find+"  "+to("PAID"))},
		{name: "unknown", flow: states + steps(pay(to("ASKD"))), want: []string{`there is no state "ASKD"; did you mean "ASKED"?`}},
		{name: "unknown at first, which says nothing of the moves", flow: strings.Replace(states, "initial: NEW", "initial: FRESH", 1) + steps(pay(to("ASKED")), find+"  "+to("PAID")), want: []string{`no transition leaves the initial state "FRESH"`}},
		{name: "a step is left out", flow: states + steps(pay(to("PAID"))), want: []string{"the move to PAID is never made: the state here is NEW"}},
		{name: "a terminal state is left", flow: states + steps(pay(to("ASKED")), find+"  "+to("PAID"), transfer(to("ASKED"))), want: []string{"the state here is PAID, which is terminal"}},
		{name: "a transition from a terminal state", flow: states + "    PAID: [ASKED]\n" + steps(pay(to("ASKED"))), want: []string{`state "PAID" is terminal`}},
		{name: "to stay", flow: states + steps(pay(to("ASKED")), find+"  "+to("ASKED"))},
		{name: "possible on one of two ways", flow: states + steps(pay("onSuccess: [{name: j, type: goto, stepId: find, criteria: [{condition: $response.body#/status == 'PENDING'}]}]\n"), transfer(to("ASKED")), find+"  "+to("PAID"))},
		{name: "by an action", flow: states + steps(pay("onFailure: [{name: j, type: goto, stepId: find, x-weft-state: ASKED}]\nonSuccess: [{name: done, type: end}]\n"), find+"  "+to("PAID"))},
		{name: "by a value", flow: states + steps(pay("x-weft-state: {value: $response.body#/status, map: {PENDING: ASKED, SUCCEEDED: PAID}}\n"), find+"  "+to("PAID"))},
		{name: "by a value, to what is never allowed", flow: states + steps(pay("x-weft-state: {value: $response.body#/status, map: {SUCCEEDED: PAID, FAILED: FAILED}}\n")), want: []string{"the move to PAID or FAILED is never made"}},
		{name: "after a cancel", flow: states + "x-weft-on-cancel: [{name: u, type: goto, stepId: find}]\n" + steps(pay(to("ASKED")+"onSuccess: [{name: done, type: end}]\n"), find+"  "+to("FAILED"))},
		{name: "no states", flow: steps(pay(to("ASKED"))), want: []string{"neither the workflow nor the document declares x-weft-states"}},
		{name: "an initial state that nothing leaves", flow: "x-weft-states: {initial: NWE, transitions: {NEW: [ASKED]}}\n" + steps(pay("")), want: []string{`initial state "NWE"; did you mean "NEW"?`}},
	} {
		test.rules = "state-transitions"
		t.Run(test.name, test.run)
	}
}
