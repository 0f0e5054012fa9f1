package report

import (
	"flag"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/weft-flow/weft/arazzo"
	"github.com/weft-flow/weft/arazzo/value"
	"github.com/weft-flow/weft/executor"
	"github.com/weft-flow/weft/idempotency"
)

var update = flag.Bool("update", false, "write the golden files anew")

// golden holds got against a file of testdata.
func golden(t *testing.T, name, got string) {
	t.Helper()
	file := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("%s differs (-want +got):\n%s", file, diff)
	}
}

// stream makes the events of a run by hand.
type stream struct {
	events []executor.Event
	now    time.Time
	at     executor.Event // where the next events belong
	counts executor.Counts
	ended  []executor.WorkflowResult
}

func newStream(origins ...string) *stream {
	s := &stream{now: time.Date(2026, 11, 30, 9, 0, 0, 0, time.UTC)}
	s.add(executor.RunStarted{Document: "order.arazzo.yaml", Origins: origins})
	return s
}

func (s *stream) add(d executor.Detail) *stream {
	e := s.at
	e.Run, e.Sequence, e.Time, e.Detail = "run-1", len(s.events)+1, s.now, d
	if e.Workflow != "" {
		line := 10 + len(s.events)
		e.Place = executor.Place{
			File: "order.arazzo.yaml", Pointer: "/workflows/0",
			Span: arazzo.Span{
				Start: arazzo.Position{Line: line, Column: 5, Offset: 100 + line},
				End:   arazzo.Position{Line: line, Column: 20, Offset: 115 + line},
			},
		}
	}
	s.events = append(s.events, e)
	return s
}

func (s *stream) pass(d time.Duration) *stream { s.now = s.now.Add(d); return s }

func (s *stream) workflow(id string) *stream {
	s.at = executor.Event{Workflow: id}
	return s.add(executor.WorkflowStarted{ID: id, Inputs: object("orderId", value.String("ord-1"))})
}

// call begins a workflow within the present step; the result ends it.
func (s *stream) call(id string) (back func(executor.Status, string) *stream) {
	outer := s.at
	s.at = executor.Event{Workflow: outer.Workflow + "/" + outer.Step + "/" + id, Depth: outer.Depth + 1}
	inner := s.at
	s.add(executor.WorkflowStarted{ID: id})
	return func(status executor.Status, reason string) *stream {
		s.at = inner
		s.add(executor.WorkflowFinished{ID: id, Status: status, Reason: reason})
		s.at = outer
		return s
	}
}

func (s *stream) endWorkflow(id string, status executor.Status, reason string, outputs ...value.Member) *stream {
	s.at.Step, s.at.Activation, s.at.Attempt = "", 0, 0
	s.add(executor.WorkflowFinished{ID: id, Status: status, Reason: reason, Outputs: value.Object(outputs...)})
	s.ended = append(s.ended, executor.WorkflowResult{ID: id, Status: status, Reason: reason, Outputs: value.Object(outputs...)})
	return s
}

func (s *stream) step(id string, activation int) *stream {
	s.at.Step, s.at.Activation, s.at.Attempt = id, activation, 0
	return s.add(executor.StepStarted{})
}

// sent is one attempt: what is sent and what comes of it.
type sent struct {
	method, target, digest string
	status                 int // 0: no response
	took                   time.Duration
	class                  idempotency.Class
	operation              idempotency.Class // empty: as class
	reason, refused        string
	body, answer           string
}

func (s *stream) attempt(a sent) *stream {
	s.at.Attempt++
	header, contract := "", false
	if a.digest != "" {
		header, contract = "Idempotency-Key", true
	}
	s.add(executor.RequestPrepared{
		Method: a.method, Target: a.target, KeyHeader: header, KeyDigest: a.digest, Contract: contract,
		Effectful: a.method == "POST", OperationID: "operation",
	})
	s.pass(a.took)
	if a.operation == "" {
		a.operation = a.class
	}
	d := executor.AttemptFinished{
		Sent: executor.Sent{
			Method: a.method, URL: "http://127.0.0.1:8080" + a.target, Body: []byte(a.body),
			Header: executor.Header{"Content-Type": {"application/json"}, "Accept": {"*/*"}},
		},
		Duration: a.took, Attempt: a.class, Operation: a.operation, Reason: a.reason, Refused: a.refused,
	}
	if a.status != 0 {
		d.Response = &executor.Response{
			Status: a.status, Header: executor.Header{"Content-Type": {"application/json"}}, Body: []byte(a.answer),
		}
	}
	if a.refused == "" {
		s.counts.Requests++
	}
	return s.add(d)
}

func (s *stream) criterion(condition string, passed bool) *stream {
	return s.add(executor.CriterionEvaluated{Condition: condition, Passed: passed})
}

// finds adds a contract finding on the last response.
func (s *stream) finds(kind, message, pointer string) *stream {
	s.counts.Findings++
	return s.add(executor.ContractFinding{Of: "response", Kind: kind, Message: message, Pointer: pointer})
}

func (s *stream) endStep(succeeded bool, reason string, operation idempotency.Class, outputs ...value.Member) *stream {
	s.counts.Steps++
	return s.add(executor.StepFinished{Succeeded: succeeded, Reason: reason, Operation: operation, Outputs: value.Object(outputs...)})
}

func (s *stream) end(status executor.Status, reason string) []executor.Event {
	s.at = executor.Event{}
	s.add(executor.RunFinished{Result: executor.Result{Run: "run-1", Status: status, Reason: reason, Workflows: s.ended, Counts: s.counts}})
	return s.events
}

func object(name string, v value.Value) value.Value {
	return value.Object(value.Member{Name: name, Value: v})
}

func member(name string, v value.Value) value.Member { return value.Member{Name: name, Value: v} }

// The runs that reports are tested with.

// orderRun is an order whose payment times out and is asked about.
func orderRun() []executor.Event {
	s := newStream("http://127.0.0.1:8080").workflow("placeOrder")
	s.step("create", 1).
		attempt(sent{method: "POST", target: "/orders", digest: "6f1c…e2", status: 201, took: 12 * time.Millisecond,
			class: idempotency.Succeeded, body: `{"reference":"ord-1"}`, answer: `{"id":"ord-1","total":10.10}`}).
		criterion("$statusCode == 201", true).
		endStep(true, "", idempotency.Succeeded, member("id", value.String("ord-1")))
	s.step("pay", 1).
		attempt(sent{method: "POST", target: "/payments", digest: "91b0…07", took: 800 * time.Millisecond,
			class: idempotency.Unknown, reason: "timeout after the request was sent", body: `{"amount":10.10}`}).
		add(executor.ActionChosen{Name: "askFirst", Kind: "goto", Target: "requery", Trigger: "onFailure"}).
		endStep(false, "timeout after the request was sent", idempotency.Unknown)
	s.step("requery", 1).
		attempt(sent{method: "GET", target: "/payments?orderId=ord-1", status: 200, took: 3 * time.Millisecond,
			class: idempotency.Succeeded, answer: `{"status":"PENDING"}`}).
		criterion("$statusCode == 200", true).
		criterion("$response.body#/status == 'PENDING'", true).
		endStep(true, "", idempotency.Succeeded, member("status", value.String("PENDING")))
	s.step("finalize", 1).
		attempt(sent{method: "POST", target: "/orders/ord-1/close", digest: "02aa…9c", status: 200, took: 4 * time.Millisecond,
			class: idempotency.Succeeded, answer: `{"status":"CLOSED"}`}).
		endStep(true, "", idempotency.Succeeded)
	s.endWorkflow("placeOrder", executor.Recovered, "", member("status", value.String("CLOSED")))
	return s.end(executor.Recovered, "")
}

// retryRun has retries that are made, withheld, and used up.
func retryRun() []executor.Event {
	s := newStream("http://127.0.0.1:8080", "https://pay.example.com").workflow("placeOrder")
	s.step("reserve", 1).
		attempt(sent{method: "POST", target: "/reservations", digest: "aa11…22", status: 503, took: 5 * time.Millisecond,
			class: idempotency.Deferred, reason: "503 with Retry-After"}).
		criterion("$statusCode == 201", false).
		add(executor.CriterionEvaluated{Action: "again", Condition: "$statusCode == 503", Passed: true}).
		add(executor.RetryScheduled{Action: "again", After: 2 * time.Second, Used: 1, Limit: 3}).
		pass(2*time.Second).
		attempt(sent{method: "POST", target: "/reservations", digest: "aa11…22", status: 201, took: 6 * time.Millisecond,
			class: idempotency.Succeeded}).
		criterion("$statusCode == 201", true).
		endStep(true, "", idempotency.Succeeded)
	s.step("notify", 1).
		attempt(sent{method: "POST", target: "/notifications", status: 500, took: time.Millisecond, class: idempotency.Unknown, reason: "500"}).
		add(executor.RetryWithheld{Action: "again", Reason: "the outcome is unknown, and the operation is unsafe to repeat"}).
		endStep(false, "status 500, and there are no successCriteria", idempotency.Unknown)
	s.counts.Withheld++
	s.endWorkflow("placeOrder", executor.Failed, `step "notify" failed: status 500, and there are no successCriteria`)
	s.ended[0].Status, s.ended[0].Reason = executor.Unknown, "placeOrder/notify#1 (POST /notifications): the outcome is unknown: 500"
	return s.end(executor.Unknown, s.ended[0].Reason)
}

// nestedRun calls workflows from steps, one of which fails.
func nestedRun() []executor.Event {
	s := newStream().workflow("checkout")
	s.step("login", 1).
		attempt(sent{method: "GET", target: "/session", status: 200, took: 700 * time.Microsecond, class: idempotency.Succeeded}).
		endStep(true, "", idempotency.Succeeded)
	s.step("payment", 1)
	back := s.call("payOrder")
	s.step("request", 1).
		attempt(sent{method: "POST", target: "/payments", digest: "91b0…07", status: 402, took: 31 * time.Millisecond,
			class: idempotency.Rejected}).
		criterion("$statusCode == 201", false).
		add(executor.CriterionEvaluated{Action: "ask", Condition: "$response.body#/retry == true", Fault: "the body is not JSON"}).
		add(executor.ActionChosen{Name: "giveUp", Kind: "end", Trigger: "onFailure"}).
		endStep(false, "criterion not met: $statusCode == 201", idempotency.Rejected)
	back(executor.Failed, "step \"request\" failed: criterion not met: $statusCode == 201")
	s.add(executor.ActionChosen{Name: "byInvoice", Kind: "goto", Target: "invoice", Trigger: "onFailure"}).
		endStep(false, `workflow "payOrder" ended as failed: step "request" failed: criterion not met: $statusCode == 201`, "")
	s.step("invoice", 1)
	back = s.call("sendInvoice")
	s.step("send", 1).
		attempt(sent{method: "POST", target: "/invoices", digest: "77c0…1d", status: 201, took: 9 * time.Millisecond, class: idempotency.Succeeded}).
		endStep(true, "", idempotency.Succeeded)
	back(executor.Succeeded, "").endStep(true, "", "", member("invoice", value.Int(17)))
	s.endWorkflow("checkout", executor.Recovered, "")
	s.workflow("report").step("count", 1).
		attempt(sent{method: "GET", target: "/reports/daily", status: 200, took: 65 * time.Second, class: idempotency.Succeeded}).
		endStep(true, "", idempotency.Succeeded)
	s.endWorkflow("report", executor.Succeeded, "")
	return s.end(executor.Recovered, "")
}

// oddRun has what seldom happens: nothing sent, classes that differ, jumps back,
// names and answers that try to do something to the terminal.
func oddRun() []executor.Event {
	s := newStream("http://127.0.0.1:8080").workflow("odd")
	s.add(executor.Notice{Message: "sources were read from the cache"})
	s.step("prepare", 1).
		add(executor.ActionChosen{Name: "skip", Kind: "goto", Target: "pay", Trigger: "onFailure"}).
		endStep(false, `parameter "id" is required, and $inputs.id is absent`, "")
	s.step("bind", 1).
		add(executor.RetryWithheld{Action: "again", Reason: `the request cannot be made: parameter "id" is absent`}).
		endStep(false, `parameter "id" is absent`, "")
	s.step("pay", 1).
		attempt(sent{method: "POST", target: "/payments", status: 500, took: 20 * time.Millisecond, class: idempotency.Unknown, reason: "500"}).
		add(executor.RetryScheduled{Action: "force", After: 0, Used: 1, Limit: 1}).
		attempt(sent{method: "POST", target: "/payments", class: idempotency.NotSent, operation: idempotency.Unknown, reason: "connection refused"}).
		endStep(false, "connection refused", idempotency.Unknown)
	s.counts.UnsafeRepeats++
	s.step("pay", 2).
		add(executor.RetryWithheld{Reason: "the outcome is unknown, and the operation is unsafe to repeat"}).
		endStep(false, "not sent again: the outcome is unknown, and the operation is unsafe to repeat", idempotency.Unknown)
	s.step("claim", 1).
		attempt(sent{method: "POST", target: "/claims", digest: "5d5d…01", status: 409, took: 2 * time.Millisecond,
			class: idempotency.Deferred, reason: "409: a request with this key is in flight"}).
		endStep(false, "status 409, and there are no successCriteria", idempotency.Unknown)
	s.step("refused", 1).
		attempt(sent{method: "POST", target: "/forms", class: idempotency.NotSent, refused: "the body cannot be written as application/x-www-form-urlencoded: it is a number"}).
		endStep(false, "the body cannot be written as application/x-www-form-urlencoded: it is a number", idempotency.NotSent)
	s.step("a-step-with-a-name-that-is-longer-than-it-should-be", 1).
		attempt(sent{method: "GET", target: "/a/path/that/is/longer/than/its/column?and=has&a=query", status: 200, took: time.Hour + 3*time.Minute, class: idempotency.Succeeded}).
		endStep(false, "outputs: $response.body#/x is not there", idempotency.Succeeded)
	s.step("注文", 1).
		attempt(sent{method: "GET", target: "/注文/\x1b[2J\u202e", status: 404, took: time.Millisecond, class: idempotency.Rejected, reason: "\x1b]0;title\x07gone\r\nOK"}).
		criterion("$response.body == '\x1b[31m'", false).
		endStep(false, "", idempotency.Rejected)
	s.counts.Withheld = 2
	s.endWorkflow("odd", executor.Failed, "step \"注文\" failed")
	return s.end(executor.Failed, "step \"注文\" failed")
}

// contractRun has messages that break their descriptions: one that a criterion
// takes, one whose step is tried again, one in a workflow that a step calls.
func contractRun() []executor.Event {
	s := newStream("http://127.0.0.1:8080").workflow("placeOrder")
	s.step("create", 1).
		attempt(sent{method: "POST", target: "/orders", digest: "6f1c…e2", status: 201, took: 12 * time.Millisecond,
			class: idempotency.Succeeded, body: `{"reference":"ord-1"}`, answer: `{"id":17}`}).
		add(executor.ContractFinding{Of: "request", Kind: "body", Message: "body at /reference: expected at least 8 characters", Pointer: "/reference"}).
		finds("body", "body at /id: expected string, this is an integer", "/id").
		finds("header", "header Location: missing", "").
		criterion("$statusCode == 201", true).
		endStep(true, "", idempotency.Succeeded)
	s.step("reserve", 1).
		attempt(sent{method: "POST", target: "/reservations", digest: "aa11…22", status: 503, took: 5 * time.Millisecond,
			class: idempotency.Deferred, reason: "503 with Retry-After"}).
		add(executor.Notice{Message: "the response has two Content-Length fields"}).
		finds("status", "the status 503 is not described: expected 201 or 409", "").
		criterion("$statusCode == 201", false).
		add(executor.RetryScheduled{Action: "again", After: time.Second, Used: 1, Limit: 3}).
		pass(time.Second).
		attempt(sent{method: "POST", target: "/reservations", digest: "aa11…22", status: 201, took: 6 * time.Millisecond,
			class: idempotency.Succeeded}).
		criterion("$statusCode == 201", true).
		endStep(true, "", idempotency.Succeeded)
	s.step("payment", 1)
	back := s.call("payOrder")
	s.step("request", 1).
		attempt(sent{method: "GET", target: "/payments", status: 200, took: time.Millisecond, class: idempotency.Succeeded}).
		add(executor.ContractFinding{Of: "request", Kind: "parameter", Message: "query parameter order: missing"}).
		finds("media-type", "the media type text/\x1b[2Jhtml is not described: expected application/json", "").
		endStep(true, "", idempotency.Succeeded)
	back(executor.Succeeded, "").endStep(true, "", "")
	s.endWorkflow("placeOrder", executor.Succeeded, "")
	return s.end(executor.Succeeded, "")
}
