package source

import (
	"maps"
	"slices"
	"strings"

	"github.com/getkin/kin-openapi/openapi3"
)

// parametersOf merges the parameters of a path item with those of an operation:
// of the same name and place, the operation's wins (OpenAPI, Path Item Object).
func parametersOf(common, own openapi3.Parameters) []*Parameter {
	var out []*Parameter
	for _, list := range []openapi3.Parameters{common, own} {
		for _, ref := range list {
			if ref == nil || ref.Value == nil || ref.Value.Name == "" {
				continue
			}
			p := parameterOf(ref.Value)
			same := func(q *Parameter) bool { return q.Name == p.Name && q.In == p.In }
			if i := slices.IndexFunc(out, same); i >= 0 {
				out[i] = p
				continue
			}
			out = append(out, p)
		}
	}
	return out
}

func headersOf(headers openapi3.Headers) []*Parameter {
	var out []*Parameter
	for _, name := range slices.Sorted(maps.Keys(headers)) {
		ref := headers[name]
		if ref == nil || ref.Value == nil || strings.EqualFold(name, "Content-Type") {
			continue // the content describes that header already, and OpenAPI has it ignored here
		}
		described := ref.Value.Parameter
		described.Name, described.In = name, openapi3.ParameterInHeader
		out = append(out, parameterOf(&described))
	}
	return out
}

func parameterOf(described *openapi3.Parameter) *Parameter {
	p := &Parameter{
		Name: described.Name, In: described.In,
		Required:      isRequired(described),
		Style:         described.Style,
		AllowReserved: described.AllowReserved,
		AllowEmpty:    described.AllowEmptyValue && described.In == openapi3.ParameterInQuery,
		Schema:        schemaOf(described.Schema),
		Example:       exampleOf(described.Example, described.Examples),
	}
	if p.Style == "" {
		p.Style = defaultStyle(p.In)
	}
	p.Explode = p.Style == openapi3.SerializationForm || p.Style == styleCookie
	if described.Explode != nil {
		p.Explode = *described.Explode
	}
	// There is exactly one entry where a description keeps the rules.
	if content := contentOf(described.Content); len(content) > 0 {
		p.ContentType, p.Schema = content[0].Type, content[0].Schema
		if p.Example == nil {
			p.Example = content[0].Example
		}
	}
	return p
}

// isRequired tells whether a request is wrong without the parameter. A path has
// a hole without it. The headers that OpenAPI describes elsewhere (content,
// responses, security) are never missed as parameters: it has such parameters
// ignored.
func isRequired(described *openapi3.Parameter) bool {
	switch described.In {
	case openapi3.ParameterInPath:
		return true
	case openapi3.ParameterInHeader:
		switch strings.ToLower(described.Name) {
		case "accept", "content-type", "authorization":
			return false
		}
	}
	return described.Required
}

// styleCookie is a style of OpenAPI 3.2 that the library has no name for.
const styleCookie = "cookie"

// defaultStyle is the style of a parameter that names none (OpenAPI, Parameter Object).
func defaultStyle(in string) string {
	if in == openapi3.ParameterInPath || in == openapi3.ParameterInHeader {
		return openapi3.SerializationSimple
	}
	return openapi3.SerializationForm
}
