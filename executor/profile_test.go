package executor_test

import (
	"testing"
	"time"

	"github.com/weft-flow/weft/executor"
	"github.com/weft-flow/weft/idempotency"
)

// TestAProfileMakesAContract: what the user knows of the API stands in for what
// its description does not say.
func TestAProfileMakesAContract(t *testing.T) {
	config := executor.Config{Sources: map[string]executor.SourceConfig{
		"shop": {Profile: &idempotency.Profile{Dialect: idempotency.Plain("X-Once")}},
	}}
	got := flowTest{flow: payOnce, config: config, runtime: &script{answer: func(_ executor.Call, n int) executor.Exchange {
		if n == 1 {
			return lost()
		}
		return respond(201, nil)
	}}}.run(t)
	if len(got.calls) != 2 || got.Status != executor.Succeeded {
		t.Fatalf("%d requests, ended as %s; want 2 and succeeded", len(got.calls), got.Status)
	}
	for i, call := range got.calls {
		if call.Key == nil || call.Key.Header != "X-Once" || *call.Key != *got.calls[0].Key || call.Profile == nil {
			t.Errorf("request %d has the key %+v", i+1, call.Key)
		}
	}
}

// TestAProfileSaysWhenNotFoundSettles an unknown outcome.
func TestAProfileSaysWhenNotFoundSettles(t *testing.T) {
	const flow = `
workflows:
- workflowId: w
  inputs: {type: object, properties: {ref: {type: string, default: r1}}}
  steps:
  - stepId: pay
    operationId: pay
    requestBody: {payload: {ref: $inputs.ref}}
    onFailure: [{name: pause, type: goto, stepId: pause}]
  - {stepId: pause, operationId: tick, successCriteria: [{condition: $statusCode == 404}]}
  - stepId: ask
    operationId: listPayments
    parameters: [{name: ref, in: query, value: $inputs.ref}]
    successCriteria: [{condition: $statusCode == 404}]
`
	answer := func(call executor.Call, _ int) executor.Exchange {
		if call.Operation.ID == "pay" {
			return lost()
		}
		return respond(404, nil)
	}
	for after, want := range map[time.Duration]executor.Status{time.Hour: executor.Unknown, time.Nanosecond: executor.Recovered} {
		config := executor.Config{Sources: map[string]executor.SourceConfig{"shop": {Profile: &idempotency.Profile{SettleAfter: after}}}}
		got := flowTest{flow: flow, config: config, runtime: &script{answer: answer}}.run(t)
		if got.Status != want {
			t.Errorf("settle after %v: ended as %s, want %s", after, got.Status, want)
		}
	}
}

// TestTheConfigurationSaysWhatACallDoes where its method does not.
func TestTheConfigurationSaysWhatACallDoes(t *testing.T) {
	config := executor.Config{Sources: map[string]executor.SourceConfig{"shop": {Effects: map[string]string{"pay": idempotency.MarkIdempotent}}}}
	got := flowTest{flow: payOnce, config: config, runtime: &script{answer: always(lost())}}.run(t)
	if len(got.calls) != 4 || got.Status != executor.Failed {
		t.Errorf("%d requests, ended as %s; want 4 and failed", len(got.calls), got.Status)
	}
}
