package executor_test

import (
	"strings"
	"testing"
	"time"

	"github.com/weft-flow/weft/executor"
)

const payOnce = `
workflows:
- workflowId: w
  inputs: {type: object, properties: {ref: {type: string, default: r1}}}
  steps:
  - stepId: pay
    operationId: pay
    requestBody: {payload: {ref: $inputs.ref}}
    onFailure: [{name: again, type: retry, retryAfter: 1, retryLimit: 3}]
`

// TestStatement11AnUnknownOutcomeThatIsUnsafeToRepeatIsNotResent: the rule that
// Weft exists for.
func TestStatement11AnUnknownOutcomeThatIsUnsafeToRepeatIsNotResent(t *testing.T) {
	got := flowTest{flow: payOnce, runtime: &script{answer: always(lost())}}.run(t)
	if len(got.calls) != 1 {
		t.Errorf("%d requests were sent, want 1", len(got.calls))
	}
	if got.Status != executor.Unknown {
		t.Errorf("the run ended as %s, want unknown", got.Status)
	}
	withheld := got.texts("retryWithheld")
	if len(withheld) != 1 || !strings.Contains(withheld[0], "unsafe to repeat") {
		t.Errorf("retryWithheld: %v", withheld)
	}
	if got.Counts.Withheld != 1 {
		t.Errorf("%d retries were counted as withheld, want 1", got.Counts.Withheld)
	}
}

// TestStatement11TheUserCanLiftTheRule: visibly.
func TestStatement11TheUserCanLiftTheRule(t *testing.T) {
	lossThenAnswer := func(_ executor.Call, n int) executor.Exchange {
		if n == 1 {
			return lost()
		}
		return respond(201, map[string]any{"id": "p1"})
	}
	byFlag := flowTest{flow: payOnce, config: executor.Config{UnsafeRetry: true}, runtime: &script{answer: lossThenAnswer}}.run(t)
	byDocument := flowTest{
		flow:    strings.Replace(payOnce, "retryLimit: 3", "retryLimit: 3, x-weft-unsafe-retry: true", 1),
		runtime: &script{answer: lossThenAnswer},
	}.run(t)
	for name, got := range map[string]flowResult{"flag": byFlag, "document": byDocument} {
		if len(got.calls) != 2 || got.Counts.UnsafeRepeats != 1 {
			t.Errorf("%s: %d requests, %d unsafe repeats; want 2 and 1", name, len(got.calls), got.Counts.UnsafeRepeats)
		}
		if got.Status != executor.Unknown {
			t.Errorf("%s: the run ended as %s: a success without a key does not tell what became of the first request", name, got.Status)
		}
	}
}

// TestStatement01AllAttemptsCarryOneKeyAndBody under a key contract.
func TestStatement01AllAttemptsCarryOneKeyAndBody(t *testing.T) {
	flow := strings.ReplaceAll(payOnce, "operationId: pay", "operationId: createOrder")
	got := flowTest{flow: flow, runtime: &script{answer: func(_ executor.Call, n int) executor.Exchange {
		if n < 3 {
			return lost()
		}
		return respond(201, map[string]any{"id": "o1"})
	}}}.run(t)
	if len(got.calls) != 3 || got.Status != executor.Succeeded {
		t.Fatalf("%d requests, ended as %s; want 3 and succeeded", len(got.calls), got.Status)
	}
	first := got.calls[0]
	if first.Key == nil || first.Key.Header != "Idempotency-Key" || !first.Contract {
		t.Fatalf("the first request bears no key under a contract: %+v", first.Key)
	}
	for i, call := range got.calls {
		if *call.Key != *first.Key || call.Body.Value.String() != first.Body.Value.String() {
			t.Errorf("attempt %d differs in key or body", i+1)
		}
	}
	if got.waits[0] != time.Second {
		t.Errorf("waited %v before the first retry, want 1s", got.waits[0])
	}
}

// TestStatement02ASecondRunUnderTheSameBusinessKeyKeepsTheKey, and another order
// has another.
func TestStatement02ASecondRunUnderTheSameBusinessKeyKeepsTheKey(t *testing.T) {
	flow := strings.ReplaceAll(payOnce, "operationId: pay", "operationId: createOrder\n    x-weft-idempotency: {key: $inputs.ref}")
	keyFor := func(inputs string) string {
		return flowTest{flow: flow, inputs: inputs, runtime: &script{answer: always(respond(201, nil))}}.run(t).calls[0].Key.Value
	}
	set := loadFlow(t, "1.1.0", flow, map[string]string{})
	plan, refusals := executor.Compile(set, nil, executor.Config{})
	if refusals != nil {
		t.Fatal(refusals)
	}
	var keys []string
	for range 2 {
		s := &script{answer: always(respond(201, nil))}
		if _, err := plan.Run(t.Context(), s, executor.Start{}); err != nil {
			t.Fatal(err)
		}
		keys = append(keys, s.calls[0].Key.Value)
	}
	if keys[0] != keys[1] {
		t.Errorf("two runs of one order have the keys %s and %s", keys[0], keys[1])
	}
	if keyFor(`{"ref":"r2"}`) == keyFor(`{"ref":"r3"}`) {
		t.Error("two orders have one key")
	}
}

// TestStatement01AnActivationAfterAnUnknownOneContinuesIt: a jump back is not a
// second order.
func TestStatement01AnActivationAfterAnUnknownOneContinuesIt(t *testing.T) {
	const flow = `
workflows:
- workflowId: w
  steps:
  - stepId: order
    operationId: createOrder
    requestBody: {payload: {sku: TEA}}
    onFailure: [{name: look, type: goto, stepId: look}]
    onSuccess: [{name: done, type: end}]
  - stepId: look
    operationId: tick
    onSuccess: [{name: back, type: goto, stepId: order}]
`
	got := flowTest{flow: flow, runtime: &script{answer: func(call executor.Call, n int) executor.Exchange {
		if call.Operation.ID == "createOrder" && n == 1 {
			return lost()
		}
		return respond(200, nil)
	}}}.run(t)
	if got.order() != "createOrder tick createOrder" {
		t.Fatalf("called %s", got.order())
	}
	if got.calls[0].Key.Value != got.calls[2].Key.Value {
		t.Error("the second activation has a key of its own")
	}
	if got.Status != executor.Recovered {
		t.Errorf("ended as %s, want recovered", got.Status)
	}
}

// TestAJumpBackToAKnownOutcomeIsANewOperation with a new key.
func TestAJumpBackToAKnownOutcomeIsANewOperation(t *testing.T) {
	const flow = `
workflows:
- workflowId: w
  steps:
  - stepId: order
    operationId: createOrder
  - stepId: look
    operationId: tick
    onSuccess: [{name: back, type: goto, stepId: order, criteria: [{condition: $response.body#/n == 1}]}]
`
	got := flowTest{flow: flow, runtime: &script{answer: func(_ executor.Call, n int) executor.Exchange {
		return respond(200, map[string]any{"n": n})
	}}}.run(t)
	if got.order() != "createOrder tick createOrder tick" {
		t.Fatalf("called %s", got.order())
	}
	if got.calls[0].Key.Value == got.calls[2].Key.Value {
		t.Error("two operations have one key")
	}
}

// TestAJumpBackToAnUnkeyedUnknownOutcomeIsNotSent either.
func TestAJumpBackToAnUnkeyedUnknownOutcomeIsNotSent(t *testing.T) {
	const flow = `
workflows:
- workflowId: w
  steps:
  - stepId: pay
    operationId: pay
    onFailure: [{name: look, type: goto, stepId: look}]
  - stepId: look
    operationId: tick
    onSuccess: [{name: back, type: goto, stepId: pay, criteria: [{condition: $response.body#/n < 3}]}]
`
	got := flowTest{flow: flow, runtime: &script{answer: func(call executor.Call, n int) executor.Exchange {
		if call.Operation.ID == "pay" {
			return lost()
		}
		return respond(200, map[string]any{"n": n})
	}}}.run(t)
	if got.seen["pay"] != 1 {
		t.Errorf("the payment was sent %d times", got.seen["pay"])
	}
	if got.Status != executor.Unknown {
		t.Errorf("ended as %s, want unknown", got.Status)
	}
}

// TestARetriedWorkflowDoesNotRepeatWhatSucceeded without a key contract.
func TestARetriedWorkflowDoesNotRepeatWhatSucceeded(t *testing.T) {
	const flow = `
workflows:
- workflowId: outer
  steps:
  - stepId: call
    workflowId: inner
    onFailure: [{name: again, type: retry, retryLimit: 2}]
- workflowId: inner
  steps:
  - stepId: pay
    operationId: pay
  - stepId: look
    operationId: tick
`
	got := flowTest{flow: flow, ids: []string{"outer"}, runtime: &script{answer: func(call executor.Call, _ int) executor.Exchange {
		if call.Operation.ID == "tick" {
			return respond(404, nil)
		}
		return respond(201, nil)
	}}}.run(t)
	if got.seen["pay"] != 1 {
		t.Errorf("the payment was sent %d times, want 1", got.seen["pay"])
	}
	if got.Status != executor.Failed {
		t.Errorf("ended as %s, want failed", got.Status)
	}
}

// TestStatement10ARequerySettlesAnUnknownOutcome by finding what was made; "not
// found" settles only once there was time for it to appear.
func TestStatement10ARequerySettlesAnUnknownOutcome(t *testing.T) {
	const flow = `
workflows:
- workflowId: w
  inputs: {type: object, properties: {ref: {type: string, default: r1}}}
  steps:
  - stepId: pay
    operationId: pay
    requestBody: {payload: {ref: $inputs.ref}}
    onFailure: [{name: ask, type: goto, stepId: ask}]
  - stepId: ask
    operationId: listPayments
    parameters: [{name: ref, in: query, value: $inputs.ref}]
    successCriteria: [{condition: $statusCode == 200 || $statusCode == 404}]
`
	answer := func(requery executor.Exchange) func(executor.Call, int) executor.Exchange {
		return func(call executor.Call, _ int) executor.Exchange {
			if call.Operation.ID == "pay" {
				return lost()
			}
			return requery
		}
	}
	tests := map[string]struct {
		requery executor.Exchange
		want    executor.Status
	}{
		"found":                       {respond(200, []string{"p1"}), executor.Recovered},
		"not found, and no time past": {respond(404, nil), executor.Unknown},
		"an empty list":               {respond(200, []string{}), executor.Unknown},
		"no answer":                   {lost(), executor.Unknown},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			got := flowTest{flow: flow, runtime: &script{answer: answer(test.requery)}}.run(t)
			if got.Status != test.want {
				t.Errorf("ended as %s (%s), want %s", got.Status, got.Reason, test.want)
			}
		})
	}
}

// TestAReadOfAnotherThingSettlesNothing: it shares no value with what was sent.
func TestAReadOfAnotherThingSettlesNothing(t *testing.T) {
	const flow = `
workflows:
- workflowId: w
  inputs: {type: object, properties: {ref: {type: string, default: r1}, other: {type: string, default: o}}}
  steps:
  - stepId: pay
    operationId: pay
    requestBody: {payload: {ref: $inputs.ref}}
    onFailure: [{name: on, type: goto, stepId: ask}]
  - stepId: ask
    operationId: listPayments
    parameters: [{name: ref, in: query, value: $inputs.other}]
`
	got := flowTest{flow: flow, runtime: &script{answer: func(call executor.Call, _ int) executor.Exchange {
		if call.Operation.ID == "pay" {
			return lost()
		}
		return respond(200, []string{"p9"})
	}}}.run(t)
	if got.Status != executor.Unknown {
		t.Errorf("ended as %s, want unknown", got.Status)
	}
}

func TestRetriesAreCountedAndFallThrough(t *testing.T) {
	const flow = `
workflows:
- workflowId: w
  steps:
  - stepId: s
    operationId: tick
    onFailure:
    - {name: never, type: retry, retryLimit: 0}
    - {name: twice, type: retry, retryLimit: 2, retryAfter: 0.5}
    - {name: other, type: goto, stepId: t}
  - stepId: t
    operationId: listOrders
`
	got := flowTest{flow: flow, runtime: &script{answer: func(call executor.Call, _ int) executor.Exchange {
		if call.Operation.ID == "tick" {
			return respond(500, nil)
		}
		return respond(200, nil)
	}}}.run(t)
	if got.order() != "tick tick tick listOrders" {
		t.Errorf("called %s", got.order())
	}
	if len(got.waits) != 2 || got.waits[0] != 500*time.Millisecond {
		t.Errorf("waited %v", got.waits)
	}
	if got.Status != executor.Recovered {
		t.Errorf("ended as %s, want recovered", got.Status)
	}
}

func TestARetryHappensOnceByDefault(t *testing.T) {
	const flow = `
workflows:
- workflowId: w
  steps:
  - stepId: s
    operationId: tick
    onFailure: [{name: again, type: retry}]
`
	got := flowTest{flow: flow, runtime: &script{answer: always(respond(500, nil))}}.run(t)
	if len(got.calls) != 2 || got.Status != executor.Failed {
		t.Errorf("%d calls, ended as %s; want 2 and failed", len(got.calls), got.Status)
	}
}

func TestTheServersRetryAfterOverrules(t *testing.T) {
	const flow = `
workflows:
- workflowId: w
  steps:
  - stepId: s
    operationId: tick
    onFailure: [{name: again, type: retry, retryAfter: 0.1, retryLimit: 3}]
`
	got := flowTest{flow: flow, runtime: &script{answer: func(_ executor.Call, n int) executor.Exchange {
		switch n {
		case 1:
			return respond(429, nil, "Retry-After", "2")
		case 2:
			return respond(503, nil, "Retry-After", epoch.Add(10*time.Second).Format("Mon, 02 Jan 2006 15:04:05 GMT"))
		default:
			return respond(200, nil)
		}
	}}}.run(t)
	if len(got.waits) != 2 || got.waits[0] != 2*time.Second || got.waits[1] < 7*time.Second || got.waits[1] > 8*time.Second {
		t.Errorf("waited %v, want 2s and a little less than 8s", got.waits)
	}
}

func TestAWaitPastTheDeadlineIsNotBegun(t *testing.T) {
	const flow = `
workflows:
- workflowId: w
  steps:
  - stepId: s
    operationId: tick
    onFailure: [{name: again, type: retry, retryAfter: 100}]
`
	got := flowTest{flow: flow, config: executor.Config{Timeout: time.Minute}, runtime: &script{answer: always(respond(500, nil))}}.run(t)
	withheld := got.texts("retryWithheld")
	if len(got.calls) != 1 || len(withheld) != 1 || !strings.Contains(withheld[0], "deadline") {
		t.Errorf("%d calls, withheld %v", len(got.calls), withheld)
	}
}

func TestStatement14AnExhaustedBudgetWithholdsTheRetry(t *testing.T) {
	const flow = `
workflows:
- workflowId: w
  steps:
  - stepId: s
    operationId: tick
    onFailure: [{name: again, type: retry, retryLimit: 5}]
`
	got := flowTest{flow: flow, runtime: &script{answer: always(respond(500, nil)), refuse: true}}.run(t)
	withheld := got.texts("retryWithheld")
	if len(got.calls) != 1 || len(withheld) != 1 || !strings.Contains(withheld[0], "retry budget exhausted") {
		t.Errorf("%d calls, withheld %v", len(got.calls), withheld)
	}
}

func TestARetryRunsItsAssistantAndComesBack(t *testing.T) {
	const byWorkflow = `
workflows:
- workflowId: w
  steps:
  - stepId: secure
    operationId: tick
    onFailure: [{name: login, type: retry, workflowId: login, criteria: [{condition: $statusCode == 401}]}]
- workflowId: login
  steps: [{stepId: token, operationId: token}]
`
	got := flowTest{flow: byWorkflow, ids: []string{"w"}, runtime: &script{answer: func(call executor.Call, n int) executor.Exchange {
		if call.Operation.ID == "tick" && n == 1 {
			return respond(401, nil)
		}
		return respond(200, nil)
	}}}.run(t)
	if got.order() != "tick token tick" || got.Status != executor.Succeeded {
		t.Errorf("called %s, ended as %s", got.order(), got.Status)
	}
}

// TestARetryIsMadeIfItsAssistantMayBringWhatIsLacking: what could not be sent for want
// of a token can be once the token is there.
func TestARetryIsMadeIfItsAssistantMayBringWhatIsLacking(t *testing.T) {
	const flow = `
workflows:
- workflowId: w
  steps:
  - {stepId: start, operationId: listOrders, onSuccess: [{name: jump, type: goto, stepId: secure}]}
  - stepId: secure
    operationId: tick
    LACKS
    onFailure: [{name: login, type: retry, stepId: token, retryLimit: 1000000000}]
    onSuccess: [{name: done, type: end}]
  - stepId: token
    operationId: token
    outputs: {token: $response.body#/token}
`
	const bearer = `parameters: [{name: Authorization, in: header, value: "Bearer {$steps.token.outputs.token}"}]`
	answer := always(respond(200, map[string]any{"token": "t1"}))
	for name, test := range map[string]struct {
		lacks, order, reason string
		answer               func(executor.Call, int) executor.Exchange
		steps                int
	}{
		"a value":       {lacks: bearer, order: "listOrders token tick", answer: answer},
		"a dependency":  {lacks: "dependsOn: [token]", order: "listOrders token tick", answer: answer},
		"never brought": {lacks: bearer, order: "listOrders token token token", answer: always(respond(200, nil)), steps: 5, reason: "has no value"},
	} {
		got := flowTest{
			flow: strings.Replace(flow, "LACKS", test.lacks, 1), config: executor.Config{MaxSteps: test.steps},
			runtime: &script{answer: test.answer},
		}.run(t)
		want := executor.Succeeded
		if test.reason != "" {
			want = executor.Failed
		}
		if len(got.texts("notice")) == 0 {
			t.Errorf("%s: it is not told why the first attempt was not made", name)
		}
		if got.order() != test.order || got.Status != want || !strings.Contains(got.Workflows[0].Reason, test.reason) {
			t.Errorf("%s: called %s, ended as %s: %s", name, got.order(), got.Status, got.Workflows[0].Reason)
		}
	}
}

// TestAnAssistantIsNotRunForABodyThatMayNotChange: what was sent first is repeated, or nothing.
func TestAnAssistantIsNotRunForABodyThatMayNotChange(t *testing.T) {
	got := flowTest{flow: `
workflows:
- workflowId: w
  steps:
  - stepId: pay
    operationId: pay
    parameters: [{name: Idempotency-Key, in: header, value: k1}]
    requestBody: {payload: {token: $steps.token.outputs.token}}
    onFailure: [{name: login, type: retry, stepId: token, retryLimit: 5}]
    onSuccess: [{name: done, type: end}]
  - stepId: token
    operationId: token
    outputs: {token: $response.body#/token}
`, runtime: &script{answer: func(call executor.Call, _ int) executor.Exchange {
		if call.Operation.ID == "pay" {
			return respond(401, nil)
		}
		return respond(200, map[string]any{"token": "t1"})
	}}}.run(t)
	if got.order() != "pay token" || !strings.Contains(got.Workflows[0].Reason, "must be repeated unchanged") {
		t.Errorf("called %s: %s", got.order(), got.Workflows[0].Reason)
	}
}

func TestACancelEndsTheWait(t *testing.T) {
	const flow = `
workflows:
- workflowId: w
  steps:
  - stepId: s
    operationId: tick
    onFailure: [{name: again, type: retry, retryAfter: 10}]
  - stepId: t
    operationId: listOrders
`
	got := flowTest{flow: flow, runtime: &script{answer: always(respond(500, nil)), cancel: true}}.run(t)
	if got.Status != executor.Cancelled || got.order() != "tick" {
		t.Errorf("ended as %s after %s", got.Status, got.order())
	}
}
