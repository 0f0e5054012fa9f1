package cli

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/weft-flow/weft/lint"
	"github.com/weft-flow/weft/lint/format"
	"github.com/weft-flow/weft/lint/rules"
)

// lintFlags are the flags of weft lint.
type lintFlags struct {
	format     string
	output     string
	configFile string
	failOn     string
	only       string
	fix        bool
	stdinName  string

	sources sourceFlags
}

func newLintCommand(stdio Stdio) *cobra.Command {
	var f lintFlags
	cmd := &cobra.Command{
		Use:   "lint PATH...",
		Short: "Find what is wrong with Arazzo documents",
		Long: "Checks Arazzo documents: their shape against the specification, and their meaning\n" +
			"against the descriptions that they build on. PATH is a file, or a directory whose\n" +
			"Arazzo documents are all checked; - is a document on standard input. What could\n" +
			"not be checked is told as such.\n\n" +
			"Hints are left out of every format but json, unless --fail-on hint or weft.yaml\n" +
			"asks for them. 'weft explain RULE' tells more of a finding.\n\n" +
			"Exit code: 0 nothing at or above --fail-on, 1 a finding, 2 wrong usage, 4 a fault of weft.",
		Example: "  weft lint specs/orderflow/order.arazzo.yaml\n" +
			"  weft lint --fix flows\n" +
			"  weft lint --format sarif --output weft.sarif .\n" +
			"  weft lint --stdin-filename flows/pay.arazzo.yaml - < buffer",
		Args: someArguments("a file or directory"),
		RunE: func(cmd *cobra.Command, args []string) error { return f.run(cmd.Context(), args, stdio) },
	}
	flags := cmd.Flags()
	flags.SortFlags = false
	flags.StringVar(&f.format, "format", "text", "write findings as `FORMAT`: "+format.ListNames())
	flags.StringVar(&f.output, "output", "", "write to `FILE` in place of standard output")
	flags.StringVar(&f.configFile, "config", "", "read this `FILE`; else weft.yaml in each document's folder or above it")
	flags.StringVar(&f.failOn, "fail-on", "error", "exit 1 from this severity on: `error`, warn or hint")
	flags.StringVar(&f.only, "only", "", "check one layer only: `schema`, the shape of documents")
	flags.BoolVar(&f.fix, "fix", false, "write the fixes that are certain into the documents")
	flags.StringVar(&f.stdinName, "stdin-filename", "", "with -: the `PATH` that the document on standard input stands for")
	defineSourceFlags(cmd, &f.sources)
	return cmd
}

func (f lintFlags) check() error {
	switch {
	case !slices.Contains(format.Names(), f.format):
		return usage("--format %s: expected %s", f.format, format.ListNames())
	case f.failOn == "warning":
		return usage("--fail-on warning: expected error, warn or hint; did you mean warn?")
	case !slices.Contains([]string{"error", "warn", "hint"}, f.failOn):
		return usage("--fail-on %s: expected error, warn or hint", f.failOn)
	case f.only != "" && f.only != "schema":
		return usage("--only %s: expected schema", f.only)
	}
	return nil
}

func (f lintFlags) run(ctx context.Context, paths []string, stdio Stdio) error {
	if err := f.check(); err != nil {
		return err
	}
	defer collectLater()()
	inputs, missing, err := f.inputs(paths, stdio)
	if err != nil {
		return err
	}
	configs := configReader{named: f.configFile, rules: rules.All(), stdio: stdio}
	if err := configs.configure(inputs); err != nil {
		return err
	}
	result, unread := f.lint(ctx, inputs, stdio)
	unreadable := errors.Join(missing, unread)
	if unreadable == nil || len(result.Files) > 0 || f.format != "text" {
		if err := f.write(result, stdio); err != nil {
			return err
		}
	}
	if unreadable != nil {
		return usage("%w", unreadable)
	}
	if len(result.Files) == 0 {
		fmt.Fprintf(stdio.Err, "weft: nothing was checked: no Arazzo document (.yaml, .yml or .json) in %s\n", strings.Join(paths, ", "))
	}
	if limit, _ := lint.ParseSeverity(f.failOn); result.Reaches(limit) {
		return &exitError{code: exitFailed}
	}
	return nil
}

// lint lints the inputs, and mends them where that is asked for. unread tells of
// those that could not be read: the result of the others stands beside it.
func (f lintFlags) lint(ctx context.Context, inputs []lint.Input, stdio Stdio) (result lint.Result, unread error) {
	if f.fix {
		fixed, unread := f.fixAll(ctx, inputs, stdio)
		return fixed.AtLeast(f.shown()), unread
	}
	result, unread = lint.Run(ctx, inputs, f.options())
	return result.AtLeast(f.shown()), unread
}

func (f lintFlags) options() lint.Options {
	o := lint.Options{Rules: rules.All(), Loader: f.sources.loader()}
	if f.only != "" {
		o.Only = lint.Schema
	}
	return o
}

// shown gives the least severity that the output has: hints are for programs, and
// for those who ask for them.
func (f lintFlags) shown() lint.Severity {
	if f.format == "json" || f.failOn == "hint" {
		return lint.Hint
	}
	return lint.Warn
}

// write writes the result when it is whole, so that a file is not lost for one that
// cannot be written.
func (f lintFlags) write(result lint.Result, stdio Stdio) error {
	color := f.output == "" && wantsColor(stdio.Out)
	limit, _ := lint.ParseSeverity(f.failOn)
	write, err := format.Named(f.format, format.Options{Color: color, Rules: rules.All(), Version: version(), FailOn: limit, Root: repository()})
	if err != nil {
		return usage("--format: %w", err)
	}
	var text bytes.Buffer
	if err := write(&text, result); err != nil {
		return err
	}
	if f.output != "" {
		if err := os.WriteFile(f.output, text.Bytes(), 0o644); err != nil {
			return usage("--output: %w", err)
		}
		return nil
	}
	if _, err := io.Copy(stdio.Out, &text); err != nil {
		return usage("write the findings: %w", err)
	}
	return nil
}
