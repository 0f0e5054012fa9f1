package httpcall_test

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/weft-flow/weft/arazzo/source"
	"github.com/weft-flow/weft/executor"
	"github.com/weft-flow/weft/executor/httpcall"
	"github.com/weft-flow/weft/idempotency"
)

// TestAClosedGateLetsNothingOut: the gate is asked for each request, on a new
// connection and on an idle one, and what it refuses never reaches the server.
func TestAClosedGateLetsNothingOut(t *testing.T) {
	seen := 0
	server := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { seen++ }))
	defer server.Close()
	client := httpcall.New(httpcall.Options{})
	defer client.Close()
	call := executor.Call{Operation: &source.Operation{Method: "GET", Path: "/"}, Server: server.URL}
	asked := 0
	var refusal error
	ctx := httpcall.WithGate(t.Context(), func() error { asked++; return refusal })

	if x := client.Call(ctx, call); x.Class != idempotency.Succeeded || asked != 1 {
		t.Fatalf("an open gate, asked %d times: %+v", asked, x)
	}
	refusal = errors.New("the lease is over")
	for range 2 { // the idle connection, then none
		if x := client.Call(ctx, call); x.Class != idempotency.NotSent || x.Reason != refusal.Error() {
			t.Errorf("a closed gate: %s, %q", x.Class, x.Reason)
		}
	}
	if seen != 1 {
		t.Errorf("the server saw %d requests", seen)
	}
}
