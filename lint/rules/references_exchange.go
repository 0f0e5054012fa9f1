package rules

import (
	"fmt"

	"github.com/weft-flow/weft/arazzo"
	"github.com/weft-flow/weft/arazzo/expression"
	"github.com/weft-flow/weft/lint"
)

// isOfAnswer tells whether an expression reads the answer of the step in hand, its
// message, or what the workflow that it calls gives.
func isOfAnswer(e *expression.Expression) bool {
	switch e.Root {
	case expression.StatusCode, expression.Response, expression.Message, expression.Outputs:
		return true
	default:
		return false
	}
}

// checkReadTooEarly reports what a step sends that is made of its own answer: that of
// an earlier attempt is not known either while the next one is prepared.
func checkReadTooEarly(p *lint.Pass) {
	type place struct {
		node   *arazzo.Node
		offset int
	}
	told := make(map[place]bool) // a parameter may be of several steps
	for _, use := range p.Uses() {
		at := place{use.Node, use.Offset}
		if use.Workflow == nil || use.Kind.AfterCall() || use.Kind == lint.InWorkflowOutput || !isOfAnswer(use.Expression) || told[at] {
			continue
		}
		told[at] = true
		p.Report(lint.Finding{
			At:      use.Place(),
			Message: fmt.Sprintf("%s has no value here: what a step sends is made before there is an answer", short(use.Expression.Source)),
			Help:    "an output of the earlier step keeps it: $steps.STEP.outputs.NAME",
		})
	}
}

// checkOutputsOfCalls reports $outputs in a step that calls no workflow.
func checkOutputsOfCalls(p *lint.Pass) {
	for _, use := range p.Uses() {
		if use.Expression.Root != expression.Outputs || use.Step == nil || !use.Kind.AfterCall() {
			continue
		}
		switch use.Step.Target.Kind {
		case lint.CallTarget, lint.ReceiveTarget, lint.ChannelTarget:
			p.Reportf(use.Place(), "step %s calls no workflow: there is no output %s", quote(use.Step.ID()), quote(use.Expression.Name))
		}
	}
}
