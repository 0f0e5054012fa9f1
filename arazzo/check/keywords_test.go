package check_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

const (
	v30 = "3.0.3"
	v31 = "3.1.0"
)

const schemas = `{
	"Node": {"type":"object","properties":{"value":{"type":"integer"},"next":{"$ref":"#/components/schemas/Node"}}},
	"Named": {"$anchor":"named","type":"object","required":["name"],"properties":{"name":{"type":"string"}}},
	"Cat": {"type":"object","required":["kind","lives"],"properties":{"kind":{"enum":["cat"]},"lives":{"type":"integer"}}},
	"Dog": {"type":"object","required":["kind"],"properties":{"kind":{"enum":["dog"]},"name":{"type":"string"}}},
	"Tree": {"$id":"https://trees.example/tree","$dynamicAnchor":"node","type":"object",
		"properties":{"children":{"type":"array","items":{"$dynamicRef":"#node"}}}}
}`

func TestBodiesAgainstSchemas(t *testing.T) {
	for _, test := range []struct {
		name, version, schema, body string
		want                        []string
	}{
		// Numbers are exact.
		{"a large maximum", v30, `{"type":"integer","maximum":9007199254740992}`, `9007199254740993`, []string{"body: expected at most 9007199254740992, this is 9007199254740993"}},
		{"a large maximum that is kept", v31, `{"type":"integer","maximum":9007199254740993}`, `9007199254740993`, nil},
		{"a large constant", v31, `{"const":9007199254740993}`, `9007199254740992`, []string{"body: expected 9007199254740993, this is 9007199254740992"}},
		{"cents", v30, `{"type":"number","multipleOf":0.01}`, `10.10`, nil},
		{"half a cent", v30, `{"type":"number","multipleOf":0.01}`, `10.105`, []string{"body: expected a multiple of 0.01, this is 10.105"}},
		{"a whole number with a point", v30, `{"type":"integer"}`, `1.0`, nil},
		{"a whole number with an exponent", v30, `{"type":"integer"}`, `1e2`, nil},
		{"a broken number", v31, `{"type":"integer"}`, `1.5`, []string{"body: expected integer, this is a number"}},
		{"a number of 32 bits", v30, `{"type":"integer","format":"int32"}`, `2147483648`, []string{"body: expected at most 2147483647, this is 2147483648"}},
		{"a number of 64 bits", v31, `{"type":"integer","format":"int64"}`, `9223372036854775808`, []string{"body: expected at most 9223372036854775807, this is 9223372036854775808"}},
		{"text of a number's format", v31, `{"type":"string","format":"int64"}`, `"9223372036854775808"`, nil},

		// OpenAPI 3.0.
		{"null where nullable", v30, `{"type":"string","nullable":true}`, `null`, nil},
		{"null where not nullable", v30, `{"type":"string"}`, `null`, []string{"body: expected string, this is null"}},
		{"no null where nullable", v30, `{"type":"string","nullable":true}`, `1`, []string{"body: expected string or null, this is a number"}},
		{"null beside an enumeration", v30, `{"type":"string","nullable":true,"enum":["a"]}`, `null`, nil},
		{"null beside a reference", v30, `{"nullable":true,"allOf":[{"$ref":"#/components/schemas/Named"}]}`, `null`, nil},
		{"no null beside a reference", v30, `{"nullable":true,"allOf":[{"$ref":"#/components/schemas/Named"}]}`, `{}`, []string{"body: missing required property name"}},
		{"a limit that is excluded", v30, `{"type":"number","minimum":0,"exclusiveMinimum":true}`, `0`, []string{"body: expected more than 0, this is 0"}},
		{"a limit that is not excluded", v30, `{"type":"number","minimum":0,"exclusiveMinimum":false}`, `0`, nil},
		{"an excluded limit in the later way", v30, `{"exclusiveMaximum":5}`, `5`, []string{"body: expected less than 5, this is 5"}},
		{"what stands beside a reference", v30, `{"$ref":"#/components/schemas/Named","maxProperties":0}`, `{"name":"a"}`, nil},
		{"keywords of later versions", v30, `{"const":1,"if":true,"then":false,"prefixItems":[false]}`, `[2]`, nil},
		{"members by patterns", v30, `{"properties":{},"patternProperties":{"^x":{}},"additionalProperties":false}`, `{"x1":1}`, nil},

		// OpenAPI 3.1.
		{"a list of types", v31, `{"type":["string","null"]}`, `null`, nil},
		{"nullable means nothing", v31, `{"type":"string","nullable":true}`, `null`, []string{"body: expected string, this is null"}},
		{"no const", v31, `{"const":"a"}`, `"b"`, []string{"body: expected a"}},
		{"first items", v31, `{"prefixItems":[{"type":"string"}],"items":{"type":"integer"}}`, `[1,"a"]`,
			[]string{"body at /0: expected string, this is a number", "body at /1: expected integer, this is a string"}},
		{"a condition", v31, `{"if":{"required":["a"]},"then":{"required":["b"]}}`, `{"a":1}`, []string{"body: missing required property b"}},
		{"a condition that does not apply", v31, `{"if":{"required":["a"]},"then":{"required":["b"]}}`, `{}`, nil},
		{"what no part names", v31, `{"allOf":[{"properties":{"a":true}}],"unevaluatedProperties":false}`, `{"a":1,"b":1}`, []string{"body at /b: unknown property b"}},
		{"what stands beside a reference counts", v31, `{"$ref":"#/components/schemas/Named","maxProperties":0}`, `{"name":"a"}`, []string{"body: expected at most 0 members, there are 1"}},
		{"a reference behind unevaluated properties", v31, `{"$ref":"#/components/schemas/Named","unevaluatedProperties":false}`, `{"name":"a","b":1}`, []string{"body at /b: unknown property b"}},
		{"a schema that refers to itself", v31, `{"$ref":"#/components/schemas/Node"}`, `{"next":{"next":{"value":"x"}}}`, []string{"body at /next/next/value: expected integer, this is a string"}},
		{"a schema that refers to itself, in 3.0", v30, `{"$ref":"#/components/schemas/Node"}`, `{"next":{"next":{"value":"x"}}}`, []string{"body at /next/next/value: expected integer, this is a string"}},
		{"a dynamic reference", v31, `{"$ref":"#/components/schemas/Tree"}`, `{"children":[{"children":1}]}`, []string{"body at /children/0/children: expected array, this is a number"}},
		{"property names", v31, `{"propertyNames":{"maxLength":1}}`, `{"ab":1}`, []string{"body at /ab: expected at most 1 character"}},
		{"dependent properties", v31, `{"dependentRequired":{"a":["b"]}}`, `{"a":1}`, []string{"body at /a: a needs the property b beside it"}},
		{"contains", v31, `{"contains":{"const":1},"maxContains":1}`, `[1,1]`, []string{"body: too many items are as only some of them may be"}},
		{"a schema that allows nothing", v31, `{"properties":{"a":false}}`, `{"a":1}`, []string{"body at /a: not allowed here"}},

		// Both.
		{"an undocumented property", v30, `{"type":"object","properties":{"a":{}}}`, `{"b":1}`, nil},
		{"an undocumented property that is forbidden", v30, `{"properties":{"apple":{}},"additionalProperties":false}`, `{"appel":1}`, []string{"body at /appel: unknown property appel, did you mean apple?"}},
		{"a branch", v30, `{"oneOf":[{"$ref":"#/components/schemas/Cat"},{"$ref":"#/components/schemas/Dog"}],"discriminator":{"propertyName":"kind"}}`, `{"kind":"cat"}`, []string{"body: missing required property lives"}},
		{"two branches", v31, `{"oneOf":[{"type":"integer"},{"type":"number"}]}`, `1`, []string{"body: fits more than one of the alternatives, expected exactly one"}},
		{"not", v30, `{"not":{"type":"string"}}`, `"a"`, []string{"body: not allowed here"}},
		{"a date", v30, `{"type":"string","format":"date"}`, `"2024-13-01"`, []string{"body: not a valid date"}},
		{"a format that nobody agreed on", v30, `{"type":"string","format":"postcode"}`, `"?"`, nil},
		{"a pointer", v31, `{"properties":{"a/b":{"items":{"type":"string"}}}}`, `{"a/b":["x",1]}`, []string{"body at /a~1b/1: expected string, this is a number"}},
		{"several faults", v30, `{"required":["a","b"],"properties":{"c":{"type":"string"}}}`, `{"c":1}`,
			[]string{"body: missing required property a", "body: missing required property b", "body at /c: expected string, this is a number"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			r := answered(withSchema(t, test.version, test.schema, schemas), test.body)
			if diff := cmp.Diff(test.want, told(r)); diff != "" {
				t.Errorf("findings (-want +got):\n%s", diff)
			}
			if len(r.Gaps) > 0 && test.name != "members by patterns" {
				t.Errorf("gaps: %v", r.Gaps)
			}
		})
	}
}
