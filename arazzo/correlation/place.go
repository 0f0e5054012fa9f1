package correlation

import (
	"sort"
	"strings"

	"github.com/getkin/kin-openapi/openapi3"

	"github.com/weft-flow/weft/arazzo"
	"github.com/weft-flow/weft/arazzo/expression"
	"github.com/weft-flow/weft/arazzo/source"
	"github.com/weft-flow/weft/arazzo/source/asyncapi"
	"github.com/weft-flow/weft/arazzo/value"
)

// Place is a part of a message that has a name.
type Place struct {
	Name string
	// Expression says where it is: $message.header.NAME, $message.payload#/NAME,
	// $message.query.NAME, or $message.path.NAME for an address parameter.
	Expression string
}

// Described gives the place that AsyncAPI names for one of the messages (Correlation
// ID Object). It is false where none does, or by a place that no expression reaches.
func Described(messages []*asyncapi.Message) (Place, bool) {
	for _, m := range messages {
		if m.Correlation == nil {
			continue
		}
		at := m.Correlation.Location
		p := Place{Expression: "$message.payload#" + at.Pointer.String()}
		if n := len(at.Pointer); n > 0 {
			p.Name = at.Pointer[n-1]
		}
		if at.Part == asyncapi.Header {
			if len(at.Pointer) != 1 {
				continue
			}
			p.Expression = "$message.header." + p.Name
		}
		if p.isReadable() {
			return p, true
		}
	}
	return Place{}, false
}

// Inferred gives the first of the places that has the name of what one of the
// expressions is taken from. Case, hyphens and underscores make no difference.
func Inferred(expressions []*expression.Expression, places []Place) (Place, bool) {
	for _, e := range expressions {
		wanted := plainName(lastName(e))
		if wanted == "" {
			continue
		}
		for _, p := range places {
			if plainName(p.Name) == wanted && p.isReadable() {
				return p, true
			}
		}
	}
	return Place{}, false
}

// OfChannel lists what has a name in messages of a channel: its address parameters,
// then the headers and the members of the payload of each message.
func OfChannel(channel *asyncapi.Channel, messages []*asyncapi.Message) []Place {
	var all []Place
	for _, p := range channel.Parameters {
		all = append(all, Place{p.Name, "$message.path." + p.Name})
	}
	for _, m := range messages {
		for _, name := range memberNames(m.Headers) {
			all = append(all, Place{name, "$message.header." + name})
		}
		for _, name := range memberNames(m.Payload) {
			all = append(all, member(name))
		}
	}
	return all
}

// OfOperation lists what has a name in messages of a webhook or callback: its header,
// query and path parameters, then the members of the body.
func OfOperation(o *source.Operation) []Place {
	var all []Place
	for _, p := range o.Params {
		if p.In == "header" || p.In == "query" || p.In == "path" {
			all = append(all, Place{p.Name, "$message." + p.In + "." + p.Name})
		}
	}
	if o.Body == nil {
		return all
	}
	for _, m := range o.Body.Content {
		for _, name := range propertyNames(m.Schema, 0) {
			all = append(all, member(name))
		}
	}
	return all
}

func member(name string) Place { return Place{name, "$message.payload#/" + value.EscapeToken(name)} }

// isReadable tells whether the place can be written as an expression. Query and path
// are read by their names.
func (p Place) isReadable() bool {
	if strings.HasPrefix(p.Expression, "$message.query.") || strings.HasPrefix(p.Expression, "$message.path.") {
		return p.Name != ""
	}
	e, err := expression.Parse(p.Expression, nil)
	return err == nil && e.Root == expression.Message
}

// lastName gives the last name of an expression: of a pointer the last token.
func lastName(e *expression.Expression) string {
	if n := len(e.Accesses); n > 0 {
		return e.Accesses[n-1].Name
	}
	if n := len(e.Pointer); n > 0 {
		return e.Pointer[n-1]
	}
	return e.Name
}

// plainName is a name without what spellings differ in: case, hyphens, underscores.
func plainName(name string) string {
	return strings.ToLower(strings.NewReplacer("-", "", "_", "").Replace(name))
}

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

// memberNames lists the properties that a schema has at its root and in the parts
// that stand in it.
func memberNames(s *asyncapi.Schema) []string {
	if s == nil || !s.IsJSON() {
		return nil
	}
	return nodeNames(s.Node, 0)
}

func nodeNames(n *arazzo.Node, depth int) []string {
	if n == nil || depth > maxSchemaDepth {
		return nil
	}
	var names []string
	if properties := n.Get("properties"); properties != nil {
		for _, m := range properties.Members {
			names = append(names, m.Key.Text)
		}
	}
	for _, keyword := range []string{"allOf", "oneOf", "anyOf"} {
		if parts := n.Get(keyword); parts != nil {
			for _, part := range parts.Items {
				names = append(names, nodeNames(part, depth+1)...)
			}
		}
	}
	return names
}
