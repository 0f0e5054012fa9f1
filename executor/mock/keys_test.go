package mock_test

import (
	"context"
	"fmt"
	"net/http"
	"sync"
	"testing"

	"github.com/weft-flow/weft/executor/mock"
	"github.com/weft-flow/weft/idempotency"
)

func TestKeyReplaysTheFirstAnswer(t *testing.T) {
	server, c := play(t, orderFlow(t))
	first := c.expect(201, "POST", "/orders", newOrder, "Idempotency-Key: k")
	// The same content, written in another order and with another spelling of the number.
	again := c.expect(201, "POST", "/orders",
		`{"quantity": 2.0, "sku":"TEA","orderReference":"r-1","amount":"10.10","currency":"EUR"}`, "Idempotency-Key: k")
	if again.Body != first.Body {
		t.Errorf("replayed %s, expected %s", again.Body, first.Body)
	}
	for _, name := range []string{"Content-Type", "Location"} {
		if again.Header.Get(name) != first.Header.Get(name) {
			t.Errorf("replayed %s %q, expected %q", name, again.Header.Get(name), first.Header.Get(name))
		}
	}
	if first.Header.Get("Idempotent-Replayed") != "" || again.Header.Get("Idempotent-Replayed") != "true" {
		t.Errorf("the second answer and only it is to be marked as replayed")
	}
	wantEffects(t, server, "createOrder k x1")
	if requests := server.Ledger().Requests; len(requests) != 2 || requests[0].Replayed || !requests[1].Replayed {
		t.Errorf("ledger %+v", requests)
	}
}

func TestKeyWithAnotherContentIsRefused(t *testing.T) {
	server, c := play(t, orderFlow(t))
	c.expect(201, "POST", "/orders", newOrder, "Idempotency-Key: k")
	other := `{"orderReference":"r-1","sku":"TEA","quantity":3,"amount":"10.10","currency":"EUR"}`
	c.expect(422, "POST", "/orders", other, "Idempotency-Key: k")
	again := c.expect(201, "POST", "/orders", newOrder, "Idempotency-Key: k")
	if again.Header.Get("Idempotent-Replayed") != "true" {
		t.Errorf("the mismatch changed what is kept")
	}
	wantEffects(t, server, "createOrder k x1")
}

func TestKeyThatIsRequiredAndMissing(t *testing.T) {
	server, c := play(t, orderFlow(t))
	refused := c.expect(400, "POST", "/orders", newOrder)
	if got := refused.get("errors", "0", "parameter"); got != "Idempotency-Key" {
		t.Errorf("refused for %s: %s", got, refused.Body)
	}
	if got := refused.get("type"); got != "urn:weft:mock:key-missing" {
		t.Errorf("type %s", got)
	}
	wantEffects(t, server)
}

func TestKeyBelongsToItsOperation(t *testing.T) {
	server, c := play(t, orderFlow(t))
	c.expect(201, "POST", "/orders", newOrder, "Idempotency-Key: k")
	c.expect(201, "POST", "/payments", newPayment, "Idempotency-Key: k")
	c.expect(200, "POST", "/orders/ord-1/release", "", "Idempotency-Key: k")
	wantEffects(t, server, "createOrder k x1", "releaseOrder k x1", "requestPayment k x1")
}

func TestKeyInFlight(t *testing.T) {
	server, c := play(t, orderFlow(t))
	plan(t, server, mock.Fault{Operation: "createOrder", Kind: mock.HangBeforeEffect})
	hanging, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() {
		_, err := c.try(hanging, "POST", "/orders", newOrder, "Idempotency-Key: k")
		ended <- err
	}()
	<-c.fired

	conflict := c.expect(409, "POST", "/orders", newOrder, "Idempotency-Key: k")
	if !idempotency.InFlightProblem(conflict.get("type"), conflict.get("title")) {
		t.Errorf("the problem does not say that the key is in flight: %s", conflict.Body)
	}
	if conflict.Header.Get("Retry-After") == "" {
		t.Errorf("no Retry-After")
	}
	cancel()
	if err := <-ended; err == nil {
		t.Errorf("the hanging request was answered")
	}
	wantEffects(t, server)
}

func TestManyRequestsWithOneKey(t *testing.T) {
	const requests = 50
	server, c := play(t, orderFlow(t))
	answers := make([]answer, requests)
	var group sync.WaitGroup
	for i := range requests {
		group.Go(func() {
			a, err := c.try(context.Background(), "POST", "/orders", newOrder, "Idempotency-Key: k")
			if err != nil {
				a.Body = err.Error()
			}
			answers[i] = a
		})
	}
	group.Wait()
	fresh := 0
	for _, a := range answers {
		switch {
		case a.Status == http.StatusCreated && a.Header.Get("Idempotent-Replayed") == "":
			fresh++
		case a.Status == http.StatusCreated || a.Status == http.StatusConflict:
		default:
			t.Errorf("status %d: %s", a.Status, a.Body)
		}
	}
	if fresh != 1 {
		t.Errorf("%d requests were carried out, expected 1", fresh)
	}
	wantEffects(t, server, "createOrder k x1")
	if got := len(server.Ledger().Requests); got != requests {
		t.Errorf("the ledger has %d requests, expected %d", got, requests)
	}
}

func TestManyRequestsWithTheirOwnKeys(t *testing.T) {
	const requests = 50
	server, c := play(t, orderFlow(t))
	var group sync.WaitGroup
	ids := make([]string, requests)
	for i := range requests {
		group.Go(func() {
			a, err := c.try(context.Background(), "POST", "/orders", newOrder, fmt.Sprintf("Idempotency-Key: k-%d", i))
			if err == nil {
				ids[i] = a.get("id")
			}
		})
	}
	group.Wait()
	seen := map[string]bool{}
	for _, id := range ids {
		if seen[id] {
			t.Errorf("two orders have the id %s", id)
		}
		seen[id] = true
	}
	if got := len(server.Effects()); got != requests {
		t.Errorf("%d effects, expected %d", got, requests)
	}
}

func TestOtherKeyHeaders(t *testing.T) {
	server, c := play(t, api(t, "3.0.3", `
paths:
  /captures:
    post:
      operationId: capture
      parameters:
        - {name: PayPal-Request-Id, in: header, schema: {type: string}}
      responses: {'201': {description: done}}
  /notes:
    post:
      operationId: note
      responses: {'201': {description: done}}
`))
	c.expect(201, "POST", "/captures", "", "PayPal-Request-Id: a")
	c.expect(201, "POST", "/captures", "", "PayPal-Request-Id: a")
	c.expect(201, "POST", "/captures", "") // declared, not required
	// An undeclared key is no contract: both have their effect.
	c.expect(201, "POST", "/notes", "", "Idempotency-Key: n")
	c.expect(201, "POST", "/notes", "", "Idempotency-Key: n")
	wantEffects(t, server, "capture a x1", "capture x1", "note x2")
}
