package selector

import (
	"fmt"
	"math"
	"strings"
)

// compare is =, !=, <, <=, > or >= (XPath 1.0, section 3.4). Of nodes it holds
// where it holds for one of them. What later versions answer otherwise has been
// refused when the expression was compiled, or is an error here.
func (x *xpathRun) compare(operator string, left, right xpathValue) (bool, error) {
	switch {
	case left.kind == xpathNodes && right.kind == xpathNodes:
		return x.compareNodes(operator, left, right)
	case right.kind == xpathNodes:
		return x.compareEach(mirrored(operator), right, left)
	case left.kind == xpathNodes:
		return x.compareEach(operator, left, right)
	default:
		return x.compareScalars(operator, left, right)
	}
}

// mirrored gives the operator for swapped operands.
func mirrored(operator string) string {
	switch operator[0] {
	case '<':
		return ">" + operator[1:]
	case '>':
		return "<" + operator[1:]
	default:
		return operator
	}
}

// compareEach compares nodes with something that is not nodes.
func (x *xpathRun) compareEach(operator string, nodes, other xpathValue) (bool, error) {
	if other.kind == xpathBool && x.version == xpath10 {
		return x.compareScalars(operator, boolValue(nodes.boolean()), other)
	}
	for _, n := range nodes.nodes {
		text, err := x.stringValue(n)
		if err != nil {
			return false, err
		}
		one := textValue(text)
		if other.kind == xpathNum && x.version > xpath10 {
			if one, _, err = x.operand(nodesValue(n)); err != nil {
				return false, err
			}
		}
		if holds, err := x.compareScalars(operator, one, other); holds || err != nil {
			return holds, err
		}
	}
	return false, nil
}

// compareNodes compares the string-values of two node-sets, or for an ordering
// their numbers.
func (x *xpathRun) compareNodes(operator string, left, right xpathValue) (bool, error) {
	rights := make([]xpathValue, len(right.nodes))
	for i, n := range right.nodes {
		text, err := x.stringValue(n)
		if err != nil {
			return false, err
		}
		rights[i] = textValue(text)
	}
	for _, n := range left.nodes {
		text, err := x.stringValue(n)
		if err != nil {
			return false, err
		}
		if err := x.budget.spend(len(rights)); err != nil {
			return false, err
		}
		for _, r := range rights {
			if holds, err := x.compareScalars(operator, textValue(text), r); holds || err != nil {
				return holds, err
			}
		}
	}
	return false, nil
}

func (x *xpathRun) compareScalars(operator string, left, right xpathValue) (bool, error) {
	equality := operator == "=" || operator == "!="
	switch {
	case equality && (left.kind == xpathBool || right.kind == xpathBool):
		return (left.boolean() == right.boolean()) == (operator == "="), nil
	case equality && left.kind == xpathText && right.kind == xpathText:
		return (left.text == right.text) == (operator == "="), nil
	}
	a, err := x.number(left)
	if err != nil {
		return false, err
	}
	b, err := x.number(right)
	if err != nil {
		return false, err
	}
	return compareDoubles(operator, a, b)
}

func compareDoubles(operator string, a, b float64) (bool, error) {
	switch operator {
	case "=":
		return a == b, nil
	case "!=":
		return a != b, nil
	case "<":
		return a < b, nil
	case "<=":
		return a <= b, nil
	case ">":
		return a > b, nil
	case ">=":
		return a >= b, nil
	default:
		return false, fmt.Errorf("there is no comparison %q", operator)
	}
}

// round rounds half up, and keeps the sign of zero (XPath 1.0, section 4.4).
func round(f float64) float64 {
	if math.IsNaN(f) || math.IsInf(f, 0) || math.Abs(f) >= 1<<52 {
		return f
	}
	return math.Copysign(math.Floor(f+0.5), f)
}

// normalizeSpace trims XML's white space and makes one blank of each run of it.
func normalizeSpace(s string) string {
	isSpace := func(r rune) bool { return r == ' ' || r == '\t' || r == '\r' || r == '\n' }
	return strings.Join(strings.FieldsFunc(s, isSpace), " ")
}
