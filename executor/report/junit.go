package report

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/weft-flow/weft/arazzo/value"
	"github.com/weft-flow/weft/executor"
)

// JUnit collects the events of runs, one after the other, as a JUnit report: a
// suite for each workflow that was asked for or that one of these depends on, in
// the order in which they began, and in it a case for each activation of a step
// that ended, those of the workflows that it calls included. It is an
// executor.Sink.
//
// The verdict of a suite is that of its workflow. Where the workflow ended well,
// what it got over on the way is told in the output of the case alone; elsewhere
// a step that failed is a failure, and one whose outcome was unknown an error. A
// response or message that breaks its description is told in the output of the case.
// A message for which the verdict on the run fails is a failure of the step that it
// belongs to, however its workflow ended; one that belongs to no step is a failure
// of a case named "messages". A document that was not run is a suite of one case, with
// the reasons as an error.
type JUnit struct {
	// FailRecovered makes a workflow that recovered a failed one: what it got over
	// is then told as failures and errors.
	FailRecovered bool
	// FailFindings makes a case with a contract finding on a response a failure,
	// however its workflow ended.
	FailFindings bool

	suites      []*junitSuite
	refused     []*junitRefused
	run         int // position of the first suite of the present run
	document    string
	began, last time.Time
}

// junitSuite is a workflow that no step called, with all that happened in it.
type junitSuite struct {
	path, id      string // call path without transfers, and workflow id
	document, run string
	began, last   time.Time
	open          bool            // more of it may come
	status        executor.Status // empty: it did not end
	reason        string
	state         string // of the business
	judged        bool   // the result of the run spoke of it
	steps         []*junitCase
	cases         []*junitCase
	messages      messageTotals
	cancels       []string // the cancel actions that were taken
}

// junitCase is one activation of a step.
type junitCase struct {
	workflow, step string
	activation     int
	place          executor.Place
	began, ended   time.Time
	request        executor.RequestPrepared
	key            string   // digest; empty: none was sent
	lines          []string // what happened, in short
	findings       []string // how responses and messages broke their description
	refused        []string // messages for which the verdict on the run fails
	finished       executor.StepFinished
}

// NewJUnit gives a JUnit without events.
func NewJUnit() *JUnit { return &JUnit{} }

// Write takes the next event. It never fails.
func (j *JUnit) Write(e executor.Event) error {
	if j.began.IsZero() {
		j.began = e.Time
	}
	j.last = e.Time
	switch d := e.Detail.(type) {
	case executor.RunStarted:
		j.document, j.run = d.Document, len(j.suites)
	case executor.RunFinished:
		j.runFinished(d.Result)
	default:
		j.take(e)
	}
	return nil
}

func (j *JUnit) take(e executor.Event) {
	s := j.suiteOf(e)
	if s == nil {
		return
	}
	s.last = e.Time
	if d, ok := e.Detail.(executor.WorkflowFinished); ok && e.Depth == 0 {
		s.open, s.status, s.reason, s.state = false, d.Status, d.Reason, d.State
	}
	s.messages.add(e.Detail)
	if e.Step != "" {
		s.takeStep(e)
		return
	}
	switch d := e.Detail.(type) {
	case executor.MessageSetAside:
		s.strays().setAside(d)
	case executor.ActionChosen:
		s.cancels = append(s.cancels, d.Name+" "+markAction+" "+nextOf(d))
	}
}

// suiteOf gives the suite that an event belongs to: the innermost that is open,
// else the one that ended last. A workflow of depth 0 begins a suite, unless
// another workflow went on to it.
func (j *JUnit) suiteOf(e executor.Event) *junitSuite {
	if _, message := e.Detail.(executor.MessageSetAside); message && e.Workflow == "" && len(j.suites) > j.run {
		return j.suites[len(j.suites)-1] // it is of no workflow
	}
	d, begins := e.Detail.(executor.WorkflowStarted)
	if begins && e.Depth == 0 && !strings.Contains(e.Workflow, "/") {
		id := d.ID
		if e.Workflow != value.EscapeToken(id) {
			id = e.Workflow // one of another document, which the run depends on
		}
		s := &junitSuite{path: e.Workflow, id: id, document: j.document, run: e.Run, began: e.Time, open: true}
		j.suites = append(j.suites, s)
		return s
	}
	var ended *junitSuite
	for _, s := range slices.Backward(j.suites[j.run:]) {
		switch {
		case !s.owns(e.Workflow):
		case s.open:
			return s
		case ended == nil || s.last.After(ended.last):
			ended = s
		}
	}
	if ended != nil && begins {
		ended.open = true
	}
	return ended
}

// owns tells whether a call path is that of the suite, of a workflow that it went
// on to, or of one that a step of it calls.
func (s *junitSuite) owns(path string) bool {
	rest, found := strings.CutPrefix(path, s.path)
	return found && (rest == "" || rest[0] == '/' || rest[0] == '~')
}

// runFinished takes over how the workflows ended: what stayed unknown in one is
// known only when all in it is over.
func (j *JUnit) runFinished(r executor.Result) {
	for _, w := range r.Workflows {
		for _, s := range j.suites[j.run:] {
			if s.id == w.ID && !s.judged {
				s.judged, s.status, s.reason = true, w.Status, w.Reason
				break
			}
		}
	}
}

func (s *junitSuite) takeStep(e executor.Event) {
	if d, ok := e.Detail.(executor.StepStarted); ok {
		c := &junitCase{workflow: e.Workflow, step: e.Step, activation: e.Activation, place: e.Place, began: e.Time}
		if d.Owner != "" {
			c.note("owner:", d.Owner)
		}
		s.steps = append(s.steps, c)
		return
	}
	isOf := func(c *junitCase) bool {
		return c.workflow == e.Workflow && c.step == e.Step && c.activation == e.Activation
	}
	at := slices.IndexFunc(s.steps, isOf)
	if at < 0 {
		if ended := slices.IndexFunc(s.cases, isOf); ended >= 0 {
			s.cases[ended].take(e) // a message that came too late
		}
		return
	}
	c := s.steps[at]
	if d, ok := e.Detail.(executor.StepFinished); ok {
		c.ended, c.finished = e.Time, d
		s.steps = slices.Delete(s.steps, at, at+1)
		s.cases = append(s.cases, c)
		return
	}
	c.take(e)
}

// take notes what happened in an activation, each thing as a short line.
func (c *junitCase) take(e executor.Event) {
	switch d := e.Detail.(type) {
	case executor.RequestPrepared:
		c.request = d
		if d.KeyDigest != "" {
			c.key = d.KeyDigest
		}
	case executor.AttemptFinished:
		a := &attemptView{request: c.request, finished: d}
		c.note(a.target(), a.status(), a.elapsed(), a.key(), colon(string(d.Attempt), a.reason()))
	case executor.ContractFinding:
		c.note(findingText(d))
		if d.Of != ofRequest {
			c.findings = append(c.findings, d.Of+": "+d.Message)
		}
	case executor.CriterionEvaluated:
		switch {
		case d.Fault != "":
			c.note("criterion that cannot be evaluated:", d.Condition, inBrackets(d.Action), inBrackets(d.Fault))
		case d.Action == "" && !d.Passed:
			c.note("criterion not met:", d.Condition)
		}
	case executor.RetryScheduled:
		c.note(fmt.Sprintf("retry %d of %d", d.Used, d.Limit), pause(d.After), inBrackets(d.Action))
	case executor.RetryWithheld:
		c.note("retry withheld:", d.Reason, inBrackets(d.Action))
	case executor.ActionChosen:
		if next := nextOf(d); next != "" {
			c.note(markAction, next, inBrackets(strings.TrimSpace(d.Trigger+" "+d.Name)))
		}
	case executor.Notice:
		c.note("note:", d.Message)
	default:
		c.takeMessage(e)
	}
}

// note adds a line of words, of which some may be empty.
func (c *junitCase) note(words ...string) {
	words = slices.DeleteFunc(words, func(word string) bool { return word == "" })
	c.lines = append(c.lines, strings.Join(words, " "))
}

func inBrackets(text string) string {
	if text == "" {
		return ""
	}
	return "(" + text + ")"
}

func colon(what, why string) string {
	if what == "" || why == "" {
		return what + why
	}
	return what + ": " + why
}
