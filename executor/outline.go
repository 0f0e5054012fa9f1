package executor

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"github.com/weft-flow/weft/arazzo/dynamic"
	"github.com/weft-flow/weft/arazzo/expression"
	"github.com/weft-flow/weft/arazzo/value"
	"github.com/weft-flow/weft/idempotency"
)

// Outline is what a run would do, as far as that can be known before it.
type Outline struct {
	Origins   []string
	Workflows []OutlineWorkflow // in the order in which they would run
	// Others are the workflows that may run besides: what those that are called
	// depend on, and what only actions lead to.
	Others []OutlineWorkflow
	// Shortened tells that calls were not followed any more, since there were too many.
	Shortened bool
}

// OutlineWorkflow is one workflow of an Outline.
type OutlineWorkflow struct {
	ID       string
	Document string        // the file that it stands in
	Why      string        // of Others: what may make it run
	Steps    []OutlineStep // in the order in which they would run, without jumps
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
	// Problem tells why the step would fail before anything is sent, whatever the run
	// brings; empty: nothing is known of that.
	Problem string
	// Workflow is the workflow that the step calls; nil where it calls none, or one
	// that the step is part of itself.
	Workflow *OutlineWorkflow
}

// maxOutline bounds the steps of an Outline: calls of calls multiply.
const maxOutline = 10_000

// outliner makes an Outline.
type outliner struct {
	run    *run
	hidden *mask
	shown  map[*workflow]bool
	left   int // steps that may still be listed
	cut    bool
}

// Outline tells what a run with these inputs would do. Nothing is sent. The error
// is an *InputError.
func (p *Plan) Outline(given value.Value) (Outline, error) {
	outline := Outline{Origins: p.origins}
	o := &outliner{
		run:    &run{plan: p, operations: map[string]*operation{}, ended: map[*workflow]*endedWorkflow{}},
		hidden: newMask(Start{}), shown: map[*workflow]bool{}, left: maxOutline,
	}
	for _, w := range p.order {
		bound, err := w.bind(w.ownInputs(given), nil)
		if err != nil {
			return Outline{}, err
		}
		outline.Workflows = append(outline.Workflows, o.workflow(w, bound, site{path: w.label, work: w.label}, nil))
	}
	outline.Others = o.others(given)
	outline.Shortened = o.cut
	return outline, nil
}

// others lists the workflows of the plan that no order of steps leads to.
func (o *outliner) others(given value.Value) []OutlineWorkflow {
	var others []OutlineWorkflow
	p := o.run.plan
	all := slices.SortedFunc(maps.Values(p.workflows), func(a, b *workflow) int { return strings.Compare(a.label, b.label) })
	for _, w := range all {
		if o.shown[w] {
			continue
		}
		why, inputs := "if an action leads to it", value.Absent
		if slices.Contains(p.given, w) {
			why = "once, before a workflow that is called and depends on it"
			inputs, _ = w.bind(w.ownInputs(given), nil)
		}
		one := o.workflow(w, inputs, site{path: w.label, work: w.label}, nil)
		one.Why = why
		if !slices.Contains(p.given, w) {
			forgetKeys(&one)
		}
		others = append(others, one)
	}
	return others
}

// forgetKeys leaves the keys out of a workflow of which it is not known from where it
// will be come to: keys are derived from that.
func forgetKeys(w *OutlineWorkflow) {
	for i := range w.Steps {
		s := &w.Steps[i]
		s.Key, s.KeyDigest, s.Problem = "", "", ""
		if s.Workflow != nil {
			forgetKeys(s.Workflow)
		}
	}
}

// workflow lists the steps of a workflow, and of those that they call. around are the
// workflows that it is part of.
func (o *outliner) workflow(w *workflow, inputs value.Value, at site, around []*workflow) OutlineWorkflow {
	o.shown[w] = true
	f := &frame{run: o.run, w: w, site: at, inputs: inputs, steps: make([]stepState, len(w.steps))}
	o.hidden.learn(w, inputs)
	one := OutlineWorkflow{ID: w.id, Document: w.set.Document.File}
	around = append(around[:len(around):len(around)], w)
	for position := range w.steps {
		if o.left--; o.left < 0 {
			o.cut = true
			return one
		}
		one.Steps = append(one.Steps, o.step(f, position, around))
	}
	return one
}

func (o *outliner) step(f *frame, position int, around []*workflow) OutlineStep {
	s := f.w.steps[position]
	step := f.outline(position)
	if s.kind == callsWorkflow && !slices.Contains(around, s.target) {
		a := &activation{frame: f, step: s, position: position, number: 1, name: stepName(f.path, s.id, 1), work: stepName(f.work, s.id, 1)}
		called := o.workflow(s.target, f.knownInputs(s), a.calls().within(s.target), around)
		step.Workflow = &called
	}
	step.Target, step.KeyReason, step.Problem = o.hidden.text(step.Target), o.hidden.text(step.KeyReason), o.hidden.text(step.Problem)
	return step
}

// knownInputs gives what a called workflow is known to be given, with its defaults.
func (f *frame) knownInputs(s *step) value.Value {
	var members []value.Member
	for _, a := range f.knownArguments(s) {
		members = append(members, value.Member{Name: a.Name, Value: a.Value})
	}
	bound, _ := s.target.bind(value.Object(members...), nil) // what is missing may yet come
	for _, a := range s.arguments {
		if f.mayCome(a.value.Uses()) { // then its default does not hold
			bound = without(bound, a.name)
		}
	}
	return bound
}

func without(object value.Value, name string) value.Value {
	members := slices.Clone(object.Members())
	return value.Object(slices.DeleteFunc(members, func(m value.Member) bool { return m.Name == name })...)
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
	o.Problem = f.missing(s)
	f.outlineKey(&o, position, arguments)
	return o
}

// missing tells which parameter has no value and cannot get one, though it needs one.
func (f *frame) missing(s *step) string {
	for _, a := range s.arguments {
		needed := a.in == "path" || a.declared != nil && a.declared.Required || a.bearsKey()
		if !needed || f.mayCome(a.value.Uses()) {
			continue
		}
		if v, err := a.value.Eval(f); err == nil && v.IsNothing() {
			return a.without(v)
		}
	}
	return ""
}

// mayCome tells whether the run may bring what expressions lack: outputs of other
// steps, and inputs of a workflow that a step calls.
func (f *frame) mayCome(uses []dynamic.Use) bool {
	for _, use := range uses {
		if (use.Expression.Root != expression.Inputs || f.depth > 0) && use.Expression.Eval(f).IsAbsent() {
			return true
		}
	}
	return false
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
	op := &operation{name: stepName(f.work, s.id, 1), step: s}
	if err := a.plan(op, arguments); err != nil {
		o.KeyReason = err.Error()
		if s.key.business == nil || !f.mayCome(s.key.business.Uses()) {
			o.Problem = cmp.Or(o.Problem, err.Error())
		}
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
