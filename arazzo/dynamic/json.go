package dynamic

import (
	"errors"
	"strings"

	"github.com/weft-flow/weft/arazzo"
	"github.com/weft-flow/weft/arazzo/expression"
	"github.com/weft-flow/weft/arazzo/value"
)

// ErrOpenText tells that it depends on the values of its expressions what a text
// says.
var ErrOpenText = errors.New("what the text says depends on its expressions")

// ReadJSON reads a string that is sent as JSON text: {"id": "{$inputs.id}", "amount":
// {$inputs.amount}}. It gives what the text says when its expressions are replaced by
// values that are JSON where they stand for themselves, and text where they stand in
// quotes. Nothing in it but what stands in braces is an expression, and no object is a
// Selector Object. The spans of its nodes count the bytes of the string; they have no
// lines and no columns.
//
// The error is a *value.SyntaxError where the text is no JSON whatever the values are,
// and ErrOpenText where that depends on them, or where they make the name of a member.
func (v *Value) ReadJSON(names *expression.Names) (*Value, error) {
	if !v.IsTemplate() {
		return nil, ErrOpenText
	}
	r := &jsonReader{text: v.node.Text, names: names, alone: make(map[int]bool)}
	if v.template != nil {
		r.holes = v.template.Parts()
	}
	text, ok := r.filled()
	if !ok {
		return nil, ErrOpenText
	}
	if _, err := value.ParseJSON([]byte(text)); err != nil {
		return nil, r.certain(err)
	}
	root, faults := arazzo.ParseTree([]byte(text))
	if root == nil || len(faults) > 0 {
		return nil, ErrOpenText
	}
	read := r.value(root)
	if read == nil || r.left != 0 {
		return nil, ErrOpenText
	}
	return read, nil
}

// IsAlone tells whether the value is an expression that stands without quotes in a text
// that was read as JSON: whatever its text is then read as is the value there.
func (v *Value) IsAlone() bool { return v.alone }

// jsonReader reads one text.
type jsonReader struct {
	text  string
	names *expression.Names
	holes []expression.Segment
	alone map[int]bool // where expressions without quotes begin
	left  int          // expressions that were not met in a value
}

// filled gives the text with each expression that stands for itself as a string of the
// same length; false where one cannot be written so.
func (r *jsonReader) filled() (string, bool) {
	text := []byte(r.text)
	at, quoted := 0, false
	for _, hole := range r.holes {
		if hole.Expression == nil {
			continue
		}
		r.left++
		open, end := hole.Offset-1, hole.End
		if strings.ContainsAny(r.text[open:end], "\"\\\n") {
			return "", false
		}
		if quoted = inString(r.text[at:open], quoted); !quoted {
			text[open], text[end] = '"', '"'
			r.alone[open] = true
		}
		at = end + 1
	}
	return string(text), true
}

// inString tells whether a stretch of JSON ends within a string.
func inString(text string, quoted bool) bool {
	for i := 0; i < len(text); i++ {
		switch {
		case text[i] == '"':
			quoted = !quoted
		case text[i] == '\\' && quoted:
			i++
		}
	}
	return quoted
}

// certain gives the error of a text that is no JSON where that does not depend on its
// expressions: it is broken before the first of them.
func (r *jsonReader) certain(err error) error {
	var syntax *value.SyntaxError
	if !errors.As(err, &syntax) {
		return ErrOpenText
	}
	for _, hole := range r.holes {
		if hole.Expression != nil && syntax.Offset >= hole.Offset-1 {
			return ErrOpenText
		}
	}
	return syntax
}

// value gives the value of a node; nil where it cannot be said.
func (r *jsonReader) value(n *arazzo.Node) *Value {
	v := &Value{node: n}
	switch {
	case n.Kind == value.KindArray && len(n.Items) > 0:
		return r.array(v)
	case n.Kind == value.KindObject && len(n.Members) > 0:
		return r.object(v)
	case n.Kind != value.KindString:
		v.constant = n.Value()
		return v
	case r.alone[n.Span.Start.Offset]:
		e, err := expression.Parse(n.Text, r.names)
		if err != nil {
			return nil
		}
		v.alone, v.template = true, expression.Whole(e, n.Text)
		r.left--
		return v
	case !strings.Contains(n.Text, "{$"):
		v.constant = value.String(n.Text)
		return v
	default:
		return r.template(v)
	}
}

func (r *jsonReader) template(v *Value) *Value {
	template, err := expression.ParseTemplate(v.node.Text, r.names)
	if err != nil {
		return nil
	}
	if _, whole := template.Whole(); whole {
		return nil
	}
	for _, part := range template.Parts() {
		if part.Expression != nil {
			r.left--
		}
	}
	v.template = template
	return v
}

func (r *jsonReader) array(v *Value) *Value {
	constant := true
	for _, item := range v.node.Items {
		read := r.value(item)
		if read == nil {
			return nil
		}
		constant = constant && !read.constant.IsAbsent()
		v.items = append(v.items, read)
	}
	if constant {
		v.constant, v.items = v.node.Value(), nil
	}
	return v
}

func (r *jsonReader) object(v *Value) *Value {
	constant := true
	for _, m := range v.node.Members {
		if r.alone[m.Key.Span.Start.Offset] || strings.Contains(m.Key.Text, "{$") {
			return nil
		}
		read := r.value(m.Value)
		if read == nil {
			return nil
		}
		constant = constant && !read.constant.IsAbsent()
		v.members = append(v.members, namedValue{name: m.Key.Text, value: read})
	}
	if constant {
		v.constant, v.members = v.node.Value(), nil
	}
	return v
}
