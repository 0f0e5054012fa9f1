package expression

import (
	"fmt"
	"strings"

	"github.com/weft-flow/weft/arazzo/value"
)

// Segment is a stretch of a template from byte Offset up to, not including,
// byte End of its text: an expression, braces left out, or else literal text.
type Segment struct {
	Offset, End int
	Text        string
	Expression  *Expression
}

// Template is a string of a document as Arazzo reads it: literal text, wholly
// one expression, or text with expressions embedded as {$…}.
type Template struct {
	source   string
	whole    *Expression
	segments []Segment
}

// AbsentError tells that an expression embedded in text has no value.
type AbsentError struct {
	Expression *Expression
}

// Error names the expression.
func (e *AbsentError) Error() string {
	return fmt.Sprintf("{%s} has no value", e.Expression.Source)
}

// ParseTemplate reads a string of a document. It never fails for a string
// without "{$": if it merely begins with '$' and is no expression, it is literal
// text. An embedded expression begins with "{$" and ends with the first '}'; it
// is an error, of type *Error, if that is missing, or if what is between is no
// expression.
func ParseTemplate(text string, names *Names) (*Template, error) {
	t := &Template{source: text}
	if strings.HasPrefix(text, "$") {
		if whole, err := parseWhole(text, names); err == nil {
			t.whole = whole
			t.segments = []Segment{{Offset: 0, End: len(text), Expression: whole}}
			return t, nil
		}
	}
	segments, err := ParseEmbedded(text, names)
	if err != nil {
		return nil, err
	}
	t.segments = segments
	return t, nil
}

// Whole gives the template of a text that is wholly one expression.
func Whole(e *Expression, text string) *Template {
	return &Template{source: text, whole: e, segments: []Segment{{Offset: 0, End: len(text), Expression: e}}}
}

// ParseEmbedded splits text at the expressions embedded as {$…}, and takes all
// else as literal, also where the whole text could be read as an expression: a
// JSONPath begins with '$' too. Errors are those of ParseTemplate.
func ParseEmbedded(text string, names *Names) ([]Segment, error) {
	var segments []Segment
	at := 0
	for at < len(text) {
		open := strings.Index(text[at:], "{$")
		if open < 0 {
			break
		}
		if open > 0 {
			segments = append(segments, Segment{Offset: at, End: at + open, Text: text[at : at+open]})
		}
		embedded, err := parseEmbedded(text, at+open, names)
		if err != nil {
			return nil, err
		}
		segments = append(segments, embedded)
		at = embedded.End + 1
	}
	if at < len(text) {
		segments = append(segments, Segment{Offset: at, End: len(text), Text: text[at:]})
	}
	return segments, nil
}

// parseEmbedded reads the expression whose "{$" is at byte open.
func parseEmbedded(text string, open int, names *Names) (Segment, *Error) {
	from := open + 1
	length := strings.IndexByte(text[from:], '}')
	if length < 0 {
		return Segment{}, &Error{Offset: open, Message: "the expression that '{$' opens is not closed with '}'"}
	}
	e, err := parseWhole(text[from:from+length], names)
	if err != nil {
		return Segment{}, err.shifted(from)
	}
	return Segment{Offset: from, End: from + length, Expression: e}, nil
}

// Source gives the text as it was written.
func (t *Template) Source() string { return t.source }

// Literal gives the text of a template without any expression.
func (t *Template) Literal() (text string, ok bool) {
	for _, s := range t.segments {
		if s.Expression != nil {
			return "", false
		}
	}
	return t.source, true
}

// Whole gives the expression of a template that is wholly one, without braces
// around it.
func (t *Template) Whole() (*Expression, bool) { return t.whole, t.whole != nil }

// Parts gives the literal texts and expressions that the template is made of, in
// order. The slice must not be changed.
func (t *Template) Parts() []Segment { return t.segments }

// Warnings gives what is tolerated in the template's expressions.
func (t *Template) Warnings() []Warning { return segmentWarnings(t.segments) }

func segmentWarnings(segments []Segment) []Warning {
	var all []Warning
	for _, s := range segments {
		if s.Expression == nil {
			continue
		}
		for _, w := range s.Expression.warnings {
			all = append(all, w.shifted(s.Offset))
		}
	}
	return all
}

// String writes the template with its expressions in their canonical form.
func (t *Template) String() string {
	if t.whole != nil {
		return t.whole.String()
	}
	var b strings.Builder
	for _, s := range t.segments {
		if s.Expression == nil {
			b.WriteString(s.Text)
			continue
		}
		b.WriteString("{" + s.Expression.String() + "}")
	}
	return b.String()
}

// MaxText is the length, in bytes, up to which text with embedded expressions is
// made.
const MaxText = 16 << 20

// ErrTextTooLarge tells that text with its embedded expressions is longer than MaxText.
var ErrTextTooLarge = fmt.Errorf("the text is longer than %d MiB", MaxText>>20)

// Eval gives the template's value: of one that is wholly an expression the value
// of that, which may be absent, with its type; else a string in which each
// embedded expression is replaced by its text, objects and arrays as JSON. An
// embedded expression without a value is an *AbsentError.
func (t *Template) Eval(s Scope) (value.Value, error) {
	if t.whole != nil {
		return t.whole.Eval(s), nil
	}
	text, err := evalSegments(t.segments, s)
	if err != nil {
		return value.Absent, err
	}
	return value.String(text), nil
}

func evalSegments(segments []Segment, s Scope) (string, error) {
	switch {
	case len(segments) == 0:
		return "", nil
	case len(segments) == 1 && segments[0].Expression == nil:
		return segments[0].Text, nil
	}
	var text []byte
	for i := range segments {
		if segments[i].Expression == nil {
			text = append(text, segments[i].Text...)
			continue
		}
		v := segments[i].Expression.Eval(s)
		if v.IsAbsent() {
			return "", &AbsentError{Expression: segments[i].Expression}
		}
		if room := MaxText - len(text); v.Size(room) > room {
			return "", ErrTextTooLarge
		}
		text = append(text, v.Text()...)
	}
	return string(text), nil
}
