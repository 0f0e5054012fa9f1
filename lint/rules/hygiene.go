package rules

import (
	"slices"

	"github.com/weft-flow/weft/lint"
)

// hygieneRules are about what is never used, and about secrets.
func hygieneRules() []lint.Rule {
	return slices.Concat(unusedRules(), secretRules())
}

// unusedRules are about what is declared and never used.
func unusedRules() []lint.Rule {
	return []lint.Rule{
		{
			Name: "unused-input", Layer: lint.Semantics, Severity: lint.Warn,
			Summary: "A workflow declares an input that nothing in it uses.",
			Why: "Whoever calls the workflow gives a value that changes nothing; often the place that should use it has another name. " +
				"Inputs of a shared component are held against all workflows that take it.",
			Avoid:  "inputs:\n  type: object\n  properties:\n    orderId: {type: string}\n    orderRef: {type: string} # never used\n",
			Prefer: "inputs:\n  type: object\n  properties:\n    orderId: {type: string}\n",
			Check:  checkUnusedInputs,
		},
		{
			Name: "unused-component", Layer: lint.Semantics, Severity: lint.Warn,
			Summary: "Nothing refers to a component.",
			Why:     "It is dead weight, or the reference that should name it names another.",
			Avoid:   "components:\n  failureActions:\n    again: {name: again, type: retry} # no reference\n",
			Prefer:  "onFailure:\n  - reference: $components.failureActions.again\n",
			Check:   checkUnusedComponents,
		},
		{
			Name: "unused-source", Layer: lint.Semantics, Severity: lint.Warn,
			Summary: "Nothing uses a source.",
			Why:     "It is loaded for nothing, and makes plain operation ids ambiguous for nothing.",
			Avoid:   "sourceDescriptions:\n  - {name: shop, url: shop.yaml}\n  - {name: crm, url: crm.yaml} # no step calls it\n",
			Prefer:  "sourceDescriptions:\n  - {name: shop, url: shop.yaml}\n",
			Check:   checkUnusedSources,
		},
		{
			Name: "unused-output", Layer: lint.Semantics, Severity: lint.Hint,
			Summary: "Nothing uses an output of a step.",
			Why:     "Outputs of steps can be read within their workflow alone.",
			Avoid:   "outputs:\n  orderId: $response.body#/id # nothing names it\n",
			Prefer:  "outputs: # of the workflow\n  orderId: $steps.createOrder.outputs.orderId\n",
			Check:   checkUnusedOutputs,
		},
	}
}

// secretRules are about what must not be seen.
func secretRules() []lint.Rule {
	return []lint.Rule{
		{
			Name: "no-literal-secret", Layer: lint.Semantics, Severity: lint.Warn,
			Summary: "A document holds a secret as it is.",
			Why: "Documents are shared and kept in version control; a secret in one is known to all who can read it, " +
				"and cannot be changed without changing the document. Reports hide it where they show the line.",
			Avoid:  "- name: Authorization\n  in: header\n  value: Bearer eyJhbGciOiJIUzI1NiJ9.e30.c2ln\n",
			Prefer: "- name: Authorization\n  in: header\n  value: Bearer {$inputs.token}\n",
			Check:  checkLiteralSecrets,
		},
		{
			Name: "https-only", Layer: lint.Semantics, Severity: lint.Warn,
			Summary: "A source is loaded over plain HTTP.",
			Why: "Whoever stands between can change the description, and with it where requests and credentials go. " +
				"Loopback addresses are not reported.",
			Avoid:  "sourceDescriptions:\n  - {name: shop, url: 'http://shop.example/openapi.yaml'}\n",
			Prefer: "sourceDescriptions:\n  - {name: shop, url: 'https://shop.example/openapi.yaml'}\n",
			Check:  checkHTTPS,
		},
		{
			Name: "no-secret-output", Layer: lint.Semantics, Severity: lint.Warn,
			Summary: "A workflow gives out a secret.",
			Why: "Outputs of workflows are printed, kept in reports and handed on. Outputs that another workflow of " +
				"the document reads are not reported: a login has to hand on its token.",
			Avoid:  "outputs:\n  auth: $steps.order.outputs.authorization # $request.header.Authorization\n",
			Prefer: "outputs:\n  orderId: $steps.order.outputs.orderId\n",
			Check:  checkSecretOutputs,
		},
	}
}
