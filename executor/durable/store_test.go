package durable

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/weft-flow/weft/executor"
)

func TestARunIsDriven(t *testing.T) {
	onEach(t, func(t *testing.T, url string) {
		b := flowBundle(t, keyedFlow)
		server, servers := playShop(t, b)
		s := driving(t, url)
		started, err := s.Start(t.Context(), Spec{Bundle: b, Config: executor.Config{Servers: servers}, Inputs: inputs(t, `{"ref":"r-7"}`), Token: "t-1"})
		if err != nil {
			t.Fatal(err)
		}
		events := &eventList{}
		result, err := s.Follow(t.Context(), started.Run, 0, events)
		if err != nil {
			t.Fatal(err)
		}
		if result.Status != executor.Succeeded || result.Workflows[0].State != "DONE" || result.Run != started.Run {
			t.Errorf("the run ended as %+v", result)
		}
		if diff := cmp.Diff(map[string]int{"createOrder": 1, "closeOrder": 1}, effects(server)); diff != "" {
			t.Errorf("effects (-want +got)\n%s", diff)
		}
		for i, e := range events.events {
			if e.Sequence != i+1 {
				t.Fatalf("event %d has the number %d", i+1, e.Sequence)
			}
		}
		if last := events.events[len(events.events)-1]; last.Detail.Type() != "runFinished" {
			t.Errorf("the last event is %s", last.Detail.Type())
		}
	})
}
