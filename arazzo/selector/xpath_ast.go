package selector

// xpathVersion is a version of XPath.
type xpathVersion uint8

const (
	xpath10 xpathVersion = iota
	xpath20
	xpath30
	xpath31
)

// String gives the version's name as a person says it.
func (v xpathVersion) String() string {
	return [...]string{"XPath 1.0", "XPath 2.0", "XPath 3.0", "XPath 3.1"}[v]
}

// xpathType is what an expression gives.
type xpathType uint8

const (
	xpathNodes xpathType = iota
	xpathText
	xpathNum
	xpathBool
)

// String gives the type's name, for messages.
func (t xpathType) String() string {
	return [...]string{"nodes", "a string", "a number", "a boolean"}[t]
}

// xpathExpr is one node of a parsed expression.
type xpathExpr interface {
	gives() xpathType
	place() int
}

type xpathLiteral struct {
	value  xpathValue
	offset int
}

type xpathNegation struct {
	operand xpathExpr
	offset  int
}

// xpathOperation is an operator between two operands; its offset is that of the
// operator.
type xpathOperation struct {
	operator    string
	left, right xpathExpr
	offset      int
}

// xpathGroup is an operation in parentheses.
type xpathGroup struct{ *xpathOperation }

type xpathCall struct {
	function *xpathFunction
	args     []xpathExpr
	offset   int
}

// xpathPath is a location path: from start, from the root, or from the context.
type xpathPath struct {
	start    xpathExpr // nil: the context node, or the root where absolute
	absolute bool
	steps    []xpathStep
	offset   int
}

type xpathStep struct {
	axis       xpathAxis
	test       xpathNodeTest
	predicates []xpathExpr
}

// xpathFiltered is an expression with predicates, as in (//a)[1].
type xpathFiltered struct {
	of         xpathExpr
	predicates []xpathExpr
	offset     int
}

func (e *xpathLiteral) gives() xpathType  { return e.value.kind }
func (e *xpathNegation) gives() xpathType { return xpathNum }
func (e *xpathCall) gives() xpathType     { return e.function.result }
func (e *xpathPath) gives() xpathType     { return xpathNodes }
func (e *xpathFiltered) gives() xpathType { return xpathNodes }
func (e *xpathOperation) gives() xpathType {
	switch e.operator {
	case "|":
		return xpathNodes
	case "+", "-", "*", "div", "mod":
		return xpathNum
	default:
		return xpathBool
	}
}

func (e *xpathLiteral) place() int   { return e.offset }
func (e *xpathNegation) place() int  { return e.offset }
func (e *xpathOperation) place() int { return e.offset }
func (e *xpathCall) place() int      { return e.offset }
func (e *xpathPath) place() int      { return e.offset }
func (e *xpathFiltered) place() int  { return e.offset }
