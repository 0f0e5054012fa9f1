package executor

import (
	"fmt"
	"strings"

	"github.com/weft-flow/weft/arazzo/dynamic"
	"github.com/weft-flow/weft/arazzo/value"
)

// outcome is how an activation of a workflow ended.
type outcome struct {
	status  Status
	reason  string
	outputs value.Value
	state   string
}

func (o outcome) succeeded() bool { return o.status == Succeeded || o.status == Recovered }

// site says where in a run a workflow is activated.
type site struct {
	path string // call path, the stem of all stable names within
	// work is the path without attempts: what is done there is the same work again
	// when the step that calls the workflow is tried again.
	work string
	// chain is the path without activations either: the steps that lead here.
	chain string
	depth int // 0 for a workflow that was asked for
	// machine is the state machine that the moves of the workflow around go to.
	machine *machine
}

// within gives the site of a workflow under this one.
func (s site) within(w *workflow) site {
	id := "/" + value.EscapeToken(w.id)
	return site{path: s.path + id, work: s.work + id, chain: s.chain + id, depth: s.depth + 1, machine: s.machine}
}

// transferred gives the site of the nth workflow in a row, which is in the place
// of the first.
func (s site) transferred(n int, w *workflow) site {
	next := site{path: numbered(s.path, n), work: numbered(s.work, n), chain: s.chain[:strings.LastIndexByte(s.chain, '/')]}.within(w)
	next.depth = s.depth
	return next
}

// frame is one activation of a workflow: the scope of its expressions.
type frame struct {
	site
	run       *run
	w         *workflow
	inputs    value.Value
	before    int // operations of the run that began before
	steps     []stepState
	view      *exchangeView // the exchange that criteria and outputs are about
	called    value.Value   // the outputs of the workflow that the current step called
	recovered bool
	// compensating tells that the run was cancelled, and that the cancel actions of
	// the workflow are being done.
	compensating bool
}

// stepState is what a frame remembers of a step.
type stepState struct {
	activations int
	ended       bool
	outputs     value.Value
	view        *exchangeView // of the last request, where it may name the address of a callback
}

// move says where control goes after a step.
type move struct {
	kind   moveKind
	step   int       // for jump
	to     *workflow // for transfer
	inputs value.Value
	reason string // for fail
}

type moveKind uint8

const (
	proceed moveKind = iota
	jump
	transfer
	finish // the workflow ends as succeeded
	fail   // the workflow ends as failed
	stop   // the run was cancelled
)

// runWorkflow runs a workflow to its end, and on through workflows that it goes
// to: the result is then that of the last.
func (r *run) runWorkflow(w *workflow, inputs value.Value, at site) (outcome, error) {
	if at.depth > maxDepth {
		return outcome{status: Failed, reason: fmt.Sprintf("workflows call each other deeper than %d", maxDepth)}, nil
	}
	before, recovered := len(r.known), false
	for n := 1; ; n++ {
		f := &frame{site: at, run: r, w: w, inputs: inputs, before: before, steps: make([]stepState, len(w.steps)), recovered: recovered}
		if n > 1 {
			f.site = at.transferred(n, w)
		}
		if w.receives() {
			r.receivers = append(r.receivers, f)
		}
		f.machine = w.machineFor(at.machine, f.path)
		at.machine = f.machine
		ended, next, err := f.execute()
		if err != nil || next == nil {
			return ended, err
		}
		w, inputs, recovered = next.to, next.inputs, f.recovered
	}
}

// execute runs the steps of the frame. A move is returned where control goes to
// another workflow.
func (f *frame) execute() (outcome, *move, error) {
	r := f.run
	r.emitter.mask.learn(f.w, f.inputs)
	r.emitter.emit(at{frame: f}, WorkflowStarted{ID: f.w.id, Inputs: f.inputs})
	if held, err := f.runDependencies(); err != nil || held != nil {
		if err != nil {
			return outcome{}, nil, err
		}
		return f.close(*held)
	}
	for at := 0; at < len(f.w.steps); {
		next, err := f.runStep(at)
		if err == nil && next.kind == stop {
			next, err = f.compensate(next)
		}
		if err != nil {
			return outcome{}, nil, err
		}
		switch next.kind {
		case proceed:
			at++
		case jump:
			at = next.step
		case transfer:
			if f.compensating { // the cancelled workflow stays the one that ends
				if _, err := r.runWorkflow(next.to, next.inputs, f.within(next.to)); err != nil {
					return outcome{}, nil, err
				}
				return f.close(move{kind: finish})
			}
			f.end(next)
			return outcome{}, &next, nil
		default:
			return f.close(next)
		}
	}
	return f.close(move{kind: finish})
}

// close ends the frame for good. Before a run is told to end as unknown, operators are
// asked once more.
func (f *frame) close(last move) (outcome, *move, error) {
	if f.depth == 0 {
		if err := f.run.hear(f.path); err != nil {
			return outcome{}, nil, err
		}
	}
	return f.end(last), nil, nil
}

// runDependencies runs what the workflow depends on and has not run yet. A move
// is returned where one of them keeps it from running.
func (f *frame) runDependencies() (*move, error) {
	for _, d := range f.w.dependsOn {
		if f.run.running[d] {
			return &move{kind: fail, reason: fmt.Sprintf("it depends on workflow %q, which has not ended: that one calls it", d.id)}, nil
		}
		ended, err := f.run.runAsked(d)
		switch {
		case err != nil:
			return nil, err
		case f.run.stopped():
			return &move{kind: stop, reason: onRequest}, nil
		case ended.Status != Succeeded && ended.Status != Recovered:
			return &move{kind: fail, reason: fmt.Sprintf("it depends on workflow %q, which ended as %s", d.id, ended.Status)}, nil
		}
	}
	return nil, nil
}

// runStep runs one step, within the limits of the run.
func (f *frame) runStep(position int) (move, error) {
	if f.run.stopped() {
		return move{kind: stop, reason: onRequest}, nil
	}
	if reason := f.run.exhausted(); reason != "" {
		return move{kind: fail, reason: reason}, nil
	}
	return f.activate(position, false)
}

// end closes the frame and gives its outcome.
func (f *frame) end(last move) outcome {
	if f.compensating {
		last = f.compensated(last)
	}
	o := outcome{status: Succeeded, reason: last.reason, outputs: f.workflowOutputs(), state: f.machine.state()}
	switch {
	case last.kind == fail:
		o.status = Failed
	case last.kind == stop:
		o.status = Cancelled
	case f.recovered:
		o.status = Recovered
	}
	if f.depth == 0 && last.kind != transfer {
		if open := f.run.unsettled(f.before); open != nil {
			o.status, o.reason = Unknown, open.describe()
		}
	}
	if seen := f.run.ended[f.w]; seen == nil || seen.asked == nil {
		f.run.ended[f.w] = &endedWorkflow{inputs: f.inputs, outputs: o.outputs}
	}
	f.run.emitter.emit(at{frame: f}, WorkflowFinished{ID: f.w.id, Status: o.status, Reason: o.reason, Outputs: o.outputs, State: o.state})
	return o
}

// workflowOutputs gives those outputs of the workflow that resolve.
func (f *frame) workflowOutputs() value.Value {
	f.view, f.called = nil, value.Absent
	return f.evalOutputs(f.w.outputs)
}

func (f *frame) evalOutputs(named []namedValue) value.Value {
	members := make([]value.Member, 0, len(named))
	var room dynamic.Room
	for _, n := range named {
		v, err := n.value.Eval(f)
		if err == nil {
			err = room.Take(v)
		}
		if err != nil {
			f.run.emitter.emit(at{frame: f}, Notice{Message: fmt.Sprintf("output %q: %v", n.name, err)})
			continue
		}
		if !v.IsAbsent() {
			members = append(members, value.Member{Name: n.name, Value: v})
		}
	}
	return value.Object(members...)
}
