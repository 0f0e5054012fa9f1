package dynamic

import (
	"errors"
	"fmt"

	"github.com/weft-flow/weft/arazzo"
	"github.com/weft-flow/weft/arazzo/expression"
	"github.com/weft-flow/weft/arazzo/value"
)

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
	alone    bool // see IsAlone
}

type namedValue struct {
	name  string
	value *Value
}

// CompileValue compiles a value of a document. Selector Objects are known from
// version 1.1 on; before, and where an object is not exactly one, it is data
// (Arazzo 1.1, Selector Object). Where there are faults the value must not be
// evaluated. The value of no node is always absent.
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

// IsTemplate tells whether the value is a string, with embedded expressions or
// without any, and not wholly one expression: as a payload it is sent as it is
// written, after substitution.
func (v *Value) IsTemplate() bool {
	return v.node != nil && v.node.Kind == value.KindString && !v.IsWhole()
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
// an absent element of a list, or an absent value embedded in text, is an
// *AbsentError. What is put together of more than MaxSize is ErrTooLarge.
func (v *Value) Eval(scope expression.Scope) (value.Value, error) {
	var room Room
	return v.eval(scope, &room)
}

func (v *Value) eval(scope expression.Scope, room *Room) (value.Value, error) {
	switch {
	case !v.constant.IsAbsent():
		return v.constant, nil
	case v.template != nil:
		return v.evalText(scope)
	case v.choice != nil:
		return v.choice.eval(scope)
	case v.items != nil:
		return v.evalItems(scope, room)
	case v.members != nil:
		return v.evalMembers(scope, room)
	default:
		return value.Absent, nil
	}
}

// evalPart evaluates what stands in a list or an object.
func (v *Value) evalPart(scope expression.Scope, room *Room) (value.Value, error) {
	part, err := v.eval(scope, room)
	if err != nil || v.template == nil && v.choice == nil {
		return part, err // of a list or an object the parts were counted
	}
	return part, room.Take(part)
}

func (v *Value) evalText(scope expression.Scope) (value.Value, error) {
	text, err := v.template.Eval(scope)
	if err == nil {
		return text, nil
	}
	var absent *expression.AbsentError
	if errors.As(err, &absent) {
		return value.Absent, &AbsentError{Expression: absent.Expression.Source, Where: "the embedded expression"}
	}
	return text, err
}

func (v *Value) evalItems(scope expression.Scope, room *Room) (value.Value, error) {
	items := make([]value.Value, len(v.items))
	for i, item := range v.items {
		evaluated, err := item.evalPart(scope, room)
		if err != nil {
			return value.Absent, fmt.Errorf("[%d]: %w", i, err)
		}
		if evaluated.IsAbsent() {
			return value.Absent, fmt.Errorf("[%d]: %w", i, &AbsentError{Expression: item.String(), Where: "the list element"})
		}
		items[i] = evaluated
	}
	return value.Array(items...), nil
}

func (v *Value) evalMembers(scope expression.Scope, room *Room) (value.Value, error) {
	members := make([]value.Member, len(v.members))
	for i, m := range v.members {
		evaluated, err := m.value.evalPart(scope, room)
		if err != nil {
			return value.Absent, fmt.Errorf("%s: %w", m.name, err)
		}
		members[i] = value.Member{Name: m.name, Value: evaluated}
	}
	return value.Object(members...), nil
}
