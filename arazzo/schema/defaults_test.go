package schema_test

import (
	"testing"

	"github.com/weft-flow/weft/arazzo/schema"
	"github.com/weft-flow/weft/arazzo/value"
)

func TestApplyDefaults(t *testing.T) {
	tests := []struct{ name, root, pointer, value, want string }{
		{"a missing property", `{"properties":{"a":{"default":10.10},"b":{"type":"string"}}}`, "", `{}`, `{"a":10.10}`},
		{"one that is there stays, null too", `{"properties":{"a":{"default":1},"b":{"default":2}}}`, "", `{"b":null,"a":5}`, `{"b":null,"a":5}`},
		{"in an object that is there", `{"properties":{"a":{"properties":{"b":{"default":1}}}}}`, "", `{"a":{"c":2}}`, `{"a":{"c":2,"b":1}}`},
		{"no object is made up", `{"properties":{"a":{"properties":{"b":{"default":1}}}}}`, "", `{}`, `{}`},
		{"in an object that is itself a default", `{"properties":{"a":{"default":{},"properties":{"b":{"default":1}}}}}`, "", `{}`, `{"a":{"b":1}}`},
		{"behind a reference and allOf",
			`{"x":{"allOf":[{"$ref":"#/y"},{"properties":{"b":{"$ref":"#bee"}}}]},"y":{"properties":{"a":{"default":1}}},"z":{"$anchor":"bee","default":2}}`,
			"/x", `{}`, `{"a":1,"b":2}`},
		{"a reference to itself ends", `{"$ref":"#","properties":{"a":{"$ref":"#","default":{}}}}`, "", `{"a":{}}`, ""},
		{"not in what is no object", `{"properties":{"a":{"default":1}}}`, "", `[1]`, `[1]`},
		{"a place where nothing stands", `{}`, "/x", `{"a":1}`, `{"a":1}`},
		{"the schema true", `true`, "", `{"a":1}`, `{"a":1}`},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			got := schema.ApplyDefaults(parse(t, test.root), test.pointer, parse(t, test.value))
			if test.want != "" && got.String() != test.want {
				t.Errorf("got %s, want %s", got, test.want)
			}
		})
	}
	t.Run("nothing counts as an empty object", func(t *testing.T) {
		got := schema.ApplyDefaults(parse(t, `{"properties":{"a":{"default":1}}}`), "", value.Absent)
		if got.String() != `{"a":1}` {
			t.Errorf("got %s", got)
		}
	})
}
