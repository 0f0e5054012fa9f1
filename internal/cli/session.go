package cli

import (
	"context"
	"fmt"
	"slices"
	"sync/atomic"
	"time"

	"github.com/weft-flow/weft/arazzo/source"
	"github.com/weft-flow/weft/arazzo/value"
	"github.com/weft-flow/weft/executor"
	"github.com/weft-flow/weft/executor/live"
	"github.com/weft-flow/weft/executor/report"
	"github.com/weft-flow/weft/idempotency"
	"github.com/weft-flow/weft/internal/config"
)

// session is what the documents of one command line share.
type session struct {
	flags   *runFlags
	stdio   Stdio
	budget  *idempotency.Budget
	reports []reportFile
	running atomic.Pointer[live.Runtime] // what an interrupt cancels
	ctx     context.Context              // ends when the user gives up
	abort   func()
	stop    func()
	pressed func() bool // whether the user interrupted
}

func (f *runFlags) newSession(ctx context.Context, stdio Stdio) (*session, error) {
	reports, err := f.openReports()
	if err != nil {
		return nil, err
	}
	s := &session{
		flags: f, stdio: stdio, reports: reports,
		budget: idempotency.NewBudget(idempotency.DefaultBudget(), time.Now),
	}
	s.ctx, s.abort = context.WithCancel(ctx)
	s.stop, s.pressed = onInterrupt(stdio, func() {
		if running := s.running.Load(); running != nil {
			running.Cancel()
		}
	}, s.abort)
	return s, nil
}

func (s *session) close() {
	s.stop()
	s.abort()
}

// runDocument runs one document and gives its exit code.
func (s *session) runDocument(loader *source.Loader, d document) int {
	if s.pressed() {
		return exitInterrupted
	}
	set, ok := loadSources(s.ctx, loader, d, s.stdio)
	if !ok {
		return exitUsage
	}
	settings, err := s.flags.settingsFor(d, s.stdio)
	if err != nil {
		return s.tell(err)
	}
	var played *playedAPIs
	if s.flags.mock {
		plan, err := readFaults(s.flags.faults, s.stdio)
		if err != nil {
			return s.tell(err)
		}
		if played, err = startMock(set, plan, s.stdio); err != nil {
			return s.tell(err)
		}
		defer played.stop()
		settings = settings.against(played)
		if !s.flags.dryRun {
			defer played.printLedger(s.people())
		}
	}
	plan, refusals := executor.Compile(set, s.flags.workflows, settings.executor)
	for _, r := range refusals {
		fmt.Fprintln(s.stdio.Err, r.Error())
	}
	if len(refusals) > 0 {
		return exitUsage
	}
	gear, err := settings.equip(set, s.budget)
	if err != nil {
		return s.tell(err)
	}
	defer gear.runtime.Close()
	code := s.runPlan(plan, d.path, settings, gear)
	if played != nil && !s.flags.dryRun {
		code = worse(code, played.tellUnfired(s.stdio.Err))
	}
	return code
}

func (s *session) runPlan(plan *executor.Plan, path string, settings settings, gear gear) int {
	env := &config.Environment{}
	inputs, err := s.flags.inputs.read(plan, s.stdio.In, env)
	if err != nil {
		return s.tell(err)
	}
	if err := plan.CheckInputs(inputs); err != nil {
		return s.tell(&exitError{code: exitUsage, err: err})
	}
	if s.flags.dryRun {
		return s.outline(plan, path, inputs)
	}
	settings.apply(s.reports)
	console := s.newConsole(plan)
	sinks := []executor.Sink{console}
	for _, r := range s.reports {
		sinks = append(sinks, r.report)
	}
	s.running.Store(gear.runtime)
	if s.pressed() {
		return exitInterrupted
	}
	result, err := plan.Run(s.ctx, gear.through(), executor.Start{
		Inputs: inputs, Sink: executor.Tee(sinks...), Secrets: slices.Concat(settings.secrets, env.Secrets()), Learned: gear.learned,
		Reveal: s.flags.noMask, ShowKeys: s.flags.showKeys,
	})
	if closing := console.Close(); err == nil {
		err = closing
	}
	if err != nil {
		return s.tell(err)
	}
	return verdict(result, settings)
}

// verdict gives the exit code for a result.
func verdict(result executor.Result, settings settings) int {
	code := codeOfStatus(result.Status, settings.failOn == "recovered")
	if settings.executor.Contract == executor.ContractError && result.Counts.Findings > 0 {
		code = worse(code, exitFailed)
	}
	return code
}

// outline tells what a run would do.
func (s *session) outline(plan *executor.Plan, path string, inputs value.Value) int {
	outline, err := plan.Outline(inputs)
	if err == nil {
		err = report.WriteOutline(s.people(), path, outline, s.flags.showKeys)
	}
	if err != nil {
		return s.tell(err)
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
	return report.NewConsole(w, options)
}

// tell reports an error and gives its exit code.
func (s *session) tell(err error) int {
	fmt.Fprintf(s.stdio.Err, "weft: %v\n", err)
	return codeOf(err)
}
