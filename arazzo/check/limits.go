package check

import (
	"regexp/syntax"
	"strconv"
	"strings"

	"github.com/weft-flow/weft/arazzo/value"
)

// Exact arithmetic takes memory in proportion to a number's exponent.
const (
	maxDigits   = 1000
	maxExponent = 1000
)

// isSane tells whether all numbers beneath v are such that they can be compared
// exactly.
func isSane(v value.Value) bool {
	if text, ok := v.NumberText(); ok {
		return isSaneNumber(text)
	}
	for _, item := range v.Items() {
		if !isSane(item) {
			return false
		}
	}
	for _, m := range v.Members() {
		if !isSane(m.Value) {
			return false
		}
	}
	return true
}

func isSaneNumber(text string) bool {
	if len(text) > maxDigits {
		return false
	}
	at := strings.IndexAny(text, "eE")
	if at < 0 {
		return true
	}
	exponent, err := strconv.Atoi(text[at+1:])
	return err == nil && exponent <= maxExponent && exponent >= -maxExponent
}

// digitsOf tells about how many digits it takes to calculate with a number.
func digitsOf(text string) int {
	at := strings.IndexAny(text, "eE")
	if at < 0 {
		return len(text)
	}
	exponent, err := strconv.Atoi(text[at+1:])
	if err != nil {
		return len(text)
	}
	return at + max(exponent, -exponent)
}

// instructions tells how much there is to a regular expression; false where it
// cannot be read without backtracking.
func instructions(pattern string) (int, bool) {
	parsed, err := syntax.Parse(pattern, syntax.Perl)
	if err != nil {
		return 0, false
	}
	program, err := syntax.Compile(parsed.Simplify())
	if err != nil {
		return 0, false
	}
	return len(program.Inst), true
}

// mantissa is a number without its exponent.
func mantissa(text string) string {
	if at := strings.IndexAny(text, "eE"); at >= 0 {
		return text[:at]
	}
	return text
}

// isData tells whether what a keyword holds is an author's data, no schema.
func isData(keyword string) bool {
	switch keyword {
	case "const", "enum", "default", "example", "examples":
		return true
	default:
		return false
	}
}
