package mock_test

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/weft-flow/weft/executor/mock"
)

// The ways on which a client reaches the server. The same plan works on all.
var ways = []string{"HTTP/1.1", "HTTP/2", "memory"}

// playOn plays the order flow and gives a plain client for it.
func playOn(t *testing.T, way string) (*mock.Server, *client) {
	t.Helper()
	fired := make(chan mock.PlannedFault, 10)
	server := mock.New(orderFlow(t), mock.Options{OnFault: func(f mock.PlannedFault) { fired <- f }})
	c := &client{t: t}
	switch way {
	case "memory":
		c.base, c.http = "http://mock.localhost", &http.Client{Transport: server.Transport(mock.TransportOptions{})}
	case "HTTP/2":
		c = trust(t, server)
	default:
		base, end, err := server.Listen("127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		c.reach(base, &http.Transport{DialContext: server.Dial}, end)
	}
	c.fired = fired
	c.http.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	return server, c
}

// trust gives a client of the server over HTTP/2.
func trust(t *testing.T, server *mock.Server) *client {
	t.Helper()
	base, authority, end, err := server.ListenTLS("127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	roots := x509.NewCertPool()
	roots.AppendCertsFromPEM(authority)
	c := &client{t: t}
	c.reach(base, &http.Transport{DialContext: server.Dial, TLSClientConfig: &tls.Config{RootCAs: roots}, ForceAttemptHTTP2: true}, end)
	return c
}

// reach makes the client one of that server, until the test is over.
func (c *client) reach(base string, transport *http.Transport, end func() error) {
	c.base, c.http = base, &http.Client{Transport: transport}
	c.t.Cleanup(func() {
		transport.CloseIdleConnections()
		if err := end(); err != nil {
			c.t.Errorf("close: %v", err)
		}
	})
}

// ask is one request and what is to be seen of it.
type ask struct {
	method, path, body, key string
	status                  int    // 0: no response
	broken                  bool   // there is no whole response
	abandon                 bool   // the client gives up once the fault has fired
	header                  string // "Name: value"; "!Name" for none
	says                    string // in the body
	slow                    time.Duration
}

var (
	order   = ask{method: "POST", path: "/orders", body: newOrder, key: "k"}
	payment = ask{method: "POST", path: "/payments", body: newPayment, key: "p", status: 201}
	lookUp  = ask{method: "GET", path: "/payments/by-reference/r-1"}
	readOne = ask{method: "GET", path: "/orders/ord-1"}
)

func (a ask) gets(status int, header, says string) ask {
	a.status, a.header, a.says = status, header, says
	return a
}

func (a ask) breaks(status int) ask { a.status, a.broken = status, true; return a }

func (a ask) lasts(d time.Duration) ask { a.status, a.slow = 201, d; return a }

func (a ask) hangs() ask { a.abandon, a.broken = true, true; return a }

func (a ask) keyed(key string) ask { a.key = key; return a }

const (
	replayed    = "Idempotent-Replayed: true"
	notReplayed = "!Idempotent-Replayed"
)

// wireCase is one kind of fault and what a plain client sees of it.
type wireCase struct {
	fault    mock.Fault // at the operation createOrder where it names none
	asks     []ask
	effects  []string
	requests int    // that came; 0: as many as were asked
	only     string // the only way; empty: all
	fails    string // what the client's error says over HTTP/2
}

const once, twice = "createOrder k x1", "createOrder k x2"

var again, repeat = order.gets(201, notReplayed, "ord-1"), order.gets(201, replayed, "ord-1")

var wireCases = []wireCase{
	{fault: mock.Fault{Kind: mock.NoConnection}, asks: []ask{order.breaks(0), again}, effects: []string{once}, requests: 1},
	{fault: mock.Fault{Kind: mock.HangBeforeEffect}, asks: []ask{order.hangs()}},
	{fault: mock.Fault{Kind: mock.HangAfterEffect}, asks: []ask{order.hangs(), repeat}, effects: []string{once}},
	{fault: mock.Fault{Kind: mock.CloseBeforeReading}, asks: []ask{order.breaks(0), again}, effects: []string{once}},
	{fault: mock.Fault{Kind: mock.ResetBeforeReading}, asks: []ask{order.breaks(0), again}, effects: []string{once}},
	{fault: mock.Fault{Kind: mock.CloseAfterEffect}, asks: []ask{order.breaks(0), repeat}, effects: []string{once}},
	{fault: mock.Fault{Kind: mock.ResetAfterEffect}, asks: []ask{order.breaks(0), repeat}, effects: []string{once}},
	{fault: mock.Fault{Kind: mock.CloseInResponse}, asks: []ask{order.breaks(201), repeat}, effects: []string{once}},
	{fault: mock.Fault{Kind: mock.ResetInResponse}, asks: []ask{order.breaks(201), repeat}, effects: []string{once}},
	{
		fault: mock.Fault{Kind: mock.ReusedConnectionClosed},
		asks:  []ask{readOne.gets(404, "", ""), order.breaks(0), again}, effects: []string{once},
	},
	{fault: mock.Fault{Kind: mock.SlowHeaders, Delay: 50 * time.Millisecond}, asks: []ask{order.lasts(50 * time.Millisecond), repeat}, effects: []string{once}},
	{fault: mock.Fault{Kind: mock.SlowBody, Delay: 50 * time.Millisecond}, asks: []ask{order.lasts(50 * time.Millisecond), repeat}, effects: []string{once}},
	{fault: mock.Fault{Kind: mock.RefusedStream}, only: "HTTP/2", fails: "REFUSED_STREAM", asks: []ask{order.breaks(0), again}, effects: []string{once}},
	{fault: mock.Fault{Kind: mock.GoAway}, only: "HTTP/2", fails: "GOAWAY", asks: []ask{order.breaks(0), again}, effects: []string{once}},
	{fault: mock.Fault{Kind: mock.ProtocolError}, only: "HTTP/2", fails: "PROTOCOL_ERROR", asks: []ask{order.breaks(0), repeat}, effects: []string{once}},

	{fault: mock.Fault{Kind: mock.MovedSameOrigin}, asks: []ask{order.gets(301, "Location: /orders", ""), again}, effects: []string{once}},
	{fault: mock.Fault{Kind: mock.MovedOtherOrigin}, asks: []ask{order.gets(301, "Location: {other}/orders", ""), again}, effects: []string{once}},
	{fault: mock.Fault{Kind: mock.SeeOtherSameOrigin}, asks: []ask{order.gets(303, "Location: /orders/ord-1", ""), repeat}, effects: []string{once}},
	{fault: mock.Fault{Kind: mock.SeeOtherOtherOrigin}, asks: []ask{order.gets(303, "Location: {other}/orders/ord-1", ""), repeat}, effects: []string{once}},
	{fault: mock.Fault{Kind: mock.RepeatSameOrigin}, asks: []ask{order.gets(307, "Location: /orders", ""), again}, effects: []string{once}},
	{fault: mock.Fault{Kind: mock.RepeatOtherOrigin}, asks: []ask{order.gets(307, "Location: {other}/orders", ""), again}, effects: []string{once}},

	{fault: mock.Fault{Kind: mock.InternalErrorAfterEffect}, asks: []ask{order.gets(500, "!Retry-After", ""), repeat}, effects: []string{once}},
	{fault: mock.Fault{Kind: mock.BadGatewayAfterEffect}, asks: []ask{order.gets(502, "", ""), repeat}, effects: []string{once}},
	{fault: mock.Fault{Kind: mock.GatewayTimeoutAfterEffect}, asks: []ask{order.gets(504, "", ""), repeat}, effects: []string{once}},
	{fault: mock.Fault{Kind: mock.UnavailableAfterEffect}, asks: []ask{order.gets(503, "!Retry-After", ""), repeat}, effects: []string{once}},
	{fault: mock.Fault{Kind: mock.UnavailableBeforeEffect, RetryAfter: "soon"}, asks: []ask{order.gets(503, "Retry-After: soon", ""), again}, effects: []string{once}},
	{fault: mock.Fault{Kind: mock.RequestTimeout}, asks: []ask{order.gets(408, "", ""), again}, effects: []string{once}},
	{fault: mock.Fault{Kind: mock.TooEarly}, asks: []ask{order.gets(425, "", ""), again}, effects: []string{once}},
	{fault: mock.Fault{Kind: mock.TooManySeconds, Delay: 2500 * time.Millisecond}, asks: []ask{order.gets(429, "Retry-After: 3", ""), again}, effects: []string{once}},
	{fault: mock.Fault{Kind: mock.TooManyDate}, asks: []ask{order.gets(429, "Retry-After: date", ""), again}, effects: []string{once}},
	{fault: mock.Fault{Kind: mock.TooManyPast}, asks: []ask{order.gets(429, "Retry-After: past", ""), again}, effects: []string{once}},
	{fault: mock.Fault{Kind: mock.TooManyAbsurd}, asks: []ask{order.gets(429, "Retry-After: 9999999999", ""), again}, effects: []string{once}},
	{fault: mock.Fault{Kind: mock.UnavailableSeconds}, asks: []ask{order.gets(503, "Retry-After: 1", ""), again}, effects: []string{once}},
	{fault: mock.Fault{Kind: mock.UnavailableDate}, asks: []ask{order.gets(503, "Retry-After: date", ""), again}, effects: []string{once}},
	{fault: mock.Fault{Kind: mock.UnavailablePast}, asks: []ask{order.gets(503, "Retry-After: past", ""), again}, effects: []string{once}},
	{fault: mock.Fault{Kind: mock.UnavailableAbsurd}, asks: []ask{order.gets(503, "Retry-After: 9999999999", ""), again}, effects: []string{once}},
	{fault: mock.Fault{Kind: mock.ResponseBreaksSchema}, asks: []ask{order.gets(201, "", `{"orderReference":"r-1"`), repeat}, effects: []string{once}},
	{fault: mock.Fault{Kind: mock.ResponseBreaksLength}, asks: []ask{order.breaks(201), repeat}, effects: []string{once}},
	{fault: mock.Fault{Kind: mock.ResponseBreaksEncoding}, asks: []ask{order.gets(201, "Content-Encoding: gzip", `{"id"`), repeat}, effects: []string{once}},

	{fault: mock.Fault{Kind: mock.ConflictThenReplay}, asks: []ask{order.gets(409, "Retry-After: 1", "key-in-flight"), repeat}, effects: []string{once}},
	{
		fault: mock.Fault{Kind: mock.ConflictForEver},
		asks:  []ask{order.gets(409, "", "key-in-flight"), order.gets(409, "", "key-in-flight"), order.gets(409, "", "key-in-flight")}, effects: []string{once},
	},
	{fault: mock.Fault{Kind: mock.KeyMismatch422}, asks: []ask{order.gets(422, "", "key-reused"), again}, effects: []string{once}},
	{fault: mock.Fault{Kind: mock.KeyMismatch400}, asks: []ask{order.gets(400, "", "key-reused"), again}, effects: []string{once}},
	{fault: mock.Fault{Kind: mock.KeyMissing}, asks: []ask{order.gets(400, "", "key-missing"), again}, effects: []string{once}},
	{fault: mock.Fault{Kind: mock.KeyExpiredReruns, Occurrence: 2}, asks: []ask{again, order.gets(201, notReplayed, "ord-2")}, effects: []string{twice}},
	{fault: mock.Fault{Kind: mock.KeyExpiredRejects, Occurrence: 2}, asks: []ask{again, order.gets(412, "", "key-expired")}, effects: []string{once}},
	{fault: mock.Fault{Kind: mock.Replayed500}, asks: []ask{order.gets(500, notReplayed, ""), order.gets(500, replayed, "")}, effects: []string{once}},
	{fault: mock.Fault{Kind: mock.KeyIgnored, Occurrence: 2}, asks: []ask{again, order.gets(201, notReplayed, "ord-2")}, effects: []string{twice}},
	{fault: mock.Fault{Kind: mock.QuotedKeyRefused}, asks: []ask{order.keyed(`"k"`).gets(400, "", "key-invalid"), again}, effects: []string{once}},

	{
		fault: mock.Fault{Kind: mock.ReadStale, Operation: "getPaymentByReference"},
		asks:  []ask{payment, lookUp.gets(200, "", "PENDING"), lookUp.gets(200, "", "SUCCEEDED")}, effects: []string{"requestPayment p x1"},
	},
	{
		fault: mock.Fault{Kind: mock.ReadNotFound, Operation: "getPaymentByReference", Times: 2},
		asks:  []ask{payment, lookUp.gets(404, "", "no-such-resource"), lookUp.gets(404, "", ""), lookUp.gets(200, "", "SUCCEEDED")}, effects: []string{"requestPayment p x1"},
	},
	{
		fault: mock.Fault{Kind: mock.ReadUnknownState, Operation: "getPaymentByReference", Value: "REVIEWED"},
		asks:  []ask{payment, lookUp.gets(200, "", "REVIEWED"), lookUp.gets(200, "", "SUCCEEDED")}, effects: []string{"requestPayment p x1"},
	},
	{
		fault: mock.Fault{Kind: mock.ReadConflicting, Operation: "getPaymentByReference"},
		asks:  []ask{payment, lookUp.gets(200, "", "EXPIRED"), lookUp.gets(200, "", "SUCCEEDED")}, effects: []string{"requestPayment p x1"},
	},
}

// TestEachFaultOnTheWire lets each fault befall a plain client, on each way.
func TestEachFaultOnTheWire(t *testing.T) {
	for _, test := range wireCases {
		for _, way := range ways {
			if test.only != "" && way != "memory" && way != test.only {
				continue
			}
			t.Run(string(test.fault.Kind)+" over "+way, func(t *testing.T) {
				t.Parallel()
				test.run(t, way)
			})
		}
	}
}

func (test wireCase) run(t *testing.T, way string) {
	server, c := playOn(t, way)
	fault := test.fault
	if fault.Operation == "" {
		fault.Operation = "createOrder"
	}
	plan(t, server, fault)
	for i, a := range test.asks {
		if err := a.see(t, c, i+1); err != nil && way == "HTTP/2" && !strings.Contains(err.Error(), test.fails) {
			t.Errorf("the error %v does not say %s", err, test.fails)
		}
	}
	for _, err := range server.Unfired() {
		t.Fatalf("the test tells nothing: %v", err)
	}
	wantEffects(t, server, test.effects...)
	ledger := server.Ledger()
	came := test.requests
	if came == 0 {
		came = len(test.asks)
	}
	if len(ledger.Requests) != came {
		t.Errorf("%d requests came, expected %d", len(ledger.Requests), came)
	}
	if at := ledger.Faults[0].Request; at > 0 && ledger.Requests[at-1].Fault != fault.Kind {
		t.Errorf("request %d tells of the fault %q", at, ledger.Requests[at-1].Fault)
	}
	if proto := ledger.Requests[0].Protocol; way != "memory" && !strings.HasPrefix(proto, way) {
		t.Errorf("it came over %s", proto)
	}
}

// see makes a request and holds what comes against what is to be seen.
func (a ask) see(t *testing.T, c *client, nth int) error {
	t.Helper()
	ctx, cancel := context.WithCancel(mock.Toward(t.Context(), a.method, c.base+a.path))
	defer cancel()
	began := time.Now()
	if a.abandon {
		go func() {
			<-c.fired
			cancel()
		}()
	}
	got, err := c.attempt(ctx, a)
	switch {
	case a.broken && err == nil:
		t.Fatalf("request %d was answered: %d %s", nth, got.Status, got.Body)
	case !a.broken && err != nil:
		t.Fatalf("request %d: %v", nth, err)
	case a.abandon && !errors.Is(err, context.Canceled):
		t.Errorf("request %d: %v", nth, err)
	case got.Status != a.status:
		t.Fatalf("request %d: status %d, expected %d: %s (%v)", nth, got.Status, a.status, got.Body, err)
	case !strings.Contains(got.Body, a.says):
		t.Errorf("request %d: %s, expected %s in it", nth, got.Body, a.says)
	}
	if took := time.Since(began); took < a.slow {
		t.Errorf("request %d took %v, expected %v", nth, took, a.slow)
	}
	a.checkHeader(t, c, got.Header, nth)
	return err
}

// attempt makes a request.
func (c *client) attempt(ctx context.Context, a ask) (answer, error) {
	fields := []string{"Accept-Encoding: identity"}
	if a.key != "" {
		fields = append(fields, "Idempotency-Key: "+a.key)
	}
	return c.try(ctx, a.method, a.path, a.body, fields...)
}

// other names the server as another origin.
func (c *client) other() string {
	return strings.NewReplacer("127.0.0.1", "localhost", "mock.localhost", "other.mock.localhost").Replace(c.base)
}

func (a ask) checkHeader(t *testing.T, c *client, header http.Header, nth int) {
	t.Helper()
	if a.header == "" {
		return
	}
	name, want, exact := strings.Cut(strings.ReplaceAll(a.header, "{other}", c.other()), ": ")
	name, none := strings.CutPrefix(name, "!")
	values := header.Values(name)
	date, dateErr := http.ParseTime(header.Get(name))
	switch {
	case none && len(values) > 0, !none && len(values) == 0:
		t.Errorf("request %d: %s %q", nth, name, values)
	case want == "date":
		if in := time.Until(date); dateErr != nil || in > 2*time.Second || in < -time.Minute {
			t.Errorf("request %d: %s %q is in %v", nth, name, values, in)
		}
	case want == "past":
		if dateErr != nil || !date.Before(time.Now().Add(-time.Minute)) {
			t.Errorf("request %d: %s %q is not past", nth, name, values)
		}
	case exact && !slices.Equal(values, []string{want}):
		t.Errorf("request %d: %s %q, expected %q", nth, name, values, want)
	}
}

// TestTheOtherOriginIsTheSameServer follows a redirect as a careless client does: the
// ledger shows that the request came again, under the other name, with its key.
func TestTheOtherOriginIsTheSameServer(t *testing.T) {
	for _, way := range ways {
		t.Run(way, func(t *testing.T) {
			server, c := playOn(t, way)
			plan(t, server, mock.Fault{Operation: "createOrder", Kind: mock.RepeatOtherOrigin})
			c.http.CheckRedirect = nil
			r, err := http.NewRequestWithContext(t.Context(), "POST", c.base+"/orders", strings.NewReader(newOrder))
			if err != nil {
				t.Fatal(err)
			}
			r.Header.Set("Idempotency-Key", "k")
			r.Header.Set("Content-Type", "application/json")
			response, err := c.http.Do(r)
			if err != nil {
				t.Fatal(err)
			}
			_ = response.Body.Close()
			requests := server.Ledger().Requests
			if len(requests) != 2 || requests[0].Header.Get("Host") == requests[1].Header.Get("Host") || requests[1].Key != "k" {
				t.Errorf("ledger %+v", requests)
			}
			wantFired(t, server, 1)
		})
	}
}

// TestAllFaultsOfRequestsAreTested holds that no kind is left out above.
func TestAllFaultsOfRequestsAreTested(t *testing.T) {
	tested := map[mock.FaultKind]bool{}
	for _, test := range wireCases {
		tested[test.fault.Kind] = true
	}
	for _, kind := range mock.FaultKinds() {
		if !tested[kind] && !strings.HasPrefix(string(kind), "webhook-") {
			t.Errorf("%s is not tested", kind)
		}
	}
}
