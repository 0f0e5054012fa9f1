package cli

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync/atomic"
	"time"

	"github.com/weft-flow/weft/arazzo/value"
	"github.com/weft-flow/weft/executor"
	"github.com/weft-flow/weft/executor/channel/webhook"
	"github.com/weft-flow/weft/executor/durable"
	"github.com/weft-flow/weft/executor/live"
	"github.com/weft-flow/weft/executor/report"
	"github.com/weft-flow/weft/idempotency"
)

// session is what the documents of one command line share.
type session struct {
	flags   *runFlags
	stdio   Stdio
	budget  *idempotency.Budget
	reports []reportFile
	ended   []ended
	log     *slog.Logger
	running atomic.Pointer[func()] // what an interrupt does
	ctx     context.Context        // ends when the user gives up
	abort   func()
	// receiver takes messages; nil: no document receives.
	receiver *live.Receiver
	keeping  atomic.Pointer[durable.Store] // store, as an interrupt finds it
	stopped  context.Context               // ends when the store has stopped, or with ctx
	store    *durable.Store                // nil: runs are not kept
	expected *live.ReceiverOptions         // how messages come in for the runs of the store; nil: none do
	listener *webhook.Listener             // of these messages; nil: there is none
	stop     func()
	pressed  func() bool // whether the user interrupted
}

func (f *runFlags) newSession(ctx context.Context, stdio Stdio) (*session, error) {
	logger, err := newLogger(f.logLevel, stdio.Err)
	if err != nil {
		return nil, err
	}
	reports, err := f.openReports()
	if err != nil {
		return nil, err
	}
	s := &session{
		flags: f, stdio: stdio, reports: reports, log: logger,
		budget: idempotency.NewBudget(idempotency.DefaultBudget(), time.Now),
	}
	s.ctx, s.abort = context.WithCancel(ctx)
	begun := "cancelling"
	if f.durably.given() && !f.dryRun {
		begun = "stopping"
	}
	s.stop, s.pressed = onInterrupt(stdio, begun, func() {
		if cancel := s.running.Load(); cancel != nil {
			(*cancel)()
			return
		}
		s.abort() // nothing was sent yet
	}, s.giveUp)
	return s, nil
}

// giveUp is what a second interrupt does.
func (s *session) giveUp() {
	if store := s.keeping.Load(); store != nil {
		store.GiveUp()
	}
	s.abort()
}

func (s *session) close() {
	s.closeReceiver()
	s.closeDurable()
	s.stop()
	s.abort()
}

// run runs a document that is ready, and gives its exit code.
func (s *session) run(j *job) int {
	if s.flags.dryRun {
		return s.outline(j.plan, j.path, j.inputs)
	}
	j.settings.apply(s.reports)
	console := s.newConsole(j.plan)
	sinks := append([]executor.Sink{console, report.NewLog(s.log)}, s.sinks()...)
	result, err := s.runJob(j, executor.Tee(sinks...))
	if closing := console.Close(); err == nil {
		err = closing
	}
	if err != nil {
		return s.tellOf(j.path, err)
	}
	s.note(j, result)
	code := verdict(result, j.settings)
	if j.played != nil {
		j.played.printLedger(s.people())
		code = worse(code, j.played.tellUnfired(s.stdio.Err))
	}
	return code
}

// runJob runs a document to its end, in memory or in the store.
func (s *session) runJob(j *job, sink executor.Sink) (executor.Result, error) {
	if s.store != nil {
		return s.runDurably(j, sink)
	}
	cancel := j.gear.runtime.Cancel
	s.running.Store(&cancel)
	if s.pressed() {
		fmt.Fprintf(s.stdio.Err, "weft: %s: not run\n", j.path)
		return executor.Result{}, &exitError{code: exitInterrupted}
	}
	return j.plan.Run(s.ctx, j.gear.through(), executor.Start{
		Inputs: j.inputs, Sink: sink, Secrets: j.secrets, Learned: j.gear.learned,
		Reveal: s.flags.noMask, ShowKeys: s.flags.showKeys,
	})
}

// verdict gives the exit code for a result.
func verdict(result executor.Result, settings settings) int {
	code := codeOfStatus(result.Status, settings.failOn == "recovered")
	if settings.executor.Contract == executor.ContractError && result.Counts.Findings > 0 {
		code = worse(code, exitFailed)
	}
	if result.Counts.Refused > 0 {
		code = worse(code, exitFailed)
	}
	return code
}

// outline tells what a run would do.
func (s *session) outline(plan *executor.Plan, path string, inputs value.Value) int {
	outline, err := plan.Outline(inputs)
	for _, r := range s.reports {
		if outlines, ok := r.report.(*report.Outlines); ok && err == nil {
			outlines.Add(path, outline)
		}
	}
	if err == nil {
		err = report.WriteOutline(s.people(), path, outline, s.flags.showKeys)
	}
	if err != nil {
		return s.tellOf(path, err)
	}
	return exitOK
}

// newConsole gives a console with columns as wide as the plan needs them. It
// writes to standard output, unless a report goes there.
func (s *session) newConsole(plan *executor.Plan) *report.Console {
	options := report.Options{Verbose: s.flags.verbose}
	for _, step := range plan.Steps() {
		options.StepWidth = max(options.StepWidth, len(step.ID))
		options.TargetWidth = max(options.TargetWidth, len(step.Calls))
	}
	w := s.people()
	options.Color = wantsColor(w)
	if isTerminal(w) {
		options.After = func(d time.Duration, call func()) func() {
			timer := time.AfterFunc(d, call)
			return func() { timer.Stop() }
		}
	}
	return report.NewConsole(w, options)
}

// tell reports an error and gives its exit code.
func (s *session) tell(err error) int { return s.tellOf("", err) }

// tellOf reports an error about a document. One for which it is not run is in the
// reports too.
func (s *session) tellOf(path string, err error) int {
	var exit *exitError
	if errors.As(err, &exit) && exit.err == nil {
		return exit.code // it was told
	}
	fmt.Fprintf(s.stdio.Err, "weft: %v\n", err)
	code := codeOf(err)
	if code == exitUsage {
		for _, reason := range reasonsOf(err) {
			s.refuseIn(path, []executor.Refusal{{Place: executor.Place{File: path}, Message: reason}})
		}
	}
	return code
}

// refuse notes in the reports why the documents are not run whose files the places name.
func (s *session) refuse(refusals ...executor.Refusal) int {
	for _, r := range refusals {
		s.refuseIn(r.Place.File, []executor.Refusal{r})
	}
	return exitUsage
}

// refuseIn notes in the reports why a document is not run. The places may be in others,
// which it builds on.
func (s *session) refuseIn(document string, refusals []executor.Refusal) int {
	for _, r := range s.reports {
		takes, ok := r.report.(interface {
			Refuse(document string, r executor.Refusal)
		})
		for _, refusal := range refusals {
			if ok {
				takes.Refuse(document, refusal)
			}
		}
	}
	return exitUsage
}
