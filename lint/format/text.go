package format

import (
	"bufio"
	"fmt"
	"io"
	"strings"
	"unicode"

	"github.com/weft-flow/weft/arazzo"
	"github.com/weft-flow/weft/lint"
)

// Text gives the format for people: each finding with the line it is about and
// a caret under the place, and one line that sums up. Colour is used only where
// it is asked for.
func Text(color bool) Func {
	return func(w io.Writer, result lint.Result) error {
		t := text{w: bufio.NewWriter(w), paint: painter(color)}
		for i := range result.Files {
			t.file(&result.Files[i])
		}
		t.summary(result)
		if err := t.w.Flush(); err != nil {
			return fmt.Errorf("format: write text: %w", err)
		}
		return nil
	}
}

type text struct {
	w     *bufio.Writer
	paint painter
}

func (t *text) printf(format string, args ...any) { fmt.Fprintf(t.w, format, args...) }

func (t *text) file(f *lint.File) {
	lines := newLines(f.Shown())
	for i := range f.Diagnostics {
		t.diagnostic(f, lines, &f.Diagnostics[i])
	}
	for _, i := range f.Incomplete {
		t.printf("%s: not checked: %s, because %s\n\n", plain(f.Path), plain(i.What), plain(i.Why))
	}
}

func (t *text) diagnostic(f *lint.File, lines lines, d *lint.Diagnostic) {
	style := styleOf(d.Severity)
	t.printf("%s %s %s %s\n",
		t.paint.with(bold, place(f.Path, d.Span.Start)+":"),
		t.paint.with(style, severityWord(d.Severity)+":"),
		t.paint.with(bold, plain(d.Message)),
		t.paint.with(dim, "["+d.Layer.String()+"/"+d.Rule+"]"))
	t.frame(lines, d.Span, style)
	for _, r := range d.Related {
		t.printf("%s %s\n", t.paint.with(dim, place(r.File, r.Span.Start)+":"), plain(r.Message))
		if r.File == f.Path {
			t.frame(lines, r.Span, dim)
		}
	}
	if d.Help != "" {
		t.printf("  help: %s\n", plain(d.Help))
	}
	for _, fix := range d.Fixes {
		t.printf("  fix: %s\n", plain(fix.Title))
	}
	t.printf("\n")
}

// frame shows the first line of a span with a caret under each character of it.
func (t *text) frame(lines lines, span arazzo.Span, style style) {
	line, ok := lines.cut(span)
	if !ok {
		return
	}
	shown := layOut(line).clip()
	number := fmt.Sprint(span.Start.Line)
	margin := strings.Repeat(" ", len(number))
	t.printf("%s\n", t.paint.with(dim, margin+" |"))
	t.printf("%s %s\n", t.paint.with(dim, number+" |"), shown.text())
	t.printf("%s %s%s\n", t.paint.with(dim, margin+" |"),
		strings.Repeat(" ", shown.from), t.paint.with(style, strings.Repeat("^", shown.to-shown.from)))
}

func (t *text) summary(result lint.Result) {
	worst := lint.Severity(0)
	for _, s := range []lint.Severity{lint.Hint, lint.Warn, lint.Error} {
		if result.Count(s) > 0 {
			worst = s
		}
	}
	t.printf("%s\n", t.paint.with(styleOf(worst), summaryOf(result)))
}

// summaryOf says in one line how much was found.
func summaryOf(result lint.Result) string {
	var counts []string
	for _, s := range []lint.Severity{lint.Error, lint.Warn, lint.Hint} {
		if n := result.Count(s); n > 0 {
			counts = append(counts, counted(n, severityWord(s)))
		}
	}
	found, incomplete := 0, 0
	for i := range result.Files {
		if len(result.Files[i].Diagnostics) > 0 {
			found++
		}
		if !result.Files[i].Complete {
			incomplete++
		}
	}
	line := "no findings in " + counted(len(result.Files), "file")
	if counts != nil {
		line = fmt.Sprintf("%s in %d of %s", strings.Join(counts, ", "), found, counted(len(result.Files), "file"))
	}
	if incomplete > 0 {
		line += fmt.Sprintf("; %d not checked completely", incomplete)
	}
	return line
}

func place(path string, at arazzo.Position) string {
	return fmt.Sprintf("%s:%d:%d", plain(path), at.Line, at.Column)
}

func severityWord(s lint.Severity) string {
	if s == lint.Warn {
		return "warning"
	}
	return s.String()
}

func counted(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

// plain takes out what would steer a terminal.
func plain(s string) string {
	return strings.Map(func(r rune) rune {
		if isUnsafe(r) {
			return unicode.ReplacementChar
		}
		return r
	}, s)
}
