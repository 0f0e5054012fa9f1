package rules

import (
	"slices"

	"github.com/weft-flow/weft/internal/circle"
	"github.com/weft-flow/weft/lint"
)

// endlessLoops gives the jumps that close a loop, in a workflow or through several,
// from which no way leads to an end in success.
func endlessLoops(p *lint.Pass) map[*lint.Edge]bool {
	if !slices.ContainsFunc(p.Actions(), mayJump) {
		return nil // no need to look for circles
	}
	ends := endingWorkflows(p)
	jumpsTo := make(map[*lint.Workflow][]*lint.Workflow, len(p.Workflows))
	for _, w := range p.Workflows {
		jumpsTo[w] = leadsElsewhere(w)
	}
	number := circle.Of(p.Workflows, func(w *lint.Workflow) []*lint.Workflow { return jumpsTo[w] })
	endless := make(map[*lint.Edge]bool)
	for _, w := range p.Workflows {
		flow := w.Flow()
		reached, ending := flow.Reachable(), endingSteps(w, ends)
		within := circle.Of(flow.Order, func(s *lint.Step) []*lint.Step {
			var next []*lint.Step
			for _, e := range flow.Edges(s) {
				if e.To != nil {
					next = append(next, e.To)
				}
			}
			return next
		})
		for _, s := range flow.Order {
			if !reached[s] || ending[s] {
				continue
			}
			for _, e := range flow.Edges(s) {
				switch {
				case e.Kind != lint.Goto:
				case e.To != nil:
					endless[e] = e.To.Index <= s.Index && within[e.To] == within[s]
				case e.Exit == lint.ExitElsewhere:
					to := e.Action.Target.Workflow()
					endless[e] = to != nil && number[to] == number[w]
				}
			}
		}
	}
	return endless
}

// mayJump tells whether an action leads elsewhere than to an end or to its own step.
func mayJump(a *lint.Action) bool {
	return a.Model != nil && a.Type() != "end" && a.Type() != "retry"
}

// endingWorkflows gives the workflows that can come to an end in success, in
// themselves or in another that goes on. One of which is not known where it goes on
// can.
func endingWorkflows(p *lint.Pass) map[*lint.Workflow]bool {
	ends := make(map[*lint.Workflow]bool)
	from := make(map[*lint.Workflow][]*lint.Workflow) // by the workflow that goes on
	var open []*lint.Workflow
	enter := func(w *lint.Workflow) {
		if !ends[w] {
			ends[w] = true
			open = append(open, w)
		}
	}
	known := make(map[*lint.Workflow]bool, len(p.Workflows))
	for _, w := range p.Workflows {
		known[w] = true
	}
	for _, w := range p.Workflows {
		flow := w.Flow()
		reached := flow.Reachable()
		for s := range reached {
			for _, e := range flow.Edges(s) {
				switch e.Exit {
				case lint.ExitSuccess:
					enter(w)
				case lint.ExitElsewhere:
					if to := e.Action.Target.Workflow(); known[to] {
						from[to] = append(from[to], w)
					} else {
						enter(w)
					}
				}
			}
		}
	}
	for len(open) > 0 {
		at := open[len(open)-1]
		open = open[:len(open)-1]
		for _, w := range from[at] {
			enter(w)
		}
	}
	return ends
}

// endingSteps gives the steps of a workflow from which a way leads to an end in
// success, also in another workflow that goes on.
func endingSteps(w *lint.Workflow, ends map[*lint.Workflow]bool) map[*lint.Step]bool {
	return w.Flow().Ending(func(e *lint.Edge) bool {
		if e.Exit != lint.ExitElsewhere {
			return e.Exit == lint.ExitSuccess
		}
		to := e.Action.Target.Workflow()
		return to == nil || to.Document != w.Document || ends[to]
	})
}

// leadsElsewhere gives the workflows to which the reachable steps of a workflow jump.
func leadsElsewhere(w *lint.Workflow) []*lint.Workflow {
	var all []*lint.Workflow
	flow := w.Flow()
	reached := flow.Reachable()
	for _, s := range flow.Order {
		for _, e := range flow.Edges(s) {
			if to := elsewhere(e); to != nil && reached[s] {
				all = append(all, to)
			}
		}
	}
	return all
}

// elsewhere gives the workflow that goes on along an edge; nil where none does.
func elsewhere(e *lint.Edge) *lint.Workflow {
	if e.Exit != lint.ExitElsewhere {
		return nil
	}
	return e.Action.Target.Workflow()
}

// loopsTo names for a message where a jump leads.
func loopsTo(e *lint.Edge) string {
	if e.To == nil {
		return "workflow " + quote(elsewhere(e).ID())
	}
	return quote(e.To.ID())
}
