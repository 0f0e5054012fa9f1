package dynamic

import (
	"fmt"
	"strings"

	"github.com/weft-flow/weft/arazzo/expression"
	"github.com/weft-flow/weft/arazzo/value"
)

// insert replaces the embedded expressions of a condition by their text.
func (m *matcher) insert(scope expression.Scope) (string, error) {
	var b strings.Builder
	quote := byte(0)
	for _, s := range m.segments {
		if s.Expression == nil {
			b.WriteString(s.Text)
			quote = m.quoteAfter(quote, s.Text)
			continue
		}
		v := s.Expression.Eval(scope)
		if v.IsAbsent() {
			return "", &AbsentError{Expression: s.Expression.Source, Where: "the embedded expression"}
		}
		text, err := m.escape(v, quote)
		if err != nil {
			return "", fmt.Errorf("%s: %w", s.Expression.Source, err)
		}
		b.WriteString(text)
	}
	return b.String(), nil
}

// quoteAfter gives the quote that is open after text, where quote is open
// before; 0: none. A doubled quote of XPath closes and opens again.
func (m *matcher) quoteAfter(quote byte, text string) byte {
	quote, _ = m.scan(quote, text)
	return quote
}

// scan gives the quote that is open after text, and whether text ends with a
// backslash that escapes what follows.
func (m *matcher) scan(quote byte, text string) (open byte, escapes bool) {
	if m.language == "regex" {
		return 0, false
	}
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case quote != 0 && c == '\\' && m.language == "jsonpath":
			if i++; i == len(text) {
				return quote, true
			}
		case c == quote:
			quote = 0
		case quote == 0 && (c == '\'' || c == '"'):
			quote = c
		}
	}
	return quote, false
}

// escape gives the text of v for its place in the condition.
func (m *matcher) escape(v value.Value, quote byte) (string, error) {
	text := v.Text()
	switch {
	case m.language == "regex":
		return text, nil
	case quote == 0 && !v.IsScalar():
		return "", fmt.Errorf("its value is an %s, which can stand only between quotes", v.Kind())
	case quote == 0:
		return text, nil
	case m.language == "jsonpath":
		return escapeJSONPath(text, quote), nil
	case !strings.Contains(text, string(quote)):
		return text, nil
	case m.version == "xpath-10":
		return "", fmt.Errorf("its text holds the quote %c, which XPath 1.0 cannot write between two of it", quote)
	default:
		return strings.ReplaceAll(text, string(quote), string(quote)+string(quote)), nil
	}
}

// escapeJSONPath writes text for the inside of a string literal of JSONPath (RFC
// 9535, section 2.3.1.1).
func escapeJSONPath(text string, quote byte) string {
	var b strings.Builder
	for _, r := range text {
		switch {
		case r == rune(quote) || r == '\\':
			b.WriteByte('\\')
			b.WriteRune(r)
		case r < 0x20:
			fmt.Fprintf(&b, `\u%04x`, r)
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}
