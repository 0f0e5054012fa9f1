package rules

import (
	"errors"
	"slices"
	"strings"

	"github.com/weft-flow/weft/arazzo"
	"github.com/weft-flow/weft/arazzo/schema"
	"github.com/weft-flow/weft/arazzo/value"
	"github.com/weft-flow/weft/lint"
	"github.com/weft-flow/weft/lint/reason"
)

// inputPlaces gives the schemas of inputs that a document holds: of its workflows
// and of its components.
func inputPlaces(p *lint.Pass) []lint.InputPlace {
	var all []lint.InputPlace
	for _, w := range p.Workflows {
		if w.Model.Inputs != nil {
			all = append(all, w.InputPlace())
		}
	}
	for _, named := range p.Model.Components.Inputs {
		if named.Value != nil {
			all = append(all, p.ComponentInputPlace(named.Value))
		}
	}
	return all
}

// checkInputSchemas reports schemas that are of the shape that JSON Schema demands
// and cannot be used all the same. What is wrong with the shape is reported as
// such.
func checkInputSchemas(p *lint.Pass) {
	for _, w := range p.Workflows {
		if w.Model.Inputs == nil || !mayNotCompile(w.Model.Inputs) {
			continue
		}
		_, err := p.Compile(w.InputPlace())
		var invalid *schema.CompileError
		if errors.As(err, &invalid) && len(invalid.Faults) == 0 && !isReference(err) {
			p.Reportf(lint.At(w.Model.Inputs), "the inputs of workflow %s cannot be used: %s", quote(w.ID()), reasonOf(err))
		}
	}
	for _, place := range inputPlaces(p) {
		eachSubschema(place, func(at lint.InputPlace) {
			if at.Node.Kind == value.KindObject && !isTypeAlone(at.Node) && reason.Of(at).IsImpossible() {
				p.Reportf(lint.At(at.Node), "no value fits this schema")
			}
		})
	}
}

// isTypeAlone tells whether a schema names one type and says nothing else, or says
// nothing at all: most do, and something fits each.
func isTypeAlone(n *arazzo.Node) bool {
	said := n.Get("type")
	return len(n.Members) == 0 || len(n.Members) == 1 && said != nil && said.Kind == value.KindString
}

// mayNotCompile tells whether something stands in a schema by which it may be of the
// right shape and unusable all the same: what is about other schemas, or a number of
// great size.
func mayNotCompile(n *arazzo.Node) bool { return lint.RefersBeyond(n) || hasLongNumber(n) }

func hasLongNumber(n *arazzo.Node) bool {
	const plain = 12 // digits
	if n.Kind == value.KindNumber {
		return len(n.Text) > plain || strings.ContainsAny(n.Text, "eE")
	}
	return slices.ContainsFunc(n.Items, hasLongNumber) ||
		slices.ContainsFunc(n.Members, func(m arazzo.Member) bool { return hasLongNumber(m.Value) })
}

// isReference tells that a schema cannot be used because of a reference: that is
// for another rule.
func isReference(err error) bool {
	text := err.Error()
	return errors.Is(err, schema.ErrNotGiven) || strings.Contains(text, "not found") || strings.Contains(text, "invalid json-pointer") || strings.Contains(text, "$ref")
}

func reasonOf(err error) string { return strings.TrimPrefix(err.Error(), "schema: compile: ") }

// eachSubschema visits a schema and those that stand in it, for the same value and
// for what is within it. References are not followed.
func eachSubschema(place lint.InputPlace, visit func(lint.InputPlace)) {
	walkSubschemas(place, visit, 0)
}

// maxSubschemas bounds how deep schemas within schemas are visited.
const maxSubschemas = 50

func walkSubschemas(place lint.InputPlace, visit func(lint.InputPlace), depth int) {
	n := place.Node
	if n == nil || n.Kind != value.KindObject && n.Kind != value.KindBool || depth > maxSubschemas {
		return
	}
	visit(place)
	step := func(child *arazzo.Node) {
		place.Node = child
		walkSubschemas(place, visit, depth+1)
	}
	for _, m := range n.Members {
		switch m.Key.Text {
		case "items", "additionalProperties", "contains":
			step(m.Value)
		case "allOf", "anyOf", "oneOf", "prefixItems":
			for _, item := range m.Value.Items {
				step(item)
			}
		case "properties", "patternProperties", "$defs", "definitions":
			for _, named := range m.Value.Members {
				step(named.Value)
			}
		}
	}
}

// checkInputDefaults holds each default against the schema that has it.
func checkInputDefaults(p *lint.Pass) {
	for _, place := range inputPlaces(p) {
		eachSubschema(place, func(at lint.InputPlace) {
			given := at.Node.Get("default")
			if given == nil || at.SurelyFits(given.Value()) {
				return
			}
			compiled, err := p.Compile(at)
			if err != nil {
				return // reported as such
			}
			for _, fault := range compiled.Validate(given.Value()) {
				if fault.SchemaPointer != "" {
					p.Reportf(defaultPlace(given, fault.Pointer), "the default does not fit: %s", fault.Message)
				}
			}
		})
	}
}

func defaultPlace(given *arazzo.Node, pointer value.Pointer) lint.Place {
	if n := given.Lookup(pointer); n != nil {
		return lint.At(n)
	}
	return lint.At(given)
}

func checkInputsRequired(p *lint.Pass) {
	for _, place := range inputPlaces(p) {
		eachSubschema(place, func(at lint.InputPlace) {
			if required := at.Node.Get("required"); required == nil || definesAll(at.Node, required.Items) {
				return
			}
			whole := wholeOf(at)
			known := reason.Of(whole)
			for _, item := range at.Node.Get("required").Items {
				if item.Kind != value.KindString || !isUndefined(p, whole, known, item.Text) || isDefinedByUser(p, whole, item.Text) {
					continue
				}
				p.Reportf(lint.At(item), "%s is required and not defined%s", quote(item.Text), p.DidYouMean(item.Text, known.Names(), "defined are"))
			}
		})
	}
}

// definesAll tells whether a schema itself describes each of some properties: then there
// is no need to look further.
func definesAll(n *arazzo.Node, names []*arazzo.Node) bool {
	properties := n.Get("properties")
	return !slices.ContainsFunc(names, func(name *arazzo.Node) bool {
		described := properties.Get(name.Text)
		return described == nil || described.Kind != value.KindObject
	})
}

// isUndefined tells whether a schema does not define a property: where it names others,
// or where it is that of the inputs of a workflow, which names none.
func isUndefined(p *lint.Pass, whole lint.InputPlace, known reason.Schema, name string) bool {
	if _, presence := known.Step(name); presence <= reason.Undeclared {
		return true
	}
	return slices.ContainsFunc(p.Workflows, func(w *lint.Workflow) bool {
		return w.Model.Inputs == whole.Node && len(w.Names.Inputs) == 0 && !hidesInputs(p.Model, w.Model)
	})
}

// isDefinedByUser tells whether a component is referred to where a property is defined
// beside the reference.
func isDefinedByUser(p *lint.Pass, component lint.InputPlace, name string) bool {
	if !slices.ContainsFunc(p.Model.Components.Inputs, func(n arazzo.Named[*arazzo.Node]) bool { return n.Value == component.Node }) {
		return false
	}
	defined := false
	for _, place := range inputPlaces(p) {
		eachSubschema(place, func(at lint.InputPlace) {
			if at.Node.Get("$ref") == nil || defined {
				return
			}
			if to, ok := at.Follow(); ok && to.ID() == component.ID() {
				_, presence := reason.Of(wholeOf(at)).Step(name)
				defined = presence > reason.Undeclared
			}
		})
	}
	return defined
}

// isPart tells whether a schema is one of several that hold of the same value.
func isPart(n *arazzo.Node) bool {
	parent := n.Parent()
	if parent == nil || parent.Kind != value.KindArray {
		return false
	}
	switch parent.Token() {
	case "allOf", "anyOf", "oneOf":
		return true
	default:
		return false
	}
}

// wholeOf gives the schema of which another is a part, for the same value; itself where
// it is none.
func wholeOf(at lint.InputPlace) lint.InputPlace {
	for isPart(at.Node) {
		at.Node = at.Node.Parent().Parent()
	}
	return at
}
