package report

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/weft-flow/weft/executor"
	"github.com/weft-flow/weft/idempotency"
)

// messageView is one wait for a message. Its line is written once it is known what
// came of it: with a message once the criteria are known, without one when anything
// else happens to the step.
type messageView struct {
	openLine
	awaited  executor.MessageAwaited
	began    time.Time
	received *executor.MessageReceived // nil: none yet
	stop     func()                    // of what shows the wait while it lasts; nil: nothing does
	seen     bool                      // the wait was shown while it lasted
}

// longWait is after what time a wait is shown while it lasts.
const longWait = time.Second

func (c *Console) messageAwaited(e executor.Event, d executor.MessageAwaited) {
	s := c.step(e)
	clear(s.passed)
	s.missing = "no message"
	m := &messageView{openLine: openLine{step: s, event: e}, awaited: d, began: e.Time}
	if c.options.After != nil {
		m.stop = c.options.After(longWait, func() { c.showWait(m) })
	}
	c.pending = m
}

// showWait writes that a step still waits. It is called while no event comes.
func (c *Console) showWait(m *messageView) {
	c.lock.Lock()
	defer c.lock.Unlock()
	if c.pending != pendingLine(m) || m.received != nil {
		return
	}
	m.seen = true
	c.writeStep(m.step, cells{
		mark: markWaits, markStyle: dim, target: printable(m.awaited.Channel), outcome: c.paint(dim, "waits "+m.where()),
	})
	_ = c.flush() // an error shows with the next event
}

// where says where a step waits, for what and how long.
func (m *messageView) where() string {
	var parts []string
	if m.awaited.Address != "" {
		parts = append(parts, "at "+printable(m.awaited.Address))
	}
	if m.awaited.Correlation != "" {
		parts = append(parts, "for "+clip(printable(m.awaited.Correlation), conditionTo))
	}
	return strings.Join(append(parts, "at most "+m.awaited.For.Round(time.Millisecond).String()), ", ")
}

func (c *Console) messageReceived(e executor.Event, d executor.MessageReceived) {
	s := c.step(e) // a stream without its beginning
	c.pending = &messageView{
		openLine: openLine{step: s, event: e}, awaited: executor.MessageAwaited{Channel: d.Channel},
		began: e.Time.Add(-d.Waited), received: &d, seen: true,
	}
}

func (m *messageView) awaits(e executor.Event) bool {
	if !m.isOf(e) {
		return false
	}
	switch e.Detail.(type) {
	case executor.MessageReceived:
		return m.received == nil
	case executor.MessageSetAside, executor.Notice:
		return true
	default:
		return m.received != nil && isJudgement(e)
	}
}

func (m *messageView) hold(e executor.Event) {
	if d, ok := e.Detail.(executor.MessageReceived); ok {
		m.received = &d
		m.step.missing = ""
		return
	}
	m.openLine.hold(e)
}

func (m *messageView) write(c *Console, next executor.Event) {
	if m.stop != nil {
		m.stop()
	}
	if m.received == nil {
		m.writeMissing(c, next)
		return
	}
	d := *m.received
	row := cells{
		mark: markFailed, markStyle: red, target: printable(d.Channel), status: markMessage,
		duration: elapsed(d.Waited), outcome: m.outcome(),
	}
	if m.judged(next, true) {
		row.mark, row.markStyle = markPassed, green
	}
	c.writeStep(m.step, row)
	if d.Waited > 0 {
		m.writeWhere(c)
	}
	if c.options.Verbose {
		lines := append([]string{strings.TrimSpace(printable(d.Method + " " + d.Channel))}, headerLines(d.Header)...)
		c.writeBlock(m.step.below()+"< ", lines, d.Body)
	}
	for _, e := range alikeAsOne(m.held) {
		if aside, ok := e.Detail.(executor.MessageSetAside); !ok || !ignored(aside) {
			c.show(e)
		}
	}
}

// outcome says which message it is, and what was ignored beside it.
func (m *messageView) outcome() string {
	var parts []string
	if m.received.Identity != "" {
		parts = append(parts, "id "+clip(printable(m.received.Identity), stepTo))
	}
	if m.received.Waited <= 0 {
		parts = append(parts, "was there already")
	}
	n := 0
	for _, e := range m.held {
		if d, ok := e.Detail.(executor.MessageSetAside); ok && ignored(d) {
			n += d.Count
		}
	}
	if n > 0 {
		parts = append(parts, counted(n, "duplicate", "duplicates")+" ignored")
	}
	return strings.Join(parts, " · ")
}

// ignored tells whether a message set aside is nothing to worry about.
func ignored(d executor.MessageSetAside) bool { return d.Why == executor.Duplicate && !d.Fails }

// writeMissing writes the line of a wait that ended without a message.
func (m *messageView) writeMissing(c *Console, next executor.Event) {
	outcome := "no message"
	if d, ok := next.Detail.(executor.StepFinished); ok && m.isOf(next) && d.Reason != "" {
		outcome = clip(printable(d.Reason), reasonTo)
	}
	m.step.explain(outcome)
	duration := ""
	if !next.Time.IsZero() {
		duration = elapsed(next.Time.Sub(m.began))
	}
	c.writeStep(m.step, cells{
		mark: markFailed, markStyle: red, target: printable(m.awaited.Channel), status: "-", duration: duration, outcome: c.paint(red, outcome),
	})
	m.writeWhere(c)
	for _, e := range alikeAsOne(m.held) {
		c.show(e)
	}
}

// alikeAsOne puts messages that were set aside for the same reason into one event, as
// those that a sender tries again and again.
func alikeAsOne(events []executor.Event) []executor.Event {
	var all []executor.Event
	for _, e := range events {
		d, aside := e.Detail.(executor.MessageSetAside)
		at := slices.IndexFunc(all, func(known executor.Event) bool {
			k, ok := known.Detail.(executor.MessageSetAside)
			return ok && aside && k.Why == d.Why && k.Reason == d.Reason && k.Identity == d.Identity && k.Channel == d.Channel && k.Fails == d.Fails
		})
		if at < 0 {
			all = append(all, e)
			continue
		}
		first := all[at].Detail.(executor.MessageSetAside)
		first.Count += d.Count
		all[at].Detail = first
	}
	return all
}

func (m *messageView) writeWhere(c *Console) {
	if !m.seen {
		c.line(m.step.below() + c.paint(dim, "waited "+m.where()))
	}
}

// messageSetAside writes of messages that changed nothing: below the line of the
// step that they belong to, or once that has ended in a line of its own.
func (c *Console) messageSetAside(e executor.Event, d executor.MessageSetAside) {
	mark, look := markCare, yellow
	switch {
	case d.Fails:
		mark, look = markFailed, red
	case d.Why == executor.Duplicate:
		mark, look = markMessage, dim
	}
	c.aside(e, look, mark, clip(printable(asideText(d)), reasonTo))
}

// asideText says what became of messages that changed nothing, and why.
func asideText(d executor.MessageSetAside) string {
	text := ""
	switch d.Why {
	case executor.Duplicate:
		text = counted(d.Count, "duplicate", "duplicates") + " ignored"
		if d.Fails {
			text = counted(d.Count, "duplicate", "duplicates") + ", which x-weft-on-duplicate forbids"
		}
	case executor.Conflicting:
		text = counted(d.Count, "message", "messages") + " with the identity of another, but other content"
	case executor.Surplus:
		text = counted(d.Count, "message more", "messages more") + ", which has no identity to tell it from the first"
		if d.Fails {
			text += ", which x-weft-on-duplicate forbids"
		}
	case executor.Late:
		text = counted(d.Count, "late message", "late messages")
	case executor.Unawaited:
		text = counted(d.Count, "message", "messages") + " not awaited"
	case executor.Unmatched:
		text = counted(d.Count, "message", "messages") + " taken by no run"
	default:
		text = counted(d.Count, "message", "messages") + " set aside: " + string(d.Why)
	}
	text = colon(text, d.Reason) + " (" + d.Channel
	if d.Identity != "" {
		text += ", id " + d.Identity
	}
	return text + ")"
}

// aside writes a line about a step, also where that has ended.
func (c *Console) aside(e executor.Event, look style, mark, text string) {
	if e.Step != "" && c.open(e) != nil {
		c.sub(e, c.paint(look, mark+" "+text))
		return
	}
	c.writeHeader()
	switch {
	case e.Step == "":
	case len(c.workflows) > 0 && c.workflows[len(c.workflows)-1].path == e.Workflow:
		text = printable(e.Step) + ": " + text
	default:
		text = printable(e.Workflow+"/"+e.Step) + ": " + text
	}
	c.line("  " + c.paint(look, mark+" "+text))
}

// stateRefused writes of a move that changed nothing.
func (c *Console) stateRefused(e executor.Event, d executor.StateRefused) {
	c.refused++
	text := "state " + printable(d.State) + " stays" + printable(wouldBe(d)) + ": " + clip(printable(d.Reason), reasonTo) + " (" + printable(d.Cause) + ")"
	c.aside(e, yellow, markCare, text)
}

// settledText says what an operator has found out about an operation.
func settledText(d executor.OperationSettled) string {
	outcome := "it succeeded"
	if d.Outcome != idempotency.Succeeded {
		outcome = "it had no effect"
	}
	return "settled by " + printable(d.By) + ": " + outcome
}

// wouldBe says which state was refused, where one was named.
func wouldBe(d executor.StateRefused) string {
	if d.To == "" {
		return ""
	}
	return ", not " + d.To
}

// verdictOnMessages says why the verdict on a run fails for its messages; empty
// where it does not.
func verdictOnMessages(counts executor.Counts) string {
	if counts.Refused == 0 {
		return ""
	}
	var parts []string
	if counts.Conflicts > 0 {
		parts = append(parts, counted(counts.Conflicts, "message", "messages")+" with the identity of another, but other content")
	}
	if n := counts.Refused - counts.Conflicts; n > 0 {
		parts = append(parts, fmt.Sprintf("%s, which x-weft-on-duplicate forbids", counted(n, "repeated message", "repeated messages")))
	}
	return strings.Join(parts, "; ")
}
