package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"runtime/debug"
	"slices"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"github.com/weft-flow/weft/arazzo/source"
	"github.com/weft-flow/weft/executor"
	"github.com/weft-flow/weft/executor/contract"
	"github.com/weft-flow/weft/executor/mock"
	"github.com/weft-flow/weft/executor/sim"
	"github.com/weft-flow/weft/internal/config"
)

// testFlags are the flags of weft test.
type testFlags struct {
	run    runFlags // what it has in common with weft run
	faults string
	seed   uint64
	replay uint64
	budget time.Duration
	// replayed tells that a file had the run of the seed.
	replayed bool
	limit    time.Duration
	json     string
	junit    string
}

func newTestCommand(stdio Stdio) *cobra.Command {
	var f testFlags
	cmd := &cobra.Command{
		Use:   "test FILE...",
		Short: "Test workflows against every answer and every fault",
		Long: "Runs each workflow against the described APIs, played in memory on a virtual clock:\n" +
			"once as it is; then so that every action is taken, by answers that the descriptions\n" +
			"allow; then under each fault that may befall a step, and under pairs of them. In every\n" +
			"run the same must hold: an end, at most one effect for each thing that is meant to be\n" +
			"done, states that move as they may. What does not hold is told by its shortest run.\n\n" +
			"Exit code: 0 nothing was found, 1 a check does not hold or a planned fault did not\n" +
			"fire, 2 a workflow cannot be run, 4 a fault of weft.",
		Example: "  weft test specs/orderflow/order.arazzo.yaml\n" +
			"  weft test shop.arazzo.yaml --junit report.xml\n" +
			"  weft test shop.arazzo.yaml --replay 123456789",
		Args: someArguments("a file to test"),
		RunE: func(cmd *cobra.Command, args []string) error {
			f.run.changed = cmd.Flags().Changed
			return f.test(cmd.Context(), args, stdio)
		},
	}
	f.define(cmd)
	return cmd
}

func (f *testFlags) define(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.SortFlags = false
	flags.StringArrayVarP(&f.run.workflows, "workflow", "w", nil, "test this workflow `ID` only (repeatable)")
	flags.StringArrayVarP(&f.run.inputs.pairs, "input", "i", nil, "give an input as `NAME=VALUE`, or NAME=@FILE with JSON, or with the text of a string (repeatable); others are made up")
	flags.StringVar(&f.run.inputs.file, "inputs", "", "take inputs from a JSON or YAML `FILE`, - for standard input")
	flags.StringVar(&f.faults, "faults", "", "also run each workflow under the faults that this `FILE` plans; one that fires in none is a failure")
	f.seed = 1
	flags.Var((*seedFlag)(&f.seed), "seed", "order the pairs of faults by this `N`")
	flags.DurationVar(&f.budget, "pairs", contract.DefaultBudget, "try pairs of faults for so long, for each workflow; 0s: none")
	flags.DurationVar(&f.limit, "limit", contract.DefaultLimit, "test each workflow, and make the run of --replay, for so long at most; what is left undone is told")
	flags.Var((*seedFlag)(&f.replay), "replay", "make the run that this `SEED` names once more, over real connections, and show it")
	flags.IntVar(&f.run.maxSteps, "max-steps", contract.DefaultMaxSteps, "take more steps than this in one run for an endless loop")
	flags.DurationVar(&f.run.timeout, "timeout", executor.DefaultTimeout, "limit the virtual time of a run")
	flags.StringVar(&f.json, "json", "", "write the report to `FILE` as JSON, - for standard output")
	flags.StringVar(&f.junit, "junit", "", "write the report to `FILE` as JUnit XML, - for standard output")
	defineSourceFlags(cmd, &f.run.sources)
	flags.StringVar(&f.run.configFile, "config", "", "read this `FILE`; else weft.yaml in the document's folder or above it")
	f.run.stepTimeout, f.run.unsafeRetry, f.run.contract, f.run.maxBody = executor.DefaultStepTimeout, "deny", "error", "10MiB"
}

func (f *testFlags) check() error {
	switch {
	case f.run.maxSteps <= 0:
		return usage("--max-steps must be at least 1")
	case f.run.timeout <= 0 || f.limit <= 0:
		return usage("--timeout and --limit must be longer than nothing")
	case f.budget < 0:
		return usage("--pairs must not be negative")
	case f.json == standardOutput && f.junit == standardOutput:
		return usage("--json and --junit cannot both be written to standard output")
	}
	return nil
}

// Thousands of runs a second leave much garbage and keep little: collecting it more rarely
// makes a fifth more runs.
const (
	moreHeap = 1000    // how much the heap may grow between two collections, in percent
	mostHeap = 1 << 30 // from how many bytes on it is collected as often as need be
)

// test tests all files, one after the other.
func (f *testFlags) test(ctx context.Context, paths []string, stdio Stdio) error {
	if err := f.check(); err != nil {
		return err
	}
	defer debug.SetGCPercent(debug.SetGCPercent(moreHeap))
	defer debug.SetMemoryLimit(debug.SetMemoryLimit(mostHeap))
	faults, err := readFaults(f.faults, stdio)
	if err != nil {
		return err
	}
	loader := f.run.sources.loader()
	documents, refused := readDocuments(ctx, loader, paths, stdio)
	code := exitOK
	if len(refused) > 0 {
		code = exitUsage
	}
	out, err := f.newOutput(stdio)
	if err != nil {
		return err
	}
	for _, r := range refused {
		out.refuse(r.Place.File, r)
	}
	ctx, stop := signal.NotifyContext(ctx, os.Interrupt, syscall.SIGTERM)
	defer stop()
	for _, d := range documents {
		code = worse(code, f.testDocument(ctx, loader, d, faults, stdio, out))
	}
	if err := out.finish(); err != nil {
		return err
	}
	if f.replay != 0 && !f.replayed && code == exitOK {
		return usage("%w: %d", contract.ErrNoSeed, f.replay)
	}
	if code != exitOK {
		return &exitError{code: code}
	}
	return nil
}

// testDocument tests one document and gives its exit code.
func (f *testFlags) testDocument(ctx context.Context, loader *source.Loader, d document, faults mock.FaultPlan, stdio Stdio, out *testOutput) int {
	tell := func(err error) int {
		fmt.Fprintf(stdio.Err, "weft: %v\n", err)
		out.refuseFor(d.path, err)
		return codeOf(err)
	}
	set, refused := loadSources(ctx, loader, d, stdio)
	if len(refused) > 0 {
		out.refuse(d.path, refused...)
		return exitUsage
	}
	options, err := f.options(d, set, faults, stdio)
	if err != nil {
		return tell(err)
	}
	if f.replay != 0 {
		return f.replayRun(ctx, set, options, stdio)
	}
	report, err := contract.Explore(ctx, set, options)
	switch {
	case errors.Is(err, context.Canceled):
		fmt.Fprintln(stdio.Err, "weft: interrupted")
		return exitInterrupted
	case errors.Is(err, contract.ErrNoWorkflow) || errors.Is(err, mock.ErrFault) || errors.Is(err, mock.ErrWebhooks):
		return tell(usage("%s: %w", d.path, err))
	case err != nil:
		return tell(fmt.Errorf("%s: %w", d.path, err))
	}
	report.Document = d.path
	out.add(report)
	switch {
	case report.Refused():
		return exitUsage
	case report.Failed():
		return exitFailed
	default:
		return exitOK
	}
}

// options gathers how a document is tested. The inputs that are given may be of any of
// its workflows.
func (f *testFlags) options(d document, set *source.Set, faults mock.FaultPlan, stdio Stdio) (contract.Options, error) {
	settings, err := f.run.settingsFor(d, stdio)
	if err == nil {
		err = settings.unambiguous(set)
	}
	if err != nil {
		return contract.Options{}, err
	}
	settings.executor.MaxSteps = f.run.maxSteps
	o := contract.Options{Workflows: f.run.workflows, Seed: f.seed, Budget: f.budget, Limit: f.limit, Faults: faults, Config: settings.executor}
	if o.Budget == 0 {
		o.Budget = -1
	}
	compiled := settings.executor
	compiled.Servers = sim.NewStage(set).Servers()
	plan, refusals := executor.Compile(set, f.run.workflows, compiled)
	if len(refusals) > 0 {
		return o, f.inputsNeedAPlan(refusals)
	}
	env := &config.Environment{}
	o.Inputs, err = f.run.inputs.read(plan, stdio.In, env)
	o.Secrets = slices.Concat(settings.secrets, env.Secrets())
	return o, err
}

// inputsNeedAPlan tells why inputs cannot be read by their schemas, where some are given.
// Without any, the workflows that can be run are tested all the same.
func (f *testFlags) inputsNeedAPlan(refusals []executor.Refusal) error {
	if len(f.run.inputs.pairs) == 0 && f.run.inputs.file == "" {
		return nil
	}
	return usage("%w", refusals[0])
}
