package rules_test

import "testing"

func TestSchemasOfInputs(t *testing.T) {
	tests := []struct{ name, inputs, more, want string }{
		{name: "fine", inputs: "{type: object, required: [a], properties: {a: {type: integer, default: 1}}}"},
		{name: "a default of another type", inputs: "{type: object, properties: {a: {type: integer, default: one}}}",
			want: "warn input-default-valid: the default does not fit: expected integer, this is a string"},
		{name: "a default within an object", inputs: "{type: object, default: {a: {b: x}}, properties: {a: {type: object, properties: {b: {type: integer}}}}}",
			want: "warn input-default-valid: the default does not fit: expected integer, this is a string"},
		{name: "a default through a reference", inputs: "{type: object, properties: {a: {$ref: '#/components/inputs/n', default: 0}}}", more: "components: {inputs: {n: {type: integer, minimum: 1}}}",
			want: "warn input-default-valid: the default does not fit: expected at least 1, this is 0"},
		{name: "a default of a component", inputs: "{}", more: "components: {inputs: {n: {type: integer, default: x}}}",
			want: "warn input-default-valid: the default does not fit: expected integer, this is a string"},
		{name: "required, defined in a part", inputs: "{type: object, required: [a], allOf: [{$ref: '#/components/inputs/n'}]}", more: "components: {inputs: {n: {type: object, properties: {a: {}}}}}"},
		{name: "required in a part, defined beside it", inputs: "{type: object, properties: {a: {}, b: {}}, anyOf: [{required: [a]}, {required: [b]}]}"},
		{name: "required in a part and defined nowhere", inputs: "{type: object, properties: {a: {}}, allOf: [{properties: {b: {}}, required: [c]}]}",
			want: `warn input-required-defined: "c" is required and not defined; defined are: a, b`},
		{name: "required in a part that defines nothing", inputs: "{allOf: [{$ref: '#/components/inputs/n'}, {required: [c]}]}", more: "components: {inputs: {n: {type: object, properties: {a: {}}}}}",
			want: `warn input-required-defined: "c" is required and not defined; defined are: a`},
		{name: "required in one of several parts", inputs: "{type: object, properties: {a: {}}, oneOf: [{required: [a]}, {required: [c]}]}",
			want: `warn input-required-defined: "c" is required and not defined; defined are: a`},
		{name: "required where nothing is defined", inputs: "{type: object, required: [a]}", want: `warn input-required-defined: "a" is required and not defined; there are none`},
		{name: "required of an object that takes anything", inputs: "{type: object, properties: {o: {type: object, required: [a]}}}"},
		{name: "required where nothing can be seen", inputs: "{required: [a], allOf: [{$ref: 'elsewhere.json'}]}"},
		{name: "required of a component that others define", inputs: "{allOf: [{properties: {a: {}}}, {$ref: '#/components/inputs/n'}]}", more: "components: {inputs: {n: {type: object, required: [a, b], properties: {b: {}}}}}"},
		{name: "required of a component", inputs: "{allOf: [{properties: {a: {}}}, {$ref: '#/components/inputs/n'}]}", more: "components: {inputs: {n: {type: object, required: [a, c], properties: {b: {}}}}}",
			want: `warn input-required-defined: "c" is required and not defined; defined are: b`},
		{name: "required of a map", inputs: "{type: object, required: [a], additionalProperties: {type: string}}"},
		{name: "required of an object within", inputs: "{type: object, properties: {o: {type: object, required: [nam], properties: {name: {}}}}}",
			want: `warn input-required-defined: "nam" is required and not defined; did you mean "name"?`},
		{name: "a property of that name", inputs: "{type: object, properties: {required: {type: array}, default: {type: string}, properties: {type: object}}}"},
		{name: "no value fits", inputs: "{type: object, properties: {a: {allOf: [{type: string}, {type: integer}]}}}",
			want: "error input-schema-valid: no value fits this schema"},
		{name: "forbidden on purpose", inputs: "{type: object, properties: {a: false}}"},
		{name: "another dialect", inputs: "{$schema: 'http://json-schema.org/draft-07/schema#', type: object, properties: {a: {type: integer, enum: [x]}}}",
			want: "error input-schema-valid: no value fits this schema"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			document := documentHead + "  - workflowId: w\n    inputs: " + test.inputs + "\n    steps: [{stepId: s, operationId: call}]\n" + test.more + "\n"
			checkFindings(t, document, descriptionHead+"paths: {/x: {get: {operationId: call, responses: {'200': {description: d}}}}}\n", test.want)
		})
	}
}

func TestCallsOfWorkflows(t *testing.T) {
	const called = "    inputs: {type: object, required: [a, b], properties: {a: {type: integer}, b: {type: string, default: x}, c: {type: array}}}\n"
	const closed = "    inputs: {type: object, additionalProperties: false, properties: {a: {type: integer}}}\n"
	tests := []struct{ name, called, step, want string }{
		{name: "fine", called: called, step: "workflowId: called, parameters: [{name: a, value: 1}]"},
		{name: "missing", called: called, step: "workflowId: called",
			want: `error workflow-input-required: workflow "called" requires the input "a", which the call does not give`},
		{name: "unknown where anything may be", called: called, step: "workflowId: called, parameters: [{name: a, value: 1}, {name: d, value: 1}]",
			want: `warn workflow-input-known: workflow "called" declares no input "d"; its inputs: a, b, c`},
		{name: "unknown where nothing else may be", called: closed, step: "workflowId: called, parameters: [{name: d, value: 1}]",
			want: `error workflow-input-known: workflow "called" takes no input "d"; its inputs: a`},
		{name: "of a workflow without inputs", step: "workflowId: called, parameters: [{name: d, value: 1}]",
			want: `warn workflow-input-known: workflow "called" declares no inputs`},
		{name: "of a map", called: "    inputs: {type: object, additionalProperties: {type: string}}\n", step: "workflowId: called, parameters: [{name: d, value: a}]"},
		{name: "a constant of another type", called: called, step: "workflowId: called, parameters: [{name: a, value: x}]",
			want: `error type-flow: the value is a string, and the input "a" of workflow "called" takes an integer`},
		{name: "an expression of another type", called: called, step: "workflowId: called, parameters: [{name: a, value: $inputs.text}]",
			want: `error type-flow: $inputs.text is a string, and the input "a" of workflow "called" takes an integer`},
		{name: "an output of the called workflow", called: called, step: "workflowId: called, parameters: [{name: a, value: 1}, {name: c, value: $steps.s.outputs.o}], outputs: {o: $outputs.out}",
			want: `error type-flow: $steps.s.outputs.o is an integer, and the input "c" of workflow "called" takes an array`},
		{name: "a jump that gives nothing", called: called, step: "operationId: call, onSuccess: [{name: j, type: goto, workflowId: called}]",
			want: `error workflow-input-required: workflow "called" requires the input "a", which the call does not give`},
		{name: "a jump that gives it", called: called, step: "operationId: call, onFailure: [{name: j, type: goto, workflowId: called, parameters: [{name: a, value: 1}]}]"},
		{name: "a reference that leads nowhere may be it", called: called, step: "workflowId: called, parameters: [{reference: $components.parameters.a}]"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			document := documentHead + "  - workflowId: w\n    inputs: {type: object, properties: {text: {type: string}}}\n    steps: [{stepId: s, " + test.step + "}]\n" +
				"  - workflowId: called\n" + test.called + "    steps: [{stepId: s, operationId: call}]\n    outputs: {out: $inputs.a}\n"
			checkFindings(t, document, descriptionHead+"paths: {/x: {get: {operationId: call, responses: {'200': {description: d}}}}}\n", test.want)
		})
	}
}
