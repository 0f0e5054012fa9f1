package executor_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/weft-flow/weft/executor"
	"github.com/weft-flow/weft/idempotency"
)

// TestARetryThatIsWithheldIsCountedOnce, and one that is not allowed at all never.
func TestARetryThatIsWithheldIsCountedOnce(t *testing.T) {
	tests := []struct {
		name, actions string
		withheld      int
	}{
		{"never allowed", "{name: a, type: retry, retryLimit: 0}", 0},
		{"once", "{name: a, type: retry, retryLimit: 4}", 1},
		{"two actions", "{name: a, type: retry}, {name: b, type: retry}", 2},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			flow := fmt.Sprintf(`
workflows:
- workflowId: w
  steps:
  - {stepId: a, operationId: getOrder, parameters: [{name: id, in: path, value: $steps.a.outputs.none}], onFailure: [%s], outputs: {none: $statusCode}}
`, test.actions)
			got := flowTest{flow: flow, runtime: ok()}.run(t)
			if got.Counts.Withheld != test.withheld || len(got.texts("retryWithheld")) != test.withheld {
				t.Errorf("%d counted, told %v; want %d", got.Counts.Withheld, got.texts("retryWithheld"), test.withheld)
			}
		})
	}
}

// TestARepeatByAJumpThatIsWithheldIsCountedOnce, whatever the step's own retries.
func TestARepeatByAJumpThatIsWithheldIsCountedOnce(t *testing.T) {
	const flow = `
workflows:
- workflowId: w
  steps:
  - stepId: pay
    operationId: pay
    onFailure:
    - {name: look, type: goto, stepId: look, criteria: [{condition: $steps.look.outputs.n == null}]}
    - {name: again, type: retry}
  - {stepId: look, operationId: tick, outputs: {n: $response.body#/n}, onSuccess: [{name: back, type: goto, stepId: pay}]}
`
	got := flowTest{flow: flow, runtime: &script{answer: func(call executor.Call, n int) executor.Exchange {
		if call.Operation.ID == "pay" {
			return lost()
		}
		return respond(200, map[string]int{"n": n})
	}}}.run(t)
	if got.order() != "pay tick" || got.Counts.Withheld != 1 || len(got.texts("retryWithheld")) != 1 {
		t.Errorf("called %q, %d withheld: %v", got.order(), got.Counts.Withheld, got.texts("retryWithheld"))
	}
}

// TestStatement11AnAllowedRepeatIsVisible also where a jump makes it, and is not
// counted where it is not made.
func TestStatement11AnAllowedRepeatIsVisible(t *testing.T) {
	const jump = `
workflows:
- workflowId: w
  steps:
  - {stepId: pay, operationId: pay, onFailure: [{name: on, type: goto, stepId: look}], onSuccess: [{name: end, type: end}]}
  - {stepId: look, operationId: tick, onSuccess: [{name: back, type: goto, stepId: pay}]}
`
	lossThenAnswer := func(call executor.Call, n int) executor.Exchange {
		if call.Operation.ID == "pay" && n == 1 {
			return lost()
		}
		return respond(200, nil)
	}
	got := flowTest{flow: jump, config: executor.Config{UnsafeRetry: true}, runtime: &script{answer: lossThenAnswer}}.run(t)
	if got.order() != "pay tick pay" || got.Counts.UnsafeRepeats != 1 || len(got.texts("notice")) != 1 {
		t.Errorf("called %q, %d unsafe repeats, told %v", got.order(), got.Counts.UnsafeRepeats, got.texts("notice"))
	}
	got = flowTest{flow: payOnce, config: executor.Config{UnsafeRetry: true}, runtime: &script{answer: lossThenAnswer, cancel: true}}.run(t)
	if len(got.calls) != 1 || got.Counts.UnsafeRepeats != 0 {
		t.Errorf("%d calls, %d unsafe repeats; want one call and no repeat", len(got.calls), got.Counts.UnsafeRepeats)
	}
}

// TestNothingOfAnAttemptIsSeenByTheNext: what a step sends is made from what was
// known before it.
func TestNothingOfAnAttemptIsSeenByTheNext(t *testing.T) {
	const flow = `
workflows:
- workflowId: w
  steps:
  - stepId: a
    operationId: listOrders
    parameters: [{name: ref, in: query, value: $response.body#/n}, {name: must, in: query, value: $statusCode}]
    onFailure: [{name: again, type: retry}]
`
	got := flowTest{flow: flow, runtime: &script{answer: always(respond(500, map[string]int{"n": 1}))}}.run(t)
	if len(got.calls) != 2 || len(got.calls[1].Arguments) != 0 {
		t.Errorf("%d calls, the second with %+v", len(got.calls), got.calls[1].Arguments)
	}
}

// TestStatement18ARetryRunsItsHelperOnceAndComesBack: the helper's criteria and
// outputs count, its goto and end do not; the key stays, a refreshed token is sent.
func TestStatement18ARetryRunsItsHelperOnceAndComesBack(t *testing.T) {
	const flow = `
workflows:
- workflowId: w
  steps:
  - stepId: order
    operationId: createOrder
    parameters: [{name: Authorization, in: header, value: 'Bearer {$steps.login.outputs.n}'}]
    requestBody: {payload: {sku: TEA}}
    onFailure: [{name: login, type: retry, stepId: login, retryLimit: 2, criteria: [{condition: $statusCode == 401}]}]
  - {stepId: between, operationId: tick, onSuccess: [{name: done, type: end}]}
  - stepId: login
    operationId: token
    outputs: {n: $response.body#/n}
    onSuccess: [{name: away, type: end}]
    onFailure: [{name: away, type: goto, stepId: between}]
`
	flowWithFirstLogin := strings.Replace(flow, "  steps:\n", "  steps:\n  - {stepId: start, operationId: listOrders, onSuccess: [{name: on, type: goto, stepId: order}], onFailure: [{name: pre, type: retry, stepId: login}]}\n", 1)
	got := flowTest{flow: flowWithFirstLogin, runtime: &script{answer: func(call executor.Call, n int) executor.Exchange {
		switch {
		case call.Operation.ID == "listOrders" && n == 1:
			return respond(500, nil)
		case call.Operation.ID == "createOrder" && n < 3:
			return respond(401, nil)
		case call.Operation.ID == "token" && n == 2:
			return respond(403, nil) // the helper's result does not matter
		default:
			return respond(200, map[string]int{"n": n})
		}
	}}}.run(t)
	if got.order() != "listOrders token listOrders createOrder token createOrder token createOrder tick" {
		t.Fatalf("called %q", got.order())
	}
	var keys, tokens []string
	for _, call := range got.calls {
		if call.Operation.ID != "createOrder" {
			continue
		}
		keys = append(keys, call.Key.Value)
		for _, a := range call.Arguments {
			tokens = append(tokens, a.Value.Text())
		}
	}
	if keys[0] != keys[1] || keys[1] != keys[2] {
		t.Errorf("the keys are %v", keys)
	}
	if strings.Join(tokens, ",") != "Bearer 1,Bearer 1,Bearer 3" {
		t.Errorf("the tokens are %v", tokens)
	}
	if got.Status != executor.Succeeded {
		t.Errorf("ended as %s: %s", got.Status, got.Reason)
	}
}

// TestStatement18ARetryWhoseBodyWouldDifferFails, and nothing is sent.
func TestStatement18ARetryWhoseBodyWouldDifferFails(t *testing.T) {
	const flow = `
workflows:
- workflowId: w
  steps:
  - {stepId: login, operationId: token, outputs: {n: $response.body#/n}}
  - stepId: order
    operationId: createOrder
    requestBody: {payload: {token: $steps.login.outputs.n}}
    onFailure: [{name: again, type: retry, stepId: login, retryLimit: 3}, {name: on, type: goto, stepId: after}]
  - {stepId: after, operationId: tick}
`
	got := flowTest{flow: flow, runtime: &script{answer: func(call executor.Call, n int) executor.Exchange {
		if call.Operation.ID == "createOrder" {
			return respond(401, nil)
		}
		return respond(200, map[string]int{"n": n})
	}}}.run(t)
	if got.order() != "token createOrder token tick" || got.Status != executor.Recovered {
		t.Errorf("called %q, ended as %s", got.order(), got.Status)
	}
	if withheld := got.texts("retryWithheld"); len(withheld) != 1 || !strings.Contains(withheld[0], "body would differ") {
		t.Errorf("withheld: %v", withheld)
	}
}

// TestRetriesThatRunStepsWithinEachOtherEnd: a step may even name itself.
func TestRetriesThatRunStepsWithinEachOtherEnd(t *testing.T) {
	const itself = `
workflows:
- workflowId: w
  steps: [{stepId: a, operationId: tick, onFailure: [{name: r, type: retry, stepId: a}]}]
`
	got := flowTest{flow: itself, config: executor.Config{MaxSteps: 1 << 40}, runtime: &script{answer: always(respond(500, nil))}}.run(t)
	if got.Status != executor.Failed || got.Counts.Steps > 64 {
		t.Errorf("ended as %s after %d steps", got.Status, got.Counts.Steps)
	}
	const mutual = `
workflows:
- workflowId: w
  steps:
  - {stepId: a, operationId: tick, onFailure: [{name: r, type: retry, stepId: b, retryLimit: 3}]}
  - {stepId: b, operationId: listOrders, onFailure: [{name: r, type: retry, stepId: a, retryLimit: 3}]}
`
	got = flowTest{flow: mutual, config: executor.Config{MaxSteps: 500}, runtime: &script{answer: always(respond(500, nil))}}.run(t)
	if got.Status != executor.Failed || got.Counts.Steps > 500 {
		t.Errorf("ended as %s after %d steps", got.Status, got.Counts.Steps)
	}
}

// TestStatement12AKeyInFlightStaysOpen through attempts that say nothing of it.
func TestStatement12AKeyInFlightStaysOpen(t *testing.T) {
	inFlight := respond(409, nil)
	inFlight.Class = idempotency.Deferred
	notSent := executor.Exchange{Class: idempotency.NotSent, Reason: "no connection before the request was sent"}
	const flow = `
workflows:
- workflowId: w
  steps: [{stepId: order, operationId: createOrder, onFailure: [{name: again, type: retry, retryLimit: 1}]}]
`
	tests := []struct {
		name string
		then executor.Exchange
		want executor.Status
	}{
		{"it is not sent", notSent, executor.Unknown},
		{"it is refused before the key is looked at", respond(401, nil), executor.Unknown},
		{"it is in flight still", inFlight, executor.Unknown},
		{"it is refused for its key, perhaps", respond(422, nil), executor.Unknown},
		{"it is refused", respond(402, nil), executor.Failed},
		{"it succeeds", respond(201, nil), executor.Succeeded},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			got := flowTest{flow: flow, runtime: &script{answer: func(_ executor.Call, n int) executor.Exchange {
				if n == 1 {
					return inFlight
				}
				return test.then
			}}}.run(t)
			if len(got.calls) != 2 || got.calls[0].Key.Value != got.calls[1].Key.Value || got.Status != test.want {
				t.Errorf("%d calls, ended as %s (%s), want %s", len(got.calls), got.Status, got.Reason, test.want)
			}
		})
	}
}

// TestStatement01EveryByteOfTheBodyIsRepeated: a number that is the same but
// written in another way is not.
func TestStatement01EveryByteOfTheBodyIsRepeated(t *testing.T) {
	const flow = `
workflows:
- workflowId: w
  steps:
  - {stepId: price, operationId: tick, outputs: {p: $response.body#/p}}
  - stepId: order
    operationId: createOrder
    requestBody: {payload: {price: $steps.price.outputs.p}}
    onFailure: [{name: again, type: retry, stepId: price}]
`
	got := flowTest{flow: flow, runtime: &script{answer: func(call executor.Call, n int) executor.Exchange {
		if call.Operation.ID == "createOrder" {
			return respond(429, nil)
		}
		x := respond(200, nil)
		x.Response.Body = []byte([]string{`{"p":10.10}`, `{"p":10.1}`}[n-1])
		return x
	}}}.run(t)
	if len(got.calls) != 4 {
		t.Fatalf("called %q", got.order())
	}
	for _, i := range []int{1, 3} {
		if body := got.calls[i].Body.Value.String(); body != `{"price":10.10}` {
			t.Errorf("call %d carries %s", i+1, body)
		}
	}
}

// TestWhatWasNeverSentBindsNothing: a request that could not be written is no
// attempt, and a later round may send other content.
func TestWhatWasNeverSentBindsNothing(t *testing.T) {
	const flow = `
workflows:
- workflowId: outer
  steps: [{stepId: call, workflowId: inner, onFailure: [{name: again, type: retry}]}]
- workflowId: inner
  steps:
  - {stepId: price, operationId: tick, outputs: {n: $response.body#/n}}
  - {stepId: order, operationId: createOrder, requestBody: {payload: {n: $steps.price.outputs.n}}}
`
	got := flowTest{flow: flow, ids: []string{"outer"}, runtime: &script{answer: func(call executor.Call, n int) executor.Exchange {
		if call.Operation.ID == "createOrder" && n == 1 {
			return executor.Exchange{Class: idempotency.NotSent, Refused: "the path is not whole"}
		}
		return respond(201, map[string]int{"n": n})
	}}}.run(t)
	if got.order() != "tick createOrder tick createOrder" || got.Status != executor.Succeeded {
		t.Errorf("called %q, ended as %s: %s", got.order(), got.Status, got.Reason)
	}
}

// TestStatement11AHelperThatSendsTheSameStepIsSeen: what was decided before it ran
// does not hold after it.
func TestStatement11AHelperThatSendsTheSameStepIsSeen(t *testing.T) {
	const flow = `
workflows:
- workflowId: w
  steps: [{stepId: pay, operationId: pay, onFailure: [{name: again, type: retry, stepId: pay}]}]
`
	got := flowTest{flow: flow, runtime: &script{answer: func(_ executor.Call, n int) executor.Exchange {
		if n == 1 {
			return respond(401, nil)
		}
		return lost()
	}}}.run(t)
	if len(got.calls) != 2 || got.Status != executor.Unknown {
		t.Errorf("%d requests, ended as %s; want 2 and unknown", len(got.calls), got.Status)
	}
}

// TestStatement08ARenewedCredentialIsTriedOnce, unless that would not be safe, or too late.
func TestStatement08ARenewedCredentialIsTriedOnce(t *testing.T) {
	const flow = `
workflows:
- workflowId: w
  steps: [{stepId: pay, operationId: pay}]
`
	answer := func(_ executor.Call, n int) executor.Exchange {
		x := respond(401, nil)
		x.Renewed = true
		return x
	}
	doneBefore := &idempotency.Profile{Statuses: map[int]idempotency.Class{401: idempotency.Unknown}}
	tests := []struct {
		name            string
		config          executor.Config
		refuse          bool
		calls, withheld int
	}{
		{name: "once", calls: 2},
		{name: "without budget", refuse: true, calls: 1, withheld: 1},
		{name: "after the deadline", config: executor.Config{Timeout: 10 * time.Millisecond}, calls: 1, withheld: 1},
		{name: "where 401 does not mean that nothing happened", config: executor.Config{Sources: map[string]executor.SourceConfig{"shop": {Profile: doneBefore}}}, calls: 1, withheld: 1},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			got := flowTest{flow: flow, config: test.config, runtime: &script{refuse: test.refuse, answer: func(call executor.Call, n int) executor.Exchange {
				x := answer(call, n)
				if call.Profile != nil {
					x.Class = call.Profile.Statuses[401]
				}
				return x
			}}}.run(t)
			if len(got.calls) != test.calls || got.Counts.Withheld != test.withheld || len(got.texts("retryWithheld")) != test.withheld {
				t.Errorf("%d calls, %d withheld: %v", len(got.calls), got.Counts.Withheld, got.texts("retryWithheld"))
			}
		})
	}
}

// TestAWrittenKeyWithoutAValueIsNotReplacedByAnother: the step fails before sending.
func TestAWrittenKeyWithoutAValueIsNotReplacedByAnother(t *testing.T) {
	const flow = `
workflows:
- workflowId: w
  inputs: {type: object, properties: {key: {type: string}}}
  steps: [{stepId: order, operationId: createOrder, parameters: [{name: Idempotency-Key, in: header, value: $inputs.key}]}]
`
	got := flowTest{flow: flow, runtime: ok()}.run(t)
	if len(got.calls) != 0 || got.Status != executor.Failed || !strings.Contains(got.Reason, `"Idempotency-Key" is required, and $inputs.key is absent`) {
		t.Errorf("%d requests, ended as %s: %s", len(got.calls), got.Status, got.Reason)
	}
}
