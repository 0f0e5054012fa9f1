package schema_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/weft-flow/weft/arazzo/schema"
	"github.com/weft-flow/weft/arazzo/value"
)

// quickSchemas are schemas that a quick look knows, each with values that it surely
// sees to fit, and some that do not fit or of which it is not sure.
var quickSchemas = []struct {
	schema         string
	fits, mayNotBe []string
}{
	{`true`, []string{`1`, `null`, `{}`}, nil},
	{`false`, nil, []string{`1`, `{}`}},
	{`{"type":"integer"}`, []string{`1`, `1.0`, `-3e2`, `12345678901234567890`}, []string{`1.5`, `"1"`, `null`, `5e-1`}},
	{`{"type":["string","null"]}`, []string{`""`, `null`}, []string{`0`, `[]`, `false`}},
	{`{"enum":["a",1,{"b":2}]}`, []string{`"a"`, `1.0`, `{"b":2}`}, []string{`"A"`, `2`, `{"b":"2"}`}},
	{`{"const":[1]}`, []string{`[1]`, `[1.0]`}, []string{`1`, `[1,1]`}},
	{`{"minimum":2,"maximum":3}`, []string{`2`, `2.0`, `3`, `"1"`}, []string{`1.9999`, `-3`, `3.0001`}},
	{`{"exclusiveMinimum":2,"exclusiveMaximum":3}`, []string{`2.5`, `"1"`}, []string{`2`, `3.0`}},
	{`{"minLength":2,"maxLength":3}`, []string{`"äö"`, `"äöü"`, `1`}, []string{`"ä"`, `""`, `"äöüß"`}},
	{`{"maxItems":1,"maxProperties":1}`, []string{`[1]`, `{"a":1}`, `"ab"`}, []string{`[1,2]`, `{"a":1,"b":1}`}},
	{`{"pattern":"^x-"}`, []string{`"x-a"`, `1`}, []string{`"ax-"`, `"x"`}},
	{`{"pattern":"^a.c$"}`, []string{`"abc"`}, []string{`"abcd"`, `"ac"`}},
	{`{"format":"uri-reference"}`, []string{`"./a"`, `"http://[::1]/a"`, `1`}, []string{`"a\\b"`, `"%zz"`, `"http://a:b:c/"`}},
	{`{"format":"date"}`, []string{`1`}, []string{`"2020-01-01"`, `"never"`}},
	{`{"items":{"type":"string"},"minItems":1,"uniqueItems":true}`, []string{`["a","b"]`, `{}`}, []string{`[]`, `["a","a"]`, `[1]`}},
	{`{"uniqueItems":true}`, []string{`[1,2,3,4,5,6,7,8,9,"1"]`}, []string{`[1,2,3,4,5,6,7,8,9,1.0]`, `[{"a":1,"b":2},{"b":2,"a":1}]`}},
	{`{"uniqueItems":false}`, []string{`[1,1]`}, nil},
	{`{"required":["a"],"minProperties":2,"dependentRequired":{"b":["c"]}}`, []string{`{"a":1,"d":2}`, `{"a":1,"b":1,"c":1}`, `1`},
		[]string{`{"a":1}`, `{"b":1,"c":1}`, `{"a":1,"b":1}`}},
	{`{"properties":{"a":{"type":"string"}},"patternProperties":{"^x-":true,"^x-n":{"type":"null"}},"additionalProperties":{"type":"boolean"}}`,
		[]string{`{"a":"","x-b":1,"c":true}`, `{"x-n":null}`}, []string{`{"a":1}`, `{"x-n":1}`, `{"c":1}`}},
	{`{"properties":{"a":false}}`, []string{`{"b":1}`, `[]`}, []string{`{"a":1}`}},
	{`{"propertyNames":{"pattern":"^[a-z]+$"}}`, []string{`{"a":1}`}, []string{`{"A":1}`}},
	{`{"allOf":[{"required":["a"]},{"required":["b"]}]}`, []string{`{"a":1,"b":1}`}, []string{`{"a":1}`}},
	{`{"anyOf":[{"required":["a"]},{"required":["b"]}]}`, []string{`{"b":1}`, `{"a":1,"b":1}`}, []string{`{}`}},
	{`{"oneOf":[{"required":["a"]},{"required":["b"]}]}`, []string{`{"b":1}`}, []string{`{}`, `{"a":1,"b":1}`}},
	{`{"not":{"type":"string"}}`, []string{`1`}, []string{`""`}},
	{`{"if":{"type":"string"},"then":{"minLength":1},"else":{"type":"null"}}`, []string{`"a"`, `null`}, []string{`""`, `1`}},
	{`{"then":false}`, []string{`1`}, nil},
	{`{"not":{"format":"date"}}`, nil, []string{`"never"`, `"2020-01-01"`}},
	{`{"$defs":{"tree":{"items":{"$ref":"#/$defs/tree"},"type":"array"}},"$ref":"#/$defs/tree"}`, []string{`[[],[[]]]`}, []string{`[[1]]`}},
	{`{}`, []string{`{"a":"x"}`}, []string{`1e9999999`, `{"a":[1e9999999]}`}},
	{`{"$ref":"https://json-schema.org/draft/2020-12/schema"}`,
		[]string{
			`true`, `{"type":["string","null"],"enum":[1],"pattern":"^a","minLength":0,"multipleOf":2,"x":1}`,
			`{"properties":{"a":{"$ref":"#/x"}},"required":["a"],"dependentRequired":{"a":["b"]},"patternProperties":{"^a":false}}`,
			`{"allOf":[{}],"items":{"default":[],"examples":[1],"format":"date"},"uniqueItems":true}`,
		},
		[]string{
			`1`, `{"type":"text"}`, `{"type":[]}`, `{"type":["null","null"]}`, `{"required":["a","a"]}`, `{"required":[1]}`, `{"required":"a"}`, `{"minLength":-1}`,
			`{"pattern":"("}`, `{"patternProperties":{"(":true}}`, `{"allOf":[]}`, `{"allOf":{}}`, `{"items":[{}]}`, `{"properties":[]}`, `{"properties":{"a":1}}`, `{"multipleOf":0}`,
			`{"enum":1}`, `{"examples":{}}`, `{"title":1}`, `{"readOnly":1}`, `{"maximum":"1"}`, `{"$ref":1}`, `{"$ref":"%zz"}`, `{"$id":1}`, `{"$anchor":"1 2"}`, `{"$schema":"a b"}`,
			`{"dependencies":{"a":1}}`, `{"dependentRequired":{"a":1}}`,
		}},
}

// TestQuickAgreesWithSchema holds that what a quick look sees to fit has no fault,
// and that it sees so of plain values.
func TestQuickAgreesWithSchema(t *testing.T) {
	for _, test := range quickSchemas {
		root := parse(t, test.schema)
		quick, err := schema.CompileQuick(schema.Resource{ID: "test", Root: root})
		if err != nil {
			t.Errorf("%s: %v", test.schema, err)
			continue
		}
		whole, err := schema.Compile("test", root, "")
		if err != nil {
			t.Fatalf("%s: %v", test.schema, err)
		}
		for _, text := range test.fits {
			v := parse(t, text)
			if !quick.Fits(v) {
				t.Errorf("%s: %s fits, and is not seen to", test.schema, text)
			}
			if faults := whole.Validate(v); len(faults) > 0 {
				t.Errorf("%s: %s: the whole schema says %v", test.schema, text, faults)
			}
		}
		for _, text := range test.mayNotBe {
			if quick.Fits(parse(t, text)) {
				t.Errorf("%s: %s is seen to fit", test.schema, text)
			}
		}
	}
}

// TestQuickRefusesWhatItDoesNotKnow holds that no keyword is passed over that may
// say no.
func TestQuickRefusesWhatItDoesNotKnow(t *testing.T) {
	for _, text := range []string{
		`1`, `{"contains":{}}`, `{"prefixItems":[{}]}`, `{"unevaluatedProperties":false}`, `{"multipleOf":2}`,
		`{"dependentSchemas":{}}`, `{"dependencies":{}}`, `{"$anchor":"a"}`, `{"$dynamicRef":"#a"}`, `{"$schema":"http://json-schema.org/draft-04/schema#"}`,
		`{"contentEncoding":"base64"}`, `{"pattern":"(?=a)"}`, `{"$ref":"other.json"}`, `{"$ref":"#/none"}`, `{"items":{"$id":"other"}}`,
		`{"type":"text"}`, `{"type":[]}`, `{"required":[1]}`, `{"required":"a"}`, `{"minItems":-1}`, `{"properties":[]}`, `{"allOf":[]}`, `{"enum":1}`,
		`{"minimum":"1"}`, `{"maxItems":1.5}`, `{"uniqueItems":1}`, `{"format":1}`, `{"dependentRequired":[]}`, `{"properties":{"a":1}}`,
	} {
		if _, err := schema.CompileQuick(schema.Resource{ID: "test", Root: parse(t, text)}); err == nil {
			t.Errorf("%s: there is a quick look", text)
		}
	}
	if _, err := schema.CompileQuick(); !errors.Is(err, schema.ErrNotGiven) {
		t.Errorf("of no schema: %v", err)
	}
}

// TestQuickEnds holds that a schema that refers to itself for the same value ends.
func TestQuickEnds(t *testing.T) {
	quick, err := schema.CompileQuick(schema.Resource{ID: "test", Root: parse(t, `{"$ref":"#"}`)})
	if err != nil {
		t.Fatal(err)
	}
	if quick.Fits(parse(t, `1`)) {
		t.Error("it is seen to fit, and never comes to an end")
	}
}

// BenchmarkQuick looks at the shape of a list of small objects.
func BenchmarkQuick(b *testing.B) {
	root, err := value.ParseJSON([]byte(`{"items":{"type":"object","required":["a"],"properties":{"a":{"type":"string","minLength":1},"b":{"enum":["x","y"]}},"additionalProperties":false}}`))
	if err != nil {
		b.Fatal(err)
	}
	v, err := value.ParseJSON([]byte(`[` + strings.Repeat(`{"a":"text","b":"y"},`, 99) + `{"a":"text"}]`))
	if err != nil {
		b.Fatal(err)
	}
	quick, err := schema.CompileQuick(schema.Resource{ID: "test", Root: root})
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		if !quick.Fits(v) {
			b.Fatal("it does not fit")
		}
	}
}
