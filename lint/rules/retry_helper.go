package rules

import (
	"fmt"
	"slices"

	"github.com/weft-flow/weft/arazzo/expression"
	"github.com/weft-flow/weft/lint"
)

// checkHelpersRepeated reports retries that run something with an effect of its own
// before each attempt: what helps is a new operation each time.
func checkHelpersRepeated(p *lint.Pass) {
	for _, s := range p.Steps() {
		for _, e := range retriesOf(s) {
			if e.Action.Model.UnsafeRetry.Value {
				continue
			}
			if again := repeatedByHelp(e); again != nil {
				p.Report(lint.Finding{
					At: placeOf(e.Action), Severity: lint.Warn,
					Message: fmt.Sprintf("this runs %s before each retry: it happens as often", does(again)),
					Related: []lint.Related{lint.See(again.Model.StepID.Node, "this step is run again")},
					Help:    "x-weft-effect: read or idempotent tells that a call is harmless",
				})
			}
		}
	}
}

// repeatedByHelp gives the step that does again what it has done when a retry is
// made: the helper, or one that always runs in the workflow that helps. It is nil
// where there is none, and where the helper runs once.
func repeatedByHelp(e *lint.Edge) *lint.Step {
	helper, callee := e.Helper(), e.Action.Target.Workflow()
	switch {
	case helper != nil && (limitOf(e.Action) > 1 || hasSucceeded(helper, e.From)):
		if helper != e.From && !takesAnew(helper, e.From) {
			return doneAgain(helper, make(map[*lint.Workflow]bool))
		}
	case callee != nil && limitOf(e.Action) > 1 && !slices.ContainsFunc(e.Action.Parameters, func(given *lint.Parameter) bool {
		return slices.ContainsFunc(given.Value.Uses(), func(use *expression.Expression) bool { return use.Root == expression.Steps })
	}):
		return doneAgainIn(callee, make(map[*lint.Workflow]bool))
	}
	return nil
}

// hasSucceeded tells whether a step may have succeeded on the way to another.
func hasSucceeded(s, before *lint.Step) bool {
	flow := s.Workflow.Flow()
	return reachedByFlow(flow, s) && slices.ContainsFunc(flow.Edges(s), func(e *lint.Edge) bool {
		return e.Success && e.To != nil && (e.To == before || flow.Leads(e.To, before, nil))
	})
}

// reachedByFlow tells whether a step runs by itself, not only to help.
func reachedByFlow(flow *lint.Flow, s *lint.Step) bool {
	start := flow.Start()
	return start == s || start != nil && flow.Leads(start, s, nil)
}

// takesAnew tells whether a helper sends what it, or the step that it helps, has
// answered: then it may be something else each time.
func takesAnew(helper, helped *lint.Step) bool {
	return slices.ContainsFunc(helper.SentUses(), func(e *expression.Expression) bool {
		return e.Root == expression.Steps && (e.Owner == helper.ID() || e.Owner == helped.ID())
	})
}

// doneAgain gives the step that does again what it has done when a helper is run
// again, also in a workflow that this calls. What undoes, and what lets somebody in,
// is meant to be run again.
func doneAgain(helper *lint.Step, seen map[*lint.Workflow]bool) *lint.Step {
	if called := helper.Target.Workflow(); called != nil {
		return doneAgainIn(called, seen)
	}
	if !repeats(helper) || stepUndoes(helper) || letsIn(helper) {
		return nil
	}
	return helper
}

func doneAgainIn(w *lint.Workflow, seen map[*lint.Workflow]bool) *lint.Step {
	if seen[w] {
		return nil
	}
	seen[w] = true
	for _, s := range w.Steps {
		if !runsAlways(s) {
			continue
		}
		if again := doneAgain(s, seen); again != nil {
			return again
		}
	}
	return nil
}

// asksIn tells whether a workflow that an action calls does nothing but read, by a
// value that a step has sent.
func asksIn(w *lint.Workflow, a *lint.Action, of *lint.Step) bool {
	if len(w.Steps) == 0 || slices.ContainsFunc(w.Steps, func(s *lint.Step) bool { return !s.Effect().Reads() }) {
		return false
	}
	sent := make(map[string]bool)
	for _, e := range of.SentUses() {
		sent[e.String()] = lint.KnownBefore(e, of)
	}
	return slices.ContainsFunc(a.Parameters, func(given *lint.Parameter) bool {
		return slices.ContainsFunc(given.Value.Uses(), func(e *expression.Expression) bool { return sent[e.String()] })
	})
}

// accessWords are in the names of operations that let somebody in: each time anew.
var accessWords = []string{
	"login", "logon", "signin", "auth", "authenticate", "authorize", "oauth", "oauth2", "token", "tokens", "session", "sessions",
	"credential", "credentials", "refresh", "renew",
}

// letsIn tells whether a step asks for access, as far as its names tell.
func letsIn(s *lint.Step) bool {
	words := lint.Words(s.ID())
	if o := s.Target.Operation; o != nil {
		words = append(append(words, lint.Words(o.ID)...), lint.Words(o.Path)...)
	}
	return slices.ContainsFunc(words, func(word string) bool { return slices.Contains(accessWords, word) })
}
