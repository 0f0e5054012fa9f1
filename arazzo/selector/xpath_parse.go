package selector

import (
	"fmt"
	"strconv"
	"strings"
)

// xpathParser reads XPath 1.0 by recursive descent. For later versions it also
// names what it meets and does not support.
type xpathParser struct {
	version xpathVersion
	tokens  []xpathToken
	pos     int
	depth   int
}

func parseXPath(version xpathVersion, text string) (xpathExpr, error) {
	tokens, err := xpathTokens(version, text)
	if err != nil {
		return nil, err
	}
	p := &xpathParser{version: version, tokens: tokens}
	e, err := p.expression()
	if err != nil {
		return nil, err
	}
	if p.peek().kind != xpathEnd {
		return nil, p.unexpected("an operator or the end")
	}
	return e, nil
}

func (p *xpathParser) peek() xpathToken { return p.tokens[p.pos] }

// ahead gives the token after the next, or the end.
func (p *xpathParser) ahead() xpathToken {
	return p.tokens[min(p.pos+1, len(p.tokens)-1)]
}

func (p *xpathParser) take() xpathToken {
	t := p.peek()
	p.pos = min(p.pos+1, len(p.tokens)-1)
	return t
}

func (p *xpathParser) at(symbol string) bool {
	t := p.peek()
	return t.kind == xpathSymbol && t.text == symbol
}

func (p *xpathParser) accept(symbol string) bool {
	if !p.at(symbol) {
		return false
	}
	p.take()
	return true
}

func (p *xpathParser) expect(symbol string) error {
	if !p.accept(symbol) {
		return p.unexpected(strconv.Quote(symbol))
	}
	return nil
}

// unexpected tells that the next token cannot stand here, by the name of the
// construct where it is one of a later XPath.
func (p *xpathParser) unexpected(want string) error {
	t := p.peek()
	if name, since := laterConstruct(t); name != "" {
		return p.later(t.offset, name, since)
	}
	return &SyntaxError{Offset: t.offset, Message: fmt.Sprintf("not %s: expected %s, found %s", p.version, want, t)}
}

// later tells that a construct is not supported, or that it is of a version
// later than the one asked for.
func (p *xpathParser) later(offset int, name string, since xpathVersion) error {
	if p.version < since {
		return &SyntaxError{Offset: offset, Message: fmt.Sprintf("%s has no %s; it is of %s", p.version, name, since)}
	}
	return &UnsupportedError{Offset: offset, Message: fmt.Sprintf("%s: %s is not supported", p.version, name)}
}

// enter counts the nesting of expressions; the caller defers p.leave.
func (p *xpathParser) enter() error {
	if p.depth++; p.depth > MaxNesting {
		return &LimitError{What: "expressions nested in an XPath", Limit: MaxNesting}
	}
	return nil
}

func (p *xpathParser) leave() { p.depth-- }

// xpathPrecedence lists the binary operators, the loosest first.
var xpathPrecedence = [][]string{{"or"}, {"and"}, {"=", "!="}, {"<", "<=", ">", ">="}, {"+", "-"}, {"*", "div", "mod"}}

func (p *xpathParser) expression() (xpathExpr, error) {
	if err := p.enter(); err != nil {
		return nil, err
	}
	defer p.leave()
	return p.operation(0)
}

func (p *xpathParser) operation(level int) (xpathExpr, error) {
	if level == len(xpathPrecedence) {
		return p.unary()
	}
	left, err := p.operation(level + 1)
	if err != nil {
		return nil, err
	}
	for {
		t := p.peek()
		if !isOneOf(t, xpathPrecedence[level]) {
			return left, nil
		}
		p.take()
		right, err := p.operation(level + 1)
		if err != nil {
			return nil, err
		}
		if p.version > xpath10 && isComparisonOperator(t.text) && (comparesAlready(left) || comparesAlready(right)) {
			return nil, &SyntaxError{Offset: t.offset, Message: fmt.Sprintf("%s does not chain comparisons; use parentheses", p.version)}
		}
		o := &xpathOperation{operator: t.text, left: left, right: right, offset: t.offset}
		if err := checkOperation(p.version, o); err != nil {
			return nil, err
		}
		left = o
	}
}

// comparesAlready tells whether e is a comparison without parentheses around it.
func comparesAlready(e xpathExpr) bool {
	o, ok := e.(*xpathOperation)
	return ok && isComparisonOperator(o.operator)
}

func isComparisonOperator(operator string) bool {
	return strings.ContainsAny(operator, "=<>")
}

// isOneOf tells whether t is one of the operators, which are symbols or names.
func isOneOf(t xpathToken, operators []string) bool {
	if t.kind != xpathSymbol && t.kind != xpathName {
		return false
	}
	for _, operator := range operators {
		if t.text == operator {
			return true
		}
	}
	return false
}

func (p *xpathParser) unary() (xpathExpr, error) {
	var signs []xpathToken
	for p.at("-") || p.at("+") && p.version > xpath10 {
		signs = append(signs, p.take())
	}
	e, err := p.union()
	if o, ok := e.(*xpathOperation); ok && len(signs) > 0 && p.version > xpath10 {
		return nil, refused(p.version, o.offset, "a sign before a union is read otherwise than in XPath 1.0; use parentheses")
	}
	for i := len(signs) - 1; i >= 0 && err == nil; i-- {
		if err = checkNumeric(p.version, e); err == nil && signs[i].text == "-" {
			e = &xpathNegation{operand: e, offset: signs[i].offset}
		}
	}
	return e, err
}

func (p *xpathParser) union() (xpathExpr, error) {
	left, err := p.path()
	for err == nil && p.at("|") {
		t := p.take()
		var right xpathExpr
		if right, err = p.path(); err != nil {
			return nil, err
		}
		if left.gives() != xpathNodes || right.gives() != xpathNodes {
			return nil, &SyntaxError{Offset: t.offset, Message: fmt.Sprintf("not %s: | unites nodes, not %s with %s", p.version, left.gives(), right.gives())}
		}
		left = &xpathOperation{operator: "|", left: left, right: right, offset: t.offset}
	}
	return left, err
}

// path reads a location path, or a primary expression that one may follow.
func (p *xpathParser) path() (xpathExpr, error) {
	t := p.peek()
	if !p.startsPrimary() {
		return p.locationPath()
	}
	e, err := p.primary()
	if err != nil {
		return nil, err
	}
	if p.at("[") {
		predicates, err := p.predicates(e)
		if err != nil {
			return nil, err
		}
		e = &xpathFiltered{of: e, predicates: predicates, offset: t.offset}
	}
	if !p.at("/") && !p.at("//") {
		return e, nil
	}
	if e.gives() != xpathNodes {
		return nil, &SyntaxError{Offset: p.peek().offset, Message: fmt.Sprintf("not %s: a path goes on from nodes, not from %s", p.version, e.gives())}
	}
	path := &xpathPath{start: e, offset: t.offset}
	return path, p.steps(path)
}

// startsPrimary tells whether a primary expression is next, not a step.
func (p *xpathParser) startsPrimary() bool {
	switch t := p.peek(); t.kind {
	case xpathString, xpathNumber:
		return true
	case xpathSymbol:
		return t.text == "(" || t.text == "$"
	case xpathName:
		next := p.ahead()
		return next.kind == xpathSymbol && next.text == "(" && !isNodeType(t.text)
	default:
		return false
	}
}

func isNodeType(name string) bool {
	return name == "node" || name == "text" || name == "comment" || name == "processing-instruction"
}

func (p *xpathParser) primary() (xpathExpr, error) {
	t := p.peek()
	switch {
	case t.kind == xpathString:
		p.take()
		return &xpathLiteral{xpathValue{kind: xpathText, text: t.text}, t.offset}, nil
	case t.kind == xpathNumber:
		p.take()
		return &xpathLiteral{numberLiteral(t.text), t.offset}, nil
	case t.text == "$":
		return nil, &SyntaxError{Offset: t.offset, Message: fmt.Sprintf("there is no variable $%s: no variables are declared", p.ahead().text)}
	case t.text == "(":
		return p.parenthesized()
	default:
		return p.call()
	}
}

func (p *xpathParser) parenthesized() (xpathExpr, error) {
	t := p.take()
	if p.at(")") {
		return nil, p.later(t.offset, "empty sequence ()", xpath20)
	}
	e, err := p.expression()
	if err != nil {
		return nil, err
	}
	if err := p.expect(")"); err != nil {
		return nil, err
	}
	if o, ok := e.(*xpathOperation); ok {
		return &xpathGroup{o}, nil
	}
	return e, nil
}

// numberLiteral gives the number that a literal writes; it is from 2.0 on an
// integer, a decimal or a double by how it is written.
func numberLiteral(text string) xpathValue {
	number, _ := strconv.ParseFloat(text, 64)
	kind := xpathInteger
	switch {
	case strings.ContainsAny(text, "eE"):
		kind = xpathDouble
	case strings.Contains(text, "."):
		kind = xpathDecimal
	}
	return xpathValue{kind: xpathNum, number: number, numeric: kind}
}
