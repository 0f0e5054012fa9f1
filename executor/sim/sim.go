package sim

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/url"
	"time"

	"github.com/google/uuid"

	"github.com/weft-flow/weft/arazzo/source"
	"github.com/weft-flow/weft/executor"
	"github.com/weft-flow/weft/executor/channel/memory"
	"github.com/weft-flow/weft/executor/channel/webhook"
	"github.com/weft-flow/weft/executor/httpcall"
	"github.com/weft-flow/weft/executor/mock"
	"github.com/weft-flow/weft/idempotency"
)

const (
	// host is where the mock seems to be: a name that can only be this machine's (RFC
	// 6761), so that requests which change something are allowed.
	host = "http://mock.localhost"
	// DefaultLatency is how long a request takes where Options does not say.
	DefaultLatency = time.Millisecond
)

// Epoch is when simulated runs begin where Options does not say.
var Epoch = time.Date(2026, time.January, 1, 0, 0, 0, 0, time.UTC)

var errNoEnd = errors.New("nothing is answered, and nothing limits the wait")

// Stage is what all runs of a document share: its APIs, ready to be played.
type Stage struct {
	apis    *mock.APIs
	servers map[string]string
	senders map[string]webhook.Source
}

// NewStage prepares the APIs that a document and its nested documents describe.
func NewStage(set *source.Set) *Stage { return NewStageOf(mock.Sources(set)) }

// NewStageOf prepares APIs, such as those that Sources lists.
func NewStageOf(sources []mock.Source) *Stage {
	s := &Stage{apis: mock.Prepare(sources), servers: make(map[string]string, len(sources)), senders: sendersOf(sources)}
	for _, src := range sources {
		s.servers[src.Description.Identity] = host + "/" + url.PathEscape(src.Name)
	}
	return s
}

// Servers gives the base URL of each API, for executor.Config.
func (s *Stage) Servers() map[string]string { return s.servers }

// Options of one run. The zero value is usable.
type Options struct {
	// Seed is what the run's id is made of, and what the faults leave open where their
	// plan has no seed of its own.
	Seed uint64
	// Faults are planned before the run begins.
	Faults mock.FaultPlan
	// Start is when the run begins; zero: Epoch.
	Start time.Time
	// Latency is how long each request is on its way; 0: DefaultLatency.
	Latency time.Duration
	// CancelAfter cancels the run so long after its start; 0: it is not cancelled.
	CancelAfter time.Duration
	// Choose says what requests are answered (mock.Options.Choose).
	Choose func(mock.Asked) *mock.Answer
	// Through puts something between the run and the mock: it is given what leads to the
	// mock, and gives what requests are sent through; nil: nothing is between.
	Through func(toMock http.RoundTripper) http.RoundTripper
	// Budget limits retries; the zero value: idempotency.DefaultBudget.
	Budget idempotency.BudgetLimits
}

// Runtime is the world of one run: a clock, and servers with a state and a ledger of
// their own. It is not for several runs at once; runs after each other see what the
// ones before did.
type Runtime struct {
	seed      uint64
	clock     *clock
	server    *mock.Server
	client    *httpcall.Client
	budget    *idempotency.Budget
	cancelled time.Time // zero: it never is
	runs      uint64
	hub       *memory.Hub
	senders   map[string]webhook.Source
	receiving string // the run that has mailboxes open
	hears     bool   // the mock sends its messages
}

// New gives a world. The error wraps mock.ErrFault where a fault cannot be planned.
func (s *Stage) New(o Options) (*Runtime, error) {
	if o.Start.IsZero() {
		o.Start = Epoch
	}
	if o.Latency == 0 {
		o.Latency = DefaultLatency
	}
	if o.Budget == (idempotency.BudgetLimits{}) {
		o.Budget = idempotency.DefaultBudget()
	}
	if o.Faults.Seed == 0 {
		o.Faults.Seed = o.Seed
	}
	r := &Runtime{seed: o.Seed, clock: &clock{at: o.Start}, senders: s.senders}
	r.server = s.apis.New(mock.Options{Now: r.clock.now, Choose: o.Choose})
	if len(o.Faults.Faults) > 0 {
		if err := r.server.Apply(o.Faults); err != nil {
			return nil, fmt.Errorf("plan the faults: %w", err)
		}
	}
	r.hub = memory.New(memory.Options{Now: r.clock.now, Random: r.random(0)})
	var way http.RoundTripper = latent{r.server.Transport(mock.TransportOptions{Wait: r.clock.wait}), r.clock, o.Latency}
	if o.Through != nil {
		way = o.Through(way)
	}
	r.client = httpcall.New(httpcall.Options{
		Transport: way,
		Now:       r.clock.now, WithTimeout: r.clock.withTimeout,
	})
	r.budget = idempotency.NewBudget(o.Budget, r.clock.now)
	if o.CancelAfter > 0 {
		r.cancelled = o.Start.Add(o.CancelAfter)
	}
	return r, nil
}

// Server gives the played APIs, with their ledger.
func (r *Runtime) Server() *mock.Server { return r.server }

// Cancel cancels the runs of the world from now on.
func (r *Runtime) Cancel() {
	if r.cancelled.IsZero() {
		r.cancelled = r.clock.now()
	}
}

// Now tells how late it is in the world.
func (r *Runtime) Now() time.Time { return r.clock.now() }

// latent is a transport on which each request takes a while.
type latent struct {
	next  http.RoundTripper
	clock *clock
	delay time.Duration
}

// RoundTrip lets the time pass, and then the request.
func (l latent) RoundTrip(r *http.Request) (*http.Response, error) {
	if err := l.clock.wait(r.Context(), l.delay); err != nil {
		return nil, err
	}
	return l.next.RoundTrip(r)
}

// Open names the run by the seed, and opens its mailboxes.
func (r *Runtime) Open(ctx context.Context, boxes []executor.Mailbox) (executor.Opened, error) {
	r.runs++
	id, err := uuid.NewRandomFromReader(r.random(r.runs))
	if err != nil {
		return executor.Opened{}, fmt.Errorf("make a run id: %w", err)
	}
	addresses, err := r.open(ctx, id.String(), boxes)
	if err != nil {
		return executor.Opened{}, err
	}
	return executor.Opened{Run: id.String(), Time: r.clock.now(), Addresses: addresses}, nil
}

// random gives the nth source of what looks random and follows from the seed.
func (r *Runtime) random(n uint64) io.Reader {
	var seed [32]byte
	binary.BigEndian.PutUint64(seed[:], r.seed)
	binary.BigEndian.PutUint64(seed[8:], n)
	return rand.NewChaCha8(seed)
}

// isCancelled tells whether the time of the cancel has come.
func (r *Runtime) isCancelled() bool {
	return !r.cancelled.IsZero() && !r.clock.now().Before(r.cancelled)
}

// Call makes one request to the mock, or none where it cannot be written.
func (r *Runtime) Call(ctx context.Context, call executor.Call) (executor.Exchange, error) {
	if r.isCancelled() && !call.AfterCancel {
		now := r.clock.now()
		return executor.Exchange{Started: now, Ended: now, Class: idempotency.NotSent, Reason: "cancelled before it was sent", Cancelled: true}, nil
	}
	if call.Attempt == 1 {
		r.budget.Request(target(call.Server))
	}
	x := r.client.Call(ctx, call)
	x.Cancelled = x.Cancelled || r.isCancelled()
	return x, nil
}

// Admit asks the budget of this world.
func (r *Runtime) Admit(_ context.Context, retry executor.Retry) (executor.Admission, error) {
	a := executor.Admission{Granted: r.budget.Retry(target(retry.Target)), Time: r.clock.now()}
	if !a.Granted {
		a.Reason = idempotency.ReasonBudget
	}
	return a, nil
}

// Move grants every move: the states of a run are its own.
func (r *Runtime) Move(_ context.Context, move executor.Move) (executor.Moved, error) {
	return executor.Moved{Done: true, State: move.To, Time: r.clock.now()}, nil
}

// target gives the host that a server's URL names, by which retries are counted.
func target(server string) string {
	u, err := url.Parse(server)
	if err != nil {
		return server
	}
	return u.Host
}
