package lint

import (
	"slices"

	"github.com/weft-flow/weft/arazzo"
	"github.com/weft-flow/weft/arazzo/check"
	"github.com/weft-flow/weft/arazzo/schema"
	"github.com/weft-flow/weft/arazzo/source"
	"github.com/weft-flow/weft/lint/reason"
)

// Document is one document with everything that rules ask about it, found out
// once: references followed, values and criteria compiled. It holds as much as
// could be found out; what is broken is there with the reason, so that one fault
// does not keep the others from being found.
type Document struct {
	Model *arazzo.Document
	File  string
	// Source is the file as it is written; nil of a document that is only called.
	Source []byte
	// Set is the document with its sources. A source that is not there has a
	// Problem; what depends on it cannot be known.
	Set       *source.Set
	Workflows []*Workflow // as Model.Workflows
	// Unreferred are the parts of components that no workflow refers to. They
	// belong to no workflow, so nothing can be said of the names that they use.
	Unreferred Parts

	world    *world
	byModel  map[*arazzo.Workflow]*Workflow
	referred map[*arazzo.Node]bool // the components that something refers to

	// What all rules go through, gathered once.
	all     Parts
	steps   []*Step
	actions []*Action
}

// world holds the documents that one run over a file has looked into: the file
// itself, and the documents whose workflows it calls. They are built when a rule
// first asks.
type world struct {
	documents map[*source.Set]*Document
	apis      map[string]API
	checker   *check.Checker
	looks     *looks
	bodies    map[*source.MediaType]reason.Schema
	inputs    map[*arazzo.Node]*schema.Set // by what they hold
	keys      map[*Step][]*Key
	messages  messages
	guessed   int // see DidYouMean
}

// newDocument resolves the document of a set, with its file.
func newDocument(set *source.Set, text []byte, apis map[string]API) *Document {
	w := &world{documents: make(map[*source.Set]*Document), apis: apis}
	d := w.document(set)
	d.Source = text
	return d
}

func (w *world) document(set *source.Set) *Document {
	if d := w.documents[set]; d != nil {
		return d
	}
	d := &Document{
		Model: set.Document, File: set.Document.File, Set: set, world: w,
		byModel:  make(map[*arazzo.Workflow]*Workflow, len(set.Document.Workflows)),
		referred: make(map[*arazzo.Node]bool),
	}
	w.documents[set] = d
	for _, model := range set.Document.Workflows {
		workflow := newWorkflow(d, model)
		d.Workflows = append(d.Workflows, workflow)
		d.byModel[model] = workflow
	}
	for _, workflow := range d.Workflows {
		workflow.resolve()
	}
	d.findUnreferred()
	d.gather()
	return d
}

// Workflow gives the workflow with the given id, or nil. Of several the first.
func (d *Document) Workflow(id string) *Workflow { return d.byModel[d.Model.Workflow(id)] }

// Referred tells whether anything refers to a component, by its node.
func (d *Document) Referred(component *arazzo.Node) bool { return d.referred[component] }

// Uses lists all runtime expressions of the document, workflow by workflow, then
// those of components that nobody refers to. The list is that of all rules, as are
// those of Values, Criteria, Steps and Actions.
func (d *Document) Uses() []*Use { return d.all.Uses }

// Values lists all compiled values of the document, in the order of Uses.
func (d *Document) Values() []*Value { return d.all.Values }

// Criteria lists all compiled criteria of the document, in the order of Uses.
func (d *Document) Criteria() []*Criterion { return d.all.Criteria }

// Steps lists the steps of all workflows.
func (d *Document) Steps() []*Step { return d.steps }

// Actions lists all actions of workflows and steps, each where it is written, broken
// references included.
func (d *Document) Actions() []*Action { return d.actions }

// gather puts together what the workflows have.
func (d *Document) gather() {
	for _, w := range d.Workflows {
		d.all.add(&w.Parts)
		d.steps = append(d.steps, w.Steps...)
		d.addActions(w.SuccessActions, w.FailureActions, w.OnCancel)
		for _, s := range w.Steps {
			d.addActions(s.Own.OnSuccess, s.Own.OnFailure)
		}
	}
	d.all.add(&d.Unreferred)
	// Who adds to a list of all gets one of its own.
	d.all = Parts{slices.Clip(d.all.Uses), slices.Clip(d.all.Values), slices.Clip(d.all.Criteria)}
	d.steps, d.actions = slices.Clip(d.steps), slices.Clip(d.actions)
}

func (d *Document) addActions(lists ...[]*Action) {
	for _, list := range lists {
		d.actions = append(d.actions, list...)
	}
}

// findUnreferred compiles the components that nothing refers to.
func (d *Document) findUnreferred() {
	c := &compiler{document: d, into: &d.Unreferred}
	for _, p := range d.Model.Components.Parameters {
		if !d.referred[p.Value.Node] {
			c.value(p.Value.Value, Site{Kind: InParameter})
		}
	}
	for _, named := range d.Model.Components.SuccessActions {
		if !d.referred[named.Value.Node] {
			c.action(named.Value, arazzo.KindSuccessActions, Site{})
		}
	}
	for _, named := range d.Model.Components.FailureActions {
		if !d.referred[named.Value.Node] {
			c.action(named.Value, arazzo.KindFailureActions, Site{})
		}
	}
}
