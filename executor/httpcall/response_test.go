package httpcall

import (
	"bytes"
	"compress/gzip"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/weft-flow/weft/idempotency"
)

func zip(t *testing.T, text string) string {
	t.Helper()
	var out bytes.Buffer
	w := gzip.NewWriter(&out)
	io.WriteString(w, text)
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

func TestResponses(t *testing.T) {
	const limit = 1000
	zipped := "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nConnection: close\r\n\r\n"
	tests := []struct {
		name, method, raw string
		status            int // 0: no complete response
		body              string
		class             idempotency.Class
		reason            string
	}{
		{"with a length", "GET", "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi", 200, "hi", idempotency.Succeeded, ""},
		{"in chunks with a trailer", "GET", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nTrailer: X\r\n\r\n2\r\nhi\r\n0\r\nX: 1\r\n\r\n", 200, "hi", idempotency.Succeeded, ""},
		{"to the end of the connection", "GET", "HTTP/1.1 200 OK\r\nConnection: close\r\n\r\nhi", 200, "hi", idempotency.Succeeded, ""},
		{"after 1xx", "POST", "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\n\r\nHTTP/1.1 201 Created\r\nContent-Length: 0\r\n\r\n", 201, "", idempotency.Succeeded, ""},
		{"204", "DELETE", "HTTP/1.1 204 No Content\r\nContent-Length: 5\r\n\r\n", 204, "", idempotency.Succeeded, ""},
		{"304", "GET", "HTTP/1.1 304 Not Modified\r\nContent-Length: 5\r\n\r\n", 304, "", idempotency.Unknown, "304"},
		{"HEAD", "HEAD", "HTTP/1.1 200 OK\r\nContent-Length: 5000\r\nContent-Encoding: gzip\r\n\r\n", 200, "", idempotency.Succeeded, ""},
		{"as large as may be", "GET", "HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n" + strings.Repeat("x", limit), 200, strings.Repeat("x", limit), idempotency.Succeeded, ""},
		{"gzip unasked", "GET", zipped + zip(t, "hi"), 200, "hi", idempotency.Succeeded, ""},
		{"425", "POST", "HTTP/1.1 425 Too Early\r\nContent-Length: 0\r\n\r\n", 425, "", idempotency.NotProcessed, "425: the server did not risk it"},
		{"503", "POST", "HTTP/1.1 503 X\r\nContent-Length: 0\r\n\r\n", 503, "", idempotency.Unknown, "503 without Retry-After"},
		{"503 with Retry-After", "POST", "HTTP/1.1 503 X\r\nRetry-After: 3\r\nContent-Length: 0\r\n\r\n", 503, "", idempotency.Deferred, "503 with Retry-After"},
		{"503 with a Retry-After that says nothing", "POST", "HTTP/1.1 503 X\r\nRetry-After: soon\r\nContent-Length: 0\r\n\r\n", 503, "", idempotency.Unknown, "503 with a Retry-After that cannot be read"},
		{"404", "POST", "HTTP/1.1 404 X\r\nContent-Length: 0\r\n\r\n", 404, "", idempotency.Rejected, ""},
		{"101", "POST", "HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\nother", 101, "", idempotency.Unknown, "101"},

		{"cut short", "POST", "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhi", 0, "", idempotency.Unknown, "the response broke off, after the status 200"},
		{"cut short in a chunk", "POST", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhi", 0, "", idempotency.Unknown, "the response broke off, after the status 200"},
		{"cut short before the last chunk", "POST", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nhi\r\n", 0, "", idempotency.Unknown, "the response broke off, after the status 200"},
		{"too large", "POST", "HTTP/1.1 200 OK\r\nContent-Length: 1001\r\n\r\n", 0, "", idempotency.Unknown, "the response is larger than the limit of 1000 bytes, after the status 200"},
		{"too large without a length", "POST", "HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n" + strings.Repeat("x", limit+1), 0, "", idempotency.Unknown, "the response is larger than the limit of 1000 bytes, after the status 200"},
		{"too large unzipped", "POST", zipped + zip(t, strings.Repeat("x", 100*limit)), 0, "", idempotency.Unknown, "the response is larger than the limit of 1000 bytes, after the status 200"},
		{"broken gzip", "POST", zipped + zip(t, "hi")[:15], 0, "", idempotency.Unknown, "the gzip encoding of the response is broken: unexpected EOF, after the status 200"},
		{"two lengths", "POST", "HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nhi", 0, "", idempotency.Unknown, ""},
		{"a broken length", "POST", "HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n", 0, "", idempotency.Unknown, ""},
		{"not HTTP, with a secret", "POST", "secret-token\r\n\r\n", 0, "", idempotency.Unknown, ""},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			server := newRawServer(t, func(c *rawConn) {
				c.read()
				io.WriteString(c, test.raw)
			})
			call := aCall(test.method, server.url, "/t")
			if test.method == http.MethodPost {
				call = withBody(call)
			}
			got := do(t, newClient(t, Options{MaxBody: limit}), call)
			if got.Class != test.class || test.reason != "" && got.Reason != test.reason || strings.Contains(got.Reason, "secret") {
				t.Errorf("got %s: %s", got.Class, got.Reason)
			}
			switch {
			case test.status == 0 && (got.Response != nil || got.Reason == ""):
				t.Errorf("response %+v, reason %q", got.Response, got.Reason)
			case test.status != 0 && (got.Response == nil || got.Response.Status != test.status || string(got.Response.Body) != test.body):
				t.Errorf("response %+v", got.Response)
			}
			mustBeOne(t, server, call)
		})
	}
}

func TestStatement09AKeyInFlightIsDeferred(t *testing.T) {
	const problem = "Content-Type: application/problem+json"
	tests := []struct {
		name, header, body string
		keyed              bool
		want               idempotency.Class
	}{
		{"by its type", problem, `{"type":"https://x.test/idempotency-in-progress"}`, true, idempotency.Deferred},
		{"by its type, as plain JSON", "Content-Type: application/json", `{"type":"https://x.test/idempotency-in-progress"}`, true, idempotency.Deferred},
		{"by its title", problem, `{"title":"A request is outstanding for this Idempotency-Key"}`, true, idempotency.Deferred},
		{"another conflict", problem, `{"type":"https://x.test/sold-out"}`, true, idempotency.Rejected},
		{"without a key", problem, `{"type":"https://x.test/idempotency-in-progress"}`, false, idempotency.Rejected},
		{"not JSON", "Content-Type: text/plain", `{"type":"https://x.test/idempotency-in-progress"}`, true, idempotency.Rejected},
	}
	for _, test := range tests {
		server := newRawServer(t, func(c *rawConn) {
			c.read()
			c.answer(http.StatusConflict, test.body, test.header)
		})
		call := withBody(aCall("POST", server.url, "/t"))
		if test.keyed {
			call = withKey(call)
		}
		if got := do(t, newClient(t, Options{}), call); got.Class != test.want {
			t.Errorf("%s: got %s: %s", test.name, got.Class, got.Reason)
		}
	}
}
