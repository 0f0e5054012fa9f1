package middleware_test

import (
	"context"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/metric"
	metricnoop "go.opentelemetry.io/otel/metric/noop"
	"go.opentelemetry.io/otel/trace"
	tracenoop "go.opentelemetry.io/otel/trace/noop"

	"github.com/weft-flow/weft/idempotency"
	"github.com/weft-flow/weft/idempotency/middleware"
)

// notebook notes what spans and counters it is given.
type notebook struct {
	mu    sync.Mutex
	notes map[string]int
}

func (n *notebook) note(count int, what string, attributes ...attribute.KeyValue) {
	n.mu.Lock()
	defer n.mu.Unlock()
	for _, a := range attributes {
		what += fmt.Sprintf(" %s=%s", a.Key, a.Value.String())
	}
	n.notes[what] += count
}

type (
	tracers struct {
		tracenoop.TracerProvider
		*notebook
	}
	tracer struct {
		tracenoop.Tracer
		*notebook
	}
	span struct {
		tracenoop.Span
		*notebook
		name string
	}
	meters struct {
		metricnoop.MeterProvider
		*notebook
	}
	meter struct {
		metricnoop.Meter
		*notebook
	}
	counter struct {
		metricnoop.Int64Counter
		*notebook
		name string
	}
)

func (t tracers) Tracer(string, ...trace.TracerOption) trace.Tracer {
	return tracer{notebook: t.notebook}
}

func (t tracer) Start(ctx context.Context, name string, o ...trace.SpanStartOption) (context.Context, trace.Span) {
	config := trace.NewSpanStartConfig(o...)
	t.note(1, "start "+name, config.Attributes()...)
	return ctx, span{notebook: t.notebook, name: name}
}

func (s span) SetAttributes(a ...attribute.KeyValue) { s.note(1, "span "+s.name, a...) }
func (s span) End(...trace.SpanEndOption)            { s.note(1, "end "+s.name) }

func (m meters) Meter(string, ...metric.MeterOption) metric.Meter {
	return meter{notebook: m.notebook}
}

func (m meter) Int64Counter(name string, _ ...metric.Int64CounterOption) (metric.Int64Counter, error) {
	return counter{notebook: m.notebook, name: name}, nil
}

func (c counter) Add(_ context.Context, n int64, o ...metric.AddOption) {
	attributes := metric.NewAddConfig(o).Attributes()
	c.note(int(n), c.name, attributes.ToSlice()...)
}

func TestSpansAndCountersTellWhatBecameOfRequests(t *testing.T) {
	notes := &notebook{notes: map[string]int{}}
	observe := func(o *middleware.Options) {
		o.TracerProvider, o.MeterProvider = tracers{notebook: notes}, meters{notebook: notes}
	}
	var c created
	h := wrap(t, observe, c.handle)
	send(h, request("secret-key", `{}`))
	send(h, request("secret-key", `{}`))
	send(h, request("secret-key", `{"other":1}`))
	send(h, request(`"`, `{}`))
	h = wrap(t, func(o *middleware.Options) {
		observe(o)
		o.Store = leftOpen(t, "")
		o.Recover = func(context.Context, idempotency.Record) (middleware.Verdict, error) {
			return middleware.Happened(http.StatusCreated, nil, nil), nil
		}
	}, c.handle)
	send(h, request("k", `{}`))

	for what, want := range map[string]int{
		"idempotency.requests outcome=started":                    1,
		"idempotency.requests outcome=replay":                     2,
		"idempotency.requests outcome=mismatch":                   1,
		"idempotency.requests outcome=key invalid":                1,
		"idempotency.completions outcome=completed":               1,
		"idempotency.recoveries verdict=happened":                 1,
		"span idempotency.begin idempotency.outcome=started":      1,
		"span idempotency.begin idempotency.outcome=replay":       2,
		"span idempotency.complete idempotency.outcome=completed": 1,
		"end idempotency.begin":                                   4,
		"end idempotency.complete":                                1,
	} {
		if got := notes.notes[what]; got != want {
			t.Errorf("%s: %d, want %d; there are %v", what, got, want, slices.Sorted(maps.Keys(notes.notes)))
		}
	}
	for what := range notes.notes {
		if strings.Contains(what, "secret-key") {
			t.Errorf("the key is shown: %s", what)
		}
	}
}
