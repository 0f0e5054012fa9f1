package expression

import "github.com/weft-flow/weft/arazzo/value"

// Node is one node of a condition's syntax tree: a *Literal, *Text, *Operand,
// *Not, *Binary, *Member or *Index. Parentheses leave no node, but widen the span
// of what they hold.
type Node interface {
	// Span gives where the node is written: from byte start of the condition up
	// to, not including, byte end.
	Span() (start, end int)

	setSpan(start, end int)
}

type extent struct{ start, end int }

// Span gives where the node is written.
func (e *extent) Span() (start, end int) { return e.start, e.end }

func (e *extent) setSpan(start, end int) { e.start, e.end = start, end }

// Literal is a boolean, null, a number, or a string without expressions.
type Literal struct {
	extent
	Value value.Value
}

// Text is a quoted string with embedded expressions. The offsets of its segments
// count from the start of the condition; the text of a segment is what it
// stands for, with the escapes of quotes resolved.
type Text struct {
	extent
	Segments []Segment
}

// Operand is a runtime expression. Braced tells that it is written {$…}: then it
// must have a value. It begins at byte Offset, braces left out.
type Operand struct {
	extent
	Expression *Expression
	Offset     int
	Braced     bool
}

// Not is "!X".
type Not struct {
	extent
	X Node
}

// Operator is one that stands between two operands.
type Operator uint8

// The operators (Arazzo 1.1, Criterion Object).
const (
	Or Operator = iota
	And
	Equal
	NotEqual
	Less
	LessOrEqual
	Greater
	GreaterOrEqual
)

// String writes the operator.
func (o Operator) String() string {
	signs := [...]string{"||", "&&", "==", "!=", "<", "<=", ">", ">="}
	if int(o) >= len(signs) {
		return "?"
	}
	return signs[o]
}

// IsComparison tells whether o compares two values; else it joins two verdicts.
func (o Operator) IsComparison() bool { return o >= Equal }

// Binary is "Left Operator Right".
type Binary struct {
	extent
	Operator    Operator
	Left, Right Node
}

// Member is "X.Name".
type Member struct {
	extent
	X    Node
	Name string
}

// Index is "X[At]".
type Index struct {
	extent
	X, At Node
}

// Walk calls visit for n and all nodes beneath it, in the order they are
// written; not for those beneath a node for which visit gives false.
func Walk(n Node, visit func(Node) bool) {
	if !visit(n) {
		return
	}
	switch n := n.(type) {
	case *Not:
		Walk(n.X, visit)
	case *Binary:
		Walk(n.Left, visit)
		Walk(n.Right, visit)
	case *Member:
		Walk(n.X, visit)
	case *Index:
		Walk(n.X, visit)
		Walk(n.At, visit)
	}
}

// YieldsBool tells whether n is true or false, never a value of another kind,
// whatever the scope says. Where the root of a condition is no such node, its
// verdict rests on what other kinds of value are held to mean.
func YieldsBool(n Node) bool {
	switch n := n.(type) {
	case *Not, *Binary:
		return true
	case *Literal:
		return n.Value.Kind() == value.KindBool
	default:
		return false
	}
}
