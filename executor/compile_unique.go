package executor

import (
	"strconv"
	"strings"

	"github.com/weft-flow/weft/arazzo"
	"github.com/weft-flow/weft/arazzo/expression"
)

// refuseSameStep refuses steps of one workflow that share an id: the outputs, the
// jumps and the key of one could not be told from those of the other.
func (c *compiler) refuseSameStep(w *workflow) {
	first := make(map[string]*arazzo.Step, len(w.model.Steps))
	for _, s := range w.model.Steps {
		other, twice := first[s.StepID.Value]
		if !twice {
			first[s.StepID.Value] = s
			continue
		}
		c.refuse(w.set, s.StepID.Node, "step %q stands twice in workflow %q, also in line %d; each needs a stepId of its own",
			s.StepID.Value, w.id, other.Node.Span.Start.Line)
	}
}

// refuseSameWorkflow refuses a workflow whose id another one of its document has too.
func (c *compiler) refuseSameWorkflow(w *workflow) {
	var first *arazzo.Workflow
	for _, other := range w.set.Document.Workflows {
		switch {
		case other.WorkflowID.Value != w.id:
		case first == nil:
			first = other
		default:
			c.refuse(w.set, other.WorkflowID.Node, "workflow %q stands twice in the document, also in line %d; each needs a workflowId of its own",
				w.id, first.Node.Span.Start.Line)
		}
	}
}

// refuseTwice refuses a parameter that a step writes twice: which of the two was
// meant would be a guess.
func (c *compiler) refuseTwice(w *workflow, s *step, before []argument, a argument, p *arazzo.Parameter) {
	if name, twice := standsTwice(before, a, s.kind == callsWorkflow); twice {
		c.refuse(w.set, p.Node, "step %q: the %s stands twice", s.id, name)
	}
}

// refuseSharedTwice refuses a parameter that a workflow gives twice to its steps.
func (c *compiler) refuseSharedTwice(w *workflow, names *expression.Names) {
	var before []argument
	for _, p := range w.model.Parameters {
		a, ok := c.compileArgument(w, p, names)
		if !ok {
			continue
		}
		if name, twice := standsTwice(before, a, false); twice {
			c.refuse(w.set, p.Node, "workflow %q: the %s stands twice", w.id, name)
		}
		before = append(before, a)
	}
}

// standsTwice tells whether a parameter stands among others, but those that a step
// has from its workflow, and names it. Where byName, its place makes no difference.
func standsTwice(before []argument, a argument, byName bool) (name string, twice bool) {
	for _, other := range before {
		same := other.name == a.name || a.in == "header" && strings.EqualFold(other.name, a.name)
		if other.shared || !same || !byName && other.in != a.in {
			continue
		}
		name = "parameter " + strconv.Quote(a.name)
		if !byName && a.in != "" {
			name = a.in + " " + name
		}
		return name, true
	}
	return "", false
}
