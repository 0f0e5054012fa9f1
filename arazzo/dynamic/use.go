package dynamic

import (
	"github.com/weft-flow/weft/arazzo"
	"github.com/weft-flow/weft/arazzo/expression"
)

// Use is one runtime expression in a value or criterion, with its place.
type Use struct {
	Expression *expression.Expression
	Node       *arazzo.Node
	Offset     int // bytes from the start of the node's text
}

// Uses lists the runtime expressions of the value in the order they are written.
func (v *Value) Uses() []Use { return v.appendUses(nil) }

func (v *Value) appendUses(uses []Use) []Use {
	switch {
	case v == nil:
		return uses
	case v.template != nil:
		return appendSegments(uses, v.template.Parts(), v.node)
	case v.choice != nil:
		return append(uses, Use{Expression: v.choice.context, Node: v.node.Get("context")})
	}
	for _, item := range v.items {
		uses = item.appendUses(uses)
	}
	for _, m := range v.members {
		uses = m.value.appendUses(uses)
	}
	return uses
}

// Uses lists the runtime expressions of the criterion: of its context, then of
// its condition.
func (c *Criterion) Uses() []Use {
	var uses []Use
	if c.context != nil {
		uses = append(uses, Use{Expression: c.context, Node: c.model.Context.Node})
	}
	switch {
	case c.simple != nil:
		uses = appendSegments(uses, c.simple.Expressions(), c.model.Condition.Node)
	case c.other != nil:
		uses = appendSegments(uses, c.other.segments, c.model.Condition.Node)
	}
	return uses
}

func appendSegments(uses []Use, segments []expression.Segment, node *arazzo.Node) []Use {
	for _, s := range segments {
		if s.Expression != nil {
			uses = append(uses, Use{Expression: s.Expression, Node: node, Offset: s.Offset})
		}
	}
	return uses
}
