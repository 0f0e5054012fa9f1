package mock_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"syscall"
	"testing"

	"github.com/weft-flow/weft/executor/mock"
)

func plan(t *testing.T, server *mock.Server, faults ...mock.Fault) {
	t.Helper()
	if err := server.Plan(faults...); err != nil {
		t.Fatal(err)
	}
}

func wantFired(t *testing.T, server *mock.Server, request int) {
	t.Helper()
	for _, f := range server.Ledger().Faults {
		if !f.Fired || f.Request != request {
			t.Errorf("fault %s: fired %v at request %d, expected it at request %d", f.Kind, f.Fired, f.Request, request)
		}
	}
	if got := server.Ledger().Requests[request-1].Fault; got == "" {
		t.Errorf("request %d does not tell of its fault", request)
	}
}

// hang makes a request that hangs, and gives it up once the fault has fired.
func hang(t *testing.T, server *mock.Server, c *client) error {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	ended := make(chan error, 1)
	go func() {
		_, err := c.try(ctx, "POST", "/orders", newOrder, "Idempotency-Key: k")
		ended <- err
	}()
	<-c.fired
	select {
	case err := <-ended:
		t.Fatalf("the request does not hang: %v", err)
	default:
	}
	cancel()
	return <-ended
}

func TestHangBeforeTheEffect(t *testing.T) {
	server, c := play(t, orderFlow(t))
	plan(t, server, mock.Fault{Operation: "createOrder", Kind: mock.HangBeforeEffect})
	if err := hang(t, server, c); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
	wantFired(t, server, 1)
	wantEffects(t, server)
	retried(t, c, "")
	wantEffects(t, server, "createOrder k x1")
}

func TestHangAfterTheEffect(t *testing.T) {
	server, c := play(t, orderFlow(t))
	plan(t, server, mock.Fault{Operation: "createOrder", Kind: mock.HangAfterEffect})
	if err := hang(t, server, c); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
	wantFired(t, server, 1)
	wantEffects(t, server, "createOrder k x1")
	retried(t, c, "true")
	wantEffects(t, server, "createOrder k x1")
	if r := server.Ledger().Requests[0]; r.Status != 0 || r.Body != newOrder {
		t.Errorf("the ledger has status %d and body %q", r.Status, r.Body)
	}
}

// retried sends the order again under its key until the hang before is over.
func retried(t *testing.T, c *client, replayed string) {
	t.Helper()
	for {
		a := c.do("POST", "/orders", newOrder, "Idempotency-Key: k")
		if a.Status == http.StatusConflict {
			continue // the server has not yet seen that its client is gone
		}
		if a.Status != http.StatusCreated || a.Header.Get("Idempotent-Replayed") != replayed {
			t.Errorf("the retry: status %d, replayed %q, expected %q", a.Status, a.Header.Get("Idempotent-Replayed"), replayed)
		}
		return
	}
}

func TestClosingEndsAHang(t *testing.T) {
	fired := make(chan mock.PlannedFault, 1)
	server := mock.New(orderFlow(t), mock.Options{OnFault: func(f mock.PlannedFault) { fired <- f }})
	plan(t, server, mock.Fault{Operation: "getOrder", Kind: mock.HangAfterEffect})
	base, end, err := server.Listen("127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	c := &client{t: t, base: base, http: &http.Client{Transport: &http.Transport{}}, fired: fired}
	ended := make(chan error, 1)
	go func() {
		_, err := c.try(context.Background(), "GET", "/orders/ord-1", "")
		ended <- err
	}()
	<-c.fired
	if err := end(); err != nil {
		t.Errorf("close: %v", err)
	}
	if err := <-ended; err == nil {
		t.Error("the hanging request was answered")
	}
	if err := end(); err != nil {
		t.Errorf("closing again: %v", err)
	}
}

func TestUnavailableBeforeTheEffect(t *testing.T) {
	server, c := play(t, orderFlow(t))
	plan(t, server, mock.Fault{Operation: "createOrder", Kind: mock.UnavailableBeforeEffect, RetryAfter: "7"})
	a := c.expect(503, "POST", "/orders", newOrder, "Idempotency-Key: k")
	if got := a.Header.Get("Retry-After"); got != "7" {
		t.Errorf("Retry-After %q", got)
	}
	wantFired(t, server, 1)
	wantEffects(t, server)
	a = c.expect(201, "POST", "/orders", newOrder, "Idempotency-Key: k")
	if a.Header.Get("Idempotent-Replayed") != "" {
		t.Error("what never was is replayed")
	}
}

func TestUnavailableAfterTheEffect(t *testing.T) {
	server, c := play(t, orderFlow(t))
	plan(t, server, mock.Fault{Operation: "createOrder", Kind: mock.UnavailableAfterEffect})
	a := c.expect(503, "POST", "/orders", newOrder, "Idempotency-Key: k")
	if _, there := a.Header["Retry-After"]; there {
		t.Errorf("Retry-After %q, expected none", a.Header.Get("Retry-After"))
	}
	wantFired(t, server, 1)
	wantEffects(t, server, "createOrder k x1")
	a = c.expect(201, "POST", "/orders", newOrder, "Idempotency-Key: k")
	if a.Header.Get("Idempotent-Replayed") != "true" {
		t.Error("the first answer is not replayed")
	}
	wantEffects(t, server, "createOrder k x1")
}

func TestResets(t *testing.T) {
	for _, test := range []struct {
		kind    mock.FaultKind
		effects []string
		body    string
	}{
		{mock.ResetBeforeReading, nil, ""},
		{mock.ResetAfterEffect, []string{"createOrder k x1"}, newOrder},
	} {
		t.Run(string(test.kind), func(t *testing.T) {
			server, c := play(t, orderFlow(t))
			plan(t, server, mock.Fault{Operation: "createOrder", Kind: test.kind})
			_, err := c.try(context.Background(), "POST", "/orders", newOrder, "Idempotency-Key: k")
			if !errors.Is(err, syscall.ECONNRESET) && !errors.Is(err, io.EOF) {
				t.Errorf("error %v, expected a reset", err)
			}
			wantFired(t, server, 1)
			wantEffects(t, server, test.effects...)
			if got := server.Ledger().Requests; len(got) != 1 || got[0].Body != test.body || got[0].Status != 0 {
				t.Errorf("ledger %+v", got)
			}
		})
	}
}

func TestFaultAtALaterRequest(t *testing.T) {
	server, c := play(t, orderFlow(t))
	plan(t, server, mock.Fault{Operation: "orders/createOrder", Occurrence: 2, Kind: mock.UnavailableBeforeEffect})
	c.expect(201, "POST", "/orders", newOrder, "Idempotency-Key: a")
	if server.Ledger().Faults[0].Fired {
		t.Error("fired at the first request")
	}
	c.expect(503, "POST", "/orders", newOrder, "Idempotency-Key: b")
	c.expect(201, "POST", "/orders", newOrder, "Idempotency-Key: b")
	wantFired(t, server, 2)
}

func TestFaultAtAReplay(t *testing.T) {
	server, c := play(t, orderFlow(t))
	plan(t, server, mock.Fault{Operation: "createOrder", Occurrence: 2, Kind: mock.UnavailableAfterEffect})
	c.expect(201, "POST", "/orders", newOrder, "Idempotency-Key: a")
	c.expect(503, "POST", "/orders", newOrder, "Idempotency-Key: a")
	wantFired(t, server, 2)
	c.expect(201, "POST", "/orders", newOrder, "Idempotency-Key: a")
	wantEffects(t, server, "createOrder a x1")
}

func TestFaultsThatCannotBePlanned(t *testing.T) {
	server := mock.New(orderFlow(t), mock.Options{})
	for _, test := range []struct {
		fault mock.Fault
		says  string
	}{
		{mock.Fault{Operation: "createOrdr", Kind: mock.HangAfterEffect}, "createOrder"},
		{mock.Fault{Operation: "createOrder", Kind: "explode"}, "hang-before-effect"},
		{mock.Fault{Operation: "createOrder", Kind: mock.HangAfterEffect, Occurrence: -1}, "the first is 1"},
	} {
		err := server.Plan(mock.Fault{Operation: "getOrder", Kind: mock.HangAfterEffect}, test.fault)
		if !errors.Is(err, mock.ErrFault) || !strings.Contains(err.Error(), test.says) {
			t.Errorf("%+v: error %v, expected one that names %s", test.fault, err, test.says)
		}
	}
	if got := server.Ledger().Faults; len(got) != 0 {
		t.Errorf("planned %v although refused", got)
	}
}
