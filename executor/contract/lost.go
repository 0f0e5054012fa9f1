package contract

import (
	"context"

	"github.com/weft-flow/weft/executor/mock"
)

// coverLost goes on from runs in which the answer to a request is lost that was carried out.
// Where an answer was chosen that says nothing of the outcome, nothing was done: no message
// came of it, and what a message leads to on that way was not seen.
func (x *explorer) coverLost(ctx context.Context) error {
	if !x.missesMessages() {
		return nil
	}
	var scripts []script
	for _, p := range x.kept[:min(len(x.kept), mostRoutes)] {
		if s, ok := x.lost(p); ok {
			scripts = append(scripts, s)
		}
	}
	var generation []*played
	err := x.playAll(ctx, scripts, func(p *played) {
		x.take(p)
		generation = append(generation, p)
	})
	if err != nil {
		return err
	}
	x.kept = append(x.kept, generation...)
	return x.coverFrom(ctx, generation)
}

// missesMessages tells whether something that is not covered hangs on messages.
func (x *explorer) missesMessages() bool {
	for _, g := range x.subject.goals {
		if m := x.subject.steps[g.id]; !g.covered && m != nil && m.receives {
			return true
		}
	}
	return false
}

// lost gives the script of a run in which the first request that causes a message, and whose
// outcome the chosen answer leaves open, is carried out and answered 500; false: there is none.
func (x *explorer) lost(p *played) (script, bool) {
	for _, call := range p.calls {
		if call.chosen == nil || !call.effect || call.nth == 0 || call.chosen.answer.Status < 500 || len(x.subject.standings.of(call.operation).sends) == 0 {
			continue
		}
		s := p.script
		s.choices = nil
		for _, c := range p.script.choices {
			if stepKey(c.attempt) != stepKey(call.attempt) {
				s.choices = append(s.choices, c)
			}
		}
		return s.broken(mock.Fault{Operation: faultTarget(call.asked), Occurrence: call.nth, Kind: mock.InternalErrorAfterEffect}), true
	}
	return script{}, false
}
