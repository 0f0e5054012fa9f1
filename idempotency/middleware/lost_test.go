package middleware_test

import (
	"context"
	"errors"
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"github.com/weft-flow/weft/idempotency"
	"github.com/weft-flow/weft/idempotency/memory"
	"github.com/weft-flow/weft/idempotency/middleware"
)

// losing is a store that begins a record and loses the answer, as a connection does
// that breaks after a commit.
type losing struct {
	idempotency.Store
	lost *int // how many answers are still to be lost
}

func (l losing) Begin(ctx context.Context, s idempotency.Start) (idempotency.Begun, error) {
	begun, err := l.Store.Begin(ctx, s)
	if err == nil && *l.lost > 0 {
		*l.lost--
		return idempotency.Begun{}, errors.New("the connection broke")
	}
	return begun, err
}

// A record that was begun though its answer was lost is nobody's: nothing has run, so
// it must not stand in the way of the repeat.
func TestStatement28ABeginWhoseAnswerWasLostHoldsNobodyUp(t *testing.T) {
	var c created
	store, lost := memory.New(time.Now), 1
	h := wrap(t, func(o *middleware.Options) {
		o.Store = losing{store, &lost}
		o.OnError = func(context.Context, error) {}
	}, c.handle)
	wantProblem(t, send(h, request("k", `{}`)), http.StatusServiceUnavailable, "store-unavailable")
	if lost != 0 || c.calls != 0 {
		t.Fatalf("%d answers to lose are left, the handler ran %d times", lost, c.calls)
	}
	wantStatus(t, send(h, request("k", `{}`)), http.StatusCreated, false)

	// A record of somebody else is left alone.
	lost = 1
	wantProblem(t, send(h, request("k", `{}`)), http.StatusServiceUnavailable, "store-unavailable")
	wantStatus(t, send(h, request("k", `{}`)), http.StatusCreated, true)
	if c.calls != 1 {
		t.Errorf("the handler ran %d times", c.calls)
	}
}

// hasty is a store that breaks a verb off when its context ends, and leaves open
// whether it was done.
type hasty struct{ idempotency.Store }

func (h hasty) Begin(ctx context.Context, s idempotency.Start) (idempotency.Begun, error) {
	begun, err := h.Store.Begin(ctx, s)
	if ctx.Err() != nil {
		return idempotency.Begun{}, ctx.Err()
	}
	return begun, err
}

// A client that goes away while its record is begun leaves no claim behind: its
// request is handled, as that of a client that goes away a moment later is.
func TestStatement28AClientThatGoesAwayLeavesNoClaim(t *testing.T) {
	var c created
	h := wrap(t, func(o *middleware.Options) { o.Store = hasty{o.Store} }, c.handle)
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	send(h, request("k", `{}`).WithContext(gone))
	wantStatus(t, send(h, request("k", `{}`)), http.StatusCreated, true)
	if c.calls != 1 {
		t.Errorf("the handler ran %d times", c.calls)
	}
}

// A hook that panics has found nothing out: the claim stays, and who asks is told so.
func TestStatement28AHookThatPanicsSettlesNothing(t *testing.T) {
	var c created
	told := 0
	h := wrap(t, func(o *middleware.Options) {
		o.Store = leftOpen(t, "")
		o.OnError = func(context.Context, error) { told++ }
		o.Recover = func(context.Context, idempotency.Record) (middleware.Verdict, error) { panic("broken") }
	}, c.handle)
	wantProblem(t, send(h, request("k", `{}`)), http.StatusConflict, "in-flight")
	if c.calls != 0 || told != 1 {
		t.Errorf("the handler ran %d times, OnError was told %d times", c.calls, told)
	}
}

// Until its retention is over an answer is given again, and from then on the request is
// a new one.
func TestStatement26AnAnswerIsKeptForItsRetention(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var c created
		h := wrap(t, func(o *middleware.Options) { o.Store = memory.New(time.Now) }, c.handle)
		wantStatus(t, send(h, request("k", `{}`)), http.StatusCreated, false)
		time.Sleep(middleware.DefaultRetention - time.Nanosecond) // of the bubble's clock
		wantStatus(t, send(h, request("k", `{}`)), http.StatusCreated, true)
		wantProblem(t, send(h, request("k", `{"other":1}`)), http.StatusUnprocessableEntity, "payload-mismatch")
		time.Sleep(time.Nanosecond)
		wantStatus(t, send(h, request("k", `{"other":1}`)), http.StatusCreated, false)
		wantProblem(t, send(h, request("k", `{}`)), http.StatusUnprocessableEntity, "payload-mismatch")
		if c.calls != 2 {
			t.Errorf("the handler ran %d times, want 2", c.calls)
		}
	})
}

// An answer that cannot be read, of a later version say, is no answer, and no reason to
// run the handler again.
func TestStatement28AnAnswerThatCannotBeReadIsNotMadeUp(t *testing.T) {
	var c created
	store, told := memory.New(time.Now), 0
	h := wrap(t, func(o *middleware.Options) {
		o.Store = store
		o.OnError = func(context.Context, error) { told++ }
	}, c.handle)
	start := idempotency.Start{
		Claim:       idempotency.Claim{Key: idempotency.RecordKey{Principal: "shop", Scope: "POST /orders", Key: "k"}, Owner: "a"},
		Fingerprint: idempotency.FingerprintRequest("POST", "/orders", "", []byte(`{}`)), Lease: time.Minute,
	}
	if _, err := store.Begin(t.Context(), start); err != nil {
		t.Fatal(err)
	}
	if err := store.Complete(t.Context(), start.Claim, []byte("\xffother form"), time.Hour); err != nil {
		t.Fatal(err)
	}
	wantProblem(t, send(h, request("k", `{}`)), http.StatusInternalServerError, "answer-not-kept")
	if c.calls != 0 || told != 1 {
		t.Errorf("the handler ran %d times, OnError was told %d times", c.calls, told)
	}
}
