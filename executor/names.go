package executor

import (
	"strconv"
	"strings"

	"github.com/weft-flow/weft/arazzo/value"
)

// quotedList writes names for a message: "a", "b" and "c"; "none" where there are none.
func quotedList(names []string) string {
	if len(names) == 0 {
		return "none"
	}
	quoted := make([]string, len(names))
	for i, name := range names {
		quoted[i] = strconv.Quote(name)
	}
	if len(quoted) == 1 {
		return quoted[0]
	}
	last := len(quoted) - 1
	return strings.Join(quoted[:last], ", ") + " and " + quoted[last]
}

// stepName is the stable name of one activation of a step: keys, boundaries and
// jitter are derived from it. Its parts are escaped, so that no two names meet.
func stepName(path, step string, activation int) string {
	return path + "/" + value.EscapeToken(step) + "#" + strconv.Itoa(activation)
}

// numbered tells the nth apart from others of one name. An escaped name never
// holds a tilde before such a digit, but for ~0 and ~1: n is from 2.
func numbered(name string, n int) string { return name + "~" + strconv.Itoa(n) }

// attemptName is the stable name of one attempt.
func attemptName(stepName string, attempt int) string {
	return stepName + "/" + strconv.Itoa(attempt)
}
