package lint

import "github.com/weft-flow/weft/arazzo/expression"

// newFlow builds the graph of a workflow.
func newFlow(w *Workflow) *Flow {
	f := &Flow{
		Workflow: w,
		edges:    make(map[*Step][]*Edge, len(w.Steps)),
		untaken:  make(map[*Step][]*Edge),
		success:  make(map[*Step]Verdict, len(w.Steps)),
	}
	f.Order, f.Circle = orderSteps(w)
	next := make(map[*Step]*Step, len(w.Steps))
	for i := 1; i < len(f.Order); i++ {
		next[f.Order[i-1]] = f.Order[i]
	}
	for _, s := range w.Steps {
		b := &edgeBuilder{flow: f, step: s}
		b.build(next[s])
	}
	for _, a := range w.OnCancel {
		if a.Model != nil && a.Type() == "goto" && a.Step != nil {
			f.Cancel = append(f.Cancel, &Edge{Kind: Goto, To: a.Step, Action: a, When: maybe(Always)})
		}
	}
	return f
}

// edgeBuilder makes the edges of one step.
type edgeBuilder struct {
	flow *Flow
	step *Step
}

func (b *edgeBuilder) build(next *Step) {
	possible := b.step.outcomes()
	succeeds := both(Statuses(200, 299).Union(Done))
	if len(b.step.Criteria) > 0 {
		succeeds = Judge(b.step.Criteria)
	}
	// Without a response the step fails, whatever the criteria say.
	succeeds = succeeds.and(both(possible.Minus(NoResponse)))
	b.flow.success[b.step] = succeeds
	fails := succeeds.not().and(both(possible))

	left := b.actions(b.step.OnSuccess, succeeds, true)
	last := &Edge{Kind: Proceed, To: next, When: left, Success: true}
	if next == nil {
		last.Exit = ExitSuccess
	}
	b.add(last)
	left = b.actions(b.step.OnFailure, fails, false)
	b.add(&Edge{Kind: Fail, Exit: ExitFailure, When: left})
}

// outcomes says how an attempt of the step can come out.
func (s *Step) outcomes() Outcomes {
	switch s.Target.Kind {
	case CallTarget:
		return AnyStatus.Union(NoResponse)
	case WorkflowTarget, ReceiveTarget, ChannelTarget:
		return Done.Union(NoResponse)
	default:
		return Always
	}
}

func (b *edgeBuilder) add(e *Edge) {
	e.From = b.step
	if e.When.May.IsEmpty() {
		if e.Action != nil {
			b.flow.untaken[b.step] = append(b.flow.untaken[b.step], e)
		}
		return
	}
	b.flow.edges[b.step] = append(b.flow.edges[b.step], e)
}

// actions adds an edge for each action and gives where none of them is taken.
func (b *edgeBuilder) actions(actions []*Action, left Verdict, success bool) Verdict {
	all := left
	for i, a := range actions {
		holds := Judge(a.Criteria)
		e := b.edge(a)
		e.Success = success
		e.When = left.and(holds)
		if by := b.shadow(actions[:i], a, all.May.Intersect(holds.May), e.When.May); by != nil {
			e.When, e.By = Verdict{}, by
		}
		b.add(e)
		if a.Type() != "retry" {
			left.May = left.May.Minus(holds.Must)
			left.Must = left.Must.Minus(holds.May)
		}
	}
	return left
}

// edge gives the edge of an action but for when it is taken.
func (b *edgeBuilder) edge(a *Action) *Edge {
	e := &Edge{Action: a}
	switch a.Type() {
	case "retry":
		e.Kind, e.To = Retry, b.step
	case "goto":
		e.Kind, e.To = Goto, a.Step
		switch {
		case a.Step != nil:
		case a.Model.WorkflowID.Present():
			e.Exit = ExitElsewhere
		default:
			e.Exit = ExitFailure // it leads nowhere
		}
	default:
		e.Kind, e.Exit = End, ExitFailure
		if a.Kind == "successActions" {
			e.Exit = ExitSuccess
		}
	}
	return e
}

// shadow gives the action before a that is always taken where a could be: own
// are the outcomes for which a's own criteria can hold, rest those that the
// actions before leave it.
func (b *edgeBuilder) shadow(before []*Action, a *Action, own, rest Outcomes) *Action {
	for _, other := range before {
		if other.Type() == "retry" {
			continue
		}
		if implies(a.Criteria, other.Criteria) {
			return other
		}
	}
	if own.IsEmpty() || !rest.IsEmpty() {
		return nil
	}
	for _, other := range before {
		if other.Type() != "retry" && Judge(other.Criteria).Must.Meets(own) {
			return other
		}
	}
	return nil
}

// implies tells whether criteria that all hold make others hold too, whatever
// they are about: each of the others is also among them.
func implies(criteria, others []*Criterion) bool {
	for _, other := range others {
		found := false
		for _, c := range criteria {
			found = found || SameCriterion(c, other)
		}
		if !found {
			return false
		}
	}
	return true
}

// SameCriterion tells whether two criteria mean the same: conditions that differ
// in nothing but white space, the way of quoting and the form of expressions.
func SameCriterion(a, b *Criterion) bool {
	if a.Model.Context.Value != b.Model.Context.Value || typeOf(a) != typeOf(b) {
		return false
	}
	x, y := a.Condition(), b.Condition()
	if x == nil || y == nil {
		return a.Model.Condition.Value == b.Model.Condition.Value
	}
	return a.Compiled.Simple().String() == b.Compiled.Simple().String()
}

func typeOf(c *Criterion) string {
	if c.Model.Type == nil {
		return "simple"
	}
	return c.Model.Type.Type + " " + c.Model.Type.Version
}

// usesSteps tells whether the expression names an output of a step.
func usesSteps(e *expression.Expression) bool { return e.Root == expression.Steps }
