package contract

import (
	"context"
	"fmt"
	"slices"

	"github.com/weft-flow/weft/executor/mock"
)

// mostCancelled is how many runs are cancelled at each of their steps.
const mostCancelled = 20

// cancelPoint is when a run is cancelled: at something that happens in it, so that it is
// the same whatever the time is.
type cancelPoint struct {
	attempt string // of a step, by its stable name; empty: never
	// answered is right after its answer, or after the message that it took; else it is
	// once its request has come to the API, or as it begins to wait.
	answered bool
	receives bool // the attempt waits for a message
}

// explain tells the cancel to a person.
func (c cancelPoint) explain() string {
	id, which := idOf(c.attempt), whichOf(c.attempt)
	switch {
	case c.receives && c.answered:
		return fmt.Sprintf("the run is cancelled when step %s%s has got its message", id.step, which)
	case c.receives:
		return fmt.Sprintf("the run is cancelled while step %s%s waits", id.step, which)
	case c.answered:
		return fmt.Sprintf("the run is cancelled right after step %s%s was answered", id.step, which)
	default:
		return fmt.Sprintf("the run is cancelled while the request of step %s%s is being answered", id.step, which)
	}
}

// says tells whether a choice has an API say something else than the mock knows: what it
// is asked for after a cancel would contradict that.
func (s script) says() bool {
	return slices.ContainsFunc(s.choices, func(c choice) bool { return (len(c.answer.answer.Edits) > 0 || c.answer.answer.Rewrite != nil) })
}

// cancels cancels runs at each of their steps: while its request is on the way, right after
// it was answered, and while it waits for an answer that never comes.
func (x *explorer) cancels(ctx context.Context) error {
	var scripts []script
	for _, p := range x.kept[:min(len(x.kept), mostCancelled)] {
		if len(p.script.faults) > 0 || p.script.says() {
			continue
		}
		seen := map[stepID]bool{}
		for _, call := range p.calls {
			if seen[call.id] {
				continue
			}
			seen[call.id] = true
			at := cancelPoint{attempt: call.attempt, receives: call.receives}
			after := at
			after.answered = true
			scripts = append(scripts, p.script.cancelled(at), p.script.cancelled(after))
			if call.effect && call.nth > 0 && call.chosen == nil {
				lost := mock.Fault{Operation: faultTarget(call.asked), Occurrence: call.nth, Kind: mock.HangAfterEffect}
				scripts = append(scripts, p.script.broken(lost).cancelled(at))
			}
		}
	}
	return x.playAll(ctx, scripts, func(p *played) { x.take(p) })
}

// cancelsAt cancels the run where its script says so.
func (p *player) cancelsAt(attempt string, answered bool) {
	if at := p.script.cancel; at.attempt != "" && at.attempt == attempt && at.answered == answered {
		p.cancel()
	}
}
