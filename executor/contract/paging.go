package contract

import (
	"slices"

	"github.com/weft-flow/weft/arazzo"
	"github.com/weft-flow/weft/arazzo/dynamic"
	"github.com/weft-flow/weft/arazzo/expression"
)

// turnsPages tells whether a loop asks for something else each time, the next page say: then
// it is the played API that never comes to an end, and not the document. A loop that may
// change something is none of these.
func (w *watcher) turnsPages(id stepID) bool {
	m := w.subject.steps[id]
	if m == nil || m.operation == nil || m.receives || m.channel {
		return false
	}
	for _, call := range w.player.calls {
		if call.effect && w.finished[call.id] > 1 {
			return false
		}
	}
	return m.asksForNext(w.finished) || m.beginsWithNext()
}

// asksForNext tells whether a query names what a step of the loop was answered. What the path
// names is one thing, whose state may be polled.
func (s *stepModel) asksForNext(finished map[stepID]int) bool {
	return slices.ContainsFunc(s.model.Parameters, func(written *arazzo.Parameter) bool {
		p, err := s.set.Document.ResolveParameter(written)
		if err != nil || p.In.Value != "query" && p.In.Value != "querystring" {
			return false
		}
		return s.usesIn(p.Value, func(e *expression.Expression) bool {
			return e.Root == expression.Steps && finished[stepID{s.workflow, e.Owner}] > 1
		})
	})
}

// beginsWithNext tells whether an action has the workflow begin anew with what the step was
// answered.
func (s *stepModel) beginsWithNext() bool {
	return slices.ContainsFunc(s.model.OnSuccess, func(a *arazzo.Action) bool {
		return a.WorkflowID.Value == s.workflow && slices.ContainsFunc(a.Parameters, func(p *arazzo.Parameter) bool {
			return s.usesIn(p.Value, func(e *expression.Expression) bool {
				return e.Root == expression.Response || e.Root == expression.Steps
			})
		})
	})
}

// usesIn tells whether a value is made from an expression of some kind.
func (s *stepModel) usesIn(written *arazzo.Node, matches func(*expression.Expression) bool) bool {
	if written == nil {
		return false
	}
	compiled, _ := dynamic.CompileValue(written, s.set.Document.Version, s.set.Document.Names(s.set.Document.Workflow(s.workflow)))
	for _, use := range compiled.Uses() {
		if matches(use.Expression) {
			return true
		}
	}
	return false
}
