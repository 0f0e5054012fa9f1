package rules

import (
	"fmt"
	"slices"

	"github.com/weft-flow/weft/arazzo/dynamic"
	"github.com/weft-flow/weft/arazzo/expression"
	"github.com/weft-flow/weft/lint"
	"github.com/weft-flow/weft/lint/reason"
)

// repeatSeverity gives how grave it is to repeat what a step does: 0 where it is
// safe, a warning where Weft alone makes it so.
func repeatSeverity(e *lint.Effect) lint.Severity {
	switch {
	case e.Unsafe():
		return lint.Error
	case e.ByWeftAlone():
		return lint.Warn
	default:
		return 0
	}
}

// whyUnsafe says what is missing for a repeat to be safe.
func whyUnsafe(e *lint.Effect) string {
	switch {
	case e.ByWeftAlone():
		return fmt.Sprintf("the document writes no %s, so only Weft makes it safe", e.Plan.Dialect.Header)
	case e.Written != nil:
		return fmt.Sprintf("it bears %s, which the API does not declare", e.Plan.Dialect.Header)
	default:
		return "no key that the API honours prevents a second effect"
	}
}

func checkRetrySafe(p *lint.Pass) {
	eachEffect(p, func(s *lint.Step, effect *lint.Effect) {
		severity := repeatSeverity(effect)
		if severity == 0 {
			return
		}
		for _, e := range s.Workflow.Flow().Edges(s) {
			for _, r := range repeatsBy(e, s) {
				p.Report(lint.Finding{
					At: placeOf(r.by), Severity: severity,
					Message: fmt.Sprintf("%s %s; %s", does(s), r.how, whyUnsafe(effect)),
					Related: []lint.Related{lint.See(s.Model.StepID.Node, "this step is repeated")},
					Fixes:   writeKey(p, s, effect), Help: askInstead(s),
				})
			}
		}
	})
	for _, s := range p.Steps() {
		checkWorkflowRetry(p, s)
	}
}

// repetition is an action by which a step is repeated that should not be.
type repetition struct {
	by  *lint.Action
	how string
}

// repeatsBy gives how an edge from a step leads to its being repeated; at most one.
func repeatsBy(e *lint.Edge, s *lint.Step) []repetition {
	unknown := e.Unknown()
	const when = " after %s, when nobody knows whether it was done"
	switch {
	case e.Kind == lint.Proceed && !unknown.IsEmpty():
		if back := returnsLater(e, s); back != nil {
			return []repetition{{back, fmt.Sprintf("is run again by this jump"+when, told(unknown))}}
		}
	case e.Action == nil || e.Action.Model.UnsafeRetry.Value:
	case e.Kind == lint.Retry && limitOf(e.Action) > 0:
		if done := succeededBefore(e, s); !unknown.IsEmpty() && !helps(e, s) {
			return []repetition{{e.Action, fmt.Sprintf("is sent again"+when, told(unknown))}}
		} else if !done.IsEmpty() {
			return []repetition{{e.Action, fmt.Sprintf("is sent again after %s, when it was done: it happens a second time", told(done))}}
		}
	case isJump(e) && !unknown.IsEmpty():
		if back := returnsUnasked(e, s); back != nil {
			return []repetition{{back, fmt.Sprintf("is run again by this jump"+when, told(unknown))}}
		}
	}
	return nil
}

// told writes outcomes for a message.
func told(o lint.Outcomes) string { return o.String() }

// helps tells whether a retry runs a step first that may ask about another.
func helps(e *lint.Edge, of *lint.Step) bool {
	helper := e.Helper()
	return helper != nil && helper.Target.Kind != lint.WorkflowTarget && helper.Target.Kind != lint.NoTarget && helper.MayAsk(of)
}

// returnsUnasked gives the action by which a jump leads back to a step by a way on
// which nothing may ask about it: the jump's own, or that of a step which asks and
// goes back though it learnt nothing. It is nil where there is none.
func returnsUnasked(jump *lint.Edge, s *lint.Step) *lint.Action {
	entry := entryOf(jump)
	if entry == nil {
		return nil
	}
	if entry != s && entry.MayAsk(s) {
		back := returnsUnlearnt(entry, s)
		if back != nil && back.Action != nil {
			return back.Action
		}
		if back == nil {
			return nil
		}
		return jump.Action
	}
	if entry == s || s.Workflow.Flow().Leads(entry, s, func(e *lint.Edge) bool {
		return e.Kind != lint.Retry && (e.From == entry || !e.From.MayAsk(s))
	}) {
		return jump.Action
	}
	return nil
}

// unanswered are the outcomes by which a question stays without an answer.
var unanswered = lint.NoResponse.Union(lint.Statuses(500, 599))

// returnsUnlearnt gives the edge by which a step that asks about another goes back to
// it though nothing was learnt: after no answer, or after a success whatever it says.
// What looks into the answer may be a decision, and is left alone.
func returnsUnlearnt(q, s *lint.Step) *lint.Edge {
	flow := q.Workflow.Flow()
	if q.Target.Kind != lint.CallTarget || !q.Effect().Reads() || flow.Broken {
		return nil
	}
	onwards := func(e *lint.Edge) bool {
		return e.Kind != lint.Retry && e.From != s && (e.From == q || !e.From.MayAsk(s)) && !e.When.Must.IsEmpty() && !isAllowed(e)
	}
	for _, e := range flow.Edges(q) {
		entry, unlearnt := entryOf(e), unanswered
		if e.Success {
			unlearnt = lint.Statuses(200, 299)
		}
		if entry == nil || entry == q || !onwards(e) || !e.When.Must.Meets(unlearnt) {
			continue
		}
		if entry == s || !entry.MayAsk(s) && flow.Leads(entry, s, func(next *lint.Edge) bool { return next.From != q && onwards(next) }) {
			return e
		}
	}
	return nil
}

// isAllowed tells whether the action of an edge says that it may repeat what is
// unsafe to repeat.
func isAllowed(e *lint.Edge) bool { return e.Action != nil && e.Action.Model.UnsafeRetry.Value }

// returnsLater gives the action of the jump by which control comes back to a step
// after it went on along an edge, by a way that depends on nothing that the run
// alone knows and on which nothing may ask about the step; nil where there is none.
func returnsLater(on *lint.Edge, s *lint.Step) *lint.Action {
	flow := s.Workflow.Flow()
	if on.To == nil || on.To == s || on.To.MayAsk(s) || flow.Broken {
		return nil
	}
	follow := func(e *lint.Edge) bool {
		return e.Kind != lint.Retry && e.From != s && !e.From.MayAsk(s) && !e.Given().IsEmpty()
	}
	after := flow.Reach(on.To, follow)
	after[on.To] = true
	for _, from := range flow.Order {
		if !after[from] || from == s || from.MayAsk(s) {
			continue
		}
		for _, e := range flow.Edges(from) {
			if isJump(e) && follow(e) && !isAllowed(e) && leadsTo(flow, entryOf(e), s, follow) && sendsAgain(flow, s, after, nil) {
				return e.Action
			}
		}
	}
	return nil
}

// succeededBefore gives the statuses of success after which a failure of the step
// has it tried again: those that the API describes, and for which the action is
// taken for certain, or for which alone.
func succeededBefore(e *lint.Edge, s *lint.Step) lint.Outcomes {
	if s.Target.Kind != lint.CallTarget || e.Success {
		return lint.Never
	}
	success := lint.Statuses(200, 299)
	taken := e.Given()
	if may := e.When.May; success.Contains(may) || onlyOfSuccess(e, s) {
		taken = taken.Union(may)
	}
	described := lint.Never
	for _, r := range lint.ResponsesUnder(s.Target.Operation, success) {
		if r.Status != "default" {
			described = described.Union(lint.Described(s.Target.Operation, r))
		}
	}
	return taken.Intersect(success).Intersect(described)
}

// onlyOfSuccess tells whether the criteria of an edge look at a part of the body
// that responses of success alone are described with.
func onlyOfSuccess(e *lint.Edge, s *lint.Step) bool {
	refusals := lint.ResponsesUnder(s.Target.Operation, lint.Statuses(200, 299).Complement())
	others := s.Workflow.Document.Bodies(s.Target.Operation, refusals)
	return slices.ContainsFunc(e.Action.Criteria, func(c *lint.Criterion) bool {
		if len(c.Faults) > 0 || c.Condition() == nil {
			return false
		}
		uses := c.Compiled.Uses()
		return len(uses) > 0 && !slices.ContainsFunc(uses, func(use dynamic.Use) bool { return !isOfSuccess(use.Expression, s, others) })
	})
}

// isOfSuccess tells whether an expression names a member of the body that the
// responses of success are described with, and none of some others.
func isOfSuccess(e *expression.Expression, s *lint.Step, others []lint.Body) bool {
	tokens := lint.Tokens(e)
	if e.Root != expression.Response || e.Part != expression.BodyPart || len(tokens) == 0 {
		return false
	}
	presence := func(b lint.Body) reason.Presence {
		_, p := b.Schema.Step(tokens[0])
		return p
	}
	bodies := s.Workflow.Document.Bodies(s.Target.Operation, lint.ResponsesUnder(s.Target.Operation, lint.Statuses(200, 299)))
	return slices.ContainsFunc(bodies, func(b lint.Body) bool { return presence(b) == reason.Declared }) &&
		!slices.ContainsFunc(others, func(b lint.Body) bool { return presence(b) > reason.Undeclared })
}

// askInstead names an operation by which could be asked; empty where there is none.
func askInstead(s *lint.Step) string {
	if offers := s.Offers(); len(offers) > 0 {
		return fmt.Sprintf("%s takes a value that this step sends: go to a step that asks by it (x-weft-requery-of: %s), and send again only where nothing was found",
			offers[0].Label(), s.ID())
	}
	return ""
}

// checkWorkflowRetry looks at a step that calls a workflow and is run again after
// a failure: what the workflow does is done again.
func checkWorkflowRetry(p *lint.Pass, s *lint.Step) {
	callee := s.Target.Workflow()
	if callee == nil {
		return
	}
	for _, e := range s.Workflow.Flow().Edges(s) {
		if !callsAgain(e, s) || isAllowed(e) {
			continue
		}
		if inner := failsUnknown(callee, make(map[*lint.Workflow]bool)); inner != nil {
			p.Reportf(placeOf(e.Action), "workflow %s is run again when it fails, also where it failed because nobody knows whether %s in it was done; %s",
				quote(callee.ID()), does(inner), whyUnsafe(inner.Effect()))
		}
	}
}

// callsAgain tells whether an edge runs a step again after its failure, by a way on
// which nothing can be asked: as a retry that runs nothing before, or as a jump.
func callsAgain(e *lint.Edge, s *lint.Step) bool {
	if e.Kind == lint.Retry {
		return limitOf(e.Action) > 0 && e.Helper() == nil && e.Action.Target.Workflow() == nil
	}
	if !isJump(e) || e.Success {
		return false
	}
	entry := entryOf(e)
	return entry == s || entry != nil && !mayLearn(entry) && s.Workflow.Flow().Leads(entry, s, func(next *lint.Edge) bool {
		return next.Kind != lint.Retry && next.From != s && !mayLearn(next.From)
	})
}

// mayLearn tells whether a step may find out what became of anything: it reads or
// receives, or what it does is out of sight.
func mayLearn(s *lint.Step) bool {
	return s.Receives() || s.Effect().Reads() || s.Target.Kind == lint.WorkflowTarget || s.Target.Kind == lint.NoTarget
}

// failsUnknown gives a step that is unsafe to repeat and after whose unknown
// outcome its workflow fails at once, also in a workflow that it calls; nil where
// there is none, or none in so many workflows.
func failsUnknown(w *lint.Workflow, seen map[*lint.Workflow]bool) *lint.Step {
	const most = 100
	if seen[w] || len(seen) >= most {
		return nil
	}
	seen[w] = true
	for _, s := range w.Steps {
		inner := s
		if called := s.Target.Workflow(); called != nil {
			inner = failsUnknown(called, seen)
		}
		if inner != nil && inner.Effect().Unsafe() && endsUnknown(s) {
			return inner
		}
	}
	return nil
}

// endsUnknown tells whether the workflow fails at once after an unknown outcome of a
// step, or after the failure of the workflow that the step calls.
func endsUnknown(s *lint.Step) bool {
	return slices.ContainsFunc(s.Workflow.Flow().Edges(s), func(e *lint.Edge) bool {
		return e.Exit == lint.ExitFailure && (!e.Unknown().IsEmpty() || s.Target.Kind == lint.WorkflowTarget)
	})
}
