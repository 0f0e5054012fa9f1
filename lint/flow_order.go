package lint

import (
	"container/heap"
	"slices"
	"sort"
)

// orderSteps gives the order in which the steps of a workflow run where nothing
// jumps (specification, Step Dependencies and Execution Order): stable, so that
// of several steps that may be next the first of the document is. Where steps
// depend on each other in a circle, these are given too, and the order is that of
// the document.
func orderSteps(w *Workflow) (order, circle []*Step) {
	before := w.Before()
	after := make(map[*Step][]*Step, len(before))
	waits := make([]int, len(w.Steps)) // for how many others
	ready := &earliest{}
	for _, s := range w.Steps {
		waits[s.Index] = len(before[s])
		for _, b := range before[s] {
			after[b] = append(after[b], s)
		}
		if waits[s.Index] == 0 {
			heap.Push(ready, s.Index)
		}
	}
	for ready.Len() > 0 {
		next := w.Steps[heap.Pop(ready).(int)]
		order = append(order, next)
		for _, s := range after[next] {
			if waits[s.Index]--; waits[s.Index] == 0 {
				heap.Push(ready, s.Index)
			}
		}
	}
	if len(order) < len(w.Steps) {
		return slices.Clone(w.Steps), slices.DeleteFunc(slices.Clone(w.Steps), func(s *Step) bool { return waits[s.Index] == 0 })
	}
	return order, nil
}

// earliest is a heap that gives the first of some positions.
type earliest struct{ sort.IntSlice }

// Push adds a position.
func (e *earliest) Push(position any) { e.IntSlice = append(e.IntSlice, position.(int)) }

// Pop takes the last one off.
func (e *earliest) Pop() any {
	last := len(e.IntSlice) - 1
	position := e.IntSlice[last]
	e.IntSlice = e.IntSlice[:last]
	return position
}

// Before gives for each step those of the workflow that must have ended before
// it: what dependsOn names, and the steps whose outputs it uses. A reference to
// a later step is no such thing where a jump leads back, so that a later round
// has the value, and where nothing in the workflow has a dependsOn.
func (w *Workflow) Before() map[*Step][]*Step {
	before := make(map[*Step][]*Step, len(w.Steps))
	explicit := false
	known := make(map[[2]int]bool)
	add := func(s, b *Step) {
		if pair := [2]int{s.Index, b.Index}; !known[pair] {
			known[pair] = true
			before[s] = append(before[s], b)
		}
	}
	for _, s := range w.Steps {
		explicit = explicit || len(s.Model.DependsOn) > 0
		for _, d := range s.DependsOn {
			if d.Step != nil {
				add(s, d.Step)
			}
		}
	}
	for _, use := range w.Uses {
		owner := w.Referred(use)
		if owner == nil || use.Step == nil || owner == use.Step {
			continue
		}
		if owner.Index > use.Step.Index && (!explicit || w.RunsBefore(owner, use.Step)) {
			continue
		}
		add(use.Step, owner)
	}
	return before
}

// Referred gives the step of this workflow whose output an expression names; nil
// where it names none.
func (w *Workflow) Referred(use *Use) *Step {
	if !usesSteps(use.Expression) {
		return nil
	}
	return w.Step(use.Expression.Owner)
}

// RunsBefore tells whether a step that stands later in the document may have run
// before an earlier one does: because a jump leads back, or because a retry runs
// it as a helper.
func (w *Workflow) RunsBefore(later, earlier *Step) bool {
	if w.jumps(later, earlier) {
		return true
	}
	for _, s := range w.Steps {
		for _, a := range s.OnFailure {
			if a.Type() == "retry" && a.Step == later && (s == earlier || w.jumps(s, earlier)) {
				return true
			}
		}
	}
	return false
}

// jumps tells whether the flow can lead from one step to another, in the order of
// the document and by jumps, whatever the criteria are.
func (w *Workflow) jumps(from, to *Step) bool {
	seen := make([]bool, len(w.Steps))
	for open := []int{from.Index}; len(open) > 0; {
		at := open[len(open)-1]
		open = open[:len(open)-1]
		next := []int{at + 1}
		for _, a := range slices.Concat(w.Steps[at].OnSuccess, w.Steps[at].OnFailure) {
			if a.Type() == "goto" && a.Step != nil {
				next = append(next, a.Step.Index)
			}
		}
		for _, n := range next {
			if n == to.Index {
				return true
			}
			if n < len(seen) && !seen[n] {
				seen[n] = true
				open = append(open, n)
			}
		}
	}
	return false
}
