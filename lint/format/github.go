package format

import (
	"bufio"
	"fmt"
	"io"
	"strings"
	"unicode"

	"github.com/weft-flow/weft/lint"
)

// GitHub gives the format of workflow commands, of which GitHub makes annotations at
// the lines of a change, with one line that sums up. Files are named from a folder on;
// see Options.Root.
func GitHub(folder string) Func {
	return func(w io.Writer, result lint.Result) error { return writeGitHub(w, result, root(folder)) }
}

func writeGitHub(w io.Writer, result lint.Result, from root) error {
	out := bufio.NewWriter(w)
	for i := range result.Files {
		f := &result.Files[i]
		file := property{"file", from.path(f.Path)}
		for j := range f.Diagnostics {
			d := &f.Diagnostics[j]
			text := d.Message
			if d.Help != "" {
				text += "\n" + d.Help
			}
			command(out, githubLevel(d.Severity), append([]property{file}, githubPlace(d)...), "weft "+d.Rule, text)
		}
		for _, n := range f.Incomplete {
			command(out, "warning", []property{file}, "weft: not checked", n.What+", because "+n.Why)
		}
	}
	fmt.Fprintln(out, summaryOf(result))
	if err := out.Flush(); err != nil {
		return fmt.Errorf("format: write workflow commands: %w", err)
	}
	return nil
}

type property struct{ name, value string }

func command(w io.Writer, level string, properties []property, title, text string) {
	var b strings.Builder
	for _, p := range append(properties, property{"title", title}) {
		if b.Len() > 0 {
			b.WriteByte(',')
		}
		b.WriteString(p.name + "=" + escapeProperty.Replace(printable(p.value)))
	}
	fmt.Fprintf(w, "::%s %s::%s\n", level, b.String(), escapeData.Replace(printable(text)))
}

// What would end a command or a property is written in percent encoding.
var (
	escapeData     = strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A")
	escapeProperty = strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A", ":", "%3A", ",", "%2C")
)

// githubPlace gives lines, and columns where the finding stands in one line:
// GitHub takes them for no other. Its last column is one that is marked.
func githubPlace(d *lint.Diagnostic) []property {
	start, end := d.Span.Start, d.Span.End
	place := []property{{"line", fmt.Sprint(start.Line)}, {"endLine", fmt.Sprint(lastLine(d))}}
	if start.Line == end.Line {
		place = append(place, property{"col", fmt.Sprint(start.Column)}, property{"endColumn", fmt.Sprint(max(start.Column, end.Column-1))})
	}
	return place
}

// lastLine gives the last line of which something is marked.
func lastLine(d *lint.Diagnostic) int {
	line := d.Span.End.Line
	if d.Span.End.Column == 1 {
		line--
	}
	return max(d.Span.Start.Line, line)
}

func githubLevel(s lint.Severity) string {
	switch s {
	case lint.Error:
		return "error"
	case lint.Warn:
		return "warning"
	default:
		return "notice"
	}
}

// printable replaces what steers a terminal.
func printable(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) && r != '\n' && r != '\t' {
			return unicode.ReplacementChar
		}
		return r
	}, s)
}
