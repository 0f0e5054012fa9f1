package report

import (
	"fmt"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/width"
)

// This file holds the rules for everything that is written to a terminal:
//
//   - Text from documents, servers and users passes through printable (one line)
//     or paragraph (several). Nothing in it can move the cursor, change colours,
//     set a title, or reverse the direction of writing.
//   - Colour says nothing that words or marks do not say as well, and there is
//     none unless it was asked for.
//   - Columns are counted as a terminal shows them, before colour is added.
//   - Lines are written whole, so that they are never mixed with those of others, and
//     never written over: what lasts is shown by a line that says so.

// Marks that lines begin with.
const (
	markPassed  = "✓"
	markFailed  = "✗"
	markOpened  = "▾" // a workflow that a step calls begins here
	markAction  = "→"
	markRetry   = "↻"
	markCare    = "!"
	markWaits   = "…"
	markMessage = "✉" // also where a response has its status
)

// style is one way to emphasize.
type style string

// The styles, as parameters of SGR (ECMA-48, section 8.3.117).
const (
	plain  style = ""
	bold   style = "1"
	dim    style = "2"
	red    style = "31"
	green  style = "32"
	yellow style = "33"
)

// paint gives text in a style where colour is wanted.
func (c *Console) paint(s style, text string) string {
	if !c.options.Color || s == plain || text == "" {
		return text
	}
	return "\x1b[" + string(s) + "m" + text + "\x1b[0m"
}

// printable gives text as one line that does nothing but be seen: what is not
// printable is written as an escape.
func printable(text string) string {
	clean := true
	for _, r := range text {
		if r == utf8.RuneError || !unicode.IsPrint(r) {
			clean = false
			break
		}
	}
	if clean {
		return text
	}
	var b strings.Builder
	for i := 0; i < len(text); {
		r, size := utf8.DecodeRuneInString(text[i:])
		switch {
		case r == utf8.RuneError && size == 1:
			fmt.Fprintf(&b, `\x%02x`, text[i])
		case unicode.IsPrint(r):
			b.WriteRune(r)
		default:
			b.WriteString(escaped(r))
		}
		i += size
	}
	return b.String()
}

func escaped(r rune) string {
	switch r {
	case '\n':
		return `\n`
	case '\r':
		return `\r`
	case '\t':
		return `\t`
	}
	if r < 0x100 {
		return fmt.Sprintf(`\x%02x`, r)
	}
	return fmt.Sprintf(`\u{%x}`, r)
}

// paragraph gives the lines of text, each printable, with tabs as spaces.
func paragraph(text string) []string {
	lines := strings.Split(strings.TrimSuffix(text, "\n"), "\n")
	for i, line := range lines {
		line = strings.TrimSuffix(line, "\r")
		lines[i] = printable(strings.ReplaceAll(line, "\t", "    "))
	}
	return lines
}

// columns counts the columns that printable text takes.
func columns(text string) int {
	n := 0
	for _, r := range text {
		n += columnsOf(r)
	}
	return n
}

func columnsOf(r rune) int {
	if r < utf8.RuneSelf {
		return 1
	}
	if unicode.In(r, unicode.Mn, unicode.Me) {
		return 0
	}
	switch width.LookupRune(r).Kind() {
	case width.EastAsianWide, width.EastAsianFullwidth:
		return 2
	}
	return 1
}

// clip shortens printable text to a number of columns, with a mark where it was cut.
func clip(text string, limit int) string {
	if len(text) <= limit || columns(text) <= limit {
		return text
	}
	n := 0
	for i, r := range text {
		if n += columnsOf(r); n > limit-1 {
			return text[:i] + "…"
		}
	}
	return text
}

// clipMiddle shortens as clip does, but keeps the end as well: that of a path tells
// more than its middle.
func clipMiddle(text string, limit int) string {
	if len(text) <= limit || columns(text) <= limit {
		return text
	}
	tail := []rune(text)
	for columns(string(tail)) > limit/3 {
		tail = tail[1:]
	}
	return clip(text, limit-columns(string(tail))) + string(tail)
}

// left fills text up with spaces behind it, right with spaces before it.
func left(text string, to int) string  { return text + spaces(to-columns(text)) }
func right(text string, to int) string { return spaces(to-columns(text)) + text }

func spaces(n int) string { return strings.Repeat(" ", max(0, n)) }

// elapsed writes a duration as short as it stays useful: 12ms, 1.5s, 2m05s, 1h03m.
func elapsed(d time.Duration) string {
	switch {
	case d <= 0:
		return "0ms"
	case d < time.Millisecond:
		return "<1ms"
	case d < time.Second:
		return fmt.Sprintf("%dms", d.Milliseconds())
	case d < time.Minute:
		return fmt.Sprintf("%.1fs", d.Truncate(100*time.Millisecond).Seconds())
	case d < time.Hour:
		return fmt.Sprintf("%dm%02ds", int(d.Minutes()), int(d.Seconds())%60)
	default:
		return fmt.Sprintf("%dh%02dm", int(d.Hours()), int(d.Minutes())%60)
	}
}

// pause writes how long a wait will be, exactly as far as milliseconds go.
func pause(d time.Duration) string {
	if d <= 0 {
		return "at once"
	}
	return "in " + d.Round(time.Millisecond).String()
}

// counted gives a number with its noun: "1 step", "2 steps".
func counted(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}
