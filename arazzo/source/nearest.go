package source

import (
	"slices"
	"strings"
)

// maxSuggestions bounds a "did you mean".
const maxSuggestions = 3

// nearest gives the names that a person may have meant by wanted, the nearest
// first: those that differ only in case, or by few letters.
func nearest(wanted string, names []string) []string {
	type near struct {
		name     string
		distance int
	}
	var found []near
	limit := max(1, len(wanted)/3)
	lower := strings.ToLower(wanted)
	for _, name := range names {
		// A difference in length is a lower bound of the distance.
		if d := len(name) - len(wanted); d > limit || -d > limit {
			continue
		}
		if d := distance(lower, strings.ToLower(name), limit); d <= limit {
			found = append(found, near{name, d})
		}
	}
	slices.SortStableFunc(found, func(a, b near) int {
		if a.distance != b.distance {
			return a.distance - b.distance
		}
		return strings.Compare(a.name, b.name)
	})
	if len(found) > maxSuggestions {
		found = found[:maxSuggestions]
	}
	out := make([]string, len(found))
	for i, f := range found {
		out[i] = f.name
	}
	return out
}

// distance is the number of letters to insert, delete or replace to make b of a
// (Levenshtein); beyond limit any number above limit.
func distance(a, b string, limit int) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := 1; i <= len(a); i++ {
		diagonal, best := row[0], i
		row[0] = i
		for j := 1; j <= len(b); j++ {
			cost := diagonal
			if a[i-1] != b[j-1] {
				cost = 1 + min(diagonal, row[j], row[j-1])
			}
			diagonal, row[j] = row[j], cost
			best = min(best, cost)
		}
		if best > limit {
			return limit + 1
		}
	}
	return row[len(b)]
}
