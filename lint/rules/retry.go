package rules

import (
	"slices"
	"strconv"

	"github.com/weft-flow/weft/arazzo"
	"github.com/weft-flow/weft/lint"
)

// retryRules are about repeating, unknown outcomes, keys and callbacks.
func retryRules() []lint.Rule {
	return slices.Concat(repeatRules(), keyRules(), keyValueRules(), retryActionRules(), outcomeRules(), doneRules(), receiveRules(), correlationRules(), stateRules(), extensionRules())
}

// eachEffect calls visit for each step of the document whose call may have an
// effect of its own.
func eachEffect(p *lint.Pass, visit func(*lint.Step, *lint.Effect)) {
	for _, s := range p.Steps() {
		if e := s.Effect(); e != nil && e.Effectful {
			visit(s, e)
		}
	}
}

// retriesOf gives the retries of a step that are ever made.
func retriesOf(s *lint.Step) []*lint.Edge {
	var all []*lint.Edge
	for _, e := range s.Workflow.Flow().Edges(s) {
		if e.Kind == lint.Retry && limitOf(e.Action) > 0 {
			all = append(all, e)
		}
	}
	return all
}

// limitOf gives the number of retries that an action may make: 1 where it says
// nothing (Arazzo 1.1, Failure Action Object).
func limitOf(a *lint.Action) int {
	if !a.Model.RetryLimit.Present() {
		return 1
	}
	limit, err := strconv.Atoi(a.Model.RetryLimit.Raw)
	if err != nil {
		return 1
	}
	return limit
}

// secondsOf reads a number of seconds; 0 where there is none.
func secondsOf(n arazzo.Number) float64 {
	seconds, err := strconv.ParseFloat(n.Raw, 64)
	if err != nil {
		return 0
	}
	return seconds
}

// does names for a message what a step does: its operation, else the step.
func does(s *lint.Step) string {
	if o := s.Target.Operation; o != nil {
		return o.Label()
	}
	return "step " + quote(s.ID())
}

// entryOf gives the step at which an edge goes on in the same workflow: also by a
// jump that begins the workflow anew.
func entryOf(e *lint.Edge) *lint.Step {
	if e.To == nil && e.Exit == lint.ExitElsewhere && e.Action.Target.Workflow() == e.From.Workflow {
		return e.From.Workflow.Flow().Start()
	}
	return e.To
}

// isJump tells whether an edge is a goto of which is known where it leads.
func isJump(e *lint.Edge) bool { return e.Kind == lint.Goto && !e.From.Workflow.Flow().Broken }
