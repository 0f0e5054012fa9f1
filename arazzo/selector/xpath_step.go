package selector

import (
	"fmt"
	"strings"
)

// xpathAxis is a direction from a node to others.
type xpathAxis uint8

const (
	axisChild xpathAxis = iota
	axisDescendant
	axisParent
	axisAncestor
	axisFollowingSibling
	axisPrecedingSibling
	axisFollowing
	axisPreceding
	axisAttribute
	axisSelf
	axisDescendantOrSelf
	axisAncestorOrSelf
)

var xpathAxes = map[string]xpathAxis{
	"child": axisChild, "descendant": axisDescendant, "parent": axisParent, "ancestor": axisAncestor,
	"following-sibling": axisFollowingSibling, "preceding-sibling": axisPrecedingSibling,
	"following": axisFollowing, "preceding": axisPreceding, "attribute": axisAttribute, "self": axisSelf,
	"descendant-or-self": axisDescendantOrSelf, "ancestor-or-self": axisAncestorOrSelf,
}

// xpathNodeTest says which nodes of an axis a step takes.
type xpathNodeTest struct {
	kind          testKind
	prefix, local string // for a name; local "*" stands for any
	target        string // of a processing instruction; empty for any
}

type testKind uint8

const (
	testName testKind = iota
	testNode
	testText
	testComment
	testInstruction
)

func (t *xpathNodeTest) takes(n *xmlNode, axis xpathAxis) bool {
	switch t.kind {
	case testNode:
		return true
	case testText:
		return n.kind == xmlText
	case testComment:
		return n.kind == xmlComment
	case testInstruction:
		return n.kind == xmlInstruction && (t.target == "" || t.target == n.local)
	}
	principal := xmlElement
	if axis == axisAttribute {
		principal = xmlAttribute
	}
	if n.kind != principal {
		return false
	}
	if t.local == "*" {
		return t.prefix == "" || t.prefix == n.prefix
	}
	return t.local == n.local && t.prefix == n.prefix
}

func (p *xpathParser) locationPath() (xpathExpr, error) {
	path := &xpathPath{offset: p.peek().offset}
	if p.at("/") || p.at("//") {
		path.absolute = true
		if p.at("/") && !p.startsStep(p.ahead()) {
			p.take()
			return path, nil
		}
		return path, p.steps(path)
	}
	return path, p.step(path)
}

// startsStep tells whether t can begin a step.
func (p *xpathParser) startsStep(t xpathToken) bool {
	switch t.kind {
	case xpathName:
		return true
	case xpathSymbol:
		return t.text == "." || t.text == ".." || t.text == "@" || t.text == "*"
	default:
		return false
	}
}

// steps reads steps that each follow a slash or two.
func (p *xpathParser) steps(path *xpathPath) error {
	for p.at("/") || p.at("//") {
		if p.take().text == "//" {
			path.steps = append(path.steps, xpathStep{axis: axisDescendantOrSelf, test: xpathNodeTest{kind: testNode}})
		}
		if err := p.step(path); err != nil {
			return err
		}
	}
	return nil
}

// step reads one step, and where it is the first also those that follow.
func (p *xpathParser) step(path *xpathPath) error {
	s, err := p.oneStep()
	if err != nil {
		return err
	}
	first := len(path.steps) == 0 && !path.absolute && path.start == nil
	path.steps = append(path.steps, s)
	if first {
		return p.steps(path)
	}
	return nil
}

func (p *xpathParser) oneStep() (xpathStep, error) {
	var s xpathStep
	switch {
	case p.accept("."):
		s.axis, s.test.kind = axisSelf, testNode
	case p.accept(".."):
		s.axis, s.test.kind = axisParent, testNode
	default:
		if err := p.axis(&s); err != nil {
			return s, err
		}
		if err := p.nodeTest(&s.test); err != nil {
			return s, err
		}
		predicates, err := p.predicates(nil)
		s.predicates = predicates
		return s, err
	}
	if p.at("[") && p.version == xpath10 {
		return s, &SyntaxError{Offset: p.peek().offset, Message: "XPath 1.0 allows no predicate after . or ..; write self::node()[…]"}
	}
	predicates, err := p.predicates(nil)
	s.predicates = predicates
	return s, err
}

func (p *xpathParser) axis(s *xpathStep) error {
	if p.accept("@") {
		s.axis = axisAttribute
		return nil
	}
	t, next := p.peek(), p.ahead()
	if t.kind != xpathName || next.kind != xpathSymbol || next.text != "::" {
		return nil
	}
	if t.text == "namespace" {
		return &UnsupportedError{Offset: t.offset, Message: p.version.String() + ": the namespace axis is not supported"}
	}
	axis, ok := xpathAxes[t.text]
	if !ok {
		return &SyntaxError{Offset: t.offset, Message: fmt.Sprintf("not %s: there is no axis %q", p.version, t.text)}
	}
	s.axis = axis
	p.pos += 2
	return nil
}

func (p *xpathParser) nodeTest(test *xpathNodeTest) error {
	t, next := p.peek(), p.ahead()
	if p.at("*") {
		if next.kind == xpathSymbol && next.text == ":" {
			return p.later(t.offset, "wildcard for a prefix, *:name,", xpath20)
		}
		p.take()
		test.local = "*"
		return nil
	}
	if t.kind != xpathName {
		if t.kind == xpathString || t.kind == xpathNumber || t.text == "(" && p.pos > 0 {
			return p.later(t.offset, "step that is no location step", xpath20)
		}
		return p.unexpected("a step")
	}
	if startsConstruct(t, next) {
		name, since := laterConstruct(t)
		return p.later(t.offset, name, since)
	}
	if next.kind == xpathSymbol && next.text == "(" {
		return p.kindTest(test)
	}
	p.take()
	test.prefix, test.local = splitName(t.text)
	return nil
}

// kindTest reads node(), text(), comment() or processing-instruction().
func (p *xpathParser) kindTest(test *xpathNodeTest) error {
	t := p.take()
	if !isNodeType(t.text) {
		return p.later(t.offset, "step "+t.text+"()", xpath20)
	}
	p.take()
	test.kind = map[string]testKind{"node": testNode, "text": testText, "comment": testComment, "processing-instruction": testInstruction}[t.text]
	if target := p.peek(); test.kind == testInstruction && (target.kind == xpathString || target.kind == xpathName && p.version > xpath10) {
		test.target = strings.TrimSpace(p.take().text)
	}
	return p.expect(")")
}

// predicates reads any number of predicates; of is what they filter, nil for a step.
func (p *xpathParser) predicates(of xpathExpr) ([]xpathExpr, error) {
	if of != nil && p.at("[") && of.gives() != xpathNodes {
		if p.version > xpath10 {
			return nil, p.later(p.peek().offset, "predicate after "+of.gives().String(), xpath20)
		}
		return nil, &SyntaxError{Offset: p.peek().offset, Message: fmt.Sprintf("not %s: a predicate filters nodes, not %s", p.version, of.gives())}
	}
	var predicates []xpathExpr
	for p.accept("[") {
		e, err := p.expression()
		if err != nil {
			return nil, err
		}
		if err := p.expect("]"); err != nil {
			return nil, err
		}
		predicates = append(predicates, e)
	}
	return predicates, nil
}
