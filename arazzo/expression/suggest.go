package expression

import "strings"

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
		if d := distance(word, r.word); d <= most && d < least {
			best, least = r.word, d
		}
	}
	return best, best != ""
}

// distance counts the letters to add, drop or change to make b of a. Words far
// apart in length are far apart: the exact count does not matter.
func distance(a, b string) int {
	const far = 100
	if len(a) > len(b)+2 || len(b) > len(a)+2 {
		return far
	}
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := 0; i < len(a); i++ {
		diagonal := row[0]
		row[0] = i + 1
		for j := 0; j < len(b); j++ {
			change := diagonal
			if a[i] != b[j] {
				change++
			}
			diagonal = row[j+1]
			row[j+1] = min(change, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}
