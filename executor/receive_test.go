package executor_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/weft-flow/weft/executor"
	"github.com/weft-flow/weft/idempotency"
)

// payFlow pays, waits for the message about it, and asks where none comes.
const payFlow = `
x-weft-states:
  initial: NEW
  terminal: [PAID, FAILED]
  transitions: {NEW: [PAID, FAILED]}
workflows:
- workflowId: w
  inputs: {type: object, properties: {ref: {type: string, default: r-1}}}
  steps:
  - {stepId: pay, operationId: pay, requestBody: {contentType: application/json, payload: {ref: $inputs.ref}}}
  - stepId: wait
    operationId: paid
    action: receive
    correlationId: $inputs.ref
    timeout: 1000
    successCriteria: [{condition: $message.payload#/status == 'PAID'}]
    outputs: {status: $message.payload#/status, count: $message.header.X-Count}
    onSuccess: [{name: done, type: end}]
    onFailure:
    - {name: refused, type: end, criteria: [{condition: $message.payload#/status == 'FAILED'}], x-weft-state: FAILED}
    - {name: ask, type: goto, stepId: ask}
    x-weft-correlation: $message.payload#/ref
    x-weft-state: PAID
  - {stepId: ask, operationId: listPayments, x-weft-state: PAID}
  outputs: {status: $steps.wait.outputs.status, count: $steps.wait.outputs.count}
`

const paidBox = "webhook:shop/paid"

func paying() *script {
	return &script{answer: func(call executor.Call, _ int) executor.Exchange {
		return executor.Exchange{
			Response: &executor.Response{Status: 200, Header: executor.Header{}}, Class: idempotency.Succeeded,
			Sent: executor.Sent{Method: call.Operation.Method, URL: call.Server + call.Operation.Path, Header: executor.Header{}},
		}
	}}
}

const paidMessage = `{"ref":"r-1","status":"PAID"}`

func TestAMessageDecidesTheStep(t *testing.T) {
	for name, test := range map[string]struct {
		mail   func(*inboxScript)
		status executor.Status
		state  string
		order  string
		events string // messageReceived and messageSetAside, in short
		output string
	}{
		"in time": {
			func(i *inboxScript) { i.comes(500*time.Millisecond, paidBox, "m1", paidMessage) },
			executor.Succeeded, "PAID", "pay", "took 1", `{"status":"PAID","count":"1"}`,
		},
		"before the response": {
			func(i *inboxScript) { i.comes(time.Millisecond, paidBox, "m1", paidMessage) },
			executor.Succeeded, "PAID", "pay", "took 1", `{"status":"PAID","count":"1"}`,
		},
		"about another order": {
			func(i *inboxScript) { i.comes(5*time.Millisecond, paidBox, "m1", `{"ref":"r-2","status":"PAID"}`) },
			executor.Recovered, "PAID", "pay listPayments", "unawaited 1", `{}`,
		},
		"refused": {
			func(i *inboxScript) { i.comes(5*time.Millisecond, paidBox, "m1", `{"ref":"r-1","status":"FAILED"}`) },
			executor.Failed, "FAILED", "pay", "took 1", `{}`,
		},
		"a status that nobody knows": {
			func(i *inboxScript) { i.comes(5*time.Millisecond, paidBox, "m1", `{"ref":"r-1","status":"ODD"}`) },
			executor.Recovered, "PAID", "pay listPayments", "took 1", `{}`,
		},
		"late": {
			func(i *inboxScript) { i.comes(1020*time.Millisecond, paidBox, "m1", paidMessage) },
			executor.Recovered, "PAID", "pay listPayments", "late 1", `{}`,
		},
		"late, and against what is known": {
			func(i *inboxScript) {
				i.comes(1020*time.Millisecond, paidBox, "m1", `{"ref":"r-1","status":"FAILED"}`)
			},
			executor.Recovered, "PAID", "pay listPayments", "late 1, refused FAILED: PAID is terminal", `{}`,
		},
		"twice under one identity": {
			func(i *inboxScript) {
				i.comes(5*time.Millisecond, paidBox, "m1", paidMessage).repeats = []repeatAt{{0, executor.Repeat{Number: 1, Same: 2}}}
			},
			executor.Succeeded, "PAID", "pay", "took 1, duplicate 1 2 times", `{"status":"PAID","count":"1"}`,
		},
		"one identity, two contents": {
			func(i *inboxScript) {
				i.comes(5*time.Millisecond, paidBox, "m1", paidMessage).repeats = []repeatAt{{0, executor.Repeat{Number: 1, Different: 1}}}
			},
			executor.Succeeded, "PAID", "pay", "took 1, conflicting 1 fails", `{"status":"PAID","count":"1"}`,
		},
		"twice without an identity": {
			func(i *inboxScript) {
				i.comes(5*time.Millisecond, paidBox, "", paidMessage).comes(6*time.Millisecond, paidBox, "", paidMessage)
			},
			executor.Succeeded, "PAID", "pay", "took 1, surplus 2", `{"status":"PAID","count":"1"}`,
		},
		"nothing, but a stray": {
			func(i *inboxScript) {
				i.strays = []executor.Stray{{Box: paidBox, Received: epoch, Reason: "the signature does not match"}}
			},
			executor.Recovered, "PAID", "pay listPayments", "unmatched: the signature does not match", `{}`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			runtime := paying()
			test.mail(&runtime.inbox)
			got := flowTest{flow: payFlow, runtime: runtime, config: executor.Config{Linger: 2 * time.Second}}.run(t)
			w := got.Workflows[0]
			if w.Status != test.status || w.State != test.state || got.order() != test.order || w.Outputs.String() != test.output {
				t.Errorf("ended as %s (%s) in state %s, called %q, outputs %s", w.Status, w.Reason, w.State, got.order(), w.Outputs)
			}
			if events := got.mail(); events != test.events {
				t.Errorf("the messages: %s\nwant %s", events, test.events)
			}
			if !got.inbox.ended {
				t.Error("the receivers were left open")
			}
		})
	}
}

// mail tells what became of messages.
func (r flowResult) mail() string {
	var told []string
	for _, e := range r.events {
		switch d := e.Detail.(type) {
		case executor.MessageReceived:
			told = append(told, fmt.Sprintf("took %d", d.Number))
		case executor.MessageSetAside:
			text := string(d.Why)
			if d.Number > 0 {
				text += fmt.Sprintf(" %d", d.Number)
			} else {
				text += ": " + d.Reason
			}
			if d.Count > 1 {
				text += fmt.Sprintf(" %d times", d.Count)
			}
			if d.Fails {
				text += " fails"
			}
			told = append(told, text)
		case executor.StateRefused:
			told = append(told, "refused "+d.To+": "+d.Reason)
		}
	}
	return strings.Join(told, ", ")
}

func TestWhatIsExpectedIsKnownBeforeTheFirstStep(t *testing.T) {
	got := flowTest{flow: payFlow, runtime: paying()}.run(t)
	if len(got.inbox.boxes) != 1 {
		t.Fatalf("mailboxes %+v", got.inbox.boxes)
	}
	box := got.inbox.boxes[0]
	if box.Name != paidBox || box.Kind != executor.WebhookBox || box.Source != "shop" || box.Operation != "paid" || box.Method != "POST" || box.Status != 200 {
		t.Errorf("mailbox %+v", box)
	}
	if len(box.Expect) != 1 || box.Expect[0].Value.Text() != "r-1" || box.Expect[0].Where.String() != "$message.payload#/ref" {
		t.Errorf("expected before the run: %+v", box.Expect)
	}
	if len(got.inbox.expected) != 1 || got.inbox.expected[0].Value.Text() != "r-1" {
		t.Errorf("expected while waiting: %+v", got.inbox.expected)
	}
}

// TestARetryTakesTheNextMessage: the first message decides the attempt (messaging.md 8).
func TestARetryTakesTheNextMessage(t *testing.T) {
	flow := strings.Replace(payFlow, "    - {name: refused,", "    - {name: next, type: retry, retryLimit: 3, criteria: [{condition: $message.payload#/status == 'PENDING'}]}\n    - {name: refused,", 1)
	runtime := paying()
	runtime.inbox.comes(time.Millisecond, paidBox, "m1", `{"ref":"r-1","status":"PENDING"}`).comes(2*time.Millisecond, paidBox, "m2", paidMessage)
	got := flowTest{flow: flow, runtime: runtime}.run(t)
	if got.Status != executor.Succeeded || got.mail() != "took 1, took 2" {
		t.Errorf("ended as %s: %s", got.Status, got.mail())
	}
}

// TestParametersOfTheWorkflowAreNotForStepsThatReceive: they are sent with what is sent.
func TestParametersOfTheWorkflowAreNotForStepsThatReceive(t *testing.T) {
	flow := strings.Replace(payFlow, "  steps:\n", "  parameters: [{name: X-Trace, in: header, value: t}, {name: region, in: channel, value: eu}]\n  steps:\n", 1)
	runtime := paying()
	runtime.inbox.comes(time.Millisecond, paidBox, "m1", paidMessage)
	got := flowTest{flow: flow, runtime: runtime}.run(t)
	if got.Status != executor.Succeeded || got.mail() != "took 1" {
		t.Errorf("ended as %s (%s): %s", got.Status, got.Reason, got.mail())
	}
	if sent := fmt.Sprint(got.calls[0].Arguments); !strings.Contains(sent, "X-Trace") {
		t.Errorf("sent with %s", sent)
	}
}

func TestAValueThatIsMissingMatchesNothing(t *testing.T) {
	for _, expression := range []string{"$inputs.gone", "$steps.pay.outputs.id", "''"} {
		flow := strings.Replace(payFlow, "correlationId: $inputs.ref", "correlationId: "+expression, 1)
		flow = strings.Replace(flow, "{stepId: pay, ", "{stepId: pay, outputs: {id: $response.body#/id}, ", 1)
		runtime := paying()
		runtime.inbox.comes(time.Millisecond, paidBox, "m1", `{"status":"PAID"}`)
		got := flowTest{flow: flow, runtime: runtime}.run(t)
		if got.Status != executor.Recovered || strings.Contains(got.mail(), "took") {
			t.Errorf("%s: ended as %s: %s", expression, got.Status, got.mail())
		}
		if failed := got.texts("stepFinished"); !strings.Contains(failed[1], "cannot be recognised by it") {
			t.Errorf("%s: %s", expression, failed[1])
		}
	}
}

const callbackAPI = `
openapi: 3.1.0
info: {title: Shop, version: "1"}
servers: [{url: "http://127.0.0.1:1"}]
paths:
  /subscribe:
    post:
      operationId: subscribe
      requestBody: {content: {application/json: {schema: {type: object}}}}
      responses: {"200": {description: ok}}
      callbacks:
        done:
          '{$request.body#/url}':
            post: {operationId: finished, responses: {"204": {description: ok}}}
`

const callbackFlow = `
workflows:
- workflowId: w
  inputs: {type: object, required: [url], properties: {url: {type: string, x-weft-callback: wait}}}
  steps:
  - {stepId: ask, operationId: subscribe, requestBody: {contentType: application/json, payload: {url: $inputs.url}}}
  - {stepId: wait, operationId: finished, timeout: 1000, outputs: {body: $message.payload}}
  outputs: {body: $steps.wait.outputs.body}
`

// subscribed answers and shows what was sent.
func subscribed() *script {
	return &script{answer: func(call executor.Call, _ int) executor.Exchange {
		x := respond(200, map[string]any{})
		x.Sent = executor.Sent{
			Method: "POST", URL: call.Server + call.Operation.Path,
			Header: executor.Header{"Content-Type": {"application/json"}}, Body: []byte(call.Body.Value.String()),
		}
		return x
	}}
}

func TestACallbackComesToTheRunsOwnAddress(t *testing.T) {
	runtime := subscribed()
	runtime.inbox.mail = []executor.Message{{Number: 1, Box: "callback:shop/finished@w/wait", Received: epoch.Add(5 * time.Millisecond), Scoped: true, Method: "POST", Body: []byte("x")}}
	got := flowTest{
		flow: strings.ReplaceAll(callbackFlow, "operationId: ", "operationId: "), more: map[string]string{"shop.yaml": callbackAPI}, runtime: runtime,
	}.run(t)
	if got.Status != executor.Succeeded || got.Workflows[0].Outputs.String() != `{"body":"x"}` {
		t.Errorf("ended as %s (%s), outputs %s", got.Status, got.Reason, got.Workflows[0].Outputs)
	}
	if sent := got.calls[0].Body.Value.String(); sent != `{"url":"`+callbackBase+`finished"}` {
		t.Errorf("sent %s", sent)
	}
	if box := got.inbox.boxes[0]; !box.Scoped || box.Status != 204 {
		t.Errorf("mailbox %+v", box)
	}
}

// TestAMessageThatIsNotWhatItSaysToBe is taken as its text, and why is told once.
func TestAMessageThatIsNotWhatItSaysToBe(t *testing.T) {
	for body, want := range map[string]string{
		`{"a":`:         "the body of the message is taken as text, since it is not the JSON that it says to be: JSON: ",
		`{"a":1,"a":2}`: "the body of the message is taken as text, since it is JSON that can be read in more than one way: ",
		`{"a":1}`:       "",
	} {
		runtime := subscribed()
		runtime.inbox.comes(5*time.Millisecond, "callback:shop/finished@w/wait", "m1", body).mail[0].Scoped = true
		got := flowTest{flow: callbackFlow, more: map[string]string{"shop.yaml": callbackAPI}, runtime: runtime}.run(t)
		told := strings.Join(got.texts("notice"), "\n")
		if !strings.Contains(told, want) || (told != "") != (want != "") || strings.Count(told, "since") > 1 {
			t.Errorf("%s: %q, want %q", body, told, want)
		}
		if got.Status != executor.Succeeded {
			t.Errorf("%s: ended as %s (%s)", body, got.Status, got.Reason)
		}
	}
}

func TestACallbackThatCannotComeFailsAtOnce(t *testing.T) {
	got := flowTest{
		flow: callbackFlow, inputs: `{"url":"http://127.0.0.1:8/elsewhere"}`, more: map[string]string{"shop.yaml": callbackAPI}, runtime: subscribed(),
	}.run(t)
	want := `the request of step "ask" names http://127.0.0.1:8/elsewhere for the callback, which is not the address of this run; an input with x-weft-callback: wait is filled with that`
	if got.Status != executor.Failed || !strings.Contains(got.Reason, want) || len(got.waits) > 0 {
		t.Errorf("ended as %s after waits %v: %s", got.Status, got.waits, got.Reason)
	}
}

func TestReceivingThatCannotWorkIsRefused(t *testing.T) {
	for name, test := range map[string]struct{ step, want string }{
		"nothing to recognise a message by": {"operationId: paid",
			`step "s": it takes any message of webhook paid, also that of another run; expected a correlationId, or an input with x-weft-callback: s, which is filled with an address of the run's own`},
		"no place": {"operationId: paid, action: receive, correlationId: $inputs.a",
			`step "s": nothing says where in a message of webhook paid the correlation id stands; say it with x-weft-correlation: $message.payload#/…`},
		"a place outside": {"operationId: paid, action: receive, correlationId: a, x-weft-correlation: $response.body",
			`step "s": "$response.body" is no place in a message; expected $message.header.NAME or $message.payload#/POINTER`},
		"a parameter": {"operationId: paid, action: receive, correlationId: a, x-weft-correlation: $message.payload, parameters: [{name: X-A, in: header, value: b}]",
			`step "s": parameter "X-A" in header; a step that receives a webhook or callback sends nothing, expected no parameters`},
		"an address for a step that calls": {"operationId: tick}], inputs: {type: object, properties: {url: {type: string, x-weft-callback: s}}}, successActions: [{name: a, type: end",
			`x-weft-callback: step "s" of workflow "w" receives nothing, it calls GET /tick`},
	} {
		t.Run(name, func(t *testing.T) {
			_, refusals := flowTest{flow: "workflows: [{workflowId: w, steps: [{stepId: s, " + test.step + "}]}]\n"}.compile(t)
			if len(refusals) != 1 || refusals[0].Message != test.want {
				t.Errorf("refusals %+v\nwant %s", refusals, test.want)
			}
		})
	}
}

// TestAnAddressWithAValueOfTheRunCorrelates: messages to another value are not the
// run's.
func TestAnAddressWithAValueOfTheRunCorrelates(t *testing.T) {
	const events = `asyncapi: 3.0.0
info: {title: Events, version: "1"}
servers: {web: {host: a.example, protocol: http}}
channels:
  order: {address: 'orders/{id}', parameters: {id: {}}, messages: {changed: {payload: {type: object}}}}
operations:
  orderChanged: {action: send, channel: {$ref: '#/channels/order'}}
`
	const flow = `
workflows:
- workflowId: w
  inputs: {type: object, properties: {ref: {type: string, default: r-1}}}
  steps:
  - stepId: wait
    operationId: orderChanged
    action: receive
    timeout: 1000
    parameters: [{name: id, in: channel, value: $inputs.ref}]
    outputs: {n: $message.payload#/n}
  outputs: {n: $steps.wait.outputs.n}
`
	runtime := paying()
	runtime.inbox.comes(time.Millisecond, "channel:events/order", "m1", `{"n":1}`).comes(2*time.Millisecond, "channel:events/order", "m2", `{"n":2}`)
	runtime.inbox.mail[0].Path = map[string]string{"id": "r-2"}
	runtime.inbox.mail[1].Path = map[string]string{"id": "r-1"}
	got := flowTest{flow: flow, runtime: runtime, more: map[string]string{
		"#sources": ", {name: events, url: events.yaml, type: asyncapi}", "events.yaml": events,
	}}.run(t)
	if got.Status != executor.Succeeded || got.Workflows[0].Outputs.String() != `{"n":2}` || got.mail() != "took 2, unawaited 1" {
		t.Errorf("ended as %s (%s), outputs %s: %s", got.Status, got.Reason, got.Workflows[0].Outputs, got.mail())
	}
	if box := got.inbox.boxes[0]; len(box.Expect) != 1 || box.Expect[0].Where.String() != "$message.path.id" || box.Expect[0].Value.Text() != "r-1" {
		t.Errorf("expected before the run: %+v", box.Expect)
	}
}

// TestACancelEndsTheWaitForAMessage: a cancel stops waiting at once (semantics.md 26).
func TestACancelEndsTheWaitForAMessage(t *testing.T) {
	runtime := paying()
	runtime.cancel = true
	got := flowTest{flow: payFlow, runtime: runtime}.run(t)
	if got.Status != executor.Cancelled || got.order() != "pay" {
		t.Errorf("ended as %s, called %q", got.Status, got.order())
	}
}

// roundsFlow pays and waits, and pays once more where no message came.
const roundsFlow = `
workflows:
- workflowId: w
  inputs: {type: object, properties: {ref: {type: string, default: r-1}}}
  steps:
  - {stepId: pay, operationId: PAY, requestBody: {contentType: application/json, payload: {ref: $inputs.ref}}, onFailure: [{name: see, type: goto, stepId: wait}]}
  - stepId: wait
    operationId: paid
    action: receive
    correlationId: $inputs.ref
    timeout: 1000
    outputs: {count: $message.header.X-Count}
    onFailure: [{name: again, type: goto, stepId: between}]
    onSuccess: [{name: done, type: end}]
    x-weft-correlation: $message.payload#/ref
  - {stepId: between, operationId: tick, onSuccess: [{name: once more, type: goto, stepId: BACK}]}
  outputs: {count: $steps.wait.outputs.count}
`

// TestALateReplyDoesNotSatisfyTheNextWait: what came before the second request was sent
// answers the first. Where nothing was sent in between, it is what is waited for.
func TestALateReplyDoesNotSatisfyTheNextWait(t *testing.T) {
	for name, test := range map[string]struct {
		pay, back  string
		afterFirst time.Duration // when the late reply comes
		told       string
		lost       bool // the answer to the first request
	}{
		"sent again in between":       {"createOrder", "pay", 1015 * time.Millisecond, "took 2, late 1", false},
		"only asked in between":       {"createOrder", "wait", 1015 * time.Millisecond, "took 1, late 2", false},
		"after it was sent again":     {"createOrder", "pay", 1035 * time.Millisecond, "took 1, late 2", false},
		"repeated under its key":      {"createOrder", "pay", 1015 * time.Millisecond, "took 1, late 2", true},
		"sent again without contract": {"pay", "pay", 1015 * time.Millisecond, "took 2, late 1", true},
	} {
		t.Run(name, func(t *testing.T) {
			runtime := subscribed()
			runtime.answer = func(call executor.Call, n int) executor.Exchange {
				if test.lost && n == 1 && call.Effectful {
					return lost()
				}
				return executor.Exchange{
					Response: &executor.Response{Status: 200, Header: executor.Header{}}, Class: idempotency.Succeeded,
					Started: runtime.now, Sent: executor.Sent{Method: call.Operation.Method, URL: call.Server, Header: executor.Header{}},
				}
			}
			runtime.inbox.comes(test.afterFirst, paidBox, "m1", `{"ref":"r-1"}`).comes(1800*time.Millisecond, paidBox, "m2", `{"ref":"r-1"}`)
			flow := strings.ReplaceAll(strings.ReplaceAll(roundsFlow, "PAY", test.pay), "BACK", test.back)
			got := flowTest{flow: flow, runtime: runtime, config: executor.Config{Linger: 5 * time.Second, UnsafeRetry: true}}.run(t)
			if got.mail() != test.told || got.Status != executor.Recovered {
				t.Errorf("ended as %s (%s): %s\nwant %s", got.Status, got.Reason, got.mail(), test.told)
			}
		})
	}
}
