package rules

import (
	"fmt"
	"slices"
	"time"

	"github.com/weft-flow/weft/arazzo"
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
				"x-weft-idempotency or a profile in weft.yaml says. Where the API declares the header and the document " +
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
			Summary: "A retry of an operation that is unsafe to repeat runs a step that reads its state first.",
			Why: "A retry runs the step that it names and then sends the operation again, whatever the step found. To ask " +
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
			Summary: "A jump runs an earlier operation again that has succeeded.",
			Why: "Each pass through a step is a new operation: where Weft makes the key it makes a new one, and the effect " +
				"happens a second time. Jump to behind the operation, or retry the step that failed.",
			Avoid:  "- stepId: createOrder\n- stepId: check\n  onFailure:\n    - {name: redo, type: goto, stepId: createOrder}\n",
			Prefer: "- stepId: createOrder\n- stepId: check\n  onFailure:\n    - {name: again, type: retry, retryAfter: 1, retryLimit: 3}\n",
			Check:  checkReplaySafe,
		},
	}
}

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
			unknown := e.Unknown()
			if unknown.IsEmpty() || e.Action == nil || e.Action.Model.UnsafeRetry.Value {
				continue
			}
			how := ""
			switch {
			case e.Kind == lint.Retry && limitOf(e.Action) > 0 && !helps(e, s):
				how = "is sent again"
			case isJump(e) && returnsUnasked(e, s):
				how = "is run again by this jump"
			default:
				continue
			}
			p.Report(lint.Finding{
				At: placeOf(e.Action), Severity: severity,
				Message: fmt.Sprintf("%s %s after %s, when nobody knows whether it was done; %s", does(s), how, told(unknown), whyUnsafe(effect)),
				Related: []lint.Related{lint.See(s.Model.StepID.Node, "this step is repeated")},
				Fixes:   writeKey(p, s, effect), Help: askInstead(s),
			})
		}
	})
	for _, s := range p.Steps() {
		checkWorkflowRetry(p, s)
	}
}

// told writes outcomes for a message.
func told(o lint.Outcomes) string { return o.String() }

// helps tells whether a retry runs a step first that may ask about another.
func helps(e *lint.Edge, of *lint.Step) bool {
	helper := e.Helper()
	return helper != nil && helper.Target.Kind != lint.WorkflowTarget && helper.Target.Kind != lint.NoTarget && helper.MayAsk(of)
}

// returnsUnasked tells whether a jump leads back to a step by a way on which
// nothing may ask about it.
func returnsUnasked(jump *lint.Edge, s *lint.Step) bool {
	entry := entryOf(jump)
	if entry == nil {
		return false
	}
	if entry != s && entry.MayAsk(s) {
		return returnsUnlearnt(entry, s)
	}
	return entry == s || s.Workflow.Flow().Leads(entry, s, func(e *lint.Edge) bool {
		return e.Kind != lint.Retry && (e.From == entry || !e.From.MayAsk(s))
	})
}

// unanswered are the outcomes by which a question stays without an answer.
var unanswered = lint.NoResponse.Union(lint.Statuses(500, 599))

// returnsUnlearnt tells whether a step that asks about another goes back to it at
// once though nothing was learnt: after no answer, or after a success whatever it
// says. What looks into the answer may be a decision, and is left alone.
func returnsUnlearnt(q, s *lint.Step) bool {
	if q.Target.Kind != lint.CallTarget || !q.Effect().Reads() {
		return false
	}
	return slices.ContainsFunc(q.Workflow.Flow().Edges(q), func(e *lint.Edge) bool {
		if !isJump(e) || entryOf(e) != s || e.Action.Model.UnsafeRetry.Value {
			return false
		}
		if e.Success {
			return len(e.Action.Model.Criteria) == 0 && !looksAtStatus(q)
		}
		return e.When.Must.Meets(unanswered)
	})
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
		if !callsAgain(e, s) || e.Action.Model.UnsafeRetry.Value {
			continue
		}
		if inner := failsUnknown(callee); inner != nil {
			p.Reportf(placeOf(e.Action), "workflow %s is run again when it fails, also where it failed because nobody knows whether %s in it was done; %s",
				quote(callee.ID()), does(inner), whyUnsafe(inner.Effect()))
		}
	}
}

// callsAgain tells whether an edge runs a step again at once after its failure: as
// a retry that runs nothing before, or as a jump to the step itself.
func callsAgain(e *lint.Edge, s *lint.Step) bool {
	if e.Kind == lint.Retry {
		return limitOf(e.Action) > 0 && e.Helper() == nil && e.Action.Target.Workflow() == nil
	}
	return isJump(e) && !e.Success && e.To == s
}

// failsUnknown gives a step that is unsafe to repeat and after whose unknown
// outcome its workflow fails at once; nil where there is none.
func failsUnknown(w *lint.Workflow) *lint.Step {
	for _, s := range w.Steps {
		if !s.Effect().Unsafe() {
			continue
		}
		for _, e := range w.Flow().Edges(s) {
			if e.Exit == lint.ExitFailure && !e.Unknown().IsEmpty() {
				return s
			}
		}
	}
	return nil
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
			if helps(e, s) && !e.Unknown().IsEmpty() {
				p.Reportf(placeOf(e.Action), "this runs %s and then sends %s again, whatever was found; go to the step instead (type: goto)",
					quote(e.Helper().ID()), does(s))
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
	for _, w := range p.Workflows {
		flow := w.Flow()
		if slices.ContainsFunc(w.Steps, isUnclear) {
			continue
		}
		for _, from := range flow.Order {
			for _, e := range flow.Edges(from) {
				if s := replayed(flow, e); s != nil {
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
func replayed(flow *lint.Flow, jump *lint.Edge) *lint.Step {
	entry := entryOf(jump)
	if jump.Kind != lint.Goto || entry == nil {
		return nil
	}
	again := flow.Reach(entry, func(e *lint.Edge) bool { return e.Success && e.From != jump.From })
	again[entry] = true
	before := flow.ReachBack(jump.From, func(e *lint.Edge) bool { return e.Kind != lint.Retry })
	before[jump.From] = true
	for _, s := range flow.Order {
		if again[s] && before[s] && repeats(s) && succeeds(flow, s, jump, before) && sendsAgain(flow, s, before) {
			return s
		}
		if s == jump.From {
			break // what comes after the jump was not before it
		}
	}
	return nil
}

// repeats tells whether to run a step again does again what it did.
func repeats(s *lint.Step) bool {
	effect := s.Effect()
	if effect == nil || !effect.Effectful {
		return false
	}
	return effect.Written == nil || !effect.Plan.Contract // else the server knows the key, and answers as before
}

// succeeds tells whether a step has succeeded on the way to a jump, whose own step
// is among those before it.
func succeeds(flow *lint.Flow, s *lint.Step, jump *lint.Edge, before map[*lint.Step]bool) bool {
	if s == jump.From {
		return jump.Success
	}
	return slices.ContainsFunc(flow.Edges(s), func(e *lint.Edge) bool { return e.Success && e.To != nil && before[e.To] })
}

// sendsAgain tells whether a step sends the same when a jump comes back to it: it
// takes nothing from steps between it and the jump.
func sendsAgain(flow *lint.Flow, s *lint.Step, before map[*lint.Step]bool) bool {
	var after map[*lint.Step]bool
	for _, e := range s.SentUses() {
		owner := s.Workflow.Step(e.Owner)
		if e.Root != expression.Steps || owner == nil || !before[owner] {
			continue
		}
		if after == nil {
			after = flow.Reach(s, nil)
			after[s] = true
		}
		if after[owner] {
			return false
		}
	}
	return true
}

// keyInputs gives the inputs of a workflow that are unique to an order, as far as
// names tell, the likeliest first.
func keyInputs(w *lint.Workflow) []*arazzo.Node {
	var likely, others []*arazzo.Node
	for _, property := range ownInputs(w.Model.Inputs) {
		kind := property.Get("type")
		if kind == nil || kind.Text != "string" || !lint.TellsApart(property.Token()) {
			continue
		}
		if words := lint.Words(property.Token()); words[0] == "idempotency" || words[0] == "request" {
			likely = append(likely, property)
		} else {
			others = append(others, property)
		}
	}
	return append(likely, others...)
}
