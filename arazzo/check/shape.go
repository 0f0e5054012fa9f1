package check

import (
	"slices"

	"github.com/getkin/kin-openapi/openapi3"

	"github.com/weft-flow/weft/arazzo/value"
)

// shape says as much of a schema as is needed to read text by it: text has no
// types of its own.
type shape struct {
	schema *openapi3.Schema
	left   int // levels of schemas within schemas to look at
}

func shapeOf(schema *openapi3.Schema) shape {
	const levels = 6
	return shape{schema, levels}
}

func (s shape) within(ref *openapi3.SchemaRef) shape {
	if ref == nil || s.left == 0 {
		return shape{}
	}
	return shape{ref.Value, s.left - 1}
}

// parts gives the schemas that the same value is held against.
func (s shape) parts() []shape {
	var parts []shape
	for _, list := range []openapi3.SchemaRefs{s.schema.AllOf, s.schema.AnyOf, s.schema.OneOf} {
		for _, ref := range list {
			if part := s.within(ref); part.schema != nil {
				parts = append(parts, part)
			}
		}
	}
	return parts
}

// types gives the types that a value may have; none where it does not say.
func (s shape) types() []string {
	if s.schema == nil {
		return nil
	}
	if own := s.schema.Type.Slice(); len(own) > 0 {
		return own
	}
	var all []string
	for _, part := range s.parts() {
		all = append(all, part.types()...)
	}
	return all
}

// is tells whether there is one type, null aside, and this is it.
func (s shape) is(name string) bool {
	types := slices.DeleteFunc(slices.Clone(s.types()), func(t string) bool { return t == openapi3.TypeNull })
	return len(types) > 0 && !slices.ContainsFunc(types, func(t string) bool { return t != name })
}

// mayBe tells whether a type is among those that are named.
func (s shape) mayBe(name string) bool { return slices.Contains(s.types(), name) }

// items gives the shape of the elements of an array.
func (s shape) items() shape {
	if s.schema == nil {
		return shape{}
	}
	if s.schema.Items != nil {
		return s.within(s.schema.Items)
	}
	for _, part := range s.parts() {
		if items := part.items(); items.schema != nil {
			return items
		}
	}
	return shape{}
}

// property gives the shape of a property.
func (s shape) property(name string) shape {
	if s.schema == nil {
		return shape{}
	}
	if ref := s.schema.Properties[name]; ref != nil {
		return s.within(ref)
	}
	for _, part := range s.parts() {
		if property := part.property(name); property.schema != nil {
			return property
		}
	}
	return shape{}
}

// readings gives what one text can mean, the likeliest first.
func (s shape) readings(text string) []value.Value {
	var likely, possible []value.Value
	add := func(v value.Value, types ...string) {
		if slices.ContainsFunc(types, s.mayBe) {
			likely = append(likely, v)
			return
		}
		possible = append(possible, v)
	}
	if n, err := value.Number(text); err == nil {
		add(n, openapi3.TypeNumber, openapi3.TypeInteger)
	}
	if text == "true" || text == "false" {
		add(value.Bool(text == "true"), openapi3.TypeBoolean)
	}
	if text == "" || text == "null" {
		possible = append(possible, value.Null)
	}
	add(value.String(text), openapi3.TypeString)
	return append(likely, possible...)
}

// list gives what a list of texts can mean: each by its type, or all as strings.
func (s shape) list(texts []string) []value.Value {
	read, plain := make([]value.Value, len(texts)), make([]value.Value, len(texts))
	for i, text := range texts {
		read[i], plain[i] = s.items().readings(text)[0], value.String(text)
	}
	return []value.Value{value.Array(read...), value.Array(plain...)}
}
