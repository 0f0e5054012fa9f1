package httpcall

import (
	"context"
	"crypto/tls"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/weft-flow/weft/arazzo/value"
	"github.com/weft-flow/weft/executor"
	"github.com/weft-flow/weft/idempotency"
)

func TestDoTellsWhatWasSentAndWhatCameBack(t *testing.T) {
	server := newRawServer(t, func(c *rawConn) {
		c.read()
		c.answer(http.StatusCreated, `{"ok":true}`, "X-One: 1", "x-one: 2", "Set-Cookie: a=b")
	})
	got := do(t, newClient(t, Options{}), withKey(withBody(aCall("POST", server.url, "/orders"))))
	if got.Class != idempotency.Succeeded || got.Reason != "" || got.Response == nil {
		t.Fatalf("got %+v", got)
	}
	if got.Response.Status != http.StatusCreated || string(got.Response.Body) != `{"ok":true}` {
		t.Errorf("response %+v", got.Response)
	}
	if joined, _ := got.Response.Header.Get("x-one"); joined != "1, 2" {
		t.Errorf("X-One is %q", joined)
	}
	if got.Sent.Method != "POST" || got.Sent.URL != server.url+"/orders" || string(got.Sent.Body) != `{"n":1}` {
		t.Errorf("sent %+v", got.Sent)
	}
	if got.Started.IsZero() || got.Ended.Before(got.Started) {
		t.Errorf("from %s to %s", got.Started, got.Ended)
	}
	head := "POST /orders HTTP/1.1\r\n" +
		"Host: " + strings.TrimPrefix(server.url, "http://") + "\r\n" +
		"User-Agent: weft\r\nContent-Length: 7\r\nContent-Type: application/json\r\nIdempotency-Key: key-1\r\n"
	arrived := server.arrived("/orders")
	if len(arrived) != 1 || arrived[0].body != `{"n":1}` || arrived[0].head != head {
		t.Errorf("arrived %+v", arrived)
	}
}

func TestStatement09NothingIsSentWhereThereIsNoConnection(t *testing.T) {
	closed, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	closed.Close()
	plain := newRawServer(t, func(c *rawConn) { c.answer(http.StatusBadRequest, "no TLS here") })
	secure := newTLSServer(t, nil, ok)
	lookup := func(context.Context, string, string) (net.Conn, error) {
		return nil, &net.OpError{Op: "dial", Err: &net.DNSError{Err: "no such host", Name: "nowhere.test", IsNotFound: true}}
	}
	tests := []struct {
		name, server string
		options      Options
		reason       string
	}{
		{"refused", "http://" + closed.Addr().String(), Options{}, "connection refused"},
		{"unknown host", "http://nowhere.test", Options{Dial: lookup}, `the host name "nowhere.test" was not found`},
		{"unknown authority", secure.url, Options{}, "TLS: certificate signed by unknown authority"},
		{"other host", secure.url, Options{TLS: named("other.test")}, `TLS: the certificate is not for the host "other.test"`},
		{"no TLS", strings.Replace(plain.url, "http:", "https:", 1), Options{}, "TLS: the server does not speak TLS"},
		{"no such proxy", secure.url, Options{Proxy: proxyAt("http://" + closed.Addr().String())}, "connection refused"},
		{"a proxy of another kind", secure.url, Options{Proxy: proxyAt("socks5://127.0.0.1:1")}, `the proxy is of the scheme "socks5"; http and https are known`},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			got := do(t, newClient(t, test.options), withBody(aCall("POST", test.server, "/t")))
			if got.Class != idempotency.NotSent || got.Reason != test.reason || got.Response != nil {
				t.Errorf("got %s: %s", got.Class, got.Reason)
			}
			if n := len(plain.arrived("/t")) + len(secure.arrived("/t")); n != 0 && test.name != "no TLS" {
				t.Errorf("%d requests arrived", n)
			}
		})
	}
}

func named(host string) *tls.Config {
	config := trusting()
	config.ServerName = host
	return config
}

func proxyAt(text string) func(*url.URL) (*url.URL, error) {
	return func(*url.URL) (*url.URL, error) { return url.Parse(text) }
}

func TestAConnectionClosedWhileIdleIsNoSend(t *testing.T) {
	closed := make(chan struct{})
	server := newRawServer(t, func(c *rawConn) {
		if c.number > 1 {
			ok(c)
			return
		}
		c.read()
		c.answer(http.StatusOK, "{}")
		c.server.fire("close while idle")
		c.Close()
		close(closed)
	})
	client := newClient(t, Options{})
	do(t, client, aCall("GET", server.url, "/first"))
	<-closed
	got := do(t, client, withBody(aCall("POST", server.url, "/t")))
	server.mustFire(t, "close while idle")
	// Either the client saw the end in time, and used a new connection, or it wrote
	// onto the old one. It must know which.
	switch n := len(server.arrived("/t")); {
	case n == 1 && got.Class == idempotency.Succeeded:
	case n == 0 && got.Class == idempotency.Unknown:
	default:
		t.Errorf("%d requests arrived, the class is %s: %s", n, got.Class, got.Reason)
	}
}

func TestConnectionsAreUsedAgain(t *testing.T) {
	for _, test := range []struct {
		name  string
		start func(testing.TB) *rawServer
	}{
		{"HTTP/1.1", func(t testing.TB) *rawServer { return newRawServer(t, ok) }},
		{"HTTP/1.1 over TLS", func(t testing.TB) *rawServer { return newTLSServer(t, []string{"http/1.1"}, ok) }},
		{"HTTP/2", func(t testing.TB) *rawServer {
			return newH2Server(t, func(c *h2Conn, _ int, stream uint32) { c.ok(stream) })
		}},
	} {
		t.Run(test.name, func(t *testing.T) {
			server := test.start(t)
			client := newClient(t, Options{TLS: trusting()})
			for range 3 {
				for _, call := range []executor.Call{aCall("GET", server.url, "/t"), withKey(withBody(aCall("POST", server.url, "/t")))} {
					if got := do(t, client, call); got.Class != idempotency.Succeeded {
						t.Fatalf("%s: %s", got.Class, got.Reason)
					}
				}
			}
			arrived := server.arrived("/t")
			if last := arrived[len(arrived)-1]; len(arrived) != 6 || last.connection != 1 || last.nth != 6 {
				t.Errorf("%d requests, the last was number %d on connection %d", len(arrived), last.nth, last.connection)
			}
		})
	}
}

func TestTimeouts(t *testing.T) {
	part := func(text string) func(net.Conn) {
		return func(c net.Conn) { c.Write([]byte(text)) }
	}
	tests := []struct {
		name   string
		dial   bool // hangs while the connection is opened
		server func(net.Conn)
		class  idempotency.Class
		reason string
	}{
		{"before the connection", true, nil, idempotency.NotSent, "timeout before the request was sent"},
		{"no answer", false, part(""), idempotency.Unknown, "timeout after the request was sent"},
		{"a slow header", false, part("HTTP/1.1 200 OK\r\nX-"), idempotency.Unknown, "timeout after the request was sent"},
		{"a slow body", false, part("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n12"), idempotency.Unknown, "timeout, after the status 200"},
		{"only 1xx", false, part("HTTP/1.1 103 Early Hints\r\n\r\n"), idempotency.Unknown, "timeout after the request was sent"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var arrived []byte
				client := New(Options{Dial: func(ctx context.Context, _, _ string) (net.Conn, error) {
					if test.dial {
						<-ctx.Done()
						return nil, ctx.Err()
					}
					return pipe(func(c net.Conn) {
						buffer := make([]byte, 1000)
						n, _ := c.Read(buffer)
						arrived = buffer[:n]
						test.server(c)
						c.Read(buffer) // until the client gives up
					}), nil
				}})
				call := withBody(aCall("POST", "http://server.test", "/t"))
				call.Timeout = 800 * time.Millisecond
				got := do(t, client, call)
				synctest.Wait()
				if sent := len(arrived) > 0; sent == test.dial {
					t.Fatalf("arrived %q", arrived)
				}
				if got.Class != test.class || got.Reason != test.reason || got.Cancelled {
					t.Errorf("got %s: %s (cancelled %t)", got.Class, got.Reason, got.Cancelled)
				}
				if took := got.Ended.Sub(got.Started); took != call.Timeout {
					t.Errorf("it took %s", took)
				}
			})
		})
	}
}

// pipe gives the client's end of a connection whose other end is played by play.
func pipe(play func(net.Conn)) net.Conn {
	client, server := net.Pipe()
	go func() {
		defer server.Close()
		play(server)
	}()
	return client
}

func TestACancelIsNotATimeout(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		client := New(Options{Dial: func(context.Context, string, string) (net.Conn, error) {
			return pipe(func(c net.Conn) {
				buffer := make([]byte, 1000)
				c.Read(buffer)
				time.AfterFunc(time.Second, cancel)
				c.Read(buffer)
			}), nil
		}})
		call := withBody(aCall("POST", "http://server.test", "/t"))
		call.Timeout = time.Minute
		p, err := Prepare(call)
		if err != nil {
			t.Fatal(err)
		}
		got := client.Do(ctx, p, call)
		if got.Class != idempotency.Unknown || !got.Cancelled || got.Reason != "cancelled after the request was sent" {
			t.Errorf("got %s: %s (cancelled %t)", got.Class, got.Reason, got.Cancelled)
		}
		if again := client.Do(ctx, p, call); again.Class != idempotency.NotSent || again.Reason != "cancelled before the request was sent" {
			t.Errorf("after the cancel: %s: %s", again.Class, again.Reason)
		}
	})
}

func TestStatement09AHalfWrittenRequestIsUnknown(t *testing.T) {
	client := newClient(t, Options{Dial: func(context.Context, string, string) (net.Conn, error) {
		return pipe(func(c net.Conn) { c.Read(make([]byte, 10)) }), nil
	}})
	got := do(t, client, withBody(aCall("POST", "http://server.test", "/t")))
	if got.Class != idempotency.Unknown || !strings.HasSuffix(got.Reason, "after 10 bytes were written") {
		t.Errorf("got %s: %s", got.Class, got.Reason)
	}
}

// A connection that takes nothing: the request began, and no byte of it left.
func TestStatement09AFailedFirstWriteIsNotSent(t *testing.T) {
	client := newClient(t, Options{Dial: func(context.Context, string, string) (net.Conn, error) {
		conn := pipe(func(c net.Conn) { c.Read(make([]byte, 1)) })
		return deaf{conn}, nil
	}})
	got := do(t, client, withBody(aCall("POST", "http://server.test", "/t")))
	if got.Class != idempotency.NotSent || strings.Contains(got.Reason, " after ") {
		t.Errorf("got %s: %s", got.Class, got.Reason)
	}
}

type deaf struct{ net.Conn }

func (deaf) Write([]byte) (int, error) { return 0, errors.New("the network is gone") }

type roundTrip func(*http.Request) (*http.Response, error)

func (f roundTrip) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

func TestATransportInPlaceOfTheNetwork(t *testing.T) {
	answer := func(r *http.Request) (*http.Response, error) {
		if r.GetBody != nil {
			t.Error("the body can be replayed")
		}
		return &http.Response{StatusCode: 200, Header: http.Header{}, Body: http.NoBody, Request: r}, nil
	}
	broken := func(*http.Request) (*http.Response, error) { return nil, errors.New("broken") }
	refused := func(*http.Request) (*http.Response, error) {
		return nil, &net.OpError{Op: "dial", Err: errors.New("nobody there")}
	}
	for _, test := range []struct {
		name      string
		transport roundTrip
		class     idempotency.Class
	}{
		{"an answer", answer, idempotency.Succeeded},
		{"an error", broken, idempotency.Unknown},
		{"no connection", refused, idempotency.NotSent},
	} {
		got := do(t, newClient(t, Options{Transport: test.transport}), withBody(aCall("POST", "http://server.test", "/t")))
		if got.Class != test.class {
			t.Errorf("%s: got %s: %s", test.name, got.Class, got.Reason)
		}
	}
}

func TestProxies(t *testing.T) {
	t.Run("of a plain request", func(t *testing.T) {
		proxy := newRawServer(t, ok)
		client := newClient(t, Options{Proxy: proxyAt(strings.Replace(proxy.url, "http://", "http://user:pass@", 1))})
		got := do(t, client, aCall("GET", "http://server.test", "/t"))
		arrived := proxy.arrived("http://server.test/t")
		if got.Class != idempotency.Succeeded || len(arrived) != 1 || !strings.Contains(arrived[0].head, "Proxy-Authorization: Basic dXNlcjpwYXNz\r\n") {
			t.Errorf("got %s: %s, arrived %+v", got.Class, got.Reason, arrived)
		}
	})
	t.Run("of a tunnel", func(t *testing.T) {
		server := newTLSServer(t, nil, ok)
		proxy := newRawServer(t, func(c *rawConn) {
			c.read()
			to, err := net.Dial("tcp", strings.TrimPrefix(server.url, "https://"))
			if err != nil {
				t.Error(err)
				return
			}
			defer to.Close()
			c.Write([]byte("HTTP/1.1 200 OK\r\n\r\n"))
			tunnel(c, to)
		})
		client := newClient(t, Options{TLS: trusting(), Proxy: proxyAt(proxy.url)})
		got := do(t, client, withBody(aCall("POST", server.url, "/t")))
		if got.Class != idempotency.Succeeded || len(server.arrived("/t")) != 1 {
			t.Errorf("got %s: %s", got.Class, got.Reason)
		}
	})
	t.Run("that refuses the tunnel", func(t *testing.T) {
		proxy := newRawServer(t, func(c *rawConn) {
			c.read()
			c.answer(http.StatusForbidden, "")
		})
		client := newClient(t, Options{TLS: trusting(), Proxy: proxyAt(proxy.url)})
		got := do(t, client, withBody(aCall("POST", "https://server.test", "/t")))
		if got.Class != idempotency.NotSent || got.Reason != "the proxy answered 403 to CONNECT" {
			t.Errorf("got %s: %s", got.Class, got.Reason)
		}
	})
}

func TestCallTellsWhyNothingCouldBeSent(t *testing.T) {
	got := newClient(t, Options{}).Call(t.Context(), aCall("GET", "http://server.test", "/a/{id}"))
	if got.Class != idempotency.NotSent || !strings.Contains(got.Refused, `"id"`) || got.Response != nil || got.Started.IsZero() {
		t.Errorf("got %+v", got)
	}
	server := newRawServer(t, ok)
	if got := newClient(t, Options{}).Call(t.Context(), aCall("GET", server.url, "/t")); got.Class != idempotency.Succeeded || got.Refused != "" {
		t.Errorf("got %+v", got)
	}
}

func TestExchangesAtTheSameTime(t *testing.T) {
	servers := map[string]*rawServer{
		"HTTP/1.1": newRawServer(t, ok),
		"HTTP/2":   newH2Server(t, func(c *h2Conn, _ int, stream uint32) { c.ok(stream) }),
	}
	const workers, each = 8, 20
	for name, server := range servers {
		client := newClient(t, Options{TLS: trusting()})
		var all sync.WaitGroup
		for range workers {
			all.Go(func() {
				for range each {
					if got := client.Call(t.Context(), withKey(withBody(aCall("POST", server.url, "/t")))); got.Class != idempotency.Succeeded {
						t.Errorf("%s: got %s: %s", name, got.Class, got.Reason)
					}
				}
			})
		}
		all.Wait()
		arrived := server.arrived("/t")
		if len(arrived) != workers*each {
			t.Errorf("%s: %d requests arrived", name, len(arrived))
		}
		for _, r := range arrived {
			if r.connection > workers {
				t.Errorf("%s: connection %d was opened for %d workers", name, r.connection, workers)
				break
			}
		}
	}
}

func TestLargeBodiesBothWays(t *testing.T) {
	for _, http2 := range []bool{false, true} {
		server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("X-Proto", r.Proto)
			io.Copy(w, r.Body)
		}))
		server.EnableHTTP2 = http2
		server.StartTLS()
		client := newClient(t, Options{TLS: &tls.Config{RootCAs: server.Client().Transport.(*http.Transport).TLSClientConfig.RootCAs}})
		call := aCall("POST", server.URL, "/t")
		call.Body = &executor.Body{ContentType: "application/octet-stream", Value: value.String(strings.Repeat("0123456789", 300_000))}
		for range 2 {
			got := client.Call(t.Context(), call)
			if got.Response == nil || string(got.Response.Body) != string(got.Sent.Body) || len(got.Sent.Body) != 3_000_000 {
				t.Fatalf("HTTP/2 %t: %s: %s", http2, got.Class, got.Reason)
			}
			if proto, _ := got.Response.Header.Get("X-Proto"); (proto == "HTTP/2.0") != http2 {
				t.Errorf("HTTP/2 %t: %s", http2, proto)
			}
		}
		client.Close()
		server.Close()
	}
}

// A server may answer before it has read everything, and hang up.
func TestAnAnswerBeforeTheWholeBodyIsRead(t *testing.T) {
	server := newRawServer(t, func(c *rawConn) {
		c.readHead()
		c.server.fire("early answer")
		c.answer(http.StatusRequestEntityTooLarge, "", "Connection: close")
	})
	call := aCall("POST", server.url, "/t")
	call.Body = &executor.Body{ContentType: "text/plain", Value: value.String(strings.Repeat("x", 8_000_000))}
	got := newClient(t, Options{}).Call(t.Context(), call)
	server.mustFire(t, "early answer")
	// The answer is seen, or the reset that follows it is: both are told truly.
	switch {
	case got.Class == idempotency.Rejected && got.Response != nil:
	case got.Class == idempotency.Unknown && got.Response == nil:
	default:
		t.Errorf("got %s: %s, %+v", got.Class, got.Reason, got.Response)
	}
	if n := len(server.arrived("/t")); n != 1 {
		t.Errorf("%d requests arrived", n)
	}
}
