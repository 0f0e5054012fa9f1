package report

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/weft-flow/weft/arazzo/value"
	"github.com/weft-flow/weft/executor"
	"github.com/weft-flow/weft/idempotency"
)

// stepView is what the console knows of one activation of a step.
type stepView struct {
	workflow   string
	id         string
	activation int
	depth      int
	began      time.Time

	owner     string // who answers for it
	request   executor.RequestPrepared
	calls     string            // id of the workflow that it calls
	shown     bool              // a line for it was written
	held      []string          // lines below one that is still to be written
	passed    map[string]string // by action: its criteria that passed in this round
	missing   string            // what the last attempt did not have: a response, or a message
	operation idempotency.Class // as last written
	said      []string          // what lines of this activation say of the failure
}

func newStepView(e executor.Event) *stepView {
	return &stepView{
		workflow: e.Workflow, id: e.Step, activation: e.Activation, depth: e.Depth, began: e.Time,
		passed: make(map[string]string),
	}
}

// step gives the activation that an event is of. A stream without its beginning
// still gives lines.
func (c *Console) step(e executor.Event) *stepView {
	if s := c.open(e); s != nil {
		return s
	}
	s := newStepView(e)
	c.steps = append(c.steps, s)
	return s
}

// open gives the activation that an event is of; nil: it has ended, or was not begun.
func (c *Console) open(e executor.Event) *stepView {
	for i := len(c.steps) - 1; i >= 0; i-- {
		if s := c.steps[i]; s.workflow == e.Workflow && s.id == e.Step && s.activation == e.Activation {
			return s
		}
	}
	return nil
}

// innermost gives the innermost step that has begun and not ended; nil: none.
func (c *Console) innermost() *stepView {
	for _, s := range slices.Backward(c.steps) {
		if s.id != "" {
			return s
		}
	}
	return nil
}

func (s *stepView) name() string { return activationName(printable(s.id), s.activation) }

// activationName is a step's id, from the second activation on with its number.
func activationName(step string, activation int) string {
	if activation > 1 {
		return fmt.Sprintf("%s#%d", step, activation)
	}
	return step
}

func (s *stepView) margin() string { return spaces(2 + indent*s.depth) }

// below is the margin of the lines under that of the step.
func (s *stepView) below() string { return s.margin() + spaces(4) }

// explain keeps what a line says of the failure of the step.
func (s *stepView) explain(text string) {
	if text != "" {
		s.said = append(s.said, text)
	}
}

// explained tells whether a reason repeats what a line says already.
func (s *stepView) explained(reason string) bool {
	for _, said := range s.said {
		if strings.Contains(reason, said) || strings.Contains(said, reason) {
			return true
		}
	}
	return false
}

// sub writes a line below that of a step. Where the step's own line is still to
// come, it waits for that. What is of a workflow alone, as its cancel actions, stands
// in a line of its own.
func (c *Console) sub(e executor.Event, text string) {
	s := c.step(e)
	if e.Step == "" {
		c.writeHeader()
		c.line(s.margin() + text)
		return
	}
	if !s.shown {
		s.held = append(s.held, text)
		return
	}
	c.writeHeader()
	c.line(s.below() + text)
}

// cells are the columns of a step's line.
type cells struct {
	mark      string
	markStyle style
	target    string
	status    string
	duration  string
	key       string
	outcome   string // painted
}

// writeStep writes the line of a step, and those that waited for it.
func (c *Console) writeStep(s *stepView, row cells) {
	c.writeHeader()
	name := clip(s.name(), stepTo)
	c.stepWidth = max(c.stepWidth, columns(name)+indent*s.depth)
	row.target = clipMiddle(row.target, targetTo)
	c.targetWidth = max(c.targetWidth, columns(row.target))
	c.keyWidth = max(c.keyWidth, columns(row.key))

	line := s.margin() + c.paint(row.markStyle, row.mark) + " " + left(name, c.stepWidth-indent*s.depth) + "  "
	if row.status+row.duration+row.outcome == "" {
		line += row.target
	} else {
		line += left(row.target, c.targetWidth) + "  " + right(row.status, statusWidth) + "  " + right(row.duration, durationWidth) + c.keyCell(row.key)
	}
	if row.outcome != "" {
		line += "  " + row.outcome
	}
	c.line(line)
	s.shown = true
	for _, text := range s.held {
		c.line(s.below() + text)
	}
	s.held = nil
}

// noRequest is the line of a step that sent nothing.
func noRequest() cells {
	return cells{mark: markFailed, markStyle: red, target: "no request", status: "-", duration: "-"}
}

// keyCell gives the column of keys, which is there from the first key on.
func (c *Console) keyCell(key string) string {
	if c.keyWidth == 0 {
		return ""
	}
	return "  " + c.paint(dim, key) + spaces(c.keyWidth-columns(key))
}

func (c *Console) stepFinished(e executor.Event, d executor.StepFinished) {
	s := c.step(e)
	if !s.shown || s.calls != "" && s.request.Method == "" {
		c.closeStep(s, e, d)
	} else if !d.Succeeded && d.Reason != "" && !s.explained(d.Reason) {
		c.sub(e, c.paint(red, "failed: "+clip(printable(d.Reason), reasonTo)))
	}
	if d.Operation != "" && s.operation != "" && d.Operation != s.operation {
		c.sub(e, c.paint(classStyle(d.Operation), "operation "+string(d.Operation)))
	}
	if s.owner != "" && (!d.Succeeded || d.Operation == idempotency.Unknown || c.options.Verbose) {
		c.sub(e, "owner: "+clip(printable(s.owner), reasonTo))
	}
	if c.options.Verbose && d.Succeeded {
		c.writeOutputs(s.below(), d.Outputs)
	}
	c.forget(s)
}

// forget drops an activation that has ended. What was said of its failure explains
// that of the step that called its workflow as well.
func (c *Console) forget(s *stepView) {
	c.steps = slices.DeleteFunc(c.steps, func(open *stepView) bool { return open == s })
	if caller := c.innermost(); caller != nil && caller.depth < s.depth {
		caller.said = append(caller.said, s.said...)
	}
}

// closeStep writes the line of a step that made no request of its own.
func (c *Console) closeStep(s *stepView, e executor.Event, d executor.StepFinished) {
	row := cells{mark: markPassed, markStyle: green, duration: elapsed(e.Time.Sub(s.began)), outcome: c.paint(green, "succeeded")}
	if s.calls != "" {
		row.target = "workflow " + printable(s.calls)
	} else {
		row.target, row.duration = "no request", "-"
	}
	if !d.Succeeded {
		row.mark, row.markStyle = markFailed, red
		row.outcome = "failed"
		if d.Reason != "" && !s.explained(d.Reason) {
			row.outcome += ": " + clip(printable(d.Reason), reasonTo)
		}
		row.outcome = c.paint(red, row.outcome)
	}
	c.writeStep(s, row)
}

func (c *Console) writeOutputs(margin string, outputs value.Value) {
	for _, m := range outputs.Members() {
		text := printable(m.Name) + " = " + printable(m.Value.String())
		c.line(margin + c.paint(dim, clip(text, reasonTo)))
	}
}
