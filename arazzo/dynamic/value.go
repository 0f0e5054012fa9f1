package dynamic

import (
	"errors"
	"fmt"
	"slices"

	"github.com/weft-flow/weft/arazzo"
	"github.com/weft-flow/weft/arazzo/expression"
	"github.com/weft-flow/weft/arazzo/selector"
	"github.com/weft-flow/weft/arazzo/value"
)

// Fault is something in the text of a dynamic part that keeps it from being
// evaluated.
type Fault struct {
	Node    *arazzo.Node
	Offset  int // bytes from the start of the node's text
	Message string
	// Unsupported tells that the text is valid, or may be, but asks for what Weft
	// does not do: a gap of ours, not a fault of the author.
	Unsupported bool
}

// Value is a value of a document: a constant, a runtime expression, text with
// embedded expressions, a Selector Object, or a list or object of these. It is
// immutable and safe for concurrent use.
type Value struct {
	node     *arazzo.Node
	constant value.Value // where nothing in it is dynamic
	template *expression.Template
	choice   *selection
	items    []*Value
	members  []namedValue
}

type namedValue struct {
	name  string
	value *Value
}

// selection is a compiled Selector Object.
type selection struct {
	context  *expression.Expression
	selector *selector.Selector
}

// AbsentError tells that something which must have a value has none.
type AbsentError struct {
	Expression string // as it is written
	Where      string // in words
}

// Error names the expression and its place.
func (e *AbsentError) Error() string {
	return fmt.Sprintf("%s %s has no value", e.Where, e.Expression)
}

// CompileValue compiles a value of a document. Selector Objects are known from
// version 1.1 on; before, and where an object is not exactly one, it is data
// (Arazzo 1.1, Selector Object). Where there are faults the value must not be
// evaluated.
func CompileValue(node *arazzo.Node, version arazzo.Version, names *expression.Names) (*Value, []Fault) {
	c := &valueCompiler{version: version, names: names}
	v := c.compile(node)
	return v, c.faults
}

type valueCompiler struct {
	version arazzo.Version
	names   *expression.Names
	faults  []Fault
}

func (c *valueCompiler) compile(node *arazzo.Node) *Value {
	v := &Value{node: node}
	if node == nil {
		return v
	}
	switch node.Kind {
	case value.KindString:
		c.compileText(v)
	case value.KindArray:
		c.compileArray(v)
	case value.KindObject:
		if !c.compileSelection(v) {
			c.compileObject(v)
		}
	default:
		v.constant = node.Value()
	}
	return v
}

func (c *valueCompiler) compileText(v *Value) {
	template, err := expression.ParseTemplate(v.node.Text, c.names)
	if err != nil {
		c.faults = append(c.faults, faultOf(v.node, err))
		return
	}
	if text, ok := template.Literal(); ok {
		v.constant = value.String(text)
		return
	}
	v.template = template
}

func (c *valueCompiler) compileArray(v *Value) {
	constant := true
	for _, item := range v.node.Items {
		compiled := c.compile(item)
		constant = constant && !compiled.constant.IsAbsent()
		v.items = append(v.items, compiled)
	}
	if constant {
		v.constant, v.items = v.node.Value(), nil
	}
}

func (c *valueCompiler) compileObject(v *Value) {
	constant := true
	for _, m := range v.node.Members {
		compiled := c.compile(m.Value)
		constant = constant && !compiled.constant.IsAbsent()
		v.members = append(v.members, namedValue{name: m.Key.Text, value: compiled})
	}
	if constant {
		v.constant, v.members = v.node.Value(), nil
	}
}

// Constant gives the value of one in which nothing is dynamic.
func (v *Value) Constant() (value.Value, bool) { return v.constant, !v.constant.IsAbsent() }

// IsWhole tells whether the value is wholly one runtime expression or one
// Selector Object: then it keeps the type of what it names.
func (v *Value) IsWhole() bool {
	if v.choice != nil {
		return true
	}
	if v.template == nil {
		return false
	}
	_, whole := v.template.Whole()
	return whole
}

// String gives the value as it is written, for messages.
func (v *Value) String() string {
	if v.template != nil {
		return v.template.Source()
	}
	if v.choice != nil {
		return fmt.Sprintf("%s of %s", v.choice.selector, v.choice.context.Source)
	}
	return v.node.Value().String()
}

// Eval gives the value. It is absent where it is wholly an expression, or a
// Selector Object, that leads nowhere. An absent member of an object is left out;
// an absent element of a list, or absent text, is an *AbsentError.
func (v *Value) Eval(scope expression.Scope) (value.Value, error) {
	switch {
	case !v.constant.IsAbsent():
		return v.constant, nil
	case v.template != nil:
		return v.evalText(scope)
	case v.choice != nil:
		return v.choice.eval(scope)
	case v.items != nil:
		return v.evalItems(scope)
	default:
		return v.evalMembers(scope)
	}
}

func (v *Value) evalText(scope expression.Scope) (value.Value, error) {
	text, err := v.template.Eval(scope)
	var absent *expression.AbsentError
	if errors.As(err, &absent) {
		return value.Absent, &AbsentError{Expression: absent.Expression.Source, Where: "the embedded expression"}
	}
	return text, err
}

func (v *Value) evalItems(scope expression.Scope) (value.Value, error) {
	items := make([]value.Value, len(v.items))
	for i, item := range v.items {
		evaluated, err := item.Eval(scope)
		if err != nil {
			return value.Absent, err
		}
		if evaluated.IsAbsent() {
			return value.Absent, &AbsentError{Expression: item.String(), Where: "the list element"}
		}
		items[i] = evaluated
	}
	return value.Array(items...), nil
}

func (v *Value) evalMembers(scope expression.Scope) (value.Value, error) {
	members := make([]value.Member, 0, len(v.members))
	for _, m := range v.members {
		evaluated, err := m.value.Eval(scope)
		if err != nil {
			return value.Absent, fmt.Errorf("%s: %w", m.name, err)
		}
		members = append(members, value.Member{Name: m.name, Value: evaluated})
	}
	return value.Object(members...), nil
}

// Use is one runtime expression in a value, with its place.
type Use struct {
	Expression *expression.Expression
	Node       *arazzo.Node
	Offset     int // bytes from the start of the node's text
}

// Uses lists the runtime expressions of the value in the order they are written.
func (v *Value) Uses() []Use {
	switch {
	case v.template != nil:
		return templateUses(v.template.Parts(), v.node)
	case v.choice != nil:
		return []Use{{Expression: v.choice.context, Node: v.node.Get("context")}}
	}
	var uses []Use
	for _, item := range v.items {
		uses = slices.Concat(uses, item.Uses())
	}
	for _, m := range v.members {
		uses = slices.Concat(uses, m.value.Uses())
	}
	return uses
}

func templateUses(segments []expression.Segment, node *arazzo.Node) []Use {
	var uses []Use
	for _, s := range segments {
		if s.Expression != nil {
			uses = append(uses, Use{Expression: s.Expression, Node: node, Offset: s.Offset})
		}
	}
	return uses
}

// faultOf gives the fault of a text that does not parse or compile.
func faultOf(node *arazzo.Node, err error) Fault {
	f := Fault{Node: node, Message: err.Error()}
	var inExpression *expression.Error
	var inSelector *selector.SyntaxError
	var unsupported *selector.UnsupportedError
	var limit *selector.LimitError
	switch {
	case errors.As(err, &inExpression):
		f.Offset, f.Message = inExpression.Offset, inExpression.Message
	case errors.As(err, &inSelector):
		f.Offset = inSelector.Offset
	case errors.As(err, &unsupported):
		f.Offset, f.Unsupported = unsupported.Offset, true
	case errors.As(err, &limit):
		f.Unsupported = true
	}
	return f
}
