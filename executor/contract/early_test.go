package contract_test

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/weft-flow/weft/executor/contract"
)

// The parts of the documents of TestTooEarly: a transfer that the bank takes on and decides
// later, and an invoice that is settled by it.
const (
	transferHead = `arazzo: 1.1.0
info: {title: One, version: 1.0.0}
sourceDescriptions:
  - {name: bank, url: 'file://%[1]s/bank.openapi.yaml', type: openapi}
  - {name: books, url: 'file://%[1]s/books.openapi.yaml', type: openapi}
workflows:
  - workflowId: payInvoice
    inputs:
      type: object
      properties:
        invoiceId: {type: string, default: inv-77}
        e2e: {type: string, default: E2E-2026-0001}
        amount: {type: integer, default: 1200}
        notify: {type: string, %[2]s}
    steps:
`
	transferStep = `
      - stepId: transfer
        operationId: startTransfer
        timeout: 3000
        parameters: [{name: X-Idempotency-Key, in: header, value: 'tr-{$inputs.e2e}'}]
        requestBody: {payload: {endToEndId: $inputs.e2e, amountMinor: $inputs.amount, creditor: DE02, notifyUrl: $inputs.notify}}
        successCriteria: [{condition: $statusCode == 202}]
        onFailure:
          - {name: again, type: retry, retryAfter: 1, retryLimit: 3, criteria: [{condition: $statusCode == null || $statusCode >= 500 || $statusCode == 409}]}
        outputs: {transferId: $response.body#/transferId}
`
	awaitStep = `
      - stepId: await
        operationId: onTransferDecided
        action: receive
        correlationId: $inputs.e2e
        x-weft-correlation: $message.payload#/endToEndId
        timeout: 60000
        successCriteria: [{condition: $message.payload#/state == 'SETTLED'}]
`
	askStep = `
      - stepId: ask
        operationId: findTransfer
        parameters: [{name: endToEndId, in: path, value: $inputs.e2e}]
        successCriteria: [{condition: $statusCode == 200}]
`
	settleStep = `
      - stepId: settle
        operationId: settleInvoice
        timeout: 3000
        parameters:
          - {name: invoiceId, in: path, value: $inputs.invoiceId}
          - {name: Idempotency-Key, in: header, value: 'settle-{$inputs.e2e}'}
        requestBody: {payload: {endToEndId: $inputs.e2e}}
        successCriteria: [{condition: $statusCode == 200}]
        onFailure:
          - {name: again, type: retry, retryAfter: 1, retryLimit: 3, criteria: [{condition: $statusCode == null || $statusCode >= 500}]}
`
	ends       = "        onSuccess: [{name: done, type: end}]\n"
	pollAgain  = "        onFailure: [{name: later, type: retry, retryAfter: 5, retryLimit: 10, criteria: [{condition: \"$response.body#/state == 'PENDING' || $statusCode >= 500 || $statusCode == null || $statusCode == 404\"}]}]\n"
	sendNotice = `
      - stepId: tell
        operationId: sendReceipt
        parameters: [{name: Idempotency-Key, in: header, value: 'rcpt-{$inputs.e2e}'}]
        requestBody: {payload: {endToEndId: $inputs.e2e}}
`
	payoutStep = `
      - stepId: payOut
        operationId: %s
        timeout: 3000
        parameters: [{name: X-Idempotency-Key, in: header, value: 'po-{$inputs.e2e}'}]
        requestBody: {payload: {endToEndId: $inputs.e2e, notifyUrl: $inputs.notify}}
        successCriteria: [{condition: $statusCode == 201}]
`
	asWorkflow = `
      - stepId: pay
        workflowId: doTransfer
        parameters: [{name: e2e, value: $inputs.e2e}, {name: amount, value: $inputs.amount}]
` + settleStep + ends + `
  - workflowId: doTransfer
    inputs: {type: object, properties: {e2e: {type: string, default: E2E-1}, amount: {type: integer, default: 3}, notify: {type: string, %s}}}
    steps:
`
)

// TestTooEarly holds that what is done before it is known how a transfer ends is found in
// each order and form, and that what is done in time, or takes the transfer back, is not.
func TestTooEarly(t *testing.T) {
	judged := func(step, criterion string) string {
		return strings.Replace(step, "[{condition: $statusCode == 200}]", "[{condition: $statusCode == 200}, {condition: \""+criterion+"\"}]", 1)
	}
	payoutAwait := func(operation string) string {
		return strings.Replace(awaitStep, "onTransferDecided", operation, 1)
	}
	askWhenQuiet := `        onSuccess: [{name: paid, type: goto, stepId: settle}]
        onFailure: [{name: quiet, type: goto, stepId: ask, criteria: [{condition: $message.payload == null}]}]
`
	nowhere, called := "default: 'http://127.0.0.1:9/cb'", "x-weft-callback: await"
	for _, test := range []struct {
		name, steps string
		step        string // that is too early; empty: none is
		story       string
	}{
		{"accepted, and never asked for again", transferStep + settleStep + ends, "settle", "transfer was answered 202"},
		{"accepted, and heard of afterwards", transferStep + settleStep + awaitStep, "settle", "not ended well"},
		{"accepted, and whatever is heard is well", transferStep + settleStep + strings.Replace(awaitStep, "/state == 'SETTLED'", "/state != null", 1), "settle", "not ended well"},
		{"read as pending, which nobody looks at", transferStep + askStep + settleStep + ends, "settle", "ask read PENDING"},
		{"read as pending, which is not a no", transferStep + judged(askStep, "$response.body#/state != 'REJECTED'") + settleStep + ends, "settle", "ask read PENDING"},
		{"pending leads where a yes leads", transferStep + askStep + `        onSuccess:
          - {name: yes, type: goto, stepId: settle, criteria: [{condition: "$response.body#/state == 'SETTLED'"}]}
          - {name: perhaps, type: goto, stepId: settle, criteria: [{condition: "$response.body#/state == 'PENDING'"}]}
          - {name: no, type: end}
` + settleStep + ends, "settle", "ask read PENDING"},
		{"beside the wait for the message", transferStep + strings.Replace(settleStep, "operationId:", "dependsOn: [transfer]\n        operationId:", 1) +
			strings.Replace(awaitStep, "operationId:", "dependsOn: [transfer]\n        operationId:", 1), "settle", "not ended well"},
		{"by a workflow that is called", fmt.Sprintf(asWorkflow, nowhere) + transferStep, "settle", "transfer was answered 202"},
		{"when the wait was in vain", transferStep + awaitStep + "        onFailure: [{name: quiet, type: goto, stepId: settle, criteria: [{condition: $message.payload == null}]}]\n" + settleStep + ends,
			"settle", "waited in vain"},
		{"a receipt for what may yet be refused", transferStep + sendNotice + awaitStep + settleStep, "tell", "not ended well"},

		// What a description has one schema for is not undecided, unless the document itself
		// looks at it.
		{"after an answer that says all that there is", `
      - stepId: buy
        operationId: buyShares
        parameters: [{name: X-Idempotency-Key, in: header, value: 'buy-{$inputs.e2e}'}]
        requestBody: {payload: {endToEndId: $inputs.e2e}}
        successCriteria: [{condition: $statusCode == 201}]
` + settleStep, "", ""},
		{"after an answer that is looked at, and lets pending pass", `
      - stepId: buy
        operationId: buyShares
        parameters: [{name: X-Idempotency-Key, in: header, value: 'buy-{$inputs.e2e}'}]
        requestBody: {payload: {endToEndId: $inputs.e2e}}
        successCriteria: [{condition: $statusCode == 201}, {condition: "$response.body#/state != 'REJECTED'"}]
` + settleStep, "settle", "buy was answered PENDING"},

		// Where a message follows that may be bad news, to begin is not to end.
		{"after an answer that can but say pending", fmt.Sprintf(payoutStep, "payOut") + settleStep, "settle", "payOut was answered PENDING"},
		{"after an answer that can but say pending, by a jump to the end", fmt.Sprintf(payoutStep, "payOut") +
			"        onSuccess: [{name: on, type: goto, stepId: settle}]\n" + payoutAwait("onPayoutDecided") + settleStep + ends, "settle", "payOut was answered PENDING"},
		{"after an answer that may say pending", fmt.Sprintf(payoutStep, "payOutNow") + settleStep, "settle", "payOut was answered PENDING"},
		{"after an answer that can but say pending, and the message", fmt.Sprintf(payoutStep, "payOut") + payoutAwait("onPayoutDecided") + settleStep, "", ""},
		{"after an answer that says that it is done, or the message", fmt.Sprintf(payoutStep, "payOutNow") + `        onSuccess:
          - {name: done, type: goto, stepId: settle, criteria: [{condition: "$response.body#/state == 'SETTLED'"}]}
          - {name: refused, type: end, criteria: [{condition: "$response.body#/state == 'REJECTED'"}]}
` + payoutAwait("onInstantDecided") + settleStep, "", ""},
		{"nothing is done after it", fmt.Sprintf(payoutStep, "payOut"), "", ""},

		// A question that gets no answer tells nothing.
		{"when the wait was in vain, and the question too", transferStep + awaitStep + askWhenQuiet +
			judged(askStep, "$response.body#/state == 'SETTLED'") + "        onFailure: [{name: well, type: goto, stepId: settle, criteria: [{condition: $statusCode >= 500}]}]\n" + settleStep + ends,
			"settle", "ask asked and got 5"},
		{"when the wait was in vain, and the question leads to the end", transferStep + awaitStep + askWhenQuiet +
			judged(askStep, "$response.body#/state == 'SETTLED'") + "        onFailure: [{name: well, type: end, criteria: [{condition: $statusCode >= 500}]}]\n" + settleStep + ends, "", ""},

		{"after the message", transferStep + awaitStep + settleStep + ends, "", ""},
		{"after the message, or an answer", transferStep + awaitStep + `        onSuccess: [{name: paid, type: goto, stepId: settle}]
        onFailure: [{name: quiet, type: goto, stepId: ask, criteria: [{condition: $message.payload == null}]}]
` + judged(askStep, "$response.body#/state == 'SETTLED'") + pollAgain + settleStep + ends, "", ""},
		{"asked until it is decided", transferStep + judged(askStep, "$response.body#/state != 'PENDING'") + pollAgain + `        onSuccess:
          - {name: yes, type: goto, stepId: settle, criteria: [{condition: "$response.body#/state == 'SETTLED'"}]}
          - {name: no, type: end}
` + settleStep + ends, "", ""},
		{"taken back when it takes too long", transferStep + judged(askStep, "$response.body#/state != 'PENDING'") + strings.Replace(pollAgain, "}]}]\n", "}]}, {name: enough, type: goto, stepId: recall, criteria: [{condition: \"$response.body#/state == 'PENDING'\"}]}]\n", 1) + `        onSuccess:
          - {name: yes, type: goto, stepId: settle, criteria: [{condition: "$response.body#/state == 'SETTLED'"}]}
          - {name: no, type: end}
` + settleStep + ends + `
      - stepId: recall
        operationId: recallTransfer
        parameters:
          - {name: transferId, in: path, value: $steps.transfer.outputs.transferId}
          - {name: X-Idempotency-Key, in: header, value: 'recall-{$inputs.e2e}'}
`, "", ""},
		{"a receipt that does no harm", transferStep + strings.Replace(sendNotice, "operationId:", "x-weft-effect: idempotent\n        operationId:", 1) + awaitStep + settleStep, "", ""},
		{"by a workflow that waits", fmt.Sprintf(asWorkflow, called) + transferStep + awaitStep, "", ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			dir, apis := t.TempDir(), "../../testdata/contract"
			at, err := filepath.Abs(apis)
			if err != nil {
				t.Fatal(err)
			}
			filled := nowhere
			if own, _, _ := strings.Cut(test.steps, "  - workflowId:"); strings.Contains(own, "stepId: await") {
				filled = called
			}
			write(t, filepath.Join(dir, "flow.yaml"), fmt.Sprintf(transferHead, at, filled)+test.steps)
			report, err := contract.Explore(context.Background(), load(t, filepath.Join(dir, "flow.yaml")), contract.Options{Budget: -1})
			if err != nil {
				t.Fatal(err)
			}
			w := report.Workflows[0]
			if len(w.Refused) > 0 {
				t.Fatal(w.Refused)
			}
			found := false
			for _, f := range w.Failures {
				if f.Check == contract.TooEarly && f.Step == test.step && strings.Contains(f.Message, test.story) {
					found = true
					continue
				}
				t.Errorf("%s %s: %s\n%v\n%s", f.Check, f.Step, f.Message, f.Conditions, f.Story)
			}
			if test.step != "" && !found {
				t.Error("it is not found")
			}
		})
	}
}
