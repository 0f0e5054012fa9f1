package cli

import (
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
	format string
	output string
	failOn string
	only   string

	sources sourceFlags
}

func newLintCommand(stdio Stdio) *cobra.Command {
	var f lintFlags
	cmd := &cobra.Command{
		Use:   "lint PATH...",
		Short: "Find what is wrong with Arazzo documents",
		Long: "Checks Arazzo documents: their shape against the specification, and their meaning\n" +
			"against the descriptions that they build on. PATH is a file, or a directory whose\n" +
			"Arazzo documents are all checked. What could not be checked is told as such.\n\n" +
			"Exit code: 0 nothing at or above --fail-on, 1 a finding, 2 wrong usage, 4 a fault of weft.",
		Example: "  weft lint specs/orderflow/order.arazzo.yaml\n  weft lint --only schema --format json docs",
		Args:    someArguments("a file or directory"),
		RunE:    func(cmd *cobra.Command, args []string) error { return f.run(cmd.Context(), args, stdio) },
	}
	cmd.Flags().StringVar(&f.format, "format", "text", "write findings as `text` or json")
	cmd.Flags().StringVar(&f.output, "output", "", "write to `FILE` in place of standard output")
	cmd.Flags().StringVar(&f.failOn, "fail-on", "error", "exit 1 from this severity on: `error`, warn or hint")
	cmd.Flags().StringVar(&f.only, "only", "", "check one layer only: `schema`, the shape of documents")
	defineSourceFlags(cmd, &f.sources)
	return cmd
}

func (f lintFlags) check() error {
	switch {
	case !slices.Contains(format.Names(), f.format):
		return usage("--format %s: expected %s", f.format, strings.Join(format.Names(), " or "))
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
	inputs, missing := lint.Find(paths)
	options := lint.Options{Rules: rules.All(), Loader: f.sources.loader()}
	if f.only != "" {
		options.Only = lint.Schema
	}
	result, unread := lint.Run(ctx, inputs, options)
	if err := f.write(result, stdio); err != nil {
		return err
	}
	if err := errors.Join(missing, unread); err != nil {
		return usage("%w", err)
	}
	if limit, _ := lint.ParseSeverity(f.failOn); result.Reaches(limit) {
		return &exitError{code: exitFailed}
	}
	return nil
}

func (f lintFlags) write(result lint.Result, stdio Stdio) error {
	if f.output == "" {
		return f.writeTo(stdio.Out, result)
	}
	file, err := os.Create(f.output)
	if err != nil {
		return usage("--output: %w", err)
	}
	err = f.writeTo(file, result)
	if closing := file.Close(); err == nil {
		err = closing
	}
	if err != nil {
		return fmt.Errorf("write the findings: %w", err)
	}
	return nil
}

func (f lintFlags) writeTo(w io.Writer, result lint.Result) error {
	write, err := format.Named(f.format, wantsColor(w))
	if err != nil {
		return usage("--format: %w", err)
	}
	return write(w, result)
}
