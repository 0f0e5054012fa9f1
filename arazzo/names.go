package arazzo

import "github.com/weft-flow/weft/arazzo/expression"

// Names gives the names that expressions in w may use: the inputs, steps and
// outputs of w, and the workflows and sources of the document. $outputs in a
// step that calls a workflow of this document names an output of that workflow,
// so those are among the outputs.
func (d *Document) Names(w *Workflow) *expression.Names {
	n := &expression.Names{
		Inputs:          d.inputNames(w),
		Outputs:         outputNames(w.Outputs),
		StepOutputs:     map[string][]string{},
		WorkflowOutputs: map[string][]string{},
		WorkflowInputs:  map[string][]string{},
	}
	for _, s := range d.Sources {
		n.Sources = append(n.Sources, s.Name.Value)
	}
	for _, other := range d.Workflows {
		id := other.WorkflowID.Value
		n.Workflows = append(n.Workflows, id)
		n.WorkflowInputs[id] = d.inputNames(other)
		n.WorkflowOutputs[id] = outputNames(other.Outputs)
	}
	for _, s := range w.Steps {
		n.Steps = append(n.Steps, s.StepID.Value)
		n.StepOutputs[s.StepID.Value] = outputNames(s.Outputs)
		if called := d.Workflow(s.WorkflowID.Value); called != nil && s.WorkflowID.Present() {
			n.Outputs = append(n.Outputs, outputNames(called.Outputs)...)
		}
	}
	return n
}

func outputNames(outputs []*Output) []string {
	names := make([]string, len(outputs))
	for i, o := range outputs {
		names[i] = o.Name.Value
	}
	return names
}
