package expression

import (
	"fmt"
	"strings"

	"github.com/weft-flow/weft/arazzo/value"
)

// conditionParser reads the grammar of simple conditions:
//
//	or         = and *( "||" and )
//	and        = comparison *( "&&" comparison )
//	comparison = unary [ ( "==" / "!=" / "<" / "<=" / ">" / ">=" ) unary ]
//	unary      = "!" unary / postfix
//	postfix    = primary *( "." name / "[" or "]" )
//	primary    = "(" or ")" / literal / expression / "{" expression "}"
//
// White space is allowed between any two of these, save around the dot.
type conditionParser struct {
	text     string
	names    *Names
	at       int
	depth    int // of parentheses, brackets and '!'
	brackets int // of brackets
	nodes    int
	warnings []Warning
}

func (p *conditionParser) condition() (Node, *Error) {
	if len(p.text) > MaxConditionLength {
		return nil, p.fault("a condition has at most %d bytes, this has %d", MaxConditionLength, len(p.text))
	}
	if p.space(); p.at == len(p.text) {
		return nil, p.fault("the condition is empty")
	}
	n, err := p.or()
	if err != nil {
		return nil, err
	}
	if p.at < len(p.text) {
		return nil, p.leftover()
	}
	return n, nil
}

// leftover says what is wrong with a text that goes on after a whole condition.
func (p *conditionParser) leftover() *Error {
	rest := p.text[p.at:]
	switch {
	case rest[0] == ')':
		return p.fault("')' closes nothing")
	case rest[0] == ']':
		return p.fault("']' closes nothing")
	case rest[0] == '=':
		return p.fault("expected an operator, found '='; equality is written '=='")
	case isAccess(rest[0]):
		return p.fault("expected an operator or the end, found %s; the operators are == != < <= > >= && || and !", p.found())
	default:
		return p.fault("expected an operator or the end, found %s", p.found())
	}
}

func (p *conditionParser) fault(format string, args ...any) *Error {
	return &Error{Offset: p.at, Message: fmt.Sprintf(format, args...)}
}

// found names what is next, for messages.
func (p *conditionParser) found() string {
	if p.at >= len(p.text) {
		return "the end"
	}
	rest := p.text[p.at:]
	if n := span(rest, isAccess); n > 0 {
		return "'" + clip(rest[:n]) + "'"
	}
	return quoteRune(rest)
}

func (p *conditionParser) space() {
	p.at += span(p.text[p.at:], isSpace)
}

// next gives the byte ahead; 0 at the end, which begins nothing either.
func (p *conditionParser) next() byte {
	if p.at < len(p.text) {
		return p.text[p.at]
	}
	return 0
}

// count limits how much a condition can hold.
func (p *conditionParser) count() *Error {
	if p.nodes++; p.nodes > MaxConditionNodes {
		return p.fault("a condition has at most %d operands and operators", MaxConditionNodes)
	}
	return nil
}

// enter limits how deep a condition is nested; leave undoes it.
func (p *conditionParser) enter() *Error {
	if p.depth++; p.depth > MaxConditionDepth {
		return p.fault("a condition is nested at most %d deep", MaxConditionDepth)
	}
	return nil
}

func (p *conditionParser) leave() { p.depth-- }

func (p *conditionParser) or() (Node, *Error) {
	return p.joined(Or, p.and)
}

func (p *conditionParser) and() (Node, *Error) {
	return p.joined(And, p.comparison)
}

// joined reads what one of the operators && and || joins.
func (p *conditionParser) joined(operator Operator, term func() (Node, *Error)) (Node, *Error) {
	left, err := term()
	if err != nil {
		return nil, err
	}
	for operatorAt(p.text[p.at:]) == operator.String() {
		p.at += len(operator.String())
		right, err := term()
		if err != nil {
			return nil, err
		}
		if left, err = p.binary(operator, left, right); err != nil {
			return nil, err
		}
	}
	return left, nil
}

func (p *conditionParser) binary(operator Operator, left, right Node) (Node, *Error) {
	start, _ := left.Span()
	_, end := right.Span()
	return &Binary{extent: extent{start, end}, Operator: operator, Left: left, Right: right}, p.count()
}

func (p *conditionParser) comparison() (Node, *Error) {
	left, err := p.unary()
	if err != nil {
		return nil, err
	}
	operator, ok := p.comparator()
	if !ok {
		return left, nil
	}
	p.at += len(operator.String())
	right, err := p.unary()
	if err != nil {
		return nil, err
	}
	if _, again := p.comparator(); again {
		return nil, p.fault("comparisons cannot be chained: join two with '&&', or use parentheses")
	}
	return p.binary(operator, left, right)
}

func (p *conditionParser) comparator() (Operator, bool) {
	sign := operatorAt(p.text[p.at:])
	for operator := Equal; sign != "" && operator <= GreaterOrEqual; operator++ {
		if operator.String() == sign {
			return operator, true
		}
	}
	return 0, false
}

// unary leaves white space after it consumed, so that an operator is next.
func (p *conditionParser) unary() (Node, *Error) {
	p.space()
	if p.next() != '!' {
		n, err := p.postfix()
		p.space()
		return n, err
	}
	start := p.at
	if err := p.enter(); err != nil {
		return nil, err
	}
	defer p.leave()
	p.at++
	x, err := p.unary()
	if err != nil {
		return nil, err
	}
	_, end := x.Span()
	return &Not{extent: extent{start, end}, X: x}, p.count()
}

func (p *conditionParser) postfix() (Node, *Error) {
	start := p.at
	n, err := p.primary()
	for err == nil {
		switch p.next() {
		case '.':
			n, err = p.member(start, n)
		case '[':
			n, err = p.index(start, n)
		default:
			return n, nil
		}
	}
	return nil, err
}

func (p *conditionParser) member(start int, x Node) (Node, *Error) {
	p.at++
	n := span(p.text[p.at:], isAccess)
	if n == 0 {
		return nil, p.fault("expected a member's name after '.', found %s", p.found())
	}
	name := p.text[p.at : p.at+n]
	p.at += n
	if p.next() == '(' {
		return nil, p.fault("a condition has no functions")
	}
	return &Member{extent: extent{start, p.at}, X: x, Name: name}, p.count()
}

func (p *conditionParser) index(start int, x Node) (Node, *Error) {
	if err := p.enter(); err != nil {
		return nil, err
	}
	defer p.leave()
	p.at++
	p.brackets++
	at, err := p.or()
	p.brackets--
	if err != nil {
		return nil, err
	}
	if p.next() != ']' {
		return nil, p.fault("expected ']', found %s", p.found())
	}
	p.at++
	if literal, ok := at.(*Literal); ok && literal.Value.Kind() != value.KindNumber {
		from, _ := at.Span()
		return nil, &Error{Offset: from, Message: "an index is a number; a member is written with a dot, or in a JSON Pointer"}
	}
	return &Index{extent: extent{start, p.at}, X: x, At: at}, p.count()
}

func (p *conditionParser) primary() (Node, *Error) {
	switch c := p.next(); {
	case c == '(':
		return p.group()
	case c == '$':
		return p.operand()
	case c == '{':
		return p.braced()
	case c == '\'' || c == '"':
		return p.quoted(c)
	case c == '-' || c >= '0' && c <= '9':
		return p.number()
	default:
		return p.word()
	}
}

func (p *conditionParser) group() (Node, *Error) {
	open := p.at
	if err := p.enter(); err != nil {
		return nil, err
	}
	defer p.leave()
	p.at++
	n, err := p.or()
	if err != nil {
		return nil, err
	}
	if p.next() != ')' {
		if p.at == len(p.text) {
			return nil, &Error{Offset: open, Message: "'(' is not closed"}
		}
		return nil, p.fault("expected an operator or ')', found %s", p.found())
	}
	p.at++
	n.setSpan(open, p.at)
	return n, nil
}

func (p *conditionParser) operand() (Node, *Error) {
	start := p.at
	e, err := parsePrefix(p.text[p.at:], p.names, p.brackets > 0)
	if err != nil {
		return nil, err.shifted(start)
	}
	p.at += len(e.Source)
	p.adopt(e, start)
	return &Operand{extent: extent{start, p.at}, Expression: e, Offset: start}, p.count()
}

func (p *conditionParser) braced() (Node, *Error) {
	start := p.at
	if !strings.HasPrefix(p.text[p.at:], "{$") {
		return nil, p.fault("expected an operand, found '{'; an embedded expression begins with '{$'")
	}
	s, err := parseEmbedded(p.text, p.at, p.names)
	if err != nil {
		return nil, err
	}
	p.at = s.End + 1
	p.adopt(s.Expression, s.Offset)
	return &Operand{extent: extent{start, p.at}, Expression: s.Expression, Offset: s.Offset, Braced: true}, p.count()
}

// adopt makes the warnings of an expression at byte offset those of the condition.
func (p *conditionParser) adopt(e *Expression, offset int) {
	for _, w := range e.warnings {
		p.warnings = append(p.warnings, w.shifted(offset))
	}
}
