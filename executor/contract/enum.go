package contract

import (
	"iter"
	"maps"
	"slices"
	"strings"

	"github.com/getkin/kin-openapi/openapi3"

	"github.com/weft-flow/weft/arazzo/source"
	"github.com/weft-flow/weft/arazzo/value"
)

// enumAt gives the values that the schema of a response names as the possible ones at a
// place of its body.
func enumAt(r *source.Response, pointer string) []value.Value {
	at, err := value.ParsePointer(pointer)
	if r == nil || err != nil {
		return nil
	}
	for _, media := range r.Content {
		if strings.Contains(media.Type, "json") || strings.Contains(media.Type, "*") {
			return enumIn(media.Schema, at, 0)
		}
	}
	return nil
}

// deepestSchema bounds how far schemas are followed into each other.
const deepestSchema = 24

func enumIn(s *openapi3.Schema, at value.Pointer, depth int) []value.Value {
	if s == nil || depth > deepestSchema {
		return nil
	}
	var found []value.Value
	for _, part := range slices.Concat(s.AllOf, s.OneOf, s.AnyOf) {
		found = append(found, enumIn(schemaOf(part), at, depth+1)...)
	}
	if len(at) == 0 {
		for _, item := range s.Enum {
			if v, err := value.Of(item); err == nil {
				found = append(found, v)
			}
		}
		if s.Type.Is(openapi3.TypeBoolean) {
			found = append(found, value.Bool(true), value.Bool(false))
		}
		return found
	}
	found = append(found, enumIn(schemaOf(s.Properties[at[0]]), at[1:], depth+1)...)
	if _, isIndex := value.ArrayIndex(at[0]); isIndex {
		found = append(found, enumIn(schemaOf(s.Items), at[1:], depth+1)...)
	}
	return found
}

func schemaOf(ref *openapi3.SchemaRef) *openapi3.Schema {
	if ref == nil {
		return nil
	}
	return ref.Value
}

func mapKeys[V any](m map[string]V) iter.Seq[string] { return maps.Keys(m) }
