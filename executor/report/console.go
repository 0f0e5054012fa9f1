package report

import (
	"bytes"
	"io"
	"strings"
	"sync"
	"time"

	"github.com/weft-flow/weft/executor"
)

// Options say how a Console writes.
type Options struct {
	// Color adds colour by ANSI escape sequences.
	Color bool
	// Verbose adds criteria that passed, outputs, and headers and bodies.
	Verbose bool
	// StepWidth and TargetWidth are the widths of the columns of step ids and of
	// what they call where it is known how long these get; 0: they grow as they come.
	StepWidth, TargetWidth int
	// MaxBody is how many bytes of a body are shown; 0: 2048.
	MaxBody int
	// After calls a function once so much time has passed, unless it is stopped
	// before. With it a long wait for a message is shown while it lasts; nil: it is
	// shown when it is over.
	After func(d time.Duration, call func()) (stop func())
}

// Console writes a run as lines of text while it goes on: one line for each
// attempt, and indented ones for what was made of it. It is an executor.Sink for
// one run.
type Console struct {
	w       io.Writer
	options Options
	lock    sync.Mutex   // between events and what Options.After calls
	out     bytes.Buffer // what one event adds

	began                            time.Time
	document                         string
	workflows                        []openWorkflow // not finished and of depth 0, the innermost last
	header                           string         // call path of the workflow whose header was written last
	wrote                            bool           // a line was written
	steps                            []*stepView    // begun and not finished, the innermost last
	pending                          pendingLine    // an attempt or a wait of which not all is seen; nil: none
	refused                          int            // moves of the state that were not allowed
	states                           []string       // that the business went through
	told                             []string       // reasons of workflows that were written
	stepWidth, targetWidth, keyWidth int
}

// openWorkflow is a workflow whose lines may still come.
type openWorkflow struct {
	path, id, file string
}

// Widths of columns: what they begin with, and beyond which text is cut.
const (
	stepFrom, stepTo     = 12, 24
	targetFrom, targetTo = 26, 44
	statusWidth          = 3
	durationWidth        = 5
	indent               = 4 // of each workflow within another
	conditionTo          = 160
	reasonTo             = 500
)

// NewConsole gives a Console that writes to w.
func NewConsole(w io.Writer, options Options) *Console {
	if options.MaxBody <= 0 {
		options.MaxBody = 2048
	}
	return &Console{
		w: w, options: options,
		targetWidth: min(max(targetFrom, options.TargetWidth), targetTo),
		stepWidth:   min(max(stepFrom, options.StepWidth), stepTo),
	}
}

// Write takes the next event of the run.
func (c *Console) Write(e executor.Event) error {
	c.lock.Lock()
	defer c.lock.Unlock()
	c.take(e)
	return c.flush()
}

// Close writes what is still held back, as of a run that broke off: an attempt
// whose criteria did not come, and what was said of a step that did not end.
func (c *Console) Close() error {
	c.lock.Lock()
	defer c.lock.Unlock()
	c.writePending(executor.Event{})
	for _, s := range c.steps {
		if len(s.held) > 0 {
			c.writeStep(s, noRequest())
		}
	}
	return c.flush()
}

func (c *Console) flush() error {
	if c.out.Len() == 0 {
		return nil
	}
	_, err := c.w.Write(c.out.Bytes())
	c.out.Reset()
	return err
}

func (c *Console) take(e executor.Event) {
	if p := c.pending; p != nil {
		switch _, aside := e.Detail.(executor.MessageSetAside); {
		case p.awaits(e):
			p.hold(e)
			return
		case aside && !p.isOf(e): // it ends no wait of another step
		default:
			c.writePending(e)
		}
	}
	c.show(e)
}

// writePending writes the line that waits, if one does; next is the event after what
// it waited for.
func (c *Console) writePending(next executor.Event) {
	if p := c.pending; p != nil {
		c.pending = nil
		p.write(c, next)
	}
}

// show writes what an event adds, or notes it for a line that is to come.
func (c *Console) show(e executor.Event) {
	switch d := e.Detail.(type) {
	case executor.RunStarted:
		c.runStarted(e, d)
	case executor.WorkflowStarted:
		c.workflowStarted(e, d)
	case executor.StepStarted:
		s := newStepView(e)
		s.owner = d.Owner
		c.steps = append(c.steps, s)
	case executor.RequestPrepared:
		c.step(e).request = d
	case executor.AttemptFinished:
		c.pending = c.step(e).newAttempt(e, d)
	case executor.ContractFinding:
		c.contractFinding(e, d)
	case executor.CriterionEvaluated:
		c.criterionEvaluated(e, d)
	case executor.ActionChosen:
		c.actionChosen(e, d)
	case executor.RetryScheduled:
		c.retryScheduled(e, d)
	case executor.RetryWithheld:
		c.retryWithheld(e, d)
	case executor.StepFinished:
		c.stepFinished(e, d)
	case executor.WorkflowFinished:
		c.workflowFinished(e, d)
	case executor.StateMoved:
		c.stateMoved(e, d)
	case executor.StateRefused:
		c.stateRefused(e, d)
	case executor.MessageAwaited:
		c.messageAwaited(e, d)
	case executor.MessageReceived:
		c.messageReceived(e, d)
	case executor.MessageSetAside:
		c.messageSetAside(e, d)
	case executor.OperationSettled:
		c.aside(e, plain, markAction, settledText(d))
	case executor.Notice:
		c.notice(e, d)
	case executor.RunFinished:
		c.runFinished(e, d)
	}
}

func (c *Console) runStarted(e executor.Event, d executor.RunStarted) {
	c.began, c.document = e.Time, d.Document
	if len(d.Origins) == 0 {
		return
	}
	origins := make([]string, len(d.Origins))
	for i, origin := range d.Origins {
		origins[i] = printable(origin)
	}
	c.line(c.paint(dim, "requests go to "+strings.Join(origins, ", ")))
}

func (c *Console) workflowStarted(e executor.Event, d executor.WorkflowStarted) {
	if e.Depth == 0 {
		file := c.document
		if file == "" {
			file = e.Place.File
		}
		c.workflows = append(c.workflows, openWorkflow{path: e.Workflow, id: d.ID, file: file})
		return
	}
	target := "workflow " + printable(d.ID)
	if caller := c.innermost(); caller != nil && caller.depth == e.Depth-1 {
		caller.calls = d.ID
		c.writeStep(caller, cells{mark: markOpened, markStyle: dim, target: target})
		return
	}
	c.writeHeader()
	c.line(spaces(2+indent*(e.Depth-1)) + c.paint(dim, markOpened) + " " + target) // a cancel action runs it
}

func (c *Console) workflowFinished(e executor.Event, d executor.WorkflowFinished) {
	if e.Depth > 0 {
		return
	}
	c.writeHeader()
	c.writeStates()
	if d.Status != executor.Succeeded && d.Reason != "" {
		c.tell(d.Reason)
		c.line("  " + c.paint(statusStyle(d.Status), string(d.Status)+": "+printable(d.Reason)))
	}
	if c.options.Verbose {
		c.writeOutputs("  ", d.Outputs)
	}
	for i := len(c.workflows) - 1; i >= 0; i-- {
		if c.workflows[i].path == e.Workflow {
			c.workflows = c.workflows[:i]
			return
		}
	}
}

// stateMoved keeps the way of the states until the workflow ends. With Verbose each
// move is written with its cause.
func (c *Console) stateMoved(e executor.Event, d executor.StateMoved) {
	if c.options.Verbose {
		c.aside(e, dim, markAction, "state "+printable(d.From)+" "+markAction+" "+printable(d.To)+" ("+printable(d.Cause)+")")
	}
	if len(c.states) == 0 || c.states[len(c.states)-1] != d.From {
		c.states = append(c.states, d.From)
	}
	c.states = append(c.states, d.To)
}

// writeStates writes the way that the state of the business went.
func (c *Console) writeStates() {
	if len(c.states) == 0 {
		return
	}
	way := make([]string, len(c.states))
	for i, state := range c.states {
		way[i] = printable(state)
	}
	c.line("  state " + strings.Join(way, " "+markAction+" "))
	c.states = nil
}

func (c *Console) notice(e executor.Event, d executor.Notice) {
	text := c.paint(yellow, "note: "+printable(d.Message))
	if e.Step == "" {
		c.writeHeader()
		c.line("  " + text)
		return
	}
	c.sub(e, text)
}

// writeHeader writes the file and the workflow that the next lines belong to,
// where they are not those of the lines before.
func (c *Console) writeHeader() {
	if len(c.workflows) == 0 {
		return
	}
	w := c.workflows[len(c.workflows)-1]
	if w.path == c.header {
		return
	}
	if c.wrote {
		c.line("")
	}
	c.header = w.path
	c.line(printable(w.file) + "  " + c.paint(bold, printable(w.id)))
}

// tell keeps a reason that was written, so that it is not written again at the end.
func (c *Console) tell(reason string) { c.told = append(c.told, reason) }

func (c *Console) line(text string) {
	c.wrote = true
	c.out.WriteString(text)
	c.out.WriteByte('\n')
}
