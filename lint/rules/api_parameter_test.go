package rules_test

import "testing"

func TestParametersOfCalls(t *testing.T) {
	id := "{name: id, in: path, value: a}"
	path := "parameters: [{name: id, in: path, required: true, schema: {type: string}}]\n"
	get := func(parameters string) string {
		return path + "get:\n  operationId: call\n  parameters: [" + parameters + "]\n" + indent(anyAnswer, 2)
	}
	tests := []apiTest{
		{name: "those of the path item count", api: get(""), step: "parameters: [" + id + "]"},
		{name: "a path parameter that is only in the template", api: "get:\n  operationId: call\n" + indent(anyAnswer, 2), step: "parameters: [" + id + "]"},
		{name: "not declared", api: get(""), step: "parameters: [" + id + ", {name: colour, in: query, value: red}]",
			want: `error parameter-known: operation "call" has no query parameter "colour"; there are none`},
		{name: "Authorization", api: get(""), step: "parameters: [" + id + ", {name: authorization, in: header, value: red}]"},
		{name: "headers of HTTP", api: get(""), step: "parameters: [" + id + ", {name: If-Match, in: header, value: red}, {name: Accept, in: header, value: a/b}]"},
		{name: "a key that is not declared", api: get(""), step: "parameters: [" + id + ", {name: Idempotency-Key, in: header, value: '{$inputs.k}'}]", inputs: "k: {type: string}"},
		{name: "what a security scheme names", api: get(""),
			root: "components: {securitySchemes: {a: {type: apiKey, in: query, name: api_key}, b: {type: apiKey, in: header, name: X-Api-Key}, session: {type: http, scheme: bearer}}}",
			step: "parameters: [" + id + ", {name: api_key, in: query, value: k}, {name: x-api-key, in: header, value: k}, {name: session, in: cookie, value: k}]"},
		{name: "a header in another case", api: get("{name: X-Mine, in: header, required: true, schema: {type: string}}"),
			step: "parameters: [" + id + ", {name: x-mine, in: header, value: a}]"},
		{name: "a query parameter in another case", api: get("{name: page, in: query, schema: {type: integer}}"),
			step: "parameters: [" + id + ", {name: Page, in: query, value: 1}]",
			want: `error parameter-known: operation "call" has no query parameter "Page"; did you mean "page"?`},
		{name: "members of an object that is spread", api: get("{name: filter, in: query, required: true, schema: {type: object}}"),
			step: "parameters: [" + id + ", {name: colour, in: query, value: red}]"},
		{name: "members of a deep object", api: get("{name: filter, in: query, required: true, style: deepObject, explode: true, schema: {type: object}}"),
			step: "parameters: [" + id + ", {name: 'filter[colour]', in: query, value: red}]"},
		{name: "a declaration that was not found", api: get("{$ref: 'other.yaml#/p'}"),
			step: "parameters: [" + id + ", {name: colour, in: query, value: red}]"},
		{name: "the whole query", api: get("{name: page, in: query, required: true, schema: {type: integer}}"),
			step: "parameters: [" + id + ", {name: q, in: querystring, value: page=1}]"},
		{name: "in another place", api: get("{name: page, in: query, schema: {type: integer}}"),
			step: "parameters: [" + id + ", {name: page, in: header, value: 1}]",
			want: `error parameter-location: operation "call" takes the parameter "page" in query, not in header`},
		{name: "a required one in another place is told once", api: get(""), step: "parameters: [{name: id, in: query, value: a}]",
			want: `error parameter-location: operation "call" takes the parameter "id" in path, not in query`},
		{name: "a required one that is misspelt is told once", api: get(""), step: "parameters: [{name: ID, in: path, value: a}]",
			want: `error parameter-known: operation "call" has no path parameter "ID"; did you mean "id"?`},
		{name: "required", api: get("{name: page, in: query, required: true, schema: {type: integer}}"), step: "parameters: [" + id + "]",
			want: `error parameter-required: operation "call" requires the query parameter "page", which the step does not give`},
		{name: "required, and a refusal is expected", api: get("{name: page, in: query, required: true, schema: {type: integer}}"),
			step: "successCriteria: [{condition: $statusCode == 400}]",
			want: "error parameter-required: operation \"call\" requires the path parameter \"id\", which the step does not give\n" +
				`warn parameter-required: operation "call" requires the query parameter "page", which the step does not give`},
		{name: "required with a default", api: get("{name: page, in: query, required: true, schema: {type: integer, default: 1}}"), step: "parameters: [" + id + "]"},
		{name: "required headers that are described elsewhere", api: get("{name: Accept, in: header, required: true, schema: {type: string}}"), step: "parameters: [" + id + "]"},
		{name: "a required credential", api: get("{name: X-Api-Key, in: header, required: true, schema: {type: string}}"),
			root: "components: {securitySchemes: {b: {type: apiKey, in: header, name: X-Api-Key}}}", step: "parameters: [" + id + "]"},
		{name: "a reference that leads nowhere may be the one", api: get(""), step: "parameters: [{reference: $components.parameters.id}]"},
	}
	for _, test := range tests {
		t.Run(test.name, test.run)
	}
}
