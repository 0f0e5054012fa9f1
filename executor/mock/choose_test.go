package mock_test

import (
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/weft-flow/weft/arazzo/value"
	"github.com/weft-flow/weft/executor/mock"
)

// TestChosenAnswers holds that a chosen success has its effect, and a chosen refusal has
// none and forgets the key.
func TestChosenAnswers(t *testing.T) {
	var next *mock.Answer
	server := mock.New(orderFlow(t), mock.Options{Choose: func(mock.Asked) *mock.Answer { return next }})
	ask := func(status int, edits ...mock.Edit) (int, string) {
		t.Helper()
		next = nil
		if status != 0 {
			next = &mock.Answer{Status: status, Edits: edits, Header: map[string]string{"Retry-After": "7"}}
		}
		r, err := http.NewRequest(http.MethodPost, "http://mock/orders/orders", strings.NewReader(
			`{"orderReference":"o-1","sku":"TEA","quantity":1,"amount":"1.00","currency":"EUR"}`))
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Content-Type", "application/json")
		r.Header.Set("Idempotency-Key", "k")
		response, err := server.Transport(mock.TransportOptions{}).RoundTrip(r)
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(response.Body)
		if err != nil {
			t.Fatal(err)
		}
		if status != 0 && response.Header.Get("Retry-After") != "7" {
			t.Errorf("status %d: the chosen field is missing", status)
		}
		return response.StatusCode, string(body)
	}
	if status, body := ask(422); status != 422 || !strings.Contains(body, `"title"`) {
		t.Errorf("got %d with %s, want the described 422", status, body)
	}
	if n := len(server.Effects()); n != 0 {
		t.Fatalf("a refusal had %d effects", n)
	}
	edit := mock.Edit{At: value.Pointer{"status"}, Value: value.String("CLOSED")}
	status, body := ask(201, edit, mock.Edit{At: value.Pointer{"lines", "0", "n"}, Value: value.Int(3)})
	if status != 201 || !strings.Contains(body, `"status":"CLOSED"`) || !strings.Contains(body, `"lines":[{"n":3}]`) || !strings.Contains(body, `"id":"ord-1"`) {
		t.Errorf("got %d with %s, want the edited order", status, body)
	}
	if _, again := ask(0); again != body {
		t.Errorf("the key brought %s, want what was answered first: %s", again, body)
	}
	if effects := server.Effects(); len(effects) != 1 || effects[0].Count != 1 {
		t.Errorf("effects: %+v, want one", effects)
	}
}
