package arazzo

import (
	"bytes"
	"strings"

	"gopkg.in/yaml.v3"
)

// The YAML reader tells where a node begins, and nothing of where it ends. The
// methods here find the end in the source.

// start gives the offset of a node's content, after its anchor and tag, and the
// tag if it is the bare "!".
func (t *text) start(y *yaml.Node) (at int, bare bool) {
	at = t.offset(y.Line, y.Column)
	if !t.hasProperties(y, at) {
		return at, false
	}
	for {
		end, isBare := t.property(at)
		if end == at {
			return at, bare
		}
		bare = bare || isBare
		if isEmpty(y) {
			if next := t.skipBlanks(end); t.is(next, "&!") {
				at = next
				continue
			}
			return end, bare
		}
		at = t.skipSpace(end)
	}
}

// hasProperties tells whether an anchor or tag at an offset belongs to the node
// and not to its first key, which begins at the same place.
func (t *text) hasProperties(y *yaml.Node, at int) bool {
	if !t.is(at, "&!") || y.Kind == yaml.AliasNode {
		return false
	}
	return y.Kind == yaml.ScalarNode || y.Anchor != "" || y.Style&(yaml.TaggedStyle|yaml.FlowStyle) != 0
}

// isEmpty tells whether the node is a scalar that is not written at all.
func isEmpty(y *yaml.Node) bool {
	return y.Kind == yaml.ScalarNode && y.Value == "" && !isQuoted(y) && y.Style&(yaml.LiteralStyle|yaml.FoldedStyle) == 0
}

func isQuoted(y *yaml.Node) bool {
	return y.Style&(yaml.DoubleQuotedStyle|yaml.SingleQuotedStyle) != 0
}

func isPlain(y *yaml.Node) bool {
	return !isQuoted(y) && y.Style&(yaml.LiteralStyle|yaml.FoldedStyle) == 0
}

// is tells whether one of chars stands at an offset.
func (t *text) is(at int, chars string) bool {
	return at < len(t.data) && strings.IndexByte(chars, t.data[at]) >= 0
}

// property gives the end of the anchor or tag at an offset, which is the offset
// itself where there is none.
func (t *text) property(at int) (end int, bare bool) {
	if !t.is(at, "&!") {
		return at, false
	}
	end = at + 1
	if t.is(at, "&") {
		for end < len(t.data) && isAnchorByte(t.data[end]) {
			end++
		}
		return end, false
	}
	if t.is(end, "<") {
		if n := bytes.IndexByte(t.data[end:], '>'); n >= 0 {
			return end + n + 1, false
		}
	}
	for end < len(t.data) && !t.is(end, " \t\r\n,[]{}") {
		end++
	}
	return end, end == at+1
}

func isAnchorByte(c byte) bool {
	return c >= '0' && c <= '9' || lower(c) >= 'a' && lower(c) <= 'z' || c == '_' || c == '-'
}

// skipBlanks gives the offset after spaces and tabs.
func (t *text) skipBlanks(at int) int {
	for t.is(at, " \t") {
		at++
	}
	return at
}

// skipSpace gives the offset after white space, line breaks and comments.
func (t *text) skipSpace(at int) int {
	for at < len(t.data) {
		switch t.data[at] {
		case ' ', '\t', '\r', '\n':
			at++
		case '#':
			for at < len(t.data) && !t.is(at, "\r\n") {
				at++
			}
		default:
			return at
		}
	}
	return at
}

// scalarEnd gives the end of the scalar whose content begins at an offset.
func (t *text) scalarEnd(y *yaml.Node, at int) int {
	switch {
	case y.Style&yaml.DoubleQuotedStyle != 0:
		return t.doubleQuotedEnd(at)
	case y.Style&yaml.SingleQuotedStyle != 0:
		return t.singleQuotedEnd(at)
	case y.Style&(yaml.LiteralStyle|yaml.FoldedStyle) != 0:
		return t.blockScalarEnd(y.Value, at)
	default:
		return t.match(y.Value, at)
	}
}

func (t *text) doubleQuotedEnd(at int) int {
	for i := at + 1; i < len(t.data); i++ {
		switch t.data[i] {
		case '\\':
			i++
		case '"':
			return i + 1
		}
	}
	return len(t.data)
}

func (t *text) singleQuotedEnd(at int) int {
	for i := at + 1; i < len(t.data); i++ {
		if t.data[i] != '\'' {
			continue
		}
		if !t.is(i+1, "'") {
			return i + 1
		}
		i++
	}
	return len(t.data)
}

// blockScalarEnd gives the end of the last line of a block scalar that is not
// blank; its header's end where there is none.
func (t *text) blockScalarEnd(s string, at int) int {
	header := at + 1
	for t.is(header, "+-0123456789") {
		header++
	}
	if strings.Trim(s, " \t\n") == "" {
		return header
	}
	line := header
	for line < len(t.data) && !t.is(line, "\r\n") {
		line++
	}
	end := t.match(s, line)
	for end < len(t.data) && !t.is(end, "\r\n") {
		end++
	}
	return end
}

// match gives the offset at which the scalar s ends that is written from an
// offset on. Folding changes only white space, so all else stands in the source
// as it does in s.
func (t *text) match(s string, at int) int {
	end := at
	for i := 0; i < len(s); i++ {
		if s[i] == ' ' || s[i] == '\t' || s[i] == '\n' {
			continue
		}
		for t.is(at, " \t\r\n") {
			at++
		}
		if at >= len(t.data) || t.data[at] != s[i] {
			return end
		}
		at++
		end = at
	}
	return end
}

// flowEnd gives the end of the flow collection whose last child ends at an offset.
func (t *text) flowEnd(at int) int {
	for {
		at = t.skipSpace(at)
		if !t.is(at, ",:?") {
			break
		}
		at++
	}
	if t.is(at, "]}") {
		at++
	}
	return at
}

// emptyValue gives the offset at which a value that is not written stands: after
// its key's colon, or after the key itself. reported is where the reader puts
// it: behind the colon, or at what follows.
func (t *text) emptyValue(keyEnd, reported int) int {
	if at := t.skipSpace(keyEnd); t.is(at, ":") && reported > at {
		return at + 1
	}
	return keyEnd
}
