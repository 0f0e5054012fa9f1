package live

import (
	"context"
	"fmt"
	"net/url"
	"sync"
	"time"

	"github.com/google/uuid"

	"github.com/weft-flow/weft/arazzo/source"
	"github.com/weft-flow/weft/executor"
	"github.com/weft-flow/weft/executor/httpcall"
	"github.com/weft-flow/weft/idempotency"
)

// Runtime makes real requests. It is safe for many runs at once, which then share
// connections and the retry budget.
type Runtime struct {
	client  *httpcall.Client
	sources map[string]*httpcall.Client
	clients map[*source.Description]*httpcall.Client
	budget  *idempotency.Budget
	// receiver takes the messages; nil: there are none.
	receiver *Receiver

	cancelled chan struct{}
	once      sync.Once
}

// Options say what a Runtime sends through; the zero value is usable.
type Options struct {
	// Client sends requests; nil: one with the defaults of httpcall.
	Client *httpcall.Client
	// Clients are clients for the calls of single sources: with certificates, a proxy
	// or credentials of their own. What has none goes through Client.
	Clients map[*source.Description]*httpcall.Client
	// Sources are the same by the identity of the source description, or by its name,
	// which is then taken wherever a document has a source of that name. Clients wins.
	Sources map[string]*httpcall.Client
	// Budget bounds the retries of all runs, by host; nil: the default limits.
	Budget *idempotency.Budget
	// Receiver is where messages come in; nil: documents that receive cannot be run. It
	// may serve several runtimes, and is not closed with this one.
	Receiver *Receiver
}

// New gives a runtime for any number of runs. Close it when they have ended.
func New(o Options) *Runtime {
	if o.Client == nil {
		o.Client = httpcall.New(httpcall.Options{})
	}
	if o.Budget == nil {
		o.Budget = idempotency.NewBudget(idempotency.DefaultBudget(), time.Now)
	}
	return &Runtime{client: o.Client, sources: o.Sources, clients: o.Clients, budget: o.Budget, receiver: o.Receiver, cancelled: make(chan struct{})}
}

// Receive lets the runs receive messages (Options.Receiver). It is to be called before
// the first of them.
func (r *Runtime) Receive(receiver *Receiver) { r.receiver = receiver }

// Close closes the connections that are idle.
func (r *Runtime) Close() {
	r.client.Close()
	for _, client := range r.sources {
		client.Close()
	}
	for _, client := range r.clients {
		client.Close()
	}
}

// clientFor gives the client that the calls of a source go through.
func (r *Runtime) clientFor(d *source.Description) *httpcall.Client {
	if d == nil {
		return r.client
	}
	if client, ok := r.clients[d]; ok {
		return client
	}
	for _, key := range []string{d.Identity, d.Name} {
		if client, ok := r.sources[key]; ok {
			return client
		}
	}
	return r.client
}

// Cancel cancels all runs of the runtime, those included that begin later: it ends all
// waiting at once. A request in the air is awaited up to its timeout, so that its
// outcome is known; no further one is sent but those of cancel actions. To cancel one
// run, see WithCancel.
func (r *Runtime) Cancel() { r.once.Do(func() { close(r.cancelled) }) }

// isCancelled tells whether the runtime was, or the run of a context.
func (r *Runtime) isCancelled(ctx context.Context) bool {
	select {
	case <-r.cancelled:
		return true
	case <-cancelledOf(ctx):
		return true
	default:
		return false
	}
}

type cancelKey struct{}

// WithCancel gives a context for one run, and what cancels that run as Runtime.Cancel
// would: its cancel actions are done, which need a context that goes on. To end the
// context itself abandons a run instead.
func WithCancel(ctx context.Context) (of context.Context, cancel func()) {
	cancelled := make(chan struct{})
	return context.WithValue(ctx, cancelKey{}, (<-chan struct{})(cancelled)), sync.OnceFunc(func() { close(cancelled) })
}

// cancelledOf gives what is closed when the run of a context is cancelled; nil: never.
func cancelledOf(ctx context.Context) <-chan struct{} {
	cancelled, _ := ctx.Value(cancelKey{}).(<-chan struct{})
	return cancelled
}

// Open names the run, and opens its mailboxes: ids sort by the time at which runs began
// (RFC 9562, version 7).
func (r *Runtime) Open(ctx context.Context, boxes []executor.Mailbox) (executor.Opened, error) {
	id, err := uuid.NewV7()
	if err != nil {
		return executor.Opened{}, fmt.Errorf("make a run id: %w", err)
	}
	addresses, err := r.open(ctx, id.String(), boxes)
	if err != nil {
		return executor.Opened{}, err
	}
	return executor.Opened{Run: id.String(), Time: time.Now(), Addresses: addresses}, nil
}

// Call sends one request, or none where it cannot be written.
func (r *Runtime) Call(ctx context.Context, call executor.Call) (executor.Exchange, error) {
	if r.isCancelled(ctx) && !call.AfterCancel {
		now := time.Now()
		return executor.Exchange{Started: now, Ended: now, Class: idempotency.NotSent, Reason: "cancelled before it was sent", Cancelled: true}, nil
	}
	if call.Attempt == 1 {
		r.budget.Request(host(call.Server))
	}
	x := r.clientFor(call.Source).Call(ctx, call)
	x.Cancelled = x.Cancelled || r.isCancelled(ctx)
	return x, nil
}

// Admit asks the budget that all runs of this runtime share.
func (r *Runtime) Admit(_ context.Context, retry executor.Retry) (executor.Admission, error) {
	a := executor.Admission{Granted: r.budget.Retry(host(retry.Target)), Time: time.Now()}
	if !a.Granted {
		a.Reason = idempotency.ReasonBudget
	}
	return a, nil
}

// Move grants every move: the states of a run are its own.
func (r *Runtime) Move(_ context.Context, move executor.Move) (executor.Moved, error) {
	return executor.Moved{Done: true, State: move.To, Time: time.Now()}, nil
}

// host gives the host and port that a server's URL names, by which retries are counted.
func host(server string) string {
	u, err := url.Parse(server)
	if err != nil {
		return server
	}
	return u.Host
}
