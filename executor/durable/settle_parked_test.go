package durable

import (
	"context"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/weft-flow/weft/executor"
	"github.com/weft-flow/weft/idempotency"
)

// TestStatement25ARunParkedBeforeARequestTakesUpASettlement: the request that was not sent
// is not told as one, and the events of the run that goes on tell what was found out.
func TestStatement25ARunParkedBeforeARequestTakesUpASettlement(t *testing.T) {
	onEach(t, func(t *testing.T, url string) {
		shop, servers := playMuted(t, 1)
		var gone atomic.Bool
		gone.Store(true)
		missing := func(call executor.Call) map[string]string {
			if gone.Load() && call.Operation.ID == "closeOrder" {
				return map[string]string{"token": "give it"}
			}
			return nil
		}
		s := openStore(t, url, quickOptions(t))
		err := s.Drive(t.Context(), DriveOptions{Connect: func(context.Context, Definition) (Connection, error) {
			return Connection{Credentials: []string{"token"}, Missing: missing}, nil
		}})
		if err != nil {
			t.Fatal(err)
		}
		run := begin(t, s, Spec{Bundle: flowBundle(t, unknownFlow), Config: executor.Config{Servers: servers, Timeout: executor.NoTimeout}}, `{"ref":"1"}`).Run
		awaits(t, s, run)
		if _, err := s.Deliver(t.Context(), run, executor.Message{Box: paidBox, Identity: "m1", Body: []byte(`{"ref":"1"}`)}); err != nil {
			t.Fatal(err)
		}
		d, err := untilShown(t.Context(), s, run, func(d Detail) bool { return d.Parked != "" })
		if err != nil || !strings.Contains(d.Parked, "token") || len(d.Steps) != 1 || d.Steps[0].Operation != idempotency.Unknown {
			t.Fatalf("%+v, %v", d, err)
		}
		if err := s.Settle(t.Context(), run, Settlement{Step: "pay", Outcome: "succeeded", Operator: "ann", Response: []byte(`{"payment":"p-1"}`)}); err != nil {
			t.Fatal(err)
		}
		gone.Store(false)
		if err := s.Resume(t.Context(), run); err != nil {
			t.Fatal(err)
		}
		checkSettled(t, end(t, s, run), shop)
		if d, err = s.Show(t.Context(), run); err != nil || !isTakenUp(d) || len(d.Steps) != 2 || d.Steps[1].Operation != idempotency.Succeeded {
			t.Errorf("%+v, %v", d, err)
		}
		replay(t, s, run)
	})
}
