package executor

import (
	"sort"

	"github.com/getkin/kin-openapi/openapi3"

	"github.com/weft-flow/weft/arazzo"
	"github.com/weft-flow/weft/arazzo/source/asyncapi"
	"github.com/weft-flow/weft/arazzo/value"
)

// maxSchemaDepth bounds how deep parts of a schema are looked into for the names of
// members: a schema may be part of itself.
const maxSchemaDepth = 8

// propertyNames lists the members that a schema names at its root, also in the parts
// that it is composed of, sorted.
func propertyNames(schema *openapi3.Schema, depth int) []string {
	if schema == nil || depth > maxSchemaDepth {
		return nil
	}
	var names []string
	for name := range schema.Properties {
		names = append(names, name)
	}
	sort.Strings(names)
	for _, parts := range []openapi3.SchemaRefs{schema.AllOf, schema.OneOf, schema.AnyOf} {
		for _, part := range parts {
			if part != nil {
				names = append(names, propertyNames(part.Value, depth+1)...)
			}
		}
	}
	return names
}

// asyncPlaces lists the headers and the members of the payload that a message names.
func asyncPlaces(m *asyncapi.Message) []namedPlace {
	var all []namedPlace
	for _, name := range memberNames(m.Headers) {
		all = append(all, namedPlace{name, "$message.header." + name})
	}
	for _, name := range memberNames(m.Payload) {
		all = append(all, namedPlace{name, "$message.payload#/" + value.EscapeToken(name)})
	}
	return all
}

// memberNames lists the properties that a schema has at its root and in the parts
// that stand in it.
func memberNames(s *asyncapi.Schema) []string {
	if s == nil || !s.IsJSON() {
		return nil
	}
	var names []string
	var look func(n *arazzo.Node, depth int)
	look = func(n *arazzo.Node, depth int) {
		if n == nil || depth > maxSchemaDepth {
			return
		}
		if properties := n.Get("properties"); properties != nil {
			for _, member := range properties.Members {
				names = append(names, member.Key.Text)
			}
		}
		for _, keyword := range []string{"allOf", "oneOf", "anyOf"} {
			if parts := n.Get(keyword); parts != nil {
				for _, part := range parts.Items {
					look(part, depth+1)
				}
			}
		}
	}
	look(s.Node, 0)
	return names
}
