package schema_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/weft-flow/weft/arazzo/schema"
)

func TestFaultsOfAlternatives(t *testing.T) {
	tests := []struct {
		name, schema, value string
		want                []string
	}{
		{"branches of other types are merged", `{"anyOf":[{"type":"string"},{"type":"object"}]}`, `1`,
			[]string{": expected object or string, this is a number"}},
		{"branches that want a property are merged", `{"anyOf":[{"required":["a"]},{"required":["b","c"]}]}`, `{}`,
			[]string{": needs one of a or b with c"}},
		{"branches that want a constant are merged", `{"oneOf":[{"const":"a"},{"enum":["b"]}]}`, `"c"`, []string{": expected a or b"}},
		{"the branch of the same type is told", `{"oneOf":[{"type":"string"},{"type":"object","required":["type"]}]}`, `{}`,
			[]string{": missing required property type"}},
		{"the branch of the same kind is told",
			`{"oneOf":[
				{"properties":{"kind":{"const":"cat"},"lives":{"type":"integer"}}},
				{"properties":{"kind":{"const":"dog"},"name":{"type":"string"},"lives":false}}]}`,
			`{"kind":"cat","lives":"nine"}`, []string{"/lives: expected integer, this is a string"}},
		{"two that fit", `{"oneOf":[{"type":"string"},{"minLength":1}]}`, `"a"`,
			[]string{": fits more than one of the alternatives, expected exactly one"}},
		{"alternatives within alternatives", `{"anyOf":[{"type":"null"},{"anyOf":[{"type":"string"},{"type":"boolean"}]}]}`, `"x"`, nil},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			s, err := schema.CompileBytes("test", []byte(test.schema))
			if err != nil {
				t.Fatalf("compile: %v", err)
			}
			if diff := cmp.Diff(test.want, lines(s.Validate(parse(t, test.value)))); diff != "" {
				t.Errorf("faults (-want +got):\n%s", diff)
			}
		})
	}
}
