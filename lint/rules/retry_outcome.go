package rules

import (
	"fmt"
	"slices"
	"strings"

	"github.com/weft-flow/weft/arazzo"
	"github.com/weft-flow/weft/arazzo/source"
	"github.com/weft-flow/weft/lint"
)

// outcomeRules are about outcomes that nobody knows, and about what is undone.
func outcomeRules() []lint.Rule {
	return []lint.Rule{
		{
			Name: "timeout-present", Layer: lint.Semantics, Severity: lint.Warn,
			Summary: "An operation that is unsafe to repeat has no timeout.",
			Why: "How long to wait decides when its outcome counts as unknown. Left to each tool it is something else each time, and may " +
				"be shorter than the API takes. Arazzo has timeout, in milliseconds, since 1.1; documents of 1.0 are not reported.",
			Avoid:  "- stepId: order\n  operationId: createOrder # a POST without a key\n",
			Prefer: "- stepId: order\n  operationId: createOrder\n  timeout: 30000\n",
			Check:  checkTimeouts,
		},
		{
			Name: "timeout-requery", Layer: lint.Semantics, Severity: lint.Warn,
			Summary: "The flow ends after an unknown outcome without asking, although it could.",
			Why: "The order may exist or not, the payment may be made or not, and nobody finds out. Where the API can be asked " +
				"by a value that the request bore, ask, and go on with what is found. A retry under the request's key serves too.",
			Avoid: "- stepId: pay\n  operationId: createPayment # sends reference; GET /payments/by-reference/{reference} is not called\n",
			Prefer: "- stepId: pay\n  operationId: createPayment\n  onFailure:\n    - name: ask\n      type: goto\n      stepId: findPayment\n      criteria:\n" +
				"        - condition: $statusCode == null || $statusCode >= 500\n",
			Check: checkTimeoutRequery,
		},
		{
			Name: "compensate-known", Layer: lint.Semantics, Severity: lint.Warn,
			Summary: "Something is cancelled or refunded straight after an unknown outcome.",
			Why: "When nobody knows whether the payment was made, a cancel may undo what is paid for, or be too early and undo " +
				"nothing. Ask first, then undo what is there.",
			Avoid: "onFailure:\n  - {name: undo, type: goto, stepId: cancelOrder}\n",
			Prefer: "onFailure:\n  - name: undo\n    type: goto\n    stepId: cancelOrder\n    criteria:\n      - condition: $statusCode >= 400 && $statusCode < 500\n" +
				"      - condition: $statusCode != 408\n  - {name: ask, type: goto, stepId: findPayment}\n",
			Check: checkCompensateKnown,
		},
		{
			Name: "compensation-present", Layer: lint.Semantics, Severity: lint.Hint,
			Summary: "When a later step fails, what was created before stays, though the API could undo it.",
			Why:     "An order without its payment has to be found and cleaned up by somebody.",
			Avoid:   "- stepId: createOrder\n- stepId: pay # when it fails, the order stays\n",
			Prefer: "- stepId: createOrder\n- stepId: pay\n  onFailure:\n    - name: undo\n      type: goto\n      stepId: cancelOrder\n" +
				"      criteria:\n        - condition: $statusCode == 402\n- stepId: cancelOrder\n",
			Check: checkCompensation,
		},
	}
}

func checkTimeouts(p *lint.Pass) {
	if p.Model.Version == arazzo.Version10 {
		return
	}
	for _, s := range p.Steps() {
		if s.Effect().Unsafe() && s.Model.Node.Get("timeout") == nil {
			p.Reportf(lint.At(s.Target.Ref.Node, s.Model.Node), "%s is unsafe to repeat and has no timeout, in milliseconds, after which its outcome counts as unknown", does(s))
		}
	}
}

func checkTimeoutRequery(p *lint.Pass) {
	looked := make(looks)
	eachEffect(p, func(s *lint.Step, effect *lint.Effect) {
		flow := s.Workflow.Flow()
		left := unkept(s, effect)
		if flow.Broken || left.IsEmpty() || !looked.more(s.Workflow) || askedByCallers(s.Workflow) {
			return
		}
		how := askable(s)
		if how == "" {
			return
		}
		for _, e := range flow.Edges(s) {
			unknown := e.Unknown().Intersect(left)
			if e.Kind == lint.Retry || seldom.Contains(unknown) || !endsUnasked(flow, e, s) {
				continue
			}
			p.Report(lint.Finding{
				At: lint.At(s.Target.Ref.Node, s.Model.Node),
				Message: fmt.Sprintf("after %s nobody knows whether %s was done, and the flow ends without asking; %s",
					told(unknown), does(s), how),
				Help: "x-weft-requery-of: " + s.ID() + " tells that a step asks about this one",
			})
			return
		}
	})
}

// askedByCallers tells whether there are calls of a workflow in its document, and each
// of them is followed, where it fails, by a step that may ask what became of it.
func askedByCallers(w *lint.Workflow) bool {
	called := false
	for _, other := range w.Document.Workflows {
		for _, caller := range other.Steps {
			if caller.Target.Workflow() != w {
				continue
			}
			called = true
			flow := other.Flow()
			if flow.Broken || slices.ContainsFunc(flow.Edges(caller), func(e *lint.Edge) bool {
				return !e.Success && e.Kind != lint.Retry && (e.Exit == lint.ExitElsewhere || endsUnasked(flow, e, caller))
			}) {
				return false
			}
		}
	}
	return called
}

// seldom are outcomes that hardly any API has: where nothing else is left, the flow
// has thought of all that matters.
var seldom = lint.Status(408)

// unkept gives the unknown outcomes of a step after which it is not sent again
// under a key.
func unkept(s *lint.Step, effect *lint.Effect) lint.Outcomes {
	left := effect.Unknown()
	if !effect.Plan.Contract {
		return left
	}
	for _, e := range retriesOf(s) {
		left = left.Minus(e.Unknown())
	}
	return left
}

// askable says how could be asked what became of a step's call; empty where it
// cannot be seen how.
func askable(s *lint.Step) string { return askableBy(s, nil) }

// askableBy tells the same without the steps for which leave is true (nil: none).
func askableBy(s *lint.Step, leave func(*lint.Step) bool) string {
	for _, other := range s.Workflow.Steps {
		if other != s && other.Asks(s) && (leave == nil || !leave(other)) {
			return fmt.Sprintf("step %s could ask", quote(other.ID()))
		}
	}
	if offers := s.Offers(); len(offers) > 0 {
		return fmt.Sprintf("%s takes a value that it sent", offers[0].Label())
	}
	return ""
}

// endsUnasked tells whether the workflow can come to its end along an edge without
// a step that may ask about another.
func endsUnasked(flow *lint.Flow, e *lint.Edge, of *lint.Step) bool {
	if e.To == nil {
		return e.Exit != lint.ExitElsewhere
	}
	if e.To == of || e.To.MayAsk(of) {
		return false
	}
	silent := func(next *lint.Edge) bool {
		return next.Kind != lint.Retry && next.From != of && (next.To == nil || next.To != of && !next.To.MayAsk(of))
	}
	return flow.CanEnd(e.To, silent, lint.ExitSuccess, lint.ExitFailure)
}

// undoWords are in the names of operations that undo.
var undoWords = []string{
	"cancel", "cancels", "cancellation", "refund", "refunds", "void", "reverse", "reversal", "rollback", "compensate", "undo",
	"revoke", "abort", "release", "withdraw", "delete", "remove",
}

// undoes tells whether an operation undoes something, as far as its method and its
// names tell.
func undoes(o *source.Operation) bool {
	if o.Method == "DELETE" {
		return true
	}
	words := lint.Words(o.ID)
	if at := strings.LastIndexByte(o.Path, '/'); at >= 0 {
		words = append(words, lint.Words(o.Path[at:])...)
	}
	return o.Method != "GET" && slices.ContainsFunc(words, func(word string) bool { return slices.Contains(undoWords, word) })
}

// stepUndoes tells the same of a step. One that calls a workflow does so where its
// name says it.
func stepUndoes(s *lint.Step) bool {
	if s.Target.Kind == lint.CallTarget {
		return undoes(s.Target.Operation)
	}
	words := append(lint.Words(s.ID()), lint.Words(s.Target.Ref.Value)...)
	return slices.ContainsFunc(words, func(word string) bool { return slices.Contains(undoWords, word) })
}

func checkCompensateKnown(p *lint.Pass) {
	eachEffect(p, func(s *lint.Step, _ *lint.Effect) {
		if stepUndoes(s) {
			return
		}
		for _, e := range s.Workflow.Flow().Edges(s) {
			undo := beginsAt(e)
			if isJump(e) && undo != nil && undo.Target.Kind == lint.CallTarget && !e.Unknown().IsEmpty() && stepUndoes(undo) {
				p.Reportf(placeOf(e.Action), "%s undoes something after %s, when nobody knows whether %s was done; ask first", does(undo), told(e.Unknown()), does(s))
			}
		}
	})
}

// beginsAt gives the step that runs next along an edge: also the first one of another
// workflow that goes on.
func beginsAt(e *lint.Edge) *lint.Step {
	if e.To != nil || e.Exit != lint.ExitElsewhere {
		return e.To
	}
	if w := e.Action.Target.Workflow(); w != nil {
		return w.Flow().Start()
	}
	return nil
}

func checkCompensation(p *lint.Pass) {
	for _, w := range p.Workflows {
		if slices.ContainsFunc(w.Steps, stepUndoes) || callsUndo(w) {
			continue
		}
		flow := w.Flow()
		for _, made := range flow.Order {
			undo := undoOffered(made)
			if undo == nil {
				continue
			}
			if s := failsAfter(flow, made); s != nil {
				p.Report(lint.Finding{
					At:      lint.At(s.Model.StepID.Node, s.Model.Node),
					Message: fmt.Sprintf("when this step fails, what %s made stays; %s would undo it", does(made), undo.Label()),
					Related: []lint.Related{lint.See(made.Model.StepID.Node, "it is made here")},
				})
				break
			}
		}
	}
}

// callsUndo tells whether an action goes on in another workflow, which may undo.
func callsUndo(w *lint.Workflow) bool {
	for _, s := range w.Steps {
		for _, e := range w.Flow().Edges(s) {
			if e.Exit == lint.ExitElsewhere {
				return true
			}
		}
	}
	return w.Flow().Broken
}

// undoOffered gives the operation of the API that undoes what a step makes; nil
// where there is none.
func undoOffered(s *lint.Step) *source.Operation {
	if s.Target.Kind != lint.CallTarget || !s.Creates() || s.Target.Source.OpenAPI == nil {
		return nil
	}
	made := s.Target.Operation.Path + "/{"
	for _, o := range s.Target.Source.OpenAPI.Operations {
		if o.Kind == source.Request && strings.HasPrefix(o.Path, made) && undoes(o) && strings.Count(o.Path[len(made):], "/") <= 1 {
			return o
		}
	}
	return nil
}

// failsAfter gives the first effectful step after another whose failure ends the
// workflow; nil where there is none.
func failsAfter(flow *lint.Flow, made *lint.Step) *lint.Step {
	after := flow.Reach(made, func(e *lint.Edge) bool { return e.Success })
	for _, s := range flow.Order {
		if !after[s] || s == made || s.Effect() == nil || !s.Effect().Effectful {
			continue
		}
		for _, e := range flow.Edges(s) {
			if e.Exit == lint.ExitFailure {
				return s
			}
		}
	}
	return nil
}
