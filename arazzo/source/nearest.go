package source

import "github.com/weft-flow/weft/internal/spelling"

// maxSuggestions bounds a "did you mean".
const maxSuggestions = 3

// nearest gives the names that a person may have meant by wanted, the nearest first.
func nearest(wanted string, names []string) []string {
	return spelling.Candidates(wanted, names, maxSuggestions)
}
