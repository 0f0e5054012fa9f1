package rules

import (
	"strconv"

	"github.com/weft-flow/weft/lint"
)

// quote writes a name of the document for a message, shortened where it is long.
func quote(s string) string {
	const limit = 60
	if runes := []rune(s); len(runes) > limit {
		s = string(runes[:limit]) + "…"
	}
	return strconv.Quote(s)
}

// maxWork bounds how many steps a rule looks at that goes through all steps of a
// workflow for each, by the product of both: of a workflow of thousands, which nobody
// writes, not all are looked at.
const maxWork = 250_000

// looks counts what a rule has looked at so in each workflow.
type looks map[*lint.Workflow]int

// more counts one more, and tells whether it may be looked at.
func (l looks) more(w *lint.Workflow) bool {
	l[w]++
	return l[w] == 1 || l[w]*len(w.Steps) <= maxWork
}

// placeOf is where an action stands in its list: what names it, or the reference.
func placeOf(a *lint.Action) lint.Place {
	return lint.At(nameOf(a), a.Written.Node)
}

// plural writes a number of things.
func plural(n int, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return strconv.Itoa(n) + " " + thing + "s"
}

// called gives the name of an action for a message, or what it is.
func called(a *lint.Action) string {
	if a.Model.Name.Value == "" {
		return "without a name (" + a.Type() + ")"
	}
	return quote(a.Model.Name.Value)
}
