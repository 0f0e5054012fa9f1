package rules

import (
	"slices"

	"github.com/weft-flow/weft/lint"
)

// All gives every rule, in the order in which documentation lists them.
func All() []lint.Rule {
	return slices.Concat(
		yamlRules(),
		schemaRules(),
		nameRules(),
		referenceRules(),
		expressionRules(),
		apiRules(),
		inputRules(),
		flowRules(),
		hygieneRules(),
		retryRules(),
		ignoreRules(),
	)
}

// Find gives the rule of a name.
func Find(name string) (lint.Rule, bool) {
	for _, rule := range All() {
		if rule.Name == name {
			return rule, true
		}
	}
	return lint.Rule{}, false
}
