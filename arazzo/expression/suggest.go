package expression

import (
	"strings"

	"github.com/weft-flow/weft/internal/spelling"
)

// LooksLike tells whether text, though it is no expression, was probably meant
// as one, and what its beginning should have been: "$inputs" for "$input.id".
// It is for hints alone: such a text is sent as it is.
func LooksLike(text string) (root string, ok bool) {
	if len(text) < 2 || text[0] != '$' {
		return "", false
	}
	word := text[:1+span(text[1:], isLetterOrDigit)]
	if len(word) < len(text) && isStrictIdentifier(text[len(word)]) {
		return "", false
	}
	return nearestRoot(word)
}

// nearestRoot gives the root that word is or was probably meant to be.
func nearestRoot(word string) (string, bool) {
	best, least := "", 3
	for _, r := range roots {
		if strings.EqualFold(word, r.word) {
			return r.word, true
		}
		if len(word) >= 6 && strings.HasPrefix(r.word, word) {
			return r.word, true
		}
		// A short word is near to everything: it may be wrong by one letter only.
		most := 1
		if len(r.word) > 6 {
			most = 2
		}
		if d := spelling.Distance(word, r.word); d <= most && d < least {
			best, least = r.word, d
		}
	}
	return best, best != ""
}
