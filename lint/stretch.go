package lint

import (
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/weft-flow/weft/arazzo"
	"github.com/weft-flow/weft/arazzo/value"
)

// stretch gives the stretch of the file that writes the bytes from up to to of a
// string's text, and tells how that is quoted there: by a byte, or not at all (0).
// It is false where the file cannot be followed.
func (d *Document) stretch(n *arazzo.Node, from, to int) (span arazzo.Span, quote byte, ok bool) {
	if n.Kind != value.KindString || from < 0 || to < from || to > len(n.Text) || n.Span.End.Offset > len(d.Source) {
		return span, 0, false
	}
	r := tracer{source: string(d.Source[n.Span.Start.Offset:n.Span.End.Offset]), text: n.Text}
	switch d.quote(n) {
	case '"', '\'':
		r.quote = d.quote(n)
		r.source = strings.TrimSuffix(r.source, string(r.quote))
		r.at = 1
	case '|', '>':
		r.at = strings.IndexByte(r.source, '\n') + 1 // behind the header
		if n.Text != "" && !isBlank(n.Text[0]) {
			r.skipBlanks()
		}
	}
	start, end, ok := r.trace(from, to)
	if !ok {
		return span, 0, false
	}
	return arazzo.Span{Start: behind(n.Span.Start, r.source[:start]), End: behind(n.Span.Start, r.source[:end])}, r.quote, true
}

// behind gives the place behind a text that begins at another place.
func behind(at arazzo.Position, text string) arazzo.Position {
	at.Offset += len(text)
	if lines := strings.Count(text, "\n"); lines > 0 {
		at.Line += lines
		at.Column = 1
		text = text[strings.LastIndexByte(text, '\n')+1:]
	}
	at.Column += utf8.RuneCountInString(text)
	return at
}

// tracer follows in the file how a string is written there. White space is followed
// run by run: line breaks and the indentation of lines are folded into it.
type tracer struct {
	source string
	text   string
	quote  byte
	at     int // in source
}

// trace gives where the bytes from up to to of the text are written. The first and
// the last of them have to be no white space.
func (r *tracer) trace(from, to int) (start, end int, ok bool) {
	start = -1
	for i := 0; i < len(r.text); {
		if isBlank(r.text[i]) {
			for i < len(r.text) && isBlank(r.text[i]) {
				i++
			}
			if !r.skipBlanks() {
				return 0, 0, false
			}
			continue
		}
		for r.quote == '"' && strings.HasPrefix(r.source[r.at:], "\\\n") {
			r.at += 2
			r.skipBlanks()
		}
		if i == from {
			start = r.at
		}
		wide, ok := r.next(r.text[i:])
		if !ok {
			return 0, 0, false
		}
		if i += wide; i == to {
			return start, r.at, start >= 0
		}
	}
	return 0, 0, false
}

func isBlank(c byte) bool { return c == ' ' || c == '\t' || c == '\n' || c == '\r' }

// skipBlanks goes on behind white space, and tells whether there is any.
func (r *tracer) skipBlanks() bool {
	before := r.at
	for r.at < len(r.source) && isBlank(r.source[r.at]) {
		r.at++
	}
	return r.at > before
}

// next goes on behind what writes the first character of a text, and tells how many
// bytes of the text that is.
func (r *tracer) next(text string) (wide int, ok bool) {
	rest := r.source[r.at:]
	c, wide := utf8.DecodeRuneInString(text)
	switch {
	case r.quote == '\'' && c == '\'':
		r.at += 2
		return wide, strings.HasPrefix(rest, "''")
	case r.quote == '"' && strings.HasPrefix(rest, `\`):
		written, size := unescape(rest)
		r.at += size
		return wide, size > 0 && written == c
	default:
		r.at += wide
		return wide, strings.HasPrefix(rest, text[:wide])
	}
}

// unescape reads the escape with which a text begins, of those that JSON has.
func unescape(text string) (c rune, size int) {
	if len(text) < 2 {
		return 0, 0
	}
	if text[1] == 'u' {
		return unescapeUnit(text)
	}
	const letters, meaning = `"\/bfnrt`, "\"\\/\b\f\n\r\t"
	if at := strings.IndexByte(letters, text[1]); at >= 0 {
		return rune(meaning[at]), 2
	}
	return 0, 0
}

// unescapeUnit reads \uXXXX, and two of them where they make one character.
func unescapeUnit(text string) (c rune, size int) {
	unit := func(from int) (rune, bool) {
		if len(text) < from+6 || text[from:from+2] != `\u` {
			return 0, false
		}
		n, err := strconv.ParseUint(text[from+2:from+6], 16, 16)
		return rune(n), err == nil
	}
	first, ok := unit(0)
	if !ok {
		return 0, 0
	}
	if second, ok := unit(6); ok && utf16.IsSurrogate(first) {
		return utf16.DecodeRune(first, second), 12
	}
	return first, 6
}
