package report

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/weft-flow/weft/arazzo/schema"
	"github.com/weft-flow/weft/arazzo/value"
	"github.com/weft-flow/weft/executor"
	"github.com/weft-flow/weft/idempotency"
)

func jsonReport(t *testing.T, events []executor.Event) []byte {
	t.Helper()
	j := NewJSON()
	for _, e := range events {
		if err := j.Write(e); err != nil {
			t.Fatal(err)
		}
	}
	var out bytes.Buffer
	n, err := j.WriteTo(&out)
	if err != nil || n != int64(out.Len()) {
		t.Fatalf("WriteTo gave %d bytes, %v; %d were written", n, err, out.Len())
	}
	return out.Bytes()
}

func TestJSON(t *testing.T) {
	for name, events := range map[string][]executor.Event{
		"order.json": orderRun(), "retry.json": retryRun(), "nested.json": nestedRun(), "odd.json": oddRun(),
		"contract.json": contractRun(),
	} {
		t.Run(name, func(t *testing.T) { golden(t, name, string(jsonReport(t, events))) })
	}
}

// publishedSchema gives docs/run-report.schema.json. Closed, it allows no member
// that it does not describe.
func publishedSchema(t *testing.T, closed bool) *schema.Schema {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("..", "..", "docs", "run-report.schema.json"))
	if err != nil {
		t.Fatal(err)
	}
	if closed {
		var root any
		if err := json.Unmarshal(data, &root); err != nil {
			t.Fatal(err)
		}
		closeObjects(root)
		if data, err = json.Marshal(root); err != nil {
			t.Fatal(err)
		}
	}
	compiled, err := schema.CompileBytes("run-report.schema.json", data)
	if err != nil {
		t.Fatal(err)
	}
	return compiled
}

// closeObjects forbids, in every schema that lists the members of an object, all
// others.
func closeObjects(node any) {
	switch n := node.(type) {
	case map[string]any:
		_, lists := n["properties"]
		if lists && n["type"] == "object" {
			n["additionalProperties"] = false
		}
		for _, child := range n {
			closeObjects(child)
		}
	case []any:
		for _, child := range n {
			closeObjects(child)
		}
	}
}

func faults(t *testing.T, s *schema.Schema, document []byte) []schema.Fault {
	t.Helper()
	v, err := value.ParseJSON(document)
	if err != nil {
		t.Fatal(err)
	}
	return s.Validate(v)
}

// wholeStream has every type of event with every member set.
func wholeStream() []executor.Event {
	s := newStream("http://a", "https://b").workflow("w").step("s", 1)
	s.at.Attempt = 1
	for _, d := range []executor.Detail{
		executor.StepStarted{Owner: "payments"},
		executor.RequestPrepared{Method: "POST", Target: "/x?y=z", KeyHeader: "Idempotency-Key", KeyDigest: "6f1c…e2", Key: "k", Contract: true, Effectful: true, OperationID: "o", Continues: "w/call#1/x"},
		executor.AttemptFinished{
			Sent:     executor.Sent{Method: "POST", URL: "http://a/x", Header: executor.Header{"A": {"1", "2"}}, Body: []byte("<&>\u2028")},
			Response: &executor.Response{Status: 200, Header: executor.Header{"B": {"3"}}, Body: []byte{0xff, 0}, Protocol: "HTTP/1.1"},
			Duration: 1500, Attempt: idempotency.Succeeded, Operation: idempotency.Unknown, Reason: "r", Refused: "f",
			Redirects: []executor.Redirect{{
				Response: executor.Response{Status: 303, Header: executor.Header{"Location": {"/y"}}, Protocol: "HTTP/1.1"},
				Next:     executor.Sent{Method: "GET", URL: "http://a/y"},
			}},
		},
		executor.ContractFinding{Of: "response", Kind: "media-type", Message: "m", Pointer: "/a~1b"},
		executor.CriterionEvaluated{Action: "a", Condition: "c", Passed: true, Fault: "f"},
		executor.ActionChosen{Name: "a", Kind: "goto", Target: "t", Trigger: "onSuccess"},
		executor.RetryScheduled{Action: "a", After: 2500, Used: 1, Limit: 2},
		executor.RetryWithheld{Action: "a", Reason: "r"},
		executor.StateMoved{From: "A", To: "B", Cause: "s"},
		executor.StateRefused{State: "B", To: "A", Cause: "s", Reason: "r"},
		executor.OperationSettled{Outcome: idempotency.Rejected, By: "ann", Settled: s.now},
		executor.ContractFinding{Of: "message", Kind: "body", Message: "m"},
		executor.ActionChosen{Name: "a", Kind: "end", Trigger: "onCancel"},
		executor.MessageAwaited{Channel: "webhook paid", Address: "http://127.0.0.1:9/webhooks/pay/paid", Correlation: "c", For: 1500},
		executor.MessageReceived{
			Channel: "webhook paid", Number: 1, Identity: "m1", Received: s.now, Waited: 2500, Method: "POST",
			Header: executor.Header{"Content-Type": {"application/json"}}, Body: []byte(`{"a":1}`),
		},
		executor.MessageSetAside{
			Channel: "webhook paid", Number: 1, Identity: "m1", Received: s.now, Why: executor.Conflicting, Count: 2, Reason: "r", Fails: true,
		},
		executor.MessageSetAside{Channel: "webhook paid", Why: executor.Unmatched, Count: 1, Reason: "r"},
		executor.Notice{Message: "m"},
		executor.StepFinished{Succeeded: true, Reason: "r", Operation: idempotency.Unknown, Outputs: object("o", value.Null),
			Settles: []executor.Settled{{Step: "s"}}}, // for stores: the document does not have it
	} {
		s.add(d)
	}
	back := s.call("inner")
	back(executor.Cancelled, "r")
	s.endWorkflow("w", executor.Unknown, "r", member("o", value.Array(value.Int(1))))
	events := s.end(executor.Unknown, "r")
	for i, e := range events {
		if d, ok := e.Detail.(executor.WorkflowFinished); ok {
			d.State = "B"
			events[i].Detail = d
		}
	}
	return events
}

func TestReportsFollowThePublishedSchema(t *testing.T) {
	for _, closed := range []bool{false, true} {
		s := publishedSchema(t, closed)
		for name, events := range map[string][]executor.Event{
			"order": orderRun(), "retry": retryRun(), "nested": nestedRun(), "odd": oddRun(), "whole": wholeStream(),
			"contract": contractRun(), "message": messageRun(), "cancel": cancelRun(), "two runs": append(orderRun()[:5], retryRun()...), "nothing": nil, "begun": orderRun()[:5],
		} {
			for _, fault := range faults(t, s, jsonReport(t, events)) {
				t.Errorf("%s, closed %v: %+v", name, closed, fault)
			}
		}
	}
}

// The schema must be able to fail: each change of a good report is a fault.
func TestThePublishedSchemaRefuses(t *testing.T) {
	s := publishedSchema(t, true)
	good := string(jsonReport(t, wholeStream()))
	for _, change := range [][2]string{
		{`"version": 1`, `"version": 2`},
		{`"status": "unknown"`, `"status": "perhaps"`},
		{`"attempt": "succeeded"`, `"attempt": "done"`},
		{`"type": "notice"`, `"type": "rumour"`},
		{`"type": "notice"`, `"type": "retryWithheld"`},
		{`"why": "conflicting"`, `"why": "strange"`},
		{`"received": "2026`, `"received": "soon`},
		{`"kind": "goto"`, `"kind": "jump"`},
		{`"sequence": 1,`, ``},
		{`"durationMs": 0.0015`, `"durationMs": "0.0015"`},
		{`"base64": "/wA="`, `"bytes": "/wA="`},
		{`"line": `, `"row": `},
		{`"withheld": 0`, `"withheld": -1`},
		{`"findings": 0`, `"found": 0`},
		{`"of": "response"`, `"of": "rumour"`},
		{`"kind": "media-type"`, `"kind": "goto"`},
		{`"document": "order.arazzo.yaml",`, ``},
		{`"runs": [`, `"events": [`},
	} {
		changed := strings.Replace(good, change[0], change[1], 1)
		if changed == good {
			t.Errorf("the report has no %s", change[0])
			continue
		}
		if len(faults(t, s, []byte(changed))) == 0 {
			t.Errorf("%s instead of %s is no fault", change[1], change[0])
		}
	}
}

func TestNumbersAndBodiesStayExact(t *testing.T) {
	big, _ := value.Number("9007199254740993.10")
	s := newStream().workflow("w").step("s", 1).
		attempt(sent{method: "POST", target: "/", status: 200, class: idempotency.Succeeded,
			body: `{"a": 1.0, "b": "<&>"}`, answer: "\xff\xfe"}).
		endStep(true, "", idempotency.Succeeded, member("n", big))
	s.endWorkflow("w", executor.Succeeded, "", member("n", big))
	report, err := value.ParseJSON(jsonReport(t, s.end(executor.Succeeded, "")))
	if err != nil {
		t.Fatal(err)
	}
	for pointer, want := range map[string]string{
		"/runs/0/result/workflows/0/outputs/n":            "9007199254740993.10",
		"/runs/0/events/4/detail/request/body/text":       `{"a": 1.0, "b": "<&>"}`,
		"/runs/0/events/4/detail/response/body":           `{"base64":"//4="}`,
		"/runs/0/events/5/detail/outputs/n":               "9007199254740993.10",
		"/runs/0/events/6/type":                           "workflowFinished",
		"/runs/0/events/6/detail/outputs/n":               "9007199254740993.10",
		"/runs/0/events/4/place/pointer":                  "/workflows/0",
		"/runs/0/events/0/time":                           "2026-11-30T09:00:00Z",
		"/runs/0/events/0/place":                          "",
		"/runs/0/events/4/detail/request/header/Accept/0": "*/*",
	} {
		at, err := value.ParsePointer(pointer)
		if err != nil {
			t.Fatal(err)
		}
		if got := at.In(report).Text(); got != want {
			t.Errorf("%s is %s, want %s", pointer, got, want)
		}
	}
}

func TestEveryEventStandsInTheReport(t *testing.T) {
	events := wholeStream()
	report, err := value.ParseJSON(jsonReport(t, events))
	if err != nil {
		t.Fatal(err)
	}
	records := report.Get("runs").At(0).Get("events")
	if got := records.Len(); got != len(events) {
		t.Fatalf("%d events, want %d", got, len(events))
	}
	for i, e := range events {
		record := records.At(i)
		if got := record.Get("type").Text(); got != e.Detail.Type() {
			t.Errorf("event %d is %s, want %s", i, got, e.Detail.Type())
		}
		if got, _ := record.Get("sequence").Int64(); got != int64(i+1) {
			t.Errorf("event %d has number %d", i, got)
		}
	}
}

func TestOneDocumentTakesSeveralRuns(t *testing.T) {
	whole, broken := orderRun(), retryRun()[:6]
	other := nestedRun()
	other[0].Detail = executor.RunStarted{Document: "other.arazzo.yaml"}
	for i := range other {
		other[i].Run = "run-2"
	}
	report, err := value.ParseJSON(jsonReport(t, slices.Concat(whole, broken, other)))
	if err != nil {
		t.Fatal(err)
	}
	wants := []struct {
		run, document, status string
		events                int
	}{
		{"run-1", "order.arazzo.yaml", "recovered", len(whole)},
		{"run-1", "order.arazzo.yaml", "", len(broken)},
		{"run-2", "other.arazzo.yaml", "recovered", len(other)},
	}
	if got := report.Get("runs").Len(); got != len(wants) {
		t.Fatalf("%d runs, want %d", got, len(wants))
	}
	for i, want := range wants {
		run := report.Get("runs").At(i)
		if run.Get("run").Text() != want.run || run.Get("document").Text() != want.document ||
			run.Get("result").Get("status").Text() != want.status || run.Get("events").Len() != want.events {
			t.Errorf("run %d is %s of %s, %s, with %d events; want %+v", i, run.Get("run"), run.Get("document"),
				run.Get("result").Get("status"), run.Get("events").Len(), want)
		}
	}
}

// A stream that lacks its beginning still belongs to its run.
func TestEventsBeforeARunBeganAreKept(t *testing.T) {
	other := orderRun()[3:]
	for i := range other {
		other[i].Run = "run-2"
	}
	report, err := value.ParseJSON(jsonReport(t, append(orderRun()[1:], other...)))
	if err != nil {
		t.Fatal(err)
	}
	if got := report.Get("runs").Len(); got != 2 {
		t.Fatalf("%d runs, want 2", got)
	}
	for i, want := range []int{len(orderRun()) - 1, len(other)} {
		run := report.Get("runs").At(i)
		if got := run.Get("events").Len(); got != want || run.Get("document").Text() != "" {
			t.Errorf("run %d has %d events, want %d; its document is %s", i, got, want, run.Get("document"))
		}
	}
}

func TestAJSONWriterThatFailsIsTold(t *testing.T) {
	if _, err := NewJSON().WriteTo(brokenWriter{}); !errors.Is(err, errBroken) {
		t.Errorf("WriteTo = %v", err)
	}
}
