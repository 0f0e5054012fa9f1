package durable

import (
	"strings"
	"testing"

	"github.com/weft-flow/weft/arazzo/value"
	"github.com/weft-flow/weft/executor"
	"github.com/weft-flow/weft/executor/channel"
)

// TestDeliveredAndReceivedAreOneMessage: what is handed over by hand and what comes to
// the address are told apart by what the step says names a message, in either order.
func TestDeliveredAndReceivedAreOneMessage(t *testing.T) {
	flow := strings.Replace(waitFlow, "    x-weft-correlation: $message.payload#/ref\n", "    x-weft-correlation: $message.payload#/ref\n    x-weft-message-id: $message.payload#/id\n", 1)
	onEach(t, func(t *testing.T, url string) {
		s := openStore(t, url, quickOptions(t))
		run := begin(t, s, Spec{Bundle: flowBundle(t, flow)}, `{"ref":"1"}`).Run
		plan, err := s.Plan(t.Context(), run)
		if err != nil || len(plan.Identities(paidBox)) != 1 || len(plan.Identities("other")) != 0 {
			t.Fatal(plan, err)
		}
		where, err := executor.ParseLocator("$message.payload#/ref")
		if err != nil {
			t.Fatal(err)
		}
		byHand := func(id, more string) Delivered {
			t.Helper()
			d, err := s.Deliver(t.Context(), run, executor.Message{Box: paidBox, Method: "POST", Body: []byte(`{"ref":"1","id":"` + id + `"` + more + `}`)})
			if err != nil {
				t.Fatal(err)
			}
			return d
		}
		received := func(id, more string) channel.Kept {
			t.Helper()
			kept, err := s.Hub().Keep(t.Context(), channel.Arrival{Place: channel.PlaceOf(plan.Mailboxes()[0]), Received: s.now(), Method: "POST", Body: []byte(`{"ref":"1","id":"` + id + `"` + more + `}`)})
			if err != nil {
				t.Fatal(err)
			}
			return kept
		}
		if d := byHand("early", ""); d.Number != 1 || d.Duplicate {
			t.Errorf("%+v", d)
		}
		boxes := plan.Mailboxes()
		boxes[0].Expect = []executor.Expectation{{Box: paidBox, Where: where, Value: value.String("1"), Identity: plan.Identities(paidBox)[0]}}
		if _, err := s.Hub().Open(t.Context(), run, boxes); err != nil {
			t.Fatal(err)
		}
		if kept := received("early", ""); kept.Outcome != channel.Duplicate || kept.Number != 1 {
			t.Errorf("received after it was delivered before the run began: %+v", kept)
		}
		if d := byHand("hand", ""); d.Number != 2 || d.Duplicate {
			t.Errorf("%+v", d)
		}
		if kept := received("hand", ""); kept.Outcome != channel.Duplicate || kept.Number != 2 {
			t.Errorf("received after it was delivered: %+v", kept)
		}
		if kept := received("came", ""); kept.Outcome != channel.Stored || kept.Number != 3 {
			t.Errorf("%+v", kept)
		}
		if d := byHand("came", ""); !d.Duplicate || d.Number != 3 {
			t.Errorf("delivered after it was received: %+v", d)
		}
		if d := byHand("came", `,"x":1`); !d.Conflicting || d.Number != 3 {
			t.Errorf("delivered with other content: %+v", d)
		}
		if _, err := s.Deliver(t.Context(), run, executor.Message{Box: paidBox, Body: []byte(`{"ref":"2"}`)}); err != nil {
			t.Fatal(err)
		}
		detail, err := s.Show(t.Context(), run)
		if err != nil || len(detail.Messages) != 4 {
			t.Fatalf("%+v, %v", detail.Messages, err)
		}
		for n, m := range detail.Messages {
			if m.Stray != (n == 3) {
				t.Errorf("message %d: stray is %t", m.Number, m.Stray)
			}
		}
	})
}
