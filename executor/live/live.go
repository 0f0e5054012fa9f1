package live

import (
	"context"
	"fmt"
	"net/url"
	"sync"
	"time"

	"github.com/google/uuid"

	"github.com/weft-flow/weft/executor"
	"github.com/weft-flow/weft/executor/httpcall"
	"github.com/weft-flow/weft/idempotency"
)

// Runtime makes real requests. It is safe for many runs at once, which then share
// connections and the retry budget.
type Runtime struct {
	client *httpcall.Client
	budget *idempotency.Budget

	cancelled chan struct{}
	once      sync.Once
}

// New gives a runtime that sends through client. Retries of all its runs come out
// of one budget, by host.
func New(client *httpcall.Client, budget *idempotency.Budget) *Runtime {
	return &Runtime{client: client, budget: budget, cancelled: make(chan struct{})}
}

// Cancel ends all waiting at once. A request in the air is awaited up to its
// timeout, so that its outcome is known; no further one is sent.
func (r *Runtime) Cancel() { r.once.Do(func() { close(r.cancelled) }) }

func (r *Runtime) isCancelled() bool {
	select {
	case <-r.cancelled:
		return true
	default:
		return false
	}
}

// Open names the run: ids sort by the time at which runs began (RFC 9562, version 7).
func (r *Runtime) Open(context.Context, []executor.Mailbox) (executor.Opened, error) {
	id, err := uuid.NewV7()
	if err != nil {
		return executor.Opened{}, fmt.Errorf("make a run id: %w", err)
	}
	return executor.Opened{Run: id.String(), Time: time.Now()}, nil
}

// Call sends one request, or none where it cannot be written.
func (r *Runtime) Call(ctx context.Context, call executor.Call) (executor.Exchange, error) {
	if r.isCancelled() {
		now := time.Now()
		return executor.Exchange{Started: now, Ended: now, Class: idempotency.NotSent, Reason: "cancelled before it was sent", Cancelled: true}, nil
	}
	prepared, err := httpcall.Prepare(call)
	if err != nil {
		now := time.Now()
		return executor.Exchange{Started: now, Ended: now, Class: idempotency.NotSent, Refused: err.Error()}, nil
	}
	if call.Attempt == 1 {
		r.budget.Request(host(call.Server))
	}
	x := r.client.Do(ctx, prepared, call)
	x.Cancelled = r.isCancelled()
	return x, nil
}

// Wait sleeps until the time is over or the run is cancelled.
func (r *Runtime) Wait(ctx context.Context, until executor.WaitSpec) (executor.Signal, error) {
	timer := time.NewTimer(until.For)
	defer timer.Stop()
	select {
	case <-timer.C:
		return executor.Signal{Kind: executor.SignalTimeout, Time: time.Now()}, nil
	case <-r.cancelled:
		return executor.Signal{Kind: executor.SignalCancel, Time: time.Now()}, nil
	case <-ctx.Done():
		return executor.Signal{}, context.Cause(ctx)
	}
}

// Admit asks the budget that all runs of this runtime share.
func (r *Runtime) Admit(_ context.Context, retry executor.Retry) (executor.Admission, error) {
	a := executor.Admission{Granted: r.budget.Retry(host(retry.Target)), Time: time.Now()}
	if !a.Granted {
		a.Reason = idempotency.ReasonBudget
	}
	return a, nil
}

// host gives the host and port that a server's URL names, by which retries are counted.
func host(server string) string {
	u, err := url.Parse(server)
	if err != nil {
		return server
	}
	return u.Host
}
