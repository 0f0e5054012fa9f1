package dynamic

import (
	"github.com/weft-flow/weft/arazzo"
	"github.com/weft-flow/weft/arazzo/expression"
	"github.com/weft-flow/weft/arazzo/selector"
)

// Node gives where the value is written; nil for the value of no node.
func (v *Value) Node() *arazzo.Node { return v.node }

// Expression gives the runtime expression that the value wholly is; nil for any
// other.
func (v *Value) Expression() *expression.Expression {
	if v.template == nil {
		return nil
	}
	whole, _ := v.template.Whole()
	return whole
}

// Selection gives the context and the selector of a Selector Object; nil for any
// other value.
func (v *Value) Selection() (context *expression.Expression, of *selector.Selector) {
	if v.choice == nil {
		return nil, nil
	}
	return v.choice.context, v.choice.selector
}

// Items gives the elements of a list with something dynamic in it; nil for any
// other value.
func (v *Value) Items() []*Value { return v.items }

// Members calls visit for each member of an object with something dynamic in it,
// in the order in which they are written.
func (v *Value) Members(visit func(name string, of *Value)) {
	for _, m := range v.members {
		visit(m.name, m.value)
	}
}

// Literals lists what is written around the expressions that stand in a string; nil
// for any other value, and for a string without expressions.
func (v *Value) Literals() []string {
	if v.template == nil || v.IsWhole() {
		return nil
	}
	var texts []string
	for _, part := range v.template.Parts() {
		if part.Expression == nil {
			texts = append(texts, part.Text)
		}
	}
	return texts
}
