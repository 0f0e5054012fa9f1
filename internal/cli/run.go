package cli

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"github.com/weft-flow/weft/executor"
	"github.com/weft-flow/weft/executor/durable"
	"github.com/weft-flow/weft/internal/config"
)

// runFlags are the flags of weft run.
type runFlags struct {
	sources     sourceFlags
	inputs      inputFlags
	workflows   []string
	servers     []string
	mock        bool
	faults      string
	stepTimeout time.Duration
	timeout     time.Duration
	maxSteps    int
	unsafeRetry string
	contract    string
	configFile  string
	failOn      string
	tenant      string
	jitter      time.Duration
	receiving   receiving
	durably     durably
	maxBody     string
	jsonFile    string
	junitFile   string
	harFile     string
	dryRun      bool
	verbose     bool
	noMask      bool
	showKeys    bool
	logLevel    string

	changed func(flag string) bool // whether a flag was given
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
		RunE: func(cmd *cobra.Command, args []string) error {
			f.changed = cmd.Flags().Changed
			return f.run(cmd.Context(), args, stdio)
		},
	}
	f.define(cmd)
	return cmd
}

// defineExecution defines the flags that say how runs are executed.
func (f *runFlags) defineExecution(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.StringArrayVar(&f.servers, "server", nil, "send to this server: `[SOURCE=]URL` (repeatable)")
	defineSourceFlags(cmd, &f.sources)
	flags.StringVar(&f.configFile, "config", "", "read this `FILE`; else weft.yaml in the document's folder or above it")
	flags.DurationVar(&f.stepTimeout, "step-timeout", executor.DefaultStepTimeout, "limit each HTTP attempt of a step without a timeout of its own")
	flags.DurationVar(&f.timeout, "timeout", executor.DefaultTimeout, "limit the run; without it "+executor.DefaultTimeout.String()+", and runs of a store have no limit")
	flags.Lookup("timeout").DefValue = "0s" // not shown: it depends on the store
	flags.IntVar(&f.maxSteps, "max-steps", executor.DefaultMaxSteps, "limit the steps taken in a run, loops included")
	flags.StringVar(&f.contract, "contract", "error", "what a response that breaks its description means: `error`, warn or off")
	flags.StringVar(&f.unsafeRetry, "unsafe-retry", "deny", "`deny` or allow to repeat what is unsafe to repeat after an unknown outcome")
	flags.DurationVar(&f.jitter, "jitter", 0, "add up to this much to each wait before a retry")
	flags.StringVar(&f.maxBody, "max-body", "10MiB", "refuse response bodies over this `SIZE`")
}

func (f *runFlags) define(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.SortFlags = false
	flags.StringArrayVarP(&f.workflows, "workflow", "w", nil, "run this workflow `ID` only (repeatable)")
	flags.StringArrayVarP(&f.inputs.pairs, "input", "i", nil, "give an input as `NAME=VALUE`, or NAME=@FILE with JSON, or with the text of a string (repeatable)")
	flags.StringVar(&f.inputs.file, "inputs", "", "take inputs from a JSON or YAML `FILE`, - for standard input; ${ENV:NAME} is replaced")
	f.defineExecution(cmd)
	flags.BoolVar(&f.mock, "mock", false, "play the described APIs inside this process, and send to them")
	flags.StringVar(&f.faults, "faults", "", "with --mock: break down as this `FILE` plans; a fault that never fires fails the run")
	flags.StringVar(&f.failOn, "fail-on", "failed", "exit 1 when a workflow has `failed`, or also when it has recovered")
	flags.StringVar(&f.tenant, "tenant", "", "keep the idempotency keys of this `NAME` apart from others'")
	flags.StringVar(&f.receiving.listen, "listen", "", "receive messages at this `ADDR`; else at a free port of this machine")
	flags.StringVar(&f.receiving.callbackURL, "callback-url", "", "the base `URL` under which the outside reaches --listen")
	flags.DurationVar(&f.receiving.linger, "linger", 0, "go on receiving so long after the end, to see what comes late")
	flags.StringVar(&f.durably.store, "store", inMemory, "keep the run in `memory`, sqlite:FILE or postgres://…: it then outlives this process")
	flags.StringVar(&f.durably.token, "token", "", "run this at most once at a time: a second start with this `TOKEN` joins the first")
	flags.StringVar(&f.durably.run, "run", "", "give the run in the store this `ID`, a UUID: the same command again finds that run")
	flags.DurationVar(&f.durably.retention, "min-retention", 0, "keep the token held at least so long from the start")
	flags.StringVar(&f.durably.onConflict, "on-conflict", "join", "where the token is held with the same inputs: `join` that run, or fail")
	flags.DurationVar(&f.durably.keep, "keep", 0, "forget the runs of the store so long after their end, looking once a minute; else never")
	flags.DurationVar(&f.durably.stopTimeout, "stop-timeout", durable.DefaultStopTimeout, "with --store, on SIGTERM or an interrupt: wait so long for the outcome of the requests in the air")
	flags.StringVar(&f.jsonFile, "json", "", "write result and events, or with --dry-run what would be done, to `FILE` as one JSON document, - for standard output")
	flags.StringVar(&f.junitFile, "junit", "", "write the result to `FILE` as JUnit XML, - for standard output")
	flags.StringVar(&f.harFile, "har", "", "write all exchanges to `FILE` as an HTTP archive, - for standard output")
	flags.BoolVar(&f.dryRun, "dry-run", false, "tell what would be done, and send nothing")
	flags.BoolVarP(&f.verbose, "verbose", "v", false, "show also what passed, outputs, headers and bodies")
	flags.BoolVar(&f.noMask, "no-mask", false, "show secrets; credentials that weft adds to requests stay masked")
	flags.StringVar(&f.logLevel, "log-level", "", "write a log to standard error, from this `LEVEL` up: debug, info, warn or error")
	flags.BoolVar(&f.showKeys, "show-keys", false, "show idempotency keys whole")
}

func defineSourceFlags(cmd *cobra.Command, f *sourceFlags) {
	cmd.Flags().Var(&f.root, "root", "look for relative sources beneath this `DIR` too")
	cmd.Flags().BoolVar(&f.offline, "offline", false, "fetch nothing from the network")
}

func (f *runFlags) check() error {
	switch {
	case !slices.Contains([]string{"deny", "allow"}, f.unsafeRetry):
		return usage("--unsafe-retry %s: expected deny or allow", f.unsafeRetry)
	case !slices.Contains([]string{"error", "warn", "off"}, f.contract):
		return usage("--contract %s: expected error, warn or off", f.contract)
	case !slices.Contains([]string{"failed", "recovered"}, f.failOn):
		return usage("--fail-on %s: expected failed or recovered", f.failOn)
	case f.stepTimeout <= 0 || f.timeout <= 0:
		return usage("--step-timeout and --timeout must be longer than nothing")
	case f.maxSteps <= 0:
		return usage("--max-steps must be at least 1")
	case f.jitter < 0:
		return usage("--jitter must not be negative")
	case f.dryRun && (f.junitFile != "" || f.harFile != ""):
		return usage("--dry-run sends nothing that --junit or --har could tell; it goes with --json")
	case f.faults != "" && !f.mock:
		return usage("--faults needs --mock: only played APIs break down as planned")
	case f.mock && len(f.servers) > 0:
		return usage("--mock and --server exclude each other: with --mock all requests go to the mock")
	}
	return nil
}

// run runs all files, one after the other. Nothing is sent before all of them have
// been found fit to be run.
func (f *runFlags) run(ctx context.Context, paths []string, stdio Stdio) error {
	if err := f.check(); err != nil {
		return err
	}
	if err := errors.Join(f.receiving.check(f.mock), f.checkStore()); err != nil {
		return err
	}
	if _, err := parseServers(f.servers); err != nil {
		return err
	}
	if _, err := config.ParseSize(f.maxBody); err != nil {
		return usage("--max-body: %w", err)
	}
	s, err := f.newSession(ctx, stdio)
	if err != nil {
		return err
	}
	defer s.close()
	code := s.runAll(f.sources.loader(), paths)
	code = worse(code, s.afterEnd())
	code = worse(code, s.finish())
	if code != exitOK {
		return &exitError{code: code}
	}
	return nil
}
