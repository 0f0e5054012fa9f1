package server

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"net/url"
	"strconv"

	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/propagation"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/trace"

	"github.com/weft-flow/weft/executor"
	"github.com/weft-flow/weft/executor/durable"
	"github.com/weft-flow/weft/executor/httpcall"
	"github.com/weft-flow/weft/idempotency"
)

// Observer gives what the node that executes runs is to tell: requests become spans, and
// what came of them measures.
func (s *Server) Observer() durable.Observer {
	provider := s.options.Tracer
	if provider == nil {
		provider = otel.GetTracerProvider()
	}
	t := requestTracer{provider.Tracer("github.com/weft-flow/weft")}
	return durable.Observer{Request: t.request, Event: s.metrics.event}
}

// requestTracer makes a span of each request of a run.
type requestTracer struct{ tracer trace.Tracer }

type runKey struct{}

// request begins the span of a request, and has the server told of it (W3C Trace Context).
// The span has the template of the path: values, bodies, queries and fields are not told.
func (t requestTracer) request(ctx context.Context, run string, call executor.Call) (context.Context, func(executor.Exchange)) {
	ctx = context.WithValue(ctx, runKey{}, run)
	ctx, span := t.tracer.Start(ctx, call.Operation.Method+" "+call.Operation.Path, trace.WithNewRoot(),
		trace.WithSpanKind(trace.SpanKindClient), trace.WithAttributes(describeCall(run, call)...))
	fields := propagation.MapCarrier{}
	propagation.TraceContext{}.Inject(ctx, fields)
	for name, text := range fields {
		ctx = httpcall.WithHeader(ctx, name, text)
	}
	return ctx, func(x executor.Exchange) {
		defer span.End()
		span.SetAttributes(attribute.String("weft.outcome", string(x.Class)))
		if x.Response != nil {
			span.SetAttributes(attribute.Int("http.response.status_code", x.Response.Status))
		}
		if x.Class != idempotency.Succeeded {
			span.SetAttributes(attribute.String("error.type", string(x.Class)))
			span.SetStatus(codes.Error, string(x.Class))
		}
	}
}

func describeCall(run string, call executor.Call) []attribute.KeyValue {
	all := []attribute.KeyValue{
		attribute.String("http.request.method", call.Operation.Method), attribute.String("url.template", call.Operation.Path),
		attribute.String("weft.run", run), attribute.String("weft.attempt", call.Name), attribute.Bool("weft.effectful", call.Effectful),
	}
	if call.Attempt > 1 {
		all = append(all, attribute.Int("http.request.resend_count", call.Attempt-1))
	}
	if call.Key != nil {
		all = append(all, attribute.String("weft.key_digest", call.Key.Digest()))
	}
	if u, err := url.Parse(call.Server); err == nil && u.Host != "" {
		all = append(all, attribute.String("url.scheme", u.Scheme), attribute.String("server.address", u.Hostname()))
		if port, err := strconv.Atoi(u.Port()); err == nil {
			all = append(all, attribute.Int("server.port", port))
		}
	}
	return all
}

// RunTraces gives the requests of a run one trace, whose id follows from the run's: also
// over restarts and nodes. Other spans get random ids.
func RunTraces() sdktrace.IDGenerator { return runTraces{} }

type runTraces struct{}

// NewIDs gives the ids of a span that begins a trace (sdktrace.IDGenerator).
func (runTraces) NewIDs(ctx context.Context) (id trace.TraceID, span trace.SpanID) {
	if run, ok := ctx.Value(runKey{}).(string); ok {
		digest := sha256.Sum256([]byte("weft run " + run))
		copy(id[:], digest[:])
	} else {
		_, _ = rand.Read(id[:]) // it never fails
	}
	_, _ = rand.Read(span[:])
	return id, span
}

// NewSpanID gives the id of a span of a trace (sdktrace.IDGenerator).
func (runTraces) NewSpanID(context.Context, trace.TraceID) (span trace.SpanID) {
	_, _ = rand.Read(span[:]) // it never fails
	return span
}
