package executor

import (
	"fmt"
	"maps"
	"slices"

	"github.com/weft-flow/weft/arazzo"
	"github.com/weft-flow/weft/arazzo/dynamic"
	"github.com/weft-flow/weft/arazzo/expression"
	"github.com/weft-flow/weft/arazzo/value"
)

// states is the compiled state machine of a document or workflow (x-weft-states).
type states struct {
	initial  string
	terminal map[string]bool
	after    map[string][]string // the states that may follow one
}

// stateRule says to which state a step that succeeded, or an action that is
// taken, moves the run (x-weft-state).
type stateRule struct {
	place Place
	to    string         // fixed; empty: by value
	value *dynamic.Value // of the expression that the map is asked for
	names map[string]string
}

// machine is a state machine in a run: the state of the business, which moves only
// where the document allows it.
type machine struct {
	*states
	path string // the call path of the workflow that began it
	now  string
}

func compileStates(model *arazzo.States) *states {
	if model == nil {
		return nil
	}
	s := &states{initial: model.Initial.Value, terminal: map[string]bool{}, after: map[string][]string{}}
	for _, t := range model.Terminal {
		s.terminal[t.Value] = true
	}
	for _, t := range model.Transitions {
		for _, to := range t.To {
			s.after[t.From.Value] = append(s.after[t.From.Value], to.Value)
		}
	}
	return s
}

func (c *compiler) compileState(w *workflow, model *arazzo.State, names *expression.Names) *stateRule {
	if model == nil {
		return nil
	}
	rule := &stateRule{place: placeOf(w.set, model.Node), to: model.To.Value}
	if !model.Value.Present() {
		c.checkState(w, model.To)
		return rule
	}
	v, faults := dynamic.CompileValue(model.Value.Node, w.set.Document.Version, names)
	c.faults(w.set, faults, false)
	rule.value, rule.names = v, map[string]string{}
	if len(model.Map) == 0 {
		c.refuse(w.set, model.Node, "x-weft-state: the map is empty: no value could move the state")
	}
	for _, m := range model.Map {
		c.checkState(w, m.Value)
		rule.names[m.Name.Value] = m.Value.Value
	}
	return rule
}

// checkState refuses a state that no state machine of the document has. One that
// belongs to the document of a caller cannot be known here.
func (c *compiler) checkState(w *workflow, state arazzo.Text) {
	known := map[string]bool{}
	machines := []*arazzo.States{w.set.Document.States}
	for _, other := range w.set.Document.Workflows {
		machines = append(machines, other.States)
	}
	for _, m := range machines {
		if m == nil {
			continue
		}
		known[m.Initial.Value] = true
		for _, t := range m.Terminal {
			known[t.Value] = true
		}
		for _, t := range m.Transitions {
			known[t.From.Value] = true
			for _, to := range t.To {
				known[to.Value] = true
			}
		}
	}
	if len(known) > 0 && !known[state.Value] {
		c.refuse(w.set, state.Node, "x-weft-state: there is no state %q; there are %s", state.Value, quotedList(slices.Sorted(maps.Keys(known))))
	}
}

// machineFor gives the machine that a workflow's moves go to: one of its own where
// it declares states, else that of the workflow around it, else that of the document.
func (w *workflow) machineFor(around *machine, path string) *machine {
	switch {
	case w.states != nil:
		return &machine{states: w.states, path: path, now: w.states.initial}
	case around != nil:
		return around
	case w.documentStates != nil:
		return &machine{states: w.documentStates, path: path, now: w.documentStates.initial}
	default:
		return nil
	}
}

// move moves the run by a rule of the step or of one of its actions.
func (a *activation) move(rule *stateRule, cause string) error {
	return a.frame.moveBy(at{frame: a.frame, step: a}, rule, cause)
}

// moveBy moves the run by a rule. What is not allowed changes nothing and is told.
func (f *frame) moveBy(where at, rule *stateRule, cause string) error {
	m, r := f.machine, f.run
	if rule == nil || m == nil {
		return nil
	}
	where.place = rule.place
	to, reason := rule.target(f)
	if reason == "" {
		reason = m.refuses(to)
	}
	if reason == "" && to == m.now {
		return nil
	}
	if reason == "" {
		moved, err := r.runtime.Move(r.ctx, Move{Run: r.id, Name: where.moveName(cause), Workflow: m.path, From: m.now, To: to, Cause: cause})
		if err != nil {
			return fmt.Errorf("move the state: %w", err)
		}
		r.advance(moved.Time)
		if moved.Done {
			r.emitter.emit(where, StateMoved{From: m.now, To: to, Cause: cause})
			m.now = to
			return nil
		}
		reason, m.now = "it had become "+moved.State+" meanwhile", moved.State
	}
	r.emitter.emit(where, StateRefused{State: m.now, To: to, Cause: cause, Reason: reason})
	return nil
}

// moveName is the stable name of a move: no attempt makes two from one cause.
func (w at) moveName(cause string) string {
	stem := w.frame.path
	if w.step != nil {
		stem = attemptName(w.step.name, w.step.attempt)
	}
	return stem + "/move/" + value.EscapeToken(cause)
}

// target gives the state that a rule names; the reason tells why it names none.
func (r *stateRule) target(scope expression.Scope) (to, reason string) {
	if r.value == nil {
		return r.to, ""
	}
	v, err := r.value.Eval(scope)
	switch {
	case err != nil:
		return "", err.Error()
	case v.IsNothing() || !v.IsScalar():
		return "", fmt.Sprintf("%s is %s", r.value, v.Kind())
	}
	to, known := r.names[v.Text()]
	if !known {
		return "", fmt.Sprintf("%s is %s, which the map does not name", r.value, v)
	}
	return to, ""
}

// refuses tells why the machine does not move to a state; empty where it may.
func (m *machine) refuses(to string) string {
	switch {
	case to == m.now:
		return ""
	case m.terminal[m.now]:
		return m.now + " is terminal"
	case !slices.Contains(m.after[m.now], to):
		return fmt.Sprintf("%s must not follow %s; what may is %s", to, m.now, quotedList(m.after[m.now]))
	default:
		return ""
	}
}

// state gives the state of the business; empty where the document declares none.
func (m *machine) state() string {
	if m == nil {
		return ""
	}
	return m.now
}
