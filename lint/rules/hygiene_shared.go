package rules

import (
	"slices"

	"github.com/weft-flow/weft/arazzo"
	"github.com/weft-flow/weft/arazzo/value"
	"github.com/weft-flow/weft/lint"
)

// checkUnusedSharedInputs reports inputs of a component that none of the workflows
// uses which have it as their inputs, if it serves nothing else.
func checkUnusedSharedInputs(p *lint.Pass) {
	if len(p.Model.Components.Inputs) == 0 {
		return
	}
	named, referred := namedInputs(p), make(map[string]int)
	countReferences(p.Model.Node, referred)
	for _, input := range p.Model.Components.Inputs {
		var users []func(string) bool
		pointer := "#/components/inputs/" + value.Pointer{input.Name.Value}.String()[1:]
		for _, w := range p.Workflows {
			if hasAsInputs(w.Model.Inputs, pointer) {
				users = append(users, named.in(w))
			}
		}
		if len(users) == 0 || referred[pointer] != len(users) {
			continue
		}
		for _, property := range ownInputs(input.Value) {
			used := slices.ContainsFunc(users, func(uses func(string) bool) bool { return uses(property.Token()) })
			if !used && property.Get("x-weft-callback") == nil {
				p.Reportf(lint.Name(property), "no workflow uses the input %s of the component %s", quote(property.Token()), quote(input.Name.Value))
			}
		}
	}
}

// countReferences counts how often each place is what a $ref leads to.
func countReferences(n *arazzo.Node, referred map[string]int) {
	for _, item := range n.Items {
		countReferences(item, referred)
	}
	for _, m := range n.Members {
		if m.Key.Text == "$ref" && m.Value.Kind == value.KindString {
			referred[m.Value.Text]++
		}
		countReferences(m.Value, referred)
	}
}

// hasAsInputs tells whether a schema of inputs is what a $ref leads to, or takes it
// in by allOf.
func hasAsInputs(schema *arazzo.Node, pointer string) bool {
	if schema == nil || schema.Kind != value.KindObject {
		return false
	}
	if ref := schema.Get("$ref"); ref != nil && ref.Text == pointer {
		return true
	}
	parts := schema.Get("allOf")
	return parts != nil && slices.ContainsFunc(parts.Items, func(part *arazzo.Node) bool { return hasAsInputs(part, pointer) })
}
