package mock

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"sync"
	"sync/atomic"
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
	// Receivers are the names by which receivers may know the API where they do not know
	// it by Name: those that nested documents give it, as source.Names qualifies them.
	Receivers []string
	// Keys are headers that bear idempotency keys, by the operations that honour them,
	// beside those that the descriptions declare.
	Keys map[string]string
	// Description is where the catalog is from, for those who look a source up; nil: not
	// known. The server does not look at it.
	Description *source.Description
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
	// Choose is asked before each request to an operation is answered, and gives the
	// answer; nil: it is the server's own. It may be called by many goroutines, as
	// requests come. A nil Choose chooses nothing.
	Choose func(Asked) *Answer
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
	faults  *faultBook
	keys    *keyBook
	world   *world

	connections atomic.Int64           // opened so far
	outbox      atomic.Pointer[outbox] // nil: nothing is sent

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
		faults:  &faultBook{},
		keys:    &keyBook{records: map[string]*keyRecord{}},
		world:   newWorld(),
		closing: make(chan struct{}),
	}
}

// Close ends all hanging requests and makes later ones that would hang end at
// once; messages that were not sent are not sent any more. The ledger stays readable. It
// never fails.
func (s *Server) Close() error {
	s.closeOnce.Do(func() { close(s.closing) })
	if o := s.outbox.Load(); o != nil {
		o.disconnect()
	}
	return nil
}

func (s *Server) isClosed() bool {
	select {
	case <-s.closing:
		return true
	default:
		return false
	}
}

// ServeHTTP answers one request. Faults that are more than an answer need a connection
// that can be had: that of Listen or ListenTLS, of net/http over HTTP/1.1, or, without
// any, Transport.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.serve(r, newWriterCarrier(s, w, r))
}

// serve answers one request through its carrier.
func (s *Server) serve(r *http.Request, by carrier) {
	found, miss := s.routes.find(r.Method, r.URL.EscapedPath())
	s.serveFound(r, by, found, miss)
}

// serveFound answers a request whose path leads to an operation, or misses them all.
func (s *Server) serveFound(r *http.Request, by carrier, found found, miss *reply) {
	if r.URL.Path == LedgerPath {
		by.deliver(r.Context(), outcome{reply: s.tellLedger(r.Method)}, true)
		return
	}
	entry := s.ledger.open(r, found.route, by)
	s.finish(r.Context(), by, entry, s.answer(r, by, found, miss, entry))
}

// answer works out what becomes of a request.
func (s *Server) answer(r *http.Request, by carrier, found found, miss *reply, entry int) outcome {
	fault := s.faults.next(found.route)
	if !s.befalls(fault, by) {
		fault = nil
	}
	if fault.at(onArrival) {
		out, _ := s.breakDown(fault, nil, entry, nil, false)
		return out
	}
	body, problem := s.readBody(r)
	s.ledger.body(entry, body)
	switch {
	case problem != nil:
		s.tooLate(fault, "the request could not be read")
		return outcome{reply: problem}
	case miss != nil:
		return outcome{reply: miss}
	default:
		in := newIncoming(r, found, body)
		in.chosen = s.choose(found.route)
		return s.perform(in, fault, entry)
	}
}

func (s *Server) readBody(r *http.Request) ([]byte, *reply) {
	body, err := io.ReadAll(http.MaxBytesReader(nil, r.Body, s.options.MaxBody))
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
