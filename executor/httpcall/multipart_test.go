package httpcall

import (
	"testing"

	"github.com/getkin/kin-openapi/openapi3"

	"github.com/weft-flow/weft/arazzo/source"
	"github.com/weft-flow/weft/arazzo/value"
	"github.com/weft-flow/weft/executor"
)

// TestWhatTheTypeOfAPartFollowsFrom: schemas composed by allOf, and of OpenAPI 3.1 that
// none is said.
func TestWhatTheTypeOfAPartFollowsFrom(t *testing.T) {
	in := func(s *openapi3.Schema) *openapi3.SchemaRef { return &openapi3.SchemaRef{Value: s} }
	binary := in(&openapi3.Schema{AllOf: openapi3.SchemaRefs{in(&openapi3.Schema{Type: &openapi3.Types{"string"}, Format: "binary"})}})
	inner := &openapi3.Schema{Properties: openapi3.Schemas{
		"doc": binary, "docs": in(&openapi3.Schema{Items: binary}), "any": in(&openapi3.Schema{}),
		"word": in(&openapi3.Schema{Enum: []any{"a"}}), "text": in(&openapi3.Schema{Type: &openapi3.Types{"string"}}),
	}}
	schema := &openapi3.Schema{AllOf: openapi3.SchemaRefs{in(inner)}}
	inner.AllOf = openapi3.SchemaRefs{in(schema)} // a circle ends
	for version, anyType := range map[string]string{"3.0.3": "", "3.1.0": "application/octet-stream", "3.2.0": "application/octet-stream"} {
		_, parts, contents := prepareMultipart(t, &executor.Body{
			ContentType: "multipart/form-data",
			Value:       value.Object(member("doc", "D\xff\x00"), member("docs", "E"), member("any", "A"), member("word", "a"), member("text", "T"), member("other", "O")),
			Declared:    &source.MediaType{Schema: schema, Version: version},
		})
		want := []struct{ name, file, contentType, content string }{
			{"doc", "doc", "application/octet-stream", "D\xff\x00"},
			{"docs", "docs", "application/octet-stream", "E"},
			{"any", map[bool]string{true: "any"}[anyType != ""], anyType, "A"},
			{"word", "", "", "a"}, {"text", "", "", "T"}, {"other", "", "", "O"},
		}
		if len(parts) != len(want) {
			t.Fatalf("%d parts", len(parts))
		}
		for i, w := range want {
			part := parts[i]
			if part.FormName() != w.name || part.FileName() != w.file || part.Header.Get("Content-Type") != w.contentType || contents[i] != w.content {
				t.Errorf("%s: part %d: %v %q", version, i, part.Header, contents[i])
			}
		}
	}
}

func member(name, text string) value.Member {
	return value.Member{Name: name, Value: value.String(text)}
}
