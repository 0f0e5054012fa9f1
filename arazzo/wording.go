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

// Nearest gives the word that is closest to s, if one is close enough to have
// been meant.
func Nearest(s string, words []string) (string, bool) {
	for _, word := range words {
		if strings.EqualFold(word, s) && word != s {
			return word, true
		}
	}
	if len(s) < 3 {
		return "", false // anything is near to it
	}
	best, least := "", max(2, len(s)/3)+1
	for _, word := range words {
		if abs(len(word)-len(s)) >= least {
			continue
		}
		if d := distance(strings.ToLower(s), strings.ToLower(word)); d < least && d < len(word) {
			best, least = word, d
		}
	}
	return best, best != ""
}

// distance counts the edits (insert, delete, replace, swap of neighbours) that
// lead from a to b.
func distance(a, b string) int {
	before, last, row := make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range last {
		last[j] = j
	}
	for i := 1; i <= len(a); i++ {
		row[0] = i
		for j := 1; j <= len(b); j++ {
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			row[j] = min(last[j]+1, row[j-1]+1, last[j-1]+cost)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				row[j] = min(row[j], before[j-2]+1)
			}
		}
		before, last, row = last, row, before
	}
	return last[len(b)]
}

func abs(i int) int {
	if i < 0 {
		return -i
	}
	return i
}
