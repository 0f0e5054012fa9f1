package contract

import (
	"context"
	"slices"
	"time"

	"github.com/weft-flow/weft/executor/mock"
	"github.com/weft-flow/weft/executor/sim"
)

// mostCancelled is how many runs are cancelled at each of their steps.
const mostCancelled = 20

// says tells whether a choice has an API say something else than the mock knows: what it
// is asked for after a cancel would contradict that.
func (s script) says() bool {
	return slices.ContainsFunc(s.choices, func(c choice) bool { return len(c.answer.answer.Edits) > 0 })
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
			for _, later := range []time.Duration{sim.DefaultLatency / 2, sim.DefaultLatency + 1} {
				scripts = append(scripts, p.script.cancelled(call.at+later))
			}
			if call.effect && call.nth > 0 && call.chosen == nil {
				lost := mock.Fault{Operation: faultTarget(call.asked), Occurrence: call.nth, Kind: mock.HangAfterEffect}
				scripts = append(scripts, p.script.broken(lost).cancelled(call.at+2*sim.DefaultLatency))
			}
		}
	}
	return x.playAll(ctx, scripts, func(p *played) { x.take(p) })
}
