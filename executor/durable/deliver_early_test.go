package durable

import (
	"testing"

	"github.com/weft-flow/weft/arazzo/value"
	"github.com/weft-flow/weft/executor"
	"github.com/weft-flow/weft/executor/channel"
)

// TestDeliveredAndReceivedBeforeTheRunBeganAreOneMessage, in either order.
func TestDeliveredAndReceivedBeforeTheRunBeganAreOneMessage(t *testing.T) {
	for name, handFirst := range map[string]bool{"by hand first": true, "received first": false} {
		t.Run(name, func(t *testing.T) {
			onEach(t, func(t *testing.T, url string) {
				s := openStore(t, url, quickOptions(t))
				run := begin(t, s, Spec{Bundle: flowBundle(t, waitFlow)}, `{"ref":"1"}`).Run
				plan, err := s.Plan(t.Context(), run)
				if err != nil {
					t.Fatal(err)
				}
				boxes := plan.Mailboxes()
				if err := s.Hub().Declare(t.Context(), boxes); err != nil {
					t.Fatal(err)
				}
				fromOutside := func() channel.Kept {
					kept, err := s.Hub().Keep(t.Context(), channel.Arrival{
						Place: channel.PlaceOf(boxes[0]), Received: s.now(), Method: "POST", Identity: "m1", Header: executor.Header{"Webhook-Id": {"m1"}}, Body: []byte(`{"ref":"1"}`),
					})
					if err != nil {
						t.Fatal(err)
					}
					return kept
				}
				for n := range 2 {
					if handFirst == (n == 0) {
						_, err = s.Deliver(t.Context(), run, executor.Message{Box: paidBox, Method: "POST", Identity: "m1", Header: executor.Header{"Webhook-Id": {"m1"}}, Body: []byte(`{"ref":"1"}`)})
					} else {
						fromOutside()
					}
					if err != nil {
						t.Fatal(err)
					}
				}
				where, err := executor.ParseLocator("$message.payload#/ref")
				if err != nil {
					t.Fatal(err)
				}
				boxes[0].Expect = []executor.Expectation{{Box: paidBox, Where: where, Value: value.String("1")}}
				if _, err := s.Hub().Open(t.Context(), run, boxes); err != nil {
					t.Fatal(err)
				}
				if kept := fromOutside(); kept.Outcome != channel.Duplicate || kept.Run != run {
					t.Errorf("once more: %+v", kept)
				}
				d, err := s.Show(t.Context(), run)
				if err != nil || len(d.Messages) != 1 || d.Messages[0].Same != 2 {
					t.Errorf("%+v, %v", d.Messages, err)
				}
				if all, err := s.Hub().Unmatched(t.Context()); err != nil || len(all) > 0 {
					t.Errorf("unmatched: %+v, %v", all, err)
				}
			})
		})
	}
}
