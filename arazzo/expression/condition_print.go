package expression

import (
	"strings"

	"github.com/weft-flow/weft/arazzo/value"
)

// String writes the condition in its one canonical form, which ParseCondition
// reads back to the same tree.
func (c *Condition) String() string {
	var b strings.Builder
	writeNode(&b, c.root)
	return b.String()
}

// Precedence, the loosest first.
const (
	orLevel = iota
	andLevel
	comparisonLevel
	unaryLevel
	postfixLevel
)

func level(n Node) int {
	switch n := n.(type) {
	case *Binary:
		switch n.Operator {
		case Or:
			return orLevel
		case And:
			return andLevel
		default:
			return comparisonLevel
		}
	case *Not:
		return unaryLevel
	default:
		return postfixLevel
	}
}

// writeWithin writes n, in parentheses where it binds looser than its place.
func writeWithin(b *strings.Builder, n Node, place int) {
	if level(n) >= place {
		writeNode(b, n)
		return
	}
	b.WriteByte('(')
	writeNode(b, n)
	b.WriteByte(')')
}

func writeNode(b *strings.Builder, n Node) {
	switch n := n.(type) {
	case *Literal:
		writeLiteral(b, n.Value)
	case *Text:
		b.WriteString(quoteSegments(n.Segments))
	case *Operand:
		if n.Braced {
			b.WriteString("{" + n.Expression.Source + "}")
			return
		}
		b.WriteString(n.Expression.Source)
	case *Not:
		b.WriteByte('!')
		writeWithin(b, n.X, unaryLevel)
	case *Binary:
		own := level(n)
		left, right := own, own+1
		if n.Operator.IsComparison() {
			left = own + 1
		}
		writeWithin(b, n.Left, left)
		b.WriteString(" " + n.Operator.String() + " ")
		writeWithin(b, n.Right, right)
	case *Member:
		writeAccessed(b, n.X)
		b.WriteString("." + n.Name)
	case *Index:
		writeAccessed(b, n.X)
		b.WriteByte('[')
		writeNode(b, n.At)
		b.WriteByte(']')
	}
}

// writeAccessed writes what a dot or bracket follows: in parentheses where these
// would be read as part of it.
func writeAccessed(b *strings.Builder, n Node) {
	swallows := false
	switch n := n.(type) {
	case *Literal:
		swallows = n.Value.Kind() == value.KindNumber
	case *Operand:
		plainBody := (n.Expression.Part == BodyPart || n.Expression.Part == PayloadPart) && !n.Expression.hasPointer
		swallows = !n.Braced && !plainBody && !roots[n.Expression.Root].alone
	}
	if !swallows {
		writeWithin(b, n, postfixLevel)
		return
	}
	b.WriteByte('(')
	writeNode(b, n)
	b.WriteByte(')')
}

func writeLiteral(b *strings.Builder, v value.Value) {
	if text, ok := v.Str(); ok {
		b.WriteString(quoteSegments([]Segment{{Text: text}}))
		return
	}
	b.WriteString(v.Text())
}
