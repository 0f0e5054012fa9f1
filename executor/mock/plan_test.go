package mock_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/weft-flow/weft/executor/mock"
)

func TestFaultsThatDoNotFitTheirOperation(t *testing.T) {
	server := mock.New(append(orderFlow(t), api(t, "3.1.0", `
paths:
  /plain:
    post: {operationId: plain, responses: {"200": {description: ok}}}
    get: {operationId: look, responses: {"200": {description: ok, content: {application/json: {schema: {type: object, properties: {n: {type: integer}}}}}}}}
`)...), mock.Options{})
	for _, test := range []struct {
		fault mock.Fault
		says  string
	}{
		{mock.Fault{Operation: "plain", Kind: mock.KeyIgnored}, "declares no header that bears an idempotency key"},
		{mock.Fault{Operation: "createOrder", Kind: mock.ReadStale}, "it is no read"},
		{mock.Fault{Operation: "look", Kind: mock.ReadUnknownState}, "no property with an enum"},
		{mock.Fault{Operation: "createOrdr", Kind: mock.HangAfterEffect}, "did you mean createOrder?"},
		{mock.Fault{Operation: "createOrder", Kind: "hang-after-efect"}, "did you mean hang-after-effect?"},
		{mock.Fault{Operation: "createOrder", Kind: mock.HangAfterEffect, Times: 2}, "hang-after-effect takes no times"},
		{mock.Fault{Operation: "createOrder", Kind: mock.SlowBody, Delay: -1}, "a delay of -1ns"},
		{mock.Fault{Operation: "createOrder", Kind: mock.SlowBody, Occurrence: 2_000_000}, "the last is 1000000"},
		{mock.Fault{Operation: "paymentChangd", Kind: mock.WebhookLost}, "did you mean paymentChanged?"},
		{mock.Fault{Operation: "createOrder", Kind: mock.WebhookLost}, `there is no webhook "createOrder"`},
		{mock.Fault{Operation: "paymentChanged", Kind: mock.HangAfterEffect}, `there is no operation "paymentChanged"`},
		{mock.Fault{Operation: "paymentChanged", Kind: mock.WebhookLost, Delay: time.Second}, "webhook-lost takes no delay"},
		{mock.Fault{Operation: "paymentChanged", Kind: mock.WebhookBurst, Count: -1}, "a count of -1"},
	} {
		err := server.Plan(test.fault)
		if !errors.Is(err, mock.ErrFault) || !strings.Contains(err.Error(), test.says) {
			t.Errorf("%+v: error %v, expected one that says %q", test.fault, err, test.says)
		}
	}
}

func TestFaultsThatNeverFireSayWhy(t *testing.T) {
	for _, test := range []struct {
		fault mock.Fault
		key   string
		body  string
		says  string
	}{
		{mock.Fault{Operation: "createOrder", Occurrence: 2, Kind: mock.HangAfterEffect}, "k", newOrder, "there was no request 2 to createOrder"},
		{mock.Fault{Operation: "getOrder", Kind: mock.HangAfterEffect}, "k", newOrder, "there was no request 1 to getOrder"},
		{mock.Fault{Operation: "createOrder", Kind: mock.RefusedStream}, "k", newOrder, "came over HTTP/1.1"},
		{mock.Fault{Operation: "createOrder", Kind: mock.NoConnection}, "k", newOrder, "did not open its connection through the mock"},
		{mock.Fault{Operation: "createOrder", Kind: mock.ReusedConnectionClosed}, "k", newOrder, "on a new connection"},
		{mock.Fault{Operation: "createOrder", Kind: mock.KeyExpiredReruns}, "k", newOrder, "had not come before"},
		{mock.Fault{Operation: "createOrder", Kind: mock.QuotedKeyRefused}, "k", newOrder, "not in quotes"},
		{mock.Fault{Operation: "createOrder", Kind: mock.HangAfterEffect}, "k", `{}`, "breaks the description"},
		{mock.Fault{Operation: "createOrder", Kind: mock.KeyMissing}, "", newOrder, "breaks the description"},
		{mock.Fault{Operation: "paymentChanged", Kind: mock.WebhookLost}, "", newOrder, "no receiver was named"},
	} {
		t.Run(test.fault.String()+" "+test.says, func(t *testing.T) {
			server, c := play(t, orderFlow(t))
			plan(t, server, test.fault)
			fields := []string{}
			if test.key != "" {
				fields = append(fields, "Idempotency-Key: "+test.key)
			}
			c.do("POST", "/orders", test.body, fields...)
			unfired := server.Unfired()
			if len(unfired) != 1 || !strings.Contains(unfired[0].Error(), test.says) {
				t.Errorf("unfired %v, expected %q", unfired, test.says)
			}
		})
	}
}

func TestOfTwoFaultsForOneRequestTheFirstActs(t *testing.T) {
	server, c := play(t, orderFlow(t))
	plan(t, server, mock.Fault{Operation: "createOrder", Kind: mock.TooEarly}, mock.Fault{Operation: "createOrder", Kind: mock.RequestTimeout})
	c.expect(425, "POST", "/orders", newOrder, "Idempotency-Key: k")
	c.expect(201, "POST", "/orders", newOrder, "Idempotency-Key: k")
	if unfired := server.Unfired(); len(unfired) != 1 || !strings.Contains(unfired[0].Error(), "another fault was planned for the same request") {
		t.Errorf("unfired %v", unfired)
	}
}

func TestTheSeedDrawsTheOccurrence(t *testing.T) {
	sources := orderFlow(t)
	occurrence := func(seed uint64) int {
		server := mock.New(sources, mock.Options{})
		if err := server.Apply(mock.FaultPlan{Seed: seed, Faults: []mock.Fault{{Operation: "createOrder", Occurrence: 2, Upto: 4, Kind: mock.HangAfterEffect}}}); err != nil {
			t.Fatal(err)
		}
		return server.Ledger().Faults[0].Occurrence
	}
	drawn := map[int]bool{}
	for seed := range uint64(50) {
		n := occurrence(seed)
		if n < 2 || n > 4 || n != occurrence(seed) {
			t.Fatalf("seed %d draws %d", seed, n)
		}
		drawn[n] = true
	}
	if len(drawn) != 3 {
		t.Errorf("drawn were only %v", drawn)
	}
}

func TestTheLedgerKnowsTheBusinessReference(t *testing.T) {
	server, c := play(t, orderFlow(t))
	c.expect(201, "POST", "/orders", newOrder, "Idempotency-Key: a")
	c.expect(201, "POST", "/orders", newOrder, "Idempotency-Key: b")
	c.expect(201, "POST", "/payments", newPayment, "Idempotency-Key: p")
	c.expect(200, "POST", "/orders/ord-1/close", `{"paymentReference":"r-1"}`, "Idempotency-Key: c")
	c.expect(200, "POST", "/orders/ord-2/release", "", "Idempotency-Key: d")
	ledger := server.Ledger()
	if len(ledger.Counts) != 5 {
		t.Errorf("counts %+v", ledger.Counts)
	}
	for _, e := range ledger.Effects {
		if e.Reference != "r-1" {
			t.Errorf("%s has the reference %q", e.Operation, e.Reference)
		}
	}
	if a := c.expect(200, "GET", mock.LedgerPath, ""); !strings.Contains(a.Body, `"reference": "r-1"`) || !strings.Contains(a.Body, `"protocol": "HTTP/1.1"`) {
		t.Errorf("ledger %s", a.Body)
	}
}
