package sim_test

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/weft-flow/weft/arazzo/source"
	"github.com/weft-flow/weft/arazzo/value"
	"github.com/weft-flow/weft/executor"
	"github.com/weft-flow/weft/executor/httpcall"
	"github.com/weft-flow/weft/executor/mock"
	"github.com/weft-flow/weft/idempotency"
	"github.com/weft-flow/weft/specs"
)

// orders gives the order service of the bundled flow.
func orders(t *testing.T) (*mock.APIs, *source.Operation) {
	t.Helper()
	dir := t.TempDir()
	if err := os.CopyFS(dir, specs.OrderFlow); err != nil {
		t.Fatal(err)
	}
	loader := source.NewLoader(source.Options{Offline: true})
	doc, location, _, err := loader.LoadDocument(context.Background(), filepath.Join(dir, "orderflow", "order.arazzo.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	set, problems := loader.Load(context.Background(), doc, location)
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	for _, op := range set.Source("orders").OpenAPI.Operations {
		if op.ID == "createOrder" {
			return mock.Prepare(mock.Sources(set)), op
		}
	}
	t.Fatal("there is no operation createOrder")
	return nil, nil
}

// createOrder is one attempt to create an order.
func createOrder(op *source.Operation, base string) executor.Call {
	text := func(name, text string) value.Member { return value.Member{Name: name, Value: value.String(text)} }
	return executor.Call{
		Name: "w/s#1/1", Attempt: 1, Operation: op, Server: base + "/orders", Effectful: true, Contract: true,
		Key:     &idempotency.Key{Header: "Idempotency-Key", Value: "k"},
		Timeout: 400 * time.Millisecond,
		Body: &executor.Body{ContentType: "application/json", Value: value.Object(
			text("orderReference", "r-1"), text("sku", "TEA"), value.Member{Name: "quantity", Value: value.Int(1)},
			text("amount", "1.00"), text("currency", "EUR"),
		)},
	}
}

// reached is a client of a server, and where that seems to be.
type reached struct {
	client *httpcall.Client
	base   string
}

func reach(t *testing.T, way string, server *mock.Server) reached {
	t.Helper()
	r := reached{base: "http://mock.localhost"}
	o, end := httpcall.Options{Dial: server.Dial}, server.Close
	var err error
	switch way {
	case "memory":
		o.Transport = server.Transport(mock.TransportOptions{})
	case "HTTP/2":
		var authority []byte
		r.base, authority, end, err = server.ListenTLS("127.0.0.1:0")
		roots := x509.NewCertPool()
		roots.AppendCertsFromPEM(authority)
		o.TLS = &tls.Config{RootCAs: roots}
	default:
		r.base, end, err = server.Listen("127.0.0.1:0")
	}
	if err != nil {
		t.Fatal(err)
	}
	r.client = httpcall.New(o)
	t.Cleanup(func() {
		r.client.Close()
		if err := end(); err != nil {
			t.Error(err)
		}
	})
	return r
}

// TestAllWaysTellTheSame makes the same attempts under each fault over HTTP/1.1, over
// HTTP/2 and in memory, and holds that they have the same classes, statuses and effects:
// what is simulated is what is so.
func TestAllWaysTellTheSame(t *testing.T) {
	apis, op := orders(t)
	for _, kind := range requestFaults() {
		t.Run(string(kind), func(t *testing.T) {
			t.Parallel()
			told := map[string]string{}
			for _, way := range []string{"memory", "HTTP/2", "HTTP/1.1"} {
				if way == "HTTP/1.1" && strings.HasPrefix(string(kind), "h2-") {
					continue
				}
				told[way] = tell(t, apis, op, way, kind)
				if told[way] != told["memory"] {
					t.Errorf("over %s:\n%s\nin memory:\n%s", way, told[way], told["memory"])
				}
			}
		})
	}
}

// tell makes three attempts and says what came of them.
func tell(t *testing.T, apis *mock.APIs, op *source.Operation, way string, kind mock.FaultKind) string {
	t.Helper()
	server := apis.New(mock.Options{})
	fault := mock.Fault{Operation: "createOrder", Kind: kind}
	switch kind {
	case mock.KeyExpiredReruns, mock.KeyExpiredRejects, mock.KeyIgnored, mock.ReusedConnectionClosed:
		fault.Occurrence = 2
	}
	if err := server.Plan(fault); err != nil {
		t.Fatal(err)
	}
	to := reach(t, way, server)
	var said strings.Builder
	for range 3 {
		call := createOrder(op, to.base)
		if kind == mock.QuotedKeyRefused {
			call.Key.Value = `"k"`
		}
		ctx := mock.Toward(t.Context(), op.Method, call.Server+op.Path)
		x := to.client.Call(ctx, call)
		for kind == mock.HangBeforeEffect && x.Class == idempotency.Deferred {
			x = to.client.Call(ctx, call) // the server has not yet seen that its client is gone
		}
		status := 0
		if x.Response != nil {
			status = x.Response.Status
		}
		fmt.Fprintf(&said, "%s %d\n", x.Class, status)
	}
	for _, err := range server.Unfired() {
		t.Fatalf("over %s: %v", way, err)
	}
	fmt.Fprintf(&said, "effects: %s\n", effects(server))
	return said.String()
}
