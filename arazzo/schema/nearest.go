package schema

import "github.com/weft-flow/weft/internal/spelling"

// suggestion names the nearest of the known names, where one is near enough to
// be what was meant.
func suggestion(name string, known []string) string {
	near, ok := spelling.Nearest(name, known)
	if !ok {
		return ""
	}
	return ", did you mean " + near + "?"
}
