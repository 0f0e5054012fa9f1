package middleware

import (
	"context"
	"errors"
	"fmt"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/metric"
	"go.opentelemetry.io/otel/trace"

	"github.com/weft-flow/weft/idempotency"
)

// scopeName names this package to OpenTelemetry.
const scopeName = "github.com/weft-flow/weft/idempotency/middleware"

// telemetry has the spans and counters. A key appears in none of them, but for its
// digest: whoever has a key may get its answer.
type telemetry struct {
	tracer                                    trace.Tracer
	requests, completions, recoveries, purged metric.Int64Counter
}

func newTelemetry(o Options) (t telemetry, err error) {
	t.tracer = o.TracerProvider.Tracer(scopeName)
	meter := o.MeterProvider.Meter(scopeName)
	for _, c := range []struct {
		into       *metric.Int64Counter
		name, what string
	}{
		{&t.requests, "idempotency.requests", "Requests with a key, or that lack one, by what was found"},
		{&t.completions, "idempotency.completions", "Handlers that came to their end, by what became of their answer"},
		{&t.recoveries, "idempotency.recoveries", "Lapsed claims that were looked at, by the verdict"},
		{&t.purged, "idempotency.purged", "Records and claims that were removed after their time"},
	} {
		if *c.into, err = meter.Int64Counter(c.name, metric.WithDescription(c.what)); err != nil {
			return t, fmt.Errorf("idempotency middleware: make the counter %s: %w", c.name, err)
		}
	}
	return t, nil
}

func (t telemetry) request(ctx context.Context, outcome string) {
	t.requests.Add(ctx, 1, metric.WithAttributes(attribute.String("outcome", outcome)))
}

func (t telemetry) completion(ctx context.Context, what string, err error) {
	t.completions.Add(ctx, 1, metric.WithAttributes(attribute.String("outcome", outcomeOf(what, err))))
}

func (t telemetry) recovery(ctx context.Context, verdict string, err error) {
	t.recoveries.Add(ctx, 1, metric.WithAttributes(attribute.String("verdict", outcomeOf(verdict, err))))
}

func (t telemetry) purge(ctx context.Context, n int) {
	if n > 0 {
		t.purged.Add(ctx, int64(n))
	}
}

func outcomeOf(what string, err error) string {
	switch {
	case err == nil:
		return what
	case errors.Is(err, idempotency.ErrFenced):
		return "fenced"
	default:
		return "failed"
	}
}

// span begins a span about a record; end ends it with what came of it.
func (t telemetry) span(ctx context.Context, name string, key idempotency.RecordKey) (_ context.Context, end func(outcome string, err error)) {
	ctx, span := t.tracer.Start(ctx, name, trace.WithAttributes(
		attribute.String("idempotency.scope", key.Scope),
		attribute.String("idempotency.key.digest", idempotency.Key{Value: key.Key}.Digest()),
	))
	return ctx, func(outcome string, err error) {
		span.SetAttributes(attribute.String("idempotency.outcome", outcomeOf(outcome, err)))
		if err != nil {
			span.RecordError(err)
			span.SetStatus(codes.Error, outcomeOf(outcome, err))
		}
		span.End()
	}
}
