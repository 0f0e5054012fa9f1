package reason_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/weft-flow/weft/arazzo/value"
	"github.com/weft-flow/weft/lint/reason"
)

func TestTypes(t *testing.T) {
	tests := []struct {
		name, schema, want string
		old                bool
	}{
		{name: "anything", schema: `{}`, want: "anything"},
		{name: "the schema true", schema: `true`, want: "anything"},
		{name: "the schema false", schema: `false`, want: "nothing"},
		{name: "one type", schema: `{"type": "integer"}`, want: "integer"},
		{name: "a number may be an integer", schema: `{"type": "number"}`, want: "number"},
		{name: "several types", schema: `{"type": ["string", "null"]}`, want: "string or null"},
		{name: "a type that nobody knows says nothing", schema: `{"type": "file"}`, want: "anything"},
		{name: "a reference", schema: `{"$ref": "#/$defs/a", "$defs": {"a": {"type": "boolean"}}}`, want: "boolean"},
		{name: "beside a reference", schema: `{"$ref": "#/$defs/a", "type": "string", "$defs": {"a": {"type": ["string", "null"]}}}`, want: "string"},
		{name: "beside a reference before 2020-12", schema: `{"$ref": "#/x", "type": "string", "x": {"type": "array"}}`, old: true, want: "array"},
		{name: "a reference to itself", schema: `{"$ref": "#"}`, want: "anything"},
		{name: "a reference that leads nowhere", schema: `{"$ref": "#/none"}`, want: "anything"},
		{name: "all of", schema: `{"allOf": [{"type": ["string", "integer"]}, {"type": ["integer", "null"]}]}`, want: "integer"},
		{name: "all of what cannot be together", schema: `{"allOf": [{"type": "string"}, {"type": "integer"}]}`, want: "nothing"},
		{name: "one of", schema: `{"oneOf": [{"type": "string"}, {"type": "array"}]}`, want: "string or array"},
		{name: "any of within a type", schema: `{"type": "string", "anyOf": [{"minLength": 1}, {"type": "array"}]}`, want: "string"},
		{name: "nullable", schema: `{"type": "string", "nullable": true}`, old: true, want: "string or null"},
		{name: "nullable is no word of 2020-12", schema: `{"type": "string", "nullable": true}`, want: "string"},
		{name: "nullable around all of", schema: `{"nullable": true, "allOf": [{"type": "string"}]}`, old: true, want: "string or null"},
		{name: "listed values", schema: `{"enum": ["a", 1, null]}`, want: "string or integer or null"},
		{name: "listed values of another type", schema: `{"type": "integer", "enum": ["a"]}`, want: "nothing"},
		{name: "a constant", schema: `{"const": true}`, want: "boolean"},
		{name: "a number with a fraction", schema: `{"const": 1.5}`, want: "number"},
		{name: "conditions only narrow", schema: `{"type": "string", "if": {}, "then": {"type": "array"}}`, want: "string"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			p := placeOf(t, test.schema)
			p.old = test.old
			if got := reason.Of(p).Types().String(); got != test.want {
				t.Errorf("got %s, want %s", got, test.want)
			}
		})
	}
}

func TestValues(t *testing.T) {
	tests := []struct{ name, schema, want string }{
		{"no list", `{"type": "string"}`, "open"},
		{"a list", `{"type": "string", "enum": ["a", "b"]}`, `"a" "b"`},
		{"of another type left out", `{"type": "string", "enum": ["a", 1]}`, `"a"`},
		{"two lists", `{"allOf": [{"enum": ["a", "b"]}, {"enum": ["b", "c"]}]}`, `"b"`},
		{"alternatives", `{"oneOf": [{"const": "a"}, {"enum": ["a", "b"]}]}`, `"a" "b"`},
		{"an open alternative", `{"oneOf": [{"const": "a"}, {"type": "string"}]}`, "open"},
		{"a boolean", `{"type": "boolean"}`, "true false"},
		{"nothing known", `{}`, "open"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if got := listed(parse(t, test.schema)); got != test.want {
				t.Errorf("got %s, want %s", got, test.want)
			}
		})
	}
	if got := listed(parse30(t, `{"type": "string", "enum": ["a"], "nullable": true}`)); got != `"a" null` {
		t.Errorf("nullable: got %s", got)
	}
}

func listed(s reason.Schema) string {
	values, ok := s.Values()
	if !ok {
		return "open"
	}
	var words []string
	for _, v := range values {
		words = append(words, v.String())
	}
	return strings.Join(words, " ")
}

func TestPath(t *testing.T) {
	const order = `{"type": "object", "properties": {"id": {"type": "string"}, "items": {"type": "array", "items": {"type": "object", "properties": {"sku": {"type": "integer"}}}}}}`
	const closed = `{"type": "object", "additionalProperties": false, "properties": {"id": {"type": "string"}}}`
	tests := []struct{ name, schema, path, want string }{
		{"declared", order, "/id", "declared string"},
		{"within a list", order, "/items/0/sku", "declared integer"},
		{"a list has no names", order, "/items/first", "impossible at 1"},
		{"in a scalar", order, "/id/x", "impossible at 1"},
		{"not named", order, "/total", "undeclared at 0"},
		{"not named in a list", order, "/items/3/price", "undeclared at 2"},
		{"closed", closed, "/total", "impossible at 0"},
		{"nothing named", `{"type": "object"}`, "/total", "unknown anything"},
		{"nothing known", `{}`, "/a/0/b", "unknown anything"},
		{"open by word", `{"properties": {"id": {}}, "additionalProperties": true}`, "/total", "unknown anything"},
		{"a map", `{"additionalProperties": {"type": "integer"}}`, "/total", "unknown integer"},
		{"a pattern", `{"properties": {"id": {}}, "patternProperties": {"^x-": {"type": "string"}}, "additionalProperties": false}`, "/x-a", "unknown string"},
		{"no pattern fits", `{"patternProperties": {"^x-": {}}, "additionalProperties": false}`, "/y", "impossible at 0"},
		{"a pattern that Go does not read", `{"properties": {"id": {}}, "patternProperties": {"(?=a)": {}}, "additionalProperties": false}`, "/y", "unknown anything"},
		{"all of", `{"allOf": [{"properties": {"a": {"type": "string"}}}, {"properties": {"b": {"type": "integer"}}}]}`, "/b", "declared integer"},
		{"all of, named in neither", `{"allOf": [{"properties": {"a": {}}}, {"properties": {"b": {}}}]}`, "/c", "undeclared at 0"},
		{"all of, closed by mistake", `{"allOf": [{"properties": {"a": {}}, "additionalProperties": false}, {"properties": {"b": {"type": "integer"}}}]}`, "/b", "declared integer"},
		{"one of", `{"oneOf": [{"properties": {"a": {"type": "string"}}}, {"properties": {"b": {"type": "integer"}}}]}`, "/b", "declared integer"},
		{"one of, all closed", `{"oneOf": [` + closed + `, {"type": "null"}]}`, "/b", "impossible at 0"},
		{"one of, one free", `{"oneOf": [` + closed + `, {"type": "object"}]}`, "/b", "unknown anything"},
		{"unevaluated", `{"allOf": [{"properties": {"a": {}}}], "properties": {"b": {}}, "unevaluatedProperties": false}`, "/c", "impossible at 0"},
		{"unevaluated, named by a part", `{"allOf": [{"properties": {"a": {"type": "string"}}}], "unevaluatedProperties": false}`, "/a", "declared string"},
		{"a condition may bring more", `{"properties": {"a": {}}, "if": {}, "then": {"properties": {"b": {}}}}`, "/b", "unknown anything"},
		{"a discriminator stands for others", `{"properties": {"kind": {}}, "discriminator": {"propertyName": "kind"}}`, "/b", "unknown anything"},
		{"a dynamic reference may bring more", `{"properties": {"a": {}}, "$dynamicRef": "#x"}`, "/b", "unknown anything"},
		{"what was not found may bring more", `{"properties": {"a": {}}, "$ref": "#/none"}`, "/b", "unknown anything"},
		{"named and narrowed by a map", `{"properties": {"a": {"type": ["string", "null"]}}, "allOf": [{"additionalProperties": {"type": "string"}}]}`, "/a", "declared string"},
		{"positions", `{"type": "array", "prefixItems": [{"type": "string"}, {"type": "integer"}]}`, "/1", "declared integer"},
		{"beyond positions", `{"type": "array", "prefixItems": [{}], "items": false}`, "/1", "impossible at 0"},
		{"beyond the greatest length", `{"type": "array", "maxItems": 2, "items": {}}`, "/2", "impossible at 0"},
		{"recursive", `{"properties": {"next": {"$ref": "#"}, "id": {"type": "string"}}}`, "/next/next/id", "declared string"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			pointer, err := value.ParsePointer(test.path)
			if err != nil {
				t.Fatal(err)
			}
			if got := follow(parse(t, test.schema), pointer); got != test.want {
				t.Errorf("got %s, want %s", got, test.want)
			}
		})
	}
}

func follow(s reason.Schema, pointer value.Pointer) string {
	found, presence, at := s.Path(pointer)
	switch presence {
	case reason.Declared:
		return "declared " + found.Types().String()
	case reason.Unknown:
		return "unknown " + found.Types().String()
	case reason.Undeclared:
		return fmt.Sprint("undeclared at ", at)
	default:
		return fmt.Sprint("impossible at ", at)
	}
}

func TestPathsIntoKnownValues(t *testing.T) {
	v, err := value.ParseJSON([]byte(`{"a": [1, {"b": "x"}]}`))
	if err != nil {
		t.Fatal(err)
	}
	s := reason.OfValue(v)
	if got := follow(s, value.Pointer{"a", "1", "b"}); got != "declared string" {
		t.Errorf("got %s", got)
	}
	if got := follow(s, value.Pointer{"a", "2"}); got != "impossible at 1" {
		t.Errorf("got %s", got)
	}
}

func TestRequired(t *testing.T) {
	tests := []struct{ name, schema, want string }{
		{"none", `{}`, ""},
		{"some", `{"required": ["a", "b"]}`, "a b"},
		{"of all parts", `{"required": ["a"], "allOf": [{"required": ["b"]}]}`, "a b"},
		{"of every alternative", `{"oneOf": [{"required": ["a", "b"]}, {"required": ["b", "c"]}, {"type": "null"}]}`, "b"},
		{"written by the other side", `{"required": ["a", "b"], "properties": {"a": {"readOnly": true}}}`, "b"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if got := strings.Join(parse(t, test.schema).Required(), " "); got != test.want {
				t.Errorf("got %q, want %q", got, test.want)
			}
		})
	}
}

// TestHostileSchemas holds that what multiplies is given up in time.
func TestHostileSchemas(t *testing.T) {
	branches := strings.TrimSuffix(strings.Repeat(`{"$ref": "#"},`, 40), ",")
	two := `{"anyOf": [{"type": "string"}, {"type": "integer"}]}`
	for name, text := range map[string]string{
		"itself in many branches": `{"anyOf": [` + branches + `]}`,
		"itself in all of many":   `{"allOf": [` + branches + `], "oneOf": [` + branches + `]}`,
		"many alternatives":       `{"allOf": [` + strings.TrimSuffix(strings.Repeat(two+",", 40), ",") + `]}`,
		"deep":                    strings.Repeat(`{"allOf": [`, 300) + `{"type": "string"}` + strings.Repeat(`]}`, 300),
	} {
		t.Run(name, func(t *testing.T) {
			s := parse(t, text)
			s.Step("a")
			s.Values()
			if s.IsImpossible() {
				t.Error("nothing can be known, and it is called impossible")
			}
		})
	}
}

// A step that was taken before costs nothing: many rules ask for the same ways.
func TestStepsAreTakenOnce(t *testing.T) {
	s := parse(t, `{"properties": {"a": {"allOf": [{"properties": {"b": {"type": "string"}}}, {"type": "object"}]}}}`)
	way := []string{"a", "b"}
	if found, _, _ := s.Path(way); found.Types() != reason.String {
		t.Fatalf("got %v", found.Types())
	}
	if n := testing.AllocsPerRun(10, func() { s.Path(way) }); n > 0 {
		t.Errorf("a way that is known takes %v allocations", n)
	}
}
