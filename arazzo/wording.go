package arazzo

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/weft-flow/weft/arazzo/value"
)

// quoteLimit is how many characters of a document's text a message repeats.
const quoteLimit = 60

// quote writes a text of the document for a message, shortened where it is long.
func quote(s string) string { return strconv.Quote(shorten(s)) }

func shorten(s string) string {
	if len(s) <= quoteLimit {
		return s
	}
	runes := []rune(s)
	return string(runes[:min(quoteLimit, len(runes))]) + "…"
}

// namesListed is the greatest count of names that a message lists.
const namesListed = 12

// enumerate lists names, the first of them where there are many.
func enumerate(names []string) string {
	if len(names) > namesListed {
		return fmt.Sprintf("%s and %d more", strings.Join(names[:namesListed], ", "), len(names)-namesListed)
	}
	return strings.Join(names, ", ")
}

func itoa(i int) string { return strconv.Itoa(i) }

// kindName gives a kind with its article.
func kindName(kind value.Kind) string {
	switch kind {
	case value.KindNull:
		return "null"
	case value.KindBool:
		return "a boolean"
	case value.KindNumber:
		return "a number"
	case value.KindString:
		return "a string"
	case value.KindArray:
		return "a list"
	default:
		return "a mapping"
	}
}

// describe says what a node is, with its text where that helps to find it.
func describe(n *Node) string {
	switch {
	case n.Kind == value.KindNull && n.Span.Start == n.Span.End:
		return "empty"
	case n.Kind == value.KindBool || n.Kind == value.KindNumber:
		return "the " + n.Kind.String() + " " + shorten(n.Text)
	default:
		return kindName(n.Kind)
	}
}

// choice lists words for a message: "a", "a or b", "a, b or c".
func choice(words []string) string {
	if len(words) < 2 {
		return strings.Join(words, "")
	}
	last := len(words) - 1
	return strings.Join(words[:last], ", ") + " or " + words[last]
}
