package selector

import (
	"errors"
	"fmt"
	"regexp"
	"regexp/syntax"
	"strings"
	"time"

	"github.com/dlclark/regexp2"
)

// Regex is one compiled regular expression of a criterion. It is safe for
// concurrent use.
type Regex struct {
	linear       *regexp.Regexp
	backtracking *regexp2.Regexp // only where RE2 refuses the pattern
}

const (
	// MaxBacktrackingText is the longest text that a pattern which RE2 refuses
	// is tried on, in bytes.
	MaxBacktrackingText = 1 << 20
	// backtrackingTimeout stops a match that the checks of the pattern let
	// through. It is an error, never "no match".
	backtrackingTimeout = time.Second
)

// CompileRegex reads a pattern with the syntax of RE2, or where RE2 refuses it
// with that of ECMAScript (look-around, back-references). It matches anywhere in
// a text; ^ and $ anchor it. The error is a *SyntaxError where neither syntax
// allows the pattern, an *UnsupportedError where it could take time beyond all
// bounds: a repetition within a repetition that RE2 cannot do.
func CompileRegex(pattern string) (*Regex, error) {
	if len(pattern) > MaxTextLength {
		return nil, &LimitError{What: "bytes of a pattern", Limit: MaxTextLength}
	}
	linear, err := regexp.Compile(pattern)
	if err == nil {
		return &Regex{linear: linear}, nil
	}
	if nesting := checkPatternNesting(pattern); nesting != nil {
		return nil, nesting
	}
	backtracking, ecmaErr := regexp2.Compile(pattern, regexp2.ECMAScript)
	if ecmaErr != nil {
		return nil, regexError(pattern, err)
	}
	if at := nestedRepetition(pattern); at >= 0 {
		return nil, &UnsupportedError{Offset: at, Message: "a repetition within a repetition, in a pattern that needs backtracking, is not supported: its time has no bound"}
	}
	backtracking.MatchTimeout = backtrackingTimeout
	return &Regex{backtracking: backtracking}, nil
}

func regexError(pattern string, err error) error {
	var parse *syntax.Error
	if !errors.As(err, &parse) {
		return &SyntaxError{Message: "not a regular expression: " + err.Error()}
	}
	return &SyntaxError{
		Offset:  max(strings.Index(pattern, parse.Expr), 0),
		Message: fmt.Sprintf("not a regular expression: %s: %s", parse.Code, parse.Expr),
	}
}

// Match tells whether the pattern matches anywhere in text. It is an error if
// the text is too long for a pattern that needs backtracking, or its match
// takes too long.
func (r *Regex) Match(text string) (bool, error) {
	if r.linear != nil {
		return r.linear.MatchString(text), nil
	}
	if len(text) > MaxBacktrackingText {
		return false, fmt.Errorf("match: %w", &LimitError{What: "bytes of text for a pattern that needs backtracking", Limit: MaxBacktrackingText})
	}
	matched, err := r.backtracking.MatchString(text)
	if err != nil {
		return false, fmt.Errorf("match: gave up after %s: %w", backtrackingTimeout, err)
	}
	return matched, nil
}

// checkPatternNesting refuses groups nested deeper than MaxNesting.
func checkPatternNesting(pattern string) error {
	depth := 0
	for at := range patternBytes(pattern) {
		switch pattern[at] {
		case '(':
			if depth++; depth > MaxNesting {
				return &LimitError{What: "groups nested in a pattern", Limit: MaxNesting}
			}
		case ')':
			depth--
		}
	}
	return nil
}

// nestedRepetition gives the offset of an unbounded repetition of a group that
// holds one itself, or -1.
func nestedRepetition(pattern string) int {
	var open []bool // by open group: whether it holds an unbounded repetition
	inner, closed := false, false
	for at := range patternBytes(pattern) {
		switch c := pattern[at]; {
		case c == '(':
			open, inner, closed = append(open, inner), false, false
		case c == ')' && len(open) > 0:
			closed = inner
			inner = inner || open[len(open)-1]
			open = open[:len(open)-1]
		case isUnbounded(pattern[at:]):
			if closed {
				return at
			}
			inner = true
		default:
			closed = false
		}
	}
	return -1
}

func isUnbounded(rest string) bool {
	if rest[0] != '{' {
		return rest[0] == '*' || rest[0] == '+'
	}
	end := strings.IndexByte(rest, '}')
	return end > 1 && rest[end-1] == ','
}

// patternBytes goes through the offsets of a pattern that are neither escaped
// nor within a character class.
func patternBytes(pattern string) func(func(int) bool) {
	return func(yield func(int) bool) {
		class := false
		for i := 0; i < len(pattern); i++ {
			switch c := pattern[i]; {
			case c == '\\':
				i++
			case class:
				class = c != ']'
			case c == '[':
				class = true
			default:
				if !yield(i) {
					return
				}
			}
		}
	}
}
