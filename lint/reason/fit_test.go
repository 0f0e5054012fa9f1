package reason_test

import (
	"testing"

	"github.com/weft-flow/weft/lint/reason"
)

func TestDisjoint(t *testing.T) {
	const object = `{"type": "object", "required": ["id"], "properties": {"id": {"type": "string"}}}`
	tests := []struct {
		name, a, b string
		want       bool
	}{
		{"the same type", `{"type": "string"}`, `{"type": "string", "minLength": 3}`, false},
		{"other types", `{"type": "string"}`, `{"type": "integer"}`, true},
		{"an integer is a number", `{"type": "integer"}`, `{"type": "number"}`, false},
		{"a type in common", `{"type": ["string", "null"]}`, `{"type": ["integer", "null"]}`, false},
		{"anything", `{}`, `{"type": "integer"}`, false},
		{"no value in common", `{"enum": ["a", "b"]}`, `{"enum": ["c"]}`, true},
		{"a value in common", `{"enum": ["a", "b"]}`, `{"type": "string"}`, false},
		{"a required property of another type", object, `{"type": "object", "required": ["id"], "properties": {"id": {"type": "integer"}}}`, true},
		{"a property of another type that may be missing", `{"type": "object", "properties": {"id": {"type": "integer"}}}`, `{"type": "object", "properties": {"id": {"type": "string"}}}`, false},
		{"a property that the other does not take", object, `{"type": "object", "additionalProperties": false, "properties": {"name": {}}}`, true},
		{"one of several fits", object, `{"oneOf": [{"type": "array"}, {"type": "object"}]}`, false},
		{"recursive objects", `{"type": "object", "required": ["n"], "properties": {"n": {"$ref": "#"}}}`, `{"type": "object", "required": ["n"], "properties": {"n": {"$ref": "#"}}}`, false},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			a, b := parse(t, test.a), parse(t, test.b)
			if got := reason.Disjoint(a, b); got != test.want {
				t.Errorf("got %t, want %t", got, test.want)
			}
			if got := reason.Disjoint(b, a); got != test.want {
				t.Errorf("the other way round: got %t, want %t", got, test.want)
			}
		})
	}
	if reason.Disjoint(reason.Schema{}, parse(t, `false`)) {
		t.Error("of what is not known nothing can be said")
	}
}

func TestTextDisjoint(t *testing.T) {
	tests := []struct {
		name, from, into string
		want             bool
	}{
		{"a boolean for an integer", `{"type": "boolean"}`, `{"type": "integer"}`, true},
		{"a boolean for a text", `{"type": "boolean"}`, `{"type": "string"}`, false},
		{"a text may write a number", `{"type": "string"}`, `{"type": "integer"}`, false},
		{"a number for a text", `{"type": "number"}`, `{"type": "string", "format": "uuid"}`, false},
		{"an integer for a number", `{"type": "integer"}`, `{"type": "number"}`, false},
		{"a number may be whole", `{"type": "number"}`, `{"type": "integer"}`, false},
		{"a number for a boolean", `{"type": "number"}`, `{"type": "boolean"}`, true},
		{"one element of a list", `{"type": "integer"}`, `{"type": "array", "items": {"type": "integer"}}`, false},
		{"one element of another type", `{"type": "boolean"}`, `{"type": "array", "items": {"type": "integer"}}`, true},
		{"a list of one for its element", `{"type": "array", "items": {"type": "integer"}}`, `{"type": "integer"}`, false},
		{"a list of others", `{"type": "array", "items": {"type": "boolean"}}`, `{"type": "integer"}`, true},
		{"a list for a text", `{"type": "array"}`, `{"type": "string"}`, false},
		{"an object for an integer", `{"type": "object"}`, `{"type": "integer"}`, true},
		{"an integer for an object", `{"type": "integer"}`, `{"type": "object"}`, true},
		{"null is left out", `{"type": ["boolean", "null"]}`, `{"type": "integer"}`, false},
		{"values whose text is none of the others", `{"enum": [1, 2]}`, `{"enum": ["3"]}`, true},
		{"values whose text is one of the others", `{"enum": [1, 2]}`, `{"enum": ["2"]}`, false},
		{"nothing known", `{}`, `{"type": "integer"}`, false},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if got := reason.TextDisjoint(parse(t, test.from), parse(t, test.into)); got != test.want {
				t.Errorf("got %t, want %t", got, test.want)
			}
		})
	}
}
