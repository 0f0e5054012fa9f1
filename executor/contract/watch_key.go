package contract

import (
	"fmt"
	"strings"

	"github.com/weft-flow/weft/arazzo/value"
	"github.com/weft-flow/weft/executor"
)

// manyRetries is from how often on a step that repeats until the deadline is taken for
// one that never gives up.
const manyRetries = 50

// retryWithheld finds repetitions that the document asks for and that are not safe.
func (w *watcher) retryWithheld(id stepID, e executor.Event, d executor.RetryWithheld) {
	if w.withheld == nil {
		w.withheld = map[stepID]string{}
	}
	w.withheld[id] = d.Reason
	switch {
	case strings.Contains(d.Reason, "unsafe to repeat") && !w.subject.isMarked(id):
		what := fmt.Sprintf("its action %s", d.Action)
		if d.Action == "" {
			what = "a way back to it"
		}
		w.found(UnsafeRepeat, id, e.Place, "step %s would be sent again by %s: %s; Weft withholds it, another runner would repeat the effect%s", id.step, what, d.Reason, w.keyInVain())
	case strings.Contains(d.Reason, "pass the deadline") && (w.attempts > manyRetries || w.outlasts(id, d.Action)):
		w.found(NoEnd, id, e.Place, "step %s was tried %d times, and only the time limit of the run ended it", id.step, w.attempts)
	}
}

// keyInVain says why a key that a request bears does not make it safe to repeat; empty: it
// bears none.
func (w *watcher) keyInVain() string {
	if w.bears == "" {
		return ""
	}
	return fmt.Sprintf(". It bears a key (%s), but nothing says that the API honours it: its description may declare the header, or x-weft-idempotency or weft.yaml name it", w.bears)
}

// outlasts tells whether the waits that an action asks for are together longer than a run
// may take.
func (w *watcher) outlasts(id stepID, action string) bool {
	m := w.subject.steps[id]
	if m == nil {
		return false
	}
	for _, a := range m.actions {
		if a.name == action && a.waits > w.subject.timeout {
			return true
		}
	}
	return false
}

// prepared finds keys that change between attempts at the same work, and what is asked
// without the value by which it was to be asked.
func (w *watcher) prepared(id stepID, e executor.Event, d executor.RequestPrepared) {
	m := w.subject.steps[id]
	if m == nil {
		return
	}
	var made, shown, from []string
	for _, n := range m.needs {
		owner := stepID{id.workflow, n.step}
		if w.outputs[owner].IsAbsent() && w.isOpen(e.Workflow+"/"+value.EscapeToken(n.step)) {
			w.found(NeverCame, id, e.Place, "step %s is sent without %s: step %s, whose outcome is unknown, has not brought it", id.step, n.source, n.step)
		}
		if d.KeyHeader != "" && (n.isKey || strings.EqualFold(n.header, d.KeyHeader)) {
			text := w.outputs[owner].Get(n.output).Text()
			made = append(made, fmt.Sprintf("%d %s", w.finished[owner], text))
			shown, from = append(shown, text), append(from, n.source)
		}
	}
	if len(made) > 0 {
		w.keyMade(id, e, d, strings.Join(made, " "), strings.Join(shown, " "), strings.Join(from, " and "))
	}
}

// keyMade compares what a key is made of with what it was made of before.
func (w *watcher) keyMade(id stepID, e executor.Event, d executor.RequestPrepared, made, shown, from string) {
	at := e.Workflow + "/" + e.Step
	first, again := w.keys[at]
	switch {
	case !again:
		w.keys[at] = made
	case first != made && w.isOpen(at):
		w.found(UnstableKey, id, e.Place, "the %s of step %s is made of %s, which was made anew since the attempt whose outcome is unknown (now %s); "+
			"Weft keeps the first key, another runner would have a second effect", d.KeyHeader, id.step, from, shown)
	}
}
