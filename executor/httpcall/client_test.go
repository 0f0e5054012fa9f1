package httpcall

import (
	"net/http"
	"testing"

	"github.com/weft-flow/weft/idempotency"
)

func TestDoTellsWhatWasSentAndWhatCameBack(t *testing.T) {
	server := newRawServer(t, ok)
	got := do(t, newClient(t, Options{}), withKey(withBody(aCall("POST", server.url, "/orders"))))
	if got.Class != idempotency.Succeeded || got.Response == nil || string(got.Response.Body) != `{"ok":true}` {
		t.Fatalf("got %+v", got)
	}
	if got.Sent.URL != server.url+"/orders" || string(got.Sent.Body) != `{"n":1}` {
		t.Errorf("sent %+v", got.Sent)
	}
	arrived := server.arrived("/orders")
	if len(arrived) != 1 || arrived[0].body != `{"n":1}` {
		t.Errorf("arrived %+v", arrived)
	}
	t.Log(arrived[0].head)
	_ = http.StatusOK
}
