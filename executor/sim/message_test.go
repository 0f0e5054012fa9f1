package sim_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/weft-flow/weft/arazzo/value"
	"github.com/weft-flow/weft/executor"
	"github.com/weft-flow/weft/executor/mock"
	"github.com/weft-flow/weft/executor/sim"
)

const paid = "paymentChanged"

// situation is what happens to the messages of a run, and when the run is cancelled.
type situation struct {
	name   string
	faults []mock.Fault
	cancel time.Duration // after the start; 0: it is not
}

func spoiled(kind mock.FaultKind) mock.Fault { return mock.Fault{Operation: paid, Kind: kind} }

var (
	paidUnseen = mock.Fault{Operation: "requestPayment", Kind: mock.HangAfterEffect}
	notPaid    = mock.Fault{Operation: "requestPayment", Kind: mock.HangBeforeEffect}
	stale      = mock.Fault{Operation: "getPaymentByReference", Kind: mock.ReadStale, Times: 2}
)

// notFound hides the payment from so many questions.
func notFound(times int) mock.Fault {
	return mock.Fault{Operation: "getPaymentByReference", Kind: mock.ReadNotFound, Times: times}
}

// situations are those that every flow which waits for a message meets one day.
func situations() []situation {
	late := mock.Fault{Operation: paid, Kind: mock.WebhookLate, Delay: 45 * time.Second}
	lateNo := mock.Fault{Operation: paid, Kind: mock.WebhookOutOfOrder, Value: "FAILED"}
	burst := spoiled(mock.WebhookBurst)
	all := []situation{
		{name: "in time"},
		{name: "before the response", faults: []mock.Fault{spoiled(mock.WebhookBeforeResponse)}},
		{name: "twice with the same id", faults: []mock.Fault{spoiled(mock.WebhookDoubledSameID)}},
		{name: "twice at once", faults: []mock.Fault{spoiled(mock.WebhookParallel)}},
		{name: "twice with another id", faults: []mock.Fault{spoiled(mock.WebhookDoubledNewID)}},
		{name: "same id, other content", faults: []mock.Fault{spoiled(mock.WebhookConflicting)}},
		{name: "late, after success by requery", faults: []mock.Fault{late}},
		{name: "lost", faults: []mock.Fault{lost}},
		{name: "lost, requery PENDING twice, then SUCCEEDED", faults: []mock.Fault{lost, stale}},
		{name: "FAILED after SUCCEEDED", faults: []mock.Fault{lateNo}},
		{name: "about something else", faults: []mock.Fault{spoiled(mock.WebhookWrongCorrelation)}},
		{name: "a status that the map does not know", faults: []mock.Fault{lost, {Operation: "getPaymentByReference", Kind: mock.ReadUnknownState, Times: 2}}},
		{name: "timeout of the payment, effect done", faults: []mock.Fault{paidUnseen}},
		{name: "timeout of the payment, effect not done", faults: []mock.Fault{notPaid}},
		{name: "not found within settle-after", faults: []mock.Fault{paidUnseen, notFound(3)}},
		{name: "not found beyond settle-after", faults: []mock.Fault{paidUnseen, notFound(40), lost}},
		{name: "not found beyond settle-after, and yet paid", faults: []mock.Fault{paidUnseen, notFound(40)}},
		{name: "bad signature", faults: []mock.Fault{spoiled(mock.WebhookBadSignature)}},
		{name: "stale timestamp", faults: []mock.Fault{spoiled(mock.WebhookStaleTimestamp)}},
		{name: "a burst of 10,000", faults: []mock.Fault{burst}},
		{name: "cancel while waiting", faults: []mock.Fault{lost}, cancel: 10 * time.Second},
		{name: "cancel before a retry", faults: []mock.Fault{{Operation: "requestPayment", Kind: mock.TooManySeconds}}, cancel: 500 * time.Millisecond},
		{name: "cancel while the payment is in the air, effect done", faults: []mock.Fault{paidUnseen}, cancel: time.Second},
		{name: "cancel while the payment is in the air, effect not done", faults: []mock.Fault{notPaid}, cancel: time.Second},
	}
	return all
}

// TestTheOrderFlowInEachSituation runs the bundled flow in each situation, and holds
// what became of it against a table: how the run ended, the state, what was told of
// messages and moves, and the effects.
func TestTheOrderFlowInEachSituation(t *testing.T) {
	f := orderFlow(t, executor.Config{Linger: 2 * time.Minute})
	var table strings.Builder
	table.WriteString("| Situation | Run | State | Order | Messages and refused moves | Attempts | Effects |\n|---|---|---|---|---|---|---|\n")
	for _, s := range situations() {
		result, world, events := f.run(t, sim.Options{Faults: plan(s.faults...), CancelAfter: s.cancel})
		for _, err := range world.Server().Unfired() {
			t.Errorf("%s: %v", s.name, err)
		}
		s.holds(t, result, world)
		w := result.Workflows[0]
		fmt.Fprintf(&table, "| %s | %s | %s | %s | %s | %s | %s |\n", s.name, result.Status, dash(w.State), dash(text(w.Outputs.Get("status"))),
			told(events), attempts(events), effects(world.Server()))
	}
	golden(t, "orderflow-messages.md", table.String())
}

// holds tells what must be so whatever comes, or does not.
func (s situation) holds(t *testing.T, result executor.Result, world *sim.Runtime) {
	t.Helper()
	tableCase{faults: s.faults}.holds(t, result, world)
	closed := slices.ContainsFunc(world.Server().Effects(), func(e mock.EffectCount) bool { return e.Operation == "closeOrder" })
	state := result.Workflows[0].State
	if closed != (state == "SUCCEEDED") {
		t.Errorf("%s: the order was closed: %v, and the payment is %s", s.name, closed, state)
	}
	for _, sent := range world.Server().Ledger().Webhooks {
		if sent.Status >= 300 && sent.Status < 400 || sent.Status == 0 && sent.Fault != mock.WebhookLost {
			t.Errorf("%s: a message was answered with %d (%s)", s.name, sent.Status, sent.Error)
		}
	}
}

// told lists what a run said of messages and of moves that were refused.
func told(events *recorder) string {
	var all []string
	for _, e := range events.events {
		switch d := e.Detail.(type) {
		case executor.MessageReceived:
			all = append(all, fmt.Sprintf("%s took %d", e.Step, d.Number))
		case executor.MessageSetAside:
			text := string(d.Why)
			if d.Why == executor.Unmatched {
				text += " (" + d.Reason + ")"
			}
			if d.Count > 1 {
				text += fmt.Sprintf(" x%d", d.Count)
			}
			if d.Fails {
				text += ", which fails"
			}
			all = append(all, text)
		case executor.StateRefused:
			all = append(all, fmt.Sprintf("%s to %s refused", d.State, dash(d.To)))
		}
	}
	return dash(strings.Join(counted(all), "; "))
}

// TestTwoRunsInOneWorldTakeTheirOwnMessages: messages at one fixed address go to the run that they
// belong to, whichever comes first.
func TestTwoRunsInOneWorldTakeTheirOwnMessages(t *testing.T) {
	f := orderFlow(t, executor.Config{})
	world, err := f.stage.New(sim.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for _, reference := range []string{"order-a", "order-b"} {
		events := &recorder{}
		result, err := f.plan.Run(t.Context(), world, executor.Start{Sink: events, Inputs: value.Object(value.Member{Name: "orderReference", Value: value.String(reference)})})
		if err != nil || result.Status != executor.Succeeded || told(events) != "awaitPayment took 1" {
			t.Errorf("%s ended as %s (%v): %s", reference, result.Status, err, told(events))
		}
	}
}
