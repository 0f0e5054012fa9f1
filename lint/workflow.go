package lint

import (
	"errors"
	"sync"

	"github.com/weft-flow/weft/arazzo"
	"github.com/weft-flow/weft/arazzo/dynamic"
	"github.com/weft-flow/weft/arazzo/expression"
	"github.com/weft-flow/weft/lint/reason"
)

// Workflow is one workflow, resolved.
type Workflow struct {
	Parts
	Document *Document
	Model    *arazzo.Workflow
	Names    *expression.Names // that its expressions may use
	Steps    []*Step           // as Model.Steps, in the order of the document
	Outputs  []*Output

	// Parameters and actions that the workflow has for all of its steps. They are
	// also among those of each step.
	Parameters                     []*Parameter
	SuccessActions, FailureActions []*Action
	OnCancel                       []*Action // x-weft-on-cancel

	DependsOn []*Target // as Model.DependsOn

	Key *Value // x-weft-idempotency: key; nil: none

	shared *Value // see documentKey
	byID   map[string]*Step
	inputs *reason.Schema // once it was asked for
	flow   func() *Flow
}

// ID gives the workflow's id.
func (w *Workflow) ID() string { return w.Model.WorkflowID.Value }

// Step gives the step with the given id, or nil. Of several the first.
func (w *Workflow) Step(id string) *Step { return w.byID[id] }

// Flow gives the control-flow graph of the workflow, built when first asked for.
func (w *Workflow) Flow() *Flow { return w.flow() }

// Step is one step, resolved.
type Step struct {
	Workflow *Workflow
	Model    *arazzo.Step
	Index    int // in Workflow.Steps
	Target   Target

	// Parameters are what the call is given: the step's own, and of the workflow's
	// those that no own one overrides. For an operation these may include some
	// that it does not declare; for a workflow, those of its inputs alone.
	Parameters   []*Parameter
	Payload      *Value // nil: none
	Replacements []*Value
	Correlation  *Value // correlationId; nil: none
	Key          *Value // x-weft-idempotency: key; nil: none
	State        *Value // x-weft-state: value; nil: none

	Criteria []*Criterion
	// OnSuccess and OnFailure are the actions in the order in which they are
	// tried: the step's own, then those of the workflow whose names they do not
	// take. One whose reference leads nowhere is left out.
	OnSuccess, OnFailure []*Action
	Outputs              []*Output
	DependsOn            []*Dependency

	// Own are the lists as the step writes them, broken references included.
	Own struct {
		Parameters           []*Parameter
		OnSuccess, OnFailure []*Action
	}

	effect  func() *Effect
	body    *stepBody // once it was asked for
	verdict *Verdict  // see judged
}

// ID gives the step's id.
func (s *Step) ID() string { return s.Model.StepID.Value }

// Output gives the output of that name, or nil.
func (s *Step) Output(name string) *Output {
	for _, o := range s.Outputs {
		if o.Model.Name.Value == name {
			return o
		}
	}
	return nil
}

// Output is one output of a step or workflow.
type Output struct {
	Model *arazzo.Output
	Value *Value
}

// Parameter is one entry of a list of parameters.
type Parameter struct {
	Written *arazzo.Parameter // as the list has it: perhaps a reference
	Model   *arazzo.Parameter // itself, or the component; nil where the reference leads nowhere
	Err     error             // why it leads nowhere
	Value   *Value            // nil where Model is, or where it has no value
	Shared  bool              // it is the workflow's, for all of its steps
}

// Action is one entry of a list of actions.
type Action struct {
	Written  *arazzo.Action // as the list has it: perhaps a reference
	Model    *arazzo.Action // itself, or the component; nil where the reference leads nowhere
	Err      error          // why it leads nowhere
	Kind     string         // arazzo.KindSuccessActions or arazzo.KindFailureActions
	Shared   bool           // it is the workflow's, for all of its steps
	Criteria []*Criterion
	// Parameters are the inputs of the workflow that it calls.
	Parameters []*Parameter
	State      *Value // x-weft-state: value; nil: none

	// Step is where it leads; nil where it names none, or none that there is.
	Step *Step
	// Target is the workflow that it goes to or calls.
	Target Target

	judgement *Verdict // see judged
}

// Type gives end, goto or retry.
func (a *Action) Type() string { return a.Model.Type.Value }

// Dependency is one entry of a step's dependsOn.
type Dependency struct {
	Text arazzo.Text
	Ref  expression.StepReference
	Step *Step  // where it is one of the same workflow
	Err  error  // why there is no such step
	Open string // why it cannot be known whether there is one; else empty
}

// newWorkflow gives a workflow with its names and steps; what is in them is for
// resolve, when all workflows are known.
func newWorkflow(d *Document, model *arazzo.Workflow) *Workflow {
	w := &Workflow{Document: d, Model: model, Names: d.Model.Names(model), byID: make(map[string]*Step, len(model.Steps))}
	w.flow = sync.OnceValue(func() *Flow { return newFlow(w) })
	for i, step := range model.Steps {
		s := &Step{Workflow: w, Model: step, Index: i}
		s.effect = sync.OnceValue(func() *Effect { return newEffect(s) })
		w.Steps = append(w.Steps, s)
		if w.byID[s.ID()] == nil {
			w.byID[s.ID()] = s
		}
	}
	return w
}

func (w *Workflow) resolve() {
	model, c := w.Model, &compiler{document: w.Document, workflow: w, names: w.Names, into: &w.Parts}
	site := Site{Workflow: w}
	w.Key = c.key(model.Idempotency, site)
	w.Parameters = c.parameters(model.Parameters, site.of(InParameter))
	for _, p := range w.Parameters {
		p.Shared = true
	}
	w.SuccessActions = c.actions(model.SuccessActions, arazzo.KindSuccessActions, site)
	w.FailureActions = c.actions(model.FailureActions, arazzo.KindFailureActions, site)
	for _, list := range [][]*Action{w.SuccessActions, w.FailureActions} {
		for _, a := range list {
			a.Shared = true
		}
	}
	w.OnCancel = c.actions(model.OnCancel, arazzo.KindFailureActions, site)
	for _, text := range model.DependsOn {
		t := w.Document.workflowTarget(text)
		w.DependsOn = append(w.DependsOn, &t)
	}
	for _, s := range w.Steps {
		c.step(s)
	}
	w.Outputs = c.outputs(model.Outputs, site.of(InWorkflowOutput))
}

// documentKey gives the key of the document's x-weft-idempotency with the names of the
// workflow; nil where there is none. It is none of the workflow's own values: an input
// that the workflow lacks may be meant for others.
func (w *Workflow) documentKey() *Value {
	if of := w.Document.Model.Idempotency; w.shared == nil && of != nil && of.Key.Present() {
		v := &Value{Site: Site{Kind: InKey, Workflow: w}, Node: of.Key.Node}
		v.Compiled, v.Faults = dynamic.CompileValue(v.Node, w.Document.Model.Version, w.Names)
		w.shared = v
	}
	return w.shared
}

// errNoStep tells that a dependency names a step that is not there.
var errNoStep = errors.New("there is no such step")

func (s Site) of(kind SiteKind) Site {
	s.Kind = kind
	return s
}
