package arazzo

import (
	"sync"

	"github.com/weft-flow/weft/arazzo/expression"
)

// Names gives the names that expressions in w may use: the inputs, steps and
// outputs of w, and the workflows and sources of the document. $outputs in a
// step that calls a workflow of this document names an output of that workflow,
// so those are among the outputs.
func (d *Document) Names(w *Workflow) *expression.Names {
	n := &expression.Names{
		Inputs:      d.inputNames(w),
		Outputs:     outputNames(w.Outputs),
		StepOutputs: map[string][]string{},
	}
	shared := d.sharedNames()
	n.Sources, n.Workflows = shared.Sources, shared.Workflows
	n.WorkflowInputs, n.WorkflowOutputs = shared.WorkflowInputs, shared.WorkflowOutputs
	for _, s := range w.Steps {
		n.Steps = append(n.Steps, s.StepID.Value)
		n.StepOutputs[s.StepID.Value] = outputNames(s.Outputs)
		if called := d.Workflow(s.WorkflowID.Value); called != nil && s.WorkflowID.Present() {
			n.Outputs = append(n.Outputs, outputNames(called.Outputs)...)
		}
	}
	return n
}

// sharedNames gives the names that are the same in all workflows. They are
// gathered once: a document may have thousands of workflows.
func (d *Document) sharedNames() *expression.Names {
	d.names.once.Do(func() {
		n := &d.names.shared
		n.WorkflowInputs, n.WorkflowOutputs = map[string][]string{}, map[string][]string{}
		for _, s := range d.Sources {
			n.Sources = append(n.Sources, s.Name.Value)
		}
		for _, w := range d.Workflows {
			id := w.WorkflowID.Value
			n.Workflows = append(n.Workflows, id)
			n.WorkflowInputs[id] = d.inputNames(w)
			n.WorkflowOutputs[id] = outputNames(w.Outputs)
		}
	})
	return &d.names.shared
}

// namesOnce holds what sharedNames gathered.
type namesOnce struct {
	once   sync.Once
	shared expression.Names
}

func outputNames(outputs []*Output) []string {
	names := make([]string, len(outputs))
	for i, o := range outputs {
		names[i] = o.Name.Value
	}
	return names
}
