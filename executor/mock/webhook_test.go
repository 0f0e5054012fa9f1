package mock_test

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/weft-flow/weft/arazzo/check"
	"github.com/weft-flow/weft/arazzo/value"
	"github.com/weft-flow/weft/executor/mock"
)

var webhookSecret = []byte("a secret of 24 bytes or so")

// delivery is one message as the receiver got it.
type delivery struct {
	path   string
	header http.Header
	body   string
	signed bool
	came   time.Time
}

func (d delivery) get(t testing.TB, name string) string {
	t.Helper()
	v, err := value.ParseJSON([]byte(d.body))
	if err != nil {
		t.Fatalf("body %q: %v", d.body, err)
	}
	return v.Get(name).Text()
}

// receiver is a plain Go server that keeps what comes.
type receiver struct {
	base   string
	mu     sync.Mutex
	all    []delivery
	answer func(nth int) int // the status for the nth message; nil: 202
}

func listen(t testing.TB) *receiver {
	t.Helper()
	r := &receiver{}
	server := httptest.NewServer(r)
	t.Cleanup(server.Close)
	r.base = server.URL
	return r
}

func (r *receiver) ServeHTTP(w http.ResponseWriter, req *http.Request) {
	body, _ := io.ReadAll(req.Body)
	mac := hmac.New(sha256.New, webhookSecret)
	mac.Write([]byte(req.Header.Get("webhook-id") + "." + req.Header.Get("webhook-timestamp") + "." + string(body)))
	signature := "v1," + base64.StdEncoding.EncodeToString(mac.Sum(nil))
	r.mu.Lock()
	r.all = append(r.all, delivery{
		path: req.URL.EscapedPath(), header: req.Header.Clone(), body: string(body),
		signed: req.Header.Get("webhook-signature") == signature, came: time.Now(),
	})
	status, nth := http.StatusAccepted, len(r.all)
	r.mu.Unlock()
	if r.answer != nil {
		status = r.answer(nth)
	}
	w.WriteHeader(status)
}

func (r *receiver) got() []delivery {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.all)
}

// sends lets a server send to a receiver, with the secret of the tests.
func sends(t testing.TB, server *mock.Server, to *receiver, change ...func(*mock.WebhookOptions)) {
	t.Helper()
	o := mock.WebhookOptions{Target: to.base, Secret: func(string) []byte { return webhookSecret }, Backoff: time.Millisecond}
	for _, c := range change {
		c(&o)
	}
	if err := server.SendWebhooks(o); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = server.Close() })
}

func settle(t testing.TB, server *mock.Server) {
	t.Helper()
	if err := server.Settle(t.Context()); err != nil {
		t.Fatal(err)
	}
}

func TestTheWebhookComesSignedAfterTheAnswer(t *testing.T) {
	sources := orderFlow(t)
	server, c := play(t, sources)
	to := listen(t)
	sends(t, server, to)
	paid := c.expect(201, "POST", "/payments/payments", newPayment, "Idempotency-Key: k")
	if got := paid.get("status"); got != "PENDING" {
		t.Errorf("answered %s", got)
	}
	settle(t, server)
	all := to.got()
	if len(all) != 1 {
		t.Fatalf("%d messages came: %+v", len(all), server.Ledger().Webhooks)
	}
	m := all[0]
	if m.path != "/webhooks/payments/paymentChanged" || !m.signed || m.header.Get("Content-Type") != "application/json" {
		t.Errorf("got %+v", m)
	}
	described := sources[1].Catalog.ByID("paymentChanged")[0]
	body, _ := value.ParseJSON([]byte(m.body))
	if wrong := new(check.Checker).Request(described, check.Request{Header: m.header, Body: []byte(m.body), Value: body}); len(wrong.Findings) > 0 {
		t.Errorf("%s breaks its description: %v", m.body, wrong.Findings)
	}
	for name, want := range map[string]string{"orderReference": "r-1", "paymentId": "pay-1", "status": "SUCCEEDED"} {
		if got := m.get(t, name); got != want {
			t.Errorf("%s is %q, not %q", name, got, want)
		}
	}
	if id := m.get(t, "eventId"); !strings.HasPrefix(id, "evt-") || id == "evt-1" {
		t.Errorf("the event is named %q", id)
	}
	if _, err := time.Parse(time.RFC3339Nano, m.get(t, "occurredAt")); err != nil {
		t.Error(err)
	}
	sent := server.Ledger().Webhooks
	if len(sent) != 1 || sent[0].Status != 202 || sent[0].Reference != "r-1" || sent[0].Attempt != 1 || sent[0].Request != 1 || sent[0].Body != m.body {
		t.Errorf("the ledger says %+v", sent)
	}
	if got := c.expect(200, "GET", "/payments/payments/by-reference/r-1", "").get("status"); got != "SUCCEEDED" {
		t.Errorf("a read says %s", got)
	}
}

func TestAMessageIsSentByHand(t *testing.T) {
	server, _ := play(t, orderFlow(t))
	payload := value.Object(value.Member{Name: "status", Value: value.String("FAILED")})
	message := mock.Outgoing{Source: "payments", Operation: "paymentChanged", Payload: payload}
	if _, err := server.Send(message); err == nil || !strings.Contains(err.Error(), "no receiver was named") {
		t.Errorf("error %v", err)
	}
	to := listen(t)
	sends(t, server, to)
	first, err := server.Send(message)
	if err != nil || first.Status != 202 {
		t.Fatal(first, err)
	}
	message.ID = first.Message
	if second, err := server.Send(message); err != nil || second.Message != first.Message {
		t.Fatal(second, err)
	}
	all := to.got()
	if len(all) != 2 || all[0].body != `{"status":"FAILED"}` || !all[0].signed || all[0].header.Get("webhook-id") != all[1].header.Get("webhook-id") {
		t.Errorf("got %+v", all)
	}
	message.Operation = "paymentChangd"
	if _, err := server.Send(message); err == nil || !strings.Contains(err.Error(), "no webhook or callback") {
		t.Errorf("error %v", err)
	}
}
