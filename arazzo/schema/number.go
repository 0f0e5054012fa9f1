package schema

import (
	"slices"
	"strconv"
	"strings"

	"github.com/weft-flow/weft/arazzo/value"
)

// Exact arithmetic on a number takes memory in proportion to its exponent: a few
// bytes of input could ask for gigabytes. Numbers beyond these limits are not
// held against a schema.
const (
	maxExponent = 2_000
	maxDigits   = 20_000
)

// oversizedNumber gives a fault for the first number beneath v that is beyond
// the limits.
func oversizedNumber(v value.Value) (Fault, bool) {
	if !hasOversized(v) {
		return Fault{}, false
	}
	at, _ := findNumber(v, nil)
	return Fault{Pointer: at, Message: "this number is too long to be checked exactly"}, true
}

func hasOversized(v value.Value) bool {
	if text, ok := v.NumberText(); ok {
		return isOversized(text)
	}
	for _, m := range v.Members() {
		if hasOversized(m.Value) {
			return true
		}
	}
	return slices.ContainsFunc(v.Items(), hasOversized)
}

// findNumber gives the place of the first number that is beyond the limits.
func findNumber(v value.Value, at value.Pointer) (value.Pointer, bool) {
	if text, ok := v.NumberText(); ok && isOversized(text) {
		return slices.Clone(at), true
	}
	for i, item := range v.Items() {
		if place, found := findNumber(item, append(at, strconv.Itoa(i))); found {
			return place, true
		}
	}
	for _, m := range v.Members() {
		if place, found := findNumber(m.Value, append(at, m.Name)); found {
			return place, true
		}
	}
	return nil, false
}

func isOversized(text string) bool {
	if len(text) > maxDigits {
		return true
	}
	at := strings.IndexAny(text, "eE")
	if at < 0 {
		return false
	}
	exponent, err := strconv.Atoi(text[at+1:])
	return err != nil || exponent > maxExponent || exponent < -maxExponent
}
