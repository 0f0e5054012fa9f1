package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/user"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"github.com/weft-flow/weft/executor/durable"
	"github.com/weft-flow/weft/idempotency"
)

// newRunsCommand makes the commands for people who look after durable runs.
func newRunsCommand(stdio Stdio) *cobra.Command {
	var f storeFlags
	cmd := &cobra.Command{
		Use:   "runs",
		Short: "Look at durable runs, and act on them",
		Long: "Looks at the runs of a store, and acts on them. Nothing is executed here: that is\n" +
			"what weft serve and weft run --store do. See docs/durability.md.",
		Args: noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	f.define(cmd)
	r := runsCommand{flags: &f, stdio: stdio}
	cmd.AddCommand(r.list(), r.show(), r.act("resume ID", "Have a parked run executed anew from what is recorded", resumeRun),
		r.act("cancel ID", "Ask a run to stop", cancelRun), r.release(), r.settle(), r.unmatched(), r.nodes())
	return cmd
}

// runsCommand makes commands on the runs of a store.
type runsCommand struct {
	flags *storeFlags
	stdio Stdio
}

func (r runsCommand) list() *cobra.Command {
	var filter durable.Filter
	var state, status string
	cmd := &cobra.Command{
		Use:   "list",
		Short: "List runs, the youngest first",
		Args:  noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			switch {
			case filter.Limit < 1:
				return usage("--limit %d: expected at least 1", filter.Limit)
			case cmd.Flags().Changed("token") && filter.Token == "":
				return usage("--token is empty; leave it out for runs with any token and with none")
			}
			return r.flags.use(cmd, func(ctx context.Context, store *durable.Store) error {
				filter.Workflow = r.flags.workflow
				if r.flags.changed("tenant") {
					filter.Tenant = &r.flags.tenant
				}
				var err error
				if filter.State, filter.Status, err = parseStates(state, status); err != nil {
					return err
				}
				page, err := store.List(ctx, filter)
				if err != nil {
					return err
				}
				if r.flags.json {
					return writeJSON(r.stdio.Out, page)
				}
				return writeRuns(r.stdio.Out, page, time.Now())
			})
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&state, "state", "", "only those that are `accepted`, running or ended")
	flags.StringVar(&status, "status", "", "only those that ended as `succeeded`, recovered, failed, cancelled or unknown")
	flags.StringVar(&filter.Token, "token", "", "only those with this `TOKEN`")
	flags.BoolVar(&filter.Parked, "parked", false, "only those that are parked: something keeps them from being executed")
	flags.IntVar(&filter.Limit, "limit", 50, "at most so many")
	flags.StringVar(&filter.After, "after", "", "go on behind the page that gave this `MARK`")
	return cmd
}

func (r runsCommand) show() *cobra.Command {
	return &cobra.Command{
		Use:   "show ID",
		Short: "Tell where a run stands, without what was sent and received",
		Args:  oneArgument("the id of a run"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return r.flags.use(cmd, func(ctx context.Context, store *durable.Store) error {
				detail, err := store.Show(ctx, args[0])
				if err != nil {
					return perhapsToken(err, args[0])
				}
				if r.flags.json {
					return writeJSON(r.stdio.Out, detail)
				}
				return writeRun(r.stdio.Out, detail)
			})
		},
	}
}

func resumeRun(ctx context.Context, store *durable.Store, run string) (string, error) {
	return "put in line", store.Resume(ctx, run)
}

func cancelRun(ctx context.Context, store *durable.Store, run string) (string, error) {
	return "asked to stop", store.Cancel(ctx, run)
}

// perhapsToken says where to look for a run that there is not: its token may have been
// given for its id.
func perhapsToken(err error, name string) error {
	if errors.Is(err, durable.ErrNoRun) {
		return usage("there is no such run, %q; if it is a token, 'weft runs list --token' names its run", name)
	}
	return err
}

// act makes a command that does something to one run.
func (r runsCommand) act(use, short string, do func(context.Context, *durable.Store, string) (string, error)) *cobra.Command {
	return &cobra.Command{
		Use: use, Short: short,
		Args: oneArgument("the id of a run"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return r.flags.use(cmd, func(ctx context.Context, store *durable.Store) error {
				done, err := do(ctx, store, args[0])
				if err != nil {
					return perhapsToken(err, args[0])
				}
				return r.told(args[0], done)
			})
		},
	}
}

func (r runsCommand) release() *cobra.Command {
	return &cobra.Command{
		Use:   "release TOKEN",
		Short: "Free a token at once, also while its run goes on",
		Long: "Frees the token of a workflow (-w) at once, whatever its retention. Its run, should\n" +
			"it go on, is not told: a new run may then be started beside it.",
		Args: oneArgument("a token"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if r.flags.workflow == "" {
				return usage("a token is that of a workflow: say -w ID")
			}
			return r.flags.use(cmd, func(ctx context.Context, store *durable.Store) error {
				run, err := store.Release(ctx, r.flags.tenant, r.flags.workflow, args[0])
				switch {
				case errors.Is(err, idempotency.ErrNotHeld):
					return usage("nothing holds the token %q of the workflow %q", args[0], r.flags.workflow)
				case err != nil:
					return err
				}
				return r.told(run, "holds its token no more")
			})
		},
	}
}

func (r runsCommand) settle() *cobra.Command {
	var settlement durable.Settlement
	var response string
	cmd := &cobra.Command{
		Use:   "settle ID --step STEP --outcome succeeded|failed",
		Short: "Tell a run what became of an operation whose outcome is unknown",
		Long: "Tells a run what became of an operation whose outcome it does not know. A run that\n" +
			"goes on, waits or is parked takes it up as if a requery had told it; one that has ended\n" +
			"stays as it ended. It is about the last request of the step; --activation and --attempt\n" +
			"have it refused where that is another by now than the one that was looked at. Where the\n" +
			"outcome of the step is unknown in several workflows, -w names the call path of one, as\n" +
			"'weft runs show --json' has it.",
		Args: oneArgument("the id of a run"),
		RunE: func(cmd *cobra.Command, args []string) error {
			switch {
			case settlement.Step == "":
				return usage("settle needs --step: whose outcome is it?")
			case settlement.Outcome != "succeeded" && settlement.Outcome != "failed":
				return usage("--outcome %q: expected succeeded or failed", settlement.Outcome)
			case settlement.Activation < 0 || settlement.Attempt < 0:
				return usage("--activation and --attempt are counted from 1")
			}
			if response != "" {
				body, err := os.ReadFile(response)
				if err != nil {
					return usage("--response: %w", err)
				}
				settlement.Response = body
			}
			if settlement.Operator == "" {
				settlement.Operator = operator()
			}
			settlement.Workflow = r.flags.workflow
			return r.flags.use(cmd, func(ctx context.Context, store *durable.Store) error {
				if err := store.Settle(ctx, args[0], settlement); err != nil {
					return perhapsToken(err, args[0])
				}
				return r.told(args[0], fmt.Sprintf("step %s is settled: %s", settlement.Step, settlement.Outcome))
			})
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&settlement.Step, "step", "", "the `STEP` that made the request")
	flags.StringVar(&settlement.Outcome, "outcome", "", "`succeeded` or failed")
	flags.IntVar(&settlement.Activation, "activation", 0, "only if the last request was made in this activation of the step, the `N` of step#N")
	flags.IntVar(&settlement.Attempt, "attempt", 0, "only if the last request was this `N`th attempt")
	flags.StringVar(&response, "response", "", "a `FILE` with the body that the server answered, where that was found: the outputs of the step are made of it")
	flags.StringVar(&settlement.Operator, "operator", "", "who says so; without it, the user of this machine")
	return cmd
}

func operator() string {
	if u, err := user.Current(); err == nil {
		return u.Username
	}
	return "unknown"
}

// told says what was done to a run.
func (r runsCommand) told(run, done string) error {
	if r.flags.json {
		return writeJSON(r.stdio.Out, struct {
			Run  string `json:"run"`
			Done string `json:"done"`
		}{run, done})
	}
	_, err := fmt.Fprintf(r.stdio.Out, "%s: %s\n", run, done)
	return err
}

// oneArgument demands exactly one argument, what telling of which kind.
func oneArgument(what string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) != 1 || args[0] == "" {
			return usage("%s needs %s; see '%s --help'", cmd.CommandPath(), what, cmd.CommandPath())
		}
		return nil
	}
}

// writeJSON writes one indented document.
func writeJSON(w io.Writer, document any) error {
	encoder := json.NewEncoder(w)
	encoder.SetIndent("", "  ")
	encoder.SetEscapeHTML(false)
	return encoder.Encode(document)
}

// writeRuns writes a list for people.
func writeRuns(w io.Writer, page durable.Page, now time.Time) error {
	if len(page.Runs) == 0 {
		_, err := fmt.Fprintln(w, "no runs")
		return err
	}
	table := tabwriter.NewWriter(w, 0, 8, 2, ' ', 0)
	fmt.Fprintln(table, "RUN\tWORKFLOW\tTOKEN\tSTATE\tAGE\t")
	for _, run := range page.Runs {
		fmt.Fprintf(table, "%s\t%s\t%s\t%s\t%s\t\n", run.Run, run.Workflow, orDash(run.Token), stateOf(run), ageOf(now.Sub(run.Created)))
	}
	if err := table.Flush(); err != nil {
		return err
	}
	if page.Next != "" {
		_, err := fmt.Fprintf(w, "\nthere are more: --after %s\n", page.Next)
		return err
	}
	return nil
}

// stateOf says in a few words where a run stands.
func stateOf(run durable.Summary) string {
	switch {
	case run.State == idempotency.Ended:
		return string(run.Status)
	case run.Parked != "":
		return "parked"
	case run.Waiting != nil && run.Waiting.Inbox:
		return "waits for a message"
	case run.Waiting != nil:
		return "sleeps"
	default:
		return string(run.State)
	}
}

func orDash(text string) string {
	if text == "" {
		return "-"
	}
	return text
}

// ageOf rounds a duration to what people want to know of it.
func ageOf(d time.Duration) string {
	switch {
	case d < time.Minute:
		return d.Round(time.Second).String()
	case d < 48*time.Hour:
		return d.Round(time.Minute).String()
	default:
		return fmt.Sprintf("%dd", int(d.Hours())/24)
	}
}
