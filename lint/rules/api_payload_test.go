package rules_test

import (
	"strings"
	"testing"
)

func TestBodiesOfCalls(t *testing.T) {
	post := func(body string) string {
		return "post:\n  operationId: call\n  parameters: [{name: id, in: path, required: true, schema: {type: string}}]\n" + indent(body, 2) + indent(anyAnswer, 2)
	}
	json := func(schema string) string {
		return post("requestBody: {required: true, content: {application/json: {schema: " + schema + "}}}")
	}
	form := func(schema string) string {
		return post("requestBody: {content: {application/x-www-form-urlencoded: {schema: {type: object, " + schema + "}}}}")
	}
	step := func(body string) string {
		return "parameters: [{name: id, in: path, value: a}]\nrequestBody: {" + body + "}"
	}
	const card = "{type: object, additionalProperties: false, required: [kind, number], properties: {kind: {const: card}, number: {type: string}}}"
	const bank = "{type: object, additionalProperties: false, required: [kind, iban], properties: {kind: {const: bank}, iban: {type: string}}}"
	const node = "{$ref: '#/components/schemas/Node'}"
	const nodes = "components: {schemas: {Node: {type: object, required: [id], properties: {id: {type: string}, child: {$ref: '#/components/schemas/Node'}}}}}"
	tests := []apiTest{
		{name: "a type that is not taken", api: json("{}"), step: step("contentType: text/plain, payload: a"),
			want: `error content-type-known: operation "call" takes no body of text/plain, but application/json`},
		{name: "a range", api: post("requestBody: {content: {'text/*': {}}}"), step: step("contentType: text/plain, payload: a")},
		{name: "parameters of a type", api: json("{}"), step: step("contentType: application/json;charset=utf-8, payload: {}")},
		{name: "none of several is said", api: post("requestBody: {content: {text/plain: {}, text/html: {}}}"), step: step("payload: a"),
			want: `error content-type-known: operation "call" takes text/plain or text/html: the contentType must say which of them is sent`},
		{name: "JSON of several", api: post("requestBody: {content: {text/plain: {}, application/json: {}}}"), step: step("payload: {}")},
		{name: "a body that was not found", api: post("requestBody: {$ref: 'other.yaml#/b'}"), step: step("contentType: text/plain, payload: a")},
		{name: "no payload", api: json("{}"), step: step("contentType: application/json"),
			want: `error body-required: operation "call" requires a body, and there is no payload`},
		{name: "no body, and a refusal is expected", api: json("{}"), step: "parameters: [{name: id, in: path, value: a}]\nsuccessCriteria: [{condition: $statusCode >= 400}]",
			want: `warn body-required: operation "call" requires a body, which the step does not send`},
		{name: "constant", api: json("{type: object, required: [a], properties: {a: {type: integer}}}"), step: step("payload: {a: 1, b: 2}")},
		{name: "missing", api: json("{type: object, required: [a]}"), step: step("payload: {}"),
			want: `error payload-schema: the body of operation "call": missing required property a`},
		{name: "missing, since only the server writes it", api: json("{type: object, required: [a], properties: {a: {readOnly: true}}}"), step: step("payload: {b: $inputs.b}"), inputs: "b: {}"},
		{name: "beside an expression", api: json("{type: object, properties: {a: {type: integer}, b: {type: array, items: {type: string}}}}"),
			step: step("payload: {a: x, b: [$inputs.b, 7], c: 1}"), inputs: "b: {}",
			want: "error payload-schema: the body of operation \"call\": expected integer, this is a string\n" +
				`error payload-schema: the body of operation "call": expected string, this is a number`},
		{name: "an object where none is taken", api: json("{type: object, properties: {a: {type: string}}}"), step: step("payload: {a: {x: $inputs.b}}"), inputs: "b: {}",
			want: `error payload-schema: the body of operation "call": expected a string, this is an object`},
		{name: "one of several", api: json("{oneOf: [" + card + ", " + bank + "]}"), step: step("payload: {kind: bank, iban: $inputs.b}"), inputs: "b: {type: string}"},
		{name: "the nearest of several", api: json("{oneOf: [" + card + ", " + bank + "]}"), step: step("payload: {kind: bank, ibn: $inputs.b}"), inputs: "b: {type: string}",
			want: "error payload-schema: the body of operation \"call\": missing required property \"iban\"\n" +
				`error payload-schema: the body of operation "call": unknown property "ibn"; did you mean "iban"?`},
		{name: "recursive", api: json(node), root: nodes, step: step("payload: {id: $inputs.b, child: {id: a, child: {id: 1}}}"), inputs: "b: {type: string}",
			want: `error payload-schema: the body of operation "call": expected string, this is a number`},
		{name: "flow into JSON is strict", api: json("{type: object, properties: {a: {type: integer}}}"), step: step("payload: {a: $inputs.b}"), inputs: "b: {type: string}",
			want: `error type-flow: $inputs.b is a string, and /a in the body of operation "call" takes an integer`},
		{name: "flow of a whole payload", api: json("{type: object}"), step: step("payload: $inputs.b"), inputs: "b: {type: array}",
			want: `error type-flow: $inputs.b is an array, and the body of operation "call" takes an object`},
		{name: "a number may be whole", api: json("{type: object, properties: {a: {type: integer}}}"), step: step("payload: {a: $inputs.b}"), inputs: "b: {type: number}"},
		{name: "nullable", api: json("{type: object, properties: {a: {type: integer, nullable: true}}}"), root: strings.Replace(descriptionHead, "3.1.0", "3.0.3", 1), step: step("payload: {a: null, b: $inputs.b}"), inputs: "b: {}"},
		{name: "text that is no JSON", api: json("{type: object}"), step: step("payload: 'a=1'"),
			want: `error payload-schema: the body of operation "call": the payload is no JSON: expected a value at byte 0`},
		{name: "text with something embedded", api: json("{type: object}"), step: step("payload: '{\"a\": {$inputs.b}}'"), inputs: "b: {}"},
		{name: "text as written", api: json("{type: object, required: [a]}"), step: step("payload: '{\"b\": 1}'"),
			want: `error payload-schema: the body of operation "call": missing required property a`},
		{name: "text that is no JSON before what is embedded", api: json("{type: object}"), step: step("payload: '{''a'': {$inputs.b}}'"), inputs: "b: {}",
			want: `error payload-schema: the body of operation "call": the payload is no JSON: expected a member's name in double quotes at byte 1`},
		{name: "text that may be JSON with what is embedded", api: json("{type: object}"), step: step("payload: '{\"a\": {$inputs.b}'"), inputs: "b: {}"},
		{name: "text with something embedded that lacks a member", api: json("{type: object, required: [a]}"), step: step("payload: '{\"b\": {$inputs.b}}'"), inputs: "b: {}",
			want: `error payload-schema: the body of operation "call": missing required property "a"`},
		{name: "text whose names are embedded", api: json("{type: object, required: [a]}"), step: step("payload: '{\"{$inputs.b}\": 1}'"), inputs: "b: {}"},
		{name: "text whose members are embedded", api: json("{type: object, required: [a]}"), step: step("payload: '{{$inputs.b}}'"), inputs: "b: {}"},
		{name: "text with a constant of the wrong value", api: json("{type: object, properties: {a: {}, k: {enum: [x, y]}}}"), step: step("payload: '{\"a\": {$inputs.b}, \"k\": \"z\"}'"), inputs: "b: {}",
			want: `error payload-schema: the body of operation "call": expected one of x, y`},
		{name: "text with an unknown property", api: json("{type: object, additionalProperties: false, properties: {a: {}}}"), step: step("payload: '[{$inputs.b}]'"), inputs: "b: {}",
			want: `error payload-schema: the body of operation "call": expected an object, this is an array`},
		{name: "flow of what stands alone in text", api: json("{type: object, properties: {a: {type: integer}}}"), step: step("payload: '{\"a\": {$inputs.b}}'"), inputs: "b: {type: boolean}",
			want: `error type-flow: $inputs.b is a boolean, and /a in the body of operation "call" takes an integer`},
		{name: "flow of a number that stands alone in text", api: json("{type: object, properties: {a: {type: integer}}}"), step: step("payload: '{\"a\": {$inputs.b}}'"), inputs: "b: {type: integer}"},
		{name: "flow of a text that may write a number", api: json("{type: object, properties: {a: {type: integer}}}"), step: step("payload: '{\"a\": {$inputs.b}}'"), inputs: "b: {type: string}"},
		{name: "flow of what stands in quotes", api: json("{type: object, properties: {a: {type: integer}}}"), step: step("payload: '{\"a\": \"{$inputs.b}\"}'"), inputs: "b: {type: integer}",
			want: `error type-flow: {$inputs.b} is a string, and /a in the body of operation "call" takes an integer`},
		{name: "an expression of text that is none there", api: json("{type: object, properties: {a: {type: string}}}"), step: step("payload: '{\"a\": \"$inputs.b\", \"c\": \"{$inputs.b}\"}'"), inputs: "b: {type: integer}"},
		{name: "text that replacements mend", api: json("{type: object, required: [a, b], properties: {b: {type: integer}}}"), step: step("payload: '{\"a\": {$inputs.b}, \"b\": \"x\"}', replacements: [{target: /b, value: 2}]"), inputs: "b: {}"},
		{name: "text as a form", api: post("requestBody: {content: {application/x-www-form-urlencoded: {schema: {type: object, required: [a]}}}}"), step: step("payload: '{\"b\": 1}'")},
		{name: "a replacement gives what is missing", api: json("{type: object, required: [a, b]}"), step: step("payload: {a: 1}, replacements: [{target: /b, value: 2}]")},
		{name: "a replacement that may be anywhere", api: json("{type: object, required: [a, b]}"), step: step("payload: {a: 1}, replacements: [{target: '$.b', targetSelectorType: jsonpath, value: 2}]")},
		{name: "a replacement elsewhere", api: json("{type: object, required: [a, b]}"), step: step("payload: {a: 1}, replacements: [{target: /c, value: 2}]"),
			want: `error payload-schema: the body of operation "call": missing required property b`},
		{name: "a replacement of the wrong type", api: json("{type: object, properties: {b: {type: integer}}}"), step: step("payload: {b: 1}, replacements: [{target: /b, value: many}]"),
			want: `error payload-schema: the body of operation "call": expected integer, this is a string`},
		{name: "a replacement that is replaced", api: json("{type: object, properties: {b: {type: integer}}}"), step: step("payload: {b: 1}, replacements: [{target: /b, value: many}, {target: /b, value: 2}]")},
		{name: "a replacement that writes a number as text", api: json("{type: object, properties: {b: {type: integer}}}"), step: step("payload: {b: 1}, replacements: [{target: /b, value: '2'}]")},
		{name: "a replacement of what cannot be", api: json("{type: object, additionalProperties: false, properties: {b: {type: integer}}}"), step: step("payload: {b: 1}, replacements: [{target: /c, value: 2}]"),
			want: `error payload-schema: the body of operation "call": unknown property "c"; its properties: b`},
		{name: "flow into a replacement", api: json("{type: object, properties: {a: {type: integer}}}"), step: step("payload: {a: 1}, replacements: [{target: /a, value: $inputs.b}]"), inputs: "b: {type: string}",
			want: `error type-flow: $inputs.b is a string, and /a in the body of operation "call" takes an integer`},
		{name: "a form that lacks a field", api: form("required: [a, b], properties: {a: {type: integer}}"), step: step("payload: {a: 1}"),
			want: `error payload-schema: the body of operation "call": missing required property "b"`},
		{name: "a form with a text for a number", api: form("properties: {a: {type: integer}, b: {type: string}}"), step: step("payload: {a: few, b: 3}"),
			want: `error payload-schema: the body of operation "call": expected an integer, this is "few"`},
		{name: "a form with a value that is not listed", api: form("properties: {a: {enum: [x, y]}}"), step: step("payload: {a: z}"),
			want: `error payload-schema: the body of operation "call": expected one of x, y`},
		{name: "a form with an unknown field", api: form("additionalProperties: false, properties: {name: {type: string}}"), step: step("payload: {nmae: z}"),
			want: `error payload-schema: the body of operation "call": unknown property "nmae"; did you mean "name"?`},
		{name: "a form as texts", api: form("properties: {a: {type: integer}, b: {type: boolean}, c: {enum: [1, 2]}, d: {type: array, items: {type: integer}}, e: {type: integer}}"),
			step: step("payload: {a: '1', b: 'on', c: '2', d: 7, e: ''}")},
		{name: "a form with files that lacks a field", api: post("requestBody: {content: {multipart/form-data: {schema: {type: object, required: [file, title]}}}}"), step: step("payload: {file: $inputs.b}"), inputs: "b: {type: string}",
			want: `error payload-schema: the body of operation "call": missing required property "title"`},
		{name: "a form", api: post("requestBody: {content: {application/x-www-form-urlencoded: {schema: {type: object, required: [a, b], properties: {a: {type: integer}}}}}}"),
			step: step("payload: {a: '5', c: $inputs.b}"), inputs: "b: {}",
			want: `error payload-schema: the body of operation "call": missing required property "b"`},
		{name: "other content", api: post("requestBody: {content: {text/plain: {schema: {type: integer}}}}"), step: step("payload: a")},
		{name: "a schema that was not found", api: json("{allOf: [{$ref: 'other.yaml#/s'}, {type: object, properties: {a: {}}}]}"), step: step("payload: {b: $inputs.b}"), inputs: "b: {}"},
		{name: "a refusal is expected", api: json("{type: object, required: [a]}"), step: step("payload: {}") + "\nsuccessCriteria: [{condition: $statusCode == 400}]",
			want: `warn payload-schema: the body of operation "call": missing required property a`},
	}
	for _, test := range tests {
		t.Run(test.name, test.run)
	}
}
