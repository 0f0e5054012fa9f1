package executor

import (
	"fmt"
	"slices"

	"github.com/weft-flow/weft/arazzo"
	"github.com/weft-flow/weft/arazzo/dynamic"
	"github.com/weft-flow/weft/arazzo/expression"
)

// orderSteps puts a workflow's steps into the order in which they run: that of the
// document, but where dependsOn says otherwise (specification, Step Dependencies
// and Execution Order).
func (c *compiler) orderSteps(w *workflow) {
	g := &stepGraph{c: c, w: w, before: make([]map[int]bool, len(w.steps))}
	explicit := false
	for i, s := range w.steps {
		g.before[i] = map[int]bool{}
		explicit = explicit || len(s.model.DependsOn) > 0
		for _, d := range s.dependsOn {
			if at, ok := w.position[d.step]; ok && d.workflow == nil {
				g.before[i][at] = true
			}
		}
	}
	for i := range w.steps {
		g.addReferences(i, explicit)
	}
	w.reorder(g.sorted())
}

// reorder moves the steps, and with them the targets of actions, to new positions.
func (w *workflow) reorder(order []int) {
	moved, steps := make([]int, len(order)), make([]*step, len(order))
	for to, from := range order {
		moved[from], steps[to] = to, w.steps[from]
		w.position[steps[to].id] = to
	}
	w.steps = steps
	for _, s := range steps {
		for _, act := range s.actions() {
			if act.step >= 0 {
				act.step = moved[act.step]
			}
		}
	}
}

// actions gives all actions of a step.
func (s *step) actions() []*action {
	return slices.Concat(s.onSuccess, s.onFailure)
}

// stepGraph holds, for each step, the steps that must have ended before it.
type stepGraph struct {
	c      *compiler
	w      *workflow
	before []map[int]bool
}

// addReferences adds the steps whose outputs step i uses. A reference to a later
// step is met in a later round where the flow leads back; without dependsOn
// anywhere it is otherwise an error.
func (g *stepGraph) addReferences(i int, explicit bool) {
	s := g.w.steps[i]
	for _, use := range s.uses() {
		if use.Expression.Root != expression.Steps {
			continue
		}
		at, ok := g.w.position[use.Expression.Owner]
		switch {
		case !ok || at == i || at > i && g.runsBefore(at, i):
		case at > i && !explicit:
			g.c.refuse(g.w.set, use.Node, "step %q uses an output of step %q, which comes later and has not run by then", s.id, g.w.steps[at].id)
		default:
			g.before[i][at] = true
		}
	}
}

// uses lists the expressions that are evaluated with a step: before it is sent,
// or right after it. What the workflow has for all its steps is not among them,
// since a step takes of it what is there.
func (s *step) uses() []dynamic.Use {
	var all []dynamic.Use
	for _, a := range s.arguments {
		if !a.shared {
			all = append(all, a.value.Uses()...)
		}
	}
	all = append(all, s.body.uses()...)
	all = append(all, s.correlation.Uses()...)
	for _, criterion := range s.criteria {
		all = append(all, criterion.Uses()...)
	}
	for _, o := range s.outputs {
		all = append(all, o.value.Uses()...)
	}
	for _, act := range s.actions() {
		if act.shared {
			continue
		}
		for _, criterion := range act.criteria {
			all = append(all, criterion.Uses()...)
		}
		for _, a := range act.arguments {
			all = append(all, a.value.Uses()...)
		}
	}
	return all
}

// runsBefore tells whether a later step may have run before an earlier one does:
// because a goto leads back, or because a retry runs it.
func (g *stepGraph) runsBefore(later, earlier int) bool {
	if g.reaches(later, earlier) {
		return true
	}
	for i, s := range g.w.steps {
		for _, act := range s.onFailure {
			if act.kind == "retry" && act.step == later && (i == earlier || g.reaches(i, earlier)) {
				return true
			}
		}
	}
	return false
}

// reaches tells whether the flow can lead from one step to another.
func (g *stepGraph) reaches(from, to int) bool {
	seen := make([]bool, len(g.w.steps))
	for open := []int{from}; len(open) > 0; {
		at := open[len(open)-1]
		open = open[:len(open)-1]
		next := []int{at + 1}
		for _, act := range g.w.steps[at].actions() {
			if act.kind == "goto" && act.step >= 0 {
				next = append(next, act.step)
			}
		}
		for _, at := range next {
			if at == to {
				return true
			}
			if at < len(seen) && !seen[at] {
				seen[at] = true
				open = append(open, at)
			}
		}
	}
	return false
}

// sorted is a stable topological order: always the first step of the document
// whose predecessors have all been placed.
func (g *stepGraph) sorted() []int {
	placed := make([]bool, len(g.before))
	order := make([]int, 0, len(g.before))
	for len(order) < len(g.before) {
		next := slices.IndexFunc(g.before, func(before map[int]bool) bool { return before != nil && g.free(before, placed) })
		if next < 0 {
			return g.refuseCircle(placed)
		}
		placed[next], g.before[next] = true, nil
		order = append(order, next)
	}
	return order
}

func (g *stepGraph) free(before map[int]bool, placed []bool) bool {
	for at := range before {
		if !placed[at] {
			return false
		}
	}
	return true
}

// refuseCircle refuses the steps that are not placed, and gives the order of the
// document.
func (g *stepGraph) refuseCircle(placed []bool) []int {
	var ids []string
	first := -1
	order := make([]int, len(placed))
	for i, s := range g.w.steps {
		order[i] = i
		if placed[i] {
			continue
		}
		ids = append(ids, s.id)
		if first < 0 {
			first = i
		}
	}
	g.c.refuse(g.w.set, g.w.steps[first].model.Node, "the steps of workflow %q depend on each other in a circle: %s", g.w.id, quotedList(ids))
	return order
}

// stepReference reads an entry of a step's dependsOn: a step of the same
// workflow, "$workflows.W.steps.S", or "$sourceDescriptions.D.W.steps.S".
func stepReference(w *workflow, text string) (dependency, error) {
	ref, err := expression.ParseStepReference(text, w.declared())
	if err != nil {
		return dependency{}, fmt.Errorf("dependsOn: %w", err)
	}
	owner, id := ref.Workflow, ref.Step
	switch {
	case owner == "" && w.model.Step(id) == nil:
		return dependency{}, noStep(w.model, id)
	case owner == "":
		return dependency{step: id}, nil
	case ref.Source != "":
		owner = "$sourceDescriptions." + ref.Source + "." + owner
	}
	_, model, err := w.set.FindWorkflow(owner)
	switch {
	case err != nil:
		return dependency{}, fmt.Errorf("dependsOn: %w", err)
	case model.Step(id) == nil:
		return dependency{}, noStep(model, id)
	case model == w.model:
		return dependency{step: id}, nil
	default:
		return dependency{workflow: model, id: model.WorkflowID.Value, step: id}, nil
	}
}

func noStep(w *arazzo.Workflow, id string) error {
	return fmt.Errorf("dependsOn: workflow %q has no step %q; it has %s", w.WorkflowID.Value, id, quotedList(stepIDs(w.Steps)))
}
