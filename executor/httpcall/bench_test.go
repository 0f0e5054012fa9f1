package httpcall

import (
	"bytes"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/weft-flow/weft/arazzo/value"
	"github.com/weft-flow/weft/executor"
	"github.com/weft-flow/weft/idempotency"
)

// The calls that are measured, against a server on the loopback.
var benched = []struct {
	name string
	call func(server string) executor.Call
}{
	{"GET", func(s string) executor.Call { return aCall("GET", s, "/orders") }},
	{"keyed POST", func(s string) executor.Call { return withKey(withBody(aCall("POST", s, "/orders"))) }},
	{"keyless POST", func(s string) executor.Call { return withBody(aCall("POST", s, "/orders")) }},
}

func benchServer(b *testing.B) string {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		io.Copy(io.Discard, r.Body)
		w.Header().Set("Content-Type", "application/json")
		io.WriteString(w, `{"id":"ord-1","status":"NEW"}`)
	}))
	b.Cleanup(server.Close)
	return server.URL
}

// BenchmarkExchange prepares and sends, one request after the other.
func BenchmarkExchange(b *testing.B) {
	for _, bench := range benched {
		b.Run(bench.name, func(b *testing.B) {
			call := bench.call(benchServer(b))
			client := newClient(b, Options{})
			b.ReportAllocs()
			for b.Loop() {
				ourExchange(b, client, call)
			}
		})
	}
}

// BenchmarkBesideNetHTTP makes each call once with us and once with bare net/http,
// in turn, so that both meet the same machine. It reports our rate as a share of
// the other's.
func BenchmarkBesideNetHTTP(b *testing.B) {
	for _, bench := range benched {
		b.Run(bench.name, func(b *testing.B) {
			call := bench.call(benchServer(b))
			client, bare := newClient(b, Options{}), bareClient(b, nil)
			var ours, theirs time.Duration
			for b.Loop() {
				start := time.Now()
				ourExchange(b, client, call)
				between := time.Now()
				if err := bareExchange(b, bare, call); err != nil {
					b.Fatal(err)
				}
				ours += between.Sub(start)
				theirs += time.Since(between)
			}
			b.ReportMetric(float64(theirs)/float64(ours), "of-its-rate")
		})
	}
}

func ourExchange(b *testing.B, client *Client, call executor.Call) {
	p, err := Prepare(call)
	if err != nil {
		b.Fatal(err)
	}
	if got := client.Do(b.Context(), p, call); got.Class != idempotency.Succeeded {
		b.Fatalf("%s: %s", got.Class, got.Reason)
	}
}

// bareExchange is the same call as one writes it by hand.
func bareExchange(b *testing.B, client *http.Client, call executor.Call) error {
	var body io.Reader
	if call.Body != nil {
		body = bytes.NewReader(value.AppendJSON(nil, call.Body.Value))
	}
	r, err := http.NewRequestWithContext(b.Context(), call.Operation.Method, call.Server+call.Operation.Path, body)
	if err != nil {
		return err
	}
	if call.Body != nil {
		r.Header.Set("Content-Type", call.Body.ContentType)
	}
	if call.Key != nil {
		r.Header.Set(call.Key.Header, call.Key.Value)
	}
	response, err := client.Do(r)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	_, err = io.ReadAll(response.Body)
	return err
}

func BenchmarkPrepare(b *testing.B) {
	order, err := value.ParseJSON([]byte(`{"sku":"A1","qty":2,"price":10.10,"tags":["a","b"],"to":{"city":"Köln","zip":"50667"}}`))
	if err != nil {
		b.Fatal(err)
	}
	call := withKey(aCall("POST", "http://server.test/v1", "/orders/{id}/items"))
	call.Arguments = []executor.Argument{
		{Name: "id", In: "path", Value: value.String("ord-1/2")},
		{Name: "tags", In: "query", Value: value.Array(value.String("a b"), value.String("c"))},
		{Name: "X-Trace", In: "header", Value: value.String("t-1")},
	}
	for _, contentType := range []string{"application/json", formType, "multipart/form-data"} {
		b.Run(contentType, func(b *testing.B) {
			call.Body = &executor.Body{ContentType: contentType, Value: order}
			b.ReportAllocs()
			for b.Loop() {
				if _, err := Prepare(call); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
