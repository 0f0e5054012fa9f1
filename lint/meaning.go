package lint

import (
	"slices"
	"strings"

	"github.com/weft-flow/weft/arazzo/expression"
	"github.com/weft-flow/weft/arazzo/selector"
	"github.com/weft-flow/weft/arazzo/value"
)

// SameCriterion tells whether two criteria mean the same: conditions that differ in
// nothing but white space, the way of quoting, the form of expressions, the order of
// what is compared or joined, and negation.
func SameCriterion(a, b *Criterion) bool {
	return a.meaning() == b.meaning() && (a.Condition() != nil || a.Model.Context.Value == b.Model.Context.Value)
}

// meaning gives a text that is the same for criteria that mean the same on the same
// context.
func (c *Criterion) meaning() string {
	if c.said == "" {
		c.said = c.say()
	}
	return c.said
}

func (c *Criterion) say() string {
	if root := c.Condition(); root != nil {
		return "simple " + sayNode(root)
	}
	if c.Model.Type == nil {
		return "simple " + c.Model.Condition.Value
	}
	kind, version, text := c.Model.Type.Type, c.Model.Type.Version, c.Model.Condition.Value
	if language, err := selector.ParseLanguage(kind); err == nil {
		if version == "" {
			version = language.Versions()[0]
		}
		text = unspaced(text, language == selector.JSONPath)
	}
	return kind + " " + version + " " + text
}

// unspaced gives a selector with its strings in single quotes, where both ways of
// quoting say the same, and without the white space that has no meaning: in JSONPath
// none outside of strings has any.
func unspaced(text string, none bool) string {
	if strings.Contains(text, `\`) {
		return text
	}
	var b strings.Builder
	space := false
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case c == ' ' || c == '\t' || c == '\n' || c == '\r':
			space = !none
		case c == '\'' || c == '"':
			end := stringEnd([]byte(text), i)
			inner := text[i+1 : end]
			if end == len(text) || strings.ContainsRune(inner, '\'') {
				return text
			}
			b.WriteString("'" + inner + "'")
			i, space = end, false
		default:
			if space && b.Len() > 0 {
				b.WriteByte(' ')
			}
			b.WriteByte(c)
			space = false
		}
	}
	return b.String()
}

// sayNode writes a condition in one form for one meaning.
func sayNode(n expression.Node) string {
	switch n := n.(type) {
	case *expression.Not:
		return sayNot(n.X)
	case *expression.Binary:
		if n.Operator.IsComparison() {
			return sayComparison(n.Operator, n)
		}
		parts := sayParts(n, n.Operator)
		slices.Sort(parts)
		if parts = slices.Compact(parts); len(parts) == 1 {
			return parts[0]
		}
		return "(" + strings.Join(parts, " "+n.Operator.String()+" ") + ")"
	default:
		return sayOperand(n)
	}
}

// sayParts writes all that one operator joins.
func sayParts(n expression.Node, o expression.Operator) []string {
	if b, ok := n.(*expression.Binary); ok && b.Operator == o {
		return append(sayParts(b.Left, o), sayParts(b.Right, o)...)
	}
	return []string{sayNode(n)}
}

// sayNot writes what is so where a node is not. That two values have an order is not
// the contrary of their having the other one: with null there is none.
func sayNot(n expression.Node) string {
	switch n := n.(type) {
	case *expression.Not:
		if expression.YieldsBool(n.X) {
			return sayNode(n.X)
		}
	case *expression.Binary:
		switch n.Operator {
		case expression.Equal:
			return sayComparison(expression.NotEqual, n)
		case expression.NotEqual:
			return sayComparison(expression.Equal, n)
		}
	}
	return "!" + sayNode(n)
}

// sayComparison writes the sides of a comparison with an operator between them: that
// what is less stands first, and else in alphabetical order.
func sayComparison(o expression.Operator, n *expression.Binary) string {
	left, right := sayOperand(n.Left), sayOperand(n.Right)
	switch o {
	case expression.Greater:
		o, left, right = expression.Less, right, left
	case expression.GreaterOrEqual:
		o, left, right = expression.LessOrEqual, right, left
	case expression.Equal, expression.NotEqual:
		if left > right {
			left, right = right, left
		}
	}
	return "(" + left + " " + o.String() + " " + right + ")"
}

// sayOperand writes what is compared. Texts are compared whatever the case of their
// letters, and so are the names of headers.
func sayOperand(n expression.Node) string {
	switch n := n.(type) {
	case *expression.Literal:
		if n.Value.Kind() == value.KindString {
			return "'" + strings.ToLower(n.Value.Text()) + "'"
		}
		return n.Value.Text()
	case *expression.Text:
		var b strings.Builder
		for _, s := range n.Segments {
			if s.Expression != nil {
				b.WriteString("{" + sayExpression(s.Expression) + "}")
				continue
			}
			b.WriteString(strings.ToLower(s.Text))
		}
		return "'" + b.String() + "'"
	case *expression.Operand:
		if n.Braced {
			return "{" + sayExpression(n.Expression) + "}"
		}
		return sayExpression(n.Expression)
	case *expression.Member:
		return sayOperand(n.X) + "." + n.Name
	case *expression.Index:
		return sayOperand(n.X) + "[" + sayNode(n.At) + "]"
	default:
		return sayNode(n)
	}
}

func sayExpression(e *expression.Expression) string {
	if e.Part == expression.HeaderPart && e.Root != expression.Message {
		return strings.ToLower(e.String())
	}
	return e.String()
}
