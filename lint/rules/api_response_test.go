package rules_test

import "testing"

func TestResponsesOfCalls(t *testing.T) {
	get := func(responses string) string {
		return "get:\n  operationId: call\n  parameters: [{name: id, in: path, required: true, schema: {type: string}}]\n  responses:\n" + indent(responses, 4)
	}
	step := func(rest string) string { return "parameters: [{name: id, in: path, value: a}]\n" + rest }
	const open = "{application/json: {schema: {type: object, properties: {id: {type: string}, state: {enum: [UP, DOWN]}, on: {type: boolean}}}}}"
	const fault = "{application/problem+json: {schema: {type: object, additionalProperties: false, properties: {title: {type: string}}}}}"
	two := get("'200': {description: d, content: " + open + "}\n'4XX': {description: d, content: " + fault + "}\ndefault: {description: d}")
	tests := []apiTest{
		{name: "of the responses that succeed", api: two, step: step("successCriteria: [{condition: $statusCode == 200}]\noutputs: {a: $response.body#/id, b: $response.body#/title}"),
			want: `warn response-path: the response 200 of operation "call" is described without "title"; described are: id, state, on`},
		{name: "of the responses that fail", api: two, step: step("onFailure: [{name: a, type: end, criteria: [{condition: $statusCode == 422 && $response.body#/id == 'a'}]}]"),
			want: `error response-path: the response 4XX of operation "call" has no "id"; it has: title`},
		{name: "of any response", api: two, step: step("successCriteria: [{condition: $response.body#/title == 'a' || $response.body#/id == 'b'}]")},
		{name: "compared with null", api: two, step: step("successCriteria: [{condition: $statusCode == 200 && $response.body#/error == null}]")},
		{name: "asked whether it is there", api: two, step: step("successCriteria: [{condition: $statusCode == 200}, {condition: '!$response.body#/error'}]")},
		{name: "by dots in a condition", api: two, step: step("successCriteria: [{condition: $statusCode == 200 && $response.body.states == 'UP'}]"),
			want: `warn response-path: the response 200 of operation "call" is described without "states"; did you mean "state"?`},
		{name: "the context of a criterion", api: two, step: step("successCriteria: [{condition: $statusCode == 200}, {context: $response.body#/idd, condition: a, type: regex}]"),
			want: `warn response-path: the response 200 of operation "call" is described without "idd"; did you mean "id"?`},
		{name: "no body is described", api: get("'200': {description: d}"), step: step("outputs: {a: $response.body#/id, b: $response.body}"),
			want: `warn response-has-body: operation "call" describes no body for 200`},
		{name: "no body can be", api: get("'204': {description: d, content: " + open + "}"), step: step("outputs: {a: $response.body#/id}"),
			want: `error response-has-body: the response 204 of operation "call" has no body`},
		{name: "a body for some", api: get("'204': {description: d}\n'200': {description: d, content: " + open + "}"), step: step("outputs: {a: $response.body#/id}")},
		{name: "a response that was not found", api: get("'200': {$ref: 'other.yaml#/r'}"), step: step("outputs: {a: $response.body#/id, h: $response.header.X-A}")},
		{name: "other content", api: get("'200': {description: d, content: {text/html: {schema: {type: string}}}}"), step: step("outputs: {a: $response.body#/id}")},
		{name: "JSON or other content", api: get("'200': {description: d, content: {application/json: {schema: {type: string}}, application/xml: {}}}"), step: step("outputs: {a: $response.body#/id}")},
		{name: "any content", api: get("'200': {description: d, content: {'*/*': {schema: {type: object, properties: {id: {}}}}}}"), step: step("outputs: {a: $response.body#/ids}"),
			want: `warn response-path: the response 200 of operation "call" is described without "ids"; did you mean "id"?`},
		{name: "nothing is described", api: get("'418': {description: d}"), step: step("outputs: {a: $response.body#/id}")},
		{name: "into an output", api: two, step: step("successCriteria: [{condition: $statusCode == 200}]\noutputs: {a: $response.body, b: $steps.s.outputs.a#/ids, c: $steps.s.outputs.a#/id}"),
			want: `warn response-path: what $steps.s.outputs.a gives is described without "ids"; did you mean "id"?`},
		{name: "a header of another response", api: get("'200': {description: d, headers: {X-A: {schema: {type: string}}}}\n'404': {description: d, headers: {X-B: {schema: {type: string}}}}"),
			step: step("successCriteria: [{condition: $statusCode == 200}]\noutputs: {a: $response.header.X-A, b: $response.header.X-B}"),
			want: `warn response-header: operation "call" describes no header "X-B" for 200; did you mean "X-A"?`},
		{name: "a status of a range", api: two, step: step("successCriteria: [{condition: $statusCode == 200 || $statusCode == 418 || $statusCode == 201}]")},
		{name: "a status that is not described", api: get("'200': {description: d}\n'4XX': {description: d}"), step: step("successCriteria: [{condition: $statusCode == 418 || 202 == $statusCode || $statusCode < 300 || $statusCode == 503}]"),
			want: `warn status-declared: operation "call" describes no response 202; it describes 200 and 4XX`},
		{name: "a range that is not described", api: get("'201': {description: d}\n'404': {description: d}"), step: step("successCriteria: [{condition: $statusCode > 201 && $statusCode < 300}]"),
			want: `warn status-declared: operation "call" describes no response 202-299; it describes 201 and 404`},
		{name: "a pattern that is not described", api: get("'201': {description: d}"), step: step("successCriteria: [{context: $statusCode, condition: '^204$', type: regex}]"),
			want: `warn status-declared: operation "call" describes no response 204; it describes 201`},
		{name: "a range with one that is described", api: get("'201': {description: d}"), step: step("successCriteria: [{condition: $statusCode >= 200 && $statusCode < 300}]")},
		{name: "a range of redirects", api: get("'201': {description: d}"), step: step("onFailure: [{name: a, type: end, criteria: [{condition: $statusCode >= 300 && $statusCode < 400}]}]")},
		{name: "values of an enum", api: two, step: step("successCriteria: [{condition: $statusCode == 200 && ($response.body#/state == 'up' || $response.body#/state == 'LEFT' || $response.body#/on == 'yes' || $response.body#/id == 'x')}]"),
			want: `warn enum-value: $response.body#/state is never "LEFT"; it is one of: UP, DOWN`},
		{name: "of responses that are not all described", api: two, step: step("onFailure: [{name: a, type: end, criteria: [{condition: $response.body#/state == 'LEFT'}]}]"),
			want: `warn response-path: the response 4XX of operation "call" is described without "state"; described are: title`},
		{name: "an enum of an output", api: two, step: step("successCriteria: [{condition: $statusCode == 200}]\noutputs: {a: $response.body#/state}\nonSuccess: [{name: a, type: end, criteria: [{condition: $steps.s.outputs.a == 'LEFT'}]}]"),
			want: `warn enum-value: $steps.s.outputs.a is never "LEFT"; it is one of: UP, DOWN`},
		{name: "by a Selector Object", api: two, step: step("successCriteria: [{condition: $statusCode == 200}]\noutputs: {a: {context: $response.body, selector: /ids, type: jsonpointer}, b: {context: $response.body, selector: /id, type: jsonpointer}}"),
			want: `warn response-path: the response 200 of operation "call" is described without "ids"; did you mean "id"?`},
		{name: "by a JSONPath to one place", api: two, step: step("successCriteria: [{condition: $statusCode == 200}]\noutputs: {a: {context: $response.body, selector: $.ids, type: jsonpath}, b: {context: $response.body, selector: $..ids, type: jsonpath}}"),
			want: `warn response-path: the response 200 of operation "call" is described without "ids"; did you mean "id"?`},
		{name: "an enum in a filter", api: two, step: step("successCriteria: [{condition: $statusCode == 200}, {context: $response.body, condition: \"$[?$.state == 'LEFT' || $.state == 'UP']\", type: jsonpath}]"),
			want: `warn enum-value: $.state is never "LEFT"; it is one of: UP, DOWN`},
		{name: "an enum in the elements of a list", api: get("'200': {description: d, content: {application/json: {schema: {type: array, items: {type: object, properties: {state: {enum: [UP]}}}}}}}"),
			step: step("successCriteria: [{condition: $statusCode == 200}, {context: $response.body, condition: \"$[?@.state == 'LEFT']\", type: jsonpath}]"),
			want: `warn enum-value: @.state is never "LEFT"; it is one of: UP`},
		{name: "a map of states", api: two, step: step("successCriteria: [{condition: $statusCode == 200}]\nx-weft-state: {value: $response.body#/state, map: {UP: A, OUT: B}}"),
			want: `warn enum-value: $response.body#/state is never "OUT"; it is one of: UP, DOWN`},
	}
	for _, test := range tests {
		t.Run(test.name, test.run)
	}
}
