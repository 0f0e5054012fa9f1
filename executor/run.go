package executor

import (
	"context"
	"fmt"
	"time"

	"github.com/weft-flow/weft/arazzo"
	"github.com/weft-flow/weft/arazzo/value"
)

// Start is what one run begins with.
type Start struct {
	Inputs value.Value // an object, or absent
	// Sink takes the events; nil: nobody listens.
	Sink Sink
	// Secrets are texts that must not be seen in events, beside the inputs that a
	// schema marks as passwords.
	Secrets []string
	// Learned gives such texts that become known only while the run goes on, all but
	// the first n; nil: there are none. It is asked before each event.
	Learned func(n int) []string
	// Reveal shows secrets, and ShowKeys idempotency keys, in the events.
	Reveal, ShowKeys bool
}

// Run runs the plan's workflows through the runtime. How they ended is in the
// Result. The error is a *InputError where nothing was begun, a fault of the
// runtime, which stopped the run, or the first error of the sink: the run then
// came to its end all the same, and the Result holds.
func (p *Plan) Run(ctx context.Context, runtime Runtime, start Start) (result Result, err error) {
	bound, err := p.bind(start.Inputs)
	if err != nil {
		return Result{}, err
	}
	opened, err := runtime.Open(ctx, p.openBoxes(bound))
	if err != nil {
		return Result{}, fmt.Errorf("open the run: %w", err)
	}
	defer func() {
		if fault := runtime.End(ctx, opened.Run); fault != nil && err == nil {
			err = fmt.Errorf("end the run: %w", fault)
		}
	}()
	r := &run{
		plan: p, runtime: runtime, ctx: ctx,
		id: opened.Run, now: opened.Time, deadline: opened.Time.Add(p.config.Timeout),
		given:      start.Inputs,
		bound:      bound,
		addresses:  opened.Addresses,
		ended:      map[*workflow]*endedWorkflow{},
		running:    map[*workflow]bool{},
		endedSteps: map[*arazzo.Workflow]map[string]bool{},
		operations: map[string]*operation{},
		last:       map[string]*operation{},
	}
	r.emitter = newEmitter(r, start)
	return r.runAll()
}

// run is the state of one run: all of it follows from what the runtime returned.
type run struct {
	plan     *Plan
	runtime  Runtime
	ctx      context.Context
	emitter  *emitter
	id       string
	now      time.Time // of the last thing that the runtime returned
	deadline time.Time
	bounded  string      // the step whose timeout is the deadline; empty: the run's
	given    value.Value // the inputs of the run
	bound    bindings    // the same as its workflows take them
	// addresses are where messages are to be sent, by mailbox.
	addresses map[string]string
	inbox     inbox
	receivers []*frame // activations of workflows that have steps which receive
	over      bool     // all workflows have ended
	// effected is when the last request began that may have had an effect.
	effected time.Time

	ended      map[*workflow]*endedWorkflow
	running    map[*workflow]bool                   // asked for, and not ended
	endedSteps map[*arazzo.Workflow]map[string]bool // in any activation of the workflow
	operations map[string]*operation                // by what they are: the name of their activation without attempts
	known      []*operation                         // all, in the order in which they began
	last       map[string]*operation                // of the last attempt of a step, by the steps that lead to it
	steps      int                                  // activations begun
	assisting  int                                  // retries that run a step, within each other
	counts     Counts
	cancelled  bool
	doubted    bool // there was an operation of which the outcome was unknown
	// compensating counts the workflows whose cancel actions are being done.
	compensating int
}

// endedWorkflow is what expressions can see of a workflow that has run.
type endedWorkflow struct {
	inputs, outputs value.Value
	asked           *WorkflowResult // nil where it was only called by a step
}

func (r *run) runAll() (Result, error) {
	r.emitter.emit(at{}, RunStarted{Document: r.plan.set.Document.File, Origins: r.plan.origins})
	result := Result{Run: r.id, Status: Succeeded}
	for _, w := range r.plan.selected {
		ended, err := r.runAsked(w)
		if err != nil {
			return Result{}, err
		}
		result.Workflows = append(result.Workflows, *ended)
		if ended.Status.rank() > result.Status.rank() {
			result.Status, result.Reason = ended.Status, ended.Reason
		}
	}
	if err := r.closeInbox(); err != nil {
		return Result{}, err
	}
	result.Counts = r.counts
	r.emitter.emit(at{}, RunFinished{Result: result})
	if r.emitter.err != nil {
		return result, fmt.Errorf("tell what happened: %w", r.emitter.err)
	}
	return result, nil
}

// rank orders statuses by how much they ask of a person.
func (s Status) rank() int {
	switch s {
	case Recovered:
		return 1
	case Cancelled:
		return 2
	case Failed:
		return 3
	case Unknown:
		return 4
	default:
		return 0
	}
}

// runAsked runs a workflow that was asked for, or that one depends on; once a run.
func (r *run) runAsked(w *workflow) (*WorkflowResult, error) {
	if ended := r.ended[w]; ended != nil && ended.asked != nil {
		return ended.asked, nil
	}
	bound, err := r.inputsOf(w)
	if err != nil {
		return nil, err
	}
	r.running[w] = true
	outcome, err := r.runWorkflow(w, bound, site{path: w.label, work: w.label, chain: "/" + w.label})
	if err != nil {
		return nil, err
	}
	delete(r.running, w)
	asked := &WorkflowResult{ID: w.id, Status: outcome.status, Reason: outcome.reason, Outputs: outcome.outputs, State: outcome.state}
	r.ended[w] = &endedWorkflow{inputs: bound, outputs: outcome.outputs, asked: asked}
	return asked, nil
}

// inputsOf gives the inputs that a workflow takes of the run's, now with the addresses
// of its callbacks.
func (r *run) inputsOf(w *workflow) (value.Value, error) {
	if len(w.callbacks) == 0 {
		return r.bound[w], nil
	}
	return w.bind(w.ownInputs(r.given), r.addresses)
}

// unsettled gives the first operation whose outcome nobody knows, of those that
// began after the first so many; nil: none.
func (r *run) unsettled(before int) *operation {
	for _, op := range r.known[before:] {
		if op.unsettled() {
			return op
		}
	}
	return nil
}

// advance takes over a time that the runtime recorded.
func (r *run) advance(to time.Time) {
	if to.After(r.now) {
		r.now = to
	}
}

// exhausted tells why the run can take no further step; empty where it can.
func (r *run) exhausted() string {
	switch limit := r.plan.config.MaxSteps; {
	case r.steps >= limit:
		return fmt.Sprintf("the run has taken %d steps, its limit", limit)
	case r.assisting > maxDepth:
		return fmt.Sprintf("retries run steps within each other deeper than %d", maxDepth)
	case r.remaining() <= 0 && r.bounded != "":
		return fmt.Sprintf("deadline: the time of step %q is over", r.bounded)
	case r.remaining() <= 0:
		return "deadline: the run's time is over"
	default:
		return ""
	}
}

// remaining tells how much of the run's time is left.
func (r *run) remaining() time.Duration { return r.deadline.Sub(r.now) }
