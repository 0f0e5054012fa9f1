package spelling

import (
	"cmp"
	"slices"
	"strings"
	"unicode/utf8"

	edlib "github.com/hbollon/go-edlib"
)

const (
	// shortest is the length in bytes from which a word is guessed at: anything is
	// near to a shorter one.
	shortest = 3
	// longest bounds the words that are compared letter by letter: what is longer is
	// no name that somebody mistyped, and the time grows with the product of the lengths.
	longest = 64
	// far is the distance of words that are not compared.
	far = 2 * longest
)

// Distance counts the letters to insert, drop, change, or swap with the next one to
// make b of a. Words of more than 64 bytes are far from everything but themselves.
func Distance(a, b string) int {
	switch {
	case a == b:
		return 0
	case len(a) > longest || len(b) > longest:
		return far
	}
	return edlib.OSADamerauLevenshteinDistance(a, b)
}

// Nearest gives the known word that is closest to word, the first of several, if one
// is close enough to have been meant. A difference in case alone is the closest.
func Nearest(word string, known []string) (string, bool) {
	if near := candidates(word, known); len(near) > 0 {
		return near[0].word, true
	}
	return "", false
}

// Candidates gives at most so many of the known words that may have been meant by
// word, each once, the nearest first, and words as near in the order of the alphabet.
func Candidates(word string, known []string, most int) []string {
	near := candidates(word, known)
	slices.SortStableFunc(near, func(a, b candidate) int {
		return cmp.Or(cmp.Compare(a.distance, b.distance), strings.Compare(a.word, b.word))
	})
	words := make([]string, 0, min(most, len(near)))
	for _, c := range near {
		if len(words) < most && !slices.Contains(words, c.word) {
			words = append(words, c.word)
		}
	}
	return words
}

// limitOf tells how many letters of a word of that length may be wrong: two changes
// make most other words of a short one.
func limitOf(length int) int {
	if length < 5 {
		return 1
	}
	return max(2, length/3)
}

type candidate struct {
	word     string
	distance int
}

// candidates gives the words near enough to be meant, the nearest first.
func candidates(word string, known []string) []candidate {
	var near []candidate
	lower, length := strings.ToLower(word), utf8.RuneCountInString(word)
	limit := limitOf(length)
	for _, k := range known {
		switch {
		case k == word:
			continue // it is known, and was not meant here
		case strings.EqualFold(k, word):
			near = append(near, candidate{k, 0})
			continue
		case len(word) < shortest:
			continue
		}
		size := utf8.RuneCountInString(k)
		if size-length > limit || length-size > limit { // no distance is less than that
			continue
		}
		if d := Distance(lower, strings.ToLower(k)); d <= limit && d < size {
			near = append(near, candidate{k, d})
		}
	}
	slices.SortStableFunc(near, func(a, b candidate) int { return cmp.Compare(a.distance, b.distance) })
	return near
}
