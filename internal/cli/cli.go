package cli

import (
	"errors"
	"fmt"
	"io"
	"log"
	"os"
	"runtime/debug"
	"slices"
	"strings"

	"github.com/mattn/go-isatty"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/weft-flow/weft/internal/spelling"
)

// Stdio is where a command reads and writes: results to Out, progress and notes
// to Err.
type Stdio struct {
	In  io.Reader
	Out io.Writer
	Err io.Writer
}

// Run runs the command line args, without the program's name, and gives the exit code.
func Run(args []string, stdio Stdio) (code int) {
	// net/http logs what servers send unasked, as it is: it may hold a secret that they echo.
	log.SetOutput(io.Discard)
	defer func() {
		if fault := recover(); fault != nil {
			fmt.Fprintf(stdio.Err, "weft: a fault of weft itself: %v\n%s", fault, debug.Stack())
			code = exitFault
		}
	}()
	root := newRoot(stdio)
	root.SetArgs(args)
	err := root.Execute()
	var exit *exitError
	switch {
	case errors.As(err, &exit) && exit.err == nil:
	case err != nil:
		fmt.Fprintf(stdio.Err, "weft: %v\n", err)
	}
	return codeOf(err)
}

func newRoot(stdio Stdio) *cobra.Command {
	root := &cobra.Command{
		Use:   "weft",
		Short: "Run and lint Arazzo workflows, safely",
		Long: "weft runs and lints Arazzo workflows. It sends each request once, repeats\n" +
			"what may have happened only under an idempotency key, and says what it does not know.",
		SilenceErrors: true,
		SilenceUsage:  true,
		Version:       versionLine(),
		Args:          noArguments,
		RunE:          func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	root.SetVersionTemplate("{{.Version}}\n")
	root.SetIn(stdio.In)
	root.SetOut(stdio.Out)
	root.SetErr(stdio.Err)
	root.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error {
		return usage("%w%s; see '%s --help'", err, meantFlag(cmd, err), cmd.CommandPath())
	})
	root.AddCommand(newRunCommand(stdio), newLintCommand(stdio), newExplainCommand(stdio), newRulesCommand(stdio), newMockCommand(stdio), newTestCommand(stdio), newServeCommand(stdio), newRunsCommand(stdio), newDeliverCommand(stdio), newInitCommand(stdio), newVersionCommand(stdio))
	return root
}

// meantFlag asks after the flag that was probably meant by one that there is not: long
// flags have two dashes, and names that are easily mistyped.
func meantFlag(cmd *cobra.Command, err error) string {
	var missing *pflag.NotExistError
	if !errors.As(err, &missing) {
		return ""
	}
	// After a single dash each letter is a flag: what was written stands behind it.
	name := missing.GetSpecifiedName()
	if letters := missing.GetSpecifiedShortnames(); letters != "" {
		name = letters
	}
	name, _, _ = strings.Cut(name, "=")
	if len(name) < len("fix") {
		return ""
	}
	var known []string
	cmd.Flags().VisitAll(func(f *pflag.Flag) {
		if !f.Hidden {
			known = append(known, f.Name)
		}
	})
	if slices.Contains(known, name) {
		return "; did you mean --" + name + "?"
	}
	if near, ok := spelling.Nearest(name, known); ok {
		return "; did you mean --" + near + "?"
	}
	return ""
}

// noArguments refuses arguments, of which an unknown command is the likely one.
func noArguments(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	if cmd.HasParent() {
		return usage("%s takes no arguments, this is %q", cmd.CommandPath(), args[0])
	}
	return usage("there is no command %q; see 'weft --help'", args[0])
}

// someArguments demands at least one argument, what telling of which kind.
func someArguments(what string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) == 0 {
			return usage("%s needs %s; see '%s --help'", cmd.CommandPath(), what, cmd.CommandPath())
		}
		return nil
	}
}

// wantsColor tells whether w is a terminal that may be written to in colour.
func wantsColor(w io.Writer) bool {
	if os.Getenv("NO_COLOR") != "" || os.Getenv("TERM") == "dumb" {
		return false
	}
	return isTerminal(w)
}

func isTerminal(w io.Writer) bool {
	file, ok := w.(*os.File)
	return ok && isatty.IsTerminal(file.Fd())
}
