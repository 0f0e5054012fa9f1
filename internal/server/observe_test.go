package server

import (
	"context"
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"

	"go.opentelemetry.io/otel/codes"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"
	"go.opentelemetry.io/otel/trace"

	"github.com/weft-flow/weft/executor/durable"
)

// traceParent is the form of W3C Trace Context, version 00.
var traceParent = regexp.MustCompile(`^00-([0-9a-f]{32})-([0-9a-f]{16})-01$`)

// TestRequestsOfRunsAreTraced has spans of the requests of runs, and what servers are told
// of them: one trace for each run, and nothing that was sent or received.
func TestRequestsOfRunsAreTraced(t *testing.T) {
	exporter := tracetest.NewInMemoryExporter()
	provider := sdktrace.NewTracerProvider(sdktrace.WithSyncer(exporter), sdktrace.WithIDGenerator(RunTraces()))
	s := newStand(t, func(s *stand) { s.tracer = provider })
	var told [][]string
	breaks := false
	s.with(func() {
		s.answer = func(w http.ResponseWriter, r *http.Request) {
			broken := false
			s.with(func() { told, broken = append(told, r.Header.Values("Traceparent")), breaks })
			if broken {
				panic(http.ErrAbortHandler)
			}
			w.Header().Set("Content-Type", "application/json")
			w.WriteHeader(http.StatusCreated)
			fmt.Fprint(w, `{"answer":"confidential-answer"}`)
		}
	})
	good := s.start("order", "confidential-reference")
	s.untilEnded(good, "succeeded")
	s.with(func() { breaks = true })
	bad := s.start("order", "confidential-reference")
	s.untilEnded(bad, "unknown")
	spans := requestSpans(exporter)
	var received [][]string
	s.with(func() { received = told })
	if len(spans) != 2 || len(received) != 2 {
		t.Fatalf("%d spans of requests, %d requests", len(spans), len(received))
	}
	for i, want := range []map[string]string{
		{"weft.run": good, "weft.outcome": "succeeded", "http.response.status_code": "201"},
		{"weft.run": bad, "weft.outcome": "unknown", "error.type": "unknown"},
	} {
		span := spans[i]
		want["http.request.method"], want["url.template"], want["server.address"], want["weft.effectful"] = "POST", "/orders", "127.0.0.1", "true"
		want["weft.attempt"], want["url.scheme"] = "order/create#1/1", "http"
		has := map[string]string{}
		for _, a := range span.Attributes {
			has[string(a.Key)] = a.Value.String()
		}
		for key, value := range want {
			if has[key] != value {
				t.Errorf("span %d: %s is %q, want %q", i, key, has[key], value)
			}
		}
		if failed := span.Status.Code == codes.Error; span.Name != "POST /orders" || failed != (i == 1) || span.Parent.IsValid() {
			t.Errorf("span %d: %s, %v, in %v", i, span.Name, span.Status, span.Parent)
		}
		parts := traceParent.FindStringSubmatch(strings.Join(received[i], "|"))
		if parts == nil || parts[1] != span.SpanContext.TraceID().String() || parts[2] != span.SpanContext.SpanID().String() {
			t.Errorf("the server was told %q of the span %v", received[i], span.SpanContext)
		}
		if text := fmt.Sprint(span); strings.Contains(text, "confidential") {
			t.Errorf("the span tells what was sent or received: %s", text)
		}
	}
	if spans[0].SpanContext.TraceID() == spans[1].SpanContext.TraceID() {
		t.Error("two runs are one trace")
	}
	if !slices.ContainsFunc(exporter.GetSpans(), func(s tracetest.SpanStub) bool {
		return s.SpanKind == trace.SpanKindServer && strings.Contains(fmt.Sprint(s.Attributes), good)
	}) {
		t.Error("no span of a start names its run")
	}
}

func requestSpans(exporter *tracetest.InMemoryExporter) (spans []tracetest.SpanStub) {
	for _, span := range exporter.GetSpans() {
		if span.SpanKind == trace.SpanKindClient {
			spans = append(spans, span)
		}
	}
	return spans
}

// TestARunIsOneTrace: its id follows from the run's, in each process.
func TestARunIsOneTrace(t *testing.T) {
	exporter := tracetest.NewInMemoryExporter()
	s := newStand(t, func(s *stand) {
		s.tracer = sdktrace.NewTracerProvider(sdktrace.WithSyncer(exporter), sdktrace.WithIDGenerator(RunTraces()))
	})
	run := s.start("look", "")
	s.untilEnded(run, "succeeded")
	id, _ := runTraces{}.NewIDs(context.WithValue(t.Context(), runKey{}, run))
	if spans := requestSpans(exporter); len(spans) != 1 || spans[0].SpanContext.TraceID() != id {
		t.Errorf("the spans %v; want the trace %s", spans, id)
	}
	other, span := runTraces{}.NewIDs(t.Context())
	if !other.IsValid() || !span.IsValid() || other == id {
		t.Errorf("a span of no run gets %s, %s", other, span)
	}
}

// TestRunsAreMeasured has what Prometheus is told of runs.
func TestRunsAreMeasured(t *testing.T) {
	s := newStand(t, nil)
	s.untilEnded(s.start("order", "a"), "succeeded")
	s.with(func() { s.answer = func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) } })
	s.untilEnded(s.start("order", "b"), "unknown")
	waiting := s.start("wait", "r")
	s.untilWaiting(waiting)
	s.with(func() { s.broken = true })
	s.restart()
	parked := s.start("wait", "s")
	for _, run := range []string{parked, waiting} {
		s.until(run, func(d durable.Detail) bool { return d.Parked != "" })
	}
	s.with(func() { s.broken = false })
	s.want(202, "POST", "/v1/runs/"+waiting+"/resume", "")
	s.untilWaiting(waiting)
	for name, want := range map[string]string{
		`weft_runs{state="running"}`: "1", `weft_runs{state="accepted"}`: "1", `weft_runs{state="ended"}`: "2",
		`weft_runs_parked`: "1", `weft_runs_waiting{for="message"}`: "1", `weft_runs_waiting{for="time"}`: "0",
	} {
		if got := s.metric(name); got != want {
			t.Errorf("%s is %q, want %s", name, got, want)
		}
	}
	s.want(202, "POST", "/webhooks/shop/paid", `{"ref":"r"}`)
	s.untilEnded(waiting, "succeeded")
	if got := s.metric(`weft_messages_total{outcome="stored"}`); got != "1" {
		t.Errorf("%q deliveries are counted", got)
	}
	if got := s.metric(`weft_runs_ended_total{status="succeeded"}`); got != "1" {
		t.Errorf("%q ends are counted since the restart", got)
	}
}

// TestAttemptsAreMeasured has an unsafe request that breaks, and that its document would
// repeat.
func TestAttemptsAreMeasured(t *testing.T) {
	s := newStand(t, func(s *stand) {
		s.write("shop.arazzo.yaml", strings.Replace(shopFlow, "payload: {ref: $inputs.ref}}}", "payload: {ref: $inputs.ref}}, onFailure: [{name: again, type: retry, retryAfter: 0.01, retryLimit: 2}]}", 1))
	})
	s.untilEnded(s.start("look", ""), "succeeded")
	s.with(func() { s.answer = func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) } })
	s.untilEnded(s.start("order", "b"), "unknown")
	for name, want := range map[string]string{
		`weft_attempts_total{class="succeeded"}`: "1", `weft_attempts_total{class="unknown"}`: "1",
		`weft_repeats_withheld_total{cause="rule"}`: "1", `weft_repeats_withheld_total{cause="budget"}`: "",
		`weft_runs_ended_total{status="succeeded"}`: "1", `weft_runs_ended_total{status="unknown"}`: "1",
	} {
		if got := s.metric(name); got != want {
			t.Errorf("%s is %q, want %q", name, got, want)
		}
	}
}
