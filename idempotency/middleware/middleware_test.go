package middleware_test

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/weft-flow/weft/idempotency"
	"github.com/weft-flow/weft/idempotency/memory"
	"github.com/weft-flow/weft/idempotency/middleware"
)

func TestStatement26ARepeatGetsTheSameAnswer(t *testing.T) {
	for _, first := range []int{0, 1} { // of the first and of a second key
		var c created
		h := wrap(t, nil, c.handle)
		for n := range 3 {
			r := send(h, request([]string{"k1", `"k 2"`}[first], `{"a":1}`))
			body := wantStatus(t, r, http.StatusCreated, n > 0)
			if body != `order {"a":1}` || r.Header.Get("Location") != "/orders/1" || !slices.Equal(r.Header["X-Twice"], []string{"a", "b"}) {
				t.Errorf("answer %d: %v %s", n, r.Header, body)
			}
		}
		if c.calls != 1 {
			t.Errorf("the handler ran %d times", c.calls)
		}
	}
}

func TestStatement26QuotesAreNoPartOfTheKey(t *testing.T) {
	var c created
	h := wrap(t, nil, c.handle)
	send(h, request(`k1`, `{}`))
	wantStatus(t, send(h, request(`"k1"`, `{}`)), http.StatusCreated, true)
}

func TestStatement26AnotherPayloadIsRefused(t *testing.T) {
	var c created
	h := wrap(t, nil, c.handle)
	send(h, request("k", `{"a":1}`))
	wantProblem(t, send(h, request("k", `{"a":2}`)), http.StatusUnprocessableEntity, "payload-mismatch")
	other := request("k", `{"a":1}`)
	other.URL.RawQuery = "express=true"
	wantProblem(t, send(h, other), http.StatusUnprocessableEntity, "payload-mismatch")
	wantStatus(t, send(h, request("k", `{"a":1}`)), http.StatusCreated, true)
	if c.calls != 1 {
		t.Errorf("the handler ran %d times", c.calls)
	}
}

func TestStatement26KeysThatAreMissingOrNotValid(t *testing.T) {
	var c created
	required := wrap(t, func(o *middleware.Options) { o.Required = true }, c.handle)
	wantProblem(t, send(required, request("", `{}`)), http.StatusBadRequest, "key-missing")
	twice := request("a", `{}`)
	twice.Header.Add("Idempotency-Key", "b")
	wantProblem(t, send(required, twice), http.StatusBadRequest, "key-invalid")
	for _, key := range []string{`"`, `"a`, `"a"b"`, `""`, "ä", strings.Repeat("k", 256)} {
		wantProblem(t, send(required, request(key, `{}`)), http.StatusBadRequest, "key-invalid")
	}
	empty := request("", `{}`)
	empty.Header["Idempotency-Key"] = []string{""}
	wantProblem(t, send(required, empty), http.StatusBadRequest, "key-invalid")
	nobody := request("k", `{}`)
	nobody.Header.Set("Authorization", "nobody")
	wantProblem(t, send(required, nobody), http.StatusUnauthorized, "principal-unknown")
	if c.calls != 0 {
		t.Errorf("the handler ran %d times", c.calls)
	}
	optional := wrap(t, nil, c.handle)
	for range 2 {
		wantStatus(t, send(optional, request("", `{}`)), http.StatusCreated, false)
	}
	get := request("k", "")
	get.Method = http.MethodGet
	for range 2 {
		wantStatus(t, send(required, get), http.StatusCreated, false)
	}
	if c.calls != 4 {
		t.Errorf("the handler ran %d times, want 4", c.calls)
	}
}

func TestStatement27WhatMakesARequestAnother(t *testing.T) {
	var c created
	h := wrap(t, nil, c.handle)
	change := func(change func(*http.Request)) *http.Request {
		r := request("k", `{}`)
		change(r)
		return r
	}
	for what, r := range map[string]*http.Request{
		"the first":         request("k", `{}`),
		"another principal": change(func(r *http.Request) { r.Header.Set("Authorization", "other shop") }),
		"another method":    change(func(r *http.Request) { r.Method = http.MethodPatch }),
		"another path":      change(func(r *http.Request) { r.URL.Path = "/payments" }),
		"a path like it":    change(func(r *http.Request) { r.URL.Path, r.URL.RawPath = "/orders/a/b", "/orders/a%2Fb" }),
		"and another":       change(func(r *http.Request) { r.URL.Path = "/orders/a/b" }),
		"another key":       request("K", `{}`),
	} {
		wantStatus(t, send(h, r), http.StatusCreated, false)
		if t.Failed() {
			t.Fatal(what)
		}
	}
	scoped := wrap(t, func(o *middleware.Options) { o.Scope = func(*http.Request) string { return "everything" } }, c.handle)
	send(scoped, request("k", `{}`))
	wantProblem(t, send(scoped, change(func(r *http.Request) { r.URL.Path = "/payments" })), http.StatusUnprocessableEntity, "payload-mismatch")
}

func TestStatement27TheFingerprintIsThatOfTheValue(t *testing.T) {
	const first = `{"b": [1, 2.50], "a": 9007199254740993, "c": {"y": "é", "x": null}}`
	var c created
	h := wrap(t, nil, c.handle)
	send(h, request("k", first))
	for _, same := range []string{
		first,
		`{"a":9007199254740993,"b":[1.0,25e-1],"c":{"x":null,"y":"\u00e9"}}`,
		"\n" + first + "\n",
	} {
		wantStatus(t, send(h, request("k", same)), http.StatusCreated, true)
	}
	for _, other := range []string{
		`{"b": [1, 2.50], "a": 9007199254740992, "c": {"y": "é", "x": null}}`, // the same as a float
		`{"b": [2.50, 1], "a": 9007199254740993, "c": {"y": "é", "x": null}}`,
		`{"b": [1, 2.50], "a": 9007199254740993, "c": {"y": "é"}}`,
		`{"b": ["1", 2.50], "a": 9007199254740993, "c": {"y": "é", "x": null}}`,
		first + "x",
	} {
		wantProblem(t, send(h, request("k", other)), http.StatusUnprocessableEntity, "payload-mismatch")
	}
	plain := request("t", `{"a": 1}`)
	plain.Header.Set("Content-Type", "text/plain")
	send(h, plain)
	plain = request("t", `{"a":1}`)
	plain.Header.Set("Content-Type", "text/plain")
	wantProblem(t, send(h, plain), http.StatusUnprocessableEntity, "payload-mismatch")
}

// hanging is a handler that says that it has begun, and waits to be let go.
type hanging struct {
	begun, goOn chan struct{}
}

func newHanging() hanging { return hanging{make(chan struct{}), make(chan struct{})} }

func (h hanging) handle(w http.ResponseWriter, _ *http.Request) {
	h.begun <- struct{}{}
	<-h.goOn
	w.WriteHeader(http.StatusCreated)
}

func TestStatement26ARequestInFlightIsAConflict(t *testing.T) {
	hang := newHanging()
	h := wrap(t, nil, hang.handle)
	done := make(chan *http.Response)
	go func() { done <- send(h, request("k", `{}`)) }()
	<-hang.begun
	conflict := send(h, request("k", `{}`))
	if conflict.Header.Get("Retry-After") == "" {
		t.Error("it does not say when to come again")
	}
	body := text(t, conflict)
	var problem struct{ Type, Title string }
	if err := json.Unmarshal([]byte(body), &problem); err != nil {
		t.Fatal(err)
	}
	class, _ := idempotency.Classify(idempotency.Observation{
		Written: true, Complete: true, Status: conflict.StatusCode, KeySent: true,
		InFlight: idempotency.InFlightProblem(problem.Type, problem.Title),
	})
	if conflict.StatusCode != http.StatusConflict || class != idempotency.Deferred {
		t.Errorf("%d, to a client %s: %s", conflict.StatusCode, class, body)
	}
	wantProblem(t, send(h, request("k", `{"other":1}`)), http.StatusUnprocessableEntity, "payload-mismatch")
	close(hang.goOn)
	wantStatus(t, <-done, http.StatusCreated, false)
	wantStatus(t, send(h, request("k", `{}`)), http.StatusCreated, true)
}

func TestStatement26ARequestWaitsIfConfigured(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		hang := newHanging()
		h := wrap(t, func(o *middleware.Options) { o.Wait = time.Second; o.Store = memory.New(time.Now) }, hang.handle)
		first, waiter, tooLate := make(chan *http.Response), make(chan *http.Response), make(chan *http.Response)
		go func() { first <- send(h, request("k", `{}`)) }()
		<-hang.begun
		go func() { tooLate <- send(h, request("k", `{}`)) }()
		time.Sleep(900 * time.Millisecond) // of the bubble's clock
		go func() { waiter <- send(h, request("k", `{}`)) }()
		wantProblem(t, <-tooLate, http.StatusConflict, "in-flight")
		close(hang.goOn)
		wantStatus(t, <-first, http.StatusCreated, false)
		wantStatus(t, <-waiter, http.StatusCreated, true)
	})
}

// The first request and the waiter are on different nodes, which share a store only.
func TestStatement26ARequestWaitsForAnotherNode(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		hang := newHanging()
		store := memory.New(time.Now)
		share := func(o *middleware.Options) { o.Store, o.Wait = store, time.Minute }
		one, other := wrap(t, share, hang.handle), wrap(t, share, hang.handle)
		first, waiter := make(chan *http.Response), make(chan *http.Response)
		go func() { first <- send(one, request("k", `{}`)) }()
		<-hang.begun
		go func() { waiter <- send(other, request("k", `{}`)) }()
		synctest.Wait()
		close(hang.goOn)
		wantStatus(t, <-first, http.StatusCreated, false)
		before := time.Now()
		wantStatus(t, <-waiter, http.StatusCreated, true)
		if waited := time.Since(before); waited > time.Second {
			t.Errorf("the waiter learned of it %v later", waited)
		}
	})
}

func TestStatement26AWaiterOfWhatIsReleasedRunsItself(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		hang := newHanging()
		calls := 0
		h := wrap(t, func(o *middleware.Options) {
			o.Wait, o.ServerErrors, o.Store = time.Minute, middleware.RerunServerErrors, memory.New(time.Now)
		}, func(w http.ResponseWriter, r *http.Request) {
			if calls++; calls > 1 {
				w.WriteHeader(http.StatusCreated)
				return
			}
			hang.begun <- struct{}{}
			<-hang.goOn
			w.WriteHeader(http.StatusBadGateway)
		})
		first, waiter := make(chan *http.Response), make(chan *http.Response)
		go func() { first <- send(h, request("k", `{}`)) }()
		<-hang.begun
		go func() { waiter <- send(h, request("k", `{}`)) }()
		synctest.Wait()
		close(hang.goOn)
		wantStatus(t, <-first, http.StatusBadGateway, false)
		wantStatus(t, <-waiter, http.StatusCreated, false)
	})
}

func TestStatement28ServerErrorsAsTheSettingSays(t *testing.T) {
	for setting, want := range map[middleware.ServerErrors]int{middleware.ReplayServerErrors: 1, middleware.RerunServerErrors: 3} {
		calls := 0
		h := wrap(t, func(o *middleware.Options) { o.ServerErrors = setting }, func(w http.ResponseWriter, _ *http.Request) {
			calls++
			w.WriteHeader(http.StatusServiceUnavailable)
		})
		for n := range 3 {
			wantStatus(t, send(h, request("k", `{}`)), http.StatusServiceUnavailable, n > 0 && want == 1)
		}
		if calls != want {
			t.Errorf("setting %d: the handler ran %d times, want %d", setting, calls, want)
		}
	}
}

func TestStatement28ClientErrorsAreReplayed(t *testing.T) {
	calls := 0
	h := wrap(t, func(o *middleware.Options) { o.ServerErrors = middleware.RerunServerErrors }, func(w http.ResponseWriter, _ *http.Request) {
		calls++
		w.WriteHeader(http.StatusPaymentRequired)
	})
	for n := range 2 {
		wantStatus(t, send(h, request("k", `{}`)), http.StatusPaymentRequired, n > 0)
	}
	if calls != 1 {
		t.Errorf("the handler ran %d times", calls)
	}
}

func TestStatement28APanicIsAServerError(t *testing.T) {
	for setting, want := range map[middleware.ServerErrors]int{middleware.ReplayServerErrors: 1, middleware.RerunServerErrors: 2} {
		calls := 0
		h := wrap(t, func(o *middleware.Options) { o.ServerErrors = setting }, func(http.ResponseWriter, *http.Request) {
			calls++
			panic("broken")
		})
		fails := func() (value any) {
			defer func() { value = recover() }()
			wantProblem(t, send(h, request("k", `{}`)), http.StatusInternalServerError, "never")
			return nil
		}
		if got := fails(); got != "broken" {
			t.Errorf("the panic goes on as %v", got)
		}
		if want == 2 {
			fails()
		} else {
			wantStatus(t, send(h, request("k", `{}`)), http.StatusInternalServerError, true)
		}
		if calls != want {
			t.Errorf("setting %d: the handler ran %d times, want %d", setting, calls, want)
		}
	}
}

func TestStatement28BodiesOverTheLimitAreRefused(t *testing.T) {
	var c created
	h := wrap(t, func(o *middleware.Options) { o.MaxBody = 10 }, c.handle)
	wantStatus(t, send(h, request("k", `"12345678"`)), http.StatusCreated, false)
	wantProblem(t, send(h, request("l", `"123456789"`)), http.StatusRequestEntityTooLarge, "body-too-large")
	stream := request("m", "")
	stream.Body, stream.ContentLength = io.NopCloser(strings.NewReader(`"123456789"`)), -1
	wantProblem(t, send(h, stream), http.StatusRequestEntityTooLarge, "body-too-large")
	broken := request("n", "")
	broken.Body = io.NopCloser(io.MultiReader(strings.NewReader("{"), failing{}))
	wantProblem(t, send(h, broken), http.StatusBadRequest, "body-broken")
	if c.calls != 1 {
		t.Errorf("the handler ran %d times", c.calls)
	}
}

type failing struct{}

func (failing) Read([]byte) (int, error) { return 0, errors.New("broken") }

func TestStatement28AnswersThatCannotBeKept(t *testing.T) {
	for kind, handler := range map[string]http.HandlerFunc{
		"answer-too-large": func(w http.ResponseWriter, _ *http.Request) {
			for range 3 {
				_, err := io.WriteString(w, "12345")
				_ = err // a handler that does not look
			}
		},
		"answer-streams": func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "text/event-stream; charset=utf-8")
			if _, err := io.WriteString(w, "data"); err == nil {
				t.Error("the handler is not told")
			}
			if err := http.NewResponseController(w).Flush(); !errors.Is(err, http.ErrNotSupported) {
				t.Errorf("flush: %v", err)
			}
		},
	} {
		calls := 0
		h := wrap(t, func(o *middleware.Options) { o.MaxAnswer, o.ServerErrors = 10, middleware.RerunServerErrors },
			func(w http.ResponseWriter, r *http.Request) { calls++; handler(w, r) })
		wantProblem(t, send(h, request("k", `{}`)), http.StatusInternalServerError, kind)
		if body := wantStatus(t, send(h, request("k", `{}`)), http.StatusInternalServerError, true); !strings.Contains(body, kind) {
			t.Errorf("replayed: %s", body)
		}
		if calls != 1 { // its work was done, whatever becomes of the answer
			t.Errorf("%s: the handler ran %d times", kind, calls)
		}
	}
}

func TestStatement28TheHandlerRunsToItsEndWithoutItsClient(t *testing.T) {
	h := wrap(t, nil, func(w http.ResponseWriter, r *http.Request) {
		if r.Context().Err() != nil {
			t.Error("the client's going away ends the work")
		}
		w.WriteHeader(http.StatusCreated)
	})
	ctx, cancel := context.WithCancel(t.Context())
	first := request("k", `{}`).WithContext(ctx)
	started := wrap(t, nil, func(_ http.ResponseWriter, r *http.Request) {
		cancel()
		if r.Context().Err() != nil {
			t.Error("the client's going away ends the work")
		}
	})
	wantStatus(t, send(started, first), http.StatusOK, false)
	wantStatus(t, send(h, request("k", `{}`)), http.StatusCreated, false)
}

// broken is a store that fails where it is told to.
type broken struct {
	idempotency.Store
	begin, complete func() error
}

func (b broken) Begin(ctx context.Context, s idempotency.Start) (idempotency.Begun, error) {
	if b.begin != nil {
		if err := b.begin(); err != nil {
			return idempotency.Begun{}, err
		}
	}
	return b.Store.Begin(ctx, s)
}

func (b broken) Complete(ctx context.Context, c idempotency.Claim, answer []byte, retention time.Duration) error {
	if b.complete != nil {
		if err := b.complete(); err != nil {
			return err
		}
	}
	return b.Store.Complete(ctx, c, answer, retention)
}

func TestStatement28WithoutItsRecordNothingRuns(t *testing.T) {
	var c created
	told := 0
	h := wrap(t, func(o *middleware.Options) {
		o.Store = broken{Store: o.Store, begin: func() error { return errors.New("down") }}
		o.OnError = func(context.Context, error) { told++ }
	}, c.handle)
	r := send(h, request("k", `{}`))
	if r.Header.Get("Retry-After") == "" {
		t.Error("it does not say when to come again")
	}
	wantProblem(t, r, http.StatusServiceUnavailable, "store-unavailable")
	if c.calls != 0 || told != 1 {
		t.Errorf("the handler ran %d times, OnError was told %d times", c.calls, told)
	}
}

func TestStatement28WhatIsNotKeptIsNotTold(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var c created
		faults := 2
		store := memory.New(time.Now)
		h := wrap(t, func(o *middleware.Options) {
			o.Store = broken{Store: store, complete: func() error {
				if faults--; faults >= 0 {
					return errors.New("down")
				}
				return nil
			}}
		}, c.handle)
		wantStatus(t, send(h, request("k", `{}`)), http.StatusCreated, false) // at the third try
		wantStatus(t, send(h, request("k", `{}`)), http.StatusCreated, true)

		told := 0
		h = wrap(t, func(o *middleware.Options) {
			o.Store = broken{Store: store, complete: func() error { return errors.New("down") }}
			o.OnError = func(context.Context, error) { told++ }
		}, c.handle)
		wantProblem(t, send(h, request("l", `{}`)), http.StatusInternalServerError, "answer-not-kept")
		wantProblem(t, send(h, request("l", `{}`)), http.StatusConflict, "in-flight")
		if c.calls != 2 || told == 0 {
			t.Errorf("the handler ran %d times, OnError was told %d times", c.calls, told)
		}
	})
}

func TestOptionsThatAreMissingOrOutOfRange(t *testing.T) {
	good := middleware.Options{Store: memory.New(time.Now), Principal: middleware.Anyone, ServerErrors: middleware.ReplayServerErrors}
	if _, err := middleware.New(good); err != nil {
		t.Fatal(err)
	}
	for what, change := range map[string]func(*middleware.Options){
		"no store":           func(o *middleware.Options) { o.Store = nil },
		"no principal":       func(o *middleware.Options) { o.Principal = nil },
		"no word on 5xx":     func(o *middleware.Options) { o.ServerErrors = 0 },
		"another word on it": func(o *middleware.Options) { o.ServerErrors = 3 },
		"a long key":         func(o *middleware.Options) { o.MaxKey = idempotency.MaxName + 1 },
		"a negative size":    func(o *middleware.Options) { o.MaxBody = -1 },
		"a negative time":    func(o *middleware.Options) { o.Wait = -1 },
		"a small method":     func(o *middleware.Options) { o.Methods = []string{"POST", "put"} },
	} {
		o := good
		change(&o)
		if _, err := middleware.New(o); err == nil {
			t.Errorf("%s is accepted", what)
		}
	}
}

func TestRequestsWithoutAKeyStream(t *testing.T) {
	h := wrap(t, nil, func(w http.ResponseWriter, _ *http.Request) {
		if err := http.NewResponseController(w).Flush(); err != nil {
			t.Error(err)
		}
	})
	w := httptest.NewRecorder()
	h.ServeHTTP(w, request("", `{}`))
	if !w.Flushed {
		t.Error("nothing was flushed")
	}
}
