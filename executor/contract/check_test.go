package contract_test

import (
	"context"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/weft-flow/weft/executor/contract"
)

// TestChecks holds each check to a workflow that breaks it, beside the seeded defects, and
// to one that only seems to.
func TestChecks(t *testing.T) {
	const head = `
arazzo: 1.1.0
info: {title: One, version: 1.0.0}
sourceDescriptions: [{name: shop, url: shop.openapi.yaml, type: openapi}]
workflows:
  - workflowId: order
    inputs: {type: object, properties: {reference: {type: string, default: order-7}}}
`
	const pay = `
      - stepId: pay
        operationId: pay
        requestBody: {payload: {orderReference: $inputs.reference, amount: '1.00'}}
        successCriteria: [{condition: $statusCode == 201}]`
	for _, test := range []struct {
		name, text string
		check      contract.Check // empty: none fails
		also       contract.Check // may fail too
	}{
		{"it succeeds in a state that is not terminal", `
    x-weft-states: {initial: NEW, terminal: [PAID], transitions: {NEW: [PENDING], PENDING: [PAID]}}
    steps:` + pay + `
        x-weft-state: PENDING
`, contract.OpenEnd, ""},
		{"it fails in a state that is not terminal", `
    x-weft-states: {initial: NEW, terminal: [PAID], transitions: {NEW: [PAID]}}
    steps:` + pay + `
        x-weft-state: PAID
`, "", ""},
		{"a retry that goes on until the time is over", `
    steps:
      - stepId: poll
        operationId: getPaymentByReference
        parameters: [{name: orderReference, in: path, value: $inputs.reference}]
        successCriteria: [{condition: $response.body#/status == 'SUCCEEDED'}]
        onFailure: [{name: again, type: retry, retryAfter: 20, retryLimit: 1000000}]
`, contract.NoEnd, ""},
		{"a retry that gives up", `
    steps:
      - stepId: poll
        operationId: getPaymentByReference
        parameters: [{name: orderReference, in: path, value: $inputs.reference}]
        successCriteria: [{condition: $response.body#/status == 'SUCCEEDED'}]
        onFailure: [{name: again, type: retry, retryAfter: 1, retryLimit: 200}]
`, "", ""},
		{"two steps that do the same on purpose", `
    steps:` + pay + strings.Replace(pay, "stepId: pay", "stepId: payAgain", 1) + `
`, "", ""},
		{"a repetition that the document says does no harm", `
    steps:
      - stepId: makeKey
        operationId: newKey
        x-weft-effect: idempotent
        successCriteria: [{condition: $statusCode == 201}]
        onFailure: [{name: again, type: retry, retryAfter: 1}]
`, "", ""},
		{"sent before the message says that it is paid", `
    steps:` + pay + `
      - stepId: ship
        operationId: ship
        requestBody: {payload: {orderReference: $inputs.reference}}
        successCriteria: [{condition: $statusCode == 201}]
      - stepId: await
        operationId: paymentChanged
        action: receive
        correlationId: $inputs.reference
        x-weft-correlation: $message.payload#/orderReference
        timeout: 30000
        successCriteria: [{condition: $message.payload#/status == 'SUCCEEDED'}]
`, contract.TooEarly, ""},
		{"sent after the message says that it is paid", `
    steps:` + pay + `
      - stepId: await
        operationId: paymentChanged
        action: receive
        correlationId: $inputs.reference
        x-weft-correlation: $message.payload#/orderReference
        timeout: 30000
        successCriteria: [{condition: $message.payload#/status == 'SUCCEEDED'}]
      - stepId: ship
        operationId: ship
        requestBody: {payload: {orderReference: $inputs.reference}}
        successCriteria: [{condition: $statusCode == 201}]
`, "", ""},
		{"a question that leaves out what never came", `
    steps:
      - stepId: take
        operationId: charge
        requestBody: {payload: {orderReference: $inputs.reference, amount: '1.00'}}
        successCriteria: [{condition: $statusCode == 201}]
        onSuccess: [{name: taken, type: end}]
        onFailure: [{name: ask, type: goto, stepId: ask, criteria: [{condition: $statusCode == null || $statusCode >= 500}]}]
        outputs: {id: $response.body#/id}
      - stepId: ask
        operationId: listCharges
        parameters: [{name: id, in: query, value: $steps.take.outputs.id}]
`, contract.NeverCame, ""},
		{"a new key by a jump back, of a service that always says the same", `
    steps:
      - stepId: makeKey
        operationId: sameKey
        outputs: {key: $response.body#/key}
      - stepId: take
        operationId: pay
        parameters: [{name: Idempotency-Key, in: header, value: $steps.makeKey.outputs.key}]
        requestBody: {payload: {orderReference: $inputs.reference, amount: '1.00'}}
        successCriteria: [{condition: $statusCode == 201}]
        onFailure: [{name: again, type: goto, stepId: makeKey, criteria: [{condition: $statusCode == 500}]}]
`, contract.UnstableKey, contract.NoEnd},
		{"deleted before anybody knows whether it is there", `
    steps:
      - stepId: take
        operationId: charge
        requestBody: {payload: {orderReference: $inputs.reference, amount: '1.00'}}
        successCriteria: [{condition: $statusCode == 201}]
        onSuccess: [{name: taken, type: end}]
        onFailure: [{name: undo, type: goto, stepId: undo}]
      - stepId: undo
        operationId: dropCharge
        parameters: [{name: orderReference, in: path, value: $inputs.reference}]
`, contract.UnknownActed, ""},
		{"undone straight away when the run is cancelled", `
    x-weft-on-cancel: [{name: undo, type: goto, stepId: undo}]
    steps:
      - stepId: take
        operationId: charge
        requestBody: {payload: {orderReference: $inputs.reference, amount: '1.00'}}
        successCriteria: [{condition: $statusCode == 201}]
        onSuccess: [{name: taken, type: end}]
      - stepId: undo
        operationId: refund
        requestBody: {payload: {orderReference: $inputs.reference}}
        successCriteria: [{condition: $statusCode == 201}]
`, contract.UnknownActed, ""},
		{"a token that is asked for again", `
    steps:
      - stepId: logIn
        operationId: logIn
        onFailure: [{name: again, type: retry, retryAfter: 1}]
        onSuccess:
          - name: expired
            type: goto
            stepId: logIn
            criteria: [{condition: $response.header.X-Old == 'yes'}, {condition: $statusCode == 299}]
`, "", ""},
		{"undoing after somebody has asked", `
    steps:
      - stepId: take
        operationId: charge
        requestBody: {payload: {orderReference: $inputs.reference, amount: '1.00'}}
        successCriteria: [{condition: $statusCode == 201}]
        onSuccess: [{name: taken, type: end}]
        onFailure: [{name: ask, type: goto, stepId: ask}]
      - stepId: ask
        operationId: getChargeByReference
        parameters: [{name: orderReference, in: path, value: $inputs.reference}]
        successCriteria: [{condition: $statusCode == 200}]
        x-weft-requery-of: take
      - stepId: giveBack
        operationId: refund
        requestBody: {payload: {orderReference: $inputs.reference}}
        successCriteria: [{condition: $statusCode == 201}]
`, "", ""},
		{"a short reference ties two requests together", `
    steps:
      - stepId: take
        operationId: charge
        requestBody: {payload: {orderReference: '{$inputs.reference}', amount: '1.00'}}
        successCriteria: [{condition: $statusCode == 201}]
        onSuccess: [{name: taken, type: end}]
        onFailure: [{name: undo, type: goto, stepId: undo}]
      - stepId: undo
        operationId: refund
        requestBody: {payload: {orderReference: $inputs.reference}}
        successCriteria: [{condition: $statusCode == 201}]
`, contract.UnknownActed, ""},
		{"two things under two references are independent of each other", `
    steps:
      - stepId: first
        operationId: charge
        requestBody: {payload: {orderReference: 'A-{$inputs.reference}', amount: '1.00'}}
        successCriteria: [{condition: $statusCode == 201}]
        onFailure: [{name: next, type: goto, stepId: second}]
      - stepId: second
        operationId: charge
        requestBody: {payload: {orderReference: 'B-{$inputs.reference}', amount: '1.00'}}
        successCriteria: [{condition: $statusCode == 201}]
`, "", ""},
		{"a key of x-weft-idempotency that is made anew", `
    steps:
      - stepId: makeKey
        operationId: newKey
        x-weft-effect: idempotent
        outputs: {key: $response.body#/id}
      - stepId: take
        operationId: pay
        x-weft-idempotency: {key: $steps.makeKey.outputs.key}
        requestBody: {payload: {orderReference: $inputs.reference, amount: '1.00'}}
        successCriteria: [{condition: $statusCode == 201}]
        onFailure: [{name: again, type: retry, stepId: makeKey, retryLimit: 2, criteria: [{condition: $statusCode == 500}]}]
`, contract.UnstableKey, ""},
		{"a wait for a message without end", `
    steps:` + pay + `
      - stepId: await
        operationId: paymentChanged
        action: receive
        correlationId: $inputs.reference
        x-weft-correlation: $message.payload#/orderReference
        successCriteria: [{condition: $message.payload#/status != null}]
`, contract.NoEnd, ""},
		{"few retries that are longer than a run", `
    steps:
      - stepId: poll
        operationId: getPaymentByReference
        parameters: [{name: orderReference, in: path, value: $inputs.reference}]
        successCriteria: [{condition: $response.body#/status == 'SUCCEEDED'}]
        onFailure: [{name: again, type: retry, retryAfter: 600, retryLimit: 40}]
`, contract.NoEnd, ""},
		{"what never came, within a text", `
    steps:
      - stepId: take
        operationId: charge
        requestBody: {payload: {orderReference: $inputs.reference, amount: '1.00'}}
        successCriteria: [{condition: $statusCode == 201}]
        onSuccess: [{name: taken, type: end}]
        onFailure: [{name: ask, type: goto, stepId: ask, criteria: [{condition: $statusCode == null || $statusCode >= 500}]}]
        outputs: {id: $response.body#/id}
      - stepId: ask
        operationId: getCharge
        parameters: [{name: chargeId, in: path, value: 'x{$steps.take.outputs.id}'}]
`, contract.NeverCame, ""},
		{"a workflow that needs what no step brings", `
    steps:
      - stepId: look
        operationId: getPaymentByReference
        parameters: [{name: orderReference, in: path, value: $inputs.reference}]
        successCriteria: [{condition: $statusCode == 200}, {condition: $inputs.reference == 'another'}]
`, contract.NeverSucceeds, ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			dir := t.TempDir()
			api, err := filepath.Abs("../../testdata/contract/shop.openapi.yaml")
			if err != nil {
				t.Fatal(err)
			}
			write(t, filepath.Join(dir, "flow.yaml"), strings.Replace(head, "shop.openapi.yaml", "file://"+api, 1)+test.text)
			report, err := contract.Explore(context.Background(), load(t, filepath.Join(dir, "flow.yaml")), contract.Options{Budget: 100 * time.Millisecond})
			if err != nil {
				t.Fatal(err)
			}
			w := report.Workflows[0]
			if len(w.Refused) > 0 {
				t.Fatal(w.Refused)
			}
			found := false
			for _, f := range w.Failures {
				found = found || f.Check == test.check
				if f.Check != test.check && f.Check != test.also {
					t.Errorf("%s: %s\n%v\n%s", f.Check, f.Message, f.Conditions, f.Story)
				}
			}
			if test.check != "" && !found {
				t.Errorf("%s was not found", test.check)
			}
		})
	}
}

// TestAnswersThatBreakTheirDescription holds that an example that breaks its own schema is
// found, and that a request that breaks its description is told and fails nothing.
func TestAnswersThatBreakTheirDescription(t *testing.T) {
	dir := t.TempDir()
	write(t, filepath.Join(dir, "api.yaml"), `
openapi: 3.1.0
info: {title: Things, version: 1.0.0}
servers: [{url: 'http://127.0.0.1:8088'}]
paths:
  /things:
    get:
      operationId: listThings
      responses:
        '200':
          description: The things.
          content:
            application/json:
              example: {count: many}
              schema: {type: object, properties: {count: {type: integer}}}
    post:
      operationId: makeThing
      requestBody:
        content: {application/json: {schema: {type: object, required: [name]}}}
      responses:
        '204': {description: Made.}
`)
	write(t, filepath.Join(dir, "flow.yaml"), `
arazzo: 1.0.1
info: {title: Two, version: 1.0.0}
sourceDescriptions: [{name: api, url: api.yaml, type: openapi}]
workflows:
  - workflowId: list
    steps: [{stepId: list, operationId: listThings}]
  - workflowId: make
    steps: [{stepId: make, operationId: makeThing, requestBody: {contentType: application/json, payload: {}}}]
`)
	report, err := contract.Explore(context.Background(), load(t, filepath.Join(dir, "flow.yaml")), contract.Options{Budget: -1})
	if err != nil {
		t.Fatal(err)
	}
	list, made := report.Workflows[0], report.Workflows[1]
	if len(list.Failures) != 1 || list.Failures[0].Check != contract.ContractBroken || !strings.Contains(list.Failures[0].Message, "/count") {
		t.Errorf("list: %+v", list.Failures)
	}
	// The mock refuses all requests, so no run succeeds but where an answer is chosen.
	if len(made.Failures) != 0 || len(made.Notes) != 2 || !strings.Contains(made.Notes[0], "its request breaks the description") {
		t.Errorf("make: %+v %q", made.Failures, made.Notes)
	}
}

// TestATestThatTakesTooLongIsCutOff holds that the limits of a test hold, and are told.
func TestATestThatTakesTooLongIsCutOff(t *testing.T) {
	report, err := contract.Explore(context.Background(), orderFlow(t), contract.Options{MaxRuns: 40})
	if err != nil {
		t.Fatal(err)
	}
	w := report.Workflows[0]
	if w.Runs != 40 || len(w.Notes) != 1 || !strings.Contains(w.Notes[0], "cut off") {
		t.Errorf("%d runs, %q", w.Runs, w.Notes)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := contract.Explore(ctx, orderFlow(t), contract.Options{}); err == nil {
		t.Error("a test that is cancelled tells nothing of it")
	}
}

// BenchmarkBundledFlow tells how many runs of the bundled flow are made, by the clock.
func BenchmarkBundledFlow(b *testing.B) {
	set := orderFlow(b)
	runs, elapsed := 0, time.Duration(0)
	for b.Loop() {
		report, err := contract.Explore(context.Background(), set, contract.Options{})
		if err != nil {
			b.Fatal(err)
		}
		runs, elapsed = runs+report.Runs, elapsed+report.Workflows[0].Elapsed
	}
	b.ReportMetric(float64(runs)/elapsed.Seconds(), "runs/s")
}
