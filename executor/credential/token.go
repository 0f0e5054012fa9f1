package credential

import (
	"context"
	"errors"
	"net/http"
	"sync"
	"time"
)

// greatestMargin is how long before its end a token is renewed; one that lives
// shortly is renewed when a tenth of its life is left.
const greatestMargin = 30 * time.Second

// tokens gets OAuth2 tokens and keeps them in memory. Who needs the same token at
// the same time waits for one request.
type tokens struct {
	now   func() time.Time
	learn func(texts ...string)

	mu   sync.Mutex
	held map[request]*holder
}

// holder holds one token.
type holder struct {
	token   string // empty: none, or none that is accepted
	renew   time.Time
	ends    time.Time // zero: not known
	refused bool      // the one before was refused by the server
	forced  bool      // it was got for that reason
	welcome bool      // the server has accepted it
	flight  *flight   // a request that is going on; nil: none
}

// flight is one request for a token, with those who wait for it. When the last of
// them goes away it is given up.
type flight struct {
	done    chan struct{}
	cancel  context.CancelFunc
	waiting int
	token   string
	err     error
}

// get gives a token that will live on for a while.
func (t *tokens) get(ctx context.Context, via Caller, r request) (string, error) {
	t.mu.Lock()
	h := t.of(r)
	now := t.now()
	if h.token != "" && (h.ends.IsZero() || now.Before(h.renew)) {
		defer t.mu.Unlock()
		return h.token, nil
	}
	old, ends := h.token, h.ends
	token, err := t.join(ctx, via, r, h)
	if err != nil && old != "" && now.Before(ends) {
		return old, nil // it could not be renewed ahead of time, and still holds
	}
	return token, err
}

// answered takes what the server answered to a token. One that it refused is
// renewed: renewed tells that there is another now. A server that refuses every
// token is not asked for a third one.
func (t *tokens) answered(ctx context.Context, via Caller, r request, token string, status int) (renewed bool, err error) {
	t.mu.Lock()
	h := t.of(r)
	switch {
	case status != http.StatusUnauthorized:
		h.welcome = h.welcome || h.token == token
		t.mu.Unlock()
		return false, nil
	case h.token != "" && h.token != token:
		t.mu.Unlock()
		return true, nil // another has renewed it
	case h.token == token && h.forced && !h.welcome:
		t.mu.Unlock()
		return false, nil
	}
	h.token, h.refused = "", true
	next, err := t.join(ctx, via, r, h)
	return err == nil && next != token, err
}

func (t *tokens) of(r request) *holder {
	h := t.held[r]
	if h == nil {
		h = &holder{}
		t.held[r] = h
	}
	return h
}

// join waits for the request that is going on, or begins one. It is called with
// the lock and gives it back.
func (t *tokens) join(ctx context.Context, via Caller, r request, h *holder) (string, error) {
	f := h.flight
	if f == nil {
		f = &flight{done: make(chan struct{})}
		h.flight = f
		// It outlives the one who began it if others wait too.
		var own context.Context
		own, f.cancel = context.WithTimeout(context.WithoutCancel(ctx), TokenTimeout)
		go t.fly(own, via, r, h, f)
	}
	f.waiting++
	t.mu.Unlock()
	select {
	case <-f.done:
		return f.token, f.err
	case <-ctx.Done():
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if f.waiting--; f.waiting == 0 {
		f.cancel()
		if h.flight == f {
			h.flight = nil
		}
	}
	return "", r.fault(words(context.Cause(ctx)))
}

// words says why nobody waits any longer.
func words(cause error) string {
	switch {
	case errors.Is(cause, context.DeadlineExceeded):
		return "the deadline of the run passed"
	case errors.Is(cause, context.Canceled):
		return "cancelled"
	default:
		return cause.Error()
	}
}

// fly makes the request.
func (t *tokens) fly(ctx context.Context, via Caller, r request, h *holder, f *flight) {
	defer f.cancel()
	began := t.now()
	got, err := r.send(ctx, via)
	if err == nil {
		t.learn(got.token)
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	f.token, f.err = got.token, err
	if h.flight == f {
		h.flight = nil
		if err == nil {
			h.keep(got, began)
		}
	}
	close(f.done)
}

// send makes one request for a token.
func (r request) send(ctx context.Context, via Caller) (issued, error) {
	call, err := r.call()
	if err != nil {
		return issued{}, r.fault(err.Error())
	}
	return r.read(via.Call(ctx, call))
}

// keep holds a token from the time on at which it was asked for.
func (h *holder) keep(got issued, began time.Time) {
	h.token, h.welcome = got.token, false
	h.forced, h.refused = h.refused, false
	h.ends, h.renew = time.Time{}, time.Time{}
	if got.expires {
		h.ends = began.Add(got.lifetime)
		h.renew = h.ends.Add(-min(greatestMargin, got.lifetime/10))
	}
}
