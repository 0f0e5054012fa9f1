package executor_test

import (
	"strings"
	"testing"

	"github.com/weft-flow/weft/executor"
	"github.com/weft-flow/weft/idempotency"
)

// TestAResponseThatBreaksItsDescriptionIsAFinding and never decides a step.
func TestAResponseThatBreaksItsDescriptionIsAFinding(t *testing.T) {
	const flow = `
workflows:
- workflowId: w
  steps:
  - {stepId: a, operationId: tick, successCriteria: [{condition: $statusCode == 418}]}
  - {stepId: b, operationId: listOrders}
`
	answer := func(call executor.Call, _ int) executor.Exchange {
		if call.Operation.ID == "tick" {
			return respond(418, nil)
		}
		return respond(200, nil)
	}
	tests := map[executor.ContractMode]int{"": 1, executor.ContractError: 1, executor.ContractWarn: 1, executor.ContractOff: 0}
	for mode, want := range tests {
		got := flowTest{flow: flow, config: executor.Config{Contract: mode}, runtime: &script{answer: answer}}.run(t)
		if got.Status != executor.Succeeded || got.order() != "tick listOrders" {
			t.Errorf("mode %q: ended as %s after %q", mode, got.Status, got.order())
		}
		findings := got.texts("contractFinding")
		if len(findings) != want || got.Counts.Findings != want {
			t.Errorf("mode %q: %d findings, %d counted, want %d: %v", mode, len(findings), got.Counts.Findings, want, findings)
		}
		if want > 0 && !strings.Contains(findings[0], "the status 418 is not described") {
			t.Errorf("mode %q: %s", mode, findings[0])
		}
	}
}

// TestSecretsAreMaskedInFindings: a finding names members and tells numbers of a
// body.
func TestSecretsAreMaskedInFindings(t *testing.T) {
	const api = `
openapi: 3.1.0
info: {title: Strict, version: "1"}
servers: [{url: "http://127.0.0.1:1"}]
paths:
  /strict:
    get:
      operationId: strict
      responses:
        "200":
          description: ok
          content: {application/json: {schema: {type: object, additionalProperties: {type: number, maximum: 5}}}}
`
	const flow = `
workflows:
- workflowId: w
  inputs: {type: object, properties: {pin: {format: password}}}
  steps: [{stepId: a, operationId: $sourceDescriptions.strict.strict}]
`
	got := flowTest{
		flow: flow, inputs: `{"pin": "99887766"}`, runtime: echo(`{"99887766": 99887766}`),
		more: map[string]string{"strict.yaml": api, "#sources": ", {name: strict, url: strict.yaml, type: openapi}"},
	}.run(t)
	if got.Counts.Findings != 1 {
		t.Fatalf("%d findings, so the test tells nothing", got.Counts.Findings)
	}
	assertHidden(t, got, "99887766")
}

// TestARenewedCredentialIsTriedOnceMore, under the same key, and once only.
func TestARenewedCredentialIsTriedOnceMore(t *testing.T) {
	const flow = `
workflows: [{workflowId: w, steps: [{stepId: a, operationId: createOrder}]}]
`
	refused := respond(401, nil)
	refused.Renewed = true
	got := flowTest{flow: flow, config: executor.Config{Contract: executor.ContractOff}, runtime: &script{answer: always(refused)}}.run(t)
	if len(got.calls) != 2 || got.Status != executor.Failed {
		t.Fatalf("%d requests, ended as %s; want 2 and failed", len(got.calls), got.Status)
	}
	if *got.calls[0].Key != *got.calls[1].Key || got.calls[0].Name == got.calls[1].Name {
		t.Error("the second request is no further attempt under the same key")
	}
	got = flowTest{flow: flow, config: executor.Config{Contract: executor.ContractOff}, runtime: &script{answer: func(_ executor.Call, n int) executor.Exchange {
		if n == 1 {
			return refused
		}
		return respond(201, nil)
	}}}.run(t)
	if len(got.calls) != 2 || got.Status != executor.Succeeded {
		t.Errorf("%d requests, ended as %s; want 2 and succeeded", len(got.calls), got.Status)
	}
	exhausted := flowTest{flow: flow, runtime: &script{answer: always(refused), refuse: true}}.run(t)
	if len(exhausted.calls) != 1 {
		t.Errorf("%d requests although the retry budget is exhausted", len(exhausted.calls))
	}
}

// TestAListInThePathIsCheckedAsItIsSent, and is no finding where it is right.
func TestAListInThePathIsCheckedAsItIsSent(t *testing.T) {
	const api = `
openapi: 3.1.0
info: {title: t, version: "1"}
servers: [{url: "http://127.0.0.1:1"}]
paths:
  /things/{ids}:
    get:
      operationId: things
      parameters: [{name: ids, in: path, required: true, schema: {type: array, items: {type: integer}}}]
      responses: {"200": {description: ok}}
`
	flow := func(ids string) string {
		return `
workflows: [{workflowId: w, steps: [{stepId: a, operationId: $sourceDescriptions.more.things, parameters: [{name: ids, in: path, value: ` + ids + `}]}]}]
`
	}
	more := map[string]string{"more.yaml": api, "#sources": ", {name: more, url: more.yaml, type: openapi}"}
	for ids, want := range map[string]int{"[1, 2]": 0, "[1, x]": 1} {
		got := flowTest{flow: flow(ids), more: more, runtime: ok()}.run(t)
		if findings := got.texts("contractFinding"); len(findings) != want {
			t.Errorf("%s: findings %v, want %d", ids, findings, want)
		}
	}
}

// TestABodyThatIsNotTheJSONThatItSaysIsTold: it is text then, and a person learns
// why criteria about its members do not pass.
func TestABodyThatIsNotTheJSONThatItSaysIsTold(t *testing.T) {
	const api = `
openapi: 3.1.0
info: {title: Broken, version: "1"}
servers: [{url: "http://127.0.0.1:1"}]
paths:
  /broken:
    get:
      operationId: broken
      responses: {"200": {description: ok, content: {application/json: {schema: {type: object}}}}}
`
	const flow = `
workflows:
- workflowId: w
  steps:
  - {stepId: a, operationId: $sourceDescriptions.other.broken, successCriteria: [{condition: $response.body#/id == 1}]}
`
	tests := []struct{ body, finding, notice string }{
		{`{"id":`, "not JSON", "not the JSON that it says to be"},
		{strings.Repeat("[", 100_000), "", "nested deeper than"},
		{`"text"`, "expected object, this is a string", ""},
		{`{"id":1}`, "", ""},
	}
	for _, test := range tests {
		answer := always(executor.Exchange{Class: idempotency.Succeeded, Response: &executor.Response{
			Status: 200, Header: executor.Header{"Content-Type": {"application/json"}}, Body: []byte(test.body),
		}})
		got := flowTest{flow: flow, more: map[string]string{"other.yaml": api, "#sources": ", {name: other, url: other.yaml, type: openapi}"}, runtime: &script{answer: answer}}.run(t)
		for kind, want := range map[string]string{"contractFinding": test.finding, "notice": test.notice} {
			told := strings.Join(got.texts(kind), " ")
			if (told != "") != (want != "") || !strings.Contains(told, want) {
				t.Errorf("%.20s: %s is %q, want %q", test.body, kind, told, want)
			}
		}
	}
}
