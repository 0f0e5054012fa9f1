package selector

import (
	"fmt"
	"strings"
)

// laterSymbols are the symbols that XPath 1.0 lacks, with the version that
// brought them.
var laterSymbols = map[string]struct {
	name  string
	since xpathVersion
}{
	"!": {"simple map operator !", xpath30}, "||": {"string concatenation ||", xpath30}, "=>": {"arrow operator =>", xpath31},
	"<<": {"node comparison <<", xpath20}, ">>": {"node comparison >>", xpath20}, ",": {"sequence with a comma", xpath20},
	"?": {"lookup ?", xpath31}, "#": {"function reference #", xpath30}, ":=": {"binding :=", xpath30}, "{": {"constructor with braces", xpath31},
	"[": {"array constructor", xpath31}, "+": {"unary plus", xpath20}, ":": {"wildcard for a prefix", xpath20},
}

// laterWords are the operators and keywords that XPath 1.0 lacks.
var laterWords = map[string]struct {
	name  string
	since xpathVersion
}{
	"eq": {"operator eq", xpath20}, "ne": {"operator ne", xpath20}, "lt": {"operator lt", xpath20}, "le": {"operator le", xpath20},
	"gt": {"operator gt", xpath20}, "ge": {"operator ge", xpath20}, "is": {"operator is", xpath20}, "to": {"range with to", xpath20},
	"idiv": {"operator idiv", xpath20}, "union": {"operator union (write |)", xpath20}, "intersect": {"operator intersect", xpath20},
	"except": {"operator except", xpath20}, "instance": {"instance of", xpath20}, "cast": {"cast as", xpath20},
	"castable": {"castable as", xpath20}, "treat": {"treat as", xpath20}, "for": {"for expression", xpath20},
	"some": {"some expression", xpath20}, "every": {"every expression", xpath20}, "if": {"if expression", xpath20},
	"let": {"let expression", xpath30}, "map": {"map constructor", xpath31}, "array": {"array constructor", xpath31},
	"function": {"inline function", xpath30}, "return": {"return", xpath20}, "satisfies": {"satisfies", xpath20},
	"then": {"if expression", xpath20}, "else": {"if expression", xpath20},
}

// laterConstruct gives the name of the construct of a later version that t
// stands for, where it does.
func laterConstruct(t xpathToken) (name string, since xpathVersion) {
	switch t.kind {
	case xpathSymbol:
		s := laterSymbols[t.text]
		return s.name, s.since
	case xpathName:
		w := laterWords[t.text]
		return w.name, w.since
	default:
		return "", 0
	}
}

// startsConstruct tells whether a word where an operand is expected begins a
// construct, and is not the name of an element.
func startsConstruct(t, next xpathToken) bool {
	switch t.text {
	case "for", "some", "every", "let":
		return next.text == "$"
	case "if", "function":
		return next.text == "("
	case "map", "array":
		return next.text == "{"
	default:
		return false
	}
}

// checkOperation refuses what a version takes for a type error, and what it
// answers otherwise than XPath 1.0.
func checkOperation(version xpathVersion, o *xpathOperation) error {
	if version == xpath10 || o.operator == "and" || o.operator == "or" {
		return nil
	}
	if !isComparisonOperator(o.operator) {
		if err := checkNumeric(version, o.left); err != nil {
			return err
		}
		if err := checkNumeric(version, o.right); err != nil {
			return err
		}
		return checkDecimal(version, o)
	}
	left, right := o.left.gives(), o.right.gives()
	if left != xpathNodes && right != xpathNodes && left != right {
		return refused(version, o.offset, "%s %s %s is a type error", left, o.operator, right)
	}
	if (left == xpathNodes && right == xpathBool) || (left == xpathBool && right == xpathNodes) {
		return refused(version, o.offset, "nodes %s a boolean is read otherwise than in XPath 1.0; use boolean(…)", o.operator)
	}
	if o.operator != "=" && o.operator != "!=" && left != xpathNum && right != xpathNum && left != xpathBool {
		return refused(version, o.offset, "%s %s %s orders strings, where XPath 1.0 orders numbers; use number(…)", left, o.operator, right)
	}
	return nil
}

// checkNumeric refuses an operand of arithmetic that is a type error from 2.0 on.
func checkNumeric(version xpathVersion, e xpathExpr) error {
	if given := e.gives(); version > xpath10 && (given == xpathText || given == xpathBool) {
		return refused(version, e.place(), "arithmetic with %s is a type error; use number(…)", given)
	}
	return nil
}

// checkDecimal refuses arithmetic on decimals, which is exact from 2.0 on and is
// not here. The quotient of two integers is a decimal, and is given as the
// nearest double.
func checkDecimal(version xpathVersion, o *xpathOperation) error {
	left, right := numericKindOf(o.left), numericKindOf(o.right)
	if max(left, right) == xpathDecimal {
		return refused(version, o.offset, "exact arithmetic on decimals is not supported; use number(…)")
	}
	return nil
}

// numericKindOf gives the kind of number that e gives from 2.0 on. Nodes become
// doubles.
func numericKindOf(e xpathExpr) xpathNumeric {
	switch e := e.(type) {
	case *xpathLiteral:
		return e.value.numeric
	case *xpathNegation:
		return numericKindOf(e.operand)
	case *xpathGroup:
		return numericKindOf(e.xpathOperation)
	case *xpathCall:
		return e.function.numericKind(e.args)
	case *xpathOperation:
		kind := max(numericKindOf(e.left), numericKindOf(e.right))
		if e.operator == "div" {
			kind = max(kind, xpathDecimal)
		}
		return kind
	default:
		return xpathDouble
	}
}

// checkArgument refuses an argument that is not nodes where a function takes
// nodes, and from 2.0 on one that is a type error.
func checkArgument(version xpathVersion, f *xpathFunction, want xpathParam, e xpathExpr) error {
	given := e.gives()
	if want == paramNodes && given != xpathNodes {
		if version > xpath10 {
			return refused(version, e.place(), "%s() of %s is not supported", f.name, given)
		}
		return &SyntaxError{Offset: e.place(), Message: fmt.Sprintf("not %s: %s() takes nodes, not %s", version, f.name, given)}
	}
	if version == xpath10 {
		return nil
	}
	if want == paramText && (given == xpathNum || given == xpathBool) {
		return refused(version, e.place(), "%s() with %s is a type error; use string(…)", f.name, given)
	}
	if want == paramNumber && (given == xpathText || given == xpathBool) {
		return refused(version, e.place(), "%s() with %s is a type error; use number(…)", f.name, given)
	}
	return nil
}

func refused(version xpathVersion, offset int, format string, args ...any) error {
	return &UnsupportedError{Offset: offset, Message: version.String() + ": " + strings.TrimSpace(fmt.Sprintf(format, args...))}
}
