package lint

import (
	"strings"

	"github.com/weft-flow/weft/arazzo"
)

// Replace is the fix that writes text in place of the bytes from up to to of a
// node's text. There is none, and ok is false, where the file does not write the
// text one to one, or where the new one would mean something else there: in a
// plain scalar of YAML certain characters end it.
func Replace(n *arazzo.Node, from, to int, text, title string) (fixes []Fix, ok bool) {
	span := n.Part(from, to)
	if span == n.Span && to-from != n.Span.End.Offset-n.Span.Start.Offset {
		return nil, false
	}
	if !fits(n, n.Text[:from]+text+n.Text[to:]) {
		return nil, false
	}
	return []Fix{{Title: title, Edits: []Edit{{Span: span, Text: text}}}}, true
}

// fits tells whether text can stand where n's text stands, in the same style: a
// character that means something there is no danger where the old text holds it.
func fits(n *arazzo.Node, text string) bool {
	special := "\"'\\\n"
	if n.Span.End.Offset-n.Span.Start.Offset == len(n.Text) { // plain
		special = ",[]{}"
		if !isPlainInBlock(text) {
			return false
		}
	}
	return !strings.ContainsFunc(text, func(r rune) bool {
		return strings.ContainsRune(special, r) && !strings.ContainsRune(n.Text, r)
	})
}

// IsPlain tells whether YAML reads text, written without quotes in block or flow
// style, as the string that it is.
func IsPlain(text string) bool { return isPlainInBlock(text) && !strings.ContainsAny(text, ",[]{}") }

// isPlainInBlock tells the same of block style alone.
func isPlainInBlock(text string) bool {
	if text == "" || strings.TrimSpace(text) != text || strings.ContainsAny(text, "\n\t") {
		return false
	}
	if strings.ContainsAny(text[:1], "!&*-?:,[]{}#|>@`\"'%=~0123456789.+") {
		return false
	}
	return !strings.Contains(text, ": ") && !strings.HasSuffix(text, ":") && !strings.Contains(text, " #") && !isWordOfYAML(text)
}

func isWordOfYAML(text string) bool {
	switch strings.ToLower(text) {
	case "null", "true", "false", "yes", "no", "on", "off", "y", "n":
		return true
	default:
		return false
	}
}

// Quoted writes text as a scalar of YAML in single quotes; JSON files need
// another, so it is for nodes of YAML's own forms only.
func Quoted(text string) string { return "'" + strings.ReplaceAll(text, "'", "''") + "'" }
