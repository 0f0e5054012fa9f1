package middleware

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"strings"
	"time"

	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/metric"
	"go.opentelemetry.io/otel/trace"

	"github.com/weft-flow/weft/idempotency"
)

// ServerErrors says what a repeated request gets after a handler has answered 5xx,
// or has panicked.
type ServerErrors int

// The settings. There is no default, since either may be wrong for a service.
const (
	// ReplayServerErrors gives the same 5xx again, for as long as answers are kept:
	// right where the handler may have had an effect before it failed.
	ReplayServerErrors ServerErrors = iota + 1
	// RerunServerErrors runs the handler again: right only where it undoes what it did
	// before it fails, as a transaction does.
	RerunServerErrors
)

// Defaults of Options.
const (
	DefaultMaxKey    = 255
	DefaultMaxBody   = 1 << 20
	DefaultMaxAnswer = 1 << 20
	DefaultLease     = 30 * time.Second
	DefaultRetention = 24 * time.Hour
)

// Options say how requests are done once. Store, Principal and ServerErrors must be
// given; the zero value of the others is ready for use.
type Options struct {
	Store idempotency.Store
	// Principal says who asks: commonly the authenticated client. Its keys are
	// nobody else's. A request for which it gives an error is answered with 401.
	// Anyone is for services that tell nobody apart.
	Principal func(*http.Request) (string, error)
	// ServerErrors says what a repeated request gets after a 5xx.
	ServerErrors ServerErrors

	// Scope says within what a key is looked up; nil: method and path.
	Scope func(*http.Request) string
	// Header that bears the key; empty: Idempotency-Key. Its value may stand in quotes,
	// which are no part of the key.
	Header string
	// Methods that are done once, in capitals; nil: POST and PATCH.
	Methods []string
	// Required refuses, with 400, requests of these methods that bear no key.
	// Otherwise they are handled as if this package were not there.
	Required bool

	// MaxKey, MaxBody and MaxAnswer are the greatest sizes in bytes of a key, of a
	// request's body, and of an answer; 0: the defaults. What is larger is refused.
	MaxKey             int
	MaxBody, MaxAnswer int64
	// Lease is after what time without a sign a handler is given up; 0: DefaultLease. A
	// handler may run for longer: as long as its process lives, there are signs.
	Lease time.Duration
	// Retention is for how long an answer is kept; 0: DefaultRetention.
	Retention time.Duration
	// Wait is how long a request waits for another with its key; 0: not at all, 409.
	Wait time.Duration

	// Recover looks into what became of a request whose process died; nil: it stays
	// open until somebody calls Settle.
	Recover Recover
	// OnError is told what goes wrong where no answer can tell it; nil: log/slog is.
	OnError func(context.Context, error)
	// Where spans and counters go; nil: the global providers of OpenTelemetry.
	TracerProvider trace.TracerProvider
	MeterProvider  metric.MeterProvider
}

// Anyone is a Principal for services that tell nobody apart: then whoever knows
// another's key gets that one's answers.
func Anyone(*http.Request) (string, error) { return "", nil }

func (o Options) check() error {
	switch {
	case o.Store == nil:
		return errors.New("idempotency middleware: Store is missing")
	case o.Principal == nil:
		return errors.New("idempotency middleware: Principal is missing; Anyone tells nobody apart")
	case o.ServerErrors != ReplayServerErrors && o.ServerErrors != RerunServerErrors:
		return errors.New("idempotency middleware: ServerErrors is missing: ReplayServerErrors or RerunServerErrors")
	case o.MaxKey < 0 || o.MaxKey > idempotency.MaxName:
		return errors.New("idempotency middleware: MaxKey is out of range")
	case o.MaxBody < 0 || o.MaxAnswer < 0 || o.Lease < 0 || o.Retention < 0 || o.Wait < 0:
		return errors.New("idempotency middleware: a size or a time is negative")
	}
	for _, method := range o.Methods {
		if method == "" || method != strings.ToUpper(method) {
			return fmt.Errorf("idempotency middleware: the method %q is none: methods are written in capitals", method)
		}
	}
	return nil
}

func (o Options) withDefaults() Options {
	o.Header = cmp.Or(o.Header, "Idempotency-Key")
	o.MaxKey = cmp.Or(o.MaxKey, DefaultMaxKey)
	o.MaxBody = cmp.Or(o.MaxBody, DefaultMaxBody)
	o.MaxAnswer = cmp.Or(o.MaxAnswer, DefaultMaxAnswer)
	o.Lease = cmp.Or(o.Lease, DefaultLease)
	o.Retention = cmp.Or(o.Retention, DefaultRetention)
	if o.Methods == nil {
		o.Methods = []string{http.MethodPost, http.MethodPatch}
	}
	if o.Scope == nil {
		o.Scope = func(r *http.Request) string { return r.Method + " " + r.URL.EscapedPath() }
	}
	if o.OnError == nil {
		o.OnError = func(ctx context.Context, err error) { slog.ErrorContext(ctx, "idempotency", "error", err) }
	}
	if o.TracerProvider == nil {
		o.TracerProvider = otel.GetTracerProvider()
	}
	if o.MeterProvider == nil {
		o.MeterProvider = otel.GetMeterProvider()
	}
	return o
}
