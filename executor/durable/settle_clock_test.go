package durable

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/weft-flow/weft/executor"
)

// TestStatement25ASettlementGoesByTheRequestAndNotByClocks: whoever settles from a machine
// with another clock settles each request once, too.
func TestStatement25ASettlementGoesByTheRequestAndNotByClocks(t *testing.T) {
	for name, wrong := range map[string]time.Duration{"ahead": time.Hour, "behind": -time.Hour} {
		t.Run(name, func(t *testing.T) {
			onEach(t, func(t *testing.T, url string) {
				_, servers := playMuted(t, 2)
				s := driving(t, url)
				o := quickOptions(t)
				o.Now = func() time.Time { return time.Now().Add(wrong) }
				elsewhere := openStore(t, url, o)
				flow := strings.Replace(againFlow, "OPERATION", "pay", 1)
				run := begin(t, s, Spec{Bundle: flowBundle(t, flow), Config: executor.Config{Servers: servers, Timeout: executor.NoTimeout}}, `{"ref":"1"}`).Run
				awaitsWait(t, s, run, 1)
				if err := s.Close(); err != nil { // so that nobody takes it up meanwhile
					t.Fatal(err)
				}
				failed := Settlement{Step: "pay", Outcome: "failed", Operator: "ann"}
				if err := elsewhere.Settle(t.Context(), run, failed); err != nil {
					t.Fatal(err)
				}
				if err := elsewhere.Settle(t.Context(), run, Settlement{Step: "pay", Outcome: "succeeded", Operator: "bob"}); !errors.Is(err, ErrSettled) {
					t.Errorf("settled again: %v", err)
				}
				s = driving(t, url)
				if _, err := untilShown(t.Context(), s, run, isTakenUp); err != nil {
					t.Fatal(err)
				}
				if _, err := s.Deliver(t.Context(), run, executor.Message{Box: paidBox, Identity: "m1", Body: []byte(`{"ref":"1"}`)}); err != nil {
					t.Fatal(err)
				}
				awaitsWait(t, s, run, 2)
				if err := elsewhere.Settle(t.Context(), run, failed); err != nil {
					t.Errorf("the second payment: %v", err)
				}
			})
		})
	}
}
