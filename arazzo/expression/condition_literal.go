package expression

import (
	"strings"

	"github.com/weft-flow/weft/arazzo/value"
)

func (p *conditionParser) number() (Node, *Error) {
	start := p.at
	n := span(p.text[p.at:], func(c byte) bool { return isIdentifier(c) || c == '+' })
	number, err := value.Number(p.text[start : start+n])
	if err != nil {
		return nil, p.fault("%s", err)
	}
	p.at += n
	return &Literal{extent: extent{start, p.at}, Value: number}, p.count()
}

// word reads true, false or null; any other word is a fault.
func (p *conditionParser) word() (Node, *Error) {
	start := p.at
	n := span(p.text[p.at:], isAccess)
	word := p.text[start : start+n]
	literal := &Literal{extent: extent{start, start + n}}
	switch word {
	case "true":
		literal.Value = value.Bool(true)
	case "false":
		literal.Value = value.Bool(false)
	case "null":
		literal.Value = value.Null
	default:
		return nil, p.strangeWord(word)
	}
	p.at += n
	return literal, p.count()
}

func (p *conditionParser) strangeWord(word string) *Error {
	switch lower := strings.ToLower(word); {
	case word == "" && p.next() == '=':
		return p.fault("expected an operand, found '='; equality is written '=='")
	case word == "":
		return p.fault("expected an operand, found %s", p.found())
	case lower == "true" || lower == "false" || lower == "null":
		return p.fault("expected an operand, found %s, did you mean %s?", word, lower)
	case strings.HasPrefix(p.text[p.at+len(word):], "("):
		return p.fault("a condition has no functions")
	default:
		return p.fault("expected an operand, found %s; a string is written in single quotes", p.found())
	}
}

// quoted reads a string. In single quotes two of them stand for one. An
// expression embedded in it ends at the first '}', whatever quotes it holds.
func (p *conditionParser) quoted(quote byte) (Node, *Error) {
	start := p.at
	var segments []Segment
	p.at++
	for {
		s, err := p.plain(quote)
		if err != nil {
			return nil, &Error{Offset: start, Message: "the string is not closed"}
		}
		if s.Offset < s.End {
			segments = append(segments, s)
		}
		if p.next() == quote {
			break
		}
		embedded, err := parseEmbedded(p.text, p.at, p.names)
		if err != nil {
			return nil, err
		}
		segments = append(segments, embedded)
		p.at = embedded.End + 1
	}
	p.at++
	p.warnDoubleQuoted(quote, start, segments)
	p.warnings = append(p.warnings, segmentWarnings(segments)...)
	return p.textNode(extent{start, p.at}, segments)
}

// plain reads a string up to its closing quote or an embedded expression.
func (p *conditionParser) plain(quote byte) (Segment, *Error) {
	from := p.at
	var text strings.Builder
	for p.at < len(p.text) {
		c := p.text[p.at]
		rest := p.text[p.at:]
		switch {
		case c == '\'' && quote == '\'' && strings.HasPrefix(rest, "''"):
			p.at++
		case c == quote, strings.HasPrefix(rest, "{$"):
			return Segment{Offset: from, End: p.at, Text: text.String()}, nil
		}
		text.WriteByte(c)
		p.at++
	}
	return Segment{}, p.fault("the string is not closed")
}

func (p *conditionParser) textNode(at extent, segments []Segment) (Node, *Error) {
	switch {
	case len(segments) == 0:
		return &Literal{extent: at, Value: value.String("")}, p.count()
	case len(segments) == 1 && segments[0].Expression == nil:
		return &Literal{extent: at, Value: value.String(segments[0].Text)}, p.count()
	default:
		return &Text{extent: at, Segments: segments}, p.count()
	}
}

func (p *conditionParser) warnDoubleQuoted(quote byte, start int, segments []Segment) {
	if quote != '"' {
		return
	}
	p.warnings = append(p.warnings, Warning{
		Offset:  start,
		End:     p.at,
		Kind:    DoubleQuotedString,
		Message: "a string in a condition is written in single quotes: " + quoteSegments(segments),
	})
}

// quoteSegments writes a string with its embedded expressions in single quotes.
func quoteSegments(segments []Segment) string {
	var b strings.Builder
	b.WriteByte('\'')
	for _, s := range segments {
		if s.Expression != nil {
			b.WriteString("{" + s.Expression.Source + "}")
			continue
		}
		b.WriteString(strings.ReplaceAll(s.Text, "'", "''"))
	}
	b.WriteByte('\'')
	return b.String()
}
