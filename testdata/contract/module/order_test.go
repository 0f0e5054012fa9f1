package shop_test

import (
	"net/http"
	"testing"

	"github.com/jarcoal/httpmock"

	"github.com/weft-flow/weft/executor"
	"github.com/weft-flow/weft/executor/contract"
	"github.com/weft-flow/weft/executor/mock"

	"example.com/shop"
)

// load gives the order flow, mocked behind the shop's own client.
func load(t *testing.T) *contract.Document {
	t.Helper()
	doc := contract.Load(t, "testdata/order.arazzo.yaml")
	doc.Use(shop.NewClient(doc.Transport()))
	return doc
}

func TestAnOrderIsPaidAndShipped(t *testing.T) {
	run := load(t).Run(t, "order", contract.Inputs{"reference": "r-1"})
	run.Status(executor.Succeeded)
	run.Output("state", "PAID")
	run.Calls("createOrder", "payOrder")
	run.OneKey("payOrder")
	run.Effects(map[string]int{"createOrder": 1, "payOrder": 1})
}

func TestALostAnswerDoesNotPayTwice(t *testing.T) {
	doc := load(t)
	doc.Break(mock.Fault{Operation: "payOrder", Kind: mock.ResetAfterEffect})
	run := doc.Run(t, "order", contract.Inputs{"reference": "r-2"})
	run.Status(executor.Succeeded)
	run.Called("payOrder", 2)
	run.OneKey("payOrder")
	run.Effects(map[string]int{"createOrder": 1, "payOrder": 1})
}

func TestARefusedPaymentEndsTheOrder(t *testing.T) {
	doc := load(t)
	doc.Respond("payOrder", func(r *http.Request) (*http.Response, error) {
		if r.Header.Get("X-Client") != "shop" {
			t.Errorf("the request did not go through the shop's client")
		}
		return httpmock.NewStringResponse(http.StatusPaymentRequired, ""), nil
	})
	run := doc.Run(t, "order", contract.Inputs{"reference": "r-3"})
	run.Status(executor.Failed)
	run.Took("pay", "refused")
}

func TestEverything(t *testing.T) {
	report := load(t).Everything(t, contract.Options{Budget: -1})
	if c := report.Workflows[0].Coverage.Actions; c.Covered != c.Total {
		t.Errorf("%d of %d actions are covered", c.Covered, c.Total)
	}
}
