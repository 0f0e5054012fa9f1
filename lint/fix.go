package lint

import (
	"strings"

	"github.com/weft-flow/weft/arazzo"
	"github.com/weft-flow/weft/arazzo/value"
)

// Replace is the fix that writes text in place of the bytes from up to to of a
// string's text, in the way in which the string is written: between its quotes,
// folded over lines, or without any. There is none where that cannot be followed in
// the file, or where the new text would need quotes.
func (d *Document) Replace(n *arazzo.Node, from, to int, text, title string) []Fix {
	span, quote, ok := d.stretch(n, from, to)
	if !ok || strings.ContainsFunc(text, isControl) {
		return nil
	}
	switch first := d.quote(n); {
	case quote == '\'':
		text = strings.ReplaceAll(text, "'", "''")
	case quote == '"':
		text = strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(text)
	case first == '|' || first == '>':
	case !isPlain(strings.ReplaceAll(n.Text[:from]+text+n.Text[to:], "\n", " "), d.inFlow(n)):
		return nil
	}
	return []Fix{{Title: title, Edits: []Edit{{Span: span, Text: text}}}}
}

// Write is the fix that writes a string in place of a whole node.
func (d *Document) Write(n *arazzo.Node, text, title string) []Fix {
	if strings.ContainsFunc(text, isControl) || d.Source == nil {
		return nil
	}
	return []Fix{{Title: title, Edits: []Edit{{Span: n.Span, Text: d.Scalar(n, text)}}}}
}

// Rename is the fix that gives the member with the value n another name.
func (d *Document) Rename(n *arazzo.Node, name, title string) []Fix {
	return []Fix{{Title: title, Edits: []Edit{d.RenameEdit(n, name)}}}
}

// RenameEdit is the edit of Rename.
func (d *Document) RenameEdit(n *arazzo.Node, name string) Edit {
	return Edit{Span: Name(n).Span, Text: d.Scalar(n, name)}
}

// Scalar writes a string where n stands: as JSON in a JSON file, without quotes
// where YAML needs none, else in single quotes.
func (d *Document) Scalar(n *arazzo.Node, text string) string {
	switch {
	case d.IsJSON():
		return value.String(text).String()
	case isPlain(text, d.inFlow(n)):
		return text
	default:
		return "'" + strings.ReplaceAll(text, "'", "''") + "'"
	}
}

// IsJSON tells whether the file is written as JSON.
func (d *Document) IsJSON() bool {
	return d.quote(d.Model.Node) == '{' && len(d.Model.Node.Members) > 0 && d.quote(d.Model.Node.Members[0].Key) == '"'
}

// quote gives the byte that a node is written with first: its quote, its bracket.
func (d *Document) quote(n *arazzo.Node) byte {
	if at := n.Span.Start.Offset; at < len(d.Source) {
		return d.Source[at]
	}
	return 0
}

// inFlow tells whether a node stands in a collection between brackets.
func (d *Document) inFlow(n *arazzo.Node) bool {
	for at := n.Parent(); at != nil; at = at.Parent() {
		if (at.Kind == value.KindObject && d.quote(at) == '{') || (at.Kind == value.KindArray && d.quote(at) == '[') {
			return true
		}
	}
	return d.Source == nil
}

func isControl(r rune) bool {
	return r < 0x20 || r == 0x7f || r == 0x85 || r == 0x2028 || r == 0x2029 || r == 0xfeff
}

// isPlain tells whether YAML reads text, written without quotes, as the string
// that it is.
func isPlain(text string, inFlow bool) bool {
	switch {
	case text == "" || strings.TrimSpace(text) != text || strings.ContainsFunc(text, isControl),
		strings.ContainsAny(text[:1], "!&*-?:,[]{}#|>@`\"'%=~<0123456789.+"),
		strings.Contains(text, ": ") || strings.HasSuffix(text, ":") || strings.Contains(text, " #"),
		inFlow && strings.ContainsAny(text, ",[]{}"):
		return false
	}
	switch strings.ToLower(text) {
	case "null", "true", "false", "yes", "no", "on", "off", "y", "n":
		return false
	default:
		return true
	}
}
