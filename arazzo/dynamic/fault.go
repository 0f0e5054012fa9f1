package dynamic

import (
	"errors"
	"fmt"

	"github.com/weft-flow/weft/arazzo"
	"github.com/weft-flow/weft/arazzo/expression"
	"github.com/weft-flow/weft/arazzo/selector"
)

// Fault is something in the text of a dynamic part that keeps it from being
// evaluated.
type Fault struct {
	Node    *arazzo.Node
	Offset  int // bytes from the start of the node's text
	Message string
	// Unsupported tells that the text is valid, or may be, but asks for what Weft
	// does not do: a gap of ours, not a fault of the author.
	Unsupported bool
	// Suggestion is the whole text as it was probably meant; empty where nothing
	// is known. The message tells it too.
	Suggestion string
}

// faultOf gives the fault of a text that does not parse or compile.
func faultOf(node *arazzo.Node, err error) Fault {
	f := Fault{Node: node, Message: err.Error()}
	var inExpression *expression.Error
	var inSelector *selector.SyntaxError
	var unsupported *selector.UnsupportedError
	var limit *selector.LimitError
	switch {
	case errors.As(err, &inExpression):
		f.Offset, f.Message = inExpression.Offset, inExpression.Message
	case errors.As(err, &inSelector):
		f.Offset, f.Suggestion = inSelector.Offset, inSelector.Suggestion
	case errors.As(err, &unsupported):
		f.Offset, f.Unsupported = unsupported.Offset, true
	case errors.As(err, &limit):
		f.Unsupported = true
	}
	return f
}

// AbsentError tells that something which must have a value has none.
type AbsentError struct {
	Expression string // as it is written
	Where      string // in words
}

// Error names the expression and its place.
func (e *AbsentError) Error() string {
	return fmt.Sprintf("%s %s has no value", e.Where, e.Expression)
}
