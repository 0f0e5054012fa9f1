package executor

import (
	"github.com/weft-flow/weft/arazzo/dynamic"
	"github.com/weft-flow/weft/arazzo/value"
	"github.com/weft-flow/weft/idempotency"
)

// Outline is what a run would do, as far as that can be known before it.
type Outline struct {
	Origins   []string
	Workflows []OutlineWorkflow // in the order in which they would run
}

// OutlineWorkflow is one workflow of an Outline.
type OutlineWorkflow struct {
	ID    string
	Steps []OutlineStep // in the order in which they would run, without jumps
}

// OutlineStep is one step of an Outline.
type OutlineStep struct {
	ID     string
	Calls  string // "POST /orders", "workflow pay", "receive paid"
	Server string // empty: it sends nothing itself
	Target string // path and query, where all that it needs is known; else the template
	// Effectful and Contract are as in Call.
	Effectful, Contract bool
	// KeyHeader is the field that a key would be sent in; empty: none.
	KeyHeader string
	// Key is the key that would be sent, KeyDigest its digest; both are empty where
	// the key cannot be known before the run.
	Key, KeyDigest string
	KeyReason      string // who says that a key is sent, or why none is
	// Unresolved lists the expressions whose values only the run will know.
	Unresolved []string
}

// Outline tells what a run with these inputs would do. Nothing is sent. The error
// is an *InputError.
func (p *Plan) Outline(given value.Value) (Outline, error) {
	outline := Outline{Origins: p.origins}
	for _, w := range p.order {
		bound, err := w.bind(w.ownInputs(given), nil)
		if err != nil {
			return Outline{}, err
		}
		r := &run{plan: p, operations: map[string]*operation{}, ended: map[*workflow]*endedWorkflow{}}
		f := &frame{run: r, w: w, site: site{path: w.label, work: w.label}, inputs: bound, steps: make([]stepState, len(w.steps))}
		hidden := newMask(Start{})
		hidden.learn(w, bound)
		one := OutlineWorkflow{ID: w.id}
		for position := range w.steps {
			step := f.outline(position)
			step.Target, step.KeyReason = hidden.text(step.Target), hidden.text(step.KeyReason)
			one.Steps = append(one.Steps, step)
		}
		outline.Workflows = append(outline.Workflows, one)
	}
	return outline, nil
}

func (f *frame) outline(position int) OutlineStep {
	s := f.w.steps[position]
	o := OutlineStep{ID: s.id, Calls: s.description, Unresolved: f.unresolved(s)}
	if s.kind != callsOperation {
		return o
	}
	o.Server, o.Target, o.Effectful = s.server, s.operation.Path, s.effectful
	arguments := f.knownArguments(s)
	if len(arguments) == len(s.arguments) {
		o.Target = displayTarget(Call{Operation: s.operation, Arguments: arguments})
	}
	f.outlineKey(&o, position, arguments)
	return o
}

// knownArguments gives those arguments of a step that have a value already.
func (f *frame) knownArguments(s *step) []Argument {
	var known []Argument
	for _, a := range s.arguments {
		if v, err := a.value.Eval(f); err == nil && !v.IsNothing() {
			known = append(known, Argument{Name: a.name, In: a.in, Value: v, Declared: a.declared})
		}
	}
	return known
}

// outlineKey finds the key that the first attempt would have.
func (f *frame) outlineKey(o *OutlineStep, position int, arguments []Argument) {
	s := f.w.steps[position]
	a := &activation{frame: f, step: s, position: position, number: 1, name: stepName(f.path, s.id, 1)}
	op := &operation{name: a.name, step: s}
	if err := a.plan(op, arguments); err != nil {
		o.KeyReason = err.Error()
		return
	}
	o.Contract, o.KeyReason = op.plan.Contract, op.plan.Reason
	if op.key == nil {
		return
	}
	o.KeyHeader = op.key.Header
	if op.plan.Source != idempotency.FromRun { // the run's id is not known yet
		o.Key, o.KeyDigest = op.key.Value, op.key.Digest()
	}
}

// unresolved lists the expressions of what a step sends that have no value yet.
func (f *frame) unresolved(s *step) []string {
	var uses []dynamic.Use
	for _, a := range s.arguments {
		uses = append(uses, a.value.Uses()...)
	}
	if s.body != nil {
		uses = append(uses, s.body.payload.Uses()...)
		for _, r := range s.body.replacements {
			uses = append(uses, r.value.Uses()...)
		}
	}
	var open []string
	seen := map[string]bool{}
	for _, use := range uses {
		text := use.Expression.String()
		if !seen[text] && use.Expression.Eval(f).IsAbsent() {
			open = append(open, text)
		}
		seen[text] = true
	}
	return open
}
