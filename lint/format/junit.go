package format

import (
	"encoding/xml"
	"fmt"
	"io"
	"strings"
	"unicode"

	"github.com/weft-flow/weft/lint"
)

type junitSuites struct {
	XMLName  xml.Name     `xml:"testsuites"`
	Name     string       `xml:"name,attr"`
	Tests    int          `xml:"tests,attr"`
	Failures int          `xml:"failures,attr"`
	Skipped  int          `xml:"skipped,attr"`
	Suites   []junitSuite `xml:"testsuite"`
}

type junitSuite struct {
	Name     string      `xml:"name,attr"`
	Tests    int         `xml:"tests,attr"`
	Failures int         `xml:"failures,attr"`
	Skipped  int         `xml:"skipped,attr"`
	Cases    []junitCase `xml:"testcase"`
}

type junitCase struct {
	Name    string        `xml:"name,attr"`
	Class   string        `xml:"classname,attr"`
	File    string        `xml:"file,attr"`
	Line    int           `xml:"line,attr,omitempty"`
	Failure *junitMessage `xml:"failure"`
	Skipped *junitMessage `xml:"skipped"`
	Out     string        `xml:"system-out,omitempty"`
}

type junitMessage struct {
	Message string `xml:"message,attr"`
	Type    string `xml:"type,attr,omitempty"`
	Text    string `xml:",chardata"`
}

// JUnit gives the format that CI systems show as tests: a suite for each file, a
// case for each finding. Those less grave than failOn pass, with their text as
// output; what could not be checked is skipped. A file without either has one case
// that passes.
func JUnit(failOn lint.Severity) Func {
	if failOn == 0 {
		failOn = lint.Error
	}
	return func(w io.Writer, result lint.Result) error {
		out := junitSuites{Name: "weft lint"}
		for i := range result.Files {
			s := suiteOf(&result.Files[i], failOn)
			out.Tests, out.Failures, out.Skipped = out.Tests+s.Tests, out.Failures+s.Failures, out.Skipped+s.Skipped
			out.Suites = append(out.Suites, s)
		}
		text, err := xml.MarshalIndent(out, "", "  ")
		if err == nil {
			_, err = fmt.Fprintf(w, "%s%s\n", xml.Header, text)
		}
		if err != nil {
			return fmt.Errorf("format: write JUnit: %w", err)
		}
		return nil
	}
}

func suiteOf(f *lint.File, failOn lint.Severity) junitSuite {
	path := printable(root("").path(f.Path))
	s := junitSuite{Name: path}
	add := func(c junitCase) {
		c.Class, c.File = path, path
		s.Cases = append(s.Cases, c)
		s.Tests++
	}
	for i := range f.Diagnostics {
		d := &f.Diagnostics[i]
		c := junitCase{Name: fmt.Sprintf("%s at %d:%d", d.Rule, d.Span.Start.Line, d.Span.Start.Column), Line: d.Span.Start.Line}
		text := printable(told(f, d))
		if d.Severity >= failOn {
			c.Failure = &junitMessage{Message: printable(d.Message), Type: severityWord(d.Severity), Text: text}
			s.Failures++
		} else {
			c.Out = text
		}
		add(c)
	}
	for _, n := range f.Incomplete {
		add(junitCase{Name: printable("not checked: " + n.What), Skipped: &junitMessage{Message: printable(n.Why)}})
		s.Skipped++
	}
	if s.Tests == 0 {
		add(junitCase{Name: "no findings"})
	}
	return s
}

// told gives a diagnostic in one line, and what to do about it in others.
func told(f *lint.File, d *lint.Diagnostic) string {
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
	return strings.Join(lines, "\n")
}

// printable takes out what steers a terminal, and what XML 1.0 has no way to write.
func printable(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) && r != '\n' && r != '\t' {
			return unicode.ReplacementChar
		}
		return r
	}, s)
}
