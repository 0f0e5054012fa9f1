package contract

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/weft-flow/weft/executor/mock"
)

// single is a fault that fired, and the run that it befell.
type single struct {
	base  *played
	call  *seen
	fault mock.Fault
}

// faultCount tells of the faults that were planned.
type faultCount struct {
	Count
	missed []missedFault
}

type missedFault struct {
	fault mock.Fault
	why   string
}

// breaksContract lists the faults in which the API itself breaks what it promises of
// keys: nobody can be safe from those.
var breaksContract = []mock.FaultKind{
	mock.KeyIgnored, mock.KeyExpiredReruns, mock.KeyExpiredRejects, mock.KeyMismatch422, mock.KeyMismatch400, mock.KeyMissing,
}

// kindsFor lists the faults that may befall a call: those of requests for one that may
// have an effect, those of reads for one that has none, those of webhooks for a message.
func kindsFor(call *seen) []mock.FaultKind {
	return slices.DeleteFunc(mock.FaultKinds(), func(kind mock.FaultKind) bool {
		webhook, read := strings.HasPrefix(string(kind), "webhook-"), strings.HasPrefix(string(kind), "read-")
		switch {
		case slices.Contains(breaksContract, kind):
			return true
		case call.receives:
			return !webhook
		case call.effect:
			return webhook || read
		default:
			return !read
		}
	})
}

// lateBy is how late a message comes: later than most answers, earlier than most
// timeouts.
const lateBy = 10 * time.Second

// given says what a kind needs to be played as it can be met with.
func given(f mock.Fault) mock.Fault {
	switch f.Kind {
	case mock.WebhookBurst:
		f.Count = 3
	case mock.WebhookLate:
		f.Delay = lateBy
	}
	return f
}

// mostBases is on how many ways to a step a fault is tried, until it fires.
const mostBases = 4

// singleFaults lets each fault befall the first request of each step that it may befall,
// on one of the ways that lead there.
func (x *explorer) singleFaults(ctx context.Context) error {
	open := x.planSingles()
	x.faults.Total = len(open)
	for round := 0; len(open) > 0; round++ {
		scripts := make([]script, len(open))
		for i, p := range open {
			scripts[i] = p.bases[round].base.script.broken(p.bases[round].fault)
		}
		var missed []*plannedFault
		at := 0
		err := x.playAll(ctx, scripts, func(p *played) {
			planned := open[at]
			at++
			if len(p.watch.unfired) == 0 {
				x.faults.Covered++
				x.singles = append(x.singles, planned.bases[round])
				x.take(p)
				return
			}
			planned.why = p.watch.unfired[0].Error()
			if round+1 < len(planned.bases) {
				missed = append(missed, planned)
			} else {
				x.faults.missed = append(x.faults.missed, missedFault{planned.bases[0].fault, planned.why})
			}
		})
		if err != nil || at < len(open) { // else the time is used up
			return err
		}
		open = missed
	}
	return nil
}

// plannedFault is a fault for a step, on the ways that lead to the step.
type plannedFault struct {
	bases []single
	why   string // why it did not fire on the last of them
}

// planSingles lists the faults for each step that was reached without faults and answered
// by the mock itself, or else by choice.
func (x *explorer) planSingles() []*plannedFault {
	type key struct {
		id   stepID
		kind mock.FaultKind
	}
	var all []*plannedFault
	known := map[key]*plannedFault{}
	for _, way := range x.ways() {
		p, seen := way.played, map[stepID]bool{}
		for _, call := range p.calls {
			if seen[call.id] || (call.chosen != nil) != way.chosen || way.chosen && !call.chosen.hasEffect() || call.nth == 0 || !p.takes(call) {
				continue
			}
			seen[call.id] = true
			for _, kind := range kindsFor(call) {
				f := given(mock.Fault{Operation: faultTarget(call.asked), Occurrence: call.nth, Kind: kind})
				if !x.canBefall(f) {
					continue
				}
				planned := known[key{call.id, kind}]
				if planned == nil {
					planned = &plannedFault{}
					known[key{call.id, kind}] = planned
					all = append(all, planned)
				}
				if len(planned.bases) < mostBases {
					planned.bases = append(planned.bases, single{p, call, f})
				}
			}
		}
	}
	return all
}

// takes tells whether a fault may befall a call of a run: of one in which something breaks
// down already only a message that comes after a lost answer.
func (p *played) takes(call *seen) bool {
	for _, f := range p.script.faults {
		if f.Kind != mock.InternalErrorAfterEffect || !call.receives {
			return false
		}
	}
	return true
}

// way is a run that faults may be added to: at the calls that the mock answered by
// itself, or at those that were chosen to succeed.
type way struct {
	played *played
	chosen bool
}

func (x *explorer) ways() []way {
	var ways []way
	for _, chosen := range []bool{false, true} {
		for _, p := range x.kept {
			ways = append(ways, way{p, chosen})
		}
	}
	return ways
}

// canBefall tells whether a fault makes sense at its operation.
func (x *explorer) canBefall(f mock.Fault) bool {
	key := f.Operation + " " + string(f.Kind)
	can, known := x.applies[key]
	if !known {
		server := x.subject.apis.New(mock.Options{})
		can = server.Apply(mock.FaultPlan{Faults: []mock.Fault{f}}) == nil
		x.applies[key] = can
	}
	return can
}

// pairsOfFaults lets two faults befall one run: each two that alone have fired, in an
// order that the seed gives, and after each one a second at the next request to the same
// operation.
func (x *explorer) pairsOfFaults(ctx context.Context) error {
	if x.options.Budget < 0 {
		return nil
	}
	var pairs [][2]int
	for i, a := range x.singles {
		for j := i; j < len(x.singles); j++ {
			if b := x.singles[j]; a.base == b.base || a.call.asked == b.call.asked {
				pairs = append(pairs, [2]int{i, j})
			}
		}
	}
	x.shuffle(len(pairs), func(i, j int) { pairs[i], pairs[j] = pairs[j], pairs[i] })
	end := time.Now().Add(x.options.Budget)
	for len(pairs) > 0 && x.wanted == nil && x.undone == 0 && (x.until != 0 || time.Now().Before(end)) {
		n := min(len(pairs), batch)
		scripts := make([]script, n)
		for k, pair := range pairs[:n] {
			scripts[k] = x.pair(x.singles[pair[0]], x.singles[pair[1]])
		}
		err := x.playAll(ctx, scripts, func(p *played) {
			if len(p.watch.unfired) == 0 {
				x.pairs++
				x.take(p)
			}
		})
		if err != nil {
			return err
		}
		pairs = pairs[n:]
	}
	return nil
}

// pair gives the script of two faults. Of two for the same request the second befalls
// the one after it.
func (x *explorer) pair(a, b single) script {
	second := b.fault
	if a.fault.Operation == b.fault.Operation && a.fault.Occurrence == b.fault.Occurrence {
		second.Occurrence++
	}
	return a.base.script.broken(a.fault, second)
}

// givenFaults plays the faults that the user planned, in one run.
func (x *explorer) givenFaults(ctx context.Context) error {
	if len(x.options.Faults.Faults) == 0 {
		return nil
	}
	s := script{faults: x.options.Faults.Faults}
	return x.playAll(ctx, []script{s}, func(p *played) {
		x.take(p)
		missed := p.watch.unfired
		for i := range x.options.Faults.Faults {
			if len(p.watch.planned) == 0 || p.watch.planned[i].Fired {
				delete(x.unfired, i)
				continue
			}
			if _, open := x.unfired[i]; open && len(missed) > 0 {
				x.unfired[i] = missed[0]
			}
			missed = missed[min(1, len(missed)):]
		}
	})
}
