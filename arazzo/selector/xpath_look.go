package selector

import (
	"strconv"
	"strings"

	"github.com/weft-flow/weft/arazzo/value"
)

// Look is a place in XML that an XPath looks at, and what it compares it with there: who
// makes up a document for which the XPath is true, or false, finds in it what to change.
type Look struct {
	Path []LookStep
	// Compared are the texts and numbers that it is compared with; none: it is only looked
	// whether there is something.
	Compared []value.Value
	// Counted tells that it is compared how many there are.
	Counted bool
	// Measured tells that it is compared how long the text is.
	Measured bool
}

// LookStep is one step of the way to a place.
type LookStep struct {
	Deep      bool // at any depth
	Attribute bool
	Name      string // with its prefix; "*": any
	Position  int    // among those of that name, from 1; 0: any
	// Where are places below it that must be so.
	Where []Look
}

// String gives a look's path as XPath writes it, without what must be so below.
func (l Look) String() string {
	var b strings.Builder
	for i, s := range l.Path {
		switch {
		case s.Deep:
			b.WriteString("//")
		case i > 0 || !s.Attribute:
			b.WriteString("/")
		}
		if s.Attribute {
			b.WriteString("@")
		}
		b.WriteString(s.Name)
		if s.Position > 0 {
			b.WriteString("[" + strconv.Itoa(s.Position) + "]")
		}
		for _, w := range s.Where {
			b.WriteString("[" + strings.TrimPrefix(w.String(), "/"))
			if len(w.Compared) > 0 {
				b.WriteString(" = " + w.Compared[0].String())
			}
			b.WriteString("]")
		}
	}
	return b.String()
}

// Looks lists the places that an XPath looks at, in the order in which they are written;
// places that it finds by other ways than names, depth, positions and attributes are not
// among them. A selector of another language has none.
func (s *Selector) Looks() []Look {
	q, ok := s.query.(*xpathQuery)
	if !ok {
		return nil
	}
	var w lookReader
	w.read(q.expr)
	return w.found
}

// lookReader gathers looks.
type lookReader struct{ found []Look }

func (w *lookReader) add(l Look, ok bool) {
	if ok {
		w.found = append(w.found, l)
	}
}

// read reads an expression of which it matters whether it is true.
func (w *lookReader) read(e xpathExpr) {
	switch x := e.(type) {
	case *xpathPath, *xpathFiltered:
		w.add(lookAt(x))
	case xpathGroup:
		w.read(x.xpathOperation)
	case *xpathGroup:
		w.read(x.xpathOperation)
	case *xpathOperation:
		w.operation(x)
	case *xpathCall:
		w.call(x)
	case *xpathNegation:
		w.read(x.operand)
	}
}

func (w *lookReader) operation(x *xpathOperation) {
	switch x.operator {
	case "=", "!=", "<", "<=", ">", ">=", "eq", "ne", "lt", "le", "gt", "ge":
		w.compare(x.left, x.right)
		w.compare(x.right, x.left)
	default:
		w.read(x.left)
		w.read(x.right)
	}
}

// compare notes what one side of a comparison is compared with.
func (w *lookReader) compare(side, other xpathExpr) {
	look, ok := lookThrough(side)
	if !ok {
		return
	}
	if v, isLiteral := literalOf(other); isLiteral {
		look.Compared = append(look.Compared, v)
	}
	w.add(look, true)
}

func (w *lookReader) call(x *xpathCall) {
	switch x.function.name {
	case "contains", "starts-with", "ends-with":
		w.compare(x.args[0], x.args[1])
		return
	}
	for _, arg := range x.args {
		w.read(arg)
	}
}

// lookThrough gives the place that a value comes from, through functions that hardly
// change it.
func lookThrough(e xpathExpr) (Look, bool) {
	call, ok := e.(*xpathCall)
	if !ok {
		return lookAt(e)
	}
	if len(call.args) == 0 {
		return Look{}, false
	}
	look, ok := lookThrough(call.args[0])
	switch call.function.name {
	case "count":
		look.Counted = true
	case "string-length":
		look.Measured = true
	case "string", "number", "normalize-space", "lower-case", "upper-case", "sum", "floor", "ceiling", "round", "abs", "boolean":
	default:
		return look, false
	}
	return look, ok
}

func literalOf(e xpathExpr) (value.Value, bool) {
	switch x := e.(type) {
	case *xpathLiteral:
		if x.value.kind == xpathText {
			return value.String(x.value.text), true
		}
		n, err := jsonNumber(x.value.number)
		return n, err == nil && x.value.kind == xpathNum
	case *xpathNegation:
		if v, ok := literalOf(x.operand); ok {
			n, err := value.Number("-" + v.Text())
			return n, err == nil
		}
	case *xpathCall:
		if name := x.function.name; name == "true" || name == "false" {
			return value.Bool(name == "true"), true
		}
	}
	return value.Absent, false
}

// lookAt reads a location path.
func lookAt(e xpathExpr) (Look, bool) {
	switch x := e.(type) {
	case *xpathFiltered:
		look, ok := lookAt(x.of)
		if !ok || len(look.Path) == 0 {
			return look, false
		}
		return look, look.Path[len(look.Path)-1].where(x.predicates)
	case *xpathPath:
		if x.start == nil {
			return lookAlong(x.steps)
		}
		look, ok := lookAt(x.start)
		rest, further := lookAlong(x.steps)
		look.Path = append(look.Path, rest.Path...)
		return look, ok && further
	}
	return Look{}, false
}

func lookAlong(steps []xpathStep) (Look, bool) {
	var look Look
	deep := false
	for i, s := range steps {
		switch {
		case s.test.kind == testNode && s.axis == axisDescendantOrSelf && len(s.predicates) == 0:
			deep = true
		case s.test.kind == testNode && s.axis == axisSelf && len(s.predicates) == 0:
		case s.test.kind == testText && s.axis == axisChild && i == len(steps)-1 && len(s.predicates) == 0:
		case s.test.kind == testName && (s.axis == axisChild || s.axis == axisDescendant || s.axis == axisAttribute):
			step := LookStep{Deep: deep || s.axis == axisDescendant, Attribute: s.axis == axisAttribute, Name: s.test.local}
			if s.test.prefix != "" {
				step.Name = s.test.prefix + ":" + step.Name
			}
			if !step.where(s.predicates) {
				return look, false
			}
			look.Path = append(look.Path, step)
			deep = false
		default:
			return look, false
		}
	}
	return look, len(look.Path) > 0 || len(steps) > 0 && !deep
}

// where reads the predicates of a step; false: there is one that says more than can be
// told.
func (s *LookStep) where(predicates []xpathExpr) bool {
	for _, p := range predicates {
		if v, ok := literalOf(p); ok && p.gives() == xpathNum {
			n, isWhole := v.Int64()
			if !isWhole || n < 1 || n > maxLookPosition {
				return false
			}
			s.Position = int(n)
			continue
		}
		if call, ok := p.(*xpathCall); ok && call.function.name == "last" {
			continue
		}
		var w lookReader
		w.read(p)
		s.Where = append(s.Where, w.found...)
	}
	return true
}

// maxLookPosition is the greatest position that a look tells.
const maxLookPosition = 100
