package mock_test

import (
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/weft-flow/weft/executor/mock"
)

const big = `
paths:
  /texts:
    post:
      operationId: addText
      requestBody: {content: {application/json: {schema: {type: object}}}}
      responses: {"201": {description: ok, content: {application/json: {schema: {type: object, properties: {id: {type: string}, text: {type: string}}}}}}}
  /texts/{id}:
    parameters: [{name: id, in: path, required: true, schema: {type: string}}]
    get: {operationId: getText, responses: {"200": {description: ok, content: {application/json: {schema: {type: object, properties: {id: {type: string}, text: {type: string}}}}}}}}
    delete: {operationId: removeText, responses: {"204": {description: gone}}}
`

// playHTTP2 plays an API over HTTP/2.
func playHTTP2(t *testing.T, sources []mock.Source, options mock.Options) (*mock.Server, *client) {
	t.Helper()
	server := mock.New(sources, options)
	return server, trust(t, server)
}

func TestLargeBodiesOverHTTP2(t *testing.T) {
	server, c := playHTTP2(t, api(t, "3.1.0", big), mock.Options{})
	text := strings.Repeat("weft ", 200_000) // past every window that is there from the start
	created := c.expect(201, "POST", "/texts", fmt.Sprintf(`{"text":%q}`, text))
	if created.get("text") != text {
		t.Errorf("%d bytes came back", len(created.Body))
	}
	if read := c.expect(200, "GET", "/texts/"+created.get("id"), ""); read.get("text") != text {
		t.Errorf("%d bytes were read", len(read.Body))
	}
	if a := c.expect(200, "HEAD", "/texts/"+created.get("id"), ""); a.Body != "" {
		t.Error("a HEAD has a body")
	}
	if a := c.expect(204, "DELETE", "/texts/"+created.get("id"), ""); a.Body != "" {
		t.Error("a 204 has a body")
	}
	for _, r := range server.Ledger().Requests {
		if r.Protocol != "HTTP/2.0" || r.Connection != 1 {
			t.Errorf("request %d came over %s on connection %d", r.Sequence, r.Protocol, r.Connection)
		}
	}
}

func TestABodyOverTheLimitOverHTTP2(t *testing.T) {
	_, c := playHTTP2(t, api(t, "3.1.0", big), mock.Options{MaxBody: 1000})
	c.expect(413, "POST", "/texts", fmt.Sprintf(`{"text":%q}`, strings.Repeat("x", 100_000)))
	c.expect(201, "POST", "/texts", `{"text":"x"}`)
}

func TestManyRequestsAtOnceOverHTTP2(t *testing.T) {
	server, c := playHTTP2(t, api(t, "3.1.0", big), mock.Options{})
	var all sync.WaitGroup
	for n := range 60 {
		all.Go(func() {
			text := strings.Repeat(fmt.Sprint(n%10), 20_000)
			if a, err := c.try(t.Context(), "POST", "/texts", fmt.Sprintf(`{"text":%q}`, text), "Cookie: a=1; b=2"); err != nil || a.get("text") != text {
				t.Errorf("request %d: %d, %v", n, a.Status, err)
			}
		})
	}
	all.Wait()
	if got := len(server.Effects()); got != 1 || server.Effects()[0].Count != 60 {
		t.Errorf("effects %+v", server.Effects())
	}
	if got := server.Ledger().Requests[0].Header.Get("Cookie"); got != "a=1; b=2" {
		t.Errorf("cookie %q", got)
	}
}

func TestClosingEndsAHangOverHTTP2(t *testing.T) {
	server, c := playOn(t, "HTTP/2")
	plan(t, server, mock.Fault{Operation: "createOrder", Kind: mock.HangAfterEffect})
	ended := make(chan error, 1)
	go func() {
		_, err := c.try(t.Context(), "POST", "/orders", newOrder, "Idempotency-Key: k")
		ended <- err
	}()
	<-c.fired
	if err := server.Close(); err != nil {
		t.Error(err)
	}
	if err := <-ended; err == nil {
		t.Error("the hanging request was answered")
	}
}
