package mock

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"sync"
	"time"

	"github.com/weft-flow/weft/arazzo/source"
)

// LedgerPath is where a Server tells its ledger as JSON.
const LedgerPath = "/_weft/ledger"

// DefaultMaxBody is how many bytes of a request's body are read where Options
// does not say: 8 MiB.
const DefaultMaxBody = 8 << 20

// Source is one API to be played.
type Source struct {
	// Name is the first segment of the paths under which the API is found.
	Name    string
	Catalog *source.Catalog
}

// Options of a Server. The zero value is ready to use.
type Options struct {
	// Now gives the time for the ledger; nil: time.Now.
	Now func() time.Time
	// MaxBody is how many bytes of a request's body are read; 0: DefaultMaxBody.
	MaxBody int64
	// OnFault is told of each planned fault as it fires, before the fault acts:
	// a hang has then begun or is about to. It must not block. nil: nobody is told.
	OnFault func(PlannedFault)
}

// Server plays APIs. It is an http.Handler that may be used by many goroutines,
// and remembers what happened until it is thrown away.
//
// The operations of a source are found under "/" and its name, and, as long as
// no source is named like the first segment of the request's path, without it.
type Server struct {
	options Options
	routes  *routes
	ledger  *ledger
	faults  *faultPlan
	keys    *keyBook
	world   *world

	closing   chan struct{}
	closeOnce sync.Once
}

// New gives a Server that plays the sources from a clean slate.
func New(sources []Source, options Options) *Server { return Prepare(sources).New(options) }

// APIs are sources that are ready to be played.
type APIs struct{ routes *routes }

// Prepare does what any number of Servers that play the same sources can share.
func Prepare(sources []Source) *APIs { return &APIs{compileRoutes(sources)} }

// New gives a Server that plays the APIs from a clean slate. Servers do not see
// each other's state.
func (a *APIs) New(options Options) *Server {
	if options.Now == nil {
		options.Now = time.Now
	}
	if options.OnFault == nil {
		options.OnFault = func(PlannedFault) {}
	}
	if options.MaxBody <= 0 {
		options.MaxBody = DefaultMaxBody
	}
	return &Server{
		options: options,
		routes:  a.routes,
		ledger:  &ledger{now: options.Now},
		faults:  &faultPlan{},
		keys:    &keyBook{records: map[string]*keyRecord{}},
		world:   newWorld(),
		closing: make(chan struct{}),
	}
}

// Close ends all hanging requests and makes later ones that would hang end at
// once. The ledger stays readable. It never fails.
func (s *Server) Close() error {
	s.closeOnce.Do(func() { close(s.closing) })
	return nil
}

// ServeHTTP answers one request.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.URL.Path == LedgerPath {
		s.serveLedger(w, r)
		return
	}
	found, miss := s.routes.find(r.Method, r.URL.EscapedPath())
	entry := s.ledger.open(r, found.route)
	fault := s.faults.next(found.route)

	if fault.at(onArrival) {
		s.finish(w, entry, s.breakDown(r.Context(), fault, entry))
		return
	}
	body, problem := s.readBody(w, r)
	s.ledger.body(entry, body)
	switch {
	case problem != nil:
		s.finish(w, entry, outcome{reply: problem})
	case miss != nil:
		s.finish(w, entry, outcome{reply: miss})
	default:
		in := newIncoming(r, found, body)
		s.finish(w, entry, s.perform(r.Context(), in, fault, entry))
	}
}

// outcome is what becomes of a request on the wire.
type outcome struct {
	reply    *reply // nil: none is sent, the connection is reset
	replayed bool
}

// finish writes the outcome into the ledger, then onto the wire: whoever has the
// answer finds it in the ledger.
func (s *Server) finish(w http.ResponseWriter, entry int, out outcome) {
	if out.reply == nil {
		s.ledger.answered(entry, 0, false)
		resetConnection(w)
		return
	}
	s.ledger.answered(entry, out.reply.status, out.replayed)
	out.reply.write(w, out.replayed)
}

func (s *Server) readBody(w http.ResponseWriter, r *http.Request) ([]byte, *reply) {
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, s.options.MaxBody))
	var tooLarge *http.MaxBytesError
	switch {
	case errors.As(err, &tooLarge):
		return body, problem(http.StatusRequestEntityTooLarge, "too-large",
			fmt.Sprintf("The body has more than %d bytes.", s.options.MaxBody))
	case err != nil:
		return body, problem(http.StatusBadRequest, "cut-short", "The body did not come to its end: "+err.Error())
	}
	return body, nil
}

// Listen serves on a TCP address such as "127.0.0.1:0" until the returned close
// is called, which ends all requests and returns when they have ended. baseURL
// has no trailing slash.
func (s *Server) Listen(addr string) (baseURL string, close func() error, err error) {
	listener, err := net.Listen("tcp", addr)
	if err != nil {
		return "", nil, fmt.Errorf("mock: %w", err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	var requests sync.WaitGroup
	server := &http.Server{
		Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			requests.Add(1)
			defer requests.Done()
			s.ServeHTTP(w, r)
		}),
		BaseContext:       func(net.Listener) context.Context { return ctx },
		ReadHeaderTimeout: 30 * time.Second,
	}
	served := make(chan error, 1)
	go func() { served <- server.Serve(listener) }()

	end := sync.OnceValue(func() error {
		cancel()
		err := server.Close()
		if serveErr := <-served; !errors.Is(serveErr, http.ErrServerClosed) {
			err = errors.Join(err, serveErr)
		}
		requests.Wait()
		if err != nil {
			return fmt.Errorf("mock: %w", err)
		}
		return nil
	})
	return "http://" + listener.Addr().String(), end, nil
}
