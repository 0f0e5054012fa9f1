package sim_test

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/weft-flow/weft/arazzo/value"
	"github.com/weft-flow/weft/executor"
	"github.com/weft-flow/weft/executor/mock"
	"github.com/weft-flow/weft/executor/sim"
	"github.com/weft-flow/weft/idempotency"
)

var update = flag.Bool("update", false, "write the golden files anew")

// breaksPromise lists the faults by which a server does not do what its description
// promises of keys: after them a repeat under the same key can have a second effect,
// and no client that trusts the description can prevent it.
var breaksPromise = map[mock.FaultKind]bool{mock.KeyExpiredReruns: true, mock.KeyIgnored: true}

// requestFaults lists the kinds that befall requests which change something.
func requestFaults() []mock.FaultKind {
	var kinds []mock.FaultKind
	for _, kind := range mock.FaultKinds() {
		if !strings.HasPrefix(string(kind), "webhook-") && !strings.HasPrefix(string(kind), "read-") {
			kinds = append(kinds, kind)
		}
	}
	return kinds
}

// lost is a message that never comes, after which the flow asks.
var lost = mock.Fault{Operation: "paymentChanged", Kind: mock.WebhookLost}

// readFaults lists the faults of reads, each where the flow asks about a payment.
func readFaults() []mock.Fault {
	const read = "getPaymentByReference"
	return []mock.Fault{
		{Operation: read, Kind: mock.ReadStale},
		{Operation: read, Kind: mock.ReadStale, Times: 4},
		{Operation: read, Kind: mock.ReadNotFound, Times: 3},
		{Operation: read, Kind: mock.ReadNotFound, Times: 40},
		{Operation: read, Kind: mock.ReadUnknownState},
		{Operation: read, Kind: mock.ReadUnknownState, Times: 40},
		{Operation: read, Kind: mock.ReadConflicting},
	}
}

// tableCase is one row: faults, of which the last is the one that the row is about.
type tableCase struct {
	faults []mock.Fault
	// unfired tells that the last fault cannot befall this flow.
	unfired bool
}

// repeatedAfter is, for each operation, a fault after the effect for which the flow sends
// the request again under its key; of a payment it rather asks.
var repeatedAfter = map[string]mock.FaultKind{
	"createOrder": mock.InternalErrorAfterEffect, "requestPayment": mock.ConflictThenReplay, "closeOrder": mock.InternalErrorAfterEffect,
}

// tableCases plans each fault at each operation of the flow that it can befall. A key
// that has expired or is ignored matters where the request is sent again: there it comes
// after a first fault for which the flow repeats it.
func tableCases() []tableCase {
	var cases []tableCase
	for _, operation := range []string{"createOrder", "requestPayment", "closeOrder"} {
		for _, kind := range requestFaults() {
			row := tableCase{faults: []mock.Fault{{Operation: operation, Kind: kind}}}
			switch kind {
			case mock.KeyExpiredReruns, mock.KeyExpiredRejects, mock.KeyIgnored:
				row.faults = []mock.Fault{{Operation: operation, Kind: repeatedAfter[operation]}, {Operation: operation, Occurrence: 2, Kind: kind}}
			case mock.QuotedKeyRefused:
				row.unfired = true // the document writes its keys without quotes
			case mock.ReusedConnectionClosed:
				row.unfired = operation == "createOrder" // nothing came before it
			}
			cases = append(cases, row)
		}
	}
	for _, fault := range readFaults() {
		cases = append(cases, tableCase{faults: []mock.Fault{lost, fault}})
		cases = append(cases, tableCase{faults: []mock.Fault{{Operation: "requestPayment", Kind: mock.HangAfterEffect}, fault}})
	}
	cases = append(cases, tableCase{faults: []mock.Fault{
		{Operation: "requestPayment", Kind: mock.HangBeforeEffect}, {Operation: "getPaymentByReference", Kind: mock.ReadNotFound},
	}})
	return cases
}

func (c tableCase) name() string {
	names := make([]string, len(c.faults))
	for i, f := range c.faults {
		names[i] = string(f.Kind)
		if f.Times > 1 {
			names[i] += fmt.Sprintf(" x%d", f.Times)
		}
		if f.Occurrence > 1 || len(c.faults) > 1 {
			names[i] += fmt.Sprintf(" (%s %d)", f.Operation, max(f.Occurrence, 1))
		}
	}
	return strings.Join(names, ", ")
}

// TestTheOrderFlowUnderEachFault runs the bundled flow under each fault that concerns
// requests, and holds what became of it against a table: how the run ended, the state,
// the class of each attempt with that of its operation, and the effects.
func TestTheOrderFlowUnderEachFault(t *testing.T) {
	f := orderFlow(t, executor.Config{})
	var table strings.Builder
	table.WriteString("| At | Fault | Run | State | Order | Attempts: class/class of the operation | Effects |\n|---|---|---|---|---|---|---|\n")
	for _, row := range tableCases() {
		last := row.faults[len(row.faults)-1]
		result, world, events := f.run(t, sim.Options{Faults: plan(row.faults...)})
		fired := "ok"
		for _, err := range world.Server().Unfired() {
			fired = err.Error()
		}
		if (fired != "ok") != row.unfired {
			t.Errorf("%s: %s", row.name(), fired)
		}
		if row.unfired {
			fmt.Fprintf(&table, "| %s | %s | does not fire: %s | | | | |\n", last.Operation, row.name(), fired[strings.LastIndex(fired, ": ")+2:])
			continue
		}
		row.holds(t, result, world)
		w := result.Workflows[0]
		fmt.Fprintf(&table, "| %s | %s | %s | %s | %s | %s | %s |\n", last.Operation, row.name(), result.Status,
			dash(w.State), dash(text(w.Outputs.Get("status"))), attempts(events), effects(world.Server()))
	}
	golden(t, "orderflow-faults.md", table.String())
}

// holds tells what must be so whatever goes wrong.
func (c tableCase) holds(t *testing.T, result executor.Result, world *sim.Runtime) {
	t.Helper()
	promised := !slices.ContainsFunc(c.faults, func(f mock.Fault) bool { return breaksPromise[f.Kind] })
	done := map[string]int{}
	for _, e := range world.Server().Effects() {
		done[e.Operation] += e.Count
		if done[e.Operation] > 1 && promised {
			t.Errorf("%s: %s had %d effects", c.name(), e.Operation, done[e.Operation])
		}
	}
	if done["closeOrder"] > 0 && done["releaseOrder"] > 0 {
		t.Errorf("%s: the order was closed and released", c.name())
	}
	if done["closeOrder"] > 0 && done["requestPayment"] == 0 {
		t.Errorf("%s: the order was closed without a payment", c.name())
	}
	if result.Counts.UnsafeRepeats > 0 {
		t.Errorf("%s: %d unsafe repeats", c.name(), result.Counts.UnsafeRepeats)
	}
}

// TestNeverTwoEffects draws two or three faults for the flow, thousands of times.
func TestNeverTwoEffects(t *testing.T) {
	f := orderFlow(t, executor.Config{})
	runs := 3000
	if testing.Short() {
		runs = 300
	}
	statuses, fired := map[executor.Status]int{}, 0
	for seed := range runs {
		c := drawn(rand.New(rand.NewPCG(uint64(seed), 1)))
		result, world, _ := f.run(t, sim.Options{Seed: uint64(seed), Faults: plan(c.faults...)})
		statuses[result.Status]++
		for _, planned := range world.Server().Ledger().Faults {
			if planned.Fired {
				fired++
			}
		}
		c.holdsEffects(t, world)
	}
	if fired < runs*2/3 || len(statuses) < 3 {
		t.Errorf("%d faults fired, runs ended as %v: too little to tell anything", fired, statuses)
	}
}

// drawn draws two or three faults of servers that keep their promises.
func drawn(draw *rand.Rand) (c tableCase) {
	writes := []string{"createOrder", "requestPayment", "closeOrder", "releaseOrder"}
	reads := []string{"getPaymentByReference", "getOrder"}
	kinds := slices.DeleteFunc(requestFaults(), func(k mock.FaultKind) bool { return breaksPromise[k] })
	readKinds := []mock.FaultKind{mock.ReadStale, mock.ReadNotFound, mock.ReadUnknownState, mock.ReadConflicting, mock.HangAfterEffect, mock.BadGatewayAfterEffect}
	for range 2 + draw.IntN(2) {
		f := mock.Fault{Occurrence: 1, Upto: 2}
		if draw.IntN(4) == 0 {
			f.Operation, f.Kind = reads[draw.IntN(len(reads))], readKinds[draw.IntN(len(readKinds))]
		} else {
			f.Operation, f.Kind = writes[draw.IntN(len(writes))], kinds[draw.IntN(len(kinds))]
		}
		c.faults = append(c.faults, f)
	}
	return c
}

// holdsEffects holds that no operation had two effects.
func (c tableCase) holdsEffects(t *testing.T, world *sim.Runtime) {
	t.Helper()
	for _, e := range world.Server().Effects() {
		if e.Count > 1 {
			t.Errorf("%s: %+v", c.name(), e)
		}
	}
}

// attempts lists the attempts of each step for which not all went well at once.
func attempts(events *recorder) string {
	var order []string
	classes := map[string][]string{}
	for _, e := range events.events {
		x, ok := e.Detail.(executor.AttemptFinished)
		if !ok {
			continue
		}
		if classes[e.Step] == nil {
			order = append(order, e.Step)
		}
		class := string(x.Attempt)
		if x.Operation != x.Attempt {
			class += "/" + string(x.Operation)
		}
		classes[e.Step] = append(classes[e.Step], class)
	}
	var shown []string
	for _, step := range order {
		if all := classes[step]; len(all) > 1 || all[0] != "succeeded" {
			shown = append(shown, step+": "+strings.Join(counted(all), ", "))
		}
	}
	return dash(strings.Join(shown, "; "))
}

// counted writes what follows itself once, with how often.
func counted(all []string) []string {
	var out []string
	for i := 0; i < len(all); {
		n := 1
		for i+n < len(all) && all[i+n] == all[i] {
			n++
		}
		word := all[i]
		if n > 1 {
			word += fmt.Sprintf(" x%d", n)
		}
		out = append(out, word)
		i += n
	}
	return out
}

// effects lists the effects of each operation.
func effects(server *mock.Server) string {
	short := map[string]string{"createOrder": "order", "requestPayment": "payment", "closeOrder": "close", "releaseOrder": "release"}
	done := map[string]int{}
	for _, e := range server.Effects() {
		done[e.Operation] += e.Count
	}
	var shown []string
	for _, operation := range []string{"createOrder", "requestPayment", "closeOrder", "releaseOrder"} {
		if n := done[operation]; n > 0 {
			shown = append(shown, fmt.Sprintf("%s %d", short[operation], n))
		}
	}
	return dash(strings.Join(shown, ", "))
}

func text(v value.Value) string {
	if v.IsNothing() {
		return ""
	}
	return v.Text()
}

func dash(s string) string {
	if s == "" {
		return "-"
	}
	return s
}

func golden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if string(want) != got {
		t.Errorf("%s is not as it was (-update writes it anew):\n%s", path, got)
	}
}

// TestARetryAfterTheRetentionIsWithheld shows what helps against a server that forgets
// keys: to know for how long it keeps them. Past that nothing is sent again.
func TestARetryAfterTheRetentionIsWithheld(t *testing.T) {
	profile := &idempotency.Profile{Dialect: idempotency.Plain("Idempotency-Key")}
	profile.Dialect.Retention = 500 * time.Millisecond
	f := orderFlow(t, executor.Config{Sources: map[string]executor.SourceConfig{"orders": {Profile: profile}}})
	result, world, events := f.run(t, sim.Options{Faults: plan(
		mock.Fault{Operation: "createOrder", Kind: mock.InternalErrorAfterEffect},
		mock.Fault{Operation: "createOrder", Occurrence: 2, Kind: mock.KeyExpiredReruns},
	)})
	withheld := 0
	for _, e := range events.events {
		if _, ok := e.Detail.(executor.RetryWithheld); ok {
			withheld++
		}
	}
	if result.Status != executor.Unknown || withheld != 1 {
		t.Errorf("it ended as %s (%s), %d retries withheld", result.Status, result.Reason, withheld)
	}
	if got := effects(world.Server()); got != "order 1" {
		t.Errorf("effects: %s", got)
	}
}
