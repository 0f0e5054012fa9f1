package executor

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/weft-flow/weft/idempotency"
)

// Settlement is what an operator found out about an operation of which the run does not
// know the outcome.
type Settlement struct {
	// Workflow is the call path of the workflow whose step it is, as events have it.
	Workflow string
	Step     string
	// Activation and Attempt say which request of the step it is: the last one when it was
	// said. Both are 0 where that is not known: then Time tells.
	Activation, Attempt int
	// Succeeded tells that the operation had its effect; else it had none.
	Succeeded bool
	By        string    // who says so
	Time      time.Time // when it was said
	// Response is the body that the server had answered with, where that was found.
	Response []byte
}

// Settler is a Runtime whose runs can be told from outside what became of operations.
// It is asked only once the outcome of one was unknown.
type Settler interface {
	// Settlements gives those that the run was not given yet, in their order, once each.
	// What it gives is part of the history of the run, and what it does not give is none:
	// name is that of the record where there is something.
	Settlements(ctx context.Context, name string) ([]Settlement, error)
}

// hear takes in what operators have found out, where the run does not know the outcome
// of an operation, or did not: what is told too late is told to have been.
func (r *run) hear(name string) error {
	settler, can := r.runtime.(Settler)
	if !can || r.over || !r.doubted {
		return nil
	}
	all, err := settler.Settlements(r.ctx, name)
	if err != nil {
		return fmt.Errorf("ask what operators have found out: %w", err)
	}
	for _, s := range all {
		r.advance(s.Time)
		r.takeUp(s)
	}
	return nil
}

// canHear tells whether a wait is to end when an operator tells something.
func (r *run) canHear() bool {
	_, can := r.runtime.(Settler)
	return can && !r.over && r.unsettled(0) != nil
}

// takeUp settles the operation that an operator speaks of, as if a requery had told what
// became of it. What was found out about a request says nothing of a later one.
func (r *run) takeUp(s Settlement) {
	outcome, found := idempotency.Rejected, "nothing happened"
	if s.Succeeded {
		outcome, found = idempotency.Succeeded, "it was done"
	}
	for _, op := range r.known {
		a := op.by
		if a == nil || !op.unsettled() || !s.isAbout(op) {
			continue
		}
		op.settle(fmt.Sprintf("%s has found out that %s", s.By, found), outcome)
		op.attempts++ // what was decided about it before does not hold
		op.done = s.Succeeded
		a.emit(OperationSettled{Outcome: outcome, By: s.By, Settled: s.Time})
		if s.Succeeded && s.Response != nil {
			a.recall(s.Response)
		}
		return
	}
	r.emitter.emit(at{}, Notice{Message: fmt.Sprintf("what %s has found out about step %q changes nothing: the outcome of the request that was meant is known otherwise, or another one was sent since",
		s.By, s.Step)})
}

// isAbout tells whether the last attempt at the operation is the one that was found out
// about. Settlements are timed in milliseconds.
func (s Settlement) isAbout(op *operation) bool {
	switch {
	case op.step.id != s.Step, s.Workflow != "" && op.by.frame.path != s.Workflow:
		return false
	case s.Attempt == 0:
		return !s.Time.Before(op.last.Truncate(time.Millisecond))
	default:
		return op.by.number == s.Activation && op.attempt == s.Attempt
	}
}

// recall gives a step that got no answer the outputs that the answer would have made,
// unless it has others.
func (a *activation) recall(body []byte) {
	f, state := a.frame, &a.frame.steps[a.position]
	if !state.outputs.IsAbsent() {
		return
	}
	media := "text/plain; charset=utf-8"
	if json.Valid(body) {
		media = "application/json"
	}
	view := f.view
	defer func() { f.view = view }()
	f.view = &exchangeView{response: &Response{Status: 200, Header: Header{"Content-Type": {media}}, Body: body}}
	state.outputs = f.evalOutputs(a.step.outputs)
}
