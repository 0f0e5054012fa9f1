package arazzo

import (
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/weft-flow/weft/arazzo/value"
)

// Part gives the stretch of the file that writes the bytes from up to to of the
// node's Text, wherever it is written: between quotes, folded over lines, in a block.
// White space at its ends, which folding changes, is left out. It is the span of the
// whole node where the file cannot be followed.
func (n *Node) Part(from, to int) Span {
	if from < 0 || to < from || to > len(n.Text) {
		return n.Span
	}
	if n.written == "" {
		if span, ok := n.oneToOne(from, to); ok {
			return span
		}
		return n.Span
	}
	for from < to && isBlank(n.Text[from]) {
		from++
	}
	for from < to && isBlank(n.Text[to-1]) {
		to--
	}
	if from == to {
		return n.pointAt(from)
	}
	if span, ok := n.Written(from, to); ok {
		return span
	}
	return n.Span
}

// pointAt gives the place of one byte of the text as an empty span; behind what
// stands before it where it is white space, or the end.
func (n *Node) pointAt(at int) Span {
	if at < len(n.Text) && !isBlank(n.Text[at]) {
		_, size := utf8.DecodeRuneInString(n.Text[at:])
		if span, ok := n.Written(at, at+size); ok {
			return Span{Start: span.Start, End: span.Start}
		}
		return n.Span
	}
	before := strings.TrimRight(n.Text[:at], blanks)
	_, size := utf8.DecodeLastRuneInString(before)
	if span, ok := n.Written(len(before)-size, len(before)); ok && size > 0 {
		return Span{Start: span.End, End: span.End}
	}
	return n.Span
}

// Written gives the stretch of the file that writes exactly the bytes from up to to
// of a string. It is false where the file cannot be followed, or where folding may
// have changed the ends: they have to be no white space, unless the file writes the
// string byte by byte.
func (n *Node) Written(from, to int) (span Span, ok bool) {
	if n.Kind != value.KindString || from < 0 || to < from || to > len(n.Text) {
		return Span{}, false
	}
	if n.written == "" {
		return n.oneToOne(from, to)
	}
	r := newTracer(n.written, n.Text)
	start, end, ok := r.trace(from, to)
	if !ok {
		return Span{}, false
	}
	return Span{Start: n.Span.Start.After(n.written[:start]), End: n.Span.Start.After(n.written[:end])}, true
}

// oneToOne gives the stretch of a text that stands in the file as it is, in one line
// and perhaps between quotes.
func (n *Node) oneToOne(from, to int) (span Span, ok bool) {
	start, width := n.Span.Start, n.Span.End.Offset-n.Span.Start.Offset
	switch {
	case n.Span.End.Line != start.Line:
		return Span{}, false
	case width == len(n.Text):
	case width == len(n.Text)+2 && n.Kind == value.KindString: // quotes
		start.Column++
		start.Offset++
	default:
		return Span{}, false
	}
	at := func(offset int) Position {
		return Position{Line: start.Line, Column: start.Column + utf8.RuneCountInString(n.Text[:offset]), Offset: start.Offset + offset}
	}
	return Span{Start: at(from), End: at(to)}, true
}

// maxFollowed is the longest text that is followed over lines, in bytes: each place in
// it is looked for from its beginning.
const maxFollowed = 64 << 10

// keepWritten keeps how the file writes a string, where that is not one to one.
func (n *Node) keepWritten(source []byte) {
	if n.Kind != value.KindString || len(source) > maxFollowed {
		return
	}
	bare := source
	if len(bare) == len(n.Text)+2 && (bare[0] == '"' || bare[0] == '\'') {
		bare = bare[1 : len(bare)-1]
	}
	if string(bare) != n.Text || n.Span.Start.Line != n.Span.End.Line {
		n.written = string(source)
	}
}

// blanks are what folding changes.
const blanks = " \t\r\n"

func isBlank(c byte) bool { return strings.IndexByte(blanks, c) >= 0 }

// tracer follows in the file how a string is written there. White space is followed
// run by run: line breaks and the indentation of lines are folded into it.
type tracer struct {
	source string
	text   string
	quote  byte
	at     int // in source
}

func newTracer(source, text string) tracer {
	r := tracer{source: source, text: text}
	switch source[0] {
	case '"', '\'':
		r.quote = source[0]
		r.source = strings.TrimSuffix(source, source[:1])
		r.at = 1
	case '|', '>':
		if end := strings.IndexAny(source, "\r\n"); end >= 0 {
			r.at = end // behind the header
		}
		if text != "" && !isBlank(text[0]) {
			r.skipBlanks()
		}
	}
	return r
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
		if r.skipFold() {
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

// skipBlanks goes on behind white space, however it is written, and tells whether
// there is any.
func (r *tracer) skipBlanks() bool {
	before := r.at
	for r.at < len(r.source) {
		if isBlank(r.source[r.at]) {
			r.at++
			continue
		}
		if r.skipFold() {
			continue
		}
		c, size := r.escape()
		if size == 0 || c >= utf8.RuneSelf || !isBlank(byte(c)) {
			break
		}
		r.at += size
	}
	return r.at > before
}

// skipFold goes on behind a backslash at the end of a line, which joins it with the
// next, and tells whether there is one.
func (r *tracer) skipFold() bool {
	if r.quote != '"' || !strings.HasPrefix(r.source[r.at:], "\\\n") && !strings.HasPrefix(r.source[r.at:], "\\\r") {
		return false
	}
	r.at += len("\\\n")
	return true
}

// escape reads the escape that comes next; size is 0 where there is none.
func (r *tracer) escape() (c rune, size int) {
	if r.quote != '"' || !strings.HasPrefix(r.source[r.at:], `\`) {
		return 0, 0
	}
	return unescape(r.source[r.at:])
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
		written, size := r.escape()
		r.at += size
		return wide, size > 0 && written == c
	default:
		r.at += wide
		return wide, strings.HasPrefix(rest, text[:wide])
	}
}

// unescape reads the escape with which a text begins (YAML 1.2, 5.7).
func unescape(text string) (c rune, size int) {
	if len(text) < 2 {
		return 0, 0
	}
	switch text[1] {
	case 'x':
		return unescapeHex(text, 2)
	case 'u':
		return unescapeUnit(text)
	case 'U':
		return unescapeHex(text, 8)
	}
	const letters = `"\/0abtnvfre N_LP` + "\t"
	const meaning = "\"\\/\x00\a\b\t\n\v\f\r\x1b \u0085\u00a0\u2028\u2029\t"
	if at := strings.IndexByte(letters, text[1]); at >= 0 {
		return []rune(meaning)[at], 2
	}
	return 0, 0
}

// unescapeHex reads a character by the digits of its number.
func unescapeHex(text string, digits int) (c rune, size int) {
	if len(text) < 2+digits {
		return 0, 0
	}
	n, err := strconv.ParseUint(text[2:2+digits], 16, 31)
	if err != nil {
		return 0, 0
	}
	return rune(n), 2 + digits
}

// unescapeUnit reads \uXXXX, and two of them where they make one character.
func unescapeUnit(text string) (c rune, size int) {
	first, size := unescapeHex(text, 4)
	if !utf16.IsSurrogate(first) || !strings.HasPrefix(text[size:], `\u`) {
		return first, size
	}
	if second, more := unescapeHex(text[size:], 4); more > 0 {
		return utf16.DecodeRune(first, second), size + more
	}
	return first, size
}
