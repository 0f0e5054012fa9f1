package rules_test

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/weft-flow/weft/arazzo/source"
	"github.com/weft-flow/weft/idempotency"
	"github.com/weft-flow/weft/lint"
	"github.com/weft-flow/weft/lint/rules"
)

// moneyTest is a workflow on testdata/money.openapi.yaml and what some rules
// report of it.
type moneyTest struct {
	name  string
	rules string // their names, separated by spaces
	flow  string // the fields of the workflow but its id and inputs
	more  string // further workflows and what follows them
	want  []string
	apis  map[string]lint.API
}

const moneyHead = `arazzo: 1.1.0
info: {title: Money, version: 1.0.0}
sourceDescriptions:
  - {name: money, url: money.openapi.yaml, type: openapi}
  - {name: shop, url: shop.openapi.yaml, type: openapi}
workflows:
  - workflowId: w
    inputs:
      type: object
      properties:
        reference: {type: string}
        amount: {type: string}
        customerId: {type: string}
        orderId: {type: string}
`

func (test moneyTest) run(t *testing.T) {
	t.Helper()
	text := moneyHead + indent(test.flow, 4) + test.more
	loader := source.NewLoader(source.Options{Offline: true})
	input := lint.Input{Path: filepath.Join("testdata", "case.arazzo.yaml"), Data: []byte(text)}
	result, err := lint.Run(context.Background(), []lint.Input{input}, lint.Options{Rules: rules.All(), Loader: loader, Config: lint.Config{APIs: test.apis}})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, d := range result.Files[0].Diagnostics {
		switch {
		case slices.Contains(strings.Fields(test.rules), d.Rule):
			got = append(got, fmt.Sprintf("%s %s: %s", d.Severity, d.Rule, d.Message))
		case d.Layer == lint.Schema && d.Severity == lint.Error || strings.HasSuffix(d.Rule, "-exists"):
			t.Fatalf("the test itself is at fault: %s\n%s", d.Message, text)
		}
	}
	if len(got) != len(test.want) {
		t.Fatalf("got %s\nin\n%s", cmp.Diff(test.want, got), text)
	}
	for i, want := range test.want {
		if !strings.Contains(got[i], want) {
			t.Errorf("got  %s\nwant %s", got[i], want)
		}
	}
}

// transfer is a step that is unsafe to repeat, charge one for which Weft makes a
// key, pay one that writes its key; each with further fields.
func transfer(fields string) string { return moneyStep("transfer", "createTransfer", "", fields) }

func charge(fields string) string { return moneyStep("charge", "createCharge", "", fields) }

func pay(fields string) string {
	return moneyStep("pay", "createCharge", "parameters: [{name: Idempotency-Key, in: header, value: 'pay-{$inputs.reference}'}]", fields)
}

func moneyStep(id, operation, parameters, fields string) string {
	step := "- stepId: " + id + "\n  operationId: " + operation + "\n  timeout: 5000\n"
	if parameters != "" {
		step += "  " + parameters + "\n"
	}
	return step + "  requestBody: {payload: {reference: $inputs.reference, amount: $inputs.amount}}\n" + indent(fields, 2)
}

const find = `- stepId: find
  operationId: findTransfers
  parameters: [{name: reference, in: query, value: $inputs.reference}]
`

func steps(all ...string) string { return "steps:\n" + indent(strings.Join(all, ""), 2) }

// onFailure writes the only action after a failure.
func onFailure(action string, criteria ...string) string {
	if len(criteria) > 0 {
		action += ", criteria: [{condition: \"" + strings.Join(criteria, "\"}, {condition: \"") + "\"}]"
	}
	return "onFailure: [{name: a, " + action + "}]\n"
}

const again = "type: retry, retryAfter: 1, retryLimit: 3"

func TestRetrySafe(t *testing.T) {
	notSafe := []string{"error retry-safe"}
	byWeft := []string{"warn retry-safe"}
	for _, test := range []moneyTest{
		{name: "after a refusal to come later", flow: steps(transfer(onFailure(again, "$statusCode == 429")))},
		{name: "after 409", flow: steps(transfer(onFailure(again, "$statusCode == 409")))},
		{name: "after 503", flow: steps(transfer(onFailure(again, "$statusCode == 503"))), want: notSafe},
		{name: "after 503 that says when to come", flow: steps(transfer(onFailure(again, "$statusCode == 503 && $response.header.Retry-After != null")))},
		{name: "after 503 that says when to come, in two criteria", flow: steps(transfer(onFailure(again, "$statusCode == 503", "$response.header.retry-after != null")))},
		{name: "after 503 that does not say when to come", flow: steps(transfer(onFailure(again, "$statusCode == 503 && $response.header.Retry-After == null"))), want: notSafe},
		{name: "after 503 or later for sure", flow: steps(transfer(onFailure(again, "$statusCode == 429 || ($statusCode == 503 && $response.header.Retry-After != null)")))},
		{name: "without criteria", flow: steps(transfer(onFailure(again))), want: notSafe},
		{name: "without a response", flow: steps(transfer(onFailure(again, "$statusCode == null"))), want: []string{"after no response"}},
		{name: "what a body says", flow: steps(transfer(onFailure(again, "$response.body#/code == 'BUSY'")))},
		{name: "what a body does not say, and a missing one neither", flow: steps(transfer(onFailure(again, "$response.body#/code != 'FATAL'"))), want: notSafe},
		{name: "a status and a body", flow: steps(transfer(onFailure(again, "$statusCode == 500 && $response.body#/code == 'BUSY'"))), want: notSafe},
		{name: "never", flow: steps(transfer(onFailure("type: retry, retryLimit: 0")))},
		{name: "lifted", flow: steps(transfer(onFailure(again + ", x-weft-unsafe-retry: true")))},
		{name: "a call that reads", flow: steps(transfer("x-weft-effect: read\n" + onFailure(again)))},
		{name: "a call that is idempotent", flow: steps(transfer("x-weft-effect: idempotent\n" + onFailure(again)))},
		{name: "a call that is idempotent by configuration", flow: steps(transfer(onFailure(again))),
			apis: map[string]lint.API{"money": {Effects: map[string]string{"createTransfer": "idempotent"}}}},
		{name: "a key that the step names", flow: steps(transfer("x-weft-idempotency: {header: X-Once}\n" + onFailure(again)))},
		{name: "a key that a profile names", flow: steps(transfer(onFailure(again))),
			apis: map[string]lint.API{"money": {Profile: &idempotency.Profile{Dialect: idempotency.Plain("X-Once")}}}},
		{name: "a key that the API does not know", want: []string{"which the API does not declare"},
			flow: steps(moneyStep("transfer", "createTransfer", "parameters: [{name: Idempotency-Key, in: header, value: $inputs.reference}]", onFailure(again)))},
		{name: "a key that is written", flow: steps(pay(onFailure(again)))},
		{name: "back when nothing was found", flow: steps(transfer(onFailure("type: goto, stepId: find", "$statusCode == null || $statusCode >= 500")+"onSuccess: [{name: d, type: end}]\n"), find+indent(onFailure("type: goto, stepId: transfer", "$statusCode == 404"), 2))},
		{name: "back when the question failed", flow: steps(transfer(onFailure("type: goto, stepId: find", "$statusCode == null || $statusCode >= 500")+"onSuccess: [{name: d, type: end}]\n"), find+indent(onFailure("type: goto, stepId: transfer", "$statusCode == 503"), 2)), want: notSafe},
		{name: "back when the question had no answer", flow: steps(transfer(onFailure("type: goto, stepId: find", "$statusCode == null || $statusCode >= 500")+"onSuccess: [{name: d, type: end}]\n"), find+indent(onFailure("type: goto, stepId: transfer", "$statusCode == null"), 2)), want: notSafe},
		{name: "back after any failure of the question", flow: steps(transfer(onFailure("type: goto, stepId: find", "$statusCode == null || $statusCode >= 500")+"onSuccess: [{name: d, type: end}]\n"), find+indent(onFailure("type: goto, stepId: transfer"), 2)), want: notSafe},
		{name: "back when something was found", flow: steps(transfer(onFailure("type: goto, stepId: find", "$statusCode == null || $statusCode >= 500")+"onSuccess: [{name: d, type: end}]\n"), find+indent("onSuccess: [{name: b, type: goto, stepId: transfer}]\n", 2)), want: notSafe},
		{name: "back when the answer says so", flow: steps(transfer(onFailure("type: goto, stepId: find", "$statusCode == null || $statusCode >= 500")+"onSuccess: [{name: d, type: end}]\n"), find+indent("onSuccess: [{name: b, type: goto, stepId: transfer, criteria: [{condition: \"$response.body#/0 == null\"}]}]\n", 2))},
		{name: "a key by Weft alone", flow: steps(charge(onFailure(again))), want: byWeft},
		{name: "a key that is switched off", flow: steps(charge("x-weft-idempotency: off\n" + onFailure(again))), want: notSafe},
		{name: "a PUT", flow: steps("- stepId: put\n  operationId: replaceOrder\n  parameters: [{name: orderId, in: path, value: $inputs.orderId}]\n" +
			"  requestBody: {payload: {reference: a, itemId: b}}\n" + indent(onFailure(again), 2))},
		{name: "after an action that takes what is not known",
			flow: steps(transfer("onFailure:\n  - {name: ask, type: goto, stepId: find, criteria: [{condition: $statusCode == null || $statusCode == 408 || $statusCode >= 500}]}\n  - {name: a, "+again+"}\n"), find)},
		{name: "an action of the workflow", flow: "failureActions: [{name: a, " + again + "}]\n" + steps(transfer("")), want: notSafe},
		{name: "a component", flow: steps(transfer("onFailure: [{reference: $components.failureActions.a}]\n")),
			more: "components:\n  failureActions:\n    a: {name: a, " + again + "}\n", want: notSafe},
		{name: "a jump to itself", flow: steps(transfer(onFailure("type: goto, stepId: transfer"))), want: notSafe},
		{name: "a jump to itself after a refusal", flow: steps(transfer(onFailure("type: goto, stepId: transfer", "$statusCode == 429")))},
		{name: "a jump to a step before it", flow: steps("- {stepId: first, operationId: newKey}\n", transfer(onFailure("type: goto, stepId: first"))), want: notSafe},
		{name: "a jump to a question", flow: steps(transfer(onFailure("type: goto, stepId: find")+"onSuccess: [{name: done, type: end}]\n"), find+"  onFailure: [{name: send, type: goto, stepId: transfer, criteria: [{condition: $statusCode == 404}]}]\n")},
		{name: "a jump to a read of something else",
			flow: steps(transfer(onFailure("type: goto, stepId: other")+"onSuccess: [{name: done, type: end}]\n"), "- stepId: other\n  operationId: newKey\n  onSuccess: [{name: send, type: goto, stepId: transfer}]\n"), want: notSafe},
		{name: "a jump that begins the workflow anew", flow: steps(transfer(onFailure("type: goto, workflowId: w"))), want: notSafe},
		{name: "a jump to another workflow", flow: steps(transfer(onFailure("type: goto, workflowId: x"))), more: "  - workflowId: x\n    steps: [{stepId: s, operationId: newKey}]\n"},
		{name: "a workflow that is run again", flow: steps("- {stepId: call, workflowId: x, onFailure: [{name: a, " + again + "}]}\n"),
			more: "  - workflowId: x\n    steps:\n      - {stepId: s, operationId: createTransfer, requestBody: {payload: {reference: a, amount: b}}}\n", want: notSafe},
		{name: "a workflow to which a jump goes back", flow: steps("- {stepId: call, workflowId: x, onFailure: [{name: a, type: goto, stepId: call}]}\n"),
			more: "  - workflowId: x\n    steps:\n      - {stepId: s, operationId: createTransfer, requestBody: {payload: {reference: a, amount: b}}}\n", want: notSafe},
		{name: "a workflow with a key that is run again", flow: steps("- {stepId: call, workflowId: x, onFailure: [{name: a, " + again + "}]}\n"),
			more: "  - workflowId: x\n    steps:\n      - stepId: s\n        operationId: createCharge\n        parameters: [{name: Idempotency-Key, in: header, value: a}]\n        requestBody: {payload: {reference: a, amount: b}}\n"},
	} {
		test.rules = "retry-safe"
		t.Run(test.name, test.run)
	}
}

func TestRetryAfterUnknownOutcome(t *testing.T) {
	payout := func(action string) string {
		return steps(moneyStep("payout", "createPayout", "parameters: [{name: PayPal-Request-Id, in: header, value: $inputs.reference}]", "onFailure: [{name: a, "+action+"}]\n"))
	}
	for _, test := range []moneyTest{
		{name: "503 is for another rule", flow: steps(transfer(onFailure(again, "$statusCode == 503")))},
		{name: "504", flow: steps(transfer(onFailure(again, "$statusCode == 504"))), want: []string{"error retry-after-unknown-outcome: after 504"}},
		{name: "with a key that is written", flow: steps(pay(onFailure(again)))},
		{name: "with a key by Weft alone", flow: steps(charge(onFailure(again, "$statusCode >= 500"))), want: []string{"warn retry-after-unknown-outcome: after 500, 502, 504"}},
		{name: "a question first is for another rule", flow: steps(transfer(onFailure(again+", stepId: find")), find)},
		{name: "within the retention", flow: payout("type: retry, retryAfter: 3600, retryLimit: 3")},
		{name: "past the retention", flow: payout("type: retry, retryAfter: 3600, retryLimit: 4"), want: []string{"it keeps it for 3 hours"}},
		{name: "past the retention by backoff", flow: payout("type: retry, retryAfter: 600, retryLimit: 5, x-weft-backoff: {factor: 2}"), want: []string{"it keeps it for 3 hours"}},
		{name: "past the retention after a definite answer", flow: payout("type: retry, retryAfter: 3600, retryLimit: 4, criteria: [{condition: $statusCode == 429}]")},
	} {
		test.rules = "retry-after-unknown-outcome"
		t.Run(test.name, test.run)
	}
}

func TestReplaySafe(t *testing.T) {
	redo := "  onFailure: [{name: redo, type: goto, stepId: transfer}]\n"
	for _, test := range []moneyTest{
		{name: "a jump back", flow: steps(transfer(""), find+redo), want: []string{"warn replay-safe: this runs createTransfer again"}},
		{name: "a jump back under a key that stays", flow: steps(pay(""), strings.ReplaceAll(find+redo, "stepId: transfer", "stepId: pay"))},
		{name: "a jump back under a key that Weft makes anew", flow: steps(charge(""), strings.ReplaceAll(find+redo, "stepId: transfer", "stepId: charge")), want: []string{"createCharge"}},
		{name: "a loop that makes another each time",
			flow: steps("- stepId: next\n  operationId: newKey\n  outputs: {key: $response.body#/key}\n",
				moneyStep("transfer", "createTransfer", "parameters: [{name: X, in: header, value: $steps.next.outputs.key}]", "onSuccess: [{name: more, type: goto, stepId: next}]\n"))},
		{name: "after a refusal of its own", flow: steps(transfer(onFailure("type: goto, stepId: transfer", "$statusCode == 400")))},
		{name: "a jump back to a workflow", flow: steps("- {stepId: call, workflowId: x}\n", find+strings.ReplaceAll(redo, "stepId: transfer", "stepId: call")),
			more: "  - workflowId: x\n    steps:\n" + indent(transfer(""), 6), want: []string{`warn replay-safe: this runs step "call" again`}},
		{name: "a jump back to a workflow that looks first", flow: steps("- {stepId: call, workflowId: x}\n", find+strings.ReplaceAll(redo, "stepId: transfer", "stepId: call")),
			more: "  - workflowId: x\n    steps:\n" + indent(find+"  onSuccess: [{name: d, type: end}]\n  onFailure: [{name: make, type: goto, stepId: transfer}]\n"+transfer(""), 6)},
		{name: "a jump back to a workflow that reads", flow: steps("- {stepId: call, workflowId: x}\n", find+strings.ReplaceAll(redo, "stepId: transfer", "stepId: call")),
			more: "  - workflowId: x\n    steps: [{stepId: a, operationId: newKey}]\n"},
		{name: "a jump back to a workflow under a key that stays", flow: steps(call("c", "x", "$inputs.reference", ""), find+strings.ReplaceAll(redo, "stepId: transfer", "stepId: c")), more: called("x", "$inputs.key", "")},
		{name: "to look, and to make what is not there",
			flow: steps(find+"  onSuccess: [{name: done, type: end}]\n  onFailure: [{name: make, type: goto, stepId: transfer}]\n", transfer("onSuccess: [{name: look, type: goto, stepId: find}]\n"))},
	} {
		test.rules = "replay-safe"
		t.Run(test.name, test.run)
	}
}

func TestRequeryReference(t *testing.T) {
	lost := "onFailure: [{name: ask, type: goto, stepId: ask}]\nonSuccess: [{name: done, type: end}]\noutputs: {id: $response.body#/id}\n"
	ask := func(value, more string) string {
		return "- stepId: ask\n  operationId: getCharge\n  parameters: [{name: chargeId, in: path, value: " + value + "}]\n" + more
	}
	for _, test := range []moneyTest{
		{name: "its own output", flow: steps(pay(lost), ask("$steps.pay.outputs.id", "")), want: []string{`"ask" asks what became of "pay"`}},
		{name: "its own output, and it says so", flow: steps(pay(lost), ask("$steps.pay.outputs.id", "  x-weft-requery-of: pay\n")), want: []string{"error requery-reference"}},
		{name: "a value of the caller", flow: steps(pay(lost), ask("$inputs.reference", "  x-weft-requery-of: pay\n"))},
		{name: "after success only", flow: steps(pay("onSuccess: [{name: go, type: goto, stepId: ask}]\noutputs: {id: $response.body#/id}\n"), ask("$steps.pay.outputs.id", "  x-weft-requery-of: pay\n"))},
		{name: "a question about another", flow: steps(transfer("outputs: {id: $response.body#/id}\n"), pay(lost), ask("$steps.transfer.outputs.id", ""))},
	} {
		test.rules = "requery-reference"
		t.Run(test.name, test.run)
	}
}

func TestKeys(t *testing.T) {
	keyed := func(id, operation, header, value, fields string) string {
		return moneyStep(id, operation, "parameters: [{name: "+header+", in: header, value: "+value+"}]", fields)
	}
	const make = "- stepId: make\n  operationId: newKey\n  outputs: {key: $response.body#/key}\n"
	for _, test := range []moneyTest{
		{name: "constant", rules: "idempotency-key-unique", flow: steps(keyed("a", "createCharge", "Idempotency-Key", "k1", "")), want: []string{"error idempotency-key-unique"}},
		{name: "constant in any case of letters", rules: "idempotency-key-unique", flow: steps(keyed("a", "createCharge", "idempotency-key", "k1", "")), want: []string{"error idempotency-key-unique"}},
		{name: "a word that other tools replace", rules: "idempotency-key-unique", flow: steps(keyed("a", "createCharge", "Idempotency-Key", "$guid", "")), want: []string{"error idempotency-key-unique"}},
		{name: "a place that is filled in before", rules: "idempotency-key-unique", flow: steps(keyed("a", "createCharge", "Idempotency-Key", "'{{key}}'", ""))},
		{name: "a misspelt expression", rules: "idempotency-key-unique", flow: steps(keyed("a", "createCharge", "Idempotency-Key", "$input.key", ""))},
		{name: "constant business key", rules: "idempotency-key-unique", flow: steps(charge("x-weft-idempotency: {key: k1}\n")), want: []string{"the business key of createCharge"}},
		{name: "constant business key of the workflow", rules: "idempotency-key-unique", flow: "x-weft-idempotency: {key: k1}\n" + steps(charge("")), want: []string{"the business key is the same"}},
		{name: "what looks like an expression", rules: "idempotency-key-unique", flow: steps(keyed("a", "createCharge", "Idempotency-Key", "$input.reference", ""))},
		{name: "of a customer", rules: "idempotency-key-unique", flow: steps(keyed("a", "createCharge", "Idempotency-Key", "'charge-{$inputs.customerId}'", "")), want: []string{"warn idempotency-key-unique"}},
		{name: "of a customer and an order", rules: "idempotency-key-unique", flow: steps(keyed("a", "createCharge", "Idempotency-Key", "'{$inputs.customerId}-{$inputs.orderId}'", ""))},
		{name: "one for two", rules: "idempotency-key-unique", flow: steps(keyed("a", "createCharge", "Idempotency-Key", "$inputs.reference", ""), keyed("b", "createShipment", "Idempotency-Key", "'{$inputs.reference}'", "")),
			want: []string{"createShipment bears the same key as createCharge"}},
		{name: "one for two that do not both run", rules: "idempotency-key-unique",
			flow: steps(keyed("a", "createCharge", "Idempotency-Key", "$inputs.reference", "onSuccess: [{name: done, type: end}]\n"), keyed("b", "createShipment", "Idempotency-Key", "$inputs.reference", ""))},
		{name: "one for the same twice", rules: "idempotency-key-unique", flow: steps(keyed("a", "createCharge", "Idempotency-Key", "$inputs.reference", ""), keyed("b", "createCharge", "Idempotency-Key", "$inputs.reference", "")),
			want: []string{`warn idempotency-key-unique: step "b" does createCharge again under the key of step "a"`}},

		{name: "a new key in a loop of retries", rules: "key-stable", flow: steps(make, keyed("a", "createCharge", "Idempotency-Key", "$steps.make.outputs.key", onFailure("type: goto, stepId: make", "$statusCode == 504"))), want: []string{"error key-stable"}},
		{name: "a new key after a refusal", rules: "key-stable", flow: steps(make, keyed("a", "createCharge", "Idempotency-Key", "$steps.make.outputs.key", onFailure("type: goto, stepId: make", "$statusCode == 402")))},
		{name: "another step is run again", rules: "key-stable", flow: steps(make, find, keyed("a", "createCharge", "Idempotency-Key", "$steps.make.outputs.key", onFailure(again+", stepId: find")))},

		{name: "a jump to itself after 409", rules: "key-on-conflict", flow: steps(charge(onFailure("type: goto, stepId: charge", "$statusCode == 409"))), want: []string{"which is a new operation with a new key"}},
		{name: "a jump to itself after 409 under a written key", rules: "key-on-conflict", flow: steps(pay(onFailure("type: goto, stepId: pay", "$statusCode == 409")))},
		{name: "the same under another key after 409", rules: "key-on-conflict",
			flow: steps(keyed("a", "createCharge", "Idempotency-Key", "'a-{$inputs.reference}'", onFailure("type: goto, stepId: b", "$statusCode == 409")+"onSuccess: [{name: done, type: end}]\n"), keyed("b", "createCharge", "Idempotency-Key", "'b-{$inputs.reference}'", "")),
			want: []string{"which does the same under another key"}},

		{name: "too long at least", rules: "key-format", flow: steps(keyed("a", "createCharge", "Idempotency-Key", "'"+strings.Repeat("x", 64)+"{$inputs.reference}'", ""))},
		{name: "too long for certain", rules: "key-format", flow: steps(keyed("a", "createCharge", "Idempotency-Key", "'"+strings.Repeat("x", 65)+"{$inputs.reference}'", "")), want: []string{"at least 65 characters"}},
		{name: "too short", rules: "key-format", flow: steps("- stepId: a\n  operationId: createPayment\n  parameters: [{name: Idempotency-Key, in: header, value: short}]\n  requestBody: {payload: {orderId: $inputs.orderId, amount: $inputs.amount}}\n"),
			want: []string{"the API wants 8 at least"}},
		{name: "no ASCII", rules: "key-format", flow: steps(keyed("a", "createCharge", "Idempotency-Key", "'für-{$inputs.reference}'", "")), want: []string{"no header field may hold"}},
		{name: "no UUID", rules: "key-format", flow: steps("- stepId: a\n  operationId: createExport\n  parameters: [{name: Repeatability-Request-ID, in: header, value: 'x-{$inputs.reference}'}]\n"), want: []string{"it has to be a UUID"}},
		{name: "perhaps a UUID", rules: "key-format", flow: steps("- stepId: a\n  operationId: createExport\n  parameters: [{name: Repeatability-Request-ID, in: header, value: $inputs.reference}]\n")},
		{name: "quotes of a profile", rules: "key-format", flow: steps(keyed("a", "createCharge", "Idempotency-Key", "'charge-{$inputs.reference}'", "")),
			apis: map[string]lint.API{"money": {Profile: &idempotency.Profile{Dialect: idempotency.Dialect{Header: "Idempotency-Key", Format: idempotency.SFString}}}},
			want: []string{"double quotes"}},

		{name: "required and not written", rules: "key-required", flow: steps("- stepId: a\n  operationId: createPayment\n  requestBody: {payload: {orderId: $inputs.orderId, amount: $inputs.amount}}\n"), want: []string{"error key-required"}},
		{name: "required and made from a business key", rules: "key-required", flow: "x-weft-idempotency: {key: $inputs.orderId}\n" + steps("- stepId: a\n  operationId: createPayment\n  requestBody: {payload: {orderId: $inputs.orderId, amount: $inputs.amount}}\n"), want: []string{"warn key-required"}},
		{name: "required and configured", rules: "key-required", flow: steps("- stepId: a\n  operationId: createPayment\n  requestBody: {payload: {orderId: $inputs.orderId, amount: $inputs.amount}}\n"),
			apis: map[string]lint.API{"shop": {Profile: &idempotency.Profile{Dialect: idempotency.Plain("Idempotency-Key")}}}},
		{name: "not required", rules: "key-required", flow: steps(charge(""))},
	} {
		t.Run(test.rules+": "+test.name, test.run)
	}
}

func TestRetryActions(t *testing.T) {
	for _, test := range []moneyTest{
		{name: "400", rules: "retry-transient-only", flow: steps(pay(onFailure(again, "$statusCode == 400"))), want: []string{"after 400"}},
		{name: "all of 4xx", rules: "retry-transient-only", flow: steps(pay(onFailure(again, "$statusCode >= 400"))), want: []string{"400, 401, 403, 404, 405, 410, 415, 422"}},
		{name: "404 of a read", rules: "retry-transient-only", flow: steps(find + "  " + onFailure(again, "$statusCode == 404"))},
		{name: "400 where a body says so", rules: "retry-transient-only", flow: steps(pay(onFailure(again, "$statusCode == 400 && $response.body#/again == true")))},
		{name: "401 with a new token", rules: "retry-transient-only", flow: steps("- {stepId: login, operationId: newKey}\n", pay(onFailure(again+", stepId: login", "$statusCode == 401")))},

		{name: "after refusals were taken", rules: "retry-criteria", flow: steps(pay("onFailure:\n  - {name: refused, type: end, criteria: [{condition: $statusCode >= 400 && $statusCode < 500}]}\n  - {name: a, " + again + "}\n"))},
		{name: "none", rules: "retry-criteria", flow: steps(pay(onFailure(again))), want: []string{"warn retry-criteria"}},

		{name: "429 and its own wait", rules: "retry-delay", flow: steps(pay(onFailure("type: retry", "$statusCode == 429", "$response.header.Retry-After != null")))},
		{name: "429 at once", rules: "retry-delay", flow: steps(pay(onFailure("type: retry, retryAfter: 0", "$statusCode == 429"))), want: []string{"after 429"}},
		{name: "504 at once", rules: "retry-delay", flow: steps(pay(onFailure("type: retry", "$statusCode == 504")))},
		{name: "300 seconds", rules: "retry-delay", flow: steps(pay(onFailure("type: retry, retryAfter: 300", "$statusCode == 503")))},
		{name: "301 seconds", rules: "retry-delay", flow: steps(pay(onFailure("type: retry, retryAfter: 301", "$statusCode == 503"))), want: []string{"5m1s"}},

		{name: "10 times", rules: "retry-bounded", flow: steps(pay(onFailure("type: retry, retryLimit: 10", "$statusCode == 504")))},
		{name: "11 times", rules: "retry-bounded", flow: steps(pay(onFailure("type: retry, retryLimit: 11", "$statusCode == 504"))), want: []string{"up to 11 retries"}},

		{name: "a helper that is retried", rules: "retry-amplification", flow: steps(find+"  "+onFailure("type: retry, retryLimit: 5", "$statusCode == 503"), pay(onFailure("type: retry, retryLimit: 5, stepId: find", "$statusCode == 503"))),
			want: []string{"5 retries here times 5 of findTransfers: up to 25"}},
		{name: "a workflow that a retry runs first", rules: "retry-amplification", flow: steps(pay(onFailure("type: retry, retryLimit: 5, workflowId: x", "$statusCode == 503"))),
			more: "  - workflowId: x\n    steps:\n      - stepId: s\n        operationId: newKey\n        onFailure: [{name: r, type: retry, retryAfter: 1, retryLimit: 5, criteria: [{condition: $statusCode == 503}]}]\n",
			want: []string{"5 retries here times 5 of newKey: up to 25"}},
		{name: "a few in a workflow that a retry runs first", rules: "retry-amplification", flow: steps(pay(onFailure("type: retry, retryLimit: 5, workflowId: x", "$statusCode == 503"))),
			more: "  - workflowId: x\n    steps:\n      - stepId: s\n        operationId: newKey\n        onFailure: [{name: r, type: retry, retryAfter: 1, retryLimit: 4, criteria: [{condition: $statusCode == 503}]}]\n"},
		{name: "a workflow that calls itself", rules: "retry-amplification", flow: steps("- {stepId: self, workflowId: w, onFailure: [{name: a, type: retry, retryLimit: 9, criteria: [{condition: 1 == 1}]}]}\n")},
	} {
		t.Run(test.rules+": "+test.name, test.run)
	}
}
