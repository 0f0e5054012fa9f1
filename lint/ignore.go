package lint

import (
	"bytes"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/weft-flow/weft/arazzo"
	"github.com/weft-flow/weft/arazzo/value"
)

// ignoreComment is a comment of the form
//
//	# weft-ignore: rule, rule -- reason
//
// as far as it could be read.
type ignoreComment struct {
	span   arazzo.Span
	line   int // the line whose findings it ignores; 0: there is none
	rules  []string
	used   []bool // by rule
	reason string
}

// ignoreName is the word of a comment that ignores.
const ignoreName = "weft-ignore"

// ignoreWord begins a comment that ignores. The # of a comment stands at the
// beginning of a line or behind a blank (YAML 1.2, 6.6).
var ignoreWord = regexp.MustCompile(`(?:^|[ \t])(#[ \t]*` + ignoreName + `)(?:[ \t:]|$)`)

// ignoreComments finds the comments of a document that ignore findings. What looks
// like one within a text is none.
func ignoreComments(source []byte, texts []writtenText) []*ignoreComment {
	var comments, above []*ignoreComment
	for _, line := range splitLines(source) {
		bare := strings.TrimLeft(line.text, " \t")
		if at := ignoreWord.FindStringSubmatchIndex(line.text); at != nil && !inText(texts, line.offset+at[2]) {
			c := parseIgnore(line.text[at[3]:])
			c.span = line.span(at[2], len(strings.TrimRight(line.text, " \t")))
			comments = append(comments, c)
			if strings.HasPrefix(bare, "#") {
				above = append(above, c)
				continue
			}
			c.line = line.number
		}
		if bare == "" || strings.HasPrefix(bare, "#") {
			continue
		}
		for _, c := range above {
			c.line = line.number
		}
		above = nil
	}
	return comments
}

// parseIgnore reads what stands behind the word weft-ignore.
func parseIgnore(text string) *ignoreComment {
	names, reason, _ := strings.Cut(strings.TrimPrefix(strings.TrimSpace(text), ":"), "--")
	c := &ignoreComment{reason: strings.TrimSpace(reason)}
	c.rules = strings.FieldsFunc(names, func(r rune) bool { return r == ',' || r == ' ' || r == '\t' })
	for i := range c.rules { // findings have the layer before the name
		for _, layer := range []Layer{Schema, Semantics} {
			c.rules[i] = strings.TrimPrefix(c.rules[i], layer.String()+"/")
		}
	}
	c.used = make([]bool, len(c.rules))
	return c
}

// ignores tells whether the comment, which is for a line of a finding, ignores it, and
// keeps that it was of use. The lines of a finding are its own, that in which the text
// begins that it stands in, since no comment can stand within it, and those of a
// component that it is about.
func (c *ignoreComment) ignores(d *Diagnostic) bool {
	if c.reason == "" {
		return false
	}
	i := slices.Index(c.rules, d.Rule)
	if i < 0 {
		return false
	}
	c.used[i] = true
	return true
}

// writtenText is a stretch of the file that writes a string, in which no comment can
// stand.
type writtenText struct {
	arazzo.Span
	head int // the line in which it begins, where a comment can stand beside it
}

// textsOf gives all strings of a tree as they are written, in their order, also the
// names of members.
func textsOf(source []byte, root *arazzo.Node) []writtenText {
	var texts []writtenText
	for _, s := range textSpans(root, nil) {
		text := writtenText{s, s.Start.Line}
		if s.Start.Offset < len(source) && strings.IndexByte("|>", source[s.Start.Offset]) >= 0 {
			// A comment may stand behind the head of a block.
			if end := bytes.IndexAny(source[s.Start.Offset:], "\r\n"); end >= 0 {
				text.Start.Offset += end
			}
		}
		texts = append(texts, text)
	}
	slices.SortFunc(texts, func(a, b writtenText) int { return a.Start.Offset - b.Start.Offset })
	return texts
}

// headLine gives the line in which the text begins that a place lies in; that of the
// place where it lies in none.
func headLine(texts []writtenText, at arazzo.Position) int {
	// They do not overlap, but for those that an alias repeats, which are equal.
	i, within := slices.BinarySearchFunc(texts, at.Offset, func(s writtenText, offset int) int {
		switch {
		case offset < s.Start.Offset:
			return 1
		case offset > s.End.Offset: // just behind it belongs to it: something is missing there
			return -1
		default:
			return 0
		}
	})
	if !within {
		return at.Line
	}
	return texts[i].head
}

func textSpans(n *arazzo.Node, spans []arazzo.Span) []arazzo.Span {
	if n == nil {
		return spans
	}
	if n.Kind == value.KindString {
		spans = append(spans, n.Span)
	}
	for _, item := range n.Items {
		spans = textSpans(item, spans)
	}
	for _, m := range n.Members {
		spans = textSpans(m.Value, append(spans, m.Key.Span))
	}
	return spans
}

func inText(texts []writtenText, offset int) bool {
	return slices.ContainsFunc(texts, func(s writtenText) bool {
		return s.Start.Offset <= offset && offset < s.End.Offset
	})
}

// sourceLine is one line of a file.
type sourceLine struct {
	number, offset int
	text           string // without what ends the line
}

func splitLines(source []byte) []sourceLine {
	var lines []sourceLine
	rest, offset := string(source), 0
	for rest != "" {
		end := strings.IndexAny(rest, "\r\n")
		size := end + 1
		switch {
		case end < 0:
			end, size = len(rest), len(rest)
		case strings.HasPrefix(rest[end:], "\r\n"):
			size++
		}
		lines = append(lines, sourceLine{len(lines) + 1, offset, rest[:end]})
		rest, offset = rest[size:], offset+size
	}
	return lines
}

// span gives the stretch of a line from byte from up to, not including, byte to.
func (l sourceLine) span(from, to int) arazzo.Span {
	at := func(offset int) arazzo.Position {
		return arazzo.Position{Line: l.number, Column: utf8.RuneCountInString(l.text[:offset]) + 1, Offset: l.offset + offset}
	}
	return arazzo.Span{Start: at(from), End: at(to)}
}
