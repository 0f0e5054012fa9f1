package contract

import (
	"bytes"
	"strings"
	"sync"

	"github.com/weft-flow/weft/arazzo/check"
	"github.com/weft-flow/weft/arazzo/source"
	"github.com/weft-flow/weft/arazzo/value"
	"github.com/weft-flow/weft/executor"
)

// checkedAnswers remembers which answers break their description: in thousands of runs
// the same ones come again and again. It may be used by several goroutines.
type checkedAnswers struct {
	checker *check.Checker

	mu    sync.Mutex
	known map[answerKey]string
}

type answerKey struct {
	operation   *source.Operation
	status      int
	contentType string
	body        string
}

// mostRemembered bounds how many answers are remembered.
const mostRemembered = 10_000

// flaw tells how an answer breaks its description; empty: it does not.
func (c *checkedAnswers) flaw(op *source.Operation, r *executor.Response) string {
	contentType, _ := r.Header.Get("Content-Type")
	key := answerKey{op, r.Status, contentType, string(r.Body)}
	c.mu.Lock()
	flaw, known := c.known[key]
	c.mu.Unlock()
	if known {
		return flaw
	}
	found := c.checker.Response(op, check.Response{Status: r.Status, Header: map[string][]string(r.Header), Body: r.Body}).Findings
	texts := make([]string, len(found))
	for i, f := range found {
		texts[i] = f.String()
	}
	flaw = strings.Join(texts, "; ")
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.known == nil || len(c.known) >= mostRemembered {
		c.known = map[answerKey]string{}
	}
	c.known[key] = flaw
	return flaw
}

var (
	// mockProblem marks an answer that is not of the description but of the mock.
	mockProblem = []byte(`"urn:weft:mock:`)
	// mockRefusal marks its answer to a request that breaks its description.
	mockRefusal = []byte(`"urn:weft:mock:invalid-request"`)
)

// refusedRequest notes that the mock did not take a request: what it then answers says
// nothing of the API. Documents send such requests on purpose too, to see what happens.
func (w *watcher) refusedRequest(id stepID, r *executor.Response) {
	body, _ := value.ParseJSON(r.Body)
	var why []string
	for _, e := range body.Get("errors").Items() {
		at := e.Get("pointer")
		if at.IsAbsent() {
			at = e.Get("parameter")
		}
		why = append(why, at.Text()+" "+e.Get("detail").Text())
	}
	w.note(id, "its request breaks the description, and the mock refuses it: "+strings.Join(why, "; "))
}

// note notes what a person should know of a step.
func (w *watcher) note(id stepID, text string) {
	if w.notes == nil {
		w.notes = map[stepID]string{}
	}
	w.notes[id] = text
}

// checkAnswer finds answers of the played API that break their description. What was
// chosen or broken on purpose is not looked at.
func (w *watcher) checkAnswer(id stepID, e executor.Event, call *seen, d executor.AttemptFinished) {
	if d.Response == nil || call.chosen != nil || len(w.player.script.faults) > 0 || d.Sent.Method != call.operation.Method {
		return
	}
	if contentType, _ := d.Response.Header.Get("Content-Type"); contentType == "application/problem+json" && bytes.Contains(d.Response.Body, mockProblem) {
		if bytes.Contains(d.Response.Body, mockRefusal) {
			w.refusedRequest(id, d.Response)
			w.refusedWithout(id, e)
		}
		return
	}
	if flaw := w.subject.checked.flaw(call.operation, d.Response); flaw != "" {
		w.found(ContractBroken, id, e.Place, "the answer to step %s breaks its description: %s", id.step, flaw)
	}
}
