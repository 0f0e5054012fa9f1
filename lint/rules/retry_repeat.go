package rules

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/weft-flow/weft/arazzo/expression"
	"github.com/weft-flow/weft/lint"
)

// repeatRules are about doing twice what was to be done once.
func repeatRules() []lint.Rule {
	return []lint.Rule{
		{
			Name: "retry-safe", Layer: lint.Semantics, Severity: lint.Error,
			Summary: "An operation that is unsafe to repeat is repeated where its outcome may be unknown.",
			Why: "After a timeout or a 5xx the effect may have happened. Sent again, a POST makes a second order, a second " +
				"payment, unless the API promises to honour an idempotency key: by declaring the header, or as " +
				"x-weft-idempotency or a profile in weft.yaml says. After a 2xx whose answer did not suffice it surely happened. A " +
				"question on the way back helps only where its answer decides. Where the API declares the header and the document " +
				"writes none, Weft alone makes a key: then it is a warning, and the fix writes the key. Weft withholds " +
				"the repeats that are reported as errors. x-weft-effect: read or idempotent says that a call is harmless.",
			Avoid: "- stepId: order\n  operationId: createOrder # a POST without a key\n  onFailure:\n    - {name: again, type: retry, retryLimit: 3}\n",
			Prefer: "- stepId: order\n  operationId: createOrder\n  parameters:\n    - {name: Idempotency-Key, in: header, value: $inputs.orderReference}\n" +
				"  onFailure:\n    - name: again\n      type: retry\n      retryAfter: 1\n      retryLimit: 3\n      criteria:\n        - condition: $statusCode == null || $statusCode >= 500\n",
			Check: checkRetrySafe,
		},
		{
			Name: "retry-after-unknown-outcome", Layer: lint.Semantics, Severity: lint.Error,
			Summary: "An effectful operation is retried on 500, 502, 504 or no response, beyond what a key covers.",
			Why: "These say that something went wrong on the way back as often as on the way there. Without a key, ask " +
				"first what became of the request, by something that was known before it; with a key, stay within the time " +
				"for which the server keeps it.",
			Avoid: "onFailure:\n  - name: again\n    type: retry\n    criteria:\n      - condition: $statusCode == 504\n",
			Prefer: "onFailure:\n  - name: ask\n    type: goto\n    stepId: findPayment # GET /payments/by-reference/{reference}\n" +
				"    criteria:\n      - condition: $statusCode == null || $statusCode >= 500\n",
			Check: checkRetryAfterUnknown,
		},
		{
			Name: "retry-is-not-requery", Layer: lint.Semantics, Severity: lint.Error,
			Summary: "A retry of an operation that is unsafe to repeat runs a step or workflow that reads its state first.",
			Why: "A retry runs the step or workflow that it names and then sends the operation again, whatever the step found. To ask " +
				"first and send only where nothing was found, go to the step.",
			Avoid:  "onFailure:\n  - {name: lookFirst, type: retry, stepId: findPayment}\n",
			Prefer: "onFailure:\n  - {name: lookFirst, type: goto, stepId: findPayment}\n",
			Check:  checkRetryIsNotRequery,
		},
		{
			Name: "requery-reference", Layer: lint.Semantics, Severity: lint.Error,
			Summary: "A question about an unknown outcome needs an output of the very operation that gave no answer.",
			Why: "The output is taken from the answer, and the answer is what is missing. Ask by something that was known " +
				"before: the caller's own reference, or the idempotency key.",
			Avoid:  "- stepId: ask\n  operationId: getPayment\n  parameters:\n    - {name: paymentId, in: path, value: $steps.pay.outputs.paymentId}\n  x-weft-requery-of: pay\n",
			Prefer: "- stepId: ask\n  operationId: findPayment\n  parameters:\n    - {name: reference, in: path, value: $inputs.reference}\n  x-weft-requery-of: pay\n",
			Check:  checkRequeryReference,
		},
		{
			Name: "replay-safe", Layer: lint.Semantics, Severity: lint.Warn,
			Summary: "A jump, or a retry that runs a step first, runs an operation again that has succeeded.",
			Why: "Each pass through a step is a new operation: where Weft makes the key it makes a new one, and the effect " +
				"happens a second time. Jump to behind the operation, or retry the step that failed. A retry runs its step or " +
				"workflow before each attempt: let that read, or undo, or renew access.",
			Avoid:  "- stepId: createOrder\n- stepId: check\n  onFailure:\n    - {name: redo, type: goto, stepId: createOrder}\n",
			Prefer: "- stepId: createOrder\n- stepId: check\n  onFailure:\n    - {name: again, type: retry, retryAfter: 1, retryLimit: 3}\n",
			Check:  checkReplaySafe,
		},
	}
}

// gravest are the outcomes of which most often nobody knows what they mean.
var gravest = lint.NoResponse.Union(lint.Status(500)).Union(lint.Status(502)).Union(lint.Status(504))

func checkRetryAfterUnknown(p *lint.Pass) {
	eachEffect(p, func(s *lint.Step, effect *lint.Effect) {
		for _, e := range retriesOf(s) {
			unknown := e.Unknown().Intersect(gravest)
			if unknown.IsEmpty() || e.Action.Model.UnsafeRetry.Value {
				continue
			}
			finding := lint.Finding{At: decidingPlace(e.Action), Severity: repeatSeverity(effect)}
			switch {
			case finding.Severity != 0 && !helps(e, s):
				finding.Message = fmt.Sprintf("after %s %s may have been done; ask first, do not send it again: %s", told(unknown), does(s), whyUnsafe(effect))
				finding.Fixes, finding.Help = writeKey(p, s, effect), askInstead(s)
			case finding.Severity == 0 && outruns(e, effect) > 0:
				finding.Severity = lint.Error
				finding.Message = fmt.Sprintf("after %s %s may have been done, and the last retries come when the server no longer keeps its key: it keeps it for %s",
					told(unknown), does(s), inWords(effect.Plan.Dialect.Retention))
			default:
				continue
			}
			p.Report(finding)
		}
	})
}

// decidingPlace is where an action says after what it is taken: its first
// criterion, else its name.
func decidingPlace(a *lint.Action) lint.Place {
	if a.Written.Reference.Present() || len(a.Criteria) == 0 {
		return placeOf(a)
	}
	return lint.At(a.Criteria[0].Model.Condition.Node, a.Criteria[0].Model.Node)
}

// outruns gives the time from the first attempt to the last retry where a key's
// retention is shorter; else 0.
func outruns(e *lint.Edge, effect *lint.Effect) time.Duration {
	retention := effect.Plan.Dialect.Retention
	if span := spanOf(e.Action); effect.Plan.Contract && retention > 0 && span > retention {
		return span
	}
	return 0
}

func checkRetryIsNotRequery(p *lint.Pass) {
	eachEffect(p, func(s *lint.Step, effect *lint.Effect) {
		if !effect.Unsafe() {
			return
		}
		for _, e := range retriesOf(s) {
			switch callee := e.Action.Target.Workflow(); {
			case e.Unknown().IsEmpty() || e.Action.Model.UnsafeRetry.Value:
			case helps(e, s):
				p.Reportf(placeOf(e.Action), "this runs %s and then sends %s again, whatever was found; go to the step instead (type: goto)",
					quote(e.Helper().ID()), does(s))
			case callee != nil && asksIn(callee, e.Action, s):
				p.Reportf(placeOf(e.Action), "this runs workflow %s and then sends %s again, whatever was found; go to a step that calls the workflow instead (type: goto)",
					quote(callee.ID()), does(s))
			}
		}
	})
}

func checkRequeryReference(p *lint.Pass) {
	eachEffect(p, func(s *lint.Step, _ *lint.Effect) {
		flow := s.Workflow.Flow()
		for _, e := range flow.Edges(s) {
			if !isJump(e) || e.To == nil || e.Success || e.Unknown().IsEmpty() || flow.InLoop(s) {
				continue
			}
			if q := e.To; q.Effect().Reads() && (!q.Model.RequeryOf.Present() || q.Model.RequeryOf.Value == s.ID()) {
				reportOwnOutput(p, q, s)
			}
		}
		for _, q := range s.Workflow.Steps {
			if q.Model.RequeryOf.Value == s.ID() && q.Model.RequeryOf.Present() && asksAfterUnknown(flow, s, q) {
				reportOwnOutput(p, q, s)
			}
		}
	})
}

// asksAfterUnknown tells whether control can come to a step after an unknown
// outcome of another, without this having succeeded before.
func asksAfterUnknown(flow *lint.Flow, of, q *lint.Step) bool {
	if flow.InLoop(of) {
		return false // it may have its output from an earlier round
	}
	for _, e := range flow.Edges(of) {
		if e.To != nil && e.Kind != lint.Retry && !e.Unknown().IsEmpty() && (e.To == q || flow.Leads(e.To, q, nil)) {
			return true
		}
	}
	return false
}

// reportOwnOutput reports what a step takes from the answer of the step that it
// asks about.
func reportOwnOutput(p *lint.Pass, q, of *lint.Step) {
	for _, use := range q.Workflow.Uses {
		if use.Step != q || use.Kind > lint.InCorrelation || use.Expression.Root != expression.Steps || use.Expression.Owner != of.ID() {
			continue
		}
		p.Report(lint.Finding{
			At: use.Place(),
			Message: fmt.Sprintf("%s asks what became of %s, but takes %s from its answer, which is what is missing",
				quote(q.ID()), quote(of.ID()), quote(use.Expression.Name)),
			Help: "ask by a value that was known before the request",
		})
	}
}

func checkReplaySafe(p *lint.Pass) {
	checkHelpersRepeated(p)
	looked := make(looks)
	for _, w := range p.Workflows {
		flow := w.Flow()
		if slices.ContainsFunc(w.Steps, isUnclear) {
			continue
		}
		for _, from := range flow.Order {
			before := sync.OnceValue(func() map[*lint.Step]bool { return comesBefore(flow, from) })
			for _, e := range flow.Edges(from) {
				if e.Kind != lint.Goto || !looked.more(w) {
					continue
				}
				if s := replayed(flow, e, before); s != nil {
					p.Report(lint.Finding{
						At:      placeOf(e.Action),
						Message: fmt.Sprintf("this runs %s again, which has succeeded before: it happens a second time", does(s)),
						Related: []lint.Related{lint.See(s.Model.StepID.Node, "this step is run again")},
					})
				}
			}
		}
	}
}

// isUnclear tells whether it cannot be read when an action of a step is taken.
func isUnclear(s *lint.Step) bool {
	return slices.ContainsFunc(s.OnSuccess, (*lint.Action).IsUnclear) || slices.ContainsFunc(s.OnFailure, (*lint.Action).IsUnclear)
}

// replayed gives the first step that a jump runs a second time: an effectful one
// that has succeeded before the jump, and that then sends the same again under no
// key of its own. It is nil where there is none, and for an edge that is no jump.
//
// Ways that only a failure opens are not followed: to look, and to make what is not
// there, is no replay.
func replayed(flow *lint.Flow, jump *lint.Edge, comesBefore func() map[*lint.Step]bool) *lint.Step {
	entry := entryOf(jump)
	if jump.Kind != lint.Goto || entry == nil || entry != jump.From && !comesBefore()[entry] {
		return nil // to what lies ahead alone
	}
	before := comesBefore()
	done := func(s *lint.Step) bool { return before[s] && repeats(s) && succeeds(flow, s, jump, before) }
	if !slices.ContainsFunc(flow.Order, done) {
		return nil
	}
	again := flow.Reach(entry, func(e *lint.Edge) bool { return e.Success && e.From != jump.From })
	again[entry] = true
	for _, s := range flow.Order {
		if again[s] && done(s) && !isForAnother(jump, s) && (sendsAgain(flow, s, before, nil) || redoes(flow, s, jump, before)) {
			return s
		}
		if s == jump.From {
			break // what comes after the jump was not before it
		}
	}
	return nil
}

// isForAnother tells whether a jump begins a workflow anew with what a round has found,
// the next of many say, and a step sends something that may come of it.
func isForAnother(jump *lint.Edge, s *lint.Step) bool {
	return jump.To == nil && handsOn(jump) && slices.ContainsFunc(s.SentUses(), func(e *expression.Expression) bool {
		return e.Root == expression.Inputs || e.Root == expression.Steps
	})
}

// comesBefore gives a step and those from which control can come to it.
func comesBefore(flow *lint.Flow, s *lint.Step) map[*lint.Step]bool {
	before := flow.ReachBack(s, func(e *lint.Edge) bool { return e.Kind != lint.Retry })
	before[s] = true
	return before
}

// repeats tells whether to run a step again does again what it did: also in a
// workflow that it calls.
func repeats(s *lint.Step) bool { return repeatsWithin(s, make(map[*lint.Workflow]bool)) }

func repeatsWithin(s *lint.Step, seen map[*lint.Workflow]bool) bool {
	if called := s.Target.Workflow(); called != nil && !seen[called] {
		seen[called] = true
		return slices.ContainsFunc(called.Steps, func(inner *lint.Step) bool {
			return repeatsWithin(inner, seen) && runsAlways(inner)
		})
	}
	effect := s.Effect()
	if effect == nil || !effect.Effectful {
		return false
	}
	return effect.Written == nil || !effect.Plan.Contract // else the server knows the key, and answers as before
}

// runsAlways tells whether a step has run for certain where its workflow has
// succeeded.
func runsAlways(s *lint.Step) bool {
	flow := s.Workflow.Flow()
	start := flow.Start()
	return !flow.Broken && start != nil && !flow.CanEnd(start, func(e *lint.Edge) bool { return e.From != s }, lint.ExitSuccess, lint.ExitElsewhere)
}

// succeeds tells whether a step has succeeded on the way to a jump, whose own step
// is among those before it.
func succeeds(flow *lint.Flow, s *lint.Step, jump *lint.Edge, before map[*lint.Step]bool) bool {
	if s == jump.From {
		return jump.Success
	}
	return slices.ContainsFunc(flow.Edges(s), func(e *lint.Edge) bool { return e.Success && e.To != nil && before[e.To] })
}

// redoes tells whether a jump after a failure has the order of the run done once more:
// what a step sends tells of the run's inputs, and what it takes from elsewhere is found
// by questions that are the same again.
//
// A jump after a success may go on to the next of many, and what knows no input may
// take its work from a queue.
func redoes(flow *lint.Flow, s *lint.Step, jump *lint.Edge, before map[*lint.Step]bool) bool {
	follow := func(e *lint.Edge) bool { return e.Action == nil || e.Action != jump.Action }
	if jump.Success || !usesInput(s) || !sendsAgain(flow, s, before, follow) {
		return false
	}
	return !slices.ContainsFunc(s.SentUses(), func(e *expression.Expression) bool {
		owner := s.Workflow.Step(e.Owner)
		return e.Root == expression.Steps && owner != nil && before[owner] && !(owner.Effect().Reads() && sendsAgain(flow, owner, before, follow))
	})
}

// usesInput tells whether a step sends an input of its workflow.
func usesInput(s *lint.Step) bool {
	return slices.ContainsFunc(s.SentUses(), func(e *expression.Expression) bool { return e.Root == expression.Inputs })
}

// sendsAgain tells whether a step sends the same when a jump comes back to it: it
// takes nothing from steps between it and the jump, by ways for which follow is true
// (nil: all).
func sendsAgain(flow *lint.Flow, s *lint.Step, before map[*lint.Step]bool, follow func(*lint.Edge) bool) bool {
	var after map[*lint.Step]bool
	for _, e := range s.SentUses() {
		owner := s.Workflow.Step(e.Owner)
		if e.Root != expression.Steps || owner == nil || !before[owner] {
			continue
		}
		if after == nil {
			after = flow.Reach(s, follow)
			after[s] = true
		}
		if after[owner] {
			return false
		}
	}
	return true
}

// keyInput gives the input of a workflow that is unique to an order, as far as names
// tell: the one that is named for it, else the only one that may be; empty where there
// are several.
func keyInput(w *lint.Workflow) string {
	var named, all []string
	for _, property := range ownInputs(w.Model.Inputs) {
		kind := property.Get("type")
		if kind == nil || kind.Text != "string" || !lint.TellsApart(property.Token()) {
			continue
		}
		all = append(all, property.Token())
		if strings.HasPrefix(lint.Words(property.Token())[0], "idempoten") {
			named = append(named, property.Token())
		}
	}
	switch {
	case len(named) == 1:
		return named[0]
	case len(all) == 1:
		return all[0]
	default:
		return ""
	}
}
