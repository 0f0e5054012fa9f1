package durable

import (
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/weft-flow/weft/executor"
	"github.com/weft-flow/weft/idempotency"
)

// askedFlow asks what came of a payment, pays again at a message, asks again, and waits.
const askedFlow = `
workflows:
- workflowId: buy
  inputs: {type: object, properties: {ref: {type: string}}}
  steps:
  - stepId: pay
    operationId: pay
    requestBody: {contentType: application/json, payload: {ref: $inputs.ref}}
    onFailure: [{name: ask, type: goto, stepId: look}]
  - stepId: look
    operationId: getOrder
    parameters: [{name: id, in: path, value: $inputs.ref}]
    successCriteria: [{condition: $statusCode == 200}]
    x-weft-requery-of: pay
    onFailure: [{name: leave, type: goto, stepId: last}]
  - stepId: wait
    operationId: paid
    action: receive
    correlationId: $inputs.ref
    timeout: 259200000
    x-weft-correlation: $message.payload#/ref
    onSuccess: [{name: again, type: goto, stepId: pay}]
  - stepId: last
    operationId: paid
    action: receive
    correlationId: $inputs.ref
    timeout: 259200000
    x-weft-correlation: $message.payload#/ref
`

// askedShop answers no payment, the first question once it may, and refuses the others.
type askedShop struct {
	payments, questions atomic.Int32
	asked, may          chan struct{}
}

func (a *askedShop) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Method == http.MethodPost {
		a.payments.Add(1)
		panic(http.ErrAbortHandler)
	}
	if a.questions.Add(1) > 1 {
		w.WriteHeader(http.StatusInternalServerError)
		return
	}
	close(a.asked)
	<-a.may
	w.Header().Set("Content-Type", "application/json")
	fmt.Fprint(w, `{"id":"ord-1"}`)
}

// TestStatement25ASettlementIsOfOneRequest: what an operator found out about a payment
// that a requery settled first says nothing of the next payment.
func TestStatement25ASettlementIsOfOneRequest(t *testing.T) {
	onEach(t, func(t *testing.T, url string) {
		shop := &askedShop{asked: make(chan struct{}), may: make(chan struct{})}
		server := httptest.NewServer(shop)
		t.Cleanup(server.Close)
		s := driving(t, url)
		run := begin(t, s, Spec{Bundle: flowBundle(t, askedFlow), Config: executor.Config{Servers: map[string]string{"shop": server.URL}, Timeout: executor.NoTimeout}}, `{"ref":"1"}`).Run
		<-shop.asked
		failed := Settlement{Step: "pay", Outcome: "failed", Operator: "ann"}
		if err := s.Settle(t.Context(), run, failed); err != nil {
			t.Fatal(err)
		}
		close(shop.may)
		awaits(t, s, run)
		d, err := s.Show(t.Context(), run)
		if err != nil || d.Steps[0].Operation != idempotency.Succeeded || d.Steps[0].Reason != `step "look" found it` || d.Settlements[0].TakenUp || !d.Settlements[0].Void {
			t.Errorf("once the requery has settled it: %+v, %+v, %v", d.Steps, d.Settlements, err)
		}
		if err := s.Settle(t.Context(), run, failed); !errors.Is(err, ErrNotUnknown) {
			t.Errorf("settled what the requery has settled: %v", err)
		}
		if _, err := s.Deliver(t.Context(), run, executor.Message{Box: paidBox, Identity: "m1", Body: []byte(`{"ref":"1"}`)}); err != nil {
			t.Fatal(err)
		}
		isLast := func(d Detail) bool { return d.Waiting != nil && strings.Contains(d.Waiting.Name, "last") }
		if d, err = untilShown(t.Context(), s, run, isLast); err != nil {
			t.Fatal(err)
		}
		if pay := d.Steps[0]; pay.Activation != 2 || pay.Operation != idempotency.Unknown || isTakenUp(d) || !d.Settlements[0].Void {
			t.Errorf("the second payment: %+v, %+v", pay, d.Settlements)
		}
		failed.Activation, failed.Attempt = 1, 1
		if err := s.Settle(t.Context(), run, failed); !errors.Is(err, ErrOtherRequest) {
			t.Errorf("settled another request than was meant: %v", err)
		}
		if err := s.Settle(t.Context(), run, Settlement{Step: "pay", Outcome: "succeeded", Operator: "ann", Activation: 2, Attempt: 1}); err != nil {
			t.Fatal(err)
		}
		both := func(d Detail) bool { return len(d.Settlements) == 2 && d.Settlements[1].TakenUp }
		if d, err = untilShown(t.Context(), s, run, both); err != nil || d.Settlements[0].TakenUp || d.Settlements[1].Void {
			t.Errorf("%+v, %v", d.Settlements, err)
		}
		if _, err := s.Deliver(t.Context(), run, executor.Message{Box: paidBox, Identity: "m2", Body: []byte(`{"ref":"1"}`)}); err != nil {
			t.Fatal(err)
		}
		if result := end(t, s, run); result.Status != executor.Recovered || shop.payments.Load() != 2 {
			t.Errorf("%+v after %d payments", result, shop.payments.Load())
		}
		if told := noticesOf(t, s, run, "what ann has found out"); told != 1 {
			t.Errorf("told %d times that it changes nothing", told)
		}
		replay(t, s, run)
	})
}

// noticesOf counts the notices of a run that begin with a text.
func noticesOf(t *testing.T, s *Store, run, text string) (n int) {
	t.Helper()
	events, err := s.Events(t.Context(), run, 0, 1000)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range events {
		if d, is := e.Detail.(executor.Notice); is && strings.HasPrefix(d.Message, text) {
			n++
		}
	}
	return n
}

// TestStatement25ASettlementWithoutANameGoesByItsTime, as those that an earlier version
// has kept.
func TestStatement25ASettlementWithoutANameGoesByItsTime(t *testing.T) {
	for name, early := range map[string]bool{"before the request": true, "after it": false} {
		t.Run(name, func(t *testing.T) {
			_, servers := playMuted(t, 1)
			s := driving(t, databases(t)["sqlite"])
			run := begin(t, s, Spec{Bundle: flowBundle(t, unknownFlow), Config: executor.Config{Servers: servers, Timeout: executor.NoTimeout}}, `{"ref":"1"}`).Run
			awaits(t, s, run)
			at := time.Now()
			if early {
				at = at.Add(-time.Minute)
			}
			_, err := s.db.exec(t.Context(), `INSERT INTO weft_settled (run, number, workflow, step, outcome, operator, settled)
				VALUES ($1, 1, '', 'pay', 'succeeded', 'ann', $2)`, run, milliseconds(at))
			if err != nil {
				t.Fatal(err)
			}
			s.news.wake(run)
			if _, err := untilShown(t.Context(), s, run, func(d Detail) bool { return d.Settlements[0].Void == early && d.Settlements[0].TakenUp != early }); err != nil {
				t.Error(err)
			}
			if d, err := untilShown(t.Context(), s, run, func(Detail) bool { return noticesOf(t, s, run, "what ann") == 1 || !early }); err != nil || isTakenUp(d) == early {
				t.Errorf("%+v, %v", d.Settlements, err)
			}
		})
	}
}

// TestStatement25AMessageThatSettlesLeavesNothingToBeSettled.
func TestStatement25AMessageThatSettlesLeavesNothingToBeSettled(t *testing.T) {
	flow := strings.Replace(unknownFlow, "    x-weft-correlation: $message.payload#/ref\n", `    x-weft-correlation: $message.payload#/ref
    x-weft-requery-of: pay
  - {stepId: last, operationId: paid, action: receive, correlationId: $inputs.ref, timeout: 259200000, x-weft-correlation: $message.payload#/ref}
`, 1)
	onEach(t, func(t *testing.T, url string) {
		_, servers := playMuted(t, 1)
		s := driving(t, url)
		run := begin(t, s, Spec{Bundle: flowBundle(t, flow), Config: executor.Config{Servers: servers, Timeout: executor.NoTimeout}}, `{"ref":"1"}`).Run
		awaits(t, s, run)
		if _, err := s.Deliver(t.Context(), run, executor.Message{Box: paidBox, Identity: "m1", Body: []byte(`{"ref":"1"}`)}); err != nil {
			t.Fatal(err)
		}
		d, err := untilShown(t.Context(), s, run, func(d Detail) bool { return d.Waiting != nil && strings.Contains(d.Waiting.Name, "last") })
		if err != nil || d.Steps[0].Operation != idempotency.Succeeded || d.Steps[0].Class != idempotency.Unknown {
			t.Errorf("%+v, %v", d.Steps, err)
		}
		if err := s.Settle(t.Context(), run, Settlement{Step: "pay", Outcome: "failed", Operator: "ann"}); !errors.Is(err, ErrNotUnknown) {
			t.Errorf("settled what the message has settled: %v", err)
		}
	})
}

// TestStatement25AResponseThatCannotBeReadIsRefused, before the settlement is kept.
func TestStatement25AResponseThatCannotBeReadIsRefused(t *testing.T) {
	onEach(t, func(t *testing.T, url string) {
		_, servers := playMuted(t, 1)
		s := driving(t, url)
		run := begin(t, s, Spec{Bundle: flowBundle(t, unknownFlow), Config: executor.Config{Servers: servers, Timeout: executor.NoTimeout}}, `{"ref":"1"}`).Run
		awaits(t, s, run)
		for _, refused := range []Settlement{
			{Step: "pay", Outcome: "succeeded", Operator: "ann", Response: []byte("not json")},
			{Step: "pay", Outcome: "failed", Operator: "ann", Response: []byte("{}")},
		} {
			if err := s.Settle(t.Context(), run, refused); !errors.Is(err, ErrResponse) {
				t.Errorf("%s with %s: %v", refused.Outcome, refused.Response, err)
			}
		}
		if err := s.Settle(t.Context(), run, Settlement{Step: "pay", Outcome: "succeeded", Operator: "ann", Response: []byte(`{"payment":"p-1"}`)}); err != nil {
			t.Error(err)
		}
	})
}
