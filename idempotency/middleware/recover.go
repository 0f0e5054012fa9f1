package middleware

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/weft-flow/weft/idempotency"
)

// Recover says what became of a request whose process died, or has been silent for
// longer than its lease: it looks at the effects. It is called by one node at a time
// for a record, may take longer than the lease, and may be called again. An error
// counts as NotYet, and so does a panic.
type Recover func(ctx context.Context, left idempotency.Record) (Verdict, error)

// Verdict is what became of a request. The zero value is NotYet.
type Verdict struct {
	kind   verdictKind
	answer answer
}

type verdictKind int

const (
	notYet verdictKind = iota
	nothing
	happened
)

func (k verdictKind) String() string {
	return [...]string{"not yet", "nothing", "happened"}[k]
}

// NotYet tells that it is not known yet. The request stays as it is, and it is asked
// again, not before the lease has passed once more.
func NotYet() Verdict { return Verdict{} }

// NothingHappened tells that the request had no effect and will have none. The next
// request with its key is handled.
func NothingHappened() Verdict { return Verdict{kind: nothing} }

// Happened tells that the request had its effect, and gives its answer, which every
// repeat gets.
func Happened(status int, header http.Header, body []byte) Verdict {
	return Verdict{kind: happened, answer: answer{Status: status, Header: header, body: body}}
}

// Settle settles a lapsed record as an operator says. ErrFenced tells that it is not
// lapsed, or not any more.
func (m *Middleware) Settle(ctx context.Context, left idempotency.Record, verdict Verdict) error {
	claim, err := m.takeOver(ctx, left)
	if err != nil {
		return err
	}
	return m.apply(ctx, claim, verdict)
}

// RecoverLapsed has Recover look at the lapsed records, at most limit, and tells how
// many were settled. A service calls it when it starts; Tend does so now and then.
func (m *Middleware) RecoverLapsed(ctx context.Context, limit int) (settled int, err error) {
	if m.o.Recover == nil {
		return 0, nil
	}
	lapsed, err := m.o.Store.Lapsed(ctx, limit)
	if err != nil {
		return 0, err
	}
	for _, left := range lapsed {
		if ctx.Err() != nil {
			return settled, ctx.Err()
		}
		if m.recoverOne(ctx, left) {
			settled++
		}
	}
	return settled, nil
}

// recoverOne has one lapsed record looked at, and tells whether it is settled.
func (m *Middleware) recoverOne(ctx context.Context, left idempotency.Record) bool {
	ctx = context.WithoutCancel(ctx) // once begun, it is done to its end
	claim, err := m.takeOver(ctx, left)
	if errors.Is(err, idempotency.ErrFenced) {
		return false // another is at it, or the owner is back
	}
	if err != nil {
		m.o.OnError(ctx, err)
		return false
	}
	verdict, err := m.ask(ctx, claim, left)
	if err != nil {
		m.o.OnError(ctx, fmt.Errorf("recover an idempotency record: %w", err))
		verdict = NotYet()
	}
	if err := m.apply(ctx, claim, verdict); err != nil {
		m.o.OnError(ctx, err)
		return false
	}
	return verdict.kind != notYet
}

// ask calls Recover, with signs of life while it looks. A panic of it is an error: it
// must not end a process that looks at such a record each time that it starts.
func (m *Middleware) ask(ctx context.Context, claim idempotency.Claim, left idempotency.Record) (verdict Verdict, err error) {
	ctx, stop := m.own(ctx, claim)
	defer stop()
	defer func() {
		if broken := recover(); broken != nil {
			verdict, err = NotYet(), fmt.Errorf("it panicked: %v", broken)
		}
	}()
	return m.o.Recover(ctx, left)
}

func (m *Middleware) takeOver(ctx context.Context, left idempotency.Record) (idempotency.Claim, error) {
	claim := idempotency.Claim{Key: left.Key, Owner: idempotency.NewOwner()}
	return claim, m.o.Store.TakeOver(ctx, idempotency.Takeover{
		Key: left.Key, From: left.Owner, To: claim.Owner, Lease: m.o.Lease,
	})
}

func (m *Middleware) apply(ctx context.Context, claim idempotency.Claim, verdict Verdict) (err error) {
	defer func() { m.telemetry.recovery(ctx, verdict.kind.String(), err) }()
	switch verdict.kind {
	case nothing:
		return m.insist(ctx, func(ctx context.Context) error { return m.o.Store.Release(ctx, claim) })
	case happened:
		stored, err := verdict.answer.encode()
		if err != nil {
			return err
		}
		if _, err := decodeAnswer(stored); err != nil {
			return fmt.Errorf("the answer of a recovery: %w", err)
		}
		return m.insist(ctx, func(ctx context.Context) error {
			return m.o.Store.Complete(ctx, claim, stored, m.o.Retention)
		})
	default:
		return nil // the lease of the takeover is the time until it is asked again
	}
}

const (
	// purgeBatch is how much is removed at a time, so that requests can go between.
	purgeBatch = 200
	// recoverBatch is how many lapsed records are looked at in one round.
	recoverBatch = 100
)

// Tend removes answers that are past their retention, and has lapsed records looked
// at, now and then until the context ends. It works beside the requests, in small
// steps; a service runs it in a goroutine of its own.
func (m *Middleware) Tend(ctx context.Context, every time.Duration) {
	tick := time.NewTicker(every)
	defer tick.Stop()
	for {
		m.tendOnce(ctx)
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
}

func (m *Middleware) tendOnce(ctx context.Context) {
	if _, err := m.RecoverLapsed(ctx, recoverBatch); err != nil && ctx.Err() == nil {
		m.o.OnError(ctx, err)
	}
	for ctx.Err() == nil {
		removed, err := m.o.Store.Purge(ctx, purgeBatch)
		if err != nil && ctx.Err() == nil {
			m.o.OnError(ctx, err)
		}
		m.telemetry.purge(ctx, removed)
		if err != nil || removed < purgeBatch {
			return
		}
	}
}
