package executor_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/weft-flow/weft/arazzo/source"
	"github.com/weft-flow/weft/arazzo/value"
	"github.com/weft-flow/weft/executor"
	"github.com/weft-flow/weft/idempotency"
)

// shopAPI is the API of these tests: a keyed POST, an unkeyed one, reads, and a
// webhook.
const shopAPI = `
openapi: 3.1.0
info: {title: Shop, version: "1"}
servers: [{url: "http://127.0.0.1:1"}]
paths:
  /orders:
    post:
      operationId: createOrder
      parameters: [{name: Idempotency-Key, in: header, schema: {type: string}}]
      requestBody: {content: {application/json: {schema: {type: object}}}}
      responses: {"201": {description: created}}
    get:
      operationId: listOrders
      parameters:
        - {name: ref, in: query, schema: {type: string}}
        - {name: must, in: query, required: false, schema: {type: string}}
      responses: {"200": {description: ok}}
  /orders/{id}:
    get:
      operationId: getOrder
      parameters: [{name: id, in: path, required: true, schema: {type: string}}]
      responses: {"200": {description: ok}}
  /payments:
    post:
      operationId: pay
      requestBody: {content: {application/json: {schema: {type: object}}}}
      responses: {"201": {description: created}}
    get:
      operationId: listPayments
      parameters: [{name: ref, in: query, schema: {type: string}}]
      responses: {"200": {description: ok}}
  /tick:
    get: {operationId: tick, responses: {"200": {description: ok}}}
  /token:
    post: {operationId: token, responses: {"200": {description: ok}}}
webhooks:
  paid:
    post: {operationId: paid, responses: {"200": {description: ok}}}
`

// script is a Runtime with a clock of its own that answers by a function.
type script struct {
	t      *testing.T
	now    time.Time
	answer func(call executor.Call, n int) executor.Exchange // n: how often the operation was called, from 1
	calls  []executor.Call
	seen   map[string]int
	waits  []time.Duration
	late   time.Duration // by how much each wait is longer than it was to be
	cancel bool          // the next wait is cancelled
	refuse bool          // the budget is exhausted
	inbox  inboxScript
	past   string // the name of a call that is recorded
}

func (s *script) HasCalled(name string) bool { return name == s.past }

var epoch = time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)

func (s *script) Open(_ context.Context, boxes []executor.Mailbox) (executor.Opened, error) {
	s.now = epoch
	return executor.Opened{Run: "run-1", Time: s.now, Addresses: s.inbox.open(boxes)}, nil
}

func (s *script) Call(_ context.Context, call executor.Call) (executor.Exchange, error) {
	if s.seen == nil {
		s.seen = map[string]int{}
	}
	s.calls = append(s.calls, call)
	s.seen[call.Operation.ID]++
	x := s.answer(call, s.seen[call.Operation.ID])
	x.Started = s.now
	s.now = s.now.Add(10 * time.Millisecond)
	x.Ended = s.now
	if x.Sent.Method == "" {
		x.Sent = executor.Sent{Method: call.Operation.Method, URL: call.Server + call.Operation.Path, Header: executor.Header{}}
	}
	return x, nil
}

func (s *script) Wait(_ context.Context, until executor.WaitSpec) (executor.Signal, error) {
	if s.cancel && !until.AfterCancel {
		return executor.Signal{Kind: executor.SignalCancel, Time: s.now}, nil
	}
	if until.Expect != nil {
		s.inbox.expected = append(s.inbox.expected, *until.Expect)
	}
	if m := s.inbox.next(until); m != nil {
		s.now = later(s.now, m.Received)
		return executor.Signal{Kind: executor.SignalMessage, Time: s.now, Message: m, Repeats: s.inbox.repeatsAt(s.now)}, nil
	}
	if until.Until.After(s.now) {
		s.waits = append(s.waits, until.Until.Sub(s.now))
		s.now = until.Until.Add(s.late)
	}
	signal := executor.Signal{Kind: executor.SignalTimeout, Time: s.now}
	if until.Inbox {
		signal.Repeats, signal.Strays = s.inbox.repeatsAt(s.now), s.inbox.strays
	}
	return signal, nil
}

func (s *script) Admit(context.Context, executor.Retry) (executor.Admission, error) {
	return executor.Admission{Granted: !s.refuse, Reason: "retry budget exhausted", Time: s.now}, nil
}

func (s *script) Move(_ context.Context, move executor.Move) (executor.Moved, error) {
	return executor.Moved{Done: true, State: move.To, Time: s.now}, nil
}

func (s *script) End(context.Context, string) error {
	s.inbox.ended = true
	return nil
}

// order lists the operations called, in order.
func (s *script) order() string {
	ids := make([]string, len(s.calls))
	for i, c := range s.calls {
		ids[i] = c.Operation.ID
	}
	return strings.Join(ids, " ")
}

// respond makes a response with a JSON body; header fields follow as pairs.
func respond(status int, body any, fields ...string) executor.Exchange {
	encoded, err := json.Marshal(body)
	if err != nil {
		panic(err)
	}
	h := executor.Header{"Content-Type": {"application/json"}}
	for i := 0; i < len(fields); i += 2 {
		h[fields[i]] = []string{fields[i+1]}
	}
	_, hasRetryAfter := h["Retry-After"]
	class := idempotency.Rejected
	switch {
	case status < 300:
		class = idempotency.Succeeded
	case status == 429, status == 503 && hasRetryAfter:
		class = idempotency.Deferred
	case status >= 500:
		class = idempotency.Unknown
	}
	return executor.Exchange{Response: &executor.Response{Status: status, Header: h, Body: encoded}, Class: class}
}

// lost is a request that was sent and never answered.
func lost() executor.Exchange {
	return executor.Exchange{Class: idempotency.Unknown, Reason: "timeout after the request was sent"}
}

func always(x executor.Exchange) func(executor.Call, int) executor.Exchange {
	return func(executor.Call, int) executor.Exchange { return x }
}

// recorder keeps events.
type recorder struct{ events []executor.Event }

func (r *recorder) Write(e executor.Event) error {
	r.events = append(r.events, e)
	return nil
}

// texts lists the events of one type as text.
func (r *recorder) texts(kind string) []string {
	var out []string
	for _, e := range r.events {
		if e.Detail.Type() == kind {
			out = append(out, fmt.Sprintf("%+v", e.Detail))
		}
	}
	return out
}

// writeFiles puts files into a folder of the test's own.
func writeFiles(t testing.TB, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// loadFlow loads a document that begins with its workflows; more files may stand beside it.
func loadFlow(t testing.TB, version, flow string, more map[string]string) *source.Set {
	t.Helper()
	files := map[string]string{
		"shop.yaml": shopAPI,
		"flow.yaml": "arazzo: " + version + "\ninfo: {title: t, version: \"1\"}\n" +
			"sourceDescriptions: [{name: shop, url: shop.yaml, type: openapi}" + more["#sources"] + "]\n" + flow,
	}
	for name, text := range more {
		if !strings.HasPrefix(name, "#") {
			files[name] = text
		}
	}
	dir := writeFiles(t, files)
	loader := source.NewLoader(source.Options{Offline: true})
	doc, location, faults, err := loader.LoadDocument(t.Context(), filepath.Join(dir, "flow.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	if len(faults) > 0 {
		t.Fatalf("the document of the test has faults: %v", faults)
	}
	set, problems := loader.Load(t.Context(), doc, location)
	if len(problems) > 0 {
		t.Fatalf("the sources of the test do not load: %v", problems)
	}
	return set
}

// flowTest runs one flow.
type flowTest struct {
	version string // default 1.1.0
	flow    string
	more    map[string]string
	ids     []string
	inputs  string // JSON
	config  executor.Config
	runtime *script
}

// flowResult is what a flow did.
type flowResult struct {
	executor.Result
	*script
	*recorder
}

func (f flowTest) compile(t *testing.T) (*executor.Plan, []executor.Refusal) {
	t.Helper()
	if f.version == "" {
		f.version = "1.1.0"
	}
	return executor.Compile(loadFlow(t, f.version, f.flow, f.more), f.ids, f.config)
}

func (f flowTest) run(t *testing.T) flowResult {
	t.Helper()
	plan, refusals := f.compile(t)
	if len(refusals) > 0 {
		t.Fatalf("refused: %v", refusals)
	}
	given := value.Absent
	if f.inputs != "" {
		parsed, err := value.ParseJSON([]byte(f.inputs))
		if err != nil {
			t.Fatal(err)
		}
		given = parsed
	}
	events := &recorder{}
	f.runtime.t = t
	result, err := plan.Run(t.Context(), f.runtime, executor.Start{Inputs: given, Sink: events})
	if err != nil {
		t.Fatal(err)
	}
	wellFormed(t, events.events)
	return flowResult{result, f.runtime, events}
}

// wellFormed holds what every stream of events must be.
func wellFormed(t *testing.T, events []executor.Event) {
	t.Helper()
	if fault := streamFault(events); fault != "" {
		t.Fatal(fault)
	}
}

// streamFault tells what is wrong with a stream of events; empty where it is whole:
// numbered without gaps, never back in time, and what begins last ends first.
func streamFault(events []executor.Event) string {
	if len(events) == 0 || events[0].Detail.Type() != "runStarted" || events[len(events)-1].Detail.Type() != "runFinished" {
		return "the stream does not go from runStarted to runFinished"
	}
	var open []string
	for i, e := range events {
		if e.Sequence != i+1 {
			return fmt.Sprintf("event %d has the number %d", i+1, e.Sequence)
		}
		if i > 0 && e.Time.Before(events[i-1].Time) {
			return fmt.Sprintf("event %d is earlier than the one before", i+1)
		}
		what := fmt.Sprintf("%s %s#%d", e.Workflow, e.Step, e.Activation)
		switch e.Detail.Type() {
		case "workflowStarted", "stepStarted":
			open = append(open, what)
		case "workflowFinished", "stepFinished":
			if len(open) == 0 || open[len(open)-1] != what {
				return fmt.Sprintf("event %d ends %s, open are %v", i+1, what, open)
			}
			open = open[:len(open)-1]
		}
	}
	if len(open) > 0 {
		return fmt.Sprintf("not ended are %v", open)
	}
	return ""
}
