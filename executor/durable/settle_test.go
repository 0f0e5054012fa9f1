package durable

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/weft-flow/weft/executor"
	"github.com/weft-flow/weft/idempotency"
)

// unknownFlow pays without a key contract, waits for a message whatever came of that, and
// closes the order with what the payment gave.
const unknownFlow = `
workflows:
- workflowId: buy
  inputs: {type: object, properties: {ref: {type: string}}}
  steps:
  - stepId: pay
    operationId: pay
    requestBody: {contentType: application/json, payload: {ref: $inputs.ref}}
    outputs: {payment: $response.body#/payment}
    onFailure: [{name: see, type: goto, stepId: wait}]
  - stepId: wait
    operationId: paid
    action: receive
    correlationId: $inputs.ref
    timeout: 259200000
    x-weft-correlation: $message.payload#/ref
  - {stepId: close, operationId: closeOrder, requestBody: {contentType: application/json, payload: {ref: $inputs.ref, payment: $steps.pay.outputs.payment}}}
  outputs: {payment: $steps.pay.outputs.payment}
`

// mutedShop takes payments and orders, and closes the connection in place of an answer.
type mutedShop struct {
	mu    sync.Mutex
	muted int                 // how many of the next requests get no answer, but closings; negative: all
	keys  map[string][]string // by path
	last  map[string]string   // body, by path
}

func (m *mutedShop) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	m.mu.Lock()
	m.keys[r.URL.Path] = append(m.keys[r.URL.Path], r.Header.Get("Idempotency-Key"))
	m.last[r.URL.Path] = string(body)
	mute := m.muted != 0 && r.URL.Path != "/closings"
	if mute && m.muted > 0 {
		m.muted--
	}
	m.mu.Unlock()
	if mute {
		panic(http.ErrAbortHandler)
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(http.StatusCreated)
	fmt.Fprint(w, `{"id":"ord-1"}`)
}

func (m *mutedShop) sent(path string) (keys []string, last string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return slices.Clone(m.keys[path]), m.last[path]
}

func playMuted(t *testing.T, muted int) (*mutedShop, map[string]string) {
	m := &mutedShop{muted: muted, keys: map[string][]string{}, last: map[string]string{}}
	server := httptest.NewServer(m)
	t.Cleanup(server.Close)
	return m, map[string]string{"shop": server.URL}
}

// untilShown looks at a run until it is as it should be.
func untilShown(ctx context.Context, s *Store, run string, is func(Detail) bool) (d Detail, err error) {
	ctx, cancel := context.WithTimeout(ctx, 20*time.Second)
	defer cancel()
	for {
		if d, err = s.Show(ctx, run); err == nil && is(d) {
			return d, nil
		}
		select {
		case <-ctx.Done():
			return d, fmt.Errorf("%w: the run is %+v", errors.Join(ctx.Err(), err), d)
		case <-time.After(20 * time.Millisecond):
		}
	}
}

func isTakenUp(d Detail) bool { return len(d.Settlements) == 1 && d.Settlements[0].TakenUp }

func isWaiting(d Detail) bool { return d.Waiting != nil && d.Waiting.Inbox }

// operate is what an operator does, who learns that the payment was made, and what the
// outside does then. What was done before is done.
func operate(ctx context.Context, s *Store, run string) error {
	d, err := untilShown(ctx, s, run, func(d Detail) bool { return isWaiting(d) || d.State == idempotency.Ended })
	if err != nil || d.State == idempotency.Ended {
		return err
	}
	err = s.Settle(ctx, run, Settlement{Step: "pay", Outcome: "succeeded", Operator: "ann", Response: []byte(`{"payment":"p-1"}`)})
	if err != nil && !errors.Is(err, ErrSettled) {
		return err
	}
	if _, err := untilShown(ctx, s, run, isTakenUp); err != nil {
		return err
	}
	_, err = s.Deliver(ctx, run, executor.Message{Box: paidBox, Identity: "m1", Body: []byte(`{"ref":"1"}`)})
	if errors.Is(err, ErrRunEnded) {
		return nil
	}
	return err
}

// checkSettled holds how a run ends of which ann has settled the payment as made.
func checkSettled(t *testing.T, result executor.Result, shop *mutedShop) {
	t.Helper()
	if result.Status != executor.Recovered || result.Workflows[0].Outputs.Get("payment").Text() != "p-1" {
		t.Errorf("the run ended as %+v", result)
	}
	pays, _ := shop.sent("/payments")
	closings, last := shop.sent("/closings")
	if len(pays) > 1 || !strings.Contains(last, `"payment":"p-1"`) {
		t.Errorf("%d payments; closed with %s", len(pays), last)
	}
	slices.Sort(closings)
	if len(slices.Compact(closings)) != 1 { // it may come twice, under its key
		t.Errorf("closed under the keys %v", closings)
	}
}

// TestStatement25ARunTakesUpASettlement: a run that waits goes on from what an operator
// tells as if a requery had told it, and a replay does so again.
func TestStatement25ARunTakesUpASettlement(t *testing.T) {
	onEach(t, func(t *testing.T, url string) {
		b := flowBundle(t, unknownFlow)
		s := driving(t, url)
		for outcome, class := range map[string]idempotency.Class{"succeeded": idempotency.Succeeded, "failed": idempotency.Rejected} {
			t.Run(outcome, func(t *testing.T) {
				shop, servers := playMuted(t, 1)
				run := begin(t, s, Spec{Bundle: b, Config: executor.Config{Servers: servers, Timeout: executor.NoTimeout}}, `{"ref":"1"}`).Run
				before := awaits(t, s, run)
				settlement := Settlement{Step: "pay", Outcome: outcome, Operator: "ann"}
				if outcome == "succeeded" {
					settlement.Response = []byte(`{"payment":"p-1"}`)
				}
				elsewhere := settlement
				elsewhere.Workflow = "sell"
				if err := s.Settle(t.Context(), run, elsewhere); !errors.Is(err, ErrNotUnknown) {
					t.Errorf("a step of another workflow: %v", err)
				}
				if err := s.Settle(t.Context(), run, settlement); err != nil {
					t.Fatal(err)
				}
				d, err := untilShown(t.Context(), s, run, isTakenUp)
				if err != nil {
					t.Fatal(err)
				}
				if step := d.Steps[0]; step.Operation != class || step.Class != idempotency.Unknown || step.Reason != "settled by ann" {
					t.Errorf("the step: %+v", step)
				}
				if still := awaits(t, s, run); !still.Waiting.Until.Equal(before.Waiting.Until) {
					t.Errorf("it waits until %v, before until %v", still.Waiting.Until, before.Waiting.Until)
				}
				if err := s.Settle(t.Context(), run, settlement); !errors.Is(err, ErrSettled) {
					t.Errorf("settled again: %v", err)
				}
				if _, err := s.Deliver(t.Context(), run, executor.Message{Box: paidBox, Identity: "m1", Body: []byte(`{"ref":"1"}`)}); err != nil {
					t.Fatal(err)
				}
				result := end(t, s, run)
				if outcome == "succeeded" {
					checkSettled(t, result, shop)
				} else if _, last := shop.sent("/closings"); result.Status != executor.Recovered || strings.Contains(last, "payment") {
					t.Errorf("%+v; closed with %s", result, last)
				}
				replay(t, s, run)
			})
		}
	})
}

// TestStatement25ASettlementIsKeptForARunThatStands: what is told while no node executes
// the run, or while it is parked, it takes up when it goes on; also when that is its end.
func TestStatement25ASettlementIsKeptForARunThatStands(t *testing.T) {
	onEach(t, func(t *testing.T, url string) {
		b := flowBundle(t, unknownFlow)
		shop, servers := playMuted(t, 1)
		first := driving(t, url)
		run := begin(t, first, Spec{Bundle: b, Config: executor.Config{Servers: servers, Timeout: executor.NoTimeout}}, `{"ref":"1"}`).Run
		awaits(t, first, run)
		if err := first.Close(); err != nil {
			t.Fatal(err)
		}
		broken := true
		s := openStore(t, url, quickOptions(t))
		if err := s.Settle(t.Context(), run, Settlement{Step: "pay", Outcome: "succeeded", Operator: "ann", Response: []byte(`{"payment":"p-1"}`)}); err != nil {
			t.Fatal(err)
		}
		if _, err := s.Deliver(t.Context(), run, executor.Message{Box: paidBox, Identity: "m1", Body: []byte(`{"ref":"1"}`)}); err != nil {
			t.Fatal(err)
		}
		var mu sync.Mutex
		connect := func(context.Context, Definition) (Connection, error) {
			mu.Lock()
			defer mu.Unlock()
			if broken {
				return Connection{}, errors.New("nothing can be connected")
			}
			return Connection{}, nil
		}
		if err := s.Drive(t.Context(), DriveOptions{Connect: connect}); err != nil {
			t.Fatal(err)
		}
		d, err := untilShown(t.Context(), s, run, func(d Detail) bool { return d.Parked != "" })
		if err != nil || isTakenUp(d) {
			t.Fatalf("%+v, %v", d, err)
		}
		mu.Lock()
		broken = false
		mu.Unlock()
		if err := s.Resume(t.Context(), run); err != nil {
			t.Fatal(err)
		}
		checkSettled(t, end(t, s, run), shop)
		if d, err = s.Show(t.Context(), run); err != nil || !isTakenUp(d) {
			t.Errorf("%+v, %v", d.Settlements, err)
		}
		replay(t, s, run)
	})
}

// TestStatement25ASettlementEndsTheSleepBeforeARepeat: what an operator tells of an
// operation that is to be repeated under its key hours later has it repeated at once.
func TestStatement25ASettlementEndsTheSleepBeforeARepeat(t *testing.T) {
	flow := strings.Replace(keyedFlow, "retryAfter: 0.01", "retryAfter: 7200", 1)
	onEach(t, func(t *testing.T, url string) {
		shop, servers := playMuted(t, 1)
		s := driving(t, url)
		run := begin(t, s, Spec{Bundle: flowBundle(t, flow), Config: executor.Config{Servers: servers, Timeout: executor.NoTimeout}}, `{"ref":"1"}`).Run
		if _, err := untilShown(t.Context(), s, run, func(d Detail) bool { return d.Waiting != nil && len(d.Steps) == 1 }); err != nil {
			t.Fatal(err)
		}
		if err := s.Settle(t.Context(), run, Settlement{Step: "order", Outcome: "failed", Operator: "ann"}); err != nil {
			t.Fatal(err)
		}
		end(t, s, run)
		if keys, _ := shop.sent("/orders"); len(keys) != 2 || keys[0] != keys[1] || keys[0] == "" {
			t.Errorf("sent under %v", keys)
		}
		replay(t, s, run)
	})
}

// TestStatement25KilledAroundASettlement kills the process at every recorded point from the
// wait in which a run is settled until it goes on, and as it is settled.
func TestStatement25KilledAroundASettlement(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"sqlite", "postgres"} {
		t.Run(name, func(t *testing.T) {
			databases, b := newCrashDatabases(t, name), flowBundle(t, unknownFlow)
			var points []string
			t.Run("whole", func(t *testing.T) { points = settledAt(t, databases.take(t), b, 0) })
			settles, from, to := 0, slices.Index(points, "before buy/wait#1/1:waits"), slices.Index(points, "after buy/close#1/1:prepare")
			for i, point := range points {
				if i < from || i > to {
					continue
				}
				if strings.HasSuffix(point, "settle") || strings.HasSuffix(point, settledSuffix) {
					settles++
				}
				t.Run(fmt.Sprintf("%02d %s", i+1, strings.ReplaceAll(point, "/", "|")), func(t *testing.T) {
					t.Parallel()
					settledAt(t, databases.take(t), b, i+1)
				})
			}
			if settles != 4 || to-from < 15 {
				t.Errorf("%d of %d points are about the settlement, want 4: %v", settles, to-from+1, points)
			}
			t.Logf("killed at %d points, %d of them about the settlement", to-from+1, settles)
		})
	}
}

// settledAt runs the flow in a process that kills itself at a point (0: at none), and then
// goes on with it here.
func settledAt(t *testing.T, url string, b *Bundle, at int) (points []string) {
	t.Helper()
	shop, servers := playMuted(t, -1)
	spec := Spec{Bundle: b, Run: fmt.Sprintf("run-%d", at), Token: fmt.Sprintf("token-%d", at), Config: executor.Config{Servers: servers, Timeout: executor.NoTimeout}}
	points, killed := child(t, childOrder{URL: url, Spec: spec, Inputs: `{"ref":"1"}`, KillAt: at, Settles: true})
	if killed != (at > 0) {
		t.Fatalf("killed at point %d: %t", at, killed)
	}
	s := driving(t, url)
	defer func() { _ = s.Close() }() // again with the test, which then looks at the error
	spec.Inputs = inputs(t, `{"ref":"1"}`)
	if _, err := s.Start(t.Context(), spec); err != nil && !errors.Is(err, idempotency.ErrTokenHeld) {
		t.Fatal(err)
	}
	if err := operate(t.Context(), s, spec.Run); err != nil {
		t.Fatal(err)
	}
	checkSettled(t, end(t, s, spec.Run), shop)
	awaitIdle(s)
	events, err := s.Events(t.Context(), spec.Run, 0, 1000)
	if err != nil {
		t.Fatal(err)
	}
	settled := 0
	for n, e := range events {
		if e.Sequence != n+1 {
			t.Fatalf("event %d has the number %d", n+1, e.Sequence)
		}
		if d, is := e.Detail.(executor.OperationSettled); is {
			settled++
			if text, _ := json.Marshal(d); d.By != "ann" || d.Outcome != idempotency.Succeeded || d.Settled.IsZero() {
				t.Errorf("told as %s", text)
			}
		}
	}
	if settled != 1 {
		t.Errorf("it is told %d times that the operation was settled", settled)
	}
	return points
}
