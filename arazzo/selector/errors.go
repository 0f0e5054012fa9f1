package selector

import (
	"errors"
	"fmt"
)

// SyntaxError tells that a text is not of its language.
type SyntaxError struct {
	Offset     int    // bytes from the start of the text
	Message    string // what is wrong, and what was expected
	Suggestion string // the whole text as it was probably meant; empty where nothing is known
}

// Error gives the message, and the suggestion where there is one.
func (e *SyntaxError) Error() string {
	if e.Suggestion != "" {
		return fmt.Sprintf("%s; did you mean %s?", e.Message, e.Suggestion)
	}
	return e.Message
}

// UnsupportedError tells that a text is valid, or may be, but asks for
// something that this package does not do.
type UnsupportedError struct {
	Offset  int // bytes from the start of the text
	Message string
}

// Error gives the message.
func (e *UnsupportedError) Error() string { return e.Message }

// LimitError tells that work was refused for its size.
type LimitError struct {
	What  string // what there is too much of
	Limit int    // the most that is allowed
}

// Error gives what there is too much of and the limit.
func (e *LimitError) Error() string {
	return fmt.Sprintf("refused: more than %d %s", e.Limit, e.What)
}

// ErrNoMatch tells that a replacement found no place to put its value.
var ErrNoMatch = errors.New("nothing in the data matches")

// The limits of this package.
const (
	// MaxTextLength is the longest selector or pattern, in bytes.
	MaxTextLength = 64 << 10
	// MaxNesting is the deepest nesting of brackets and parentheses in a selector.
	MaxNesting = 100
	// MaxSteps is the most work that one evaluation may do: nodes visited, and
	// for a filter the most that it could visit, counted before it is tried.
	MaxSteps = 4_000_000
	// MaxXMLSize is the longest XML text, in bytes.
	MaxXMLSize = 32 << 20
	// MaxXMLDepth is the deepest nesting of elements.
	MaxXMLDepth = 1000
)

// patternCost is how many steps it counts to compile a regular expression.
const patternCost = 50

// budget counts the steps of one evaluation.
type budget struct{ left int }

func newBudget() *budget { return &budget{left: MaxSteps} }

// spend takes n steps. It is a *LimitError if there are not as many left.
func (b *budget) spend(n int) error {
	if n < 0 || n > b.left {
		b.left = 0
		return &LimitError{What: "steps of work; the selector visits too much of data this large", Limit: MaxSteps}
	}
	b.left -= n
	return nil
}
