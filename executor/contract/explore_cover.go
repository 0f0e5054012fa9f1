package contract

import (
	"context"

	"github.com/weft-flow/weft/executor/mock"
)

// coverActions goes from each run that showed something new to those in which one
// further step is answered otherwise.
func (x *explorer) coverActions(ctx context.Context) error { return x.coverFrom(ctx, x.kept) }

func (x *explorer) coverFrom(ctx context.Context, generation []*played) error {
	for len(generation) > 0 {
		var scripts []script
		for _, p := range generation {
			scripts = append(scripts, x.variations(p, false)...)
		}
		generation = nil
		err := x.playAll(ctx, scripts, func(p *played) {
			if x.take(p) {
				x.kept = append(x.kept, p)
				generation = append(generation, p)
			}
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// variations gives the scripts in which one attempt of a run, after those that are
// chosen, is answered otherwise. Each answer to a step is tried once in each situation and each call of
// its workflow, unless again.
func (x *explorer) variations(p *played, again bool) []script {
	var scripts []script
	for _, call := range p.open() {
		path := callPath(call.attempt)
		for _, c := range x.candidates(call) {
			for _, always := range []bool{true, false} {
				key := trialKey{call.placed(), path, c, always}
				if c.foreign && !again || x.tried[key] && !again || call.receives && !call.got && !c.silent {
					continue
				}
				x.tried[key] = true
				if s, ok := x.vary(p, call, c, always); ok {
					scripts = append(scripts, s)
				}
			}
		}
	}
	return scripts
}

// mostOpen is how many calls of one run are answered otherwise: those after them are of a
// loop.
const mostOpen = 60

// open gives the calls of a run that may yet be answered otherwise.
func (p *played) open() []*seen {
	calls := p.calls[p.lastChosen():]
	return calls[:min(len(calls), mostOpen)]
}

// lastChosen gives the position after the last call that the script names.
func (p *played) lastChosen() int {
	last := 0
	for i, call := range p.calls {
		for _, c := range p.script.choices {
			if c.attempt == call.attempt {
				last = i + 1
			}
		}
	}
	return last
}

// mostSilences is for how many requests in a row there is no answer, where there is to
// be none for good.
const mostSilences = 16

func (x *explorer) vary(p *played, call *seen, c *candidate, always bool) (script, bool) {
	if !c.silent {
		return p.script.with(choice{attempt: call.attempt, always: always, answer: c}), true
	}
	kind, times := mock.HangBeforeEffect, 1
	if call.receives {
		kind = mock.WebhookLost
	}
	if call.nth == 0 {
		return script{}, false
	}
	if always {
		times = mostSilences
	}
	s := p.script
	for i := range times {
		s = s.broken(mock.Fault{Operation: faultTarget(call.asked), Occurrence: call.nth + i, Kind: kind})
	}
	return s, true
}

// faultTarget names an operation so that no other is meant.
func faultTarget(asked mock.Asked) string { return asked.Source + "/" + asked.Operation }

func (x *explorer) candidates(call *seen) []*candidate {
	m := x.subject.steps[call.id]
	if m == nil || m.operation == nil || call.operation != nil && call.operation != m.operation && !m.channel {
		return nil
	}
	all, ok := x.known[call.id]
	if !ok {
		if m.receives {
			all = messagesOf(m, x.subject.apis, x.subject.checker, x.subject.inputs, x.outputs)
		} else {
			all = candidatesOf(m, x.subject.apis, x.subject.checker, x.subject.inputs, x.outputs)
		}
		x.known[call.id] = all
	}
	return all
}

// mostRoutes is from how many runs the steps are tried again that are not covered.
const mostRoutes = 30

// coverRest tries what is not covered on every way that leads to it, and with answers
// that the description does not allow.
func (x *explorer) coverRest(ctx context.Context) error {
	missing := map[stepID][]*goal{}
	for _, g := range x.subject.goals {
		if !g.covered && g.kind != stepGoal && g.id.step != "" {
			missing[g.id] = append(missing[g.id], g)
		}
	}
	if len(missing) == 0 {
		return nil
	}
	var scripts []script
	for _, p := range x.kept[:min(len(x.kept), mostRoutes)] {
		for _, call := range p.open() {
			if len(missing[call.id]) == 0 {
				continue
			}
			for _, c := range x.candidates(call) {
				if !x.subject.steps[call.id].helps(c, missing[call.id]) {
					continue
				}
				for _, always := range []bool{true, false} {
					if s, ok := x.vary(p, call, c, always); ok {
						scripts = append(scripts, s)
					}
				}
			}
		}
	}
	return x.playAll(ctx, scripts, func(p *played) {
		if x.take(p) {
			x.kept = append(x.kept, p)
		}
	})
}
