package rules

import (
	"maps"
	"slices"
	"strings"

	"github.com/weft-flow/weft/arazzo"
	"github.com/weft-flow/weft/lint"
)

// stateRules are about the states of a run, and about what a cancel leaves behind.
func stateRules() []lint.Rule {
	return []lint.Rule{
		{
			Name: "state-transitions", Layer: lint.Semantics, Severity: lint.Error,
			Summary: "A state is unknown, a move is never allowed, or a terminal state is left.",
			Why: "A move that x-weft-states does not allow changes nothing: the run keeps its old state, whatever the flow " +
				"has done since. Which states are possible at a step is found out along all ways that lead to it.",
			Avoid: "x-weft-states:\n  initial: NEW\n  terminal: [PAID]\n  transitions:\n    NEW: [PENDING]\n    PENDING: [PAID]\n# …\n- stepId: pay\n  x-weft-state: PAYED\n",
			Prefer: "x-weft-states:\n  initial: NEW\n  terminal: [PAID]\n  transitions:\n    NEW: [PENDING, PAID]\n    PENDING: [PAID]\n# …\n" +
				"steps:\n- stepId: pay\n  x-weft-state: PAID\n",
			Check: checkStates,
		},
		{
			Name: "cancel-path", Layer: lint.Semantics, Severity: lint.Hint,
			Summary: "A workflow creates something and does not say what a cancel does.",
			Why: "A cancel stops the run where it is. x-weft-on-cancel asks what became of the last request and undoes what was " +
				"made.",
			Avoid:  "workflowId: placeOrder\nsteps:\n  - stepId: createOrder\n",
			Prefer: "workflowId: placeOrder\nx-weft-on-cancel:\n  - {name: undo, type: goto, stepId: cancelOrder}\nsteps:\n  - stepId: createOrder\n",
			Check:  checkCancelPaths,
		},
	}
}

func checkCancelPaths(p *lint.Pass) {
	for _, w := range p.Workflows {
		if w.Model.Node.Get("x-weft-on-cancel") != nil {
			continue
		}
		for _, s := range w.Steps {
			if s.Creates() && answersCreated(s) {
				p.Report(lint.Finding{
					At:      lint.At(w.Model.WorkflowID.Node, w.Model.Node),
					Message: "the workflow creates something, and nothing says what a cancel does with it; x-weft-on-cancel does",
					Related: []lint.Related{lint.See(s.Model.StepID.Node, "here something is created")},
				})
				break
			}
		}
	}
}

// answersCreated tells whether a step's operation is described to answer that
// something was made, or begun.
func answersCreated(s *lint.Step) bool {
	for _, r := range lint.ResponsesUnder(s.Target.Operation, lint.Statuses(201, 202)) {
		if r.Status != "default" && !strings.EqualFold(r.Status, "2XX") {
			return true
		}
	}
	return false
}

// machine is the state machine of a run as x-weft-states has it.
type machine struct {
	model    *arazzo.States
	known    []string
	terminal map[string]bool
	next     map[string][]string
}

func newMachine(model *arazzo.States) *machine {
	m := &machine{model: model, terminal: make(map[string]bool), next: make(map[string][]string)}
	add := func(name string) {
		if name != "" && !slices.Contains(m.known, name) {
			m.known = append(m.known, name)
		}
	}
	for _, t := range model.Transitions {
		add(t.From.Value)
		for _, to := range t.To {
			add(to.Value)
			m.next[t.From.Value] = append(m.next[t.From.Value], to.Value)
		}
	}
	for _, t := range model.Terminal {
		add(t.Value)
		m.terminal[t.Value] = true
	}
	return m
}

// allows tells whether a state may become another; to stay is no move.
func (m *machine) allows(from, to string) bool {
	return from == to || !m.terminal[from] && slices.Contains(m.next[from], to)
}

func checkStates(p *lint.Pass) {
	declared := make(map[*arazzo.States]bool)
	for _, w := range p.Workflows {
		model := w.Model.States
		if model == nil {
			model = p.Model.States
		}
		if model == nil {
			checkStateless(p, w)
			continue
		}
		m := newMachine(model)
		if !declared[model] {
			declared[model] = true
			checkMachine(p, m)
		}
		known := checkKnown(p, w, m)
		// What can come of an initial state that is not there says nothing.
		if known && slices.Contains(m.known, m.model.Initial.Value) && entersOnce(p, w) {
			newStateFlow(w, m).report(p)
		}
	}
}

// movesOf gives all moves of a workflow.
func movesOf(w *lint.Workflow) []*arazzo.State {
	var all []*arazzo.State
	add := func(s *arazzo.State) {
		if s != nil && !slices.Contains(all, s) {
			all = append(all, s)
		}
	}
	for _, s := range w.Steps {
		add(s.Model.State)
		for _, a := range slices.Concat(s.OnSuccess, s.OnFailure) {
			add(a.Model.State)
		}
	}
	for _, a := range w.OnCancel {
		if a.Model != nil {
			add(a.Model.State)
		}
	}
	return all
}

// targetsOf gives the states that a move leads to, each as it is written.
func targetsOf(s *arazzo.State) []arazzo.Text {
	if s.To.Present() {
		return []arazzo.Text{s.To}
	}
	var all []arazzo.Text
	for _, entry := range s.Map {
		all = append(all, entry.Value)
	}
	return all
}

// checkStateless reports a move where no states are declared.
func checkStateless(p *lint.Pass, w *lint.Workflow) {
	if moves := movesOf(w); len(moves) > 0 {
		p.Reportf(lint.At(moves[0].Node), "the state is moved, and neither the workflow nor the document declares x-weft-states")
	}
}

// checkMachine looks at the declaration itself.
func checkMachine(p *lint.Pass, m *machine) {
	if initial := m.model.Initial; isText(initial) && !slices.Contains(m.known, initial.Value) {
		p.Reportf(lint.At(initial.Node), "no transition leaves the initial state %s%s", quote(initial.Value), p.DidYouMean(initial.Value, m.known, "states"))
	}
	for _, t := range m.model.Transitions {
		if m.terminal[t.From.Value] && len(t.To) > 0 {
			p.Reportf(lint.At(t.From.Node), "state %s is terminal: it is never left", quote(t.From.Value))
		}
	}
}

// checkKnown reports moves to states that are not there, and tells whether there
// was none.
func checkKnown(p *lint.Pass, w *lint.Workflow, m *machine) bool {
	names := m.known
	if initial := m.model.Initial.Value; initial != "" && !slices.Contains(names, initial) {
		names = append(slices.Clone(names), initial)
	}
	ok := true
	for _, s := range movesOf(w) {
		for _, to := range targetsOf(s) {
			if isText(to) && !slices.Contains(names, to.Value) {
				ok = false
				p.Reportf(lint.At(to.Node), "there is no state %s%s", quote(to.Value), p.DidYouMean(to.Value, names, "states"))
			}
		}
	}
	return ok
}

// entersOnce tells whether a workflow begins in the initial state and nothing
// outside its own steps moves the state.
func entersOnce(p *lint.Pass, w *lint.Workflow) bool {
	for _, s := range p.Steps() {
		if s.Target.Workflow() == w {
			return false
		}
	}
	for _, a := range p.Actions() {
		if a.Target.Workflow() == w || a.Model == nil {
			return false
		}
	}
	for _, s := range w.Steps {
		if callee := s.Target.Workflow(); callee != nil && len(movesOf(callee)) > 0 {
			return false
		}
	}
	return !w.Flow().Broken && len(w.Model.DependsOn) == 0
}

// stateFlow follows the states that are possible at each step.
type stateFlow struct {
	*machine
	flow *lint.Flow
	at   map[*lint.Step]map[string]bool
}

func newStateFlow(w *lint.Workflow, m *machine) *stateFlow {
	f := &stateFlow{machine: m, flow: w.Flow(), at: make(map[*lint.Step]map[string]bool)}
	f.enter(f.flow.Start(), map[string]bool{m.model.Initial.Value: true})
	for _, e := range f.flow.Cancel {
		f.enter(e.To, f.after(f.anywhere(), e.Action.Model.State))
	}
	return f
}

// anywhere gives the states that are possible at any time.
func (f *stateFlow) anywhere() map[string]bool {
	all := make(map[string]bool)
	for s, states := range f.at {
		maps.Copy(all, states)
		for _, e := range f.flow.Edges(s) {
			maps.Copy(all, f.along(e))
		}
	}
	return all
}

// enter adds states that are possible when a step begins, and follows them.
func (f *stateFlow) enter(s *lint.Step, states map[string]bool) {
	type arrival struct {
		step   *lint.Step
		states map[string]bool
	}
	for open := []arrival{{s, states}}; len(open) > 0; {
		a := open[len(open)-1]
		open = open[:len(open)-1]
		if a.step == nil || !f.add(a.step, a.states) {
			continue
		}
		if helped := f.helpers(a.step); len(helped) > 0 {
			for _, helper := range helped {
				open = append(open, arrival{helper, f.at[a.step]}, arrival{a.step, f.after(f.at[helper], helper.Model.State)})
			}
		}
		for _, e := range f.flow.Edges(a.step) {
			open = append(open, arrival{e.To, f.along(e)})
		}
	}
}

// helpers gives the steps that retries of a step run.
func (f *stateFlow) helpers(s *lint.Step) []*lint.Step {
	var all []*lint.Step
	for _, e := range f.flow.Edges(s) {
		if h := e.Helper(); h != nil {
			all = append(all, h)
		}
	}
	return all
}

func (f *stateFlow) add(s *lint.Step, states map[string]bool) (grown bool) {
	if f.at[s] == nil {
		f.at[s] = make(map[string]bool)
	}
	for state := range states {
		grown = grown || !f.at[s][state]
		f.at[s][state] = true
	}
	return grown
}

// along gives the states that are possible when an edge is taken.
func (f *stateFlow) along(e *lint.Edge) map[string]bool {
	states := f.at[e.From]
	if e.Success {
		states = f.after(states, e.From.Model.State)
	}
	if e.Action != nil {
		states = f.after(states, e.Action.Model.State)
	}
	return states
}

// after gives the states that are possible after a move.
func (f *stateFlow) after(states map[string]bool, s *arazzo.State) map[string]bool {
	if s == nil {
		return states
	}
	moved := make(map[string]bool)
	for from := range states {
		stays := !s.To.Present() // the value may be none of the map
		for _, to := range targetsOf(s) {
			if f.allows(from, to.Value) {
				moved[to.Value] = true
			} else if s.To.Present() {
				stays = true
			}
		}
		if stays {
			moved[from] = true
		}
	}
	return moved
}

// report tells the moves that are never allowed where they are made.
func (f *stateFlow) report(p *lint.Pass) {
	before := make(map[*arazzo.State]map[string]bool)
	var order []*arazzo.State
	note := func(s *arazzo.State, states map[string]bool) {
		if s == nil || len(states) == 0 {
			return
		}
		if before[s] == nil {
			before[s] = make(map[string]bool)
			order = append(order, s)
		}
		for state := range states {
			before[s][state] = true
		}
	}
	for _, s := range f.flow.Order {
		for _, e := range f.flow.Edges(s) {
			states := f.at[s]
			if e.Success {
				note(s.Model.State, states)
				states = f.after(states, s.Model.State)
			}
			if e.Action != nil {
				note(e.Action.Model.State, states)
			}
		}
	}
	for _, s := range order {
		f.judge(p, s, before[s])
	}
}

func (f *stateFlow) judge(p *lint.Pass, s *arazzo.State, states map[string]bool) {
	var from []string
	ended := true
	for state := range states {
		from = append(from, state)
		ended = ended && f.terminal[state]
		for _, to := range targetsOf(s) {
			if f.allows(state, to.Value) {
				return
			}
		}
	}
	slices.Sort(from)
	var to []string
	for _, t := range targetsOf(s) {
		if !slices.Contains(to, t.Value) {
			to = append(to, t.Value)
		}
	}
	if len(to) == 0 {
		return
	}
	why := "which no transition allows"
	if ended {
		why = "which is terminal and never left"
	}
	p.Reportf(lint.At(s.Node), "the move to %s is never made: the state here is %s, %s", strings.Join(to, " or "), strings.Join(from, " or "), why)
}
