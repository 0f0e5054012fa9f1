package executor

import (
	"fmt"
	"strings"
)

// maxReasons is how many workflows within each other a reason names.
const maxReasons = 3

// because says why a step failed whose workflow did. Of many workflows within each
// other the first are named, and the one at the bottom of it all.
func (o outcome) because(id string) string {
	const ended = " ended as "
	text := fmt.Sprintf("workflow %q%s%s: %s", id, ended, o.status, o.reason)
	parts := strings.Split(text, ended)
	if len(parts) <= maxReasons+1 {
		return text
	}
	_, deepest, _ := strings.Cut(parts[len(parts)-1], ": ")
	return strings.Join(parts[:maxReasons], ended) + ended + "…: " + deepest
}

// onRequest is why a workflow was cancelled.
const onRequest = "on request"
