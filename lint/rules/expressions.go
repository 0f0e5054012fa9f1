package rules

import "github.com/weft-flow/weft/lint"

// expressionRules are about runtime expressions and criteria.
func expressionRules() []lint.Rule {
	return nil
}
