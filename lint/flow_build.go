package lint

import (
	"slices"
	"strings"
	"sync"

	"github.com/weft-flow/weft/arazzo"
	"github.com/weft-flow/weft/arazzo/expression"
	"github.com/weft-flow/weft/arazzo/value"
)

// newFlow builds the graph of a workflow.
func newFlow(w *Workflow) *Flow {
	f := &Flow{
		Workflow: w,
		edges:    make(map[*Step][]*Edge, len(w.Steps)),
		untaken:  make(map[*Step][]*Edge),
		success:  make(map[*Step]Verdict, len(w.Steps)),
	}
	f.into, f.looped, f.reachable = sync.OnceValue(f.turned), sync.OnceValue(f.findLoops), sync.OnceValue(f.findReachable)
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
	written := b.step.Model.Node.Get("successCriteria")
	if len(b.step.Criteria) > 0 || written != nil && written.Kind != value.KindArray {
		succeeds = judgeWritten(b.step.Criteria, written)
	}
	// Without a response the step fails, whatever the criteria say.
	succeeds = succeeds.and(both(possible.Minus(NoResponse)))
	b.flow.success[b.step] = succeeds
	fails := succeeds.not().and(both(possible))

	left, given := b.actions(b.step.OnSuccess, succeeds, true)
	last := &Edge{Kind: Proceed, To: next, When: left, given: given, Success: true}
	if next == nil {
		last.Exit = ExitSuccess
	}
	b.add(last)
	left, given = b.actions(b.step.OnFailure, fails, false)
	b.add(&Edge{Kind: Fail, Exit: ExitFailure, When: left, given: given})
}

// outcomes says how an attempt of the step can come out.
func (s *Step) outcomes() Outcomes {
	switch s.Target.Kind {
	case CallTarget:
		return AnyStatus.Union(NoResponse)
	case WorkflowTarget:
		return Done.Union(NoResponse)
	default: // a message may have a status, of the transport, or none
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

// actions adds an edge for each action and gives where none of them is taken: the
// outcomes for which that is certain are said of an attempt of which is known that
// it was a success, or a failure.
func (b *edgeBuilder) actions(actions []*Action, left Verdict, success bool) (rest Verdict, certain Outcomes) {
	all, given := left, left.May
	before := &earlier{having: make(map[string][]*earlierAction)}
	for _, a := range actions {
		holds := a.verdict()
		if isUnreadable(a) {
			b.anything(a, left.and(maybe(Always)), success)
			left.Must, given = Never, Never
			continue
		}
		e := b.edge(a)
		e.Success, e.holds = success, holds
		e.When, e.given = left.and(holds), given.Intersect(holds.Must)
		if by := before.shadow(a, all.May.Intersect(holds.May), e.When.May); by != nil {
			e.When, e.By = Verdict{}, by
		}
		b.add(e)
		before.add(a, holds)
		if a.Type() != "retry" {
			left.May = left.May.Minus(holds.Must)
			left.Must = left.Must.Minus(holds.May)
			given = given.Minus(holds.May)
		}
	}
	return left, given
}

// verdict says where the action's criteria hold. A field that no action has may
// be a criterion under another name.
func (a *Action) verdict() Verdict {
	if hasForeignFields(a.Model) {
		return maybe(Always)
	}
	return judgeWritten(a.Criteria, a.Model.Node.Get("criteria"))
}

// judgeWritten judges criteria as they are written in a list; one that cannot be
// read leaves all open.
func judgeWritten(criteria []*Criterion, list *arazzo.Node) Verdict {
	if list != nil && (list.Kind != value.KindArray || len(list.Items) != len(criteria)) {
		return maybe(Always)
	}
	return Judge(criteria)
}

// isUnreadable tells whether it is unknown what an action does: its type is none,
// or its target is missing or not there.
func isUnreadable(a *Action) bool {
	switch a.Type() {
	case "end", "retry":
		return false
	case "goto":
		return a.Step == nil && (a.Model.StepID.Present() || !a.Model.WorkflowID.Present())
	default:
		return true
	}
}

// maxAnywhere bounds the edges of a flow that are there for actions which cannot be
// read.
const maxAnywhere = 20_000

// anything adds edges to everywhere for an action that cannot be read. Where that is
// too many, it leads to everywhere by way of a step that has such edges already.
func (b *edgeBuilder) anything(a *Action, when Verdict, success bool) {
	b.flow.Broken = true
	anywhere := b.flow.Workflow.Steps
	if hub := b.flow.hub; hub != nil && b.flow.anywhere > maxAnywhere {
		anywhere = []*Step{hub}
	}
	for _, s := range anywhere {
		b.add(&Edge{Kind: Goto, To: s, Action: a, Success: success, When: when})
	}
	b.flow.anywhere += len(anywhere)
	if b.flow.hub == nil && !when.May.IsEmpty() {
		b.flow.hub = b.step
	}
	for _, exit := range []Exit{ExitSuccess, ExitFailure} {
		b.add(&Edge{Kind: End, Exit: exit, Action: a, Success: success, When: when})
	}
}

// actionFields are the fields that actions have.
var actionFields = []string{"name", "type", "workflowId", "stepId", "parameters", "criteria", "retryAfter", "retryLimit"}

// hasForeignFields tells whether an action has fields that no action has: then
// criteria may be among them that were written under another name.
func hasForeignFields(a *arazzo.Action) bool {
	for _, m := range a.Node.Members {
		if !slices.Contains(actionFields, m.Key.Text) && !strings.HasPrefix(m.Key.Text, "x-") {
			return true
		}
	}
	return false
}

// edge gives the edge of an action but for when it is taken.
func (b *edgeBuilder) edge(a *Action) *Edge {
	e := &Edge{Action: a}
	switch a.Type() {
	case "retry":
		e.Kind, e.To = Retry, b.step
	case "goto":
		e.Kind, e.To = Goto, a.Step
		if a.Step == nil {
			e.Exit = ExitElsewhere
		}
	default:
		e.Kind, e.Exit = End, ExitFailure
		if a.Kind == "successActions" {
			e.Exit = ExitSuccess
		}
	}
	return e
}

// earlier are the actions before one in its list that end the search for one when they
// are taken, in their order.
type earlier struct {
	count  int
	always *earlierAction              // the first that has no criteria
	having map[string][]*earlierAction // by the meaning of one of their criteria, the rarest
	// decided are those that are taken for certain under outcomes for which none
	// before them is; musts are all of these outcomes.
	decided []*Action
	musts   Outcomes
}

// earlierAction is an action with its place among those that are looked at.
type earlierAction struct {
	*Action
	place int
}

// add adds an action that holds under some outcomes.
func (e *earlier) add(a *Action, holds Verdict) {
	if a.Type() == "retry" {
		return
	}
	if !e.musts.Contains(holds.Must) {
		e.decided = append(e.decided, a)
		e.musts = e.musts.Union(holds.Must)
	}
	e.count++
	switch added := (&earlierAction{a, e.count}); {
	case hasForeignFields(a.Model):
	case len(a.Criteria) > 0:
		meaning := a.Criteria[0].meaning()
		for _, c := range a.Criteria[1:] {
			if other := c.meaning(); len(e.having[other]) < len(e.having[meaning]) {
				meaning = other
			}
		}
		e.having[meaning] = append(e.having[meaning], added)
	case e.always == nil:
		e.always = added
	}
}

// shadow gives the action that is always taken where a could be: own are the outcomes
// for which a's own criteria can hold, rest those that the actions before leave it.
func (e *earlier) shadow(a *Action, own, rest Outcomes) *Action {
	if by := e.implied(a); by != nil {
		return by
	}
	if own.IsEmpty() || !rest.IsEmpty() {
		return nil
	}
	for _, other := range e.decided {
		if other.verdict().Must.Meets(own) {
			return other
		}
	}
	return nil
}

// implied gives the first action whose criteria hold wherever those of a do.
func (e *earlier) implied(a *Action) *Action {
	if hasForeignFields(a.Model) {
		return nil
	}
	first := e.always
	for _, c := range a.Criteria {
		for _, other := range e.having[c.meaning()] {
			if first != nil && first.place < other.place {
				break
			}
			if implies(a.Criteria, other.Criteria) {
				first = other
				break
			}
		}
	}
	if first == nil {
		return nil
	}
	return first.Action
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

// usesSteps tells whether the expression names an output of a step.
func usesSteps(e *expression.Expression) bool { return e.Root == expression.Steps }
