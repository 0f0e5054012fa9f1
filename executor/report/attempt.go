package report

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/weft-flow/weft/executor"
	"github.com/weft-flow/weft/idempotency"
)

// attemptView is an attempt whose line is written once its criteria are known:
// its mark says what they make of it.
type attemptView struct {
	openLine
	request  executor.RequestPrepared
	finished executor.AttemptFinished
}

func (s *stepView) newAttempt(e executor.Event, d executor.AttemptFinished) *attemptView {
	clear(s.passed)
	s.missing = ""
	if d.Response == nil {
		s.missing = "no response"
	}
	return &attemptView{openLine: openLine{step: s, event: e}, request: s.request, finished: d}
}

// awaits tells whether an event belongs to what the attempt's line waits for: the
// success criteria, and what is said of the attempt before them.
func (a *attemptView) awaits(e executor.Event) bool { return a.isOf(e) && isJudgement(e) }

// passed tells what the criteria make of the attempt; next is the event after them.
func (a *attemptView) passed(next executor.Event) bool {
	return a.finished.Response != nil && a.judged(next, a.finished.Response.Status/100 == 2)
}

func (a *attemptView) write(c *Console, next executor.Event) {
	row := cells{
		mark: markFailed, markStyle: red, target: a.target(), status: a.status(),
		duration: a.elapsed(), key: a.key(),
	}
	if a.passed(next) {
		row.mark, row.markStyle = markPassed, green
	}
	row.outcome = c.outcome(a)
	a.step.explain(a.status())
	a.step.operation = a.finished.Operation
	c.writeStep(a.step, row)
	if c.options.Verbose {
		c.writeExchange(a.step.below(), a.finished)
	}
	for _, e := range a.held {
		c.show(e)
	}
}

func (a *attemptView) target() string {
	method, target := a.request.Method, a.request.Target
	if method == "" {
		method, target = a.finished.Sent.Method, a.finished.Sent.URL
	}
	return printable(strings.TrimSpace(method + " " + withoutValues(target)))
}

// withoutValues leaves the names in a query and hides the values: what was really
// sent is shown with Verbose.
func withoutValues(target string) string {
	path, query, found := strings.Cut(target, "?")
	if !found {
		return target
	}
	fields := strings.Split(query, "&")
	for i, field := range fields {
		if name, _, valued := strings.Cut(field, "="); valued {
			fields[i] = name + "=…"
		}
	}
	return path + "?" + strings.Join(fields, "&")
}

func (a *attemptView) status() string {
	if a.finished.Response == nil {
		return "-"
	}
	return strconv.Itoa(a.finished.Response.Status)
}

// reason says why the attempt has its class, without the status: that has a
// place of its own.
func (a *attemptView) reason() string {
	reason := a.finished.Refused
	if reason == "" {
		reason = a.finished.Reason
	}
	reason = strings.TrimPrefix(reason, a.status()+": ")
	if reason == a.status() {
		return ""
	}
	return reason
}

// elapsed is how long the attempt took, where something was sent.
func (a *attemptView) elapsed() string {
	if a.finished.Refused != "" {
		return "-"
	}
	return elapsed(a.finished.Duration)
}

func (a *attemptView) key() string {
	switch {
	case a.request.Key != "":
		return "key " + printable(a.request.Key)
	case a.request.KeyDigest != "":
		return "key " + printable(a.request.KeyDigest)
	}
	return ""
}

// outcome says the class of the attempt, why, and the class of the operation
// where that is another.
func (c *Console) outcome(a *attemptView) string {
	d := a.finished
	text := string(d.Attempt)
	if reason := a.reason(); reason != "" {
		text += ": " + clip(printable(reason), reasonTo)
		a.step.explain(reason)
	}
	text = c.paint(classStyle(d.Attempt), text)
	if d.Operation != "" && d.Operation != d.Attempt {
		text += c.paint(classStyle(d.Operation), " · operation "+string(d.Operation))
	}
	return text
}

func classStyle(class idempotency.Class) style {
	switch class {
	case idempotency.Succeeded:
		return green
	case idempotency.Unknown:
		return yellow
	case idempotency.Rejected, idempotency.NotSent:
		return red
	default:
		return plain
	}
}

func (c *Console) criterionEvaluated(e executor.Event, d executor.CriterionEvaluated) {
	if d.Action != "" && d.Passed {
		s := c.step(e)
		if s.passed[d.Action] != "" {
			s.passed[d.Action] += " and "
		}
		s.passed[d.Action] += d.Condition
	}
	c.writeCriterion(e, d)
}

// writeCriterion writes a criterion where a person wants to know of it: one that
// made the step fail, one that could not be evaluated, and with Verbose all.
func (c *Console) writeCriterion(e executor.Event, d executor.CriterionEvaluated) {
	failed := d.Action == "" && !d.Passed
	if !failed && d.Fault == "" && !c.options.Verbose {
		return
	}
	mark, look := markPassed, dim
	if !d.Passed {
		mark = markFailed
	}
	if failed || d.Fault != "" {
		look = red
		c.step(e).explain(d.Condition)
	}
	text := clip(printable(d.Condition), conditionTo)
	if d.Action != "" {
		text += " (for " + printable(d.Action) + ")"
	}
	if d.Fault != "" {
		text += ": cannot be evaluated: " + clip(printable(d.Fault), reasonTo)
	}
	c.sub(e, c.paint(look, mark+" "+text))
}

func (c *Console) contractFinding(e executor.Event, d executor.ContractFinding) {
	text := clip(printable(findingText(d)), reasonTo)
	if d.Of == ofRequest {
		c.sub(e, c.paint(dim, text))
		return
	}
	c.sub(e, c.paint(yellow, markCare+" "+text))
}

// ofRequest is how a contract finding says that it is about a request.
const ofRequest = "request"

// findingText says how a message breaks its description. Of a request it is a
// note: documents send such requests on purpose.
func findingText(d executor.ContractFinding) string {
	what := "contract"
	if d.Of == ofRequest {
		what = "note"
	}
	return what + ": " + d.Of + ": " + d.Message
}

func (c *Console) actionChosen(e executor.Event, d executor.ActionChosen) {
	if next := nextOf(d); next != "" {
		c.sub(e, fmt.Sprintf("%s %s (%s)", markAction, printable(next), c.why(e, d.Trigger+" "+d.Name, d.Name)))
	}
}

// nextOf says what an action leads to; empty where the event RetryScheduled tells it.
func nextOf(d executor.ActionChosen) string {
	switch {
	case d.Kind == "retry" && d.Target == "":
		return ""
	case d.Kind == "retry":
		return d.Target + ", then again"
	case d.Target == "":
		return d.Kind
	default:
		return d.Target
	}
}

// why names an action with the criteria that made it the one.
func (c *Console) why(e executor.Event, name, action string) string {
	s := c.step(e)
	text := strings.TrimSpace(printable(name))
	switch criteria := s.passed[action]; {
	case criteria != "":
		text += ": " + clip(printable(criteria), conditionTo)
	case s.missing != "":
		text += ": " + s.missing
	}
	return text
}

func (c *Console) retryScheduled(e executor.Event, d executor.RetryScheduled) {
	s := c.step(e)
	if !s.shown {
		c.writeStep(s, noRequest())
	}
	c.sub(e, fmt.Sprintf("%s retry %d of %d %s (%s)", markRetry, d.Used, d.Limit, pause(d.After), c.why(e, d.Action, d.Action)))
	clear(s.passed)
}

func (c *Console) retryWithheld(e executor.Event, d executor.RetryWithheld) {
	text := markCare + " retry withheld: " + clip(printable(d.Reason), reasonTo)
	if d.Action != "" {
		text += " (" + printable(d.Action) + ")"
	}
	c.step(e).explain(d.Reason)
	c.sub(e, c.paint(yellow, text))
}
