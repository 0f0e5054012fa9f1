package schema

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v5"
	"pgregory.net/rapid"

	"github.com/weft-flow/weft/arazzo/value"
)

// saying are schemas of one keyword or two that a glance knows.
var saying = []string{
	`true`, `false`, `{}`,
	`{"type":"string"}`, `{"type":"integer"}`, `{"type":"number"}`, `{"type":["array","null"]}`, `{"type":["object","boolean"]}`,
	`{"const":1.50}`, `{"const":null}`, `{"const":{"a":[1,"x"]}}`, `{"enum":["a","ab",2]}`, `{"enum":[[],{},true]}`,
	`{"minLength":2}`, `{"maxLength":1}`, `{"pattern":"^a"}`, `{"format":"date"}`, `{"format":"regex"}`, `{"format":"int32"}`,
	`{"minimum":1.5}`, `{"exclusiveMinimum":2}`, `{"maximum":9007199254740992}`, `{"exclusiveMaximum":-0.25}`, `{"multipleOf":0.01}`,
	`{"minProperties":1}`, `{"maxProperties":1}`, `{"required":["a","b"]}`,
	`{"minItems":1}`, `{"maxItems":1}`,
}

// around are schemas with room for two others.
var around = []string{
	`{"properties":{"a":%s,"b":%s}}`, `{"properties":{"a":%s},"additionalProperties":%s}`,
	`{"patternProperties":{"^a":%s,"b$":%s},"additionalProperties":false}`,
	`{"items":%s,"type":["array","string"],"not":%s}`, `{"prefixItems":[%s],"items":%s}`,
	`{"allOf":[%s,%s]}`, `{"anyOf":[%s,%s]}`, `{"oneOf":[%s,%s]}`,
	`{"if":%s,"then":%s}`, `{"if":%s,"else":%s}`,
	`{"$defs":{"x":%s,"y":%s},"$ref":"#/$defs/x","properties":{"a":{"$ref":"#/$defs/y"}}}`,
	`{"$schema":"http://json-schema.org/draft-07/schema#","items":%s,"additionalProperties":%s}`,
	`{"$defs":{"list":{"type":"object","properties":{"a":%s,"b":{"$ref":"#/$defs/list"}}}},"allOf":[{"$ref":"#/$defs/list"},%s]}`,
}

// leaving are schemas that a glance leaves to the library.
var leaving = []string{
	`{"uniqueItems":true}`, `{"contains":{"type":"string"}}`, `{"propertyNames":{"maxLength":1}}`, `{"dependentRequired":{"a":["b"]}}`,
	`{"dependentSchemas":{"a":false}}`, `{"dependencies":{"a":["b"]},"$schema":"http://json-schema.org/draft-07/schema#"}`,
	`{"unevaluatedProperties":false}`, `{"unevaluatedItems":false}`, `{"pattern":"^(?=a)"}`, `{"$defs":{"x":{"$dynamicAnchor":"n"}},"$dynamicRef":"#n"}`,
	`{"items":[false],"$schema":"http://json-schema.org/draft-07/schema#"}`, `{"contentMediaType":"application/json"}`,
	`{"const":1e3000}`, `{"minimum":1e999}`,
}

// held are values that some of these schemas fit and some do not.
var held = []string{
	`null`, `true`, `false`, `0`, `1`, `1.0`, `1.5`, `2`, `-0.5`, `10.105`, `15e-1`, `20e-1`, `9007199254740993`, `""`, `"a"`, `"ab"`, `"ä"`, `"2024-02-30"`, `"("`,
	`[]`, `{}`, `[1]`, `[null,"a"]`, `[[],{"a":1}]`, `{"a":1}`, `{"a":"a","b":null}`, `{"b":{"a":"ab","b":{"a":7}},"ab":2}`, `{"a":[1,"x"]}`, `{"c":1.5}`,
}

// library tells what the library alone says; ok is false where it cannot say.
func (s *Schema) library(v value.Value) (fits, ok bool) {
	found, err := s.run.validate(v)
	return found == nil, err == nil
}

// TestGlanceAgreesWithLibrary holds that what fits at a glance fits, and that nothing
// of what a glance knows is left to the library.
func TestGlanceAgreesWithLibrary(t *testing.T) {
	seen := 0
	hold := func(t *testing.T, text string) {
		s, err := CompileBytes("test", []byte(text))
		if err != nil {
			t.Fatalf("the test is wrong: %v in %s", err, text)
		}
		for _, of := range held {
			v := parsed(t, of)
			fits, ok := s.library(v)
			if at := s.run.glance.fits(v); at != fits || !ok {
				t.Errorf("%s against %s: at a glance %t, by the library %t (%t)", of, text, at, fits, ok)
			}
			if fits {
				seen++
			}
		}
	}
	for _, text := range saying {
		hold(t, text)
	}
	for _, text := range around {
		for i, first := range saying {
			hold(t, fmt.Sprintf(text, first, saying[(i*7+3)%len(saying)]))
		}
	}
	if seen < 1000 {
		t.Errorf("%d values fit: the test shows little", seen)
	}
}

// TestGlanceLeavesTheRest holds that a glance is unsure of what it does not know,
// however deep that stands and whatever stands beside it.
func TestGlanceLeavesTheRest(t *testing.T) {
	for _, left := range leaving {
		within := []string{left}
		if !strings.Contains(left, "#") {
			within = append(within, `{"anyOf":[true,`+left+`]}`, `{"not":`+left+`}`, `{"if":`+left+`,"then":true,"else":true}`, `{"$ref":"#/$defs/a","$defs":{"a":`+left+`}}`)
		}
		for _, text := range within {
			s, err := CompileBytes("test", []byte(text))
			if err != nil {
				t.Errorf("%s: %v", text, err)
				continue
			}
			for _, of := range held {
				if s.run.glance.fits(parsed(t, of)) {
					t.Errorf("%s surely fits %s", of, text)
				}
			}
		}
	}
}

// TestGlanceIsNeverWrong does so for schemas within schemas.
func TestGlanceIsNeverWrong(t *testing.T) {
	fitting, left := 0, 0
	rapid.Check(t, func(rt *rapid.T) {
		text := drawn(rt, 3)
		s, err := CompileBytes("test", []byte(text))
		if err != nil {
			return // references that lead to each other, or nowhere
		}
		for range 10 {
			of := rapid.SampledFrom(held).Draw(rt, "value")
			v, err := value.ParseJSON([]byte(of))
			if err != nil {
				t.Fatal(err)
			}
			fits, ok := s.library(v)
			switch surely := s.run.glance.fits(v); {
			case surely && !(fits && ok):
				rt.Fatalf("%s surely fits %s at a glance, not by the library", of, text)
			case surely:
				fitting++
			case fits && ok:
				left++
			}
		}
	})
	if fitting == 0 || left == 0 {
		t.Errorf("%d values were seen to fit and %d left: the test shows nothing", fitting, left)
	}
}

func drawn(rt *rapid.T, depth int) string {
	if depth == 0 || rapid.IntRange(0, 4).Draw(rt, "leaf") == 0 {
		return rapid.SampledFrom(slices.Concat(saying, saying, leaving)).Draw(rt, "schema")
	}
	return fmt.Sprintf(rapid.SampledFrom(around).Draw(rt, "around"), drawn(rt, depth-1), drawn(rt, depth-1))
}

// TestGlanceEnds holds that a look at schemas which multiply the work, or lead to
// themselves for one value, ends, and leaves them to the library.
func TestGlanceEnds(t *testing.T) {
	defs := []string{`"d0":{"type":"string"}`}
	for i := range 40 {
		defs = append(defs, fmt.Sprintf(`"d%d":{"allOf":[{"$ref":"#/$defs/d%d"},{"$ref":"#/$defs/d%d"}]}`, i+1, i, i))
	}
	doubling, err := CompileBytes("test", []byte(`{"$defs":{`+strings.Join(defs, ",")+`},"$ref":"#/$defs/d40"}`))
	if err != nil {
		t.Fatal(err)
	}
	if doubling.run.glance.fits(value.String("a")) {
		t.Error("a schema that doubles forty times was seen through")
	}
	itself := &glance{}
	itself.add(func(l *look, v value.Value) bool { return l.count([]*glance{itself, itself}, v) >= 0 })
	if itself.fits(value.Null) {
		t.Error("a schema that leads to itself was seen through")
	}
}

// TestGlanceKnowsAllThatASchemaSays fails where a version of the library knows a
// keyword more: a glance would overlook it.
func TestGlanceKnowsAllThatASchemaSays(t *testing.T) {
	want := strings.Fields(`Location Draft Format Always Ref RecursiveAnchor RecursiveRef DynamicAnchor DynamicRef Types Constant Enum
		Not AllOf AnyOf OneOf If Then Else MinProperties MaxProperties Required Properties PropertyNames RegexProperties PatternProperties
		AdditionalProperties Dependencies DependentRequired DependentSchemas UnevaluatedProperties MinItems MaxItems UniqueItems Items
		AdditionalItems PrefixItems Items2020 Contains ContainsEval MinContains MaxContains UnevaluatedItems MinLength MaxLength Pattern
		ContentEncoding ContentMediaType ContentSchema Minimum ExclusiveMinimum Maximum ExclusiveMaximum MultipleOf Title Description
		Default Comment ReadOnly WriteOnly Examples Deprecated Extensions`)
	var got []string
	for _, field := range reflect.VisibleFields(reflect.TypeFor[jsonschema.Schema]()) {
		if field.IsExported() {
			got = append(got, field.Name)
		}
	}
	if !slices.Equal(got, want) {
		t.Errorf("a schema has\n%v, known are\n%v", got, want)
	}
}

// BenchmarkValidate holds a value that fits against a schema as APIs have them.
func BenchmarkValidate(b *testing.B) {
	s, err := CompileBytes("test", []byte(`{"type":"object","required":["id","items"],"properties":{
		"id":{"type":"string","pattern":"^[a-z0-9-]+$"},"status":{"enum":["open","paid"]},"total":{"type":"number","minimum":0},
		"items":{"type":"array","items":{"$ref":"#/$defs/item"}}},
		"$defs":{"item":{"type":"object","required":["sku"],"properties":{"sku":{"type":"string"},"count":{"type":"integer","minimum":1}}}}}`))
	if err != nil {
		b.Fatal(err)
	}
	v := parsed(b, `{"id":"x-1","status":"open","total":10.10,"items":[{"sku":"a","count":1},{"sku":"b","count":2}]}`)
	b.Run("all", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if s.Validate(v) != nil {
				b.Fatal("it does not fit")
			}
		}
	})
	b.Run("library", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if fits, ok := s.library(v); !fits || !ok {
				b.Fatal("it does not fit")
			}
		}
	})
}

func parsed(t testing.TB, text string) value.Value {
	t.Helper()
	v, err := value.ParseJSON([]byte(text))
	if err != nil {
		t.Fatalf("read %s: %v", text, err)
	}
	return v
}
