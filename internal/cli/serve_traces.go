package cli

import (
	"context"
	"fmt"
	"os"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracehttp"
	"go.opentelemetry.io/otel/sdk/resource"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/trace"
	"go.opentelemetry.io/otel/trace/noop"

	"github.com/weft-flow/weft/internal/server"
)

// openTraces gives what makes traces: they are exported over OTLP/HTTP where the
// variables of OpenTelemetry say where to, and else not made at all.
func openTraces(ctx context.Context) (trace.TracerProvider, func(context.Context) error, error) {
	if os.Getenv("OTEL_EXPORTER_OTLP_ENDPOINT") == "" && os.Getenv("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT") == "" {
		return noop.NewTracerProvider(), nil, nil
	}
	exporter, err := otlptracehttp.New(ctx)
	if err != nil {
		return nil, nil, usage("%w: %w", errTraces, err)
	}
	about, err := resource.New(ctx, resource.WithAttributes(attribute.String("service.name", "weft"), attribute.String("service.version", version())), resource.WithFromEnv())
	if err != nil {
		return nil, nil, usage("%w: %w", errTraces, err)
	}
	provider := sdktrace.NewTracerProvider(sdktrace.WithBatcher(exporter), sdktrace.WithResource(about), sdktrace.WithIDGenerator(server.RunTraces()))
	end := func(ctx context.Context) error {
		if err := provider.Shutdown(ctx); err != nil {
			return fmt.Errorf("%w: %w", errTraces, err)
		}
		return nil
	}
	return provider, end, nil
}
