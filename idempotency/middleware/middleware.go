package middleware

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"time"

	"github.com/weft-flow/weft/idempotency"
)

// Middleware does requests once. It is safe for use by several goroutines.
type Middleware struct {
	o         Options
	telemetry telemetry
	running   running
}

// New gives a middleware; an error tells which option is missing or out of range.
func New(o Options) (*Middleware, error) {
	if err := o.check(); err != nil {
		return nil, err
	}
	o = o.withDefaults()
	t, err := newTelemetry(o)
	if err != nil {
		return nil, err
	}
	return &Middleware{o: o, telemetry: t}, nil
}

// Wrap gives a handler that does each request with a key once. Its next handler runs
// to its end even where the client goes away, since the answer is kept for the
// repeat; it gets a context that ends when another has taken its work over.
func (m *Middleware) Wrap(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !slices.Contains(m.o.Methods, r.Method) {
			next.ServeHTTP(w, r)
			return
		}
		start, problem, ok := m.read(w, r)
		switch {
		case problem != nil:
			m.telemetry.request(r.Context(), problem.outcome)
			problem.write(w)
		case !ok:
			next.ServeHTTP(w, r)
		default:
			m.serve(w, r, start, next)
		}
	})
}

func (m *Middleware) serve(w http.ResponseWriter, r *http.Request, start idempotency.Start, next http.Handler) {
	begun, err := m.begin(r.Context(), start)
	if err != nil {
		m.o.OnError(r.Context(), err)
		m.telemetry.request(r.Context(), storeDown.outcome)
		storeDown.write(w)
		return
	}
	m.telemetry.request(r.Context(), string(begun.State))
	switch begun.State {
	case idempotency.Started:
		m.run(w, r, start, next)
	case idempotency.Replay:
		m.replay(w, r, begun.Answer)
	case idempotency.Mismatch:
		mismatch.write(w)
	default:
		if begun.Record.Over {
			unsettled.write(w)
		} else {
			inFlight.write(w)
		}
	}
}

// How often it is asked whether another request is done: one of this process says so
// itself, and it is asked only in case that another node has taken it over.
const (
	firstPause   = 10 * time.Millisecond
	longestPause = 500 * time.Millisecond
)

// begin begins the record, has a claim settled that a crash left, and waits for
// another request, if so configured.
func (m *Middleware) begin(ctx context.Context, start idempotency.Start) (begun idempotency.Begun, err error) {
	ctx, end := m.telemetry.span(ctx, "idempotency.begin", start.Key)
	defer func() { end(string(begun.State), err) }()
	waited := time.NewTimer(m.o.Wait)
	defer waited.Stop()
	recovered := m.o.Recover == nil
	for pause := firstPause; ; pause = min(2*pause, longestPause) {
		done := m.running.done(start.Key)
		begun, err = m.tryBegin(ctx, start)
		if err != nil || begun.State != idempotency.InProgress {
			return begun, err
		}
		if begun.Record.Over && !recovered {
			recovered = true
			if m.recoverOne(ctx, begun.Record) {
				continue
			}
		}
		if m.o.Wait == 0 {
			return begun, nil
		}
		if done != nil {
			pause = longestPause
		}
		select {
		case <-waited.C:
			return begun, nil
		case <-ctx.Done():
			return begun, nil // the client is gone: what it is told does not matter
		case <-done:
		case <-time.After(pause):
		}
	}
}

// undoPatience is how long a store that has just failed is given to take a begin back.
const undoPatience = 2 * time.Second

// tryBegin begins the record. It is done to its end though the client goes away; and
// where it fails, so that it may have been done or not, what may be there is removed,
// since nothing runs for it.
func (m *Middleware) tryBegin(ctx context.Context, start idempotency.Start) (idempotency.Begun, error) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), m.o.Lease)
	defer cancel()
	begun, err := m.o.Store.Begin(ctx, start)
	if err == nil {
		return begun, nil
	}
	undo, cancelUndo := context.WithTimeout(context.WithoutCancel(ctx), undoPatience)
	defer cancelUndo()
	if undone := m.o.Store.Release(undo, start.Claim); undone != nil && !errors.Is(undone, idempotency.ErrFenced) {
		err = errors.Join(err, undone)
	}
	return begun, err
}

// run runs the handler as the owner of the record, keeps its answer and sends it.
func (m *Middleware) run(w http.ResponseWriter, r *http.Request, start idempotency.Start, next http.Handler) {
	done := m.running.add(start.Key)
	defer done()
	ctx, stop := m.own(context.WithoutCancel(r.Context()), start.Claim)
	kept := newRecorder(r.Method, m.o.MaxAnswer)
	finished := false
	defer func() {
		if !finished { // it panicked, and goes on doing so
			stop()
			// What goes wrong is told to OnError; there is nobody to answer.
			_ = m.keep(ctx, start.Claim, panicked.answer(), false)
		}
	}()
	next.ServeHTTP(kept, r.WithContext(ctx))
	answer, refused := kept.answer()
	finished = true
	stop()
	err := m.keep(ctx, start.Claim, answer, refused)
	done() // a client may take its time
	switch {
	case err == nil:
		answer.write(w, false)
	case errors.Is(err, idempotency.ErrFenced):
		m.overtaken(w, r, start, answer, refused)
	default:
		notKept.write(w)
	}
}

// overtaken answers for a handler that was given up: with what was found out in its
// place, which is what every repeat gets. Where it was found that nothing had
// happened, and nobody has begun anew, what the handler says is kept after all.
func (m *Middleware) overtaken(w http.ResponseWriter, r *http.Request, start idempotency.Start, late answer, refused bool) {
	begun, err := m.o.Store.Begin(context.WithoutCancel(r.Context()), start)
	switch {
	case err != nil:
		m.o.OnError(r.Context(), err)
		notKept.write(w)
	case begun.State == idempotency.Replay:
		m.replay(w, r, begun.Answer)
	case begun.State == idempotency.Started && m.keep(r.Context(), start.Claim, late, refused) == nil:
		late.write(w, false)
	default:
		unsettled.write(w)
	}
}

func (m *Middleware) replay(w http.ResponseWriter, r *http.Request, stored []byte) {
	answer, err := decodeAnswer(stored)
	if err != nil {
		m.o.OnError(r.Context(), err)
		notKept.write(w)
		return
	}
	answer.write(w, true)
}

// keep stores an answer, or releases the record where the answer is to be had anew.
// refused tells that the answer stands for one that cannot be kept, so that its work
// is done all the same.
func (m *Middleware) keep(ctx context.Context, claim idempotency.Claim, a answer, refused bool) (err error) {
	ctx, end := m.telemetry.span(context.WithoutCancel(ctx), "idempotency.complete", claim.Key)
	what := "completed"
	defer func() {
		m.telemetry.completion(ctx, what, err)
		end(what, err)
		if err != nil {
			m.o.OnError(ctx, err)
		}
	}()
	if a.Status >= http.StatusInternalServerError && m.o.ServerErrors == RerunServerErrors && !refused {
		what = "released"
		return m.insist(ctx, func(ctx context.Context) error { return m.o.Store.Release(ctx, claim) })
	}
	stored, err := a.encode()
	if err != nil {
		return err
	}
	return m.insist(ctx, func(ctx context.Context) error {
		return m.o.Store.Complete(ctx, claim, stored, m.o.Retention)
	})
}

// insist does a verb again while the store fails, for as long as the lease lasts at
// most: what the handler did is worth it.
func (m *Middleware) insist(ctx context.Context, verb func(context.Context) error) error {
	ctx, cancel := context.WithTimeout(ctx, m.o.Lease)
	defer cancel()
	const tries = 5
	for try, pause := 1, firstPause; ; try, pause = try+1, 4*pause {
		err := verb(ctx)
		if err == nil || try == tries || errors.Is(err, idempotency.ErrFenced) || errors.Is(err, idempotency.ErrInvalid) {
			return err
		}
		select {
		case <-ctx.Done():
			return err
		case <-time.After(pause):
		}
	}
}
