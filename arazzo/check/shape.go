package check

import (
	"maps"
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

// sole gives the type where there is only one, null aside; else nothing.
func (s shape) sole() string {
	sole := ""
	for _, name := range s.types() {
		switch {
		case name == openapi3.TypeNull || name == sole:
		case sole == "":
			sole = name
		default:
			return ""
		}
	}
	return sole
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

// scalar reads the text of an element or member, which has to be of one type:
// of several readings each, nobody could try all.
func (s shape) scalar(text string) (v value.Value, ok bool) {
	switch s.sole() {
	case openapi3.TypeString, openapi3.TypeNumber, openapi3.TypeInteger, openapi3.TypeBoolean:
		return s.readings(text)[0], true
	default:
		return value.String(text), s.schema == nil
	}
}

// list reads the elements of an array; false where they can mean several things.
func (s shape) list(texts []string) (value.Value, bool) {
	of := s.items()
	items := make([]value.Value, len(texts))
	for i, text := range texts {
		var ok bool
		if items[i], ok = of.scalar(text); !ok {
			return value.Absent, false
		}
	}
	return value.Array(items...), true
}

// object reads the members of an object; false where they can mean several things.
func (s shape) object(fields []field) (value.Value, bool) {
	members := make([]value.Member, len(fields))
	for i, f := range fields {
		property := s.property(f.name)
		if property.schema == nil && s.hasOthers() {
			return value.Absent, false
		}
		v, ok := property.scalar(f.text)
		if !ok {
			return value.Absent, false
		}
		members[i] = value.Member{Name: f.name, Value: v}
	}
	return value.Object(members...), true
}

// hasOthers tells whether something is said of properties that are not named.
func (s shape) hasOthers() bool {
	if s.schema == nil {
		return false
	}
	if s.schema.AdditionalProperties.Schema != nil || len(s.schema.PatternProperties) > 0 || s.schema.UnevaluatedProperties.Schema != nil {
		return true
	}
	return slices.ContainsFunc(s.parts(), shape.hasOthers)
}

// propertyNames gives the names of all properties that are described.
func (s shape) propertyNames() []string {
	if s.schema == nil {
		return nil
	}
	names := slices.Sorted(maps.Keys(s.schema.Properties))
	for _, part := range s.parts() {
		names = append(names, part.propertyNames()...)
	}
	return names
}
