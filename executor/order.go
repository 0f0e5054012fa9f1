package executor

import (
	"fmt"
	"strings"

	"github.com/weft-flow/weft/arazzo"
	"github.com/weft-flow/weft/arazzo/expression"
	"github.com/weft-flow/weft/arazzo/value"
)

// stepOrder gives a workflow's steps in the order in which they run: that of the
// document, but where dependsOn says otherwise (specification, Step Dependencies
// and Execution Order).
func (c *compiler) stepOrder(w *workflow, names *expression.Names) []*arazzo.Step {
	steps := w.model.Steps
	g := &stepGraph{c: c, w: w, position: map[string]int{}, before: make([]map[int]bool, len(steps))}
	for i, s := range steps {
		g.position[s.StepID.Value] = i
		g.before[i] = map[int]bool{}
	}
	explicit := false
	for i, s := range steps {
		for _, ref := range s.DependsOn {
			explicit = true
			if at, ok := g.position[ref.Value]; ok {
				g.before[i][at] = true
			}
		}
	}
	for i, s := range steps {
		g.addReferences(i, s, names, explicit)
	}
	return g.sorted()
}

// stepGraph holds, for each step, the steps that must have ended before it.
type stepGraph struct {
	c        *compiler
	w        *workflow
	position map[string]int
	before   []map[int]bool
}

// addReferences adds the steps whose outputs step i uses. A reference to a later
// step is met in a later round where a goto leads back; without dependsOn
// anywhere it is otherwise an error.
func (g *stepGraph) addReferences(i int, s *arazzo.Step, names *expression.Names, explicit bool) {
	for _, use := range stepUses(s, names) {
		at, ok := g.position[use.step]
		if !ok || at == i {
			continue
		}
		if at > i && g.leadsBack(at, i) {
			continue
		}
		if at > i && !explicit {
			g.c.refuse(g.w.set, use.node, "step %q uses an output of step %q, which comes later and has not run by then", s.StepID.Value, use.step)
			continue
		}
		g.before[i][at] = true
	}
}

// leadsBack tells whether a goto at or after step from leads to step to or
// before it, so that step to runs again after step from.
func (g *stepGraph) leadsBack(from, to int) bool {
	for _, s := range g.w.model.Steps[from:] {
		for kind, actions := range map[string][]*arazzo.Action{
			"successActions": append(s.OnSuccess[:len(s.OnSuccess):len(s.OnSuccess)], g.w.model.SuccessActions...),
			"failureActions": append(s.OnFailure[:len(s.OnFailure):len(s.OnFailure)], g.w.model.FailureActions...),
		} {
			for _, a := range actions {
				resolved, err := g.w.set.Document.ResolveAction(a, kind)
				if err != nil || resolved.Type.Value != "goto" {
					continue
				}
				if at, ok := g.position[resolved.StepID.Value]; ok && at <= to {
					return true
				}
			}
		}
	}
	return false
}

// sorted is a stable topological order: always the first step of the document
// whose predecessors have all been placed.
func (g *stepGraph) sorted() []*arazzo.Step {
	steps := g.w.model.Steps
	placed := make([]bool, len(steps))
	order := make([]*arazzo.Step, 0, len(steps))
	for len(order) < len(steps) {
		next := g.firstFree(placed)
		if next < 0 {
			g.c.refuse(g.w.set, g.firstOpen(placed).Node, "the steps of workflow %q depend on each other in a circle: %s", g.w.id, g.circle(placed))
			return steps
		}
		placed[next] = true
		order = append(order, steps[next])
	}
	return order
}

func (g *stepGraph) firstFree(placed []bool) int {
	for i := range placed {
		if placed[i] {
			continue
		}
		free := true
		for before := range g.before[i] {
			free = free && placed[before]
		}
		if free {
			return i
		}
	}
	return -1
}

func (g *stepGraph) firstOpen(placed []bool) *arazzo.Step {
	for i := range placed {
		if !placed[i] {
			return g.w.model.Steps[i]
		}
	}
	return nil
}

func (g *stepGraph) circle(placed []bool) string {
	var ids []string
	for i, s := range g.w.model.Steps {
		if !placed[i] {
			ids = append(ids, s.StepID.Value)
		}
	}
	return quotedList(ids)
}

// stepUse is one reference to an output of a step.
type stepUse struct {
	step string
	node *arazzo.Node
}

// stepUses lists whose outputs a step needs before it is sent. What its actions
// and outputs use is not needed by then.
func stepUses(s *arazzo.Step, names *expression.Names) []stepUse {
	var uses []stepUse
	walkStrings(s.Node.Get("parameters"), func(n *arazzo.Node) { uses = appendUses(uses, n, names) })
	walkStrings(s.Node.Get("requestBody"), func(n *arazzo.Node) { uses = appendUses(uses, n, names) })
	walkStrings(s.Node.Get("correlationId"), func(n *arazzo.Node) { uses = appendUses(uses, n, names) })
	return uses
}

func appendUses(uses []stepUse, n *arazzo.Node, names *expression.Names) []stepUse {
	template, err := expression.ParseTemplate(n.Text, names)
	if err != nil {
		return uses
	}
	for _, part := range template.Parts() {
		if e := part.Expression; e != nil && e.Root == expression.Steps {
			uses = append(uses, stepUse{step: e.Owner, node: n})
		}
	}
	return uses
}

func walkStrings(n *arazzo.Node, visit func(*arazzo.Node)) {
	if n == nil {
		return
	}
	if n.Kind == value.KindString && strings.Contains(n.Text, "$") {
		visit(n)
	}
	for _, item := range n.Items {
		walkStrings(item, visit)
	}
	for _, m := range n.Members {
		walkStrings(m.Value, visit)
	}
}

// stepReference reads an entry of a step's dependsOn: a step of the same
// workflow, "$workflows.W.steps.S", or "$sourceDescriptions.D.W.steps.S".
func (c *compiler) stepReference(w *workflow, ref string) (*workflow, string, error) {
	if !strings.HasPrefix(ref, "$") {
		if w.model.Step(ref) == nil {
			return nil, "", fmt.Errorf("dependsOn: workflow %q has no step %q; it has %s", w.id, ref, quotedList(stepIDs(w.model.Steps)))
		}
		return nil, ref, nil
	}
	at := strings.LastIndex(ref, ".steps.")
	if at < 0 {
		return nil, "", fmt.Errorf("dependsOn: expected a stepId, $workflows.W.steps.S or $sourceDescriptions.D.W.steps.S, this is %q", ref)
	}
	owner, id := ref[:at], ref[at+len(".steps."):]
	set, model, err := w.set.FindWorkflow(strings.TrimPrefix(owner, "$workflows."))
	if err != nil {
		return nil, "", fmt.Errorf("dependsOn: %w", err)
	}
	if model.Step(id) == nil {
		return nil, "", fmt.Errorf("dependsOn: workflow %q has no step %q; it has %s", model.WorkflowID.Value, id, quotedList(stepIDs(model.Steps)))
	}
	return c.workflow(set, model), id, nil
}
