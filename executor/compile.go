package executor

import (
	"fmt"
	"slices"
	"sort"

	"github.com/weft-flow/weft/arazzo"
	"github.com/weft-flow/weft/arazzo/dynamic"
	"github.com/weft-flow/weft/arazzo/expression"
	"github.com/weft-flow/weft/arazzo/source"
)

// compiler turns the workflows that a plan needs into their compiled form. It
// follows references from the selected workflows, so that what nobody asked for
// cannot keep a document from running.
type compiler struct {
	config    Config
	documents documents
	workflows map[*arazzo.Workflow]*workflow
	found     []*workflow // the same in the order in which they were found
	origins   map[string]bool
	boxes     []Mailbox
	labels    map[string]string // of the mailboxes, by their names
	payloads  payloads
	refusals  []Refusal
}

func newCompiler(set *source.Set, config Config) *compiler {
	return &compiler{
		config:    config.withDefaults(),
		documents: documentsOf(set),
		workflows: map[*arazzo.Workflow]*workflow{},
		origins:   map[string]bool{},
		labels:    map[string]string{},
		payloads:  payloads{},
	}
}

// namedValue is a compiled output.
type namedValue struct {
	name  string
	value *dynamic.Value
}

// argument is a compiled parameter of a step or action.
type argument struct {
	name, in string
	node     *arazzo.Node // where it is written, or a reference to it
	value    *dynamic.Value
	declared *source.Parameter
	shared   bool // it is of the workflow, for all its steps
}

// criterion is a compiled assertion with its place.
type criterion struct {
	*dynamic.Criterion
	place Place
}

func (c *compiler) refuse(set *source.Set, node *arazzo.Node, format string, args ...any) {
	c.refusals = append(c.refusals, Refusal{Place: placeOf(set, node), Message: fmt.Sprintf(format, args...)})
}

// faults passes on what dynamic found. An invalid condition is no refusal: the
// specification has it fail when it is evaluated (Evaluation Errors).
func (c *compiler) faults(set *source.Set, faults []dynamic.Fault, invalidFails bool) {
	for _, f := range faults {
		if invalidFails && !f.Unsupported {
			continue
		}
		c.refuse(set, f.Node, "%s", f.Message)
	}
}

func placeOf(set *source.Set, node *arazzo.Node) Place {
	place := Place{File: set.Document.File}
	if node != nil {
		place.Span, place.Pointer = node.Span, node.Pointer()
	}
	return place
}

func (c *compiler) selectWorkflows(set *source.Set, ids []string) []*workflow {
	var selected []*workflow
	if len(ids) == 0 {
		for _, model := range set.Document.Workflows {
			selected = append(selected, c.workflow(set, model))
		}
		return selected
	}
	for _, id := range ids {
		model := set.Document.Workflow(id)
		if model == nil {
			c.refuse(set, nil, "there is no workflow %q; the document has %s", id, listWorkflows(set.Document))
			continue
		}
		w := c.workflow(set, model)
		if !slices.Contains(selected, w) {
			selected = append(selected, w)
		}
	}
	return selected
}

func listWorkflows(d *arazzo.Document) string {
	ids := make([]string, len(d.Workflows))
	for i, w := range d.Workflows {
		ids[i] = w.WorkflowID.Value
	}
	return quotedList(ids)
}

// workflow gives the compiled form of a model, to be filled later: workflows may
// refer to each other in circles.
func (c *compiler) workflow(set *source.Set, model *arazzo.Workflow) *workflow {
	if w, ok := c.workflows[model]; ok {
		return w
	}
	w := &workflow{id: model.WorkflowID.Value, label: c.documents.labels[model], identity: keyIdentity(set), set: set, model: model}
	c.workflows[model] = w
	c.found = append(c.found, w)
	c.refuseFaults(set)
	return w
}

func (c *compiler) compileWorkflow(w *workflow) {
	names := w.declared()
	w.inputs = c.compileInputs(w)
	for _, ref := range w.model.DependsOn {
		if target := c.findWorkflow(w.set, ref); target != nil {
			w.dependsOn = append(w.dependsOn, target)
		}
	}
	w.states, w.documentStates = compileStates(w.model.States), compileStates(w.set.Document.States)
	c.refuseSameWorkflow(w)
	c.refuseSameStep(w)
	w.position = make(map[string]int, len(w.model.Steps))
	for i, model := range w.model.Steps {
		w.position[model.StepID.Value] = i
	}
	c.refuseSharedTwice(w, names)
	c.compileCallbacks(w)
	for _, model := range w.model.Steps {
		w.steps = append(w.steps, c.compileStep(w, model, names))
	}
	w.markAddressed()
	c.checkCallbacks(w)
	c.orderSteps(w)
	c.linkRequeries(w)
	w.onCancel = c.compileOnCancel(w, names)
	w.outputs = c.compileOutputs(w.set, w.model.Outputs, names)
	c.refuseUndeclared(w)
}

// declared gives the names that expressions of the workflow may use. It is for
// compiling alone: it keeps what it found.
func (w *workflow) declared() *expression.Names {
	if w.names == nil {
		w.names = w.set.Document.Names(w.model)
	}
	return w.names
}

func (c *compiler) findWorkflow(set *source.Set, ref arazzo.Text) *workflow {
	target, model, err := set.FindWorkflow(ref.Value)
	if err != nil {
		c.refuse(set, ref.Node, "%v", err)
		return nil
	}
	return c.workflow(target, model)
}

func (c *compiler) compileOutputs(set *source.Set, outputs []*arazzo.Output, names *expression.Names) []namedValue {
	compiled := make([]namedValue, 0, len(outputs))
	for _, o := range outputs {
		v, faults := dynamic.CompileValue(o.Value, set.Document.Version, names)
		c.faults(set, faults, false)
		compiled = append(compiled, namedValue{name: o.Name.Value, value: v})
	}
	return compiled
}

func (c *compiler) compileCriteria(set *source.Set, models []*arazzo.Criterion, names *expression.Names) []*criterion {
	compiled := make([]*criterion, 0, len(models))
	for _, model := range models {
		one, faults := dynamic.CompileCriterion(model, set.Document.Version, names)
		c.faults(set, faults, true)
		compiled = append(compiled, &criterion{Criterion: one, place: placeOf(set, model.Node)})
	}
	return compiled
}

func (c *compiler) sortedOrigins() []string {
	origins := make([]string, 0, len(c.origins))
	for origin := range c.origins {
		origins = append(origins, origin)
	}
	sort.Strings(origins)
	return origins
}

// sortedRefusals gives the refusals in the order of their places, each once.
func (c *compiler) sortedRefusals() []Refusal {
	sort.SliceStable(c.refusals, func(i, j int) bool {
		a, b := c.refusals[i].Place, c.refusals[j].Place
		switch {
		case a.File != b.File:
			return a.File < b.File
		case a.Span.Start.Offset != b.Span.Start.Offset:
			return a.Span.Start.Offset < b.Span.Start.Offset
		default:
			return c.refusals[i].Message < c.refusals[j].Message
		}
	})
	return slices.CompactFunc(c.refusals, func(a, b Refusal) bool { return a == b })
}
