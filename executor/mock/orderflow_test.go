package mock_test

import (
	"net/http"
	"testing"
)

func TestOrderFlowFromBeginningToEnd(t *testing.T) {
	server, c := play(t, orderFlow(t))

	created := c.expect(201, "POST", "/orders/orders", newOrder, "Idempotency-Key: create-r-1")
	for member, want := range map[string]string{
		"id": "ord-1", "orderReference": "r-1", "sku": "TEA", "quantity": "2", "amount": "10.10", "status": "OPEN",
	} {
		if got := created.get(member); got != want {
			t.Errorf("order created with %s %q, expected %q", member, got, want)
		}
	}
	if got := created.Header.Get("Location"); got != "/orders/orders/ord-1" {
		t.Errorf("Location %q", got)
	}
	if got := created.get("paymentReference"); got != "<nil>" {
		t.Errorf("a new order says that it was paid by %s", got)
	}
	c.expect(404, "GET", "/payments/payments/by-reference/r-1", "")
	paid := c.expect(201, "POST", "/payments/payments", newPayment, "Idempotency-Key: pay-r-1")
	if got := paid.get("status"); got != "PENDING" {
		t.Errorf("payment begins as %s", got)
	}
	asked := c.expect(200, "GET", "/payments/payments/by-reference/r-1", "")
	if got := asked.get("status"); got != "SUCCEEDED" {
		t.Errorf("payment goes on to %s", got)
	}
	if got := asked.get("id"); got != "pay-1" {
		t.Errorf("payment has the id %s", got)
	}
	closed := c.expect(200, "POST", "/orders/orders/ord-1/close", `{"paymentReference":"r-1"}`, "Idempotency-Key: close-r-1")
	if got := closed.get("status"); got != "CLOSED" {
		t.Errorf("order closed as %s", got)
	}
	read := c.expect(200, "GET", "/orders/orders/ord-1", "")
	if got := read.get("status") + " " + read.get("paymentReference"); got != "CLOSED r-1" {
		t.Errorf("order read as %s", got)
	}
	wantEffects(t, server, "closeOrder close-r-1 x1", "createOrder create-r-1 x1", "requestPayment pay-r-1 x1")

	for _, r := range server.Ledger().Requests {
		if len(r.Findings) > 0 {
			t.Errorf("request %d: %v", r.Sequence, r.Findings)
		}
	}
	if e := server.Effects()[0]; e.Resource != "ord-1" || e.Source != "orders" {
		t.Errorf("first effect %+v, expected one on ord-1 of orders", e)
	}
}

func TestOrderIsReleased(t *testing.T) {
	_, c := play(t, orderFlow(t))
	c.expect(201, "POST", "/orders/orders", newOrder, "Idempotency-Key: create-r-1")
	released := c.expect(200, "POST", "/orders/orders/ord-1/release", "", "Idempotency-Key: release-r-1")
	if got := released.get("status"); got != "RELEASED" {
		t.Errorf("status %s", got)
	}
	c.expect(404, "POST", "/orders/orders/ord-2/release", "", "Idempotency-Key: release-r-2")
}

func TestOrdersAreFoundByTheirReference(t *testing.T) {
	_, c := play(t, orderFlow(t))
	second := `{"orderReference":"r-2","sku":"TEA","quantity":1,"amount":"5.00","currency":"EUR"}`
	c.expect(201, "POST", "/orders/orders", newOrder, "Idempotency-Key: a")
	c.expect(201, "POST", "/orders/orders", second, "Idempotency-Key: b")
	one := c.expect(200, "GET", "/orders/orders?orderReference=r-2", "")
	if got := one.get("items", "0", "id"); got != "ord-2" || one.get("items", "1") != "nothing" {
		t.Errorf("found %s", one.Body)
	}
	none := c.expect(200, "GET", "/orders/orders?orderReference=r-3", "")
	if none.Body != `{"items":[]}` {
		t.Errorf("found %s, expected nothing", none.Body)
	}
}

func TestRequestsWithoutTheSourceInFront(t *testing.T) {
	_, c := play(t, orderFlow(t))
	c.expect(201, "POST", "/payments", newPayment, "Idempotency-Key: p")
	c.expect(http.StatusOK, "GET", "/payments/by-reference/r-1", "")
	c.expect(http.StatusOK, "GET", "/payments/pay-1", "")
	c.expect(201, "POST", "/orders", newOrder, "Idempotency-Key: o")
	c.expect(200, "GET", "/orders/ord-1", "")
}
