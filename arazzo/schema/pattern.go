package schema

import (
	"regexp"
	"time"

	"github.com/dlclark/regexp2"
)

// asidePattern is the keyword that carries a pattern which Go's regexp cannot
// read: JSON Schema 2020-12 recommends the syntax of ECMA-262, which has more.
const asidePattern = "x-weft-pattern"

// patternTimeout bounds one match of a pattern that may backtrack.
const patternTimeout = 250 * time.Millisecond

// ecmaPattern is a pattern of ECMA-262.
type ecmaPattern struct{ *regexp2.Regexp }

func parseECMAScript(text string) (*regexp2.Regexp, error) {
	expression, err := regexp2.Compile(text, regexp2.ECMAScript)
	if err != nil {
		// Unicode classes beside lookarounds: no ECMAScript without its u flag.
		expression, err = regexp2.Compile(text, regexp2.None)
	}
	if err != nil {
		return nil, err
	}
	expression.MatchTimeout = patternTimeout
	return expression, nil
}

// isPattern tells whether v is no string, or a regular expression in one of the
// two syntaxes.
func isPattern(v any) bool {
	text, ok := v.(string)
	if !ok {
		return true
	}
	if _, err := regexp.Compile(text); err == nil {
		return true
	}
	_, err := parseECMAScript(text)
	return err == nil
}
