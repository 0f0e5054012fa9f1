package format

import (
	"fmt"
	"io"
	"strings"

	"github.com/weft-flow/weft/internal/junit"
	"github.com/weft-flow/weft/lint"
)

// JUnit gives the format that CI systems show as tests: a suite for each file, a
// case for each finding. Those less grave than failOn pass, with their text as
// output; what could not be checked is skipped. A file without either has one case
// that passes.
func JUnit(failOn lint.Severity) Func {
	if failOn == 0 {
		failOn = lint.Error
	}
	return func(w io.Writer, result lint.Result) error {
		report := junit.Report{Name: "weft lint"}
		for i := range result.Files {
			report.Suites = append(report.Suites, suiteOf(&result.Files[i], failOn))
		}
		if err := junit.Write(w, report); err != nil {
			return fmt.Errorf("format: %w", err)
		}
		return nil
	}
}

func suiteOf(f *lint.File, failOn lint.Severity) junit.Suite {
	path := root("").path(f.Path)
	s := junit.Suite{Name: path}
	add := func(c junit.Case) {
		c.Class, c.File = path, path
		s.Cases = append(s.Cases, c)
	}
	for i := range f.Diagnostics {
		d := &f.Diagnostics[i]
		c := junit.Case{Name: fmt.Sprintf("%s at %d:%d", d.Rule, d.Span.Start.Line, d.Span.Start.Column), Line: d.Span.Start.Line}
		if lines := told(f, d); d.Severity >= failOn {
			c.Failures = []junit.Problem{{Message: d.Message, Type: severityWord(d.Severity), Text: strings.Join(lines, "\n")}}
		} else {
			c.Output = lines
		}
		add(c)
	}
	for _, n := range f.Incomplete {
		add(junit.Case{Name: "not checked: " + n.What, Skipped: &junit.Problem{Message: n.Why}})
	}
	if len(s.Cases) == 0 {
		add(junit.Case{Name: "no findings"})
	}
	return s
}

// told gives a diagnostic in one line, and what to do about it in others.
func told(f *lint.File, d *lint.Diagnostic) []string {
	lines := []string{fmt.Sprintf("%s: %s: %s [%s/%s]", place(f.Path, d.Span.Start), severityWord(d.Severity), d.Message, d.Layer, d.Rule)}
	for _, r := range d.Related {
		lines = append(lines, place(r.File, r.Span.Start)+": "+r.Message)
	}
	if d.Help != "" {
		lines = append(lines, "help: "+d.Help)
	}
	for _, fix := range d.Fixes {
		lines = append(lines, "fix: "+fix.Title)
	}
	return lines
}
