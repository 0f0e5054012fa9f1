package rules

import "github.com/weft-flow/weft/lint"

// inputRules are about the inputs of workflows and what calls give them.
func inputRules() []lint.Rule {
	return []lint.Rule{
		{
			Name: "input-schema-valid", Layer: lint.Semantics, Severity: lint.Error,
			Summary: "The schema of inputs is no valid JSON Schema, or cannot be used.",
			Why: "Inputs are held against it before anything is sent: with a schema that cannot be read, or that no " +
				"value fits, the workflow never runs. What the specification's own schema refuses is told as of layer schema.",
			Avoid:  "inputs:\n  type: object\n  properties:\n    sku: {type: string, pattern: '[A-Z'}\n",
			Prefer: "inputs:\n  type: object\n  properties:\n    sku: {type: string, pattern: '[A-Z]+'}\n",
			Check:  checkInputSchemas,
		},
		{
			Name: "input-default-valid", Layer: lint.Semantics, Severity: lint.Warn,
			Summary: "The default of an input does not fit its own schema.",
			Why:     "The default is filled in, and then refused: whoever relies on it cannot run the workflow.",
			Avoid:   "quantity: {type: integer, minimum: 1, default: 0}\n",
			Prefer:  "quantity: {type: integer, minimum: 1, default: 1}\n",
			Check:   checkInputDefaults,
		},
		{
			Name: "input-required-defined", Layer: lint.Semantics, Severity: lint.Warn,
			Summary: "The inputs require a property that they do not define.",
			Why: "Nobody learns what it is, and nothing uses it: mostly its name is misspelt, and the one that was " +
				"meant is not required.",
			Avoid:  "type: object\nrequired: [oderId]\nproperties:\n  orderId: {type: string}\n",
			Prefer: "type: object\nrequired: [orderId]\nproperties:\n  orderId: {type: string}\n",
			Check:  checkInputsRequired,
		},
		{
			Name: "workflow-input-required", Layer: lint.Semantics, Severity: lint.Error,
			Summary: "A call of a workflow does not give an input that it requires.",
			Why:     "The inputs are refused, and the call fails before its first step.",
			Avoid:   "- stepId: pay\n  workflowId: payOrder # requires orderId\n",
			Prefer:  "- stepId: pay\n  workflowId: payOrder\n  parameters:\n    - {name: orderId, value: $steps.createOrder.outputs.orderId}\n",
			Check:   checkInputsGiven,
		},
		{
			Name: "workflow-input-known", Layer: lint.Semantics, Severity: lint.Error,
			Summary: "A call gives a workflow an input that it does not declare.",
			Why: "Nothing uses it: mostly its name is misspelt. Where the inputs are closed they are refused; where they " +
				"are open this is a warning.",
			Avoid:  "- stepId: pay\n  workflowId: payOrder # its input is orderId\n  parameters:\n    - {name: order, value: $inputs.orderId}\n",
			Prefer: "- stepId: pay\n  workflowId: payOrder\n  parameters:\n    - {name: orderId, value: $inputs.orderId}\n",
			Check:  checkInputsKnown,
		},
	}
}
