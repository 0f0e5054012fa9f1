package lint

import (
	"strings"
	"testing"
)

func TestRequeries(t *testing.T) {
	charge := "      - {stepId: charge, operationId: createCharge, " + body + ", outputs: {id: $response.body#/id}}\n"
	for _, c := range []struct {
		name, step string
		may, asks  bool
	}{
		{"a read by a value of the caller", "{stepId: q, operationId: findCharge, parameters: [{name: reference, in: path, value: $inputs.reference}]}", true, true},
		{"a read by its answer", "{stepId: q, operationId: getCharge, parameters: [{name: chargeId, in: path, value: $steps.charge.outputs.id}]}", false, false},
		{"a read by something else", "{stepId: q, operationId: getCharge, parameters: [{name: chargeId, in: path, value: $inputs.chargeId}]}", false, false},
		{"a read of something else by the same value", "{stepId: q, operationId: findTransfers, parameters: [{name: reference, in: query, value: $inputs.reference}]}", true, false},
		{"a read that shares a header", "{stepId: q, operationId: newKey, parameters: [{name: Authorization, in: header, value: $inputs.reference}]}", false, false},
		{"a read that says so", "{stepId: q, operationId: newKey, x-weft-requery-of: charge}", true, true},
		{"a message that is recognised by a value of the caller", "{stepId: q, operationId: chargeChanged, action: receive, correlationId: $inputs.reference}", true, true},
		{"a message that is recognised by a value of the answer", "{stepId: q, operationId: chargeChanged, action: receive, correlationId: $steps.charge.outputs.id}", false, false},
		{"a second request", "{stepId: q, operationId: createCharge, " + body + "}", false, false},
		{"a workflow", "{stepId: q, workflowId: w}", true, false},
		{"what is not known", "{stepId: q, operationId: nothing}", true, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := loaded(t, charge+"      - "+c.step+"\n", nil)
			if may, asks := w.Steps[1].MayAsk(w.Steps[0]), w.Steps[1].Asks(w.Steps[0]); may != c.may || asks != c.asks {
				t.Errorf("may ask %t, asks %t; want %t, %t", may, asks, c.may, c.asks)
			}
		})
	}
}

func TestOffers(t *testing.T) {
	for _, c := range []struct{ name, step, want string }{
		{"by a member of the body", "{stepId: s, operationId: createCharge, " + body + "}", "findCharge"},
		{"by a member of a collection", "{stepId: s, operationId: createTransfer, " + body + "}", "findTransfers"},
		{"by the path of an action", "{stepId: s, operationId: refundCharge, parameters: [{name: chargeId, in: path, value: $inputs.chargeId}]}", "getCharge"},
		{"nothing that it sends", "{stepId: s, operationId: createCharge, requestBody: {payload: {amount: $inputs.amount}}}", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			var got []string
			for _, o := range loaded(t, "      - "+c.step+"\n", nil).Steps[0].Offers() {
				got = append(got, o.ID)
			}
			if strings.Join(got, " ") != c.want {
				t.Errorf("got %v, want %s", got, c.want)
			}
		})
	}
}
