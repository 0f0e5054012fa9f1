package rules

import (
	"slices"

	"github.com/weft-flow/weft/arazzo"
	"github.com/weft-flow/weft/arazzo/expression"
	"github.com/weft-flow/weft/arazzo/value"
	"github.com/weft-flow/weft/lint"
)

func checkInputsDeclared(p *lint.Pass) {
	open := make(map[*lint.Workflow]bool)
	for _, w := range p.Workflows {
		open[w] = hidesInputs(p.Model, w.Model)
	}
	checkDocumentKey(p, open)
	for _, use := range p.Uses() {
		e, w := use.Expression, use.Workflow
		switch {
		case e.Root == expression.Workflows && e.Part == expression.InputsPart:
			w = p.Workflow(e.Owner)
		case e.Root != expression.Inputs:
			continue
		}
		if w == nil || open[w] || slices.Contains(w.Names.Inputs, e.Name) {
			continue
		}
		p.Reportf(use.Name(), "workflow %s declares no input %s%s", quote(w.ID()), quote(e.Name),
			p.DidYouMean(e.Name, w.Names.Inputs, "its inputs"))
	}
}

// hidesInputs tells whether a workflow may have inputs that its schema does not
// name where it can be seen: in another file, under a condition, by a pattern.
func hidesInputs(d *arazzo.Document, w *arazzo.Workflow) bool {
	visited := make(map[*arazzo.Node]bool)
	var hides func(schema *arazzo.Node) bool
	hides = func(schema *arazzo.Node) bool {
		if schema == nil || visited[schema] {
			return false
		}
		visited[schema] = true
		if schema.Kind != value.KindObject {
			return true // no schema, or one that takes anything
		}
		for _, m := range schema.Members {
			switch m.Key.Text {
			case "anyOf", "oneOf", "if", "then", "else", "dependentSchemas", "patternProperties", "propertyNames", "$dynamicRef", "not":
				return true
			case "additionalProperties", "unevaluatedProperties":
				if m.Value.Kind == value.KindObject || m.Value.Text == "true" {
					return true // said on purpose
				}
			case "$ref":
				to := d.SchemaReference(w, m.Value.Text)
				if to == nil || hides(to) {
					return true
				}
			case "allOf":
				if slices.ContainsFunc(m.Value.Items, hides) {
					return true
				}
			}
		}
		return false
	}
	return hides(w.Inputs)
}
