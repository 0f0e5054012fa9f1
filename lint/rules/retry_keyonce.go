package rules

import (
	"fmt"
	"slices"
	"strings"

	"github.com/weft-flow/weft/arazzo"
	"github.com/weft-flow/weft/arazzo/expression"
	"github.com/weft-flow/weft/lint"
)

// checkKeyHanded reports a constant that is handed to a workflow as its key.
func checkKeyHanded(p *lint.Pass, s *lint.Step) {
	if s.Target.Kind != lint.WorkflowTarget {
		return
	}
	for _, k := range s.Keys() {
		if k.IsConstant() && k.Node != nil {
			reportConstant(p, k.Node, keyOf(k))
		}
	}
}

// keyOf names a key for a message.
func keyOf(k *lint.Key) string {
	what := "the key of "
	if k.Business {
		what = "the business key of "
	}
	return what + bearing(k)
}

// bearing names what bears a key: the operation, and where another workflow has it
// that too.
func bearing(k *lint.Key) string {
	if len(k.Path) == 1 {
		return does(k.Bearer())
	}
	return fmt.Sprintf("%s in workflow %s", does(k.Bearer()), quote(k.Bearer().Workflow.ID()))
}

// checkKeyOnce reports keys that an earlier step bears too.
func checkKeyOnce(p *lint.Pass, w *lint.Workflow) {
	seen := make(map[*arazzo.Node]bool) // what several steps have of their workflow is told once
	borne := earlierKeys{byKey: make(map[string][]*lint.Key), looked: make(looks)}
	for _, s := range w.Steps {
		for _, k := range s.Keys() {
			if k.Node == nil || seen[k.Node] || len(k.Uses) == 0 || k.Business || k.Text() == "" {
				continue
			}
			if other := borne.same(s, k); other != nil {
				seen[k.Node] = true
				reportTwice(p, s, k, other)
				break
			}
		}
		borne.add(s)
	}
}

// earlierKeys are the keys that the steps before one bear.
type earlierKeys struct {
	byKey  map[string][]*lint.Key // those that are the same, by sameKeyAs
	looked looks
}

func (b *earlierKeys) add(s *lint.Step) {
	for _, k := range s.Keys() {
		if !k.Business && k.Node != nil {
			b.byKey[sameKeyAs(k)] = append(b.byKey[sameKeyAs(k)], k)
		}
	}
}

// same gives the key of an earlier step that is the same as one of a step, so that
// one of the two is taken for a repeat of the other; nil where there is none.
func (b *earlierKeys) same(s *lint.Step, k *lint.Key) *lint.Key {
	for _, theirs := range b.byKey[sameKeyAs(k)] {
		if b.looked.more(s.Workflow) && runBoth(theirs.Path[0], s, k, theirs) {
			return theirs
		}
	}
	return nil
}

// sameKeyAs gives a text that is the same for two keys of the same text for the same
// API.
func sameKeyAs(k *lint.Key) string {
	s := k.Bearer()
	api := fmt.Sprintf("%p", s.Target.Source)
	if s.Target.Source != nil && s.Target.Source.Location != "" {
		api = s.Target.Source.Location
	}
	return strings.Join([]string{api, strings.ToLower(s.Effect().Plan.Dialect.Header), k.Text()}, "\n")
}

// runBoth tells whether two steps that bear the same key are both meant to do
// something of their own in one run.
//
// Two operations are told apart by what they do. The same operation twice is a
// second one only where it comes after the success of the first, by a way that
// depends on nothing that the run alone knows: after a failure it continues the
// first, and a condition may ask for just that.
func runBoth(first, then *lint.Step, k, theirs *lint.Key) bool {
	flow := then.Workflow.Flow()
	if flow.Broken || isRemade(flow, first, then, k) || continues(then, first) {
		return false
	}
	if len(k.Path) == 1 && len(theirs.Path) == 1 && !sameOperation(then, first) {
		return flow.Leads(first, then, nil) || flow.Leads(then, first, nil)
	}
	return isCertain(k) && isCertain(theirs) && flow.Leads(first, then, followsOf(first))
}

// continues tells whether a step says that it is about another.
func continues(s, other *lint.Step) bool {
	return s.Model.RequeryOf.Present() && s.Model.RequeryOf.Value == other.ID()
}

// followsOf gives the edges by which a success of a step is followed up: for
// certain, and without asking about it.
func followsOf(first *lint.Step) func(*lint.Edge) bool {
	return func(e *lint.Edge) bool {
		if e.Kind == lint.Retry || !e.Success || e.Given().IsEmpty() {
			return false
		}
		if effect := first.Effect(); e.From == first && effect != nil {
			return !e.Given().Minus(effect.Unknown()).IsEmpty()
		}
		return e.From == first || !mayAskAny(e.From, first)
	}
}

// mayAskAny tells whether a step may ask about what another does; about what is done
// in a workflow that the other calls, any step that reads or receives may.
func mayAskAny(s, about *lint.Step) bool {
	if about.Target.Kind == lint.WorkflowTarget {
		return s != about && (s.Receives() || s.Effect().Reads() || s.Target.Kind == lint.NoTarget)
	}
	return s.Target.Kind != lint.WorkflowTarget && s.MayAsk(about)
}

// isCertain tells whether the key was borne for certain when the call that bears it
// has succeeded: no way through the called workflows leads past it.
func isCertain(k *lint.Key) bool {
	return !slices.ContainsFunc(k.Path[1:], func(s *lint.Step) bool { return !runsAlways(s) })
}

// isRemade tells whether a key may be another one each time: a step of which it is
// made can run between two others, or is one of them.
func isRemade(flow *lint.Flow, first, then *lint.Step, k *lint.Key) bool {
	return slices.ContainsFunc(k.Uses, func(e *expression.Expression) bool {
		maker := flow.Workflow.Step(e.Owner)
		switch {
		case e.Root == expression.Inputs:
			return false
		case e.Root != expression.Steps || maker == nil || maker == first:
			return true
		default:
			return flow.Leads(first, maker, nil) && (maker == then || flow.Leads(maker, then, nil))
		}
	})
}

func reportTwice(p *lint.Pass, s *lint.Step, k, other *lint.Key) {
	f := lint.Finding{
		At: lint.At(writtenAt(k)), Severity: lint.Warn,
		Message: fmt.Sprintf("%s bears the same key as %s: where the server looks keys up by their text alone, the second is taken for a repeat of the first",
			bearing(k), bearing(other)),
		Related: []lint.Related{lint.See(writtenAt(other), "the other one")},
		Help:    fmt.Sprintf("put what it is for before it: '%s-%s'", s.ID(), k.Text()),
	}
	if sameOperation(k.Bearer(), other.Bearer()) {
		f.Message = fmt.Sprintf("step %s does %s again under the key of step %s, which has succeeded before: it is answered with the old result, and nothing is done",
			quote(s.ID()), bearing(k), quote(other.Path[0].ID()))
	}
	p.Report(f)
}

// writtenAt gives where a key is given: the parameter that writes it, the value
// that is handed in.
func writtenAt(k *lint.Key) *arazzo.Node {
	if len(k.Path) == 1 {
		return k.Bearer().Effect().Written.Written.Node
	}
	return k.Node
}

// checkKeyAgain reports jumps after a success that run a step again under the key
// that it has had before.
func checkKeyAgain(p *lint.Pass, w *lint.Workflow) {
	if slices.ContainsFunc(w.Steps, isUnclear) {
		return
	}
	flow, looked := w.Flow(), make(looks)
	var jumps []*lint.Edge // one that looks at how something stands may want the same answer anew
	for _, s := range flow.Order {
		for _, e := range flow.Edges(s) {
			if isJump(e) && e.Success && !polls(e.Action) && (e.To != nil || !handsOn(e)) {
				jumps = append(jumps, e)
			}
		}
	}
	if len(jumps) == 0 {
		return
	}
	for _, s := range w.Steps {
		for _, k := range s.Keys() {
			if k.Business || len(k.Uses) == 0 || k.Text() == "" || !isCertain(k) || !looked.more(w) || isRemade(flow, s, s, k) {
				continue
			}
			if back := jumpsBack(flow, s, jumps); back != nil {
				p.Report(lint.Finding{
					At: placeOf(back.Action), Severity: lint.Warn,
					Message: fmt.Sprintf("this runs %s again under the key with which it has succeeded: it is answered with the old result, and nothing is done", bearing(k)),
					Related: []lint.Related{lint.See(s.Model.StepID.Node, "this step is run again")},
				})
				break
			}
		}
	}
}

// jumpsBack gives the jump by which a step runs again after it, and all that comes
// between, have succeeded; nil where there is none. One that looks at how something
// stands may want the same answer anew, and is left alone.
func jumpsBack(flow *lint.Flow, s *lint.Step, jumps []*lint.Edge) *lint.Edge {
	follow := func(e *lint.Edge) bool {
		return e.Success && e.Kind != lint.Retry && (e.From == s || !mayAskAny(e.From, s))
	}
	after := flow.Reach(s, follow)
	after[s] = true
	for _, e := range jumps {
		if after[e.From] && follow(e) && leadsTo(flow, entryOf(e), s, follow) {
			return e
		}
	}
	return nil
}

// leadsTo tells whether a jump's entry is a step before another, or this itself, and
// leads to it along edges.
func leadsTo(flow *lint.Flow, entry, s *lint.Step, follow func(*lint.Edge) bool) bool {
	if entry == nil || entry == s {
		return entry == s
	}
	at, of := slices.Index(flow.Order, entry), slices.Index(flow.Order, s)
	return at >= 0 && at < of && flow.Leads(entry, s, follow)
}

// polls tells whether the criteria of an action look at how something stands.
func polls(a *lint.Action) bool {
	return slices.ContainsFunc(a.Criteria, func(c *lint.Criterion) bool {
		if len(c.Faults) > 0 {
			return true
		}
		for _, use := range c.Compiled.Uses() {
			name, _ := lastName(use.Expression)
			if use.Expression.Root == expression.StatusCode || slices.ContainsFunc(lint.Words(name), func(word string) bool { return slices.Contains(statusFields, word) }) {
				return true
			}
		}
		return false
	})
}
