package durable

import (
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/weft-flow/weft/executor"
	"github.com/weft-flow/weft/idempotency"
)

func TestListAndForget(t *testing.T) {
	const runs = 7
	onEach(t, func(t *testing.T, url string) {
		b := flowBundle(t, unsafeFlow)
		_, servers := playShop(t, b)
		s := driving(t, url)
		config := executor.Config{Servers: servers}
		var ids []string
		for i := range runs {
			spec := Spec{Bundle: b, Config: config, Tenant: []string{"", "other"}[i%2], Token: fmt.Sprint("t", i), Retention: time.Hour}
			ids = append(ids, begin(t, s, spec, `{"ref":"1"}`).Run)
		}
		for _, id := range ids {
			end(t, s, id)
			awaitRecorded(t, s, id)
		}
		var listed []string
		f := Filter{Limit: 2}
		for pages := 1; ; pages++ {
			page, err := s.List(t.Context(), f)
			if err != nil || len(page.Runs) > 2 || pages > runs {
				t.Fatal(page, err)
			}
			for _, run := range page.Runs {
				listed = append(listed, run.Run)
			}
			if f.After = page.Next; f.After == "" {
				break
			}
		}
		slices.Reverse(ids)
		if !slices.Equal(listed, ids) {
			t.Errorf("listed %v, want %v", listed, ids)
		}
		other := "other"
		for name, test := range map[string]struct {
			filter Filter
			want   int
		}{
			"a tenant":    {Filter{Tenant: &other}, runs / 2},
			"no tenant":   {Filter{Tenant: new(string)}, runs - runs/2},
			"a workflow":  {Filter{Workflow: "buy"}, runs},
			"none such":   {Filter{Workflow: "sell"}, 0},
			"a status":    {Filter{Status: executor.Succeeded, State: idempotency.Ended}, runs},
			"of no state": {Filter{State: idempotency.Running}, 0},
			"a token":     {Filter{Token: "t3"}, 1},
			"parked":      {Filter{Parked: true}, 0},
		} {
			if page, err := s.List(t.Context(), test.filter); err != nil || len(page.Runs) != test.want {
				t.Errorf("%s: %d runs, %v; want %d", name, len(page.Runs), err, test.want)
			}
		}
		if _, err := s.List(t.Context(), Filter{After: "x"}); !errors.Is(err, ErrPage) {
			t.Errorf("a page that there is not: %v", err)
		}
		if n, err := s.Forget(t.Context(), time.Hour, 100); n != 0 || err != nil {
			t.Errorf("forgotten before its time: %d, %v", n, err)
		}
		ended := map[string]time.Time{}
		for _, id := range ids {
			found, err := s.Find(t.Context(), id)
			if err != nil {
				t.Fatal(err)
			}
			ended[id] = found.Ended
		}
		if n, err := s.Forget(t.Context(), 0, runs-1); n != runs-1 || err != nil {
			t.Errorf("forgotten: %d, %v", n, err)
		}
		page, err := s.List(t.Context(), Filter{})
		if err != nil || len(page.Runs) != 1 {
			t.Fatalf("left is %+v, %v", page.Runs, err)
		}
		left := page.Runs[0].Run
		for _, id := range ids {
			if id == left {
				continue
			}
			if ended[id].After(ended[left]) {
				t.Errorf("forgotten is %s, which ended at %v, and not %s, which ended at %v", id, ended[id], left, ended[left])
			}
			if _, err := s.Find(t.Context(), id); !errors.Is(err, ErrNoRun) {
				t.Errorf("a run that is forgotten: %v", err)
			}
			for table := range findEverywhere(t, s, id) {
				if table != "weft_token" && table != "public.weft_token" && table != "weft_news" {
					t.Errorf("%s still knows the run", table)
				}
			}
		}
		retained := "t0"
		if ids[runs-1] == left { // the first that was started
			retained = "t2" // of the same tenant
		}
		h := held(t, s, Spec{Bundle: b, Config: config, Token: retained}, `{"ref":"1"}`)
		if result, err := s.ReadHeld(h.Holder); err != nil || result.Status != executor.Succeeded {
			t.Errorf("the result of a retained token after its run was forgotten: %+v, %v", result, err)
		}
	})
}

// TestStatement25Settle: an operator settles what is unknown, once, and is named.
func TestStatement25Settle(t *testing.T) {
	onEach(t, func(t *testing.T, url string) {
		b := flowBundle(t, unsafeFlow)
		shop, servers := playGated(t)
		s := driving(t, url)
		config := executor.Config{Servers: servers, StepTimeout: 100 * time.Millisecond}
		defer shop.release()
		started := begin(t, s, Spec{Bundle: b, Config: config}, `{"ref":"1"}`)
		if result := end(t, s, started.Run); result.Status != executor.Unknown {
			t.Fatalf("%+v", result)
		}
		by := Settlement{Step: "pay", Outcome: "succeeded", Operator: "ann", Response: []byte(`{"id":"p-1"}`)}
		for name, wrong := range map[string]Settlement{"another step": {Step: "x", Outcome: "failed"}, "no outcome": {Step: "pay", Outcome: "maybe"}} {
			if err := s.Settle(t.Context(), started.Run, wrong); err == nil {
				t.Errorf("%s is settled", name)
			}
		}
		if err := s.Settle(t.Context(), started.Run, by); err != nil {
			t.Fatal(err)
		}
		if err := s.Settle(t.Context(), started.Run, by); !errors.Is(err, ErrSettled) {
			t.Errorf("settled again: %v", err)
		}
		d, err := s.Show(t.Context(), started.Run)
		if err != nil || len(d.Settlements) != 1 || d.Settlements[0].Operator != "ann" || d.Settlements[0].Settled.IsZero() {
			t.Fatalf("%+v, %v", d, err)
		}
		if len(d.Steps) != 1 || d.Steps[0].Operation != idempotency.Unknown || d.Steps[0].Requested.IsZero() || d.Status != executor.Unknown {
			t.Errorf("%+v", d)
		}
	})
}

// TestHeldUntilTellsWhatHolds: a run whose token was released does not hold it, also
// when another run does.
func TestHeldUntilTellsWhatHolds(t *testing.T) {
	onEach(t, func(t *testing.T, url string) {
		b := flowBundle(t, unsafeFlow)
		s := openStore(t, url, quickOptions(t))
		spec := Spec{Bundle: b, Token: "t", Retention: time.Hour}
		first := begin(t, s, spec, `{"ref":"1"}`).Run
		holds := func(run string, want bool) {
			t.Helper()
			found, err := s.Find(t.Context(), run)
			if err != nil || found.HeldUntil.IsZero() == want {
				t.Errorf("the run %s is held until %v, %v", run, found.HeldUntil, err)
			}
		}
		holds(first, true)
		if _, err := s.Release(t.Context(), "", "buy", "t"); err != nil {
			t.Fatal(err)
		}
		holds(first, false)
		second := begin(t, s, spec, `{"ref":"2"}`).Run
		holds(first, false)
		holds(second, true)
		page, err := s.List(t.Context(), Filter{})
		if err != nil || len(page.Runs) != 2 || page.Runs[0].HeldUntil.IsZero() || !page.Runs[1].HeldUntil.IsZero() {
			t.Errorf("%+v, %v", page, err)
		}
	})
}
