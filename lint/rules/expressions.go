package rules

import (
	"slices"

	"github.com/weft-flow/weft/lint"
)

// expressionRules are about runtime expressions and criteria.
func expressionRules() []lint.Rule {
	return slices.Concat(syntaxRules(), formRules(), conditionRules(), languageRules(), criterionRules())
}

// syntaxRules are about expressions that cannot be read, or are none.
func syntaxRules() []lint.Rule {
	return []lint.Rule{
		{
			Name: "expression-syntax", Layer: lint.Semantics, Severity: lint.Error,
			Summary: "A runtime expression cannot be read.",
			Why:     "Where an expression must stand, it never has a value; embedded in text, the step cannot be run.",
			Avoid:   "outputs:\n  id: $response.bodyy#/id\n",
			Prefer:  "outputs:\n  id: $response.body#/id\n",
			Check:   checkExpressionSyntax,
		},
		{
			Name: "output-is-expression", Layer: lint.Semantics, Severity: lint.Error,
			Summary: "An output is no runtime expression.",
			Why:     "An output takes its value from the run. A constant is the same every time and needs no output.",
			Avoid:   "outputs:\n  id: response.body#/id\n",
			Prefer:  "outputs:\n  id: $response.body#/id\n",
			Check:   checkOutputsAreExpressions,
		},
		{
			Name: "expression-lookalike", Layer: lint.Semantics, Severity: lint.Warn,
			Summary: "A value looks like a runtime expression and is none.",
			Why: "It is sent as the text that it is. A misspelt expression, one within a text that lacks its braces, " +
				"and {$inputs.x} without quotes, which YAML reads as a mapping, are often meant as expressions.",
			Avoid:  "value: $input.orderId\n",
			Prefer: "value: $inputs.orderId\n",
			Check:  checkLookalikes,
		},
	}
}

// formRules are about forms that Weft reads though the specification does not
// have them.
func formRules() []lint.Rule {
	return []lint.Rule{
		{
			Name: "dotted-body", Layer: lint.Semantics, Severity: lint.Warn,
			Summary: "A dot leads into a body, where a JSON Pointer belongs.",
			Why:     "The grammar of expressions has only the pointer; other tools find nothing.",
			Avoid:   "outputs:\n  id: $response.body.order.id\n",
			Prefer:  "outputs:\n  id: $response.body#/order/id\n",
			Check:   checkDottedBodies,
		},
		{
			Name: "bracket-after-output", Layer: lint.Semantics, Severity: lint.Warn,
			Summary: "A bracket or dot leads into an input or output, where a JSON Pointer belongs.",
			Why:     "The grammar of expressions has only the pointer; other tools find nothing.",
			Avoid:   "value: $steps.list.outputs.items[0].id\n",
			Prefer:  "value: $steps.list.outputs.items#/0/id\n",
			Check:   checkBrackets,
		},
		{
			Name: "operation-path-form", Layer: lint.Semantics, Severity: lint.Warn,
			Summary: "An operationPath or channelPath is not written as the specification has it.",
			Why:     "It is {$sourceDescriptions.NAME.url}#POINTER; Weft reads some other forms, other tools do not.",
			Avoid:   "operationPath: shop#/paths/~1orders/post\n",
			Prefer:  "operationPath: '{$sourceDescriptions.shop.url}#/paths/~1orders/post'\n",
			Check:   checkPathForms,
		},
		{
			Name: "double-quoted-string", Layer: lint.Semantics, Severity: lint.Warn,
			Summary: "A string in a condition stands in double quotes.",
			Why:     "A string of a condition stands in single quotes; other tools refuse double ones, or never match.",
			Avoid:   "condition: $response.body#/status == \"PAID\"\n",
			Prefer:  "condition: $response.body#/status == 'PAID'\n",
			Check:   checkDoubleQuotes,
		},
	}
}

// conditionRules are about simple conditions.
func conditionRules() []lint.Rule {
	return []lint.Rule{
		{
			Name: "condition-syntax", Layer: lint.Semantics, Severity: lint.Error,
			Summary: "A simple condition cannot be read.",
			Why:     "A criterion that cannot be evaluated fails: the step never succeeds, the action is never taken.",
			Avoid:   "- condition: $statusCode = 200\n",
			Prefer:  "- condition: $statusCode == 200\n",
			Check:   checkConditionSyntax,
		},
		{
			Name: "condition-types", Layer: lint.Semantics, Severity: lint.Warn,
			Summary: "A comparison can never hold, by the types of what it compares.",
			Why: "A status is a number, a header a text. Only a text that writes a number compares with one; " +
				"null is equal to null alone and has no order.",
			Avoid:  "- condition: $statusCode == 'OK'\n",
			Prefer: "- condition: $statusCode == 200\n",
			Check:  checkConditionTypes,
		},
		{
			Name: "non-boolean-condition", Layer: lint.Semantics, Severity: lint.Warn,
			Summary: "A condition is a bare value.",
			Why: "The specification does not say which values pass: an empty list or the text false passes in one " +
				"tool and fails in another.",
			Avoid:  "- condition: $response.body#/ready\n",
			Prefer: "- condition: $response.body#/ready == true\n",
			Check:  checkBareConditions,
		},
	}
}

// languageRules are about conditions and selectors in other languages.
func languageRules() []lint.Rule {
	return []lint.Rule{
		{
			Name: "jsonpath-syntax", Layer: lint.Semantics, Severity: lint.Error,
			Summary: "A JSONPath cannot be read (RFC 9535).",
			Why:     "It finds nothing: the criterion fails, the value is missing. A condition is a filter within the path.",
			Avoid:   "- {context: $response.body, type: jsonpath, condition: \"$.status == 'PAID'\"}\n",
			Prefer:  "- {context: $response.body, type: jsonpath, condition: \"$[?@.status == 'PAID']\"}\n",
			Check:   checkLanguage("jsonpath"),
		},
		{
			Name: "regex-syntax", Layer: lint.Semantics, Severity: lint.Error,
			Summary: "A regular expression cannot be read.",
			Why:     "The criterion always fails.",
			Avoid:   "- {context: $statusCode, type: regex, condition: '^2[0-9'}\n",
			Prefer:  "- {context: $statusCode, type: regex, condition: '^2[0-9]'}\n",
			Check:   checkLanguage("regex"),
		},
		{
			Name: "xpath-syntax", Layer: lint.Semantics, Severity: lint.Error,
			Summary: "An XPath cannot be read.",
			Why:     "It finds nothing: the criterion fails, the value is missing.",
			Avoid:   "- {context: $response.body, type: xpath, condition: '//order['}\n",
			Prefer:  "- {context: $response.body, type: xpath, condition: '//order[1]'}\n",
			Check:   checkLanguage("xpath"),
		},
	}
}

// criterionRules are about the criteria of a list.
func criterionRules() []lint.Rule {
	return []lint.Rule{
		{
			Name: "criteria-satisfiable", Layer: lint.Semantics, Severity: lint.Warn,
			Summary: "Criteria contradict each other: they can never all hold.",
			Why:     "The step never succeeds, or the action is never taken. Criteria of a list must hold together.",
			Avoid:   "successCriteria:\n  - condition: $statusCode == 200\n  - condition: $statusCode == 201\n",
			Prefer:  "successCriteria:\n  - condition: $statusCode == 200 || $statusCode == 201\n",
			Check:   checkSatisfiable,
		},
		{
			Name: "success-criteria-present", Layer: lint.Semantics, Severity: lint.Hint,
			Summary: "A step that calls an operation has no successCriteria.",
			Why:     "The specification leaves open what success then is. Weft takes any 2xx.",
			Avoid:   "- stepId: create\n  operationId: createOrder\n",
			Prefer:  "- stepId: create\n  operationId: createOrder\n  successCriteria:\n    - condition: $statusCode == 201\n",
			Check:   checkCriteriaPresent,
		},
	}
}
