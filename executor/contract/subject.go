package contract

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/weft-flow/weft/arazzo"
	"github.com/weft-flow/weft/arazzo/check"
	"github.com/weft-flow/weft/arazzo/source"
	"github.com/weft-flow/weft/arazzo/value"
	"github.com/weft-flow/weft/executor"
	"github.com/weft-flow/weft/executor/mock"
	"github.com/weft-flow/weft/executor/sim"
)

// subject is one workflow under test.
type subject struct {
	id        string
	set       *source.Set
	sources   []mock.Source // as they are played
	plan      *executor.Plan
	told      *executor.Plan // the same, and all that it sends and gets is held against its description
	inputs    value.Value
	stage     *sim.Stage
	apis      *mock.APIs
	checker   *check.Checker
	checked   *checkedAnswers
	standings *standings
	leads     leads
	steps     map[stepID]*stepModel
	terminal  map[string]bool
	common    map[string]bool // texts that tie no two requests together

	maxSteps int
	timeout  time.Duration // of a run
	secrets  []string      // that the report must not show

	goals     []*goal
	goalIndex map[goalKey]int
}

// goalKind is what is to be covered.
type goalKind uint8

const (
	stepGoal goalKind = iota
	actionGoal
	criterionGoal
)

// goalKey names one thing that is to happen in some run.
type goalKey struct {
	kind    goalKind
	id      stepID
	pointer string // of an action or criterion
	passed  bool   // of a criterion: how it is to turn out
}

// goal is one thing that is to happen, and whether it did.
type goal struct {
	goalKey
	name    string // of an action; of a criterion its condition
	span    arazzo.Span
	covered bool
	// foreign tells what answer brought it about that the description does not allow;
	// empty: it was not needed.
	foreign string
}

// RefusedError tells that a workflow cannot be run, and why.
type RefusedError struct {
	Workflow string
	Refusals []executor.Refusal
}

// Error lists the reasons.
func (e *RefusedError) Error() string {
	texts := make([]string, len(e.Refusals))
	for i, r := range e.Refusals {
		texts[i] = r.Error()
	}
	return strings.Join(texts, "\n")
}

// troupe is what the workflows of one document share.
type troupe struct {
	set       *source.Set
	sources   []mock.Source
	stage     *sim.Stage
	apis      *mock.APIs
	checker   *check.Checker
	steps     map[stepID]*stepModel
	standings *standings
}

func newTroupe(set *source.Set, config executor.Config) *troupe {
	sources := sim.Sources(set, config)
	apis := mock.Prepare(sources)
	t := &troupe{
		set: set, sources: sources, stage: sim.NewStageOf(sources), apis: apis, checker: &check.Checker{}, steps: readSteps(set, sources), standings: newStandings(apis, sources),
	}
	t.standings.findUncaused(t.steps)
	return t
}

// subject prepares one workflow. The error is a *RefusedError, or one about the inputs.
func (t *troupe) subject(w *arazzo.Workflow, o Options) (*subject, error) {
	id := w.WorkflowID.Value
	s := &subject{
		id: id, set: t.set, sources: t.sources, stage: t.stage, apis: t.apis, checker: t.checker, checked: &checkedAnswers{checker: t.checker}, steps: t.steps,
		standings: t.standings, terminal: terminalStates(t.set.Document, w),
	}
	config := o.Config
	config.Servers = t.stage.Servers()
	if config.MaxSteps == 0 {
		config.MaxSteps = DefaultMaxSteps
	}
	s.maxSteps, s.timeout = config.MaxSteps, cmp.Or(config.Timeout, executor.DefaultTimeout)
	var refusals []executor.Refusal
	if s.told, refusals = executor.Compile(t.set, []string{id}, config); len(refusals) > 0 {
		return nil, &RefusedError{id, refusals}
	}
	// The watcher checks answers itself, and each but once.
	config.Contract = executor.ContractOff
	if s.plan, refusals = executor.Compile(t.set, []string{id}, config); len(refusals) > 0 {
		return nil, &RefusedError{id, refusals}
	}
	s.inputs = mergeInputs(sampleInputs(t.set.Document, w), o.Inputs)
	if err := s.plan.CheckInputs(s.inputs); err != nil {
		return nil, fmt.Errorf("workflow %s: %w", id, err)
	}
	s.common = commonTexts(s.steps, t.set.Document, w, s.inputs)
	s.secrets = append(slices.Clone(o.Secrets), passwordsIn(t.set.Document, w, o.Inputs)...)
	s.listGoals()
	return s, nil
}

// mergeInputs puts what was given in the place of what was made up.
func mergeInputs(made, given value.Value) value.Value {
	return value.Object(slices.Concat(made.Members(), given.Members())...)
}

func terminalStates(doc *arazzo.Document, w *arazzo.Workflow) map[string]bool {
	states := w.States
	if states == nil {
		states = doc.States
	}
	if states == nil {
		return nil
	}
	terminal := map[string]bool{}
	for _, t := range states.Terminal {
		terminal[t.Value] = true
	}
	return terminal
}

// listGoals lists what is to be covered: of the steps that a run of the plan may come
// to, in the order of the document.
func (s *subject) listGoals() {
	s.goalIndex = map[goalKey]int{}
	add := func(g goal) {
		if _, known := s.goalIndex[g.goalKey]; known {
			return
		}
		s.goalIndex[g.goalKey] = len(s.goals)
		s.goals = append(s.goals, &g)
	}
	var all []*stepModel
	var workflows []string
	for _, info := range s.plan.Steps() {
		if m := s.steps[stepID{info.Workflow, info.ID}]; m != nil && m.set == s.set {
			s.addCancelGoals(info.Workflow, add)
			all = append(all, m)
		}
		if !slices.Contains(workflows, info.Workflow) {
			workflows = append(workflows, info.Workflow)
		}
	}
	for _, m := range append(all, s.calledElsewhere(workflows)...) {
		add(goal{goalKey: goalKey{kind: stepGoal, id: m.stepID}, span: m.model.Node.Span})
		criteria := func(all []*criterionModel) {
			for _, c := range all {
				for _, passed := range []bool{true, false} {
					add(goal{
						goalKey: goalKey{kind: criterionGoal, id: m.stepID, pointer: c.pointer, passed: passed},
						name:    strings.Join(strings.Fields(c.model.Condition.Value), " "), span: c.model.Node.Span,
					})
				}
			}
		}
		criteria(m.success)
		for _, a := range m.actions {
			add(goal{goalKey: goalKey{kind: actionGoal, id: m.stepID, pointer: a.pointer}, name: a.name, span: a.span})
			criteria(a.criteria)
		}
	}
}

// addCancelGoals adds the actions that a workflow takes when its run is cancelled.
func (s *subject) addCancelGoals(workflow string, add func(goal)) {
	w := s.set.Document.Workflow(workflow)
	if w == nil {
		return
	}
	for _, a := range w.OnCancel {
		model, err := s.set.Document.ResolveAction(a, arazzo.KindFailureActions)
		if err != nil {
			continue
		}
		add(goal{
			goalKey: goalKey{kind: actionGoal, id: stepID{workflow: workflow}, pointer: a.Node.Pointer()},
			name:    model.Name.Value, span: a.Node.Span,
		})
	}
}

// fileOf gives the file that a step is of.
func (s *subject) fileOf(id stepID) string {
	if m := s.steps[id]; m != nil {
		return m.set.Document.File
	}
	return s.set.Document.File
}

// isMarked tells whether to repeat a step does no harm.
func (s *subject) isMarked(id stepID) bool {
	m := s.steps[id]
	return m != nil && m.marked
}
