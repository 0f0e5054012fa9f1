package lint

import (
	"slices"

	"github.com/weft-flow/weft/internal/circle"
)

// Flow is the control-flow graph of a workflow. Its nodes are the steps, its
// edges the ways on from an attempt of a step: to the next step, by an action, to
// an end. Each edge knows under which outcomes of the attempt it is taken.
//
// An attempt comes out with one of the Outcomes. The step's successCriteria say
// whether that is a success; its actions are tried in order, and the first whose
// criteria hold is taken (Arazzo 1.1, Step Object). What criteria ask of a body,
// a header or an input is open: then an edge may be taken, and so may those after
// it.
//
// Most questions of rules are about paths: see Reach, and the methods built on it.
type Flow struct {
	Workflow *Workflow
	// Order is the order in which steps run where nothing jumps: that of the
	// document, but where dependsOn and references to outputs say otherwise.
	Order []*Step
	// Circle are the steps that depend on each other in a circle; Order then is
	// that of the document.
	Circle []*Step
	// Broken tells that it cannot be read of some action what it does, or where it
	// leads: it may do anything, which is among the edges, each of them open.
	Broken bool
	// Cancel are the jumps of x-weft-on-cancel. They come from nowhere: From is nil.
	Cancel []*Edge

	edges     map[*Step][]*Edge
	untaken   map[*Step][]*Edge
	success   map[*Step]Verdict
	into      func() map[*Step][]*Edge // the edges by the step that they lead to
	looped    func() map[*Step]bool    // see InLoop
	reachable func() map[*Step]bool

	hub      *Step // one that leads to everywhere: see edgeBuilder.anything
	anywhere int   // how many edges do

	// Where one was asked last that Leads, and what it leads to: many are asked about
	// one step.
	ledFrom *Step
	led     map[*Step]bool
}

// EdgeKind says why control goes on along an edge.
type EdgeKind uint8

// The kinds of edge.
const (
	Proceed EdgeKind = iota + 1 // the step succeeded, and no action applies
	Fail                        // it failed, and no action applies
	Goto                        // an action jumps
	End                         // an action ends the workflow
	Retry                       // an action has the step tried again
)

// Exit says how the workflow ends at an edge.
type Exit uint8

// The ends. An edge that leads to a step has none.
const (
	NoExit        Exit = iota
	ExitSuccess        // the workflow has succeeded
	ExitFailure        // it has failed
	ExitElsewhere      // another workflow goes on: Edge.Action.Target
)

// Edge is one way on from a step.
type Edge struct {
	Kind   EdgeKind
	From   *Step
	To     *Step // nil where Exit says how the workflow ends; of a Retry, From itself
	Exit   Exit
	Action *Action // nil of Proceed and Fail

	// Success tells that the step has succeeded.
	Success bool
	// When says under which outcomes of the attempt the edge is taken, the actions
	// before it considered. A retry before it does not keep it from being taken:
	// it is used up in the end. So Must means: once the retries are used up.
	When Verdict
	// By is the action before it that is always taken in its place, for an edge
	// that is never taken; nil where its own criteria never hold.
	By *Action

	holds Verdict  // where the action's own criteria hold
	given Outcomes // see Given
}

// Given gives the outcomes for which the edge is taken for certain, once the attempt
// is known to be a success, or a failure: what the successCriteria ask of a body
// counts as settled, what the criteria of actions ask does not.
func (e *Edge) Given() Outcomes { return e.given }

// Helper gives the step that a retry runs before the next attempt, which comes
// back whatever its result; nil where it runs none.
func (e *Edge) Helper() *Step {
	if e.Kind != Retry {
		return nil
	}
	return e.Action.Step
}

// Start is the step that runs first; nil where there is none.
func (f *Flow) Start() *Step {
	if len(f.Order) == 0 {
		return nil
	}
	return f.Order[0]
}

// Edges gives the ways on from a step that can be taken, in the order in which
// they are tried: those of success first.
func (f *Flow) Edges(s *Step) []*Edge { return f.edges[s] }

// Under gives the edges from a step that can be taken under one of some outcomes.
func (f *Flow) Under(s *Step, o Outcomes) []*Edge {
	return slices.DeleteFunc(slices.Clone(f.edges[s]), func(e *Edge) bool { return !e.When.May.Meets(o) })
}

// turned gives the edges by the step that they lead to.
func (f *Flow) turned() map[*Step][]*Edge {
	into := make(map[*Step][]*Edge, len(f.edges))
	for _, s := range f.Workflow.Steps {
		for _, e := range f.edges[s] {
			if e.To != nil {
				into[e.To] = append(into[e.To], e)
			}
		}
	}
	return into
}

// Untaken gives the edges by actions of a step that can never be taken.
func (f *Flow) Untaken(s *Step) []*Edge { return f.untaken[s] }

// Success says under which outcomes of an attempt the step succeeds.
func (f *Flow) Success(s *Step) Verdict { return f.success[s] }

// Next gives the step that runs after s where nothing jumps; nil where s is the
// last one.
func (f *Flow) Next(s *Step) *Step {
	if at := slices.Index(f.Order, s); at >= 0 && at+1 < len(f.Order) {
		return f.Order[at+1]
	}
	return nil
}

// Reach gives the steps to which control can come from a step along edges for
// which follow is true (nil: all edges), without the step itself unless a way
// leads back to it. Steps that only help a retry are not among them.
func (f *Flow) Reach(from *Step, follow func(*Edge) bool) map[*Step]bool {
	reached := make(map[*Step]bool)
	for open := []*Step{from}; len(open) > 0; {
		at := open[len(open)-1]
		open = open[:len(open)-1]
		for _, e := range f.edges[at] {
			if e.To == nil || reached[e.To] || follow != nil && !follow(e) {
				continue
			}
			reached[e.To] = true
			open = append(open, e.To)
		}
	}
	return reached
}

// ReachBack gives the steps from which control can come to a step along edges for
// which follow is true (nil: all edges), without the step itself unless a way leads
// back to it.
func (f *Flow) ReachBack(to *Step, follow func(*Edge) bool) map[*Step]bool {
	return f.back([]*Step{to}, make(map[*Step]bool), follow)
}

// Ending gives the steps from which the workflow can come to an end along an edge
// for which ends is true.
func (f *Flow) Ending(ends func(*Edge) bool) map[*Step]bool {
	ending := make(map[*Step]bool)
	var open []*Step
	for _, s := range f.Workflow.Steps {
		for _, e := range f.edges[s] {
			if e.To == nil && !ending[s] && ends(e) {
				ending[s] = true
				open = append(open, s)
			}
		}
	}
	return f.back(open, ending, nil)
}

// back adds to reached the steps from which control can come to open ones.
func (f *Flow) back(open []*Step, reached map[*Step]bool, follow func(*Edge) bool) map[*Step]bool {
	for len(open) > 0 {
		at := open[len(open)-1]
		open = open[:len(open)-1]
		for _, e := range f.into()[at] {
			if !reached[e.From] && (follow == nil || follow(e)) {
				reached[e.From] = true
				open = append(open, e.From)
			}
		}
	}
	return reached
}

// Leads tells whether control can come from one step to another along edges for
// which follow is true (nil: all).
func (f *Flow) Leads(from, to *Step, follow func(*Edge) bool) bool {
	if follow != nil {
		return f.Reach(from, follow)[to]
	}
	if f.led == nil || f.ledFrom != from {
		f.ledFrom, f.led = from, f.Reach(from, nil)
	}
	return f.led[to]
}

// CanEnd tells whether a workflow at a step can come to one of some ends along
// edges for which follow is true (nil: all).
func (f *Flow) CanEnd(from *Step, follow func(*Edge) bool, exits ...Exit) bool {
	reached := f.Reach(from, follow)
	reached[from] = true
	for s := range reached {
		for _, e := range f.edges[s] {
			if e.To == nil && slices.Contains(exits, e.Exit) && (follow == nil || follow(e)) {
				return true
			}
		}
	}
	return false
}

// Reachable gives the steps that can run: from the start, by a cancel, or to help
// a retry. All who ask get the same.
func (f *Flow) Reachable() map[*Step]bool { return f.reachable() }

func (f *Flow) findReachable() map[*Step]bool {
	reached := make(map[*Step]bool)
	var open []*Step
	enter := func(s *Step) {
		if s != nil && !reached[s] {
			reached[s] = true
			open = append(open, s)
		}
	}
	enter(f.Start())
	for _, e := range f.Cancel {
		enter(e.To)
	}
	for len(open) > 0 {
		at := open[len(open)-1]
		open = open[:len(open)-1]
		for _, e := range f.edges[at] {
			enter(e.To)
		}
	}
	f.enterHelpers(reached)
	return reached
}

// enterHelpers adds the steps that retries of reached ones run. Of a helper only
// the retries count: where its other actions lead does not.
func (f *Flow) enterHelpers(reached map[*Step]bool) {
	var open []*Step
	for s := range reached {
		open = append(open, s)
	}
	for len(open) > 0 {
		at := open[len(open)-1]
		open = open[:len(open)-1]
		for _, e := range f.edges[at] {
			if helper := e.Helper(); helper != nil && !reached[helper] {
				reached[helper] = true
				open = append(open, helper)
			}
		}
	}
}

// Avoids tells whether the workflow can come from the start to the step to, or
// for to nil to an end in success, without the step s having succeeded.
func (f *Flow) Avoids(s, to *Step) bool {
	start := f.Start()
	if start == nil {
		return false
	}
	without := func(e *Edge) bool { return e.From != s || !e.Success }
	if to == nil {
		return f.CanEnd(start, without, ExitSuccess)
	}
	return start == to || f.Leads(start, to, without)
}

// InLoop tells whether control can come back to a step by a jump; retries of the
// step are no loop.
func (f *Flow) InLoop(s *Step) bool { return f.looped()[s] }

// findLoops gives the steps to which control can come back by jumps.
func (f *Flow) findLoops() map[*Step]bool {
	again := make(map[*Step]bool)
	number := circle.Of(f.Workflow.Steps, func(s *Step) []*Step {
		var next []*Step
		for _, e := range f.edges[s] {
			if e.To != nil && e.Kind != Retry {
				next = append(next, e.To)
			}
		}
		return next
	})
	for s, edges := range f.edges {
		for _, e := range edges {
			if e.To != nil && e.Kind != Retry && number[e.To] == number[s] {
				again[s] = true
			}
		}
	}
	return again
}
