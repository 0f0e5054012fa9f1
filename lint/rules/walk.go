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
