package mock_test

import (
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/weft-flow/weft/executor/mock"
)

// payUnder plans a fault of the payment's message, has one payment made, and gives what
// the receiver got once all was sent. It holds that the fault fired.
func payUnder(t *testing.T, f mock.Fault, change ...func(*receiver)) (*mock.Server, *client, []delivery) {
	t.Helper()
	server, c := play(t, orderFlow(t))
	to := listen(t)
	for _, set := range change {
		set(to)
	}
	f.Operation = "paymentChanged"
	plan(t, server, f)
	sends(t, server, to)
	if unfired := server.Unfired(); len(unfired) != 1 || !strings.Contains(unfired[0].Error(), "there was no message 1 of paymentChanged") {
		t.Errorf("before anything was sent: %v", unfired)
	}
	if paid := c.expect(201, "POST", "/payments/payments", newPayment, "Idempotency-Key: k"); paid.get("status") != "PENDING" {
		t.Errorf("answered %s", paid.Body)
	}
	settle(t, server)
	for _, err := range server.Unfired() {
		t.Fatal(err)
	}
	if planned := server.Ledger().Faults; len(planned) != 1 || !planned[0].Fired || planned[0].Request != 1 {
		t.Errorf("the ledger says %+v", planned)
	}
	if got := c.expect(200, "GET", "/payments/payments/by-reference/r-1", "").get("status"); got != "SUCCEEDED" {
		t.Errorf("a read says %s when all is over", got)
	}
	return server, c, to.got()
}

func wantStatuses(t *testing.T, all []delivery, want ...string) {
	t.Helper()
	var got []string
	for _, d := range all {
		got = append(got, d.get(t, "status"))
	}
	if strings.Join(got, " ") != strings.Join(want, " ") {
		t.Fatalf("messages tell %q, expected %q", got, want)
	}
}

// same tells whether two messages have the same id, the same event and the same body.
func same(t *testing.T, a, b delivery) (id, event, body bool) {
	t.Helper()
	return a.header.Get("webhook-id") == b.header.Get("webhook-id"), a.get(t, "eventId") == b.get(t, "eventId"), a.body == b.body
}

func TestWebhookDoubledWithTheSameID(t *testing.T) {
	server, _, all := payUnder(t, mock.Fault{Kind: mock.WebhookDoubledSameID})
	wantStatuses(t, all, "SUCCEEDED", "SUCCEEDED")
	if id, _, body := same(t, all[0], all[1]); !id || !body || !all[0].signed || !all[1].signed {
		t.Errorf("got %+v", all)
	}
	sent := server.Ledger().Webhooks
	if sent[0].Fault != "" || sent[1].Fault != mock.WebhookDoubledSameID || sent[1].Status != 202 {
		t.Errorf("the ledger says %+v", sent)
	}
}

func TestWebhookDoubledWithANewID(t *testing.T) {
	_, _, all := payUnder(t, mock.Fault{Kind: mock.WebhookDoubledNewID})
	wantStatuses(t, all, "SUCCEEDED", "SUCCEEDED")
	if id, event, _ := same(t, all[0], all[1]); id || event || !all[1].signed || all[0].get(t, "orderReference") != all[1].get(t, "orderReference") {
		t.Errorf("got %+v", all)
	}
}

func TestWebhookInParallel(t *testing.T) {
	// The first is answered when the second has come: they are in the air at once.
	both := make(chan struct{})
	_, _, all := payUnder(t, mock.Fault{Kind: mock.WebhookParallel}, func(r *receiver) {
		r.answer = func(nth int) int {
			if nth == 2 {
				close(both)
			}
			select {
			case <-both:
				return http.StatusAccepted
			case <-t.Context().Done():
				return http.StatusServiceUnavailable
			}
		}
	})
	wantStatuses(t, all, "SUCCEEDED", "SUCCEEDED")
	if id, _, body := same(t, all[0], all[1]); !id || !body {
		t.Errorf("got %+v", all)
	}
}

func TestWebhookBeforeTheResponse(t *testing.T) {
	server, c := play(t, orderFlow(t))
	comesBeforeTheResponse(t, server, c)
}

func TestWebhookBeforeTheResponseOverHTTP2(t *testing.T) {
	server, c := playHTTP2(t, orderFlow(t), mock.Options{})
	comesBeforeTheResponse(t, server, c)
}

func comesBeforeTheResponse(t *testing.T, server *mock.Server, c *client) {
	t.Helper()
	to := listen(t)
	plan(t, server, mock.Fault{Operation: "paymentChanged", Kind: mock.WebhookBeforeResponse})
	sends(t, server, to)
	answered := 0
	to.answer = func(int) int {
		answered = server.Ledger().Requests[0].Status
		return http.StatusAccepted
	}
	if paid := c.expect(201, "POST", "/payments/payments", newPayment, "Idempotency-Key: k"); paid.get("status") != "PENDING" {
		t.Errorf("answered %s", paid.Body)
	}
	all := to.got() // without waiting: it has come
	wantStatuses(t, all, "SUCCEEDED")
	if at, err := time.Parse(time.RFC3339Nano, all[0].get(t, "occurredAt")); err != nil || at.After(all[0].came) {
		t.Errorf("what came at %v occurred at %v (%v)", all[0].came, at, err)
	}
	if sent := server.Ledger().Webhooks; sent[0].Status != 202 || answered != 0 {
		t.Errorf("the request was answered with %d before the message was: %+v", answered, sent)
	}
	if unfired := server.Unfired(); len(unfired) > 0 {
		t.Error(unfired)
	}
}

func TestWebhookLate(t *testing.T) {
	clock := newVirtual()
	server, c := playAt(t, orderFlow(t), clock.now)
	to := listen(t)
	plan(t, server, mock.Fault{Operation: "paymentChanged", Kind: mock.WebhookLate, Delay: time.Hour})
	sends(t, server, to, clock.drives)
	c.expect(201, "POST", "/payments/payments", newPayment, "Idempotency-Key: k")
	read := func() string { return c.expect(200, "GET", "/payments/payments/by-reference/r-1", "").get("status") }
	if got := read(); got != "PENDING" {
		t.Errorf("a read says %s before it is so", got)
	}
	clock.pass(time.Minute)
	if got := read(); got != "SUCCEEDED" || len(to.got()) != 0 {
		t.Errorf("a read says %s, %d messages came", got, len(to.got()))
	}
	if unfired := server.Unfired(); len(unfired) != 1 || !strings.Contains(unfired[0].Error(), "its message was to come 1h0m0s late") {
		t.Errorf("unfired %v", unfired)
	}
	clock.pass(time.Hour)
	wantStatuses(t, to.got(), "SUCCEEDED")
	if unfired := server.Unfired(); len(unfired) > 0 {
		t.Error(unfired)
	}
	settle(t, server)
}

func TestWebhookLost(t *testing.T) {
	server, _, all := payUnder(t, mock.Fault{Kind: mock.WebhookLost})
	sent := server.Ledger().Webhooks
	if len(all) != 0 || len(sent) != 1 || sent[0].Status != 0 || !strings.Contains(sent[0].Error, "lost") || sent[0].Body == "" {
		t.Errorf("got %+v; the ledger says %+v", all, sent)
	}
}

func TestWebhookOutOfOrder(t *testing.T) {
	for given, want := range map[string]string{"": "FAILED", "PENDING": "PENDING"} {
		_, _, all := payUnder(t, mock.Fault{Kind: mock.WebhookOutOfOrder, Value: given})
		wantStatuses(t, all, "SUCCEEDED", want)
		if id, event, _ := same(t, all[0], all[1]); id || event || !all[1].signed {
			t.Errorf("got %+v", all)
		}
		if all[1].get(t, "occurredAt") >= all[0].get(t, "occurredAt") {
			t.Errorf("the earlier one tells a later time: %s, %s", all[0].body, all[1].body)
		}
	}
}

func TestWebhookConflicting(t *testing.T) {
	for given, want := range map[string]string{"": "FAILED", "EXPIRED": "EXPIRED"} {
		_, _, all := payUnder(t, mock.Fault{Kind: mock.WebhookConflicting, Value: given})
		wantStatuses(t, all, "SUCCEEDED", want)
		if id, event, body := same(t, all[0], all[1]); !id || !event || body || !all[1].signed {
			t.Errorf("got %+v", all)
		}
	}
}

func TestWebhookWithTheWrongCorrelation(t *testing.T) {
	for given, want := range map[string]string{"": "r-1-other", "r-2": "r-2"} {
		_, _, all := payUnder(t, mock.Fault{Kind: mock.WebhookWrongCorrelation, Value: given})
		wantStatuses(t, all, "SUCCEEDED")
		if got := all[0].get(t, "orderReference"); got != want || all[0].get(t, "paymentId") == "pay-1" || !all[0].signed {
			t.Errorf("got %s", all[0].body)
		}
	}
}

func TestWebhookWithABadSignature(t *testing.T) {
	_, _, all := payUnder(t, mock.Fault{Kind: mock.WebhookBadSignature}, func(r *receiver) {
		r.answer = func(int) int { return http.StatusUnauthorized }
	})
	wantStatuses(t, all, "SUCCEEDED", "SUCCEEDED", "SUCCEEDED", "SUCCEEDED", "SUCCEEDED")
	for _, d := range all {
		if d.signed || !strings.HasPrefix(d.header.Get("webhook-signature"), "v1,") {
			t.Errorf("signature %q", d.header.Get("webhook-signature"))
		}
	}
}

func TestABadSignatureNeedsASecret(t *testing.T) {
	server, c := play(t, orderFlow(t))
	to := listen(t)
	plan(t, server, mock.Fault{Operation: "paymentChanged", Kind: mock.WebhookBadSignature})
	sends(t, server, to, func(o *mock.WebhookOptions) { o.Secret = nil })
	c.expect(201, "POST", "/payments/payments", newPayment, "Idempotency-Key: k")
	settle(t, server)
	if got := to.got(); len(got) != 1 || got[0].header.Get("webhook-signature") != "" {
		t.Errorf("got %+v", got)
	}
	if unfired := server.Unfired(); len(unfired) != 1 || !strings.Contains(unfired[0].Error(), "are not signed") {
		t.Errorf("unfired %v", unfired)
	}
}

func TestWebhookWithAStaleTimestamp(t *testing.T) {
	for given, want := range map[time.Duration]time.Duration{0: mock.DefaultStale, time.Hour: time.Hour} {
		_, _, all := payUnder(t, mock.Fault{Kind: mock.WebhookStaleTimestamp, Delay: given})
		wantStatuses(t, all, "SUCCEEDED")
		seconds, err := strconv.ParseInt(all[0].header.Get("webhook-timestamp"), 10, 64)
		if err != nil {
			t.Fatal(err)
		}
		if age := all[0].came.Sub(time.Unix(seconds, 0)); age < want || age > want+time.Minute || !all[0].signed {
			t.Errorf("signed %v ago, signature good: %v", age, all[0].signed)
		}
	}
}

func TestWebhookBurst(t *testing.T) {
	for given, want := range map[int]int{0: mock.DefaultBurst, 7: 7} {
		server, _, all := payUnder(t, mock.Fault{Kind: mock.WebhookBurst, Count: given})
		if len(all) != want || len(server.Ledger().Webhooks) != want {
			t.Fatalf("%d messages came, the ledger knows of %d, expected %d", len(all), len(server.Ledger().Webhooks), want)
		}
		for _, d := range all {
			if id, _, body := same(t, all[0], d); !id || !body || !d.signed {
				t.Fatalf("got %+v beside %+v", d, all[0])
			}
		}
	}
}

func TestAFaultBefallsTheMessageThatItNames(t *testing.T) {
	server, c := play(t, orderFlow(t))
	to := listen(t)
	plan(t, server, mock.Fault{Operation: "payments/paymentChanged", Occurrence: 2, Kind: mock.WebhookLost})
	sends(t, server, to)
	for _, n := range []string{"1", "2", "3"} {
		c.expect(201, "POST", "/payments/payments", strings.Replace(newPayment, "r-1", "r-"+n, 1), "Idempotency-Key: k"+n)
		c.expect(201, "POST", "/payments/payments", strings.Replace(newPayment, "r-1", "r-"+n, 1), "Idempotency-Key: k"+n) // a replay tells nobody anything
		settle(t, server)
	}
	var came []string
	for _, d := range to.got() {
		came = append(came, d.get(t, "orderReference"))
	}
	if strings.Join(came, " ") != "r-1 r-3" {
		t.Errorf("messages about %q came", came)
	}
	if planned := server.Ledger().Faults[0]; !planned.Fired || planned.Request != 3 {
		t.Errorf("the ledger says %+v", planned)
	}
}
