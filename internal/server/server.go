package server

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"path"
	"runtime/debug"
	"strings"
	"sync"

	"go.opentelemetry.io/contrib/instrumentation/net/http/otelhttp"
	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/trace"

	"github.com/weft-flow/weft/executor"
	"github.com/weft-flow/weft/executor/channel"
	"github.com/weft-flow/weft/executor/channel/webhook"
	"github.com/weft-flow/weft/executor/durable"
	"github.com/weft-flow/weft/idempotency"
)

// Runs is what the server needs of a store of runs; *durable.Store is one.
type Runs interface {
	Start(ctx context.Context, spec durable.Spec) (durable.Started, error)
	Find(ctx context.Context, run string) (durable.Summary, error)
	Show(ctx context.Context, run string) (durable.Detail, error)
	List(ctx context.Context, f durable.Filter) (durable.Page, error)
	Result(ctx context.Context, run string) (executor.Result, bool, error)
	ReadHeld(h idempotency.Holder) (executor.Result, error)
	Wait(ctx context.Context, run string) (executor.Result, error)
	Follow(ctx context.Context, run string, after int, sink executor.Sink) (executor.Result, error)
	Events(ctx context.Context, run string, after, limit int) ([]executor.Event, error)
	Cancel(ctx context.Context, run string) error
	Resume(ctx context.Context, run string) error
	Settle(ctx context.Context, run string, settlement durable.Settlement) error
	Release(ctx context.Context, tenant, workflow, token string) (string, error)
	Deliver(ctx context.Context, run string, m executor.Message) (durable.Delivered, error)
	Plan(ctx context.Context, run string) (*executor.Plan, error)
	Count(ctx context.Context) (durable.Counts, error)
	Health() error
	Check(ctx context.Context) error
}

// Options say what a Server serves, and to whom.
type Options struct {
	Runs Runs
	// Hub keeps the messages that are received, at /webhooks/, /callbacks/ and
	// /channels/. Nobody is asked for a token there: what is signed proves itself.
	Hub channel.Hub
	// Messages are the settings of what is received.
	Messages  webhook.Options
	Documents []Document
	// Tokens are who may do what. None: everybody may do everything, which is for a
	// server that only this machine reaches.
	Tokens []Token
	// Store is the name of the store as the log may show it.
	Store string
	// Logger takes what goes wrong within; nil: nobody wants to know.
	Logger *slog.Logger
	// Tracer makes a span of each request; nil: the global provider.
	Tracer trace.TracerProvider
	// MaxBody is the greatest length of a request in bytes, but of messages that are
	// received; 0: 1 MiB.
	MaxBody int64
}

// Server is the HTTP API.
type Server struct {
	options   Options
	documents map[string]Document
	metrics   *metrics
	handler   http.Handler
	log       *slog.Logger
	closing   chan struct{}
	close     sync.Once
}

const defaultMaxBody = 1 << 20

// New gives a server. Close it before its listener is shut down: streams end then. The
// error tells which setting of which source's messages is wrong.
func New(o Options) (*Server, error) {
	s := &Server{options: o, documents: byName(o.Documents), metrics: newMetrics(o.Runs), log: o.Logger, closing: make(chan struct{})}
	if s.log == nil {
		s.log = slog.New(slog.DiscardHandler)
	}
	if s.options.MaxBody == 0 {
		s.options.MaxBody = defaultMaxBody
	}
	receiver, err := webhook.New(countedHub{o.Hub, s.metrics}, o.Messages)
	if err != nil {
		return nil, err
	}
	tracing := []otelhttp.Option{otelhttp.WithSpanNameFormatter(spanName), otelhttp.WithPropagators(propagation.TraceContext{})}
	if o.Tracer != nil {
		tracing = append(tracing, otelhttp.WithTracerProvider(o.Tracer))
	}
	s.handler = otelhttp.NewHandler(s.routes(receiver), "weft", tracing...)
	return s, nil
}

func spanName(_ string, r *http.Request) string {
	if r.Pattern != "" {
		return r.Pattern
	}
	return methodOf(r)
}

// ServeHTTP answers one request.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) { s.handler.ServeHTTP(w, r) }

// Close ends the streams of events, and the waits for results. Again, it does nothing.
func (s *Server) Close() { s.close.Do(func() { close(s.closing) }) }

// route is one operation of the API.
type route struct {
	pattern string
	right   Right // empty: none is needed
	serve   func(*Server, http.ResponseWriter, *http.Request) error
}

// api are the operations, in the order of openapi.yaml.
var api = []route{
	{"GET /v1/documents", Read, (*Server).listDocuments},
	{"POST /v1/runs", Start, (*Server).startRun},
	{"GET /v1/runs", Read, (*Server).listRuns},
	{"GET /v1/runs/{run}", Read, (*Server).showRun},
	{"GET /v1/runs/{run}/result", Read, (*Server).result},
	{"GET /v1/runs/{run}/events", Read, (*Server).events},
	{"POST /v1/runs/{run}/cancel", Act, (*Server).cancelRun},
	{"POST /v1/runs/{run}/resume", Act, (*Server).resumeRun},
	{"POST /v1/runs/{run}/settle", Act, (*Server).settleRun},
	{"POST /v1/runs/{run}/messages", Deliver, (*Server).deliverMessage},
	{"DELETE /v1/tokens/{workflow}/{token}", Act, (*Server).releaseToken},
	{"GET /v1/unmatched", Operate, (*Server).listUnmatched},
	{"GET /healthz", "", (*Server).health},
	{"GET /readyz", "", (*Server).ready},
	{"GET /metrics", Operate, (*Server).writeMetrics},
	{"GET /openapi.yaml", "", (*Server).description},
}

// routes leads requests to operations, and messages to the receiver: past the mux, which
// would redirect some, and senders do not follow.
func (s *Server) routes(receiver http.Handler) http.Handler {
	mux := http.NewServeMux()
	for _, r := range api {
		mux.Handle(r.pattern, s.operation(r))
	}
	mux.Handle("/", s.metrics.count("other", s.nothing(mux)))
	received := map[string]http.Handler{}
	for _, prefix := range []string{"/webhooks/", "/callbacks/", "/channels/"} {
		received[prefix] = s.metrics.count(prefix, receiver)
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if first, _, ok := strings.Cut(strings.TrimPrefix(r.URL.Path, "/"), "/"); ok {
			if handler, ok := received["/"+first+"/"]; ok {
				limitRead(w)
				handler.ServeHTTP(w, r)
				return
			}
		}
		if escaped := r.URL.EscapedPath(); path.Clean(escaped) != escaped || !strings.HasPrefix(escaped, "/") {
			unknownPath.write(w)
			return
		}
		mux.ServeHTTP(w, r)
	})
}

// operation wraps an operation with what all have: rights, a limit, metrics, and
// errors as problems.
func (s *Server) operation(r route) http.Handler {
	_, path, _ := strings.Cut(r.pattern, " ")
	return s.metrics.count(path, http.HandlerFunc(func(w http.ResponseWriter, request *http.Request) {
		defer s.survive(w, request)
		limitRead(w)
		request, err := s.admit(request, r.right)
		if err == nil {
			request.Body = http.MaxBytesReader(w, request.Body, s.options.MaxBody)
			err = r.serve(s, w, request)
		}
		if r.right == Act {
			s.note(request, err)
		}
		if err != nil {
			s.fail(w, request, err)
		}
	}))
}

// note logs who has done what to a run, or has tried to.
func (s *Server) note(r *http.Request, err error) {
	outcome := "done"
	if err != nil {
		outcome = err.Error()
	}
	who := callerOf(r.Context()).Name
	s.log.Info("an act on runs", "method", r.Method, "path", r.URL.EscapedPath(), "by", cmp.Or(who, "nobody that is known"), "from", r.RemoteAddr, "outcome", outcome)
}

// survive answers for a fault of the program itself.
func (s *Server) survive(w http.ResponseWriter, r *http.Request) {
	cause := recover()
	switch cause {
	case nil:
	case http.ErrAbortHandler:
		panic(cause)
	default:
		s.log.Error("the program failed", "method", r.Method, "path", r.URL.Path, "fault", fmt.Sprint(cause), "stack", string(debug.Stack()))
		fault.write(w)
	}
}

// nothing answers where there is no operation: for a wrong method it says which are
// right.
func (s *Server) nothing(mux *http.ServeMux) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		var allowed []string
		for _, method := range []string{http.MethodGet, http.MethodPost, http.MethodDelete} {
			other := r.Clone(r.Context())
			other.Method = method
			if _, pattern := mux.Handler(other); pattern != "/" && pattern != "" {
				allowed = append(allowed, method)
			}
		}
		if len(allowed) == 0 {
			unknownPath.write(w)
			return
		}
		w.Header().Set("Allow", strings.Join(allowed, ", "))
		wrongMethod.write(w)
	}
}
