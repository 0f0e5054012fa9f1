package schema_test

import (
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/weft-flow/weft/arazzo/schema"
	"github.com/weft-flow/weft/arazzo/value"
)

// lines gives each fault as "pointer: message".
func lines(faults []schema.Fault) []string {
	var out []string
	for _, f := range faults {
		out = append(out, f.Pointer.String()+": "+f.Message)
	}
	return out
}

func parse(t *testing.T, text string) value.Value {
	t.Helper()
	v, err := value.ParseJSON([]byte(text))
	if err != nil {
		t.Fatalf("read %s: %v", text, err)
	}
	return v
}

func TestValidate(t *testing.T) {
	tests := []struct {
		name, schema, value string
		want                []string
	}{
		{"a value that fits", `{"type":"object","required":["a"]}`, `{"a":1}`, nil},
		{"another type", `{"type":"integer"}`, `"5"`, []string{": expected integer, this is a string"}},
		{"one of several types", `{"type":["string","null"]}`, `[]`, []string{": expected string or null, this is an array"}},
		{"an integer written as a decimal", `{"type":"integer"}`, `5.0`, nil},
		{"each missing property is told", `{"required":["a","b"]}`, `{}`,
			[]string{": missing required property a", ": missing required property b"}},
		{"a property needed beside another", `{"dependentRequired":{"a":["b"]}}`, `{"a":1}`,
			[]string{"/a: a needs the property b beside it"}},
		{"each unknown property is told, with the nearest known one",
			`{"properties":{"stepId":true},"patternProperties":{"^x-":true},"additionalProperties":false}`,
			`{"stepID":1,"x-a":2,"zzz":3}`,
			[]string{"/stepID: unknown property stepID, did you mean stepId?", "/zzz: unknown property zzz"}},
		{"unevaluated properties", `{"allOf":[{"properties":{"a":true}}],"unevaluatedProperties":false}`, `{"a":1,"b":2}`,
			[]string{"/b: unknown property b"}},
		{"a name that is refused", `{"propertyNames":{"pattern":"^[a-z]+$"}}`, `{"a b":1}`,
			[]string{"/a b: does not match the pattern ^[a-z]+$"}},
		{"a name that is not listed", `{"propertyNames":{"enum":["alpha","beta"]}}`, `{"alpa":1}`,
			[]string{"/alpa: unknown name alpa, did you mean alpha?"}},
		{"a property called propertyNames", `{"properties":{"propertyNames":{"const":1}}}`, `{"propertyNames":2}`,
			[]string{"/propertyNames: expected 1, this is 2"}},
		{"a word that is not listed", `{"enum":["send","receive"]}`, `"sned"`, []string{": expected one of send, receive"}},
		{"a number where a word is listed", `{"enum":["send","receive"]}`, `7`,
			[]string{": expected one of send, receive, this is a number"}},
		{"a constant", `{"const":"off"}`, `"on"`, []string{": expected off"}},
		{"the schema false", `{"properties":{"a":false}}`, `{"a":1}`, []string{"/a: not allowed here"}},
		{"a property named type with the schema false", `{"properties":{"type":false}}`, `{"type":1}`, []string{"/type: not allowed here"}},
		{"not", `{"not":{"type":"string"}}`, `"a"`, []string{": not allowed here"}},
		{"too few items", `{"minItems":1}`, `[]`, []string{": expected at least 1 item, there are 0"}},
		{"too many items", `{"maxItems":2}`, `[1,2,3]`, []string{": expected at most 2 items, there are 3"}},
		{"an item twice", `{"uniqueItems":true}`, `[1,2,1.0]`, []string{"/2: the list holds this item twice (items 1 and 3)"}},
		{"a pattern", `{"pattern":"^a"}`, `"b"`, []string{": does not match the pattern ^a"}},
		{"a short string", `{"minLength":2}`, `"b"`, []string{": expected at least 2 characters"}},
		{"a format", `{"format":"uri-reference"}`, `"::"`, []string{": not a valid uri-reference"}},
		{"the format password is no check", `{"format":"password"}`, `"x"`, nil},
		{"an unknown format is no check", `{"format":"int32"}`, `99999999999`, nil},
		{"contains", `{"contains":{"const":1}}`, `[2]`, []string{": too few items are as one of them has to be"}},
		{"then", `{"if":{"required":["a"]},"then":{"required":["b"]}}`, `{"a":1}`, []string{": missing required property b"}},
		{"deep inside", `{"properties":{"a":{"items":{"properties":{"b/c~d%":{"type":"string"}}}}}}`,
			`{"a":[{},{"b/c~d%":1}]}`, []string{"/a/1/b~1c~0d%: expected string, this is a number"}},
		{"positions are ordered by number", `{"items":{"type":"string"}}`, `["","","",3,"","","","","","",10]`,
			[]string{"/3: expected string, this is a number", "/10: expected string, this is a number"}},
		{"through a reference once", `{"$defs":{"s":{"type":"string"}},"allOf":[{"$ref":"#/$defs/s"},{"$ref":"#/$defs/s"}]}`, `1`,
			[]string{": expected string, this is a number"}},
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

func TestNumbersAreExact(t *testing.T) {
	tests := []struct {
		name, schema, value string
		want                []string
	}{
		{"one past 2^53 above its maximum", `{"maximum":9007199254740992}`, `9007199254740993`,
			[]string{": expected at most 9007199254740992, this is 9007199254740993"}},
		{"one past 2^53 at its maximum", `{"maximum":9007199254740993}`, `9007199254740993`, nil},
		{"10.10 is a multiple of 0.01", `{"multipleOf":0.01}`, `10.10`, nil},
		{"10.105 is not", `{"multipleOf":0.01}`, `10.105`, []string{": expected a multiple of 0.01, this is 10.105"}},
		{"equal numbers written differently", `{"enum":[1.50]}`, `15e-1`, nil},
		{"exclusive bounds", `{"exclusiveMinimum":0}`, `0`, []string{": expected more than 0, this is 0"}},
		{"an exponent that would eat all memory", `{"type":"integer"}`, `[{"a":1e999999999}]`,
			[]string{"/0/a: this number is too long to be checked exactly"}},
		{"a password that is a number is not repeated", `{"format":"password","minimum":10}`, `7`, []string{": expected at least 10"}},
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

func TestPatternsOfECMAScript(t *testing.T) {
	const lookahead = `{"properties":{"p":{"type":"string","pattern":"^(?=.*[A-Z]).{3,}$"}}}`
	s, err := schema.CompileBytes("test", []byte(lookahead))
	if err != nil {
		t.Fatalf("compile: %v", err)
	}
	if got := lines(s.Validate(parse(t, `{"p":"abC"}`))); got != nil {
		t.Errorf("a string that matches: %v", got)
	}
	faults := s.Validate(parse(t, `{"p":"abc"}`))
	if len(faults) != 1 || faults[0].Keyword != "pattern" || faults[0].Pointer.String() != "/p" {
		t.Errorf("a string that does not match: %+v", faults)
	}

	t.Run("one that takes for ever is a fault", func(t *testing.T) {
		s, err := schema.CompileBytes("test", []byte(`{"pattern":"^(?=(a+)+$)(a+)+$"}`))
		if err != nil {
			t.Fatalf("compile: %v", err)
		}
		got := lines(s.Validate(value.String(strings.Repeat("a", 40) + "b")))
		if len(got) != 1 || !strings.Contains(got[0], "could not be tried") {
			t.Errorf("got %v", got)
		}
	})
	t.Run("one in no syntax is told at its place", func(t *testing.T) {
		_, err := schema.CompileBytes("test", []byte(`{"properties":{"p":{"pattern":"("}}}`))
		var compile *schema.CompileError
		if !errors.As(err, &compile) || len(compile.Faults) != 1 {
			t.Fatalf("got %v", err)
		}
		if got := compile.Faults[0].Pointer.String(); got != "/properties/p/pattern" {
			t.Errorf("the fault is at %q", got)
		}
	})
	t.Run("as the name of properties it is an error, no panic", func(t *testing.T) {
		if _, err := schema.CompileBytes("test", []byte(`{"patternProperties":{"(?=a)":true}}`)); err == nil {
			t.Error("no error")
		}
	})
	t.Run("data that looks like a pattern stays", func(t *testing.T) {
		s, err := schema.CompileBytes("test", []byte(`{"const":{"pattern":"(?=a)"}}`))
		if err != nil {
			t.Fatalf("compile: %v", err)
		}
		if got := s.Validate(parse(t, `{"pattern":"(?=a)"}`)); got != nil {
			t.Errorf("got %v", got)
		}
	})
}

const arazzoLike = `{
  "workflows": [
    {"inputs": {"type": "object", "properties": {
      "order": {"$ref": "#/components/inputs/order"},
      "pet": {"$ref": "#pet"}}}},
    {"inputs": {"$ref": "#/components/inputs/missing"}},
    {"inputs": {"$ref": "other.json#/a"}},
    {"inputs": {"type": "strin"}},
    {"inputs": {"$ref": "#/components/inputs/loop"}}
  ],
  "components": {"inputs": {
    "order": {"type": "integer", "maximum": 9},
    "some/pets": {"$anchor": "pet", "type": "string"},
    "loop": {"allOf": [{"$ref": "#/components/inputs/loop"}]}
  }}
}`

func TestSchemasInsideADocument(t *testing.T) {
	set, err := schema.NewSet(schema.Resource{ID: "flow.arazzo.yaml", Root: parse(t, arazzoLike)})
	if err != nil {
		t.Fatal(err)
	}
	s, err := set.Compile("flow.arazzo.yaml", "/workflows/0/inputs")
	if err != nil {
		t.Fatalf("compile: %v", err)
	}
	want := []string{"/order: expected at most 9, this is 10", "/pet: expected string, this is a number"}
	if diff := cmp.Diff(want, lines(s.Validate(parse(t, `{"order":10,"pet":3}`)))); diff != "" {
		t.Errorf("faults (-want +got):\n%s", diff)
	}

	failures := []struct{ name, pointer, want string }{
		{"a reference to nothing", "/workflows/1/inputs", "#/components/inputs/missing not found"},
		{"a reference to another document", "/workflows/2/inputs", `"other.json" refers to a document that is not at hand`},
		{"a schema that is none", "/workflows/3/inputs", `at "/workflows/3/inputs/type"`},
		{"a schema that only refers to itself", "/workflows/4/inputs", "infinite loop"},
		{"a place where nothing stands", "/workflows/9/inputs", "nothing stands at"},
		{"a text that is no pointer", "workflows", "begins with '/'"},
	}
	for _, test := range failures {
		t.Run(test.name, func(t *testing.T) {
			_, err := set.Compile("flow.arazzo.yaml", test.pointer)
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("got %v, want %q in it", err, test.want)
			}
			var compile *schema.CompileError
			if !errors.As(err, &compile) {
				t.Errorf("%T is no CompileError", err)
			}
		})
	}
	if _, err := set.Compile("flow.arazzo.yaml", "/workflows/2/inputs"); !errors.Is(err, schema.ErrNotGiven) {
		t.Errorf("%v is not ErrNotGiven", err)
	}
	if _, err := set.Compile("flow.arazzo.yaml", "/workflows/0/inputs"); err != nil {
		t.Errorf("a failure spoils what compiled before: %v", err)
	}
}

func TestAValidationThatWouldNotEndIsGivenUp(t *testing.T) {
	doubling := `{"$ref":"#/$defs/s40","$defs":{"s0":{"minimum":0}`
	for i := 1; i <= 40; i++ {
		doubling += fmt.Sprintf(`,"s%d":{"allOf":[{"$ref":"#/$defs/s%d"},{"$ref":"#/$defs/s%d"}]}`, i, i-1, i-1)
	}
	const nested = `{"allOf":[{"items":{"$ref":"#"}},{"items":{"$ref":"#"}}]}`
	tests := []struct{ name, schema, value string }{
		{"a schema that doubles with each level", doubling + "}}", "1"},
		{"a value that is nested deep", nested, strings.Repeat("[", 60) + strings.Repeat("]", 60)},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			s, err := schema.CompileBytes("test", []byte(test.schema))
			if err != nil {
				t.Fatal(err)
			}
			got := lines(s.Validate(parse(t, test.value)))
			if len(got) != 1 || !strings.Contains(got[0], "too many steps") {
				t.Errorf("got %v", got)
			}
		})
	}
	t.Run("what comes afterwards has a budget of its own", func(t *testing.T) {
		s, err := schema.CompileBytes("test", []byte(nested))
		if err != nil {
			t.Fatal(err)
		}
		_ = s.Validate(parse(t, tests[1].value))
		if got := s.Validate(parse(t, "[[[]]]")); got != nil {
			t.Errorf("got %v", lines(got))
		}
	})
}

func TestAnchors(t *testing.T) {
	const document = `{
	  "schemas": [
	    {"$ref": "#pet"},
	    {"$id": "https://shop.example/own", "$ref": "#pet", "$defs": {"p": {"$anchor": "pet", "type": "boolean"}}},
	    {"$ref": "#broken"},
	    {"$ref": "#nowhere"},
	    {"properties": {"$anchor": {"$ref": "#pet"}}, "enum": [{"$ref": "#pet"}]}
	  ],
	  "else/where": {"x y": {"$anchor": "pet", "type": "string"}, "z": {"$anchor": "broken", "$ref": "none.json"}}
	}`
	set, err := schema.NewSet(schema.Resource{ID: "d", Root: parse(t, document)})
	if err != nil {
		t.Fatal(err)
	}
	tests := []struct {
		name, pointer string
		good, bad     string // values; no bad one: the schema does not compile
	}{
		{"elsewhere in the document", "/schemas/0", `"a"`, `1`},
		{"in a resource of its own", "/schemas/1", `true`, `"a"`},
		{"one whose schema refers outside", "/schemas/2", "", ""},
		{"one that is not there", "/schemas/3", "", ""},
		{"beside a property of that name, and data", "/schemas/4", `{"$ref":"#pet"}`, `{"$anchor":1}`},
	}
	for range 2 { // what failed must fail again, what is good stay good
		for _, test := range tests {
			t.Run(test.name, func(t *testing.T) {
				s, err := set.Compile("d", test.pointer)
				if test.bad == "" {
					if err == nil {
						t.Fatal("no error")
					}
					return
				}
				if err != nil {
					t.Fatal(err)
				}
				if got := s.Validate(parse(t, test.good)); got != nil {
					t.Errorf("%s: %v", test.good, lines(got))
				}
				if got := s.Validate(parse(t, test.bad)); got == nil {
					t.Errorf("%s: no fault", test.bad)
				}
			})
		}
	}
}

func TestResourcesThatComeLater(t *testing.T) {
	set, err := schema.NewSet(schema.Resource{ID: "https://a.example/a", Root: parse(t, `{"properties":{"x":{"type":"string"}}}`)})
	if err != nil {
		t.Fatal(err)
	}
	first, err := set.Compile("https://a.example/a", "")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := set.Compile("https://a.example/b", ""); err == nil {
		t.Error("a resource that is not there compiled")
	}
	if err := set.Add(schema.Resource{ID: "https://a.example/b", Root: parse(t, `{"$ref":"a","required":["y"]}`)}); err != nil {
		t.Fatal(err)
	}
	second, err := set.Compile("https://a.example/b", "")
	if err != nil {
		t.Fatal(err)
	}
	body := parse(t, `{"x":1}`)
	if diff := cmp.Diff([]string{"/x: expected string, this is a number"}, lines(first.Validate(body))); diff != "" {
		t.Errorf("the first (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{": missing required property y", "/x: expected string, this is a number"}, lines(second.Validate(body))); diff != "" {
		t.Errorf("the second (-want +got):\n%s", diff)
	}
}

func TestSetIsSafeForConcurrentUse(t *testing.T) {
	set, err := schema.NewSet(schema.Resource{ID: "a", Root: parse(t, arazzoLike)})
	if err != nil {
		t.Fatal(err)
	}
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			s, err := set.Compile("a", "/workflows/0/inputs")
			if err != nil {
				t.Errorf("compile: %v", err)
				return
			}
			if got := s.Validate(value.Object(value.Member{Name: "order", Value: value.Int(10)})); len(got) != 1 {
				t.Errorf("got %v", lines(got))
			}
		})
	}
	wg.Wait()
}

func TestCompileOfWhatIsNoSchema(t *testing.T) {
	for _, text := range []string{`[]`, `1`, `"a"`, `null`, `{"$ref":1}`, `{"$id":"%%"}`, `{"enum":1}`, `{"minimum":"a"}`,
		`{"$schema":"http://nowhere.example/x"}`, `{"$dynamicRef":"#x"}`, `{"multipleOf":0}`, `{"$schema":5}`} {
		if _, err := schema.CompileBytes("test", []byte(text)); err == nil {
			t.Errorf("%s: no error", text)
		}
	}
}

func FuzzCompileAndValidate(f *testing.F) {
	f.Add(`{"type":"object","properties":{"a":{"$ref":"#"}}}`, `{"a":{"a":1}}`)
	f.Add(`{"anyOf":[{"type":"string"},{"minimum":1e5}]}`, `0`)
	f.Add(`{"$anchor":"x","not":{"$ref":"#x"}}`, `0`)
	f.Add(`{"uniqueItems":true,"enum":[1e99]}`, `[1,1]`)
	f.Fuzz(func(t *testing.T, schemaText, valueText string) {
		if len(schemaText)+len(valueText) > 4096 {
			t.Skip()
		}
		v, err := value.ParseJSON([]byte(valueText))
		if err != nil {
			t.Skip()
		}
		s, err := schema.CompileBytes("fuzz", []byte(schemaText))
		if err != nil {
			return
		}
		for _, fault := range s.Validate(v) {
			if fault.Message == "" {
				t.Errorf("a fault without a message: %+v", fault)
			}
		}
	})
}

func TestASchemaAgainstTheMetaSchema(t *testing.T) {
	const wantsSchema = `{"properties":{"inputs":{"$ref":"https://json-schema.org/draft/2020-12/schema"}}}`
	tests := []struct {
		name, value string
		want        []string
	}{
		{"a good one", `{"inputs":{"type":"object","properties":{"a":{"pattern":"(?=a)"}}}}`, nil},
		{"another type", `{"inputs":[]}`, []string{"/inputs: expected object or boolean, this is an array"}},
		{"no such type", `{"inputs":{"type":"strin"}}`,
			[]string{"/inputs/type: expected one of array, boolean, integer, null, number, object, string"}},
		{"an empty list of types", `{"inputs":{"type":[]}}`, []string{"/inputs/type: the list is empty"}},
		{"no pattern, which is not repeated", `{"inputs":{"pattern":"(secret"}}`, []string{"/inputs/pattern: not a valid regex"}},
		{"deep inside", `{"inputs":{"properties":{"a":{"items":{"required":true}}}}}`,
			[]string{"/inputs/properties/a/items/required: expected array, this is a boolean"}},
		{"a negative count", `{"inputs":{"minLength":-1}}`, []string{"/inputs/minLength: must be >= 0 but found -1"}},
	}
	s, err := schema.CompileBytes("test", []byte(wantsSchema))
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if diff := cmp.Diff(test.want, lines(s.Validate(parse(t, test.value)))); diff != "" {
				t.Errorf("faults (-want +got):\n%s", diff)
			}
		})
	}
}
