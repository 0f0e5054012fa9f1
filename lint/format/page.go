package format

import (
	"fmt"
	"io"
	"strings"

	"github.com/weft-flow/weft/lint"
)

// Page gives the page of a rule in Markdown.
func Page(r lint.Rule) string {
	var b strings.Builder
	fmt.Fprintf(&b, "# %s\n\n%s\n\n%s\n\n", r.Name, kindOf(r), r.Summary)
	fmt.Fprintf(&b, "Avoid:\n\n```yaml\n%s\n```\n\nPrefer:\n\n```yaml\n%s\n```\n\n", strings.TrimSpace(r.Avoid), strings.TrimSpace(r.Prefer))
	fmt.Fprintf(&b, "## Why\n\n%s\n\n## Configuration\n\n```yaml\n%s```\n", r.Why, configurationOf(r))
	if len(r.Options) > 0 {
		b.WriteString("\n")
	}
	for _, o := range r.Options {
		fmt.Fprintf(&b, "- `%s`: %s. Default: %d.\n", o.Name, strings.TrimSuffix(o.Meaning, "."), o.Default)
	}
	fmt.Fprintf(&b, "\nIn a document, on the line of the finding or above it:\n\n```yaml\n%s\n```\n", ignoreOf(r))
	return b.String()
}

// Explain writes what a rule says for people at a terminal.
func Explain(w io.Writer, r lint.Rule, color bool) error {
	paint := painter(color)
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n%s\n\n%s\n\n", paint.with(bold, r.Name), kindOf(r), fold(r.Summary))
	fmt.Fprintf(&b, "%s\n%s\n%s\n%s\n", paint.with(red, "Avoid"), indent(r.Avoid), paint.with(green, "Prefer"), indent(r.Prefer))
	fmt.Fprintf(&b, "%s\n%s\n\n", paint.with(bold, "Why"), fold(r.Why))
	fmt.Fprintf(&b, "%s, in weft.yaml\n%s", paint.with(bold, "Configuration"), indent(configurationOf(r)))
	for _, o := range r.Options {
		fmt.Fprintf(&b, "  %s: %s\n", o.Name, o.Meaning)
	}
	fmt.Fprintf(&b, "\nIn a document, on the line of the finding or above it\n%s\n%s\n", indent(ignoreOf(r)), PageURL(r.Name))
	if _, err := io.WriteString(w, b.String()); err != nil {
		return fmt.Errorf("format: explain %s: %w", r.Name, err)
	}
	return nil
}

func kindOf(r lint.Rule) string {
	return fmt.Sprintf("Severity: %s. Layer: %s.", severityWord(r.Severity), r.Layer)
}

// configurationOf shows how a rule is configured, by its defaults.
func configurationOf(r lint.Rule) string {
	if len(r.Options) == 0 {
		return fmt.Sprintf("lint:\n  rules:\n    %s: %s # error, warn, hint or off\n", r.Name, r.Severity)
	}
	text := fmt.Sprintf("lint:\n  rules:\n    %s:\n      severity: %s # error, warn, hint or off\n", r.Name, r.Severity)
	for _, o := range r.Options {
		text += fmt.Sprintf("      %s: %d\n", o.Name, o.Default)
	}
	return text
}

func ignoreOf(r lint.Rule) string { return fmt.Sprintf("# weft-ignore: %s -- the reason", r.Name) }

// indent puts each line of a text two columns to the right.
func indent(text string) string {
	lines := strings.Split(strings.TrimSpace(text), "\n")
	for i, line := range lines {
		lines[i] = strings.TrimRight("  "+line, " ")
	}
	return strings.Join(lines, "\n") + "\n"
}

// foldWidth is how many columns a line of explanations takes at most.
const foldWidth = 80

// fold breaks a text into lines at its blanks.
func fold(text string) string {
	var b strings.Builder
	column := 0
	for i, word := range strings.Fields(text) {
		switch {
		case i == 0:
		case column+1+len(word) > foldWidth:
			b.WriteByte('\n')
			column = 0
		default:
			b.WriteByte(' ')
			column++
		}
		b.WriteString(word)
		column += len(word)
	}
	return b.String()
}
