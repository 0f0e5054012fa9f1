package contract

import (
	"fmt"

	"github.com/weft-flow/weft/executor"
)

// judgePlain looks at the run in which nothing goes wrong. That it does not succeed is
// told in a note, as the mock may only not answer as the workflow needs it; that no run at
// all succeeds is a failure, unless nothing is made up for what the workflow waits for. It
// gives the note; empty: there is none.
func (x *explorer) judgePlain() string {
	p := x.kept[0]
	if status := p.result.Status; status == executor.Succeeded || status == executor.Recovered {
		return ""
	}
	why := p.result.Reason
	if p.watch.lastReason != "" {
		why = p.watch.lastReason
	}
	switch {
	case x.succeeds || len(x.failures) > 0:
		return fmt.Sprintf("the plain run ended %s: %s", p.result.Status, why)
	case x.unanswerable():
		return fmt.Sprintf("no run succeeded, and nothing is made up for what it needs; the plain run ended %s: %s", p.result.Status, why)
	}
	x.fail(problem{check: NeverSucceeds, id: p.watch.lastFailed, message: fmt.Sprintf("no run succeeds; where nothing goes wrong it ends %s: %s", p.result.Status, why)}, p)
	return ""
}

// unanswerable tells whether the workflow has a step for which no answers are made up: one
// on an AsyncAPI channel, or one that is judged, in a way that no run has met, by what
// nothing is made up for.
func (x *explorer) unanswerable() bool {
	for _, g := range x.subject.goals {
		m := x.subject.steps[g.id]
		if g.kind == criterionGoal && g.passed && !g.covered && m != nil && m.beyond(g.pointer) != "" {
			return true
		}
		if g.kind == stepGoal && m != nil && m.operation == nil && !m.model.WorkflowID.Present() {
			return true
		}
	}
	return false
}
