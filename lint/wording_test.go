package lint

import (
	"strings"
	"testing"
)

func TestWords(t *testing.T) {
	for name, want := range map[string]string{
		"orderId": "order id", "order_id": "order id", "X-Order-ID": "x order id", "HTTPStatus": "http status", "": "", "ORDER": "order", "a.b": "a b",
	} {
		if got := strings.Join(Words(name), " "); got != want {
			t.Errorf("%s: got %q, want %q", name, got, want)
		}
	}
	for name, want := range map[string][2]bool{ // shared, tells apart
		"orderId": {false, true}, "customerId": {true, false}, "customerOrderId": {false, true}, "reference": {false, true},
		"idempotencyKey": {false, true}, "amount": {true, false}, "apiKey": {true, false}, "note": {false, false}, "id": {false, true},
		"currencyCode": {true, false}, "guestRef": {false, true}, "guestId": {true, false}, "city": {true, false}, "amountInCents": {true, false}, "uuid": {false, true},
	} {
		if got := [2]bool{IsShared(name), TellsApart(name)}; got != want {
			t.Errorf("%s: got %v, want %v", name, got, want)
		}
	}
}
