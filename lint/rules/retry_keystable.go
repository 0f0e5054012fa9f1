package rules

import (
	"fmt"
	"slices"

	"github.com/weft-flow/weft/arazzo"
	"github.com/weft-flow/weft/arazzo/expression"
	"github.com/weft-flow/weft/lint"
)

func checkKeyStable(p *lint.Pass) {
	for _, s := range p.Steps() {
		for _, k := range s.Keys() {
			if !checkKeyMade(p, s, k) && !k.Business {
				checkKeyMadeBelow(p, s, k)
			}
		}
	}
}

// checkKeyMade reports a key that is made by what runs again before the next attempt
// of a step. It tells whether it is.
func checkKeyMade(p *lint.Pass, s *lint.Step, k *lint.Key) bool {
	for _, e := range k.Uses {
		maker := madeBy(s.Workflow, e)
		if maker == "" || k.Node == nil {
			continue
		}
		if again := runsAgain(s, k, maker); again != nil {
			p.Report(lint.Finding{
				At:      lint.At(k.Node, s.Model.Node),
				Message: fmt.Sprintf("%s changes between attempts: it is made by %s, which runs again before the next attempt", keyOf(k), maker),
				Related: []lint.Related{lint.See(again.Written.Node, "here it is run again")},
			})
			return true
		}
	}
	return false
}

// checkKeyMadeBelow reports a key that is made within a workflow which is run again
// after a failure of which nobody knows whether the key's request was done.
func checkKeyMadeBelow(p *lint.Pass, s *lint.Step, k *lint.Key) {
	if len(k.Made) == 0 || !failsThrough(k) || !slices.ContainsFunc(k.Made, func(e *expression.Expression) bool { return isMadeAnew(k, e) }) {
		return
	}
	for _, e := range s.Workflow.Flow().Edges(s) {
		if !callsAgain(e, s) || isAllowed(e) {
			continue
		}
		f := lint.Finding{
			At: placeOf(e.Action),
			Message: fmt.Sprintf("%s changes between attempts: it is made in workflow %s, which runs again as a whole",
				keyOf(k), quote(s.Target.Workflow().ID())),
		}
		if node := givenIn(k, p.Document); node != nil {
			f.At, f.Related = lint.At(node), []lint.Related{lint.See(e.Action.Written.Node, "here it is run again")}
		}
		p.Report(f)
		return
	}
}

// givenIn gives where the request that bears a key has it from, if that is in a
// document.
func givenIn(k *lint.Key, d *lint.Document) *arazzo.Node {
	if s := k.Bearer(); s.Workflow.Document == d {
		return s.Effect().Written.Model.Value
	}
	return nil
}

// failsThrough tells whether an unknown outcome of the request that bears a key
// fails all the workflows that were called for it.
func failsThrough(k *lint.Key) bool {
	return !slices.ContainsFunc(k.Path[1:], func(s *lint.Step) bool { return !endsUnknown(s) })
}

// isMadeAnew tells whether a step of a called workflow gives something else each
// time that the workflow runs.
func isMadeAnew(k *lint.Key, e *expression.Expression) bool {
	if e.Root != expression.Steps {
		return false
	}
	for _, s := range k.Path[1:] {
		if maker := s.Workflow.Step(e.Owner); maker != nil && maker.Output(e.Name) != nil {
			return makesAnew(maker)
		}
	}
	return false
}

// makesAnew tells whether what a step answers is something else each time. It is
// not where its own key makes it the same request, nor where it reads what it names.
func makesAnew(s *lint.Step) bool {
	effect := s.Effect()
	switch {
	case effect == nil:
		return false
	case effect.Effectful:
		return !effect.Plan.Contract
	default:
		return !slices.ContainsFunc(s.Parameters, func(q *lint.Parameter) bool {
			in := q.Model.In.Value
			return (in == "path" || in == "query") && lint.TellsApart(q.Model.Name.Value)
		})
	}
}

// madeBy names the step or workflow whose output an expression is; empty for any
// other.
func madeBy(w *lint.Workflow, e *expression.Expression) string {
	switch {
	case e.Root == expression.Steps && w.Step(e.Owner) != nil:
		return "step " + quote(e.Owner)
	case e.Root == expression.Workflows:
		return "workflow " + quote(e.Owner)
	default:
		return ""
	}
}

// runsAgain gives the action by which what makes a key runs again before the next
// attempt of a step: as the helper of a retry, or on a way by which a failure leads
// back to the step.
func runsAgain(s *lint.Step, k *lint.Key, maker string) *lint.Action {
	flow := s.Workflow.Flow()
	for _, e := range flow.Edges(s) {
		switch {
		case e.Kind == lint.Retry:
			helper, callee := e.Helper(), e.Action.Target.Workflow()
			if helper != nil && maker == "step "+quote(helper.ID()) || callee != nil && maker == "workflow "+quote(callee.ID()) {
				return e.Action
			}
		case isJump(e) && !e.Success && e.To != nil && leavesUnknown(e, k) && passes(flow, e.To, s, maker):
			return e.Action
		}
	}
	return nil
}

// leavesUnknown tells whether an edge is taken when nobody knows whether the request
// that bears a key was done.
func leavesUnknown(e *lint.Edge, k *lint.Key) bool {
	if len(k.Path) == 1 {
		return !e.Unknown().IsEmpty()
	}
	return failsThrough(k)
}

// passes tells whether a way from a step leads to another, and on it through the one
// that makes a key.
func passes(flow *lint.Flow, from, to *lint.Step, maker string) bool {
	for _, s := range flow.Order {
		if s == to || maker != "step "+quote(s.ID()) {
			continue
		}
		first := s == from || flow.Leads(from, s, func(e *lint.Edge) bool { return e.From != to })
		return first && flow.Leads(s, to, nil)
	}
	return false
}
