package mock_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/weft-flow/weft/executor/mock"
)

const byReference = "/payments/payments/by-reference/r-1"

// TestReadsAgreeWithTheMessage holds that a payment is pending until its message is due,
// and decided from then on; also under each fault of reads, and when the message is lost.
func TestReadsAgreeWithTheMessage(t *testing.T) {
	const pending, decided = "200 PENDING", "200 SUCCEEDED"
	for _, test := range []struct {
		read          mock.FaultKind // befalls every read
		before, after string
	}{
		{"", pending, decided},
		{mock.ReadStale, pending, pending},
		{mock.ReadNotFound, "404 404", "404 404"},
		{mock.ReadUnknownState, "200 WEFT_UNKNOWN_STATE", "200 WEFT_UNKNOWN_STATE"},
		{mock.ReadConflicting, "200 EXPIRED", "200 EXPIRED"},
	} {
		for _, lost := range []bool{false, true} {
			clock := newVirtual()
			server, c := playAt(t, orderFlow(t), clock.now)
			to := listen(t)
			sends(t, server, to, clock.drives)
			if lost {
				plan(t, server, mock.Fault{Operation: "paymentChanged", Kind: mock.WebhookLost})
			}
			if test.read != "" {
				plan(t, server, mock.Fault{Operation: "getPaymentByReference", Kind: test.read, Times: 4})
			}
			read := func() string {
				a := c.do("GET", byReference, "")
				return fmt.Sprint(a.Status, " ", a.get("status"))
			}
			c.expect(201, "POST", "/payments/payments", newPayment, "Idempotency-Key: k")
			for range 2 {
				if got := read(); got != test.before {
					t.Errorf("%s: before the message is due a read says %s", test.read, got)
				}
			}
			clock.pass(20 * time.Millisecond)
			for range 2 {
				if got := read(); got != test.after {
					t.Errorf("%s: once the message is due (lost: %v) a read says %s", test.read, lost, got)
				}
			}
			if got := len(to.got()); got != 1 && !lost || got != 0 && lost {
				t.Errorf("%d messages came", got)
			}
			if unfired := server.Unfired(); len(unfired) > 0 {
				t.Error(unfired)
			}
		}
	}
}

func TestWithoutAReceiverAReadDecides(t *testing.T) {
	server, c := play(t, orderFlow(t))
	c.expect(201, "POST", "/payments/payments", newPayment, "Idempotency-Key: k")
	if got := c.expect(200, "GET", byReference, "").get("status"); got != "SUCCEEDED" {
		t.Errorf("a read says %s", got)
	}
	settle(t, server)
	if sent := server.Ledger().Webhooks; len(sent) != 0 {
		t.Errorf("sent %+v", sent)
	}
}

// TestWhatARequestChangesIsNotTold lets a job be stopped before its end is due: it then
// does not end.
func TestWhatARequestChangesIsNotTold(t *testing.T) {
	clock := newVirtual()
	server, c := playAt(t, api(t, "3.1.0", shopWith("x-weft-sends: [{webhook: jobEvents, after: 1s, set: {data: {state: DONE}}}]", jobEvents)), clock.now)
	to := listen(t)
	plan(t, server, mock.Fault{Operation: "jobEvents", Occurrence: 2, Kind: mock.WebhookDoubledNewID})
	sends(t, server, to, clock.drives)
	state := func(id string) string { return c.expect(200, "GET", "/jobs/"+id, "").get("state") }
	c.expect(201, "POST", "/jobs", `{"jobRef":"1"}`)
	c.expect(201, "POST", "/jobs", `{"jobRef":"2"}`)
	c.expect(200, "POST", "/jobs/job-2/stop", "")
	clock.pass(time.Second)
	if one, two := state("job-1"), state("job-2"); one != "DONE" || two != "STOPPED" {
		t.Errorf("the jobs are %s and %s", one, two)
	}
	if all := to.got(); len(all) != 1 || !strings.Contains(all[0].body, `"state":"DONE"`) {
		t.Errorf("got %+v", all)
	}
	if unfired := server.Unfired(); len(unfired) != 1 || !strings.Contains(unfired[0].Error(), "a request had meanwhile changed") {
		t.Errorf("unfired %v", unfired)
	}
}

func TestAMessageIsSentAgainUntilItIsTaken(t *testing.T) {
	clock := newVirtual()
	server, c := playAt(t, orderFlow(t), clock.now)
	to := listen(t)
	to.answer = func(nth int) int {
		if nth < 4 {
			return http.StatusServiceUnavailable
		}
		return http.StatusOK
	}
	sends(t, server, to, clock.drives, func(o *mock.WebhookOptions) { o.Backoff = 2 * time.Second })
	c.expect(201, "POST", "/payments/payments", newPayment, "Idempotency-Key: k")
	clock.pass(time.Minute)
	sent := server.Ledger().Webhooks
	if len(sent) != 4 || len(to.got()) != 4 {
		t.Fatalf("sent %+v", sent)
	}
	for i, after := range []time.Duration{20 * time.Millisecond, 2020 * time.Millisecond, 6020 * time.Millisecond, 14020 * time.Millisecond} {
		w := sent[i]
		if got := w.Time.Sub(newVirtual().now()); got != after || w.Attempt != i+1 || w.Message != sent[0].Message || w.Body != sent[0].Body {
			t.Errorf("attempt %d after %v: %+v", i+1, got, w)
		}
		if !to.got()[i].signed {
			t.Errorf("attempt %d is not signed", i+1)
		}
	}
	if sent[0].Header.Get("Webhook-Timestamp") == sent[3].Header.Get("Webhook-Timestamp") || sent[2].Status != 503 || sent[3].Status != 200 {
		t.Errorf("sent %+v", sent)
	}
}

// TestAMessageFollowsAnEffect holds that it is the effect which is told of, whatever became
// of the answer, and once.
func TestAMessageFollowsAnEffect(t *testing.T) {
	for kind, want := range map[mock.FaultKind]int{
		mock.InternalErrorAfterEffect: 1, mock.SeeOtherSameOrigin: 1, mock.ConflictThenReplay: 1, mock.CloseInResponse: 1, mock.ResetAfterEffect: 1,
		mock.UnavailableBeforeEffect: 0, mock.KeyMismatch422: 0, mock.RepeatSameOrigin: 0, mock.ResetBeforeReading: 0,
	} {
		server, c := play(t, orderFlow(t))
		to := listen(t)
		plan(t, server, mock.Fault{Operation: "requestPayment", Kind: kind})
		sends(t, server, to)
		_, _ = c.try(t.Context(), "POST", "/payments/payments", newPayment, "Idempotency-Key: k") // what is answered is not what this is about
		settle(t, server)
		if got := len(to.got()); got != want || len(server.Unfired()) > 0 {
			t.Errorf("%s: %d messages, expected %d; %v", kind, got, want, server.Unfired())
		}
		c.expect(201, "POST", "/payments/payments", newPayment, "Idempotency-Key: k")
		c.expect(400, "POST", "/payments/payments", `{}`, "Idempotency-Key: k2")
		settle(t, server)
		if got := len(to.got()); got != 1 {
			t.Errorf("%s: %d messages once all is well", kind, got)
		}
	}
}

func TestAMessageIsGivenUp(t *testing.T) {
	for status, want := range map[int]int{http.StatusInternalServerError: mock.DefaultAttempts, http.StatusFound: mock.DefaultAttempts, http.StatusGone: 1} {
		server, c := play(t, orderFlow(t))
		to := listen(t)
		to.answer = func(int) int { return status }
		sends(t, server, to)
		c.expect(201, "POST", "/payments/payments", newPayment, "Idempotency-Key: k")
		settle(t, server)
		if got := len(to.got()); got != want {
			t.Errorf("answered %d, a message is sent %d times", status, got)
		}
	}
	server, c := play(t, orderFlow(t))
	to := listen(t)
	sends(t, server, to)
	to.base = "http://127.0.0.1:1"
	sends(t, server, to)
	c.expect(201, "POST", "/payments/payments", newPayment, "Idempotency-Key: k")
	settle(t, server)
	if sent := server.Ledger().Webhooks; len(sent) != mock.DefaultAttempts || sent[0].Status != 0 || !strings.Contains(sent[0].Error, "refused") {
		t.Errorf("sent %+v", sent)
	}
}

func TestSettleAndClose(t *testing.T) {
	clock := newVirtual()
	server, c := playAt(t, orderFlow(t), clock.now)
	if err := server.Settle(t.Context()); err != nil {
		t.Error(err)
	}
	to := &receiver{base: "http://receiver.localhost"}
	sends(t, server, to, clock.drives, func(o *mock.WebhookOptions) { o.Transport = inMemory{to} })
	c.expect(201, "POST", "/payments/payments", newPayment, "Idempotency-Key: k")
	gone := errors.New("gone")
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(gone)
	if err := server.Settle(ctx); !errors.Is(err, gone) {
		t.Errorf("error %v", err)
	}
	if err := server.Close(); err != nil {
		t.Error(err)
	}
	if err := server.Settle(t.Context()); err != nil {
		t.Error(err)
	}
	clock.pass(time.Hour)
	if got := to.got(); len(got) != 0 {
		t.Errorf("after the end came %+v", got)
	}
}

// inMemory carries messages to a receiver without a network, in the goroutine of whoever
// sends them.
type inMemory struct{ to *receiver }

func (m inMemory) RoundTrip(r *http.Request) (*http.Response, error) {
	w := httptest.NewRecorder()
	m.to.ServeHTTP(w, r)
	return w.Result(), nil
}

// TestAllFaultsOfWebhooksInMemory plays each fault in one goroutine under a clock that is
// driven, twice: what is sent, to the byte, is the same.
func TestAllFaultsOfWebhooksInMemory(t *testing.T) {
	apis := mock.Prepare(orderFlow(t))
	for _, kind := range mock.FaultKinds() {
		if !strings.HasPrefix(string(kind), "webhook-") {
			continue
		}
		var told [2]string
		for i := range told {
			clock := newVirtual()
			server := apis.New(mock.Options{Now: clock.now})
			plan := mock.FaultPlan{Seed: 3, Faults: []mock.Fault{{Operation: "paymentChanged", Occurrence: 1, Upto: 3, Kind: kind}}}
			if err := server.Apply(plan); err != nil {
				t.Fatal(err)
			}
			to := &receiver{base: "http://receiver.localhost"}
			sends(t, server, to, clock.drives, func(o *mock.WebhookOptions) { o.Transport = inMemory{to} })
			pay := server.Transport(mock.TransportOptions{})
			for _, n := range []string{"1", "2", "3"} {
				r := httptest.NewRequest(http.MethodPost, "http://mock.localhost/payments/payments", strings.NewReader(strings.Replace(newPayment, "r-1", "r-"+n, 1)))
				r.Header.Set("Idempotency-Key", n)
				r.Header.Set("Content-Type", "application/json")
				response, err := pay.RoundTrip(r)
				if err != nil || response.StatusCode != http.StatusCreated {
					t.Fatal(err, response)
				}
				clock.pass(time.Second)
			}
			clock.pass(time.Hour)
			for _, err := range server.Unfired() {
				t.Error(err)
			}
			ledger, err := json.Marshal(server.Ledger())
			if err != nil {
				t.Fatal(err)
			}
			told[i] = string(ledger)
			if n := len(to.got()); n < 2 {
				t.Errorf("%s: %d messages came", kind, n)
			}
		}
		if told[0] != told[1] {
			t.Errorf("%s is not the same twice", kind)
		}
	}
}

func TestTheLedgerTellsOfWebhooksAsJSON(t *testing.T) {
	server, c := play(t, orderFlow(t))
	sends(t, server, listen(t))
	c.expect(201, "POST", "/payments/payments", newPayment, "Idempotency-Key: k")
	settle(t, server)
	response, err := c.http.Get(c.base + mock.LedgerPath)
	if err != nil {
		t.Fatal(err)
	}
	body, err := io.ReadAll(response.Body)
	_ = response.Body.Close()
	if err != nil {
		t.Fatal(err)
	}
	var ledger struct{ Webhooks []map[string]any }
	if err := json.Unmarshal(body, &ledger); err != nil || len(ledger.Webhooks) != 1 {
		t.Fatal(err, string(body))
	}
	for _, name := range []string{"sequence", "message", "source", "operation", "reference", "request", "time", "method", "target", "attempt", "header", "body", "status"} {
		if _, ok := ledger.Webhooks[0][name]; !ok {
			t.Errorf("%s is missing in %v", name, ledger.Webhooks[0])
		}
	}
}

// TestAReceiverMayKnowASourceByAnotherName has a nested document receive: its name for
// the source is tried once the own one is not known.
func TestAReceiverMayKnowASourceByAnotherName(t *testing.T) {
	sources := orderFlow(t)
	for i := range sources {
		sources[i].Receivers = []string{"a.payments", "b/c.payments"}
	}
	server, c := play(t, sources)
	to := listen(t)
	to.answer = func(nth int) int {
		switch nth {
		case 1, 2:
			return http.StatusNotFound
		case 3:
			return http.StatusServiceUnavailable
		default:
			return http.StatusAccepted
		}
	}
	sends(t, server, to)
	c.expect(201, "POST", "/payments/payments", newPayment, "Idempotency-Key: k")
	settle(t, server)
	var said []string
	for i, w := range server.Ledger().Webhooks {
		said = append(said, fmt.Sprint(w.Attempt, " ", w.Status, " ", to.got()[i].path))
	}
	want := "1 404 /webhooks/payments/paymentChanged, 1 404 /webhooks/a.payments/paymentChanged, " +
		"1 503 /webhooks/b%2Fc.payments/paymentChanged, 2 202 /webhooks/b%2Fc.payments/paymentChanged"
	if got := strings.Join(said, ", "); got != want {
		t.Errorf("sent %s", got)
	}
}
