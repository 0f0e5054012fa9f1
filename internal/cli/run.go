package cli

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"github.com/weft-flow/weft/arazzo/source"
	"github.com/weft-flow/weft/arazzo/value"
	"github.com/weft-flow/weft/executor"
	"github.com/weft-flow/weft/executor/httpcall"
	"github.com/weft-flow/weft/executor/live"
	"github.com/weft-flow/weft/executor/report"
)

// runFlags are the flags of weft run.
type runFlags struct {
	sources     sourceFlags
	inputs      inputFlags
	workflows   []string
	servers     []string
	mock        bool
	stepTimeout time.Duration
	timeout     time.Duration
	maxSteps    int
	unsafeRetry string
	failOn      string
	tenant      string
	jitter      time.Duration
	maxBody     string
	jsonFile    string
	junitFile   string
	harFile     string
	dryRun      bool
	verbose     bool
	noMask      bool
	showKeys    bool
}

func newRunCommand(stdio Stdio) *cobra.Command {
	var f runFlags
	cmd := &cobra.Command{
		Use:   "run FILE...",
		Short: "Run the workflows of Arazzo documents",
		Long: "Runs the workflows of Arazzo documents: all in the order of the document, or those\n" +
			"named with -w. A request that may change something goes to this machine or to a\n" +
			"server named with --server, and nowhere else.\n\n" +
			"Exit code: 0 succeeded or recovered, 1 failed, 2 it cannot be run, 3 an outcome is\n" +
			"unknown, 4 a fault of weft, 130 interrupted without a result.",
		Example: "  weft run --mock specs/orderflow/order.arazzo.yaml\n" +
			"  weft run shop.arazzo.yaml -w placeOrder -i sku=TEA --server https://staging.example.com",
		Args: someArguments("a file to run"),
		RunE: func(cmd *cobra.Command, args []string) error { return f.run(cmd.Context(), args, stdio) },
	}
	f.define(cmd)
	return cmd
}

func (f *runFlags) define(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.SortFlags = false
	flags.StringArrayVarP(&f.workflows, "workflow", "w", nil, "run this workflow `ID` only (repeatable)")
	flags.StringArrayVarP(&f.inputs.pairs, "input", "i", nil, "give an input as `NAME=VALUE`, or NAME=@FILE with JSON (repeatable)")
	flags.StringVar(&f.inputs.file, "inputs", "", "take inputs from a JSON or YAML `FILE`, - for standard input; ${ENV:NAME} is replaced")
	flags.StringArrayVar(&f.servers, "server", nil, "send to this server: `[SOURCE=]URL` (repeatable)")
	defineSourceFlags(cmd, &f.sources)
	flags.BoolVar(&f.mock, "mock", false, "play the described APIs inside this process, and send to them")
	flags.DurationVar(&f.stepTimeout, "step-timeout", executor.DefaultStepTimeout, "limit each HTTP attempt of a step without a timeout of its own")
	flags.DurationVar(&f.timeout, "timeout", executor.DefaultTimeout, "limit the run")
	flags.IntVar(&f.maxSteps, "max-steps", executor.DefaultMaxSteps, "limit the steps taken in a run, loops included")
	flags.StringVar(&f.unsafeRetry, "unsafe-retry", "deny", "`deny` or allow to repeat what is unsafe to repeat after an unknown outcome")
	flags.StringVar(&f.failOn, "fail-on", "failed", "exit 1 when a workflow has `failed`, or also when it has recovered")
	flags.StringVar(&f.tenant, "tenant", "", "keep the idempotency keys of this `NAME` apart from others'")
	flags.DurationVar(&f.jitter, "jitter", 0, "add up to this much to each wait before a retry")
	flags.StringVar(&f.maxBody, "max-body", "10MiB", "refuse response bodies over this `SIZE`")
	flags.StringVar(&f.jsonFile, "json", "", "write result and events to `FILE` as one JSON document, - for standard output")
	flags.StringVar(&f.junitFile, "junit", "", "write the result to `FILE` as JUnit XML, - for standard output")
	flags.StringVar(&f.harFile, "har", "", "write all exchanges to `FILE` as an HTTP archive, - for standard output")
	flags.BoolVar(&f.dryRun, "dry-run", false, "tell what would be done, and send nothing")
	flags.BoolVarP(&f.verbose, "verbose", "v", false, "show also what passed, outputs, headers and bodies")
	flags.BoolVar(&f.noMask, "no-mask", false, "show credentials and secret inputs")
	flags.BoolVar(&f.showKeys, "show-keys", false, "show idempotency keys whole")
}

func defineSourceFlags(cmd *cobra.Command, f *sourceFlags) {
	cmd.Flags().StringVar(&f.root, "root", "", "look for relative sources beneath this `DIR` too")
	cmd.Flags().BoolVar(&f.offline, "offline", false, "fetch nothing from the network")
}

func (f *runFlags) check() error {
	switch {
	case !slices.Contains([]string{"deny", "allow"}, f.unsafeRetry):
		return usage("--unsafe-retry %s: expected deny or allow", f.unsafeRetry)
	case !slices.Contains([]string{"failed", "recovered"}, f.failOn):
		return usage("--fail-on %s: expected failed or recovered", f.failOn)
	case f.stepTimeout <= 0 || f.timeout <= 0:
		return usage("--step-timeout and --timeout must be longer than nothing")
	case f.maxSteps <= 0:
		return usage("--max-steps must be at least 1")
	case f.jitter < 0:
		return usage("--jitter must not be negative")
	case f.mock && len(f.servers) > 0:
		return usage("--mock and --server exclude each other: with --mock all requests go to the mock")
	}
	return nil
}

// run runs all files, one after the other; a file that cannot be run does not
// keep the others from it.
func (f *runFlags) run(ctx context.Context, paths []string, stdio Stdio) error {
	if err := f.check(); err != nil {
		return err
	}
	s, err := f.newSession(stdio)
	if err != nil {
		return err
	}
	defer s.close()
	loader := f.sources.loader()
	documents, ok := readDocuments(ctx, loader, paths, stdio)
	code := exitOK
	if !ok {
		code = exitUsage
	}
	for _, d := range documents {
		code = worse(code, s.runDocument(ctx, loader, d))
	}
	code = worse(code, s.finish())
	if code != exitOK {
		return &exitError{code: code}
	}
	return nil
}

func (f *runFlags) config() (executor.Config, error) {
	servers, err := parseServers(f.servers)
	return executor.Config{
		Servers: servers, StepTimeout: f.stepTimeout, Timeout: f.timeout, MaxSteps: f.maxSteps,
		UnsafeRetry: f.unsafeRetry == "allow", Tenant: f.tenant, Jitter: f.jitter,
	}, err
}

// session is what the documents of one command line share.
type session struct {
	flags   *runFlags
	stdio   Stdio
	config  executor.Config
	runtime *live.Runtime
	reports []reportFile
	stop    func()
	pressed func() bool // whether the user interrupted
}

func (f *runFlags) newSession(stdio Stdio) (*session, error) {
	config, err := f.config()
	if err != nil {
		return nil, err
	}
	maxBody, err := parseSize(f.maxBody)
	if err != nil {
		return nil, usage("--max-body: %w", err)
	}
	s := &session{
		flags: f, stdio: stdio, config: config,
		runtime: live.New(live.Options{Client: httpcall.New(httpcall.Options{MaxBody: maxBody})}),
	}
	if s.reports, err = f.openReports(); err != nil {
		return nil, err
	}
	s.stop, s.pressed = onInterrupt(stdio, s.runtime.Cancel)
	return s, nil
}

func (s *session) close() {
	s.stop()
	s.runtime.Close()
}

// runDocument runs one document and gives its exit code.
func (s *session) runDocument(ctx context.Context, loader *source.Loader, d document) int {
	set, ok := loadSources(ctx, loader, d, s.stdio)
	if !ok {
		return exitUsage
	}
	config := s.config
	if s.flags.mock {
		played, err := startMock(set, s.stdio)
		if err != nil {
			return s.tell(err)
		}
		defer played.stop()
		config.Servers = played.servers
		if !s.flags.dryRun {
			defer played.printLedger(s.people())
		}
	}
	plan, refusals := executor.Compile(set, s.flags.workflows, config)
	for _, r := range refusals {
		fmt.Fprintln(s.stdio.Err, r.Error())
	}
	if len(refusals) > 0 {
		return exitUsage
	}
	return s.runPlan(ctx, plan, d.path)
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

func (s *session) runPlan(ctx context.Context, plan *executor.Plan, path string) int {
	env := &environment{}
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
	console := s.newConsole(plan)
	sinks := []executor.Sink{console}
	for _, r := range s.reports {
		sinks = append(sinks, r.report)
	}
	result, err := plan.Run(ctx, s.runtime, executor.Start{
		Inputs: inputs, Sink: executor.Tee(sinks...), Secrets: env.secrets,
		Reveal: s.flags.noMask, ShowKeys: s.flags.showKeys,
	})
	if closing := console.Close(); err == nil {
		err = closing
	}
	if err != nil {
		return s.tell(err)
	}
	code := codeOfStatus(result.Status, s.flags.failOn == "recovered")
	if result.Status == executor.Cancelled && s.pressed() {
		return exitInterrupted
	}
	return code
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
