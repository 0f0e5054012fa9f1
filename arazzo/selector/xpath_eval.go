package selector

import (
	"fmt"
	"math"
	"slices"
)

// xpathRun is one evaluation of an expression on a document.
type xpathRun struct {
	version xpathVersion
	doc     *xmlDocument
	budget  *budget
}

// xpathContext is what an expression is evaluated in.
type xpathContext struct {
	node           *xmlNode
	position, size int
}

func (x *xpathRun) eval(e xpathExpr, c xpathContext) (xpathValue, error) {
	if err := x.budget.spend(1); err != nil {
		return xpathValue{}, err
	}
	switch e := e.(type) {
	case *xpathLiteral:
		return e.value, nil
	case *xpathGroup:
		return x.operation(e.xpathOperation, c)
	case *xpathOperation:
		return x.operation(e, c)
	case *xpathNegation:
		return x.negation(e, c)
	case *xpathCall:
		return x.call(e, c)
	case *xpathFiltered:
		return x.filtered(e, c)
	case *xpathPath:
		return x.path(e, c)
	default:
		return xpathValue{}, fmt.Errorf("there is no evaluation of %T", e)
	}
}

func (x *xpathRun) operation(o *xpathOperation, c xpathContext) (xpathValue, error) {
	left, err := x.eval(o.left, c)
	if err != nil {
		return xpathValue{}, err
	}
	if decided := left.boolean(); o.operator == "or" && decided || o.operator == "and" && !decided {
		return boolValue(decided), nil
	}
	right, err := x.eval(o.right, c)
	if err != nil {
		return xpathValue{}, err
	}
	switch o.operator {
	case "or", "and":
		return boolValue(right.boolean()), nil
	case "|":
		return x.union(left.nodes, right.nodes)
	case "=", "!=", "<", "<=", ">", ">=":
		truth, err := x.compare(o.operator, left, right)
		return boolValue(truth), err
	default:
		return x.arithmetic(o.operator, left, right)
	}
}

func (x *xpathRun) union(left, right []*xmlNode) (xpathValue, error) {
	all := slices.Concat(left, right)
	if err := x.budget.spend(len(all)); err != nil {
		return xpathValue{}, err
	}
	return nodesValue(inOrder(all)...), nil
}

// inOrder sorts nodes into document order and drops those that come twice.
func inOrder(nodes []*xmlNode) []*xmlNode {
	byOrder := func(a, b *xmlNode) int { return a.order - b.order }
	if !slices.IsSortedFunc(nodes, byOrder) {
		slices.SortFunc(nodes, byOrder)
	}
	return slices.Compact(nodes)
}

func (x *xpathRun) negation(e *xpathNegation, c xpathContext) (xpathValue, error) {
	v, err := x.eval(e.operand, c)
	if err != nil {
		return xpathValue{}, err
	}
	n, ok, err := x.operand(v)
	if !ok || err != nil {
		return xpathValue{}, err
	}
	n.number = -n.number
	if n.number == 0 && n.numeric != xpathDouble {
		n.number = 0 // an integer has no negative zero
	}
	return n, nil
}

func (x *xpathRun) arithmetic(operator string, left, right xpathValue) (xpathValue, error) {
	a, aOK, err := x.operand(left)
	if err != nil {
		return xpathValue{}, err
	}
	b, bOK, err := x.operand(right)
	if err != nil || !aOK || !bOK {
		return xpathValue{}, err
	}
	result := xpathValue{kind: xpathNum, numeric: max(a.numeric, b.numeric)}
	if b.number == 0 && result.numeric != xpathDouble && (operator == "div" || operator == "mod") {
		return xpathValue{}, fmt.Errorf("%s: division by zero", x.version)
	}
	switch operator {
	case "+":
		result.number = a.number + b.number
	case "-":
		result.number = a.number - b.number
	case "*":
		result.number = a.number * b.number
	case "div":
		result.number = a.number / b.number
		result.numeric = max(result.numeric, xpathDecimal)
	default:
		result.number = math.Mod(a.number, b.number)
	}
	return result, nil
}

// filtered evaluates predicates on the whole of a node-set, in document order.
func (x *xpathRun) filtered(e *xpathFiltered, c xpathContext) (xpathValue, error) {
	v, err := x.eval(e.of, c)
	if err != nil {
		return xpathValue{}, err
	}
	nodes, err := x.predicates(v.nodes, e.predicates)
	return nodesValue(nodes...), err
}

// predicates keeps the nodes for which every predicate holds; their positions
// count in the order given.
func (x *xpathRun) predicates(nodes []*xmlNode, predicates []xpathExpr) ([]*xmlNode, error) {
	for _, p := range predicates {
		var kept []*xmlNode
		for i, n := range nodes {
			v, err := x.eval(p, xpathContext{node: n, position: i + 1, size: len(nodes)})
			if err != nil {
				return nil, err
			}
			if v.kind == xpathNum && v.number == float64(i+1) || v.kind != xpathNum && v.boolean() {
				kept = append(kept, n)
			}
		}
		nodes = kept
	}
	return nodes, nil
}

func (x *xpathRun) path(e *xpathPath, c xpathContext) (xpathValue, error) {
	nodes := []*xmlNode{c.node}
	if e.absolute {
		nodes[0] = x.doc.nodes[0]
	}
	if e.start != nil {
		v, err := x.eval(e.start, c)
		if err != nil {
			return xpathValue{}, err
		}
		nodes = v.nodes
	}
	for i := range e.steps {
		next, err := x.step(&e.steps[i], nodes)
		if err != nil {
			return xpathValue{}, err
		}
		nodes = next
	}
	return nodesValue(nodes...), nil
}

func (x *xpathRun) step(s *xpathStep, from []*xmlNode) ([]*xmlNode, error) {
	var all []*xmlNode
	for _, n := range from {
		candidates, err := x.axis(s, n)
		if err != nil {
			return nil, err
		}
		kept, err := x.predicates(candidates, s.predicates)
		if err != nil {
			return nil, err
		}
		all = append(all, kept...)
	}
	return inOrder(all), nil
}
