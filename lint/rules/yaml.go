package rules

import "github.com/weft-flow/weft/lint"

// yamlRules are about how a document is written, before it means anything.
func yamlRules() []lint.Rule {
	return []lint.Rule{
		{
			Name: "yaml", Layer: lint.Schema, Severity: lint.Error,
			Summary: "The file is not one document of YAML 1.2 or JSON that JSON could also write.",
			Why: "A file that cannot be read, holds two documents, or uses keys and tags that JSON does not have " +
				"is read differently by every tool, if at all.",
			Avoid:  "inputs:\n  type: object\n  properties:\n    ? [order, id]\n    : {type: string}\n",
			Prefer: "inputs:\n  type: object\n  properties:\n    orderId: {type: string}\n",
		},
		{
			Name: "yaml-duplicate-key", Layer: lint.Schema, Severity: lint.Error,
			Summary: "A mapping has the same key twice.",
			Why:     "Some tools keep the first value, some the last: what runs is not what is read.",
			Avoid:   "- stepId: pay\n  operationId: createPayment\n  operationId: getPayment\n",
			Prefer:  "- stepId: pay\n  operationId: createPayment\n",
		},
		{
			Name: "yaml-merge", Layer: lint.Schema, Severity: lint.Warn,
			Summary: "A mapping uses the merge key <<.",
			Why: "The merge key belongs to YAML 1.1. Weft merges, other tools take it for a field " +
				"of that name and refuse the document.",
			Avoid:  "- <<: *retry\n  name: retryPayment\n",
			Prefer: "- reference: $components.failureActions.retryPayment\n",
		},
	}
}
