package schema

import (
	"errors"
	"regexp"
	"time"

	"github.com/dlclark/regexp2"

	"github.com/weft-flow/weft/arazzo/pattern"
)

// asidePattern is the keyword that carries a pattern which Go's regexp cannot
// read: JSON Schema 2020-12 recommends the syntax of ECMA-262, which has more.
const asidePattern = "x-weft-pattern"

// patternTimeout stops a match whose work was reckoned wrong: the clock is to decide
// nothing.
const patternTimeout = time.Minute

// ecmaPattern is a pattern of ECMA-262.
type ecmaPattern struct {
	expression *regexp2.Regexp
	cost       pattern.Cost
	unbounded  error // why it is never tried
}

// errTooMuch tells that a text is too long for a pattern.
var errTooMuch = errors.New("the text is too long for a pattern that needs backtracking")

// match tells whether the pattern matches anywhere in text. Whether it is tried at
// all follows from the pattern and the length of the text.
func (p ecmaPattern) match(text string) (bool, error) {
	switch {
	case p.unbounded != nil:
		return false, p.unbounded
	case p.cost.Steps(len(text)) > pattern.MaxSteps:
		return false, errTooMuch
	}
	matched, err := p.expression.MatchString(text)
	if err != nil {
		return false, errTooMuch // the error of the library holds the whole text
	}
	return matched, nil
}

func parseECMAScript(text string) (ecmaPattern, error) {
	expression, err := regexp2.Compile(text, regexp2.ECMAScript)
	if err != nil {
		// Unicode classes beside lookarounds: no ECMAScript without its u flag.
		expression, err = regexp2.Compile(text, regexp2.None)
	}
	if err != nil {
		return ecmaPattern{}, err
	}
	expression.MatchTimeout = patternTimeout
	p := ecmaPattern{expression: expression}
	p.cost, p.unbounded = pattern.Parse(text)
	return p, nil
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
