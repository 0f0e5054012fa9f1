package contract

import (
	"slices"

	"github.com/getkin/kin-openapi/openapi3"

	"github.com/weft-flow/weft/arazzo/source"
	"github.com/weft-flow/weft/arazzo/value"
)

// mayHave tells whether the body of a message may have a place, as its description says: a
// schema that lists members has no others, unless it speaks of others itself.
func mayHave(op *source.Operation, at value.Pointer) bool {
	if op == nil || op.Body == nil || len(op.Body.Content) == 0 {
		return true
	}
	return slices.ContainsFunc(op.Body.Content, func(media *source.MediaType) bool { return schemaMayHave(media.Schema, at, 0) })
}

func schemaMayHave(s *openapi3.Schema, at value.Pointer, depth int) bool {
	if s == nil || len(at) == 0 || depth > deepestSchema {
		return true
	}
	parts := slices.Concat(s.AllOf, s.OneOf, s.AnyOf)
	if _, isIndex := value.ArrayIndex(at[0]); isIndex && s.Items != nil {
		return schemaMayHave(schemaOf(s.Items), at[1:], depth+1)
	}
	if member := s.Properties[at[0]]; member != nil {
		return schemaMayHave(schemaOf(member), at[1:], depth+1)
	}
	others := s.AdditionalProperties
	switch {
	case others.Has != nil && *others.Has, others.Schema != nil:
		return true
	case slices.ContainsFunc(parts, func(p *openapi3.SchemaRef) bool { return schemaMayHave(schemaOf(p), at, depth+1) }):
		return true
	default: // what lists nothing says nothing
		return len(s.Properties) == 0 && len(parts) == 0
	}
}
