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

// leftOpen gives a store with one record of POST /orders, key k, body {}, whose
// process died.
func leftOpen(t *testing.T, resource string) idempotency.Store {
	t.Helper()
	store := memory.New(time.Now)
	claim := idempotency.Claim{Key: idempotency.RecordKey{Principal: "shop", Scope: "POST /orders", Key: "k"}, Owner: "dead"}
	_, err := store.Begin(t.Context(), idempotency.Start{
		Claim: claim, Lease: time.Minute,
		Fingerprint: idempotency.FingerprintRequest("POST", "/orders", "", []byte(`{}`)),
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := store.Hold(t.Context(), claim, 0, resource); err != nil {
		t.Fatal(err)
	}
	return store
}

func TestStatement28ACrashLeavesAClaimForTheHook(t *testing.T) {
	for what, test := range map[string]struct {
		verdict  middleware.Verdict
		err      error
		status   int
		replayed bool
		calls    int
	}{
		"it happened":   {verdict: middleware.Happened(http.StatusAccepted, http.Header{"X-By": {"hook"}}, []byte("found")), status: http.StatusAccepted, replayed: true},
		"nothing":       {verdict: middleware.NothingHappened(), status: http.StatusCreated, calls: 1},
		"not known yet": {verdict: middleware.NotYet(), status: http.StatusConflict},
		"the hook fails": {err: errors.New("cannot tell"), verdict: middleware.NothingHappened(),
			status: http.StatusConflict},
		"an answer that is none": {verdict: middleware.Happened(0, nil, nil), status: http.StatusConflict},
	} {
		t.Run(what, func(t *testing.T) {
			var c created
			asked := 0
			h := wrap(t, func(o *middleware.Options) {
				o.Store = leftOpen(t, "order 1")
				o.Recover = func(_ context.Context, left idempotency.Record) (middleware.Verdict, error) {
					asked++
					if left.Resource != "order 1" || left.Key.Key != "k" || !left.Over {
						t.Errorf("the hook is told %+v", left)
					}
					return test.verdict, test.err
				}
				o.OnError = func(context.Context, error) {}
			}, c.handle)
			for range 2 {
				r := send(h, request("k", `{}`))
				if r.StatusCode != test.status {
					t.Errorf("status %d, want %d", r.StatusCode, test.status)
				}
				if test.replayed && (r.Header.Get("X-By") != "hook" || r.Header.Get(middleware.ReplayedHeader) != "true" || text(t, r) != "found") {
					t.Errorf("the answer is %v", r.Header)
				}
			}
			if asked != 1 || c.calls != test.calls {
				t.Errorf("the hook was asked %d times, the handler ran %d times; want 1 and %d", asked, c.calls, test.calls)
			}
		})
	}
}

func TestStatement28WithoutAHookAnOperatorSettles(t *testing.T) {
	var c created
	store := leftOpen(t, "")
	m, err := middleware.New(middleware.Options{Store: store, Principal: principal, ServerErrors: middleware.ReplayServerErrors})
	if err != nil {
		t.Fatal(err)
	}
	h := m.Wrap(http.HandlerFunc(c.handle))
	for range 2 {
		wantProblem(t, send(h, request("k", `{}`)), http.StatusConflict, "in-flight")
	}
	lapsed, err := store.Lapsed(t.Context(), 10)
	if err != nil || len(lapsed) != 1 {
		t.Fatalf("lapsed: %v %v", lapsed, err)
	}
	if err := m.Settle(t.Context(), lapsed[0], middleware.Happened(http.StatusCreated, nil, []byte("order 7"))); err != nil {
		t.Fatal(err)
	}
	if body := wantStatus(t, send(h, request("k", `{}`)), http.StatusCreated, true); body != "order 7" || c.calls != 0 {
		t.Errorf("%s after %d calls", body, c.calls)
	}
	if err := m.Settle(t.Context(), lapsed[0], middleware.NothingHappened()); !errors.Is(err, idempotency.ErrFenced) {
		t.Errorf("settled twice: %v", err)
	}
}

func TestStatement28AHandlerThatWasGivenUpIsFenced(t *testing.T) {
	for what, settled := range map[string]struct {
		verdict middleware.Verdict
		body    string
	}{
		"settled otherwise": {middleware.Happened(http.StatusOK, nil, []byte("settled")), "settled"},
		// It was said that nothing happened, and something did: that is kept after all.
		"released": {middleware.NothingHappened(), "late"},
	} {
		t.Run(what, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				store := memory.New(time.Now)
				var m *middleware.Middleware
				var err error
				// A store that takes no sign of life is as good as a process that hangs.
				m, err = middleware.New(middleware.Options{
					Store: deaf{store}, Principal: principal, ServerErrors: middleware.ReplayServerErrors,
					OnError: func(context.Context, error) {},
				})
				if err != nil {
					t.Fatal(err)
				}
				calls := 0
				h := m.Wrap(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
					calls++
					time.Sleep(middleware.DefaultLease) // of the bubble's clock
					lapsed, err := store.Lapsed(t.Context(), 1)
					if err != nil || len(lapsed) != 1 {
						t.Fatalf("lapsed: %v %v", lapsed, err)
					}
					if err := m.Settle(t.Context(), lapsed[0], settled.verdict); err != nil {
						t.Error(err)
					}
					_, _ = w.Write([]byte("late"))
				}))
				for range 2 {
					if body := text(t, send(h, request("k", `{}`))); body != settled.body {
						t.Errorf("the answer is %s, want %s", body, settled.body)
					}
				}
				if calls != 1 {
					t.Errorf("the handler ran %d times", calls)
				}
			})
		})
	}
}

type deaf struct{ idempotency.Store }

func (deaf) Hold(context.Context, idempotency.Claim, time.Duration, string) error {
	return errors.New("deaf")
}

func TestStatement28SignsOfLifeKeepTheClaim(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := memory.New(time.Now)
		h := wrap(t, func(o *middleware.Options) { o.Store = store }, func(w http.ResponseWriter, r *http.Request) {
			time.Sleep(100 * middleware.DefaultLease) // of the bubble's clock
			if lapsed, err := store.Lapsed(t.Context(), 1); err != nil || len(lapsed) > 0 {
				t.Errorf("lapsed: %v %v", lapsed, err)
			}
			w.WriteHeader(http.StatusCreated)
		})
		wantStatus(t, send(h, request("k", `{}`)), http.StatusCreated, false)
	})
}

func TestStatement28TheContextOfWhoWasOvertakenEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := memory.New(time.Now)
		h := wrap(t, func(o *middleware.Options) { o.Store, o.OnError = store, func(context.Context, error) {} },
			func(w http.ResponseWriter, r *http.Request) {
				claim, ok := middleware.FromContext(r.Context())
				if !ok {
					t.Fatal("the handler has no claim")
				}
				if err := store.Hold(t.Context(), claim, 0, ""); err != nil {
					t.Error(err)
				}
				if err := store.TakeOver(t.Context(), idempotency.Takeover{Key: claim.Key, From: claim.Owner, To: "b", Lease: time.Hour}); err != nil {
					t.Error(err)
				}
				<-r.Context().Done()
				if err := middleware.Mark(r.Context(), nil, "order 1"); !errors.Is(err, idempotency.ErrFenced) {
					t.Errorf("mark: %v", err)
				}
			})
		wantProblem(t, send(h, request("k", `{}`)), http.StatusConflict, "in-flight")
	})
}

func TestStatement28TheRecordHasTheResource(t *testing.T) {
	store := memory.New(time.Now)
	h := wrap(t, func(o *middleware.Options) { o.Store = store }, func(w http.ResponseWriter, r *http.Request) {
		if err := middleware.Mark(r.Context(), nil, "order 1"); err != nil {
			t.Error(err)
		}
	})
	send(h, request("k", `{}`))
	begun, err := store.Begin(t.Context(), idempotency.Start{
		Claim: idempotency.Claim{Key: idempotency.RecordKey{Principal: "shop", Scope: "POST /orders", Key: "k"}, Owner: "x"},
		Lease: time.Minute, Fingerprint: idempotency.FingerprintRequest("POST", "/orders", "", []byte(`{}`)),
	})
	if err != nil || begun.State != idempotency.Replay || begun.Record.Resource != "order 1" {
		t.Errorf("%+v %v", begun, err)
	}
	send(h, request("", `{}`)) // without a key there is nothing to mark, and no error
}

func TestTendSettlesAndPurgesBesideTheRequests(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := leftOpen(t, "")
		asked := 0
		m, err := middleware.New(middleware.Options{
			Store: store, Principal: principal, ServerErrors: middleware.ReplayServerErrors,
			Recover: func(context.Context, idempotency.Record) (middleware.Verdict, error) {
				asked++
				if asked < 3 {
					return middleware.NotYet(), nil
				}
				return middleware.Happened(http.StatusCreated, nil, nil), nil
			},
		})
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		ended := make(chan struct{})
		go func() { m.Tend(ctx, time.Minute); close(ended) }()
		time.Sleep(10 * time.Minute) // of the bubble's clock
		synctest.Wait()
		if asked != 3 {
			t.Errorf("the hook was asked %d times, want 3", asked)
		}
		time.Sleep(middleware.DefaultRetention)
		synctest.Wait()
		if n, err := store.Purge(t.Context(), 10); n != 0 || err != nil {
			t.Errorf("%d records were left to be purged (%v)", n, err)
		}
		cancel()
		<-ended
	})
}
