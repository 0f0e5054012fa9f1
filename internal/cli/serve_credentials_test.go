package cli_test

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
)

// lockedShop is an API that wants a key, and counts who comes with it and without.
type lockedShop struct {
	mu    sync.Mutex
	calls map[string]int // by path, and " open" where the key is missing
}

func (l *lockedShop) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if r.Header.Get("X-Key") != "the-key-of-the-shop" {
		l.calls[r.URL.Path+" open"]++
		w.WriteHeader(http.StatusUnauthorized)
		return
	}
	l.calls[r.URL.Path]++
	w.WriteHeader(http.StatusCreated)
}

func (l *lockedShop) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	text, _ := json.Marshal(l.calls)
	return string(text)
}

const lockedAPI = `
openapi: 3.1.0
info: {title: Shop, version: "1"}
servers: [{url: BASE}]
security: [{key: []}]
paths:
  /orders:
    post:
      operationId: createOrder
      requestBody: {content: {application/json: {schema: {type: object}}}}
      responses: {"201": {description: created}}
  /closings:
    post:
      operationId: closeOrder
      requestBody: {content: {application/json: {schema: {type: object}}}}
      responses: {"201": {description: created}}
webhooks:
  paid:
    post:
      operationId: paid
      requestBody: {content: {application/json: {schema: {type: object}}}}
      responses: {"202": {description: taken}}
components: {securitySchemes: {key: {type: apiKey, in: header, name: X-Key}}}
`

// TestARunWithoutItsCredentialIsParked begins a run with a credential and goes on with it
// in a process that has none: it waits there until one has it, and nothing is sent without.
func TestARunWithoutItsCredentialIsParked(t *testing.T) {
	locked := &lockedShop{calls: map[string]int{}}
	api := httptest.NewServer(locked)
	defer api.Close()
	s := newShop(t)
	s.write("flows/shop.openapi.yaml", strings.ReplaceAll(lockedAPI, "BASE", api.URL))
	s.write("flows/shop.arazzo.yaml", serveFlow+"  - {stepId: close, operationId: closeOrder, requestBody: {contentType: application/json, payload: {ref: $inputs.ref}}}\n")
	key := []string{"WEFT_AUTH_SHOP_KEY=the-key-of-the-shop"}
	p := s.serve(key, "flows")
	run := p.start("o-1")
	p.untilWaiting(run)
	p.kill()

	p = s.serve(nil, "flows")
	p.do(202, "POST", "/webhooks/shop/paid", `{"ref":"o-1"}`)
	reason := ""
	isParked := func() bool {
		reason, _ = p.show(run)["parked"].(string)
		return reason != ""
	}
	p.until("the run is parked", isParked)
	for _, want := range []string{"buy/close#1/1", "shop/key", "WEFT_AUTH_SHOP_KEY", "with which the run began"} {
		if !strings.Contains(reason, want) {
			t.Errorf("it is parked for %q, which does not tell %q", reason, want)
		}
	}
	p.do(202, "POST", "/v1/runs/"+run+"/resume", "")
	p.until("the run is parked again", isParked)
	if got := locked.String(); got != `{"/orders":1}` {
		t.Errorf("without the credential: %s", got)
	}
	// A run that begins without one is as it ever was: how the API answers is its matter.
	p.untilEnded(p.start("o-2"), "failed")
	p.terminate()
	if err := p.cmd.Wait(); err != nil {
		t.Fatalf("%v: %s", err, p.stderr.String())
	}

	p = s.serve(key, "flows")
	p.untilEnded(run, "succeeded")
	if got := locked.String(); got != `{"/closings":1,"/orders":1,"/orders open":1}` {
		t.Errorf("with it again: %s", got)
	}
	p.kill()
	if strings.Contains(p.stderr.String(), "the-key-of-the-shop") {
		t.Error("the key is in the log")
	}
}
