package executor

import (
	"fmt"
	"strings"
	"time"

	"github.com/weft-flow/weft/arazzo/dynamic"
	"github.com/weft-flow/weft/arazzo/expression"
	"github.com/weft-flow/weft/arazzo/source"
	"github.com/weft-flow/weft/arazzo/value"
	"github.com/weft-flow/weft/idempotency"
)

// linkRequeries finds, for each step that only reads, the steps whose unknown
// outcome it can settle: those that x-weft-requery-of names, and those that it
// asks about as far as can be seen; and for each step that receives, the one that its
// message is about.
func (c *compiler) linkRequeries(w *workflow) {
	for _, s := range w.steps {
		if s.model.RequeryOf.Present() {
			if w.model.Step(s.model.RequeryOf.Value) == nil {
				c.refuse(w.set, s.model.RequeryOf.Node, "x-weft-requery-of: workflow %q has no step %q; it has %s",
					w.id, s.model.RequeryOf.Value, quotedList(stepIDs(w.model.Steps)))
				continue
			}
			s.requeryOf = map[string]bool{s.model.RequeryOf.Value: true}
			continue
		}
		if s.kind == receives {
			s.requeryOf = toldOf(s, w.steps)
			continue
		}
		for _, of := range w.steps {
			if s.readOnly && of.creates() && asksAbout(s, of) {
				if s.requeryOf == nil {
					s.requeryOf = map[string]bool{}
				}
				s.requeryOf[of.id] = true
			}
		}
	}
}

// toldOf gives the step that a message tells the outcome of: the only one that calls
// the operation of the callback, or the only one that makes something at the API that
// the webhook comes from and sends a value by which the message is recognised. Where
// several do, none is certain.
func toldOf(s *step, steps []*step) map[string]bool {
	var told []string
	for _, of := range steps {
		if of.creates() && s.isAbout(of) {
			told = append(told, of.id)
		}
	}
	if len(told) != 1 {
		return nil
	}
	return map[string]bool{told[0]: true}
}

func (s *step) isAbout(of *step) bool {
	switch {
	case s.inlet == nil || s.operation == nil || s.source != of.source:
		return false
	case s.operation.Kind == source.Callback:
		return s.inlet.owner == of.operation
	default:
		return shareKnown(s.correlation.Uses(), sentUses(of), of)
	}
}

// creates tells whether a step makes something in a collection. What it changes
// otherwise was there before: to find it says nothing.
func (s *step) creates() bool {
	return s.kind == callsOperation && s.operation != nil && s.effectful &&
		s.operation.Method == "POST" && !strings.HasSuffix(s.operation.Path, "}")
}

// asksAbout tells whether step s reads what step of may have made: it reads the
// collection or one of it, and by a value that both send. It is on purpose narrow:
// to take a read for an answer that it is not would close an outcome that is open.
func asksAbout(s, of *step) bool {
	return s.source == of.source && isWithin(s.operation.Path, of.operation.Path) && shareKnown(sentUses(s), sentUses(of), of)
}

// shareKnown tells whether one of ours is one of theirs, and known before the answer
// of a step.
func shareKnown(ours, theirs []dynamic.Use, of *step) bool {
	known := map[string]bool{}
	for _, use := range theirs {
		known[use.Expression.String()] = true
	}
	for _, use := range ours {
		e := use.Expression
		callerKnows := e.Root == expression.Inputs || e.Root == expression.Steps && e.Owner != of.id
		if callerKnows && known[e.String()] {
			return true
		}
	}
	return false
}

// isWithin tells whether a path template is another one or beneath it, whatever
// their parameters are called.
func isWithin(path, collection string) bool {
	segments, above := strings.Split(strings.Trim(path, "/"), "/"), strings.Split(strings.Trim(collection, "/"), "/")
	if len(above) > len(segments) {
		return false
	}
	for i, name := range above {
		if name != segments[i] && !(strings.HasPrefix(name, "{") && strings.HasPrefix(segments[i], "{")) {
			return false
		}
	}
	return true
}

// sentUses lists the expressions whose values a step sends as data: not in
// headers and cookies, where credentials and keys stand.
func sentUses(s *step) []dynamic.Use {
	var all []dynamic.Use
	for _, a := range s.arguments {
		if a.in == "path" || a.in == "query" || a.in == "querystring" {
			all = append(all, a.value.Uses()...)
		}
	}
	return append(all, s.body.uses()...)
}

// settle closes the operations that the step, having succeeded, tells the outcome of.
func (a *activation) settle(t trial) {
	if len(a.step.requeryOf) == 0 {
		return
	}
	f := a.frame
	for _, s := range f.w.steps {
		if !a.step.requeryOf[s.id] {
			continue
		}
		op := f.run.last[f.chainOf(s)]
		if op == nil || !op.unsettled() {
			continue
		}
		if t.message != nil && t.message.Received.Before(op.acted) {
			a.emit(Notice{Message: fmt.Sprintf("the message came before %s was sent: it does not tell whether that had an effect", s.id)})
			continue
		}
		since := t.asked(f.run.now).Sub(op.last)
		switch found := a.found(t); {
		case found == foundIt:
			a.settles(op, "found it", idempotency.Succeeded)
		case found == foundUnclear:
			a.emit(Notice{Message: fmt.Sprintf("an empty list inside the answer of %s does not tell whether %s had an effect", a.step.id, s.id)})
		case op.step.profile.NotFoundSettles(since):
			a.settles(op, "found that nothing happened", idempotency.Rejected)
		default:
			a.emit(Notice{Message: fmt.Sprintf("%s finds nothing %s after %s, which is not yet proof that it had no effect",
				a.step.id, since.Round(time.Millisecond), s.id)})
		}
	}
}

// settles closes an operation, which the end of the step will tell.
func (a *activation) settles(op *operation, found string, outcome idempotency.Class) {
	op.settle(fmt.Sprintf("step %q %s", a.step.id, found), outcome)
	if by := op.by; by != nil {
		a.told = append(a.told, Settled{
			Workflow: by.frame.path, Step: by.step.id, Activation: by.number, Attempt: op.attempt,
			Outcome: outcome, Reason: op.state.Reason,
		})
	}
}

// asked tells when the question was put; now where nobody was asked.
func (t trial) asked(now time.Time) time.Time {
	if t.exchange == nil {
		return now
	}
	return t.exchange.Started
}

// finding is what a requery that succeeded says.
type finding uint8

const (
	foundIt finding = iota
	foundNothing
	foundUnclear // there is something, but it may only wrap nothing, or cannot be read
)

// found reads the answer of a requery. A step that calls no operation has found
// what it was asked for when it succeeds.
func (a *activation) found(t trial) finding {
	if t.exchange == nil || t.exchange.Response == nil {
		return foundIt
	}
	switch t.exchange.Response.Status {
	case 404, 410, 204:
		return foundNothing
	}
	body := a.frame.view.responseBody()
	if a.frame.view.responseFault() != nil {
		return foundUnclear
	}
	isCollection := body.Kind() == value.KindArray || body.Kind() == value.KindObject
	lists, full := countLists(body, 3)
	switch {
	case body.IsNothing() || isCollection && body.Len() == 0:
		return foundNothing
	case lists > 0 && full == 0 && !strings.HasSuffix(a.step.operation.Path, "}"):
		return foundUnclear
	default:
		return foundIt
	}
}

// countLists counts the lists in a value, down to a depth, and those of them that
// hold something.
func countLists(v value.Value, depth int) (lists, full int) {
	if v.Kind() == value.KindArray {
		return 1, min(v.Len(), 1)
	}
	if depth == 0 {
		return 0, 0
	}
	for _, m := range v.Members() {
		inner, filled := countLists(m.Value, depth-1)
		lists, full = lists+inner, full+filled
	}
	return lists, full
}

// settle closes the operation by what something else than its attempts told.
func (o *operation) settle(by string, outcome idempotency.Class) {
	o.state, o.inFlight = o.state.SettledBy(by, outcome), false
}
