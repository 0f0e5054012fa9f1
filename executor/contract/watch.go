package contract

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/weft-flow/weft/arazzo/value"
	"github.com/weft-flow/weft/executor"
	"github.com/weft-flow/weft/executor/mock"
	"github.com/weft-flow/weft/idempotency"
)

// problem is what a check found in one run.
type problem struct {
	check   Check
	id      stepID // empty: it is of no step
	message string
	place   executor.Place
}

// watcher follows the events of one run, and finds in it what must not be.
type watcher struct {
	subject  *subject
	player   *player
	covered  []bool // by the number of the goal
	withheld map[stepID]string
	// elsewhere are steps of other documents that were carried out.
	elsewhere map[stepID]executor.Place
	notes     map[stepID]string // what a person should know of steps
	problems  []problem
	unfired   []error
	planned   []mock.PlannedFault // where some did not fire
	outputs   map[stepID]value.Value

	sent     []sentRequest
	keys     map[string]string // by step: what the key of its first attempt was made of
	finished map[stepID]int    // how often a step has ended
	received []time.Time       // when messages were judged and found to be bad news
	open     []openOutcome
	ended    []executor.WorkflowFinished
	attempts int  // of the step now
	hasSent  bool // the step now has made a request
	// bears is the header of the key that the last request bore; empty: it bore none.
	bears string
	// lastReason tells why the last step that failed has failed.
	lastReason string
	lastFailed stepID
	waited     map[stepID]executor.MessageAwaited
	strays     []executor.MessageSetAside
	undecided  decisions
}

// sameThing tells whether two requests of steps are about the same thing: by what they
// are made from where one workflow made them, else by what is in them.
func (w *watcher) sameThing(stepA string, a sentRequest, stepB string, b sentRequest) bool {
	if a.id.workflow == b.id.workflow && strings.TrimSuffix(stepA, a.id.step) == strings.TrimSuffix(stepB, b.id.step) && w.subject.related(a.id, b.id) {
		return true
	}
	return w.shares(a.sent, b.sent)
}

// sentRequest is an effectful request that left.
type sentRequest struct {
	id    stepID
	sent  executor.Sent
	place executor.Place
}

// openOutcome is an operation whose outcome nobody knew at a time.
type openOutcome struct {
	sentRequest
	step string // call path and step
	// acted is the first effectful request of another step after it.
	acted *sentRequest
	// answered is the step that was told how it ended, and failed for it.
	answered *stepID
	// relied tells that it was acted on what was answered.
	relied bool
}

func newWatcher(s *subject, p *player) *watcher {
	w := &watcher{
		subject: s, player: p, covered: make([]bool, len(s.goals)),
		outputs: map[stepID]value.Value{}, keys: map[string]string{},
	}
	w.undecided.watcher = w
	p.in = w.situation
	return w
}

// Write takes an event (executor.Sink).
func (w *watcher) Write(e executor.Event) error {
	id := stepID{workflowOf(e.Workflow), e.Step}
	switch d := e.Detail.(type) {
	case executor.StepStarted:
		w.attempts, w.hasSent = 0, false
		w.callsWithout(id, e)
		w.cover(e, goalKey{kind: stepGoal, id: id})
	case executor.CriterionEvaluated:
		w.cover(e, goalKey{kind: criterionGoal, id: id, pointer: e.Place.Pointer, passed: d.Passed})
	case executor.ActionChosen:
		w.cover(e, goalKey{kind: actionGoal, id: id, pointer: e.Place.Pointer})
		w.undecided.action = wayOf(d)
	case executor.RetryScheduled:
		w.attempts++
		w.cover(e, goalKey{kind: actionGoal, id: id, pointer: e.Place.Pointer})
	case executor.RetryWithheld:
		w.retryWithheld(id, e, d)
	case executor.RequestPrepared:
		w.hasSent, w.bears = true, d.KeyHeader
		w.prepared(id, e, d)
	case executor.AttemptFinished:
		w.attempted(id, e, d)
	case executor.StepFinished:
		w.stepFinished(id, e, d)
		w.undecided.finished(id, e, d)
	case executor.StateRefused:
		w.refused(id, e, d)
	case executor.MessageAwaited:
		if w.waited == nil {
			w.waited = map[stepID]executor.MessageAwaited{}
		}
		w.waited[id] = d
	case executor.MessageReceived:
		delete(w.waited, id)
	case executor.MessageSetAside:
		w.strays = append(w.strays, d)
	case executor.WorkflowFinished:
		w.workflowFinished(e, d)
	}
	return nil
}

// cover notes that something happened, where it is of the document under test or of one that
// it builds on: of two that have names in common only one is looked at.
func (w *watcher) cover(e executor.Event, key goalKey) {
	if file := e.Place.File; file != w.subject.set.Document.File {
		if n, ok := w.subject.goalIndex[key]; ok && w.subject.fileOf(key.id) == file {
			w.covered[n] = true
		} else if key.kind == stepGoal {
			if w.elsewhere == nil {
				w.elsewhere = map[stepID]executor.Place{}
			}
			w.elsewhere[key.id] = e.Place
		}
		return
	}
	if n, ok := w.subject.goalIndex[key]; ok {
		w.covered[n] = true
	}
}

// found notes a problem; of several with one check at one step the first.
func (w *watcher) found(check Check, id stepID, place executor.Place, format string, args ...any) {
	if slices.ContainsFunc(w.problems, func(p problem) bool { return p.check == check && p.id == id }) {
		return
	}
	w.problems = append(w.problems, problem{check: check, id: id, place: place, message: fmt.Sprintf(format, args...)})
}

func (w *watcher) isOpen(step string) bool {
	for _, o := range w.open {
		if o.step == step {
			return true
		}
	}
	return false
}

// attempted follows what is known of effects.
func (w *watcher) attempted(id stepID, e executor.Event, d executor.AttemptFinished) {
	calls := w.player.calls
	if len(calls) == 0 {
		return
	}
	call := calls[len(calls)-1]
	w.checkAnswer(id, e, call, d)
	w.undecided.attempted(id, e, call, d)
	if d.Attempt == idempotency.NotSent || w.onlyReads(id, call) {
		return
	}
	one := sentRequest{id: id, sent: d.Sent, place: e.Place}
	at := e.Workflow + "/" + e.Step
	for i := range w.open {
		o := &w.open[i]
		again := o.id == id && sameRequest(o.sent, one.sent) // a workflow was called once more, and does the same work
		if o.step == at || again || o.acted != nil || !w.sameThing(o.step, o.sentRequest, at, one) {
			continue
		}
		if o.acted = &one; o.answered != nil {
			o.relied = true
		}
	}
	if !call.effect {
		return
	}
	w.sent = append(w.sent, one)
	if d.Operation == idempotency.Unknown && !w.isOpen(at) {
		w.open = append(w.open, openOutcome{sentRequest: one, step: at})
	}
}

// onlyReads tells whether a call changes nothing, or nothing that matters.
func (w *watcher) onlyReads(id stepID, call *seen) bool {
	switch call.operation.Method {
	case http.MethodGet, http.MethodHead, http.MethodOptions, http.MethodTrace, "QUERY":
		return !call.effect
	}
	return !call.effect && w.subject.isMarked(id)
}

func (w *watcher) stepFinished(id stepID, e executor.Event, d executor.StepFinished) {
	if w.finished == nil {
		w.finished = map[stepID]int{}
	}
	w.finished[id]++
	if why := d.Reason; !d.Succeeded && why != "" {
		w.lastReason, w.lastFailed = fmt.Sprintf("step %q: %s", id.step, why), id
	}
	if d.Succeeded {
		w.outputs[id] = d.Outputs
	}
	if calls := w.player.calls; len(calls) > 0 {
		last := calls[len(calls)-1]
		if last.got && last.id == id && (!d.Succeeded || last.says == decidedBadly) {
			w.received = append(w.received, e.Time)
		}
	}
	if d.Succeeded {
		return
	}
	if awaited, waits := w.waited[id]; waits && awaited.For > w.subject.timeout*9/10 {
		w.found(NoEnd, id, e.Place, "step %s waits %v for a message that may be lost: it has no timeout, and only the time limit of the run ends it", id.step, awaited.For.Round(time.Second))
	}
	w.neverMade(id, e, d.Reason)
}

// neverMade finds steps that could not be carried out for want of an output. Of a step
// that has succeeded what is missing may rightly be missing.
func (w *watcher) neverMade(id stepID, e executor.Event, reason string) {
	m := w.subject.steps[id]
	if m == nil || w.hasSent {
		return
	}
	for _, n := range m.needs {
		if strings.Contains(reason, n.source) && w.outputs[stepID{id.workflow, n.step}].IsAbsent() {
			w.found(NeverCame, id, e.Place, "step %s cannot be made: %s; step %s, which brings %s, has not succeeded", id.step, reason, n.step, n.output)
			return
		}
	}
}

// callsWithout finds calls of workflows without what an outcome that is unknown was to
// bring.
func (w *watcher) callsWithout(id stepID, e executor.Event) {
	m := w.subject.steps[id]
	if m == nil || !m.model.WorkflowID.Present() {
		return
	}
	for _, n := range m.needs {
		if w.outputs[stepID{id.workflow, n.step}].IsAbsent() && w.isOpen(e.Workflow+"/"+value.EscapeToken(n.step)) {
			w.found(NeverCame, id, e.Place, "step %s calls its workflow without %s: step %s, whose outcome is unknown, has not brought it", id.step, n.source, n.step)
			return
		}
	}
}

// refusedWithout finds requests that the API refuses and that lack what a step which has
// not succeeded was to bring.
func (w *watcher) refusedWithout(id stepID, e executor.Event) {
	m := w.subject.steps[id]
	if m == nil {
		return
	}
	for _, n := range m.needs {
		if w.finished[stepID{id.workflow, n.step}] > 0 && w.outputs[stepID{id.workflow, n.step}].IsAbsent() {
			w.found(NeverCame, id, e.Place, "step %s is sent without %s, which step %s was to bring and has not, and the API refuses it", id.step, n.source, n.step)
			return
		}
	}
}

// refused finds states that a document leaves or skips. What is refused once the run has
// ended is what a message would have brought that came too late: the document is not at
// fault for it.
func (w *watcher) refused(id stepID, e executor.Event, d executor.StateRefused) {
	if d.To == "" || len(w.ended) > 0 || slices.ContainsFunc(w.player.script.faults, misleads) || w.contradicts(id) {
		return
	}
	w.found(StateRegression, id, e.Place, "state %s was to become %s (%s): %s", d.State, d.To, d.Cause, d.Reason)
}

// contradicts tells whether the mock itself answered a step after something else had been
// chosen to be said earlier in the run: of the two the mock knows only the one.
func (w *watcher) contradicts(id stepID) bool {
	chosen := false
	for _, call := range w.player.calls {
		if call.chosen != nil {
			chosen = chosen || len(call.chosen.answer.Edits) > 0 || call.chosen.answer.Rewrite != nil
		} else if call.id == id && chosen {
			return true
		}
	}
	return false
}

// misleads tells whether by a fault the API itself tells of states in a wrong way: that
// they are refused is then as it should be.
func misleads(f mock.Fault) bool {
	switch f.Kind {
	case mock.ReadStale, mock.ReadConflicting, mock.ReadUnknownState, mock.WebhookOutOfOrder, mock.WebhookConflicting:
		return true
	}
	return false
}

func (w *watcher) workflowFinished(e executor.Event, d executor.WorkflowFinished) {
	if e.Depth > 0 {
		return
	}
	w.ended = append(w.ended, d)
	w.endedBy(e, d)
	well := d.Status == executor.Succeeded || d.Status == executor.Recovered
	if terminal := w.subject.terminal; well && d.State != "" && len(terminal) > 0 && !terminal[d.State] {
		w.found(OpenEnd, stepID{}, e.Place, "the workflow %s while the state is %s, which is not terminal", d.Status, d.State)
	}
}

// endedBy finds runs that did not end by themselves. That an outcome is unknown may be
// told instead.
func (w *watcher) endedBy(e executor.Event, d executor.WorkflowFinished) {
	total := 0
	for _, n := range w.finished {
		total += n
	}
	switch {
	case total >= w.subject.maxSteps && w.turnsPages(w.busiest()):
		w.note(w.busiest(), fmt.Sprintf("the played API always answers that more follows: a run was ended after %d steps", total))
	case total >= w.subject.maxSteps:
		w.found(NoEnd, w.busiest(), e.Place, "the run did not end by itself: it has taken %d steps, its limit", total)
	case strings.Contains(d.Reason, "deadline: the run's time is over"):
		w.found(NoEnd, w.busiest(), e.Place, "only the time limit ended the run: %s", d.Reason)
	case strings.Contains(d.Reason, "workflows call each other deeper than"):
		w.found(NoEnd, w.busiest(), e.Place, "the run did not end by itself: %s", d.Reason)
	}
}

// busiest gives the step that was carried out most often, of several the first of the
// document: a loop goes round through it.
func (w *watcher) busiest() stepID {
	var found stepID
	most := 1
	for _, g := range w.subject.goals {
		if n := w.finished[g.id]; g.kind == stepGoal && n > most {
			found, most = g.id, n
		}
	}
	return found
}

// close looks at what the servers saw, once the run has ended.
func (w *watcher) close(result executor.Result, server *mock.Server) {
	w.doubleEffects(server)
	w.unknownActed(result)
	w.tooEarly(server)
	w.undecided.close(result)
	w.uncorrelated()
	if len(w.player.script.faults) > 0 {
		if w.unfired = server.Unfired(); len(w.unfired) > 0 {
			w.planned = server.Ledger().Faults
		}
	}
}
