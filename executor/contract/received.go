package contract

import (
	"cmp"
	"context"
	"net/http"
	"sync"

	"github.com/weft-flow/weft/executor/mock"
)

// Received is one request as it came to the mocked APIs. What was prepared and never left,
// or found nobody who listened, is not among them.
type Received struct {
	Operation string // operationId, else method and path
	Method    string
	URL       string // as the client asked for it
	Header    http.Header
	Body      []byte // empty where a responder of the test's own took it
	Key       string // the idempotency key; empty: it bore none
}

// world is where the requests of one run arrive.
type world struct {
	toMock http.RoundTripper
	server *mock.Server

	mu        sync.Mutex
	operation string // of the call that is made now
	keyHeader string // of its key
	arrived   []arrival
}

// arrival is one request that has come.
type arrival struct {
	Received
	entry int // in the mock's ledger, from 1; 0: the mock did not get it
}

// calls notes which call is made.
func (w *world) calls(operation, keyHeader string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.operation, w.keyHeader = operation, keyHeader
}

// count gives how many requests have come.
func (w *world) count() int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return len(w.arrived)
}

// came notes a request that somebody else than the mock takes.
func (w *world) came(operation, method, url string, header http.Header) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.arrived = append(w.arrived, arrival{Received: Received{
		Operation: cmp.Or(operation, w.operation), Method: method, URL: url, Header: header.Clone(), Key: header.Get(w.keyHeader),
	}})
}

// RoundTrip has the mock take a request. asked is the URL that the client asked for.
func (w *world) roundTrip(r *http.Request, asked string) (*http.Response, error) {
	before := len(w.server.Ledger().Requests)
	response, err := w.toMock.RoundTrip(r)
	w.mu.Lock()
	defer w.mu.Unlock()
	for n := before + 1; n <= len(w.server.Ledger().Requests); n++ {
		w.arrived = append(w.arrived, arrival{Received: Received{URL: asked, Key: w.keyHeader}, entry: n})
	}
	return response, err
}

// received reads what has come, with what the mock's ledger says of it by now.
func (w *world) received() []Received {
	ledger := w.server.Ledger().Requests
	w.mu.Lock()
	defer w.mu.Unlock()
	all := make([]Received, len(w.arrived))
	for i, a := range w.arrived {
		all[i] = a.Received
		if a.entry == 0 {
			continue
		}
		r := ledger[a.entry-1]
		all[i] = Received{
			Operation: r.Operation, Method: r.Method, URL: a.URL, Header: r.Header, Body: []byte(r.Body), Key: cmp.Or(r.Key, keyIn(r.Header, a.Key)),
		}
	}
	return all
}

func keyIn(header http.Header, name string) string {
	if name == "" {
		return ""
	}
	return header.Get(name)
}

// worldKey is under what a request's context has the world of its run.
type worldKey struct{}

func worldOf(ctx context.Context) *world {
	w, _ := ctx.Value(worldKey{}).(*world)
	return w
}
