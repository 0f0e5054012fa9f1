package rules_test

import (
	"strings"
	"testing"
)

func TestValuesOfParameters(t *testing.T) {
	get := func(schema string) string {
		return "get:\n  operationId: call\n  parameters:\n    - {name: id, in: path, required: true, schema: {type: string}}\n    - {name: q, in: query, " + schema + "}\n" + indent(anyAnswer, 2)
	}
	step := func(v string) string {
		return "parameters: [{name: id, in: path, value: a}, {name: q, in: query, value: " + v + "}]"
	}
	tests := []apiTest{
		{name: "a number for a text", api: get("schema: {type: string}"), step: step("5")},
		{name: "a text that writes a number", api: get("schema: {type: integer}"), step: step("'5'")},
		{name: "a text that writes none", api: get("schema: {type: integer}"), step: step("five"),
			want: `error parameter-schema: the query parameter "q" of operation "call": expected integer, this is a string`},
		{name: "a boolean for an integer", api: get("schema: {type: integer}"), step: step("true"),
			want: `error parameter-schema: the query parameter "q" of operation "call": expected integer, this is a boolean`},
		{name: "null is left out", api: get("schema: {type: integer}"), step: step("null")},
		{name: "nullable", api: get("schema: {type: integer, nullable: true}"), root: strings.Replace(descriptionHead, "3.1.0", "3.0.3", 1), step: step("7")},
		{name: "one element", api: get("schema: {type: array, items: {type: integer}}"), step: step("5")},
		{name: "joined elements", api: get("schema: {type: array, items: {type: integer}}"), step: step("'5,6'")},
		{name: "a list", api: get("schema: {type: array, items: {type: integer}}"), step: step("[5, '6']")},
		{name: "a list of others", api: get("schema: {type: array, items: {type: integer}}"), step: step("[5, six]"),
			want: `error parameter-schema: the query parameter "q" of operation "call": at /1: expected integer, this is a string`},
		{name: "an object", api: get("schema: {type: object, properties: {a: {type: integer}}}"), step: step("{a: 5, b: x}")},
		{name: "a list for a text", api: get("schema: {type: string}"), step: step("[a, b]")},
		{name: "JSON", api: get("content: {application/json: {schema: {type: object, required: [a]}}}"), step: step(`'{"a": 1}'`)},
		{name: "JSON that breaks the schema", api: get("content: {application/json: {schema: {type: object, required: [a]}}}"), step: step(`'{"b": 1}'`),
			want: `error parameter-schema: the query parameter "q" of operation "call": missing required property a`},
		{name: "no schema", api: get("description: d"), step: step("5")},
		{name: "a schema that was not found", api: get("schema: {$ref: 'other.yaml#/q'}"), step: step("5")},
		{name: "a refusal is expected", api: get("schema: {type: integer}"), step: step("five") + "\nsuccessCriteria: [{condition: $statusCode == 422}]",
			want: `warn parameter-schema: the query parameter "q" of operation "call": expected integer, this is a string` + "\n" +
				`warn status-declared: operation "call" describes no response 422; it describes 200`},
		{name: "text with something embedded", api: get("schema: {type: integer}"), step: step("'{$inputs.a}'"), inputs: "a: {type: boolean}"},
		{name: "an input of another type", api: get("schema: {type: integer}"), step: step("$inputs.a"), inputs: "a: {type: boolean}",
			want: `error type-flow: $inputs.a is a boolean, and the query parameter "q" of operation "call" takes an integer`},
		{name: "an input of any type", api: get("schema: {type: integer}"), step: step("$inputs.a"), inputs: "a: {}"},
		{name: "an input that may be null", api: get("schema: {type: integer}"), step: step("$inputs.a"), inputs: "a: {type: [boolean, 'null']}"},
		{name: "an input of a text for a number", api: get("schema: {type: integer}"), step: step("$inputs.a"), inputs: "a: {type: string}"},
		{name: "no value of a list fits", api: get("schema: {enum: [up, down]}"), step: step("$inputs.a"), inputs: "a: {enum: [left, right]}",
			want: `error type-flow: $inputs.a is a string, and the query parameter "q" of operation "call" takes none of its values`},
		{name: "a value of a list fits", api: get("schema: {enum: [up, down]}"), step: step("$inputs.a"), inputs: "a: {enum: [left, up]}"},
		{name: "a part of an input", api: get("schema: {type: integer}"), step: step("$inputs.a#/b"), inputs: "a: {type: object, properties: {b: {type: object}}}",
			want: `error type-flow: $inputs.a#/b is an object, and the query parameter "q" of operation "call" takes an integer`},
		{name: "the status", api: get("schema: {type: boolean}"), step: step("$statusCode"),
			want: `error type-flow: $statusCode is an integer, and the query parameter "q" of operation "call" takes a boolean`},
	}
	for _, test := range tests {
		t.Run(test.name, test.run)
	}
}
