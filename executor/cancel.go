package executor

import (
	"fmt"
	"slices"

	"github.com/weft-flow/weft/arazzo"
	"github.com/weft-flow/weft/arazzo/expression"
)

// stopped tells whether the run was cancelled and nothing is done about it now:
// then no further step is begun.
func (r *run) stopped() bool { return r.cancelled && r.compensating == 0 }

// cancel takes note that the run was cancelled, and tells it once.
func (r *run) cancel() {
	if !r.cancelled && !r.over {
		r.emitter.emit(at{}, Notice{Message: "cancelled: nothing further is begun but what the document says for that case"})
	}
	r.cancelled = true
}

// compileOnCancel compiles what a workflow does when its run is cancelled
// (x-weft-on-cancel).
func (c *compiler) compileOnCancel(w *workflow, names *expression.Names) []*action {
	for _, model := range w.model.OnCancel {
		if model.Type.Value == "retry" {
			c.refuse(w.set, model.Node, "x-weft-on-cancel: a cancelled run has no step to retry; expected goto or end")
		}
	}
	return c.compileActions(w, w.model.OnCancel, nil, arazzo.KindFailureActions, names)
}

// compensate takes the first cancel action of the workflow whose criteria pass,
// where the run was cancelled within it. What it leads to is done in full, and
// the workflow ends as cancelled all the same.
func (f *frame) compensate(stopped move) (move, error) {
	if f.compensating || len(f.w.onCancel) == 0 || !f.begun() {
		return stopped, nil
	}
	for _, act := range f.w.onCancel {
		if passed, _ := f.evaluate(at{frame: f}, act.criteria, act.name); !passed {
			continue
		}
		f.run.emitter.emit(at{frame: f, place: act.place}, ActionChosen{
			Name: act.name, Kind: act.kind, Target: act.target(f.w), Trigger: "onCancel",
		})
		if err := f.moveBy(at{frame: f}, act.state, act.name); err != nil {
			return stopped, err
		}
		f.compensating = true
		f.run.compensating++
		switch {
		case act.workflow != nil:
			return stopped, f.compensateBy(act)
		case act.step >= 0:
			return move{kind: jump, step: act.step}, nil
		default:
			return stopped, nil
		}
	}
	return stopped, nil
}

// begun tells whether a step of the workflow was begun: else there is nothing to be
// made up for.
func (f *frame) begun() bool {
	return slices.ContainsFunc(f.steps, func(s stepState) bool { return s.activations > 0 })
}

// compensateBy runs the workflow that a cancel action names.
func (f *frame) compensateBy(act *action) error {
	inputs, err := f.inputsFor(act.workflow, act.arguments)
	if err != nil {
		f.run.emitter.emit(at{frame: f, place: act.place}, Notice{Message: fmt.Sprintf("action %q: %v", act.name, err)})
		return nil
	}
	_, err = f.run.runWorkflow(act.workflow, inputs, f.within(act.workflow))
	return err
}

// compensated gives how a cancelled workflow ended after its cancel actions.
func (f *frame) compensated(last move) move {
	f.run.compensating--
	if last.kind == fail {
		return move{kind: stop, reason: "cancelled; its cancel actions failed: " + last.reason}
	}
	return move{kind: stop, reason: onRequest}
}
