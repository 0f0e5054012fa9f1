package executor

import (
	"fmt"

	"github.com/weft-flow/weft/arazzo/value"
)

// activation is one execution of a step, with all its attempts.
type activation struct {
	frame    *frame
	step     *step
	position int
	number   int    // from 1
	name     string // stable name
	work     string // the same without the attempts of the workflows around it
	attempt  int    // from 1
	renewed  bool   // an attempt was made because a credential had been renewed
	used     map[*action]int
	unsafe   bool // the retry before this attempt may repeat what is unsafe to repeat
	// assists tells that the step runs on behalf of a retry of another one: its
	// criteria and outputs count, its goto and end do not.
	assists bool
	op      *operation // nil where the step calls no operation
	seen    int        // attempts of op when this activation made its last
	target  string     // host and port of the last request
	told    []Settled  // the operations that it has settled
}

// trial is what came of one attempt.
type trial struct {
	succeeded bool
	reason    string    // why not
	exchange  *Exchange // nil: nothing was sent, or the step sends nothing
	message   *Message  // that was received; nil: none
	// final tells that trying again would end the same way: the request could not
	// be made from what is known.
	final bool
	// lacking tells that it is final only for as long as nothing else is known: what a
	// retry runs first may bring it.
	lacking bool
	// withheld tells that it is final because a repeat was withheld, which was told.
	withheld bool
}

// activate runs one step to its end and says where control goes.
func (f *frame) activate(position int, assists bool) (move, error) {
	r, state := f.run, &f.steps[position]
	r.steps++
	state.activations++
	s := f.w.steps[position]
	a := &activation{
		frame: f, step: s, position: position, number: state.activations, assists: assists,
		name: stepName(f.path, s.id, state.activations),
	}
	a.work = a.name
	if f.work != f.path {
		a.work = stepName(f.work, s.id, state.activations)
	}
	a.emit(StepStarted{Owner: s.model.Owner.Value})
	f.view, f.called = nil, value.Absent
	for {
		a.attempt++
		t, err := a.try()
		if err != nil {
			return move{}, err
		}
		if t.succeeded {
			if err := a.record(t); err != nil {
				return move{}, err
			}
		}
		if r.stopped() {
			return a.finish(t, move{kind: stop, reason: onRequest}), nil
		}
		if t.succeeded {
			return a.succeed(t)
		}
		again, err := a.afterRenewal(t)
		if err != nil {
			return move{}, err
		}
		if again {
			continue
		}
		var next move
		next, again, err = a.handleFailure(t)
		if err != nil || !again {
			return a.finish(t, next), err
		}
	}
}

// try makes one attempt, in the way of the step's kind.
func (a *activation) try() (trial, error) {
	if missing := a.frame.unmetDependency(a.step); missing != "" {
		return trial{reason: missing, final: true, lacking: true}, nil
	}
	switch a.step.kind {
	case callsWorkflow:
		return a.callWorkflow()
	case receives:
		return a.receive()
	default:
		return a.callOperation()
	}
}

// unmetDependency tells which explicit dependency of a step has not ended.
func (f *frame) unmetDependency(s *step) string {
	for _, d := range s.dependsOn {
		if d.workflow == nil {
			if at, ok := f.w.position[d.step]; !ok || !f.steps[at].ended {
				return fmt.Sprintf("it depends on step %q, which has not ended", d.step)
			}
			continue
		}
		if !f.run.endedSteps[d.workflow][d.step] {
			return fmt.Sprintf("it depends on step %q of workflow %q, which has not ended in this run", d.step, d.id)
		}
	}
	return ""
}

// record keeps what a success brought: the outputs, and the outcome of the
// operations that the step is a requery of.
func (a *activation) record(t trial) error {
	f := a.frame
	f.steps[a.position].outputs = f.evalOutputs(a.step.outputs)
	a.tellBody()
	a.settle(t)
	return a.move(a.step.state, a.step.id)
}

// succeed takes the first success action whose criteria pass.
func (a *activation) succeed(t trial) (move, error) {
	for _, act := range a.step.onSuccess {
		if !a.pass(act) {
			continue
		}
		if a.assists {
			break
		}
		next, err := a.take(act, "onSuccess")
		return a.finish(t, next), err
	}
	return a.finish(t, move{kind: proceed}), nil
}

// take follows an end or a goto.
func (a *activation) take(act *action, trigger string) (move, error) {
	f := a.frame
	a.emitAt(act.place, ActionChosen{Name: act.name, Kind: act.kind, Target: act.target(f.w), Trigger: trigger})
	if err := a.move(act.state, act.name); err != nil {
		return move{}, err
	}
	switch {
	case act.kind == "end" && trigger == "onSuccess":
		return move{kind: finish}, nil
	case act.kind == "end":
		return move{kind: fail, reason: fmt.Sprintf("step %q failed, and action %q ends the workflow", a.step.id, act.name)}, nil
	case act.workflow != nil:
		inputs, err := a.frame.inputsFor(act.workflow, act.arguments)
		if err != nil {
			return move{kind: fail, reason: fmt.Sprintf("action %q: %v", act.name, err)}, nil
		}
		return move{kind: transfer, to: act.workflow, inputs: inputs}, nil
	default:
		return move{kind: jump, step: act.step}, nil
	}
}

// finish closes the activation.
func (a *activation) finish(t trial, next move) move {
	f := a.frame
	f.steps[a.position].ended = true
	ended := f.run.endedSteps[f.w.model]
	if ended == nil {
		ended = map[string]bool{}
		f.run.endedSteps[f.w.model] = ended
	}
	ended[a.step.id] = true
	f.run.counts.Steps++
	if f.run.emitter.sink == nil {
		return next
	}
	event := StepFinished{Succeeded: t.succeeded, Reason: t.reason, Outputs: f.steps[a.position].outputs, Settles: a.told}
	if a.op != nil {
		event.Operation = a.op.state.Closed(a.op.inFlight).Class
	}
	a.emit(event)
	return next
}

func (a *activation) emit(d Detail) { a.emitAt(a.step.place, d) }

func (a *activation) emitAt(place Place, d Detail) {
	a.frame.run.emitter.emit(at{frame: a.frame, step: a, place: place}, d)
}
