package mock_test

import (
	"encoding/json"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/weft-flow/weft/executor/mock"
)

func TestLedgerKeepsRequestsAsTheyCame(t *testing.T) {
	now := time.Date(2025, 3, 1, 12, 0, 0, 0, time.UTC)
	server := mock.New(orderFlow(t), mock.Options{Now: func() time.Time { return now }})
	r := httptest.NewRequest("POST", "/orders/orders?x=%2f", strings.NewReader(newOrder))
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Idempotency-Key", "k")
	r.Header["x-raw"] = []string{"as it is"}
	server.ServeHTTP(httptest.NewRecorder(), r)

	got := server.Ledger().Requests[0]
	if got.Method != "POST" || got.URL != "/orders/orders?x=%2f" || got.Body != newOrder || !got.Time.Equal(now) {
		t.Errorf("request %+v", got)
	}
	if map[string][]string(got.Header)["x-raw"][0] != "as it is" || got.Header.Get("Host") != "example.com" {
		t.Errorf("header %v", got.Header)
	}
	if got.Source != "orders" || got.Operation != "createOrder" || got.Key != "k" || got.Status != 201 || got.Sequence != 1 {
		t.Errorf("request %+v", got)
	}
}

func TestLedgerIsACopy(t *testing.T) {
	server := mock.New(orderFlow(t), mock.Options{})
	server.ServeHTTP(httptest.NewRecorder(), httptest.NewRequest("GET", "/orders", nil))
	taken := server.Ledger()
	taken.Requests[0].Method = "changed"
	taken.Requests[0].Header.Set("Host", "changed")
	if again := server.Ledger().Requests[0]; again.Method != "GET" || again.Header.Get("Host") == "changed" {
		t.Error("changing the copy changes the ledger")
	}
}

func TestLedgerAsJSON(t *testing.T) {
	server, c := play(t, orderFlow(t))
	plan(t, server, mock.Fault{Operation: "getOrder", Kind: mock.HangAfterEffect})
	c.expect(201, "POST", "/orders", newOrder, "Idempotency-Key: k")
	a := c.expect(200, "GET", mock.LedgerPath, "")
	var ledger mock.Ledger
	if err := json.Unmarshal([]byte(a.Body), &ledger); err != nil {
		t.Fatal(err)
	}
	if len(ledger.Requests) != 1 || len(ledger.Effects) != 1 || ledger.Effects[0].Resource != "ord-1" {
		t.Errorf("ledger %+v", ledger)
	}
	if len(ledger.Faults) != 1 || ledger.Faults[0].Fired || ledger.Faults[0].Kind != mock.HangAfterEffect {
		t.Errorf("faults %+v", ledger.Faults)
	}
	c.expect(405, "POST", mock.LedgerPath, "")
	if got := len(server.Ledger().Requests); got != 1 {
		t.Errorf("asking for the ledger is in the ledger: %d requests", got)
	}
}

// TestTheLedgerOfNothingHasLists: whoever reads its JSON need not know of null.
func TestTheLedgerOfNothingHasLists(t *testing.T) {
	server := mock.New(nil, mock.Options{})
	w := httptest.NewRecorder()
	server.ServeHTTP(w, httptest.NewRequest("GET", mock.LedgerPath, nil))
	var got map[string]any
	if err := json.Unmarshal(w.Body.Bytes(), &got); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"requests", "effects", "counts", "webhooks", "faults"} {
		if list, ok := got[name].([]any); !ok || len(list) != 0 {
			t.Errorf("%s is %v, want an empty list", name, got[name])
		}
	}
}
