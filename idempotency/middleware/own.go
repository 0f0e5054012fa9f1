package middleware

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/weft-flow/weft/idempotency"
)

type ownedKey struct{}

// owned is what a handler's context knows of its claim.
type owned struct {
	claim idempotency.Claim
	store idempotency.Records
	lease time.Duration
}

// FromContext gives the claim under which a handler runs; ok is false where its
// request bears no key.
func FromContext(ctx context.Context) (claim idempotency.Claim, ok bool) {
	o, ok := ctx.Value(ownedKey{}).(owned)
	return o.claim, ok
}

// Mark says which resource the handler has made, and makes sure that the handler is
// still the one to make it: ErrFenced tells that another has taken its work over.
//
// in is the store inside the transaction in which the handler makes the resource
// (Store.In): then the record has the resource if and only if the transaction was
// committed, and a Recover that finds a record without one knows that nothing
// happened. A nil in marks the record at once, by itself. Where the request bears no
// key, Mark does nothing.
func Mark(ctx context.Context, in idempotency.Records, resource string) error {
	o, ok := ctx.Value(ownedKey{}).(owned)
	if !ok {
		return nil
	}
	if in == nil {
		in = o.store
	}
	if err := in.Hold(ctx, o.claim, o.lease, resource); err != nil {
		return fmt.Errorf("mark the idempotency record with its resource: %w", err)
	}
	return nil
}

// signs is how many signs of life an owner gives in the time of its lease.
const signs = 3

// own gives a context for work under a claim, and gives signs of life until stop is
// called. The context ends when the claim is another's.
func (m *Middleware) own(ctx context.Context, claim idempotency.Claim) (work context.Context, stop func()) {
	work, cancel := context.WithCancelCause(context.WithValue(ctx, ownedKey{}, owned{claim, m.o.Store, m.o.Lease}))
	beating, end := context.WithCancel(ctx)
	var wg sync.WaitGroup
	wg.Go(func() {
		tick := time.NewTicker(max(m.o.Lease/signs, time.Millisecond))
		defer tick.Stop()
		for {
			select {
			case <-beating.Done():
				return
			case <-tick.C:
			}
			err := m.o.Store.Hold(beating, claim, m.o.Lease, "")
			switch {
			case beating.Err() != nil:
				return
			case errors.Is(err, idempotency.ErrFenced):
				cancel(err)
				return
			case err != nil:
				m.o.OnError(ctx, err)
			}
		}
	})
	return work, func() {
		end()
		wg.Wait()
		cancel(nil)
	}
}

// running tells waiters of the same process when a request is done.
type running struct {
	mu      sync.Mutex
	working map[idempotency.RecordKey]chan struct{}
}

// add says that a request is being worked on; call the function when it is done, once or more.
func (r *running) add(key idempotency.RecordKey) (done func()) {
	c := make(chan struct{})
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.working == nil {
		r.working = make(map[idempotency.RecordKey]chan struct{})
	}
	r.working[key] = c
	return sync.OnceFunc(func() {
		r.mu.Lock()
		defer r.mu.Unlock()
		if r.working[key] == c {
			delete(r.working, key)
		}
		close(c)
	})
}

// done gives a channel that is closed when the request is done; nil where this
// process does not work on it.
func (r *running) done(key idempotency.RecordKey) <-chan struct{} {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.working[key]
}
