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
	seen := make(map[string]bool, len(names))
	for _, name := range names {
		if seen[name] {
			continue
		}
		seen[name] = true
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

// distance is the number of letters to insert, delete, replace, or swap with the
// next one to make b of a (optimal string alignment); beyond limit any number
// above limit.
func distance(a, b string, limit int) int {
	before, row, next := make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := 1; i <= len(a); i++ {
		next[0] = i
		best := i
		for j := 1; j <= len(b); j++ {
			cost := row[j-1]
			if a[i-1] != b[j-1] {
				cost = 1 + min(row[j-1], row[j], next[j-1])
				if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
					cost = min(cost, 1+before[j-2])
				}
			}
			next[j] = cost
			best = min(best, cost)
		}
		if best > limit+1 { // a swap may still lead back
			return limit + 1
		}
		before, row, next = row, next, before
	}
	return row[len(b)]
}
