package rules

import (
	"fmt"
	"slices"

	"github.com/weft-flow/weft/lint"
)

// checkLocationsGiven reports parameters without a place where the parser does not see
// that one is needed: components that steps refer to, and what a workflow has for all of
// its steps.
func checkLocationsGiven(p *lint.Pass) {
	for _, w := range p.Workflows {
		for _, s := range w.Steps {
			if callsOperation(s) {
				reportPlaceless(p, s.Own.Parameters, fmt.Sprintf("step %s calls an operation", quote(s.ID())))
			}
		}
		if at := slices.IndexFunc(w.Steps, callsOperation); at >= 0 {
			reportPlaceless(p, needPlace(w), fmt.Sprintf("step %s of workflow %s calls an operation", quote(w.Steps[at].ID()), quote(w.ID())))
		}
	}
}

func callsOperation(s *lint.Step) bool {
	m := s.Model
	return !m.WorkflowID.Present() && (m.OperationID.Present() || m.OperationPath.Present() || m.ChannelPath.Present())
}

// needPlace gives the parameters that a workflow has for its steps and that are no
// input of a workflow which one of them calls, as far as that is known.
func needPlace(w *lint.Workflow) []*lint.Parameter {
	return slices.DeleteFunc(slices.Clone(w.Parameters), func(q *lint.Parameter) bool {
		return slices.ContainsFunc(w.Steps, func(s *lint.Step) bool { return mayBeInput(s, q) })
	})
}

// mayBeInput tells whether a step may call a workflow that takes a parameter as its
// input.
func mayBeInput(s *lint.Step, q *lint.Parameter) bool {
	if !s.Model.WorkflowID.Present() || q.Model == nil {
		return false
	}
	called := s.Target.Workflow()
	return called == nil || slices.Contains(called.Names.Inputs, q.Model.Name.Value) || hidesInputs(called.Document.Model, called.Model)
}

// reportPlaceless reports those of some parameters that do not say where they go, and
// that the parser does not report.
func reportPlaceless(p *lint.Pass, parameters []*lint.Parameter, why string) {
	for _, q := range parameters {
		reference := q.Written.Reference.Present()
		if q.Model == nil || !isText(q.Model.Name) || q.Model.Node.Get("in") != nil || !reference && !q.Shared {
			continue
		}
		f := lint.Finding{At: lint.At(q.Written.Reference.Node, q.Model.Name.Node), Message: why + ": the parameter " + quote(q.Model.Name.Value) + " needs in, where it goes"}
		if reference {
			f.Related = []lint.Related{lint.See(q.Model.Node, "the component does not say where it goes")}
		}
		p.Report(f)
	}
}

// isPlaceless tells whether a workflow has a parameter of a name for all of its steps
// that does not say where it goes: that is reported as such.
func isPlaceless(w *lint.Workflow, name string) bool {
	return slices.ContainsFunc(w.Parameters, func(q *lint.Parameter) bool {
		return q.Model != nil && q.Model.Name.Value == name && q.Model.Node.Get("in") == nil
	})
}
