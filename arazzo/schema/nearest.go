package schema

import "strings"

// suggestion names the nearest of the known names, where one is near enough to
// be what was meant.
func suggestion(name string, known []string) string {
	best, least := "", 1+len(name)/4
	for _, candidate := range known {
		if d := edits(strings.ToLower(name), strings.ToLower(candidate)); d <= least && (best == "" || d < least) {
			best, least = candidate, d
		}
	}
	if best == "" {
		return ""
	}
	return ", did you mean " + best + "?"
}

// edits counts the characters to insert, drop, change or swap with their
// neighbour to make b of a.
func edits(a, b string) int {
	x, y := []rune(a), []rune(b)
	const longest = 64
	if len(x) > longest || len(y) > longest {
		return longest
	}
	before, last, row := make([]int, len(y)+1), make([]int, len(y)+1), make([]int, len(y)+1)
	for j := range last {
		last[j] = j
	}
	for i := 1; i <= len(x); i++ {
		row[0] = i
		for j := 1; j <= len(y); j++ {
			change := 1
			if x[i-1] == y[j-1] {
				change = 0
			}
			row[j] = min(last[j]+1, row[j-1]+1, last[j-1]+change)
			if i > 1 && j > 1 && x[i-1] == y[j-2] && x[i-2] == y[j-1] {
				row[j] = min(row[j], before[j-2]+1)
			}
		}
		before, last, row = last, row, before
	}
	return last[len(y)]
}
