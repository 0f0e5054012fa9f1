package rules

import (
	"fmt"
	"maps"
	"slices"

	"github.com/weft-flow/weft/arazzo/expression"
	"github.com/weft-flow/weft/arazzo/value"
	"github.com/weft-flow/weft/lint"
)

// demands holds what criteria that are taken one after the other demand of values, for
// each of the ways in which they can all hold.
type demands struct {
	ways []*way
	open bool // there are too many ways to look at
}

// add adds a criterion, and tells where it demands of values what cannot be, with what
// those before it demand; empty where nothing is found.
func (d *demands) add(c *lint.Criterion) string {
	root := c.Condition()
	if root == nil || d.open {
		return ""
	}
	if d.ways == nil {
		d.ways = []*way{newWay()}
	}
	choices := alternatives(root, true)
	if d.open = choices == nil || len(d.ways)*len(choices) > maxWays; d.open {
		return ""
	}
	var ways []*way
	for _, w := range d.ways {
		for i, nodes := range choices {
			next := w
			if i < len(choices)-1 {
				next = w.clone()
			}
			ways = append(ways, next)
			next.take(nodes)
		}
	}
	d.ways = ways
	return d.clash()
}

func (d *demands) clash() string {
	for _, w := range d.ways {
		if w.clash == "" {
			return ""
		}
	}
	if len(d.ways) > 1 {
		return "this can never hold: none of the alternatives is free of contradiction"
	}
	return d.ways[0].clash
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
	notNull    bool // null is among those that it is not
	ordered    bool // it is compared by order, which null never is
	bound      bound
}

// way is one of the ways in which criteria can all hold, by what that demands.
type way struct {
	demands map[string]*demand
	null    map[string]string // the expressions that are null, by their place
	within  map[string]string // an expression that has a value, by each place around it
	clash   string            // why it is none after all
}

func newWay() *way {
	return &way{demands: make(map[string]*demand), null: make(map[string]string), within: make(map[string]string)}
}

func (w *way) clone() *way {
	c := &way{make(map[string]*demand, len(w.demands)), maps.Clone(w.null), maps.Clone(w.within), w.clash}
	for what, d := range w.demands {
		same := *d
		same.unequal = slices.Clone(d.unequal)
		c.demands[what] = &same
	}
	return c
}

// take adds what comparisons demand.
func (w *way) take(nodes []expression.Node) {
	for _, n := range nodes {
		c, ok := comparisonOf(n)
		if !ok || w.clash != "" {
			continue
		}
		d := w.demands[c.what]
		if d == nil {
			d = &demand{what: c.what, expression: c.expression}
			w.demands[c.what] = d
		}
		if message := d.add(c); message != "" {
			w.clash = c.what + message
			return
		}
		w.place(d)
	}
}

// place looks for what cannot have a value since something around it is null.
func (w *way) place(d *demand) {
	tokens := lint.Tokens(d.expression)
	if d.isNull() {
		at := placeKey(d.expression, tokens)
		w.null[at] = d.what
		if inner, ok := w.within[at]; ok {
			w.lacks(inner, d.what)
		}
	}
	if !d.isSomething() {
		return
	}
	for n := range tokens {
		around := placeKey(d.expression, tokens[:n])
		w.within[around] = d.what
		if null, ok := w.null[around]; ok {
			w.lacks(d.what, null)
		}
	}
}

func (w *way) lacks(inner, null string) {
	w.clash = fmt.Sprintf("%s cannot have a value where %s is null", inner, null)
}

// placeKey is the same for expressions that lead by the same way from the same value.
func placeKey(e *expression.Expression, tokens []string) string {
	return fmt.Sprintf("%d %d %q %q %q", e.Root, e.Part, e.Owner, e.Name, tokens)
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
		if d.equal != nil && d.equal.Kind() == v.Kind() {
			break // as before
		}
		d.equal = &v
		for _, other := range d.unequal {
			if message := d.differs(other); message != "" {
				return message
			}
		}
	case expression.NotEqual:
		if c.with.Kind() == v.Kind() { // else 5.0 may be what it is, which is not '5'
			d.unequal = append(d.unequal, v)
			d.notNull = d.notNull || v.IsNull()
			if message := d.differs(v); message != "" {
				return message
			}
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
	if d.ordered && d.equal != nil && (d.isNull() || d.equal.Kind() == value.KindBool) {
		return fmt.Sprintf(" cannot be %s and have an order", *d.equal)
	}
	return ""
}

// differs tells where a value is one that the expression equals and must not.
func (d *demand) differs(v value.Value) string {
	if d.equal != nil && v.Kind() == d.equal.Kind() && value.LooseEqual(v, *d.equal) {
		return fmt.Sprintf(" cannot equal %s and be different from it", v)
	}
	return ""
}

func (d *demand) isNull() bool { return d.equal != nil && d.equal.IsNull() }

// isSomething tells whether it is demanded that there is a value other than null.
func (d *demand) isSomething() bool {
	return d.ordered || d.equal != nil && !d.equal.IsNull() || d.notNull
}
