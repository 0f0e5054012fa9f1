package lint

import (
	"bytes"
	"strings"

	"github.com/weft-flow/weft/arazzo"
	"github.com/weft-flow/weft/arazzo/value"
)

// AddHeader is the fix that gives a step one more header parameter, written as the
// step is: in block style, between brackets, or as JSON. There is none where the
// step takes its parameters from elsewhere, by an alias say.
func (d *Document) AddHeader(s *Step, name, text, title string) []Fix {
	n := s.Model.Node
	if d.Source == nil || n.Span.End.Offset > len(d.Source) || len(n.Members) == 0 {
		return nil
	}
	fields := []field{{"name", name}, {"in", "header"}, {"value", text}}
	var edit Edit
	var ok bool
	if list := n.Get("parameters"); list != nil {
		edit, ok = d.addItem(n, list, fields)
	} else {
		edit, ok = d.addList(n, "parameters", fields)
	}
	if !ok {
		return nil
	}
	return []Fix{{Title: title, Edits: []Edit{edit}}}
}

// field is a member with a string as its value.
type field struct{ name, text string }

// addItem puts an object before the first item of a list.
func (d *Document) addItem(holder, list *arazzo.Node, fields []field) (Edit, bool) {
	if list.Kind != value.KindArray || len(list.Items) == 0 || !within(list.Span, holder.Span) {
		return Edit{}, false
	}
	first := list.Items[0]
	begin, at := list.Span.Start.Offset, first.Span.Start.Offset
	if begin >= at || at > len(d.Source) || strings.TrimSpace(string(d.Source[begin+1:at])) != "" {
		return Edit{}, false // an anchor, a tag or a comment stands between
	}
	here := arazzo.Span{Start: first.Span.Start, End: first.Span.Start}
	if d.Source[begin] == '[' {
		return Edit{Span: here, Text: d.inline(first, fields) + ", "}, true
	}
	if d.Source[begin] != '-' || first.Span.Start.Line != list.Span.Start.Line {
		return Edit{}, false
	}
	indent := strings.Repeat(" ", first.Span.Start.Column-1)
	dash := strings.Repeat(" ", list.Span.Start.Column-1) + string(d.Source[begin:at])
	return Edit{Span: here, Text: d.block(fields, indent) + dash}, true
}

// addList gives an object one more member: a list with one object.
func (d *Document) addList(n *arazzo.Node, name string, fields []field) (Edit, bool) {
	before := n.Members[0].Key
	target := false
	for _, m := range n.Members {
		if target || m.Key.Text == "requestBody" {
			before = m.Key
			break
		}
		target = m.Key.Text == "operationId" || m.Key.Text == "operationPath" || m.Key.Text == "channelPath"
		if target {
			before = m.Key // where nothing follows it
		}
	}
	if !within(before.Span, n.Span) {
		return Edit{}, false
	}
	here := arazzo.Span{Start: before.Span.Start, End: before.Span.Start}
	if d.quote(n) == '{' {
		return Edit{Span: here, Text: d.Scalar(before, name) + ": [" + d.inline(before, fields) + "], "}, true
	}
	indent := strings.Repeat(" ", before.Span.Start.Column-1)
	return Edit{Span: here, Text: name + ":" + d.lineEnd() + indent + "  - " + d.block(fields, indent+"    ") + indent}, true
}

// lineEnd gives what ends the lines of the file.
func (d *Document) lineEnd() string {
	first := bytes.IndexAny(d.Source, "\r\n")
	switch {
	case first < 0 || d.Source[first] == '\n':
		return "\n"
	case bytes.HasPrefix(d.Source[first:], []byte("\r\n")):
		return "\r\n"
	default:
		return "\r"
	}
}

func within(inner, outer arazzo.Span) bool {
	return inner.Start.Offset >= outer.Start.Offset && inner.End.Offset <= outer.End.Offset
}

// inline writes an object between brackets.
func (d *Document) inline(like *arazzo.Node, fields []field) string {
	parts := make([]string, len(fields))
	for i, f := range fields {
		text := f.text
		switch {
		case d.IsJSON():
			text = d.Scalar(like, text)
		case !isPlain(text, true):
			text = "'" + strings.ReplaceAll(text, "'", "''") + "'"
		}
		parts[i] = d.Scalar(like, f.name) + ": " + text
	}
	return "{" + strings.Join(parts, ", ") + "}"
}

// block writes an object in block style, a line for each member; the first one has
// its indentation already.
func (d *Document) block(fields []field, indent string) string {
	var b strings.Builder
	for i, f := range fields {
		if i > 0 {
			b.WriteString(indent)
		}
		text := f.text
		if !isPlain(text, false) {
			text = "'" + strings.ReplaceAll(text, "'", "''") + "'"
		}
		b.WriteString(f.name + ": " + text + d.lineEnd())
	}
	return b.String()
}
