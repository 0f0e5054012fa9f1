package rules

import (
	"slices"

	"github.com/weft-flow/weft/lint"
)

// schemaRules are about the shape of a document: what the Arazzo Specification
// demands of each object without asking what its values mean.
func schemaRules() []lint.Rule {
	return slices.Concat(shapeRules(), stepRules(), actionRules(), meaningRules())
}

// shapeRules are about objects of any kind.
func shapeRules() []lint.Rule {
	return []lint.Rule{
		{
			Name: "schema", Layer: lint.Schema, Severity: lint.Error,
			Summary: "The document does not have the shape that its Arazzo version demands.",
			Why: "A value of the wrong type, a missing field or an empty list that must not be empty " +
				"leaves nothing that could be run.",
			Avoid:  "workflows:\n  - workflowId: order\n    steps: []\n",
			Prefer: "workflows:\n  - workflowId: order\n    steps:\n      - stepId: create\n        operationId: createOrder\n",
		},
		{
			Name: "unknown-field", Layer: lint.Schema, Severity: lint.Error,
			Summary: "An object has a field that its Arazzo version does not know.",
			Why: "A misspelt field is silently without effect: criteria are not checked, a retry is not made. " +
				"Own data belongs into fields that begin with x-.",
			Avoid:  "- stepId: create\n  operationId: createOrder\n  sucessCriteria:\n    - condition: $statusCode == 201\n",
			Prefer: "- stepId: create\n  operationId: createOrder\n  successCriteria:\n    - condition: $statusCode == 201\n",
		},
		{
			Name: "source-name-pattern", Layer: lint.Schema, Severity: lint.Error,
			Summary: "The name of a source has a character other than letters, digits, _ and -.",
			Why:     "Expressions name sources, and end the name at the first other character.",
			Avoid:   "sourceDescriptions:\n  - name: order api\n    url: orders.yaml\n",
			Prefer:  "sourceDescriptions:\n  - name: orderApi\n    url: orders.yaml\n",
		},
		{
			Name: "output-name-pattern", Layer: lint.Schema, Severity: lint.Error,
			Summary: "The name of an output has a character other than letters, digits, '.', _ and -.",
			Why:     "Expressions name outputs, and end the name at the first other character.",
			Avoid:   "outputs:\n  order id: $response.body#/id\n",
			Prefer:  "outputs:\n  orderId: $response.body#/id\n",
		},
	}
}

// stepRules are about steps, their parameters and their criteria.
func stepRules() []lint.Rule {
	return []lint.Rule{
		{
			Name: "timeout-range", Layer: lint.Schema, Severity: lint.Error,
			Summary: "A timeout is no whole number of milliseconds, 1 or more.",
			Why:     "The timeout counts milliseconds, unlike retryAfter, which counts seconds. In 0 milliseconds nothing can be done: a step without a limit of its own has no timeout.",
			Avoid:   "timeout: 1.5s\n",
			Prefer:  "timeout: 1500\n",
		},
		{
			Name: "parameter-in-required", Layer: lint.Schema, Severity: lint.Error,
			Summary: "A parameter of a step that calls an operation does not say where it goes.",
			Why: "An operation may have a path parameter and a header of one name; nothing may be guessed. What a workflow has " +
				"for all of its steps needs a place too, unless it is an input of a workflow that one of them calls.",
			Avoid:  "operationId: getOrder\nparameters:\n  - name: orderId\n    value: $inputs.orderId\n",
			Prefer: "operationId: getOrder\nparameters:\n  - name: orderId\n    in: path\n    value: $inputs.orderId\n",
			Check:  checkLocationsGiven,
		},
		{
			Name: "criterion-context-required", Layer: lint.Schema, Severity: lint.Error,
			Summary: "A criterion has a type but no context.",
			Why:     "The context is what a regex, JSONPath or XPath is applied to; without it the condition judges nothing.",
			Avoid:   "- type: jsonpath\n  condition: $[?@.status == 'PAID']\n",
			Prefer:  "- context: $response.body\n  type: jsonpath\n  condition: $[?@.status == 'PAID']\n",
		},
		{
			Name: "criterion-type", Layer: lint.Schema, Severity: lint.Error,
			Summary: "The type of a criterion is none that the Arazzo version knows.",
			Why:     "A condition in a language that is not known cannot be judged.",
			Avoid:   "- context: $response.body\n  type: jmespath\n  condition: status == 'PAID'\n",
			Prefer:  "- context: $response.body\n  type: jsonpath\n  condition: $[?@.status == 'PAID']\n",
		},
	}
}

// actionRules are about success and failure actions.
func actionRules() []lint.Rule {
	return []lint.Rule{
		{
			Name: "success-action-type", Layer: lint.Schema, Severity: lint.Error,
			Summary: "The type of a success action is neither end nor goto.",
			Why:     "A step that succeeded is not retried: to run it again, go to it.",
			Avoid:   "onSuccess:\n  - name: again\n    type: retry\n",
			Prefer:  "onSuccess:\n  - name: again\n    type: goto\n    stepId: poll\n",
		},
		{
			Name: "action-target-required", Layer: lint.Schema, Severity: lint.Error,
			Summary: "A goto names neither a step nor a workflow.",
			Why:     "It leads nowhere.",
			Avoid:   "- name: ask\n  type: goto\n",
			Prefer:  "- name: ask\n  type: goto\n  stepId: requery\n",
		},
		{
			Name: "action-target-exclusive", Layer: lint.Schema, Severity: lint.Error,
			Summary: "A goto or retry names both a step and a workflow.",
			Why:     "It has one target; which of the two is meant cannot be told.",
			Avoid:   "- name: ask\n  type: goto\n  stepId: requery\n  workflowId: cancelOrder\n",
			Prefer:  "- name: ask\n  type: goto\n  stepId: requery\n",
		},
		{
			Name: "parameter-in-forbidden", Layer: lint.Schema, Severity: lint.Error,
			Summary: "A parameter of a workflow's call says where it goes.",
			Why: "Parameters of an action, or of a step that calls a workflow, become the inputs of that workflow; " +
				"these have no location. On steps it is a warning: there the schema allows it.",
			Avoid:  "- name: login\n  type: retry\n  workflowId: login\n  parameters:\n    - {name: user, in: query, value: $inputs.user}\n",
			Prefer: "- name: login\n  type: retry\n  workflowId: login\n  parameters:\n    - {name: user, value: $inputs.user}\n",
			Check:  checkLocationsOfInputs,
		},
		{
			Name: "retry-after-range", Layer: lint.Schema, Severity: lint.Error,
			Summary: "retryAfter is no number of seconds, 0 or more.",
			Why:     "It is the wait before the next attempt, in seconds; fractions are allowed.",
			Avoid:   "- name: again\n  type: retry\n  retryAfter: -1\n",
			Prefer:  "- name: again\n  type: retry\n  retryAfter: 0.5\n",
		},
		{
			Name: "retry-limit-integer", Layer: lint.Schema, Severity: lint.Error,
			Summary: "retryLimit is no whole number, 0 or more.",
			Why:     "It counts the attempts after the first.",
			Avoid:   "- name: again\n  type: retry\n  retryLimit: 2.5\n",
			Prefer:  "- name: again\n  type: retry\n  retryLimit: 3\n",
		},
	}
}
