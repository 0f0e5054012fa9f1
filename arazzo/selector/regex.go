package selector

import (
	"errors"
	"fmt"
	"regexp"
	"regexp/syntax"
	"strings"
	"time"

	"github.com/dlclark/regexp2"

	"github.com/weft-flow/weft/arazzo/pattern"
)

// Regex is one compiled regular expression of a criterion. It is safe for
// concurrent use.
type Regex struct {
	linear       *regexp.Regexp
	backtracking *regexp2.Regexp // only where RE2 refuses the pattern
	cost         pattern.Cost    // of backtracking
}

const (
	// MaxBacktrackingText is the longest text that a pattern which RE2 refuses
	// is tried on, in bytes.
	MaxBacktrackingText = 1 << 20
	// backtrackingTimeout stops a match whose work was reckoned wrong. What is
	// reckoned right is done long before, so that the clock decides nothing. It is an
	// error, never "no match".
	backtrackingTimeout = time.Minute
)

// CompileRegex reads a pattern with the syntax of RE2, or where RE2 refuses it
// with that of ECMAScript (look-around, back-references). It matches anywhere in
// a text; ^ and $ anchor it. The error is a *SyntaxError where neither syntax
// allows the pattern, an *UnsupportedError where it could take time beyond all
// bounds: a repetition within a repetition that RE2 cannot do.
func CompileRegex(text string) (*Regex, error) {
	if len(text) > MaxTextLength {
		return nil, &LimitError{What: "bytes of a pattern", Limit: MaxTextLength}
	}
	linear, err := regexp.Compile(text)
	if err == nil {
		return &Regex{linear: linear}, nil
	}
	cost, beyond := pattern.Parse(text)
	var nesting *pattern.NestingError
	if errors.As(beyond, &nesting) {
		return nil, &LimitError{What: "groups nested in a pattern", Limit: pattern.MaxNesting}
	}
	backtracking, ecmaErr := regexp2.Compile(text, regexp2.ECMAScript)
	if ecmaErr != nil {
		return nil, regexError(text, err)
	}
	var unbounded *pattern.UnboundedError
	if errors.As(beyond, &unbounded) {
		return nil, &UnsupportedError{Offset: unbounded.Offset, Message: unbounded.Error()}
	}
	backtracking.MatchTimeout = backtrackingTimeout
	return &Regex{backtracking: backtracking, cost: cost}, nil
}

func regexError(text string, err error) error {
	var parse *syntax.Error
	if !errors.As(err, &parse) {
		return &SyntaxError{Message: "not a regular expression: " + err.Error()}
	}
	return &SyntaxError{
		Offset:  max(strings.Index(text, parse.Expr), 0),
		Message: fmt.Sprintf("not a regular expression: %s: %s", parse.Code, parse.Expr),
	}
}

// Match tells whether the pattern matches anywhere in text. It is an error if
// the text is too long for a pattern that needs backtracking: what is too long
// follows from the pattern alone, so that the answer is always the same.
func (r *Regex) Match(text string) (bool, error) {
	if r.linear != nil {
		return r.linear.MatchString(text), nil
	}
	if len(text) > MaxBacktrackingText {
		return false, fmt.Errorf("match: %w", &LimitError{What: "bytes of text for a pattern that needs backtracking", Limit: MaxBacktrackingText})
	}
	if r.cost.Steps(len(text)) > pattern.MaxSteps {
		return false, fmt.Errorf("match: %w", &LimitError{What: "steps that a pattern which needs backtracking may take on a text of this length", Limit: pattern.MaxSteps})
	}
	matched, err := r.backtracking.MatchString(text)
	if err != nil {
		return false, fmt.Errorf("match: gave up after %s", backtrackingTimeout) // the error holds the whole text
	}
	return matched, nil
}
