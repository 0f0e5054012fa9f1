package httpcall

import (
	"crypto/tls"
	"io"
	"net/http"
	"strings"
	"testing"

	"golang.org/x/net/http2"

	"github.com/weft-flow/weft/executor"
	"github.com/weft-flow/weft/idempotency"
)

// kinds are the requests that must each be sent once whatever happens.
var kinds = []struct {
	name string
	call func(server string) executor.Call
	// fresh tells that it is sent on a connection of its own.
	fresh bool
}{
	{"keyed POST with a body", func(s string) executor.Call { return withKey(withBody(aCall("POST", s, "/t"))) }, false},
	{"keyed POST without a body", func(s string) executor.Call { return withKey(aCall("POST", s, "/t")) }, true},
	{"keyless POST with a body", func(s string) executor.Call { return withBody(aCall("POST", s, "/t")) }, false},
	{"keyless POST without a body", func(s string) executor.Call { return aCall("POST", s, "/t") }, true},
	{"keyed PUT", func(s string) executor.Call { return withKey(withBody(aCall("PUT", s, "/t"))) }, false},
	{"GET", func(s string) executor.Call { return aCall("GET", s, "/t") }, false},
	{"keyed GET", func(s string) executor.Call { return withKey(aCall("GET", s, "/t")) }, false},
	{"HEAD", func(s string) executor.Call { return aCall("HEAD", s, "/t") }, false},
	{"OPTIONS", func(s string) executor.Call { return aCall("OPTIONS", s, "/t") }, false},
}

// mustBeOne fails the test unless one request for /t arrived, and wholly where it
// has a body.
func mustBeOne(t *testing.T, s *rawServer, call executor.Call) rawRequest {
	t.Helper()
	arrived := s.arrived("/t")
	if len(arrived) != 1 {
		t.Fatalf("%d requests arrived, one was recorded: %+v", len(arrived), arrived)
	}
	if call.Body != nil && arrived[0].body != `{"n":1}` {
		t.Errorf("the body arrived as %q", arrived[0].body)
	}
	return arrived[0]
}

// onceOK plays a server that answers the first request on each connection, for
// /first, and breaks the connection in the given way on any for /t.
func onceOK(fault string, breaks func(*rawConn)) func(*rawConn) {
	return func(c *rawConn) {
		for {
			r := c.read()
			if r == nil {
				return
			}
			if !strings.Contains(r.head, " /first ") {
				// From here on nothing is answered, whatever else is sent.
				c.server.fire(fault)
				breaks(c)
				return
			}
			c.answer(http.StatusOK, "{}")
		}
	}
}

func TestStatement07OneSendWhenTheConnectionBreaksAfterTheRequest(t *testing.T) {
	faults := []struct {
		name   string
		breaks func(*rawConn)
	}{
		{"reset", (*rawConn).reset},
		{"close", func(c *rawConn) { c.Close() }},
		{"half an answer", func(c *rawConn) { io.WriteString(c, "HTTP/1.1 200 OK\r\nContent-Le") }},
		{"half a body", func(c *rawConn) { io.WriteString(c, "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n{") }},
		{"not HTTP", func(c *rawConn) { io.WriteString(c, "what?\r\n\r\n") }},
	}
	for _, fault := range faults {
		for _, kind := range kinds {
			if kind.name == "HEAD" && fault.name == "half a body" {
				continue // such an answer to HEAD is whole
			}
			for _, reused := range []bool{false, true} {
				name := fault.name + " of a new connection/" + kind.name
				if reused {
					name = fault.name + " of a reused connection/" + kind.name
				}
				t.Run(name, func(t *testing.T) {
					server := newRawServer(t, onceOK(fault.name, fault.breaks))
					client := newClient(t, Options{})
					if reused {
						do(t, client, aCall("GET", server.url, "/first"))
					}
					call := kind.call(server.url)
					got := do(t, client, call)
					server.mustFire(t, fault.name)
					r := mustBeOne(t, server, call)
					if wasReused := r.nth > 1; wasReused != (reused && !kind.fresh) {
						t.Errorf("the request was number %d on its connection", r.nth)
					}
					if got.Class != idempotency.Unknown || got.Response != nil || got.Reason == "" {
						t.Errorf("got class %s, reason %q, response %v", got.Class, got.Reason, got.Response)
					}
				})
			}
		}
	}
}

func TestStatement07OneSendUnderHTTP2Faults(t *testing.T) {
	faults := []struct {
		name  string
		class idempotency.Class
		fault func(c *h2Conn, stream uint32)
	}{
		{"REFUSED_STREAM", idempotency.NotProcessed, func(c *h2Conn, stream uint32) {
			c.WriteRSTStream(stream, http2.ErrCodeRefusedStream)
		}},
		{"PROTOCOL_ERROR", idempotency.Unknown, func(c *h2Conn, stream uint32) {
			c.WriteRSTStream(stream, http2.ErrCodeProtocol)
		}},
		{"GOAWAY below the stream", idempotency.NotProcessed, func(c *h2Conn, stream uint32) {
			c.WriteGoAway(below(stream), http2.ErrCodeNo, nil)
			c.Close()
		}},
		{"GOAWAY with an error below the stream", idempotency.NotProcessed, func(c *h2Conn, stream uint32) {
			c.WriteGoAway(below(stream), http2.ErrCodeEnhanceYourCalm, nil)
			c.Close()
		}},
		{"GOAWAY at the stream", idempotency.Unknown, func(c *h2Conn, stream uint32) {
			c.WriteGoAway(stream, http2.ErrCodeNo, nil)
			c.Close()
		}},
		{"close", idempotency.Unknown, func(c *h2Conn, _ uint32) { c.Close() }},
	}
	for _, fault := range faults {
		for _, kind := range kinds {
			t.Run(fault.name+"/"+kind.name, func(t *testing.T) {
				server := newH2Server(t, func(c *h2Conn, nth int, stream uint32) {
					// The first request opens the connection; the second meets the
					// fault; any further one would be sent unseen, and succeed.
					if nth != 2 {
						c.ok(stream)
						return
					}
					c.server.fire(fault.name)
					fault.fault(c, stream)
				})
				client := newClient(t, Options{TLS: trusting()})
				if first := do(t, client, aCall("GET", server.url, "/first")); first.Class != idempotency.Succeeded {
					t.Fatalf("the first request: %s, %s", first.Class, first.Reason)
				}
				call := kind.call(server.url)
				got := do(t, client, call)
				server.mustFire(t, fault.name)
				mustBeOne(t, server, call)
				if got.Class != fault.class || got.Response != nil || got.Reason == "" {
					t.Errorf("got class %s, reason %q, response %v", got.Class, got.Reason, got.Response)
				}
			})
		}
	}
}

// below gives the stream before one that a client opened.
func below(stream uint32) uint32 { return max(stream, 2) - 2 }

// The control: what net/http by itself does under the same faults. Where this
// test fails, Go has changed and the package's reasons want another look.
func TestStatement07BareNetHTTPWouldHaveSentAgain(t *testing.T) {
	reset := func(t *testing.T) (*rawServer, *http.Client) {
		server := newRawServer(t, func(c *rawConn) {
			for {
				r := c.read()
				if r == nil {
					return
				}
				if strings.Contains(r.head, " /t ") && c.number == 1 {
					c.server.fire("reset")
					c.reset()
					return
				}
				c.answer(http.StatusOK, "{}")
			}
		})
		return server, bareClient(t, nil)
	}
	http2Fault := func(code http2.ErrCode) func(t *testing.T) (*rawServer, *http.Client) {
		return func(t *testing.T) (*rawServer, *http.Client) {
			server := newH2Server(t, func(c *h2Conn, nth int, stream uint32) {
				if nth == 2 {
					c.server.fire("reset")
					c.WriteRSTStream(stream, code)
					return
				}
				c.ok(stream)
			})
			return server, bareClient(t, trusting())
		}
	}
	tests := []struct {
		name   string
		method string
		key    string
		server func(*testing.T) (*rawServer, *http.Client)
	}{
		{"reset of a reused connection, POST with Idempotency-Key", "POST", "Idempotency-Key", reset},
		{"reset of a reused connection, POST with X-Idempotency-Key", "POST", "X-Idempotency-Key", reset},
		{"reset of a reused connection, GET", "GET", "", reset},
		{"HTTP/2 REFUSED_STREAM, keyless POST", "POST", "", http2Fault(http2.ErrCodeRefusedStream)},
		{"HTTP/2 PROTOCOL_ERROR, keyless POST", "POST", "", http2Fault(http2.ErrCodeProtocol)},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			server, client := test.server(t)
			bare(t, client, "GET", server.url+"/first", "", "")
			status := bare(t, client, test.method, server.url+"/t", `{"n":1}`, test.key)
			server.mustFire(t, "reset")
			if n := len(server.arrived("/t")); n != 2 || status != http.StatusOK {
				t.Errorf("%d requests arrived, the caller saw %d; expected 2 and 200", n, status)
			}
		})
	}
}

func bareClient(t testing.TB, config *tls.Config) *http.Client {
	transport := &http.Transport{TLSClientConfig: config, ForceAttemptHTTP2: true}
	t.Cleanup(transport.CloseIdleConnections)
	return &http.Client{Transport: transport}
}

func bare(t *testing.T, client *http.Client, method, url, body, key string) int {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), method, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	if key != "" {
		request.Header.Set(key, "key-1")
	}
	response, err := client.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	if _, err := io.Copy(io.Discard, response.Body); err != nil {
		t.Fatal(err)
	}
	return response.StatusCode
}
