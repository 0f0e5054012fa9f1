package contract

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/weft-flow/weft/arazzo"
	"github.com/weft-flow/weft/arazzo/source"
	"github.com/weft-flow/weft/executor"
)

// Report is what a test of a document found.
type Report struct {
	Document  string // file
	Seed      uint64
	Runs      int
	Elapsed   time.Duration
	Workflows []WorkflowReport
	// Unfired tells which of the faults that were given fired in no workflow, and why.
	Unfired []string
}

// WorkflowReport is what the test of one workflow found.
type WorkflowReport struct {
	ID string
	// Refused tells why it cannot be run; then nothing was tested.
	Refused []string
	Runs    int
	Elapsed time.Duration // in runs
	// Plain is how the run without any fault or choice ended, and why.
	Plain       executor.Status
	PlainReason string
	Coverage    Coverage
	Unreached   []Unreached
	// Undone is how many runs were planned and not made: the time or the number of runs was
	// used up.
	Undone int
	// Notes are what a person should know of steps beside failures.
	Notes    []string
	Failures []Failure
}

// Coverage counts what happened in at least one run.
type Coverage struct {
	Steps   Count
	Actions Count
	// Criteria counts each twice: that it passes, and that it fails.
	Criteria Count
	// Faults are single ones, one at a time; those count that fired.
	Faults Count
	Pairs  int // of faults, both of which fired
}

// Count counts some of many.
type Count struct{ Covered, Total int }

// Unreached is something that no run brought about.
type Unreached struct {
	Kind string // step, action, criterion or fault
	Step string
	Name string // of the action, the criterion or the fault
	// Outcome says of a criterion how it never turned out: passes or fails.
	Outcome string
	Why     string
	Place   executor.Place
}

// Failure is a check that did not hold in some run.
type Failure struct {
	Check   Check
	Step    string // empty: it is of no step
	Message string
	Place   executor.Place // the zero Place: it is of none
	// Seed names the shortest run in which it did not hold.
	Seed uint64
	// Runs is in how many runs it did not hold.
	Runs int
	// Conditions are what that run needs: the answers that are chosen, and the faults.
	Conditions []string
	Status     executor.Status // how the run ended
	// Story tells the run.
	Story string
}

// Failed tells whether anything is wrong with the workflows.
func (r Report) Failed() bool {
	return len(r.Unfired) > 0 || slices.ContainsFunc(r.Workflows, func(w WorkflowReport) bool { return len(w.Failures) > 0 })
}

// Refused tells whether a workflow cannot be run.
func (r Report) Refused() bool {
	return slices.ContainsFunc(r.Workflows, func(w WorkflowReport) bool { return len(w.Refused) > 0 })
}

func (r *Report) tellUnfired(unfired map[int]error) {
	for _, i := range slices.Sorted(maps.Keys(unfired)) {
		if err := unfired[i]; err != nil {
			r.Unfired = append(r.Unfired, err.Error())
		}
	}
}

func selectWorkflows(set *source.Set, ids []string) ([]*arazzo.Workflow, error) {
	if len(ids) == 0 {
		return set.Document.Workflows, nil
	}
	var selected []*arazzo.Workflow
	for _, id := range ids {
		w := set.Document.Workflow(id)
		if w == nil {
			return nil, fmt.Errorf("%w: %q; the document has %s", ErrNoWorkflow, id, listed(workflowIDs(set.Document)))
		}
		selected = append(selected, w)
	}
	return selected, nil
}

func workflowIDs(doc *arazzo.Document) []string {
	ids := make([]string, len(doc.Workflows))
	for i, w := range doc.Workflows {
		ids[i] = w.WorkflowID.Value
	}
	return ids
}

func refusedWorkflow(w *arazzo.Workflow, err error) WorkflowReport {
	out := WorkflowReport{ID: w.WorkflowID.Value}
	var refused *RefusedError
	if errors.As(err, &refused) {
		for _, r := range refused.Refusals {
			out.Refused = append(out.Refused, r.Error())
		}
		return out
	}
	out.Refused = []string{err.Error()}
	return out
}

// report tells what was found.
func (x *explorer) report(ctx context.Context) (WorkflowReport, error) {
	s := x.subject
	plain := x.kept[0].result
	out := WorkflowReport{
		ID: s.id, Runs: x.runs, Elapsed: x.elapsed, Plain: plain.Status, PlainReason: s.conceal(plain.Reason),
		Coverage: Coverage{
			Steps: x.goalsOf(stepGoal), Actions: x.goalsOf(actionGoal), Criteria: x.goalsOf(criterionGoal),
			Faults: x.faults.Count, Pairs: x.pairs,
		},
		Undone: x.undone, Unreached: x.unreached(),
	}
	for _, g := range s.goals {
		if note := x.notes[g.id]; note != "" && g.kind == stepGoal {
			out.Notes = append(out.Notes, s.conceal(fmt.Sprintf("step %s: %s", g.id.step, note)))
		}
	}
	if x.undone > 0 {
		out.Notes = append(out.Notes, fmt.Sprintf("the test was cut off after %s and %d runs: %d runs that were planned were not made", x.elapsed.Round(time.Second), x.runs, x.undone))
	}
	if note := x.judgePlain(); note != "" {
		out.Notes = append(out.Notes, s.conceal(note))
	}
	sortFailures(x.failures)
	for _, f := range x.failures {
		story, err := x.subject.story(ctx, f.played.script)
		if err != nil {
			return out, err
		}
		out.Failures = append(out.Failures, Failure{
			Check: f.check, Step: f.id.step, Message: s.conceal(f.message), Place: f.place, Seed: f.played.script.seed(s.id), Runs: f.count,
			Conditions: s.concealAll(f.played.script.conditions()), Status: f.played.result.Status, Story: s.conceal(story),
		})
	}
	return out, nil
}

// unreached tells what no run brought about, and why.
func (x *explorer) unreached() []Unreached {
	var all []Unreached
	reached := map[stepID]bool{}
	for _, g := range x.subject.goals {
		if g.kind == stepGoal {
			reached[g.id] = g.covered
		}
	}
	for _, g := range x.subject.goals {
		if g.covered || g.kind != stepGoal && g.id.step != "" && !reached[g.id] {
			continue
		}
		u := Unreached{Step: g.id.step, Name: g.name, Why: x.subject.conceal(x.why(g)), Place: executor.Place{File: x.subject.fileOf(g.id), Span: g.span, Pointer: g.pointer}}
		switch g.kind {
		case stepGoal:
			u.Kind = "step"
		case actionGoal:
			u.Kind = "action"
		case criterionGoal:
			u.Kind, u.Outcome = "criterion", "fails"
			if g.passed {
				u.Outcome = "passes"
			}
		}
		all = append(all, u)
	}
	for _, id := range slices.SortedFunc(maps.Keys(x.elsewhere), compareSteps) {
		place := x.elsewhere[id]
		all = append(all, Unreached{
			Kind: "step", Step: id.step, Place: place,
			Why: fmt.Sprintf("it is carried out, and its actions are not looked at: another workflow has the name of %s of %s; test that document too", id.workflow, filepath.Base(place.File)),
		})
	}
	for _, m := range x.faults.missed {
		all = append(all, Unreached{Kind: "fault", Name: m.fault.String(), Why: m.why})
	}
	return all
}

func compareSteps(a, b stepID) int {
	return cmp.Or(cmp.Compare(a.workflow, b.workflow), cmp.Compare(a.step, b.step))
}

// why says why nothing led to a goal.
func (x *explorer) why(g *goal) string {
	reason, withheld := x.withheld[g.id]
	model := x.subject.steps[g.id]
	switch {
	case g.foreign != "":
		return "only an answer that the description does not allow leads there: " + g.foreign
	case model == nil:
		return "no cancel that was tried leads to it"
	case g.kind == actionGoal && withheld:
		return "the retry is withheld: " + reason
	case g.kind == stepGoal:
		return "no answer that was tried leads to it"
	case g.kind == criterionGoal && model.beyond(g.pointer) != "":
		return "no answer is made up for " + model.beyond(g.pointer)
	case model.receives && !x.received[g.id]:
		return "the mock has sent no message for it: the description says with x-weft-sends after which request it is sent"
	case model.operation == nil && model.model.Action.Value == "receive":
		return "it waits on a channel of AsyncAPI that cannot be played: no message comes"
	case model.operation == nil && !model.model.WorkflowID.Present():
		return "no answers are made up for what it calls"
	default:
		return "no answer that was tried makes it so"
	}
}

// conditions tells what a script needs, one line each.
func (s script) conditions() []string {
	var all []string
	for _, c := range s.choices {
		all = append(all, c.explain())
	}
	for i := 0; i < len(s.faults); i++ {
		first := s.faults[i]
		for i+1 < len(s.faults) && follows(s.faults[i+1], s.faults[i]) {
			i++
		}
		all = append(all, explain(first, s.faults[i].Occurrence))
	}
	if s.cancel.attempt != "" {
		all = append(all, s.cancel.explain())
	}
	return all
}

// explain tells a choice to a person.
func (c choice) explain() string {
	which := whichOf(c.attempt)
	verb := "is answered"
	if c.answer.answer.Status == 0 {
		verb = "gets"
	}
	line := fmt.Sprintf("step %s%s %s %s", idOf(c.attempt).step, which, verb, c.answer)
	if c.always {
		line += ", and so whenever it is done again"
	}
	return line
}

// whichOf tells which attempt of a step one is; empty: the first.
func whichOf(attempt string) string {
	_, number, ok := strings.Cut(attempt[len(stepKey(attempt)):], "#")
	if !ok || number == "1/1" {
		return ""
	}
	activation, nth, _ := strings.Cut(number, "/")
	return fmt.Sprintf(", in its activation %s at attempt %s,", activation, nth)
}
