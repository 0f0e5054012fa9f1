package expression

import (
	"reflect"

	"github.com/expr-lang/expr/ast"
	"github.com/expr-lang/expr/builtin"
	"github.com/expr-lang/expr/compiler"
	"github.com/expr-lang/expr/conf"
	"github.com/expr-lang/expr/file"
	exprparser "github.com/expr-lang/expr/parser"
	"github.com/expr-lang/expr/vm"

	"github.com/weft-flow/weft/arazzo/value"
)

// memoryBudget limits what the machine may allocate. No function below draws
// on it: it is there so that the machine itself stays bounded.
const memoryBudget = 1 << 16

// compile hands the condition to expr as a tree of calls to the functions
// below, joined by its own &&, || and !. Its parser is never used, so nothing of
// its syntax can be written in a condition; its checker and optimizer are not
// needed either, since every node's type is known here.
func (c *Condition) compile() error {
	t := translator{c: c}
	t.collect()
	root := t.verdict(c.root)
	config := &conf.Config{ShortCircuit: true, Functions: functions}
	program, err := compiler.Compile(&exprparser.Tree{Node: root, Source: file.NewSource(c.source)}, config)
	if err != nil {
		return err
	}
	c.program = program
	slots := c.slots
	c.runs.New = func() any {
		return &run{slots: make([]value.Value, slots), machine: vm.VM{MemoryBudget: memoryBudget}}
	}
	return nil
}

// translator makes expr's tree of a condition's. Values are handed around as
// *value.Value, so that nothing is allocated: literals belong to the program,
// the rest is kept in the slots of a run.
type translator struct {
	c     *Condition
	fixed map[Node]int // the slots that are filled before the program runs
}

// collect gives the first slots to what is in braces.
func (t *translator) collect() {
	t.fixed = make(map[Node]int)
	Walk(t.c.root, func(n Node) bool {
		switch n := n.(type) {
		case *Operand:
			if n.Braced {
				t.c.braced = append(t.c.braced, n)
			}
		case *Text:
			t.c.texts = append(t.c.texts, n)
		}
		return true
	})
	for _, o := range t.c.braced {
		t.fixed[o] = t.slot()
	}
	for _, s := range t.c.texts {
		t.fixed[s] = t.slot()
	}
}

func (t *translator) slot() int {
	t.c.slots++
	return t.c.slots - 1
}

// verdict gives a tree that yields a bool.
func (t *translator) verdict(n Node) ast.Node {
	switch n := n.(type) {
	case *Not:
		return typed(&ast.UnaryNode{Operator: "!", Node: t.verdict(n.X)})
	case *Binary:
		if !n.Operator.IsComparison() {
			return typed(&ast.BinaryNode{
				Operator: n.Operator.String(),
				Left:     t.verdict(n.Left),
				Right:    t.verdict(n.Right),
			})
		}
		return call(n.Operator.String(), t.value(n.Left), t.value(n.Right))
	case *Literal:
		return typed(&ast.BoolNode{Value: holds(n.Value)})
	default:
		return call("holds", t.value(n))
	}
}

// value gives a tree that yields a *value.Value.
func (t *translator) value(n Node) ast.Node {
	if literal, ok := n.(*Literal); ok {
		return &ast.ConstantNode{Value: &literal.Value}
	}
	if YieldsBool(n) {
		return call("value", t.verdict(n))
	}
	if at, ok := t.fixed[n]; ok {
		return call("slot", environment(), &ast.ConstantNode{Value: &fetch{slot: at}})
	}
	switch n := n.(type) {
	case *Operand:
		f := &fetch{slot: t.slot(), expression: n.Expression}
		return call("resolve", environment(), &ast.ConstantNode{Value: f})
	case *Member:
		f := &fetch{slot: t.slot(), name: n.Name}
		return call("member", environment(), &ast.ConstantNode{Value: f}, t.value(n.X))
	case *Index:
		f := &fetch{slot: t.slot()}
		return call("index", environment(), &ast.ConstantNode{Value: f}, t.value(n.X), t.value(n.At))
	default:
		return &ast.ConstantNode{Value: &value.Value{}}
	}
}

// fetch says where a function keeps its result, and what it is after.
type fetch struct {
	slot       int
	expression *Expression
	name       string
}

func environment() ast.Node { return &ast.IdentifierNode{Value: "$env"} }

func typed(n ast.Node) ast.Node {
	n.SetType(reflect.TypeFor[bool]())
	return n
}

func call(name string, arguments ...ast.Node) ast.Node {
	return typed(&ast.CallNode{Callee: &ast.IdentifierNode{Value: name}, Arguments: arguments})
}

// functions are all that a program can call. They are never changed.
var functions = conf.FunctionsTable{
	"resolve": function("resolve", func(arguments ...any) (any, error) {
		r, f := arguments[0].(*run), arguments[1].(*fetch)
		return r.keep(f, f.expression.Eval(r.scope)), nil
	}),
	"slot": function("slot", func(arguments ...any) (any, error) {
		r, f := arguments[0].(*run), arguments[1].(*fetch)
		return &r.slots[f.slot], nil
	}),
	"member": function("member", func(arguments ...any) (any, error) {
		r, f := arguments[0].(*run), arguments[1].(*fetch)
		return r.keep(f, member(*arguments[2].(*value.Value), f.name)), nil
	}),
	"index": function("index", func(arguments ...any) (any, error) {
		r, f := arguments[0].(*run), arguments[1].(*fetch)
		return r.keep(f, element(*arguments[2].(*value.Value), *arguments[3].(*value.Value))), nil
	}),
	"value": function("value", func(arguments ...any) (any, error) {
		if arguments[0].(bool) {
			return &trueValue, nil
		}
		return &falseValue, nil
	}),
	"holds": function("holds", func(arguments ...any) (any, error) {
		return holds(*arguments[0].(*value.Value)), nil
	}),
	"==": comparison("==", func(a, b value.Value) bool { return value.LooseEqual(a, b) }),
	"!=": comparison("!=", func(a, b value.Value) bool { return !value.LooseEqual(a, b) }),
	"<":  ordering("<", func(order int) bool { return order < 0 }),
	"<=": ordering("<=", func(order int) bool { return order <= 0 }),
	">":  ordering(">", func(order int) bool { return order > 0 }),
	">=": ordering(">=", func(order int) bool { return order >= 0 }),
}

var trueValue, falseValue = value.Bool(true), value.Bool(false)

func (r *run) keep(f *fetch, v value.Value) *value.Value {
	r.slots[f.slot] = v
	return &r.slots[f.slot]
}

func function(name string, f func(...any) (any, error)) *builtin.Function {
	return &builtin.Function{Name: name, Func: f}
}

func comparison(name string, f func(a, b value.Value) bool) *builtin.Function {
	return function(name, func(arguments ...any) (any, error) {
		return f(*arguments[0].(*value.Value), *arguments[1].(*value.Value)), nil
	})
}

func ordering(name string, f func(order int) bool) *builtin.Function {
	return comparison(name, func(a, b value.Value) bool {
		order, ok := value.Order(a, b)
		return ok && f(order)
	})
}

// holds tells whether a value that stands where a verdict is wanted passes.
func holds(v value.Value) bool {
	switch v.Kind() {
	case value.KindBool:
		b, _ := v.Bool()
		return b
	case value.KindNumber:
		return !value.Identical(v, zero)
	case value.KindString:
		text, _ := v.Str()
		return text != ""
	default:
		return false
	}
}

var zero = value.Int(0)

// element gives what "[at]" names in v.
func element(v, at value.Value) value.Value {
	i, ok := at.Int64()
	if !ok || i < 0 || i >= int64(v.Len()) {
		return value.Absent
	}
	return v.At(int(i))
}
