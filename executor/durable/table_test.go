package durable

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/weft-flow/weft/executor"
	"github.com/weft-flow/weft/idempotency"
)

// waitFlow waits for a message for three days, or as long as its input says.
const waitFlow = `
workflows:
- workflowId: hold
  inputs: {type: object, properties: {ref: {type: string}}}
  x-weft-states: {initial: NEW, terminal: [PAID, EXPIRED], transitions: {NEW: [PAID, EXPIRED]}}
  steps:
  - stepId: order
    operationId: createOrder
    requestBody: {contentType: application/json, payload: {ref: $inputs.ref}}
    outputs: {id: $response.body#/id}
  - stepId: wait
    operationId: paid
    action: receive
    correlationId: $inputs.ref
    timeout: 259200000
    x-weft-correlation: $message.payload#/ref
    x-weft-state: PAID
    outputs: {amount: $message.payload#/amount}
    onFailure: [{name: over, type: goto, stepId: close, x-weft-state: EXPIRED}]
  - {stepId: close, operationId: closeOrder, requestBody: {contentType: application/json, payload: {ref: $inputs.ref}}}
  outputs: {amount: $steps.wait.outputs.amount}
`

const paidWebhook = `
webhooks:
  paid:
    post:
      operationId: paid
      requestBody: {content: {application/json: {schema: {type: object, properties: {ref: {type: string}}}}}}
      responses: {"204": {description: taken}}
`

// begin starts a run of a flow.
func begin(t *testing.T, s *Store, spec Spec, text string) Started {
	t.Helper()
	spec.Inputs = inputs(t, text)
	started, err := s.Start(t.Context(), spec)
	if err != nil {
		t.Fatal(err)
	}
	return started
}

// end waits for the end of a run.
func end(t *testing.T, s *Store, run string) executor.Result {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	result, err := s.Wait(ctx, run)
	if err != nil {
		d, _ := s.Show(t.Context(), run)
		t.Fatalf("%v\n%+v", err, d)
	}
	return result
}

// awaits waits until a run waits for a message.
func awaits(t *testing.T, s *Store, run string) Summary {
	t.Helper()
	for deadline := time.Now().Add(20 * time.Second); time.Now().Before(deadline); time.Sleep(5 * time.Millisecond) {
		if found, err := s.Find(t.Context(), run); err != nil {
			t.Fatal(err)
		} else if found.Waiting != nil && found.Waiting.Inbox {
			return found
		}
	}
	found, err := s.Find(t.Context(), run)
	t.Fatalf("the run does not wait: %+v, %v", found, err)
	return Summary{}
}

func held(t *testing.T, s *Store, spec Spec, text string) *idempotency.HeldError {
	t.Helper()
	spec.Inputs = inputs(t, text)
	_, err := s.Start(t.Context(), spec)
	var held *idempotency.HeldError
	if !errors.As(err, &held) || !errors.Is(err, idempotency.ErrTokenHeld) {
		t.Fatalf("a start with a token that is held: %v", err)
	}
	return held
}

// TestOperatorsTable has each row of the table in docs/durability.md.
func TestOperatorsTable(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, url string) {
		b := flowBundle(t, waitFlow)
		server, servers := playShop(t, b)
		spec := Spec{Bundle: b, Token: "t", Config: executor.Config{Servers: servers, Timeout: executor.NoTimeout}}

		t.Run("token held, accepted", func(t *testing.T) {
			s := openStore(t, url, quickOptions(t))
			started := begin(t, s, spec, `{"ref":"1"}`)
			h := held(t, s, spec, `{"ref":"1"}`)
			if h.Holder.Run != started.Run || h.Holder.State != idempotency.Accepted || !h.Same {
				t.Errorf("held by %+v, same inputs: %t", h.Holder, h.Same)
			}
			h = held(t, s, spec, `{"ref":"other"}`)
			if h.Same || !errors.Is(h, idempotency.ErrFingerprintMismatch) || h.Holder.Result != nil {
				t.Errorf("other inputs: %+v", h)
			}
			other := spec
			other.Tenant = "another"
			if again := begin(t, s, other, `{"ref":"1"}`); again.Run == started.Run {
				t.Error("two tenants share a token")
			}
		})
		s := driving(t, url)
		page, err := s.List(t.Context(), Filter{Token: "t", Tenant: new(string)})
		if err != nil || len(page.Runs) != 1 {
			t.Fatalf("%+v, %v", page, err)
		}
		run := page.Runs[0].Run
		t.Run("running", func(t *testing.T) {
			found := awaits(t, s, run)
			if found.State != idempotency.Running || found.Waiting.Until.Sub(found.Began) < 3*24*time.Hour-time.Minute {
				t.Errorf("the run: %+v waiting %+v", found, found.Waiting)
			}
			if h := held(t, s, spec, `{"ref":"1"}`); h.Holder.State != idempotency.Running || !h.Same {
				t.Errorf("held by %+v", h.Holder)
			}
		})
		t.Run("ended, not retained", func(t *testing.T) {
			if _, err := s.Deliver(t.Context(), run, executor.Message{Box: paidBox, Identity: "m1", Body: []byte(`{"ref":"1","amount":"9.90"}`)}); err != nil {
				t.Fatal(err)
			}
			result := end(t, s, run)
			if result.Status != executor.Succeeded || result.Workflows[0].State != "PAID" || result.Workflows[0].Outputs.Get("amount").Text() != "9.90" {
				t.Errorf("the run ended as %+v", result)
			}
			if _, err := s.Deliver(t.Context(), run, executor.Message{Box: paidBox, Identity: "m2"}); !errors.Is(err, ErrRunEnded) {
				t.Errorf("delivered after the end: %v", err)
			}
			if err := s.Cancel(t.Context(), run); !errors.Is(err, ErrRunEnded) {
				t.Errorf("cancelled after the end: %v", err)
			}
			if again := begin(t, s, spec, `{"ref":"1"}`); again.Run == run {
				t.Error("the token is free, and the same run was named")
			}
		})
		t.Run("ended and retained", func(t *testing.T) {
			spec := spec
			spec.Token, spec.Retention = "retained", time.Hour
			started := begin(t, s, spec, `{"ref":"2"}`)
			if err := s.Cancel(t.Context(), started.Run); err != nil {
				t.Fatal(err)
			}
			if result := end(t, s, started.Run); result.Status != executor.Cancelled {
				t.Errorf("the run ended as %s", result.Status)
			}
			awaitRecorded(t, s, started.Run)
			h := held(t, s, spec, `{"ref":"2"}`)
			result, err := s.ReadHeld(h.Holder)
			if h.Holder.State != idempotency.Ended || !h.Same || err != nil || result.Status != executor.Cancelled {
				t.Errorf("held by %+v: %+v, %v", h.Holder, result, err)
			}
			if until := h.Holder.Until.Sub(h.Holder.Claimed); until != time.Hour {
				t.Errorf("retained for %v from the start", until)
			}
			if h := held(t, s, spec, `{"ref":"3"}`); h.Same || h.Holder.Result != nil {
				t.Errorf("other inputs: %+v", h)
			}
			if _, err := s.Release(t.Context(), "", "hold", "retained"); err != nil {
				t.Fatal(err)
			}
			if again := begin(t, s, spec, `{"ref":"3"}`); again.Run == started.Run {
				t.Error("the token was released, and the same run was named")
			}
		})
		t.Run("released while running", func(t *testing.T) {
			spec := spec
			spec.Token = "released"
			started := begin(t, s, spec, `{"ref":"4"}`)
			awaits(t, s, started.Run)
			if run, err := s.Release(t.Context(), "", "hold", "released"); err != nil || run != started.Run {
				t.Fatal(run, err)
			}
			if _, err := s.Holder(t.Context(), "", "hold", "released"); !errors.Is(err, idempotency.ErrNotHeld) {
				t.Errorf("the holder after the release: %v", err)
			}
			beside := begin(t, s, spec, `{"ref":"4"}`)
			awaits(t, s, beside.Run)
			if found := awaits(t, s, started.Run); found.State != idempotency.Running || beside.Run == started.Run {
				t.Errorf("the first: %+v; beside it %s", found, beside.Run)
			}
			if _, err := s.Deliver(t.Context(), started.Run, executor.Message{Box: paidBox, Identity: "m", Body: []byte(`{"ref":"4"}`)}); err != nil {
				t.Fatal(err)
			}
			end(t, s, started.Run)
			awaitRecorded(t, s, started.Run)
			if holder, err := s.Holder(t.Context(), "", "hold", "released"); err != nil || holder.Run != beside.Run {
				t.Errorf("after the end of the first the token is held by %+v, %v", holder, err)
			}
		})
		t.Run("start uncertain", func(t *testing.T) {
			spec := spec
			spec.Token, spec.Run = "uncertain", "candidate"
			spec.Inputs = inputs(t, `{"ref":"5"}`)
			broken, cancel := context.WithCancel(t.Context())
			cancel()
			_, err := s.Start(broken, spec)
			var none *NotAcceptedError
			if !errors.As(err, &none) || none.Run != "candidate" || !strings.Contains(err.Error(), "no run was accepted") {
				t.Fatalf("a start without a database: %v", err)
			}
			first, err := s.Start(t.Context(), spec)
			if err != nil || first.Again || first.Run != "candidate" {
				t.Fatalf("%+v, %v", first, err)
			}
			again, err := s.Start(t.Context(), spec)
			if err != nil || !again.Again || again.Run != "candidate" {
				t.Fatalf("%+v, %v", again, err)
			}
			spec.Token = "another"
			if _, err := s.Start(t.Context(), spec); !errors.Is(err, ErrRunExists) {
				t.Errorf("the same id for another run: %v", err)
			}
		})
		t.Run("joined by a candidate with an id", func(t *testing.T) {
			spec := spec
			spec.Token = "joined"
			started := begin(t, s, spec, `{"ref":"6"}`)
			awaits(t, s, started.Run)
			spec.Run, spec.Join = "joining", true
			for range 2 {
				if h := held(t, s, spec, `{"ref":"6"}`); !h.Same || h.Holder.Run != started.Run {
					t.Fatalf("%+v", h)
				}
			}
			if _, err := s.Release(t.Context(), "", "hold", "joined"); err != nil {
				t.Fatal(err)
			}
			if h := held(t, s, spec, `{"ref":"6"}`); !h.Same || h.Holder.Run != started.Run || h.Holder.State != idempotency.Running {
				t.Errorf("after the release: %+v", h)
			}
			spec.Inputs = inputs(t, `{"ref":"7"}`)
			if _, err := s.Start(t.Context(), spec); !errors.Is(err, ErrRunExists) {
				t.Errorf("the same id for other inputs: %v", err)
			}
		})
		t.Run("parked, and it goes on by itself", func(t *testing.T) { parkedForAWhile(t, url, spec) })
		if got := effects(server)["createOrder"]; got < 5 {
			t.Errorf("%d orders", got)
		}
	})
}

// parkedForAWhile has a node whose lease is over until its next beat: its run is parked
// till then, and nobody does anything about it.
func parkedForAWhile(t *testing.T, url string, spec Spec) {
	o := quickOptions(t)
	o.Lease = Lease{Beat: 3 * time.Second, Send: 20 * time.Second, Takeover: 40 * time.Second}
	other := openStore(t, freshFor(t, url), o)
	if err := other.Drive(t.Context(), DriveOptions{}); err != nil {
		t.Fatal(err)
	}
	if err := other.driver.keepAlive(t.Context()); err != nil {
		t.Fatal(err)
	}
	other.driver.isGood(time.Now().Add(-o.Lease.Send-time.Second), 1) // its last beat
	spec.Token = "parked"
	started := begin(t, other, spec, `{"ref":"8"}`)
	d, err := untilShown(t.Context(), other, started.Run, func(d Detail) bool { return d.Parked != "" || isWaiting(d) })
	if err != nil || !strings.Contains(d.Parked, "the node's lease is over") {
		t.Fatalf("the run is %+v, %v", d.Summary, err)
	}
	if len(d.Steps) != 0 && d.Steps[0].Class != "" {
		t.Errorf("a request was sent without a lease: %+v", d.Steps)
	}
	if found := awaits(t, other, started.Run); found.Parked != "" {
		t.Errorf("it goes on, and is parked: %+v", found)
	}
}

// freshFor gives a database of the same kind, which no other node shares.
func freshFor(t *testing.T, url string) string {
	if strings.HasPrefix(url, "sqlite:") {
		return readyFile(t)
	}
	return readyPostgres(t)
}

const paidBox = "webhook:shop/paid"

// awaitRecorded waits until the journal knows the end of a run.
func awaitRecorded(t *testing.T, s *Store, run string) {
	t.Helper()
	for deadline := time.Now().Add(10 * time.Second); time.Now().Before(deadline); time.Sleep(5 * time.Millisecond) {
		if ended, err := s.isRecorded(run); err != nil {
			t.Fatal(err)
		} else if ended {
			return
		}
	}
	t.Fatal("the journal does not know the end of the run")
}

// TestAMessageBeforeTheRunBegins: it is kept, in its order.
func TestStatement19AMessageBeforeTheRunBegins(t *testing.T) {
	onEach(t, func(t *testing.T, url string) {
		b := flowBundle(t, waitFlow)
		_, servers := playShop(t, b)
		s := openStore(t, url, quickOptions(t))
		started := begin(t, s, Spec{Bundle: b, Config: executor.Config{Servers: servers}}, `{"ref":"1"}`)
		for n, identity := range []string{"a", "b", "a"} {
			body := `{"ref":"1","amount":"` + identity + `"}`
			d, err := s.Deliver(t.Context(), started.Run, executor.Message{Box: paidBox, Identity: identity, Body: []byte(body)})
			if err != nil || d.Duplicate != (n == 2) || !d.Duplicate && d.Number != n+1 {
				t.Fatalf("message %d: %+v, %v", n, d, err)
			}
		}
		if _, err := s.Deliver(t.Context(), "nobody", executor.Message{Box: paidBox}); !errors.Is(err, ErrNoRun) {
			t.Errorf("delivered to nobody: %v", err)
		}
		if err := s.Drive(t.Context(), DriveOptions{}); err != nil {
			t.Fatal(err)
		}
		if result := end(t, s, started.Run); result.Workflows[0].Outputs.Get("amount").Text() != "a" || result.Counts.Duplicates != 1 {
			t.Errorf("%+v", result)
		}
	})
}

// TestStatement22SecretsAreRefused: without a key to encrypt them with no password is
// kept; with one, nothing of it can be read.
func TestStatement22SecretsAreRefused(t *testing.T) {
	const secret = "hunter2-or-longer"
	onEach(t, func(t *testing.T, url string) {
		b := flowBundle(t, strings.Replace(keyedFlow, "payload: {ref: $inputs.ref}", "payload: {ref: $inputs.ref, pin: $inputs.pin}", 1))
		server, servers := playShop(t, b)
		spec := Spec{Bundle: b, Config: executor.Config{Servers: servers}, Inputs: inputs(t, `{"ref":"1","pin":"`+secret+`"}`)}
		open := openStore(t, url, quickOptions(t))
		if _, err := open.Start(t.Context(), spec); !errors.Is(err, ErrSecretInput) {
			t.Fatalf("a password without a key: %v", err)
		}
		o := quickOptions(t)
		o.Key = "short"
		if _, err := Open(t.Context(), url, o); err == nil {
			t.Error("a short key is taken")
		}
		o.Key = "a key of the store that is long enough"
		s := openStore(t, url, o)
		if err := s.Drive(t.Context(), DriveOptions{}); err != nil {
			t.Fatal(err)
		}
		started, err := s.Start(t.Context(), spec)
		if err != nil {
			t.Fatal(err)
		}
		if result := end(t, s, started.Run); result.Status != executor.Succeeded {
			t.Fatalf("%+v", result)
		}
		if !strings.Contains(server.Ledger().Requests[0].Body, secret) {
			t.Fatal("the password was not sent: the test shows nothing")
		}
		for table, found := range findEverywhere(t, s, secret) {
			t.Errorf("the password stands in %s: %s", table, found)
		}
		if found := findEverywhere(t, s, "createOrder"); len(found) == 0 {
			t.Error("nothing is found at all: the test shows nothing")
		}
		if _, _, err := open.Result(t.Context(), started.Run); !errors.Is(err, ErrSealed) {
			t.Errorf("the result without the key: %v", err)
		}
	})
}
