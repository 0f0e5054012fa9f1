package rules

import (
	"fmt"
	"slices"

	"github.com/weft-flow/weft/arazzo/expression"
	"github.com/weft-flow/weft/arazzo/value"
	"github.com/weft-flow/weft/lint"
)

// contradiction tells where the last of some criteria demands of values what cannot be,
// with what the others demand; empty where nothing is found.
func contradiction(criteria []*lint.Criterion) string {
	if b, ok := criteria[0].Condition().(*expression.Binary); len(criteria) == 1 && ok && b.Operator.IsComparison() {
		return "" // nothing stands against it
	}
	ways := [][]expression.Node{nil}
	for _, c := range criteria {
		root := c.Condition()
		if root == nil {
			continue
		}
		if ways = joined(ways, alternatives(root, true)); ways == nil {
			return ""
		}
	}
	message := ""
	for _, way := range ways {
		if message = clash(way); message == "" {
			return ""
		}
	}
	if len(ways) > 1 {
		return "this can never hold: none of the alternatives is free of contradiction"
	}
	return message
}

// maxWays bounds how many alternatives are looked at.
const maxWays = 64

// alternatives gives the ways in which a condition can hold, or fail: in each, all that
// is demanded. Nil: there are too many.
func alternatives(n expression.Node, holds bool) [][]expression.Node {
	switch n := n.(type) {
	case *expression.Not:
		if _, value := n.X.(*expression.Operand); !value {
			return alternatives(n.X, !holds)
		}
	case *expression.Binary:
		if !n.Operator.IsComparison() {
			left, right := alternatives(n.Left, holds), alternatives(n.Right, holds)
			if (n.Operator == expression.And) == holds {
				return joined(left, right)
			}
			if left == nil || right == nil || len(left)+len(right) > maxWays {
				return nil
			}
			return slices.Concat(left, right)
		}
		if !holds {
			return [][]expression.Node{{contrary(n)}}
		}
	}
	if !holds {
		return [][]expression.Node{{&expression.Not{X: n}}}
	}
	return [][]expression.Node{{n}}
}

// contrary gives what is so where a comparison is not. Where two values have not the one
// order they may have none.
func contrary(b *expression.Binary) expression.Node {
	other := *b
	switch b.Operator {
	case expression.Equal:
		other.Operator = expression.NotEqual
	case expression.NotEqual:
		other.Operator = expression.Equal
	default:
		return &expression.Not{X: b}
	}
	return &other
}

// joined gives the ways in which one of each list is taken; nil where there are too many.
func joined(some, others [][]expression.Node) [][]expression.Node {
	if len(some)*len(others) > maxWays {
		return nil
	}
	var all [][]expression.Node
	for _, a := range some {
		for _, b := range others {
			all = append(all, slices.Concat(a, b))
		}
	}
	return all
}

// demand is what is demanded of one expression.
type demand struct {
	what       string
	expression *expression.Expression
	equal      *value.Value
	unequal    []value.Value
	ordered    bool // it is compared by order, which null never is
	bound      bound
}

// clash tells where what is all demanded cannot be; empty where nothing is found.
func clash(nodes []expression.Node) string {
	var demands []*demand
	for _, n := range nodes {
		c, ok := comparisonOf(n)
		if !ok {
			continue
		}
		at := slices.IndexFunc(demands, func(d *demand) bool { return d.what == c.what })
		if at < 0 {
			at = len(demands)
			demands = append(demands, &demand{what: c.what, expression: c.expression})
		}
		if message := demands[at].add(c); message != "" {
			return c.what + message
		}
	}
	for _, d := range demands {
		for _, e := range demands {
			if d.isNull() && e.isSomething() && isBeneath(e.expression, d.expression) {
				return fmt.Sprintf("%s cannot have a value where %s is null", e.what, d.what)
			}
		}
	}
	return ""
}

// comparison is one of an expression with a constant.
type comparison struct {
	what       string
	expression *expression.Expression
	operator   expression.Operator
	with       value.Value
}

// comparisonOf gives the comparison that a node is, with the expression on its left.
func comparisonOf(n expression.Node) (c comparison, ok bool) {
	b, isBinary := n.(*expression.Binary)
	if !isBinary || !b.Operator.IsComparison() {
		return c, false
	}
	operator := b.Operator
	o, isOperand := b.Left.(*expression.Operand)
	l, isLiteral := b.Right.(*expression.Literal)
	if !isOperand || !isLiteral {
		o, isOperand = b.Right.(*expression.Operand)
		l, isLiteral = b.Left.(*expression.Literal)
		operator = swapped(operator)
	}
	if !isOperand || !isLiteral {
		return c, false
	}
	return comparison{o.Expression.String(), o.Expression, operator, l.Value}, true
}

// add adds a comparison, and tells what then cannot be.
func (d *demand) add(c comparison) string {
	v := numeric(c.with)
	switch c.operator {
	case expression.Equal:
		if d.equal != nil && !value.LooseEqual(*d.equal, v) {
			return fmt.Sprintf(" cannot equal both %s and %s", *d.equal, v)
		}
		d.equal = &v
	case expression.NotEqual:
		if c.with.Kind() == v.Kind() { // else 5.0 may be what it is, which is not '5'
			d.unequal = append(d.unequal, v)
		}
	default:
		d.ordered = true
	}
	if d.bound.narrow(c.operator, c.with); d.bound.isEmpty() {
		return " cannot be within all of the limits that are demanded"
	}
	return d.fault()
}

// numeric reads a text that writes a number as that: both are equal to what one of them
// equals.
func numeric(v value.Value) value.Value {
	if v.Kind() == value.KindString && isNumeric(v.Text()) {
		return plainly(v)
	}
	return v
}

func (d *demand) fault() string {
	if d.equal == nil {
		return ""
	}
	if d.ordered && (d.isNull() || d.equal.Kind() == value.KindBool) {
		return fmt.Sprintf(" cannot be %s and have an order", *d.equal)
	}
	for _, v := range d.unequal {
		if v.Kind() == d.equal.Kind() && value.LooseEqual(v, *d.equal) {
			return fmt.Sprintf(" cannot equal %s and be different from it", v)
		}
	}
	return ""
}

func (d *demand) isNull() bool { return d.equal != nil && d.equal.IsNull() }

// isSomething tells whether it is demanded that there is a value other than null.
func (d *demand) isSomething() bool {
	return d.ordered || d.equal != nil && !d.equal.IsNull() || slices.ContainsFunc(d.unequal, value.Value.IsNull)
}

// isBeneath tells whether an expression leads on from what another names.
func isBeneath(e, above *expression.Expression) bool {
	if e.Root != above.Root || e.Owner != above.Owner || e.Name != above.Name || e.Part != above.Part {
		return false
	}
	tokens, start := lint.Tokens(e), lint.Tokens(above)
	return len(tokens) > len(start) && slices.Equal(tokens[:len(start)], start)
}
