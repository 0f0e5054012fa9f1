package mock

import (
	"fmt"
	"strings"
	"testing"

	"github.com/weft-flow/weft/arazzo/value"
)

func TestCheckedBodies(t *testing.T) {
	for _, test := range []struct{ schema, body, want string }{
		{`{"type":"string"}`, `1`, `#: is a number, expected string`},
		{`{"type":["string","null"]}`, `null`, ``},
		{`{"type":"string","nullable":true}`, `null`, ``},
		{`{"type":"string"}`, `null`, `#: is null, expected string`},
		{`{"type":"integer"}`, `1.0`, ``},
		{`{"type":"integer"}`, `1e2`, ``},
		{`{"type":"integer"}`, `1.5`, `#: is a number, expected integer`},
		{`{"type":"integer","maximum":9007199254740992}`, `9007199254740993`, `#: is 9007199254740993, expected at most 9.007199254740992e+15`},
		{`{"type":"number","multipleOf":0.01}`, `10.10`, ``},
		{`{"type":"number","multipleOf":0.01}`, `10.101`, `#: is 10.101, expected a multiple of 0.01`},
		{`{"type":"number","exclusiveMinimum":0}`, `0`, `#: is 0, expected more than 0`},
		{`{"type":"number","minimum":0,"exclusiveMinimum":true}`, `0`, `#: is 0, expected more than 0`},
		{`{"type":"number","maximum":1}`, `1e999999999`, ``}, // beyond what is looked at
		{`{"type":"string","minLength":3}`, `"äö"`, `#: has 2 characters, expected at least 3`},
		{`{"type":"string","pattern":"^a"}`, `"b"`, `#: does not match the pattern ^a`},
		{`{"type":"string","pattern":"^(?=a)"}`, `"b"`, ``}, // not readable here
		{`{"enum":["a",1,null]}`, `"b"`, `#: is not one of "a", 1, null`},
		{`{"enum":["a",1,null]}`, `null`, ``},
		{`{"const":{"a":[1]}}`, `{"a":[1.0]}`, ``},
		{`{"const":"a"}`, `"b"`, `#: is not "a"`},
		{`{"type":"array","minItems":1}`, `[]`, `#: has 0 elements, expected at least 1`},
		{`{"type":"array","items":{"type":"string"}}`, `["a",2]`, `#/1: is a number, expected string`},
		{`{"prefixItems":[{"type":"string"}],"items":{"type":"integer"}}`, `[1,"a"]`, `#/0: is a number, expected string; #/1: is a string, expected integer`},
		{`{"required":["a/b"]}`, `{}`, `#: lacks the member "a/b"`},
		{`{"required":["a"],"properties":{"a":{"readOnly":true}}}`, `{}`, ``},
		{`{"properties":{"a/b":{"type":"string"}}}`, `{"a/b":1}`, `#/a~1b: is a number, expected string`},
		{`{"properties":{"a":{}},"additionalProperties":false}`, `{"b":1}`, `#/b: is not a member that is allowed here; there are a`},
		{`{"additionalProperties":{"type":"string"}}`, `{"b":1}`, `#/b: is a number, expected string`},
		{`{"patternProperties":{"^x":{"type":"string"}},"additionalProperties":false}`, `{"x1":"a"}`, ``},
		{`{"allOf":[{"required":["a"]},{"required":["b"]}]}`, `{"a":1}`, `#: lacks the member "b"`},
		{`{"anyOf":[{"type":"string"},{"type":"number"}]}`, `true`, `#: fits none of the 2 schemas of which one must hold`},
		{`{"oneOf":[{"type":"integer"},{"type":"number"}]}`, `1`, `#: fits 2 of the 2 schemas of which exactly one must hold`},
		{`{"not":{"type":"string"}}`, `"a"`, `#: fits a schema that it must not fit`},
	} {
		body, err := value.ParseJSON([]byte(test.body))
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, f := range new(patterns).checkBody(schemaOf(t, test.schema), body) {
			got = append(got, fmt.Sprintf("%s: %s", f.pointer, f.detail))
		}
		if text := strings.Join(got, "; "); text != test.want {
			t.Errorf("%s against %s: %q, expected %q", test.body, test.schema, text, test.want)
		}
	}
}

func TestManyBranchesEnd(t *testing.T) {
	schema := schemaOf(t, `{"type":"object"}`)
	branch := schemaOf(t, `{"properties":{}}`)
	schema.AnyOf = nil
	for range 4 {
		branch.AnyOf = append(branch.AnyOf, schemaOf(t, `{"properties":{}}`).NewRef())
	}
	for _, b := range branch.AnyOf {
		b.Value.Properties["a"] = branch.NewRef()
		b.Value.Required = []string{"never"}
	}
	body := value.Object()
	for range 100 {
		body = value.Object(value.Member{Name: "a", Value: body})
	}
	new(patterns).checkBody(branch, body) // comes to an end
}
