package report

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"github.com/weft-flow/weft/arazzo/value"
	"github.com/weft-flow/weft/executor"
	"github.com/weft-flow/weft/idempotency"
)

const webhook = "webhook paymentChanged"

func (s *stream) awaits(address, correlation string, limit time.Duration) *stream {
	s.at.Attempt++
	return s.add(executor.MessageAwaited{Channel: webhook, Address: address, Correlation: correlation, For: limit})
}

func (s *stream) receives(number int, identity, body string, waited time.Duration) *stream {
	s.pass(waited)
	s.counts.Messages++
	return s.add(executor.MessageReceived{
		Channel: webhook, Number: number, Identity: identity, Received: s.now, Waited: waited, Method: "POST",
		Header: executor.Header{"Content-Type": {"application/json"}}, Body: []byte(body),
	})
}

func (s *stream) setAside(d executor.MessageSetAside) *stream {
	d.Channel, d.Received = webhook, s.now
	s.counts.SetAside += d.Count
	switch d.Why {
	case executor.Duplicate:
		s.counts.Duplicates += d.Count
	case executor.Conflicting:
		s.counts.Conflicts += d.Count
	}
	if d.Fails {
		s.counts.Refused += d.Count
	}
	return s.add(d)
}

const (
	hook     = "http://127.0.0.1:40001/webhooks/payments/paymentChanged"
	captured = `{"orderId":"ord-1","status":"CAPTURED"}`
)

// messageRun waits for messages: one that comes with repeats, one that is there
// already and brings what the criteria refuse, none, and what comes when all is over.
func messageRun() []executor.Event {
	s := newStream("http://127.0.0.1:8080").workflow("placeOrder")
	s.step("pay", 1).
		attempt(sent{method: "POST", target: "/payments", digest: "91b0…07", status: 202, took: 8 * time.Millisecond, class: idempotency.Succeeded}).
		endStep(true, "", idempotency.Succeeded)
	s.step("await", 1).awaits(hook, "ord-1", 30*time.Second).
		receives(1, "evt-1", captured, 40*time.Millisecond).
		setAside(executor.MessageSetAside{Number: 1, Identity: "evt-1", Why: executor.Duplicate, Count: 1}).
		add(executor.ContractFinding{Of: "message", Kind: "body", Message: "body: the member amount is missing"}).
		criterion("$message.payload#/status == 'CAPTURED'", true).
		add(executor.StateMoved{From: "REQUESTED", To: "SUCCEEDED", Cause: "await"}).
		endStep(true, "", "", member("status", value.String("CAPTURED")))
	s.step("shipped", 1)
	s.events[len(s.events)-1].Detail = executor.StepStarted{Owner: "logistics"}
	s.awaits(hook, "ord-1", 30*time.Second).
		setAside(executor.MessageSetAside{Number: 1, Identity: "evt-1", Why: executor.Duplicate, Count: 2}).
		receives(2, "", `{"orderId":"ord-1","status":"ODD"}`, 0).
		criterion("$message.payload#/status == 'CAPTURED'", false).
		add(executor.RetryScheduled{Action: "next", Used: 1, Limit: 2}).
		awaits(hook, "ord-1", time.Second).
		pass(time.Second).
		setAside(executor.MessageSetAside{Why: executor.Unmatched, Count: 1, Reason: "the signature does not match"}).
		setAside(executor.MessageSetAside{Why: executor.Unmatched, Count: 1, Reason: "the signature does not match"}).
		setAside(executor.MessageSetAside{Why: executor.Unmatched, Count: 1, Reason: "it has no body"}).
		add(executor.CriterionEvaluated{Action: "ask", Condition: "$inputs.ask", Passed: true}).
		add(executor.ActionChosen{Name: "ask", Kind: "goto", Target: "requery", Trigger: "onFailure"}).
		endStep(false, "no message within 1s", "")
	s.step("requery", 1).
		attempt(sent{method: "GET", target: "/payments", status: 200, took: time.Millisecond, class: idempotency.Succeeded}).
		endStep(true, "", idempotency.Succeeded)
	s.endWorkflow("placeOrder", executor.Recovered, "")
	s.at = executor.Event{Workflow: "placeOrder", Step: "await", Activation: 1, Attempt: 1}
	s.setAside(executor.MessageSetAside{Number: 3, Identity: "evt-3", Why: executor.Late, Count: 1, Reason: `step "await" had taken message 1`})
	s.add(executor.StateRefused{State: "SUCCEEDED", To: "FAILED", Cause: "await", Reason: "SUCCEEDED is terminal"})
	s.setAside(executor.MessageSetAside{Number: 1, Identity: "evt-1", Why: executor.Conflicting, Count: 1, Fails: true})
	s.at = executor.Event{}
	s.setAside(executor.MessageSetAside{Number: 4, Identity: "evt-4", Why: executor.Unawaited, Count: 1, Reason: "no step waited for it"})
	s.setAside(executor.MessageSetAside{Number: 4, Identity: "evt-4\x1b[2J", Why: executor.Duplicate, Count: 3, Fails: true})
	return s.end(executor.Recovered, "")
}

// cancelRun is cancelled while a step waits, and makes up for what it did.
func cancelRun() []executor.Event {
	s := newStream("http://127.0.0.1:8080").workflow("placeOrder")
	s.step("create", 1).
		attempt(sent{method: "POST", target: "/orders", status: 201, took: time.Millisecond, class: idempotency.Succeeded}).
		endStep(true, "", idempotency.Succeeded)
	s.step("await", 1).awaits("", "", time.Hour).pass(300*time.Millisecond).
		endStep(false, "cancelled while waiting for a message", "")
	s.at = executor.Event{Workflow: "placeOrder"}
	s.add(executor.CriterionEvaluated{Action: "undo", Condition: "$steps.create.outputs.id != null", Passed: true}).
		add(executor.ActionChosen{Name: "undo", Kind: "goto", Target: "undoOrder", Trigger: "onCancel"})
	s.at = executor.Event{Workflow: "placeOrder/undoOrder", Depth: 1}
	s.add(executor.WorkflowStarted{ID: "undoOrder"})
	s.step("delete", 1).
		attempt(sent{method: "DELETE", target: "/orders/ord-1", status: 204, took: time.Millisecond, class: idempotency.Succeeded}).
		endStep(true, "", idempotency.Succeeded)
	s.at.Step, s.at.Activation, s.at.Attempt = "", 0, 0
	s.add(executor.WorkflowFinished{ID: "undoOrder", Status: executor.Succeeded})
	s.at = executor.Event{Workflow: "placeOrder"}
	s.endWorkflow("placeOrder", executor.Cancelled, "cancelled")
	return s.end(executor.Cancelled, "cancelled")
}

func TestReportsOfMessages(t *testing.T) {
	for name, events := range map[string][]executor.Event{"message": messageRun(), "cancel": cancelRun()} {
		golden(t, name+".txt", console(t, Options{}, events))
		golden(t, name+"-verbose.txt", console(t, Options{Verbose: true}, events))
		golden(t, name+".xml", junitReport(t, NewJUnit(), events))
		golden(t, name+".json", string(jsonReport(t, events)))
	}
}

// A message for which the verdict fails is a failure, also where its workflow ended
// well, and where it belongs to no step.
func TestRefusedMessagesAreFailuresInJUnit(t *testing.T) {
	var failed []string
	for _, line := range verdicts(t, junitReport(t, NewJUnit(), messageRun())) {
		if !strings.HasSuffix(line, "passed") {
			failed = append(failed, line)
		}
	}
	if len(failed) != 2 || !strings.Contains(failed[0], "await") || !strings.Contains(failed[1], "messages") {
		t.Errorf("what failed: %q", failed)
	}
}

func TestMessagesReceivedAreNoRequestsInHAR(t *testing.T) {
	h := NewHAR("1")
	for _, e := range messageRun() {
		if err := h.Write(e); err != nil {
			t.Fatal(err)
		}
	}
	if n := len(h.archive.Log.Entries); n != 2 {
		t.Errorf("%d requests, want those of pay and requery", n)
	}
}

// A wait is shown while it lasts, once it has lasted for a while, and only then.
func TestALongWaitIsShownWhileItLasts(t *testing.T) {
	var out bytes.Buffer
	var due []func()
	stopped := 0
	c := NewConsole(&out, Options{After: func(d time.Duration, call func()) func() {
		if d != longWait {
			t.Errorf("asked to be called after %s", d)
		}
		due = append(due, call)
		return func() { stopped++ }
	}})
	const shown = "… await         webhook paymentChanged"
	for _, e := range messageRun() {
		if err := c.Write(e); err != nil {
			t.Fatal(err)
		}
		if _, waits := e.Detail.(executor.MessageAwaited); waits && len(due) == 1 {
			if strings.Contains(out.String(), shown) {
				t.Error("the wait was shown at once")
			}
			due[0]()
			for _, want := range []string{shown, "waits at " + hook + ", for ord-1, at most 30s\n"} {
				if !strings.Contains(out.String(), want) {
					t.Errorf("while the step waits, the output lacks %q:\n%s", want, &out)
				}
			}
		}
	}
	if len(due) != 3 || stopped != 3 {
		t.Fatalf("%d waits, %d stopped", len(due), stopped)
	}
	before := out.String()
	for _, call := range due {
		call()
	}
	if out.String() != before {
		t.Error("a wait that is over was shown")
	}
	if n := strings.Count(before, "waited at "+hook+", for ord-1, at most 30s"); n != 0 {
		t.Errorf("where the step waits is written %d times more", n)
	}
}
