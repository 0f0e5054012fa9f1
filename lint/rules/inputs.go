package rules

import "github.com/weft-flow/weft/lint"

// inputRules are about the inputs of workflows and what calls give them.
func inputRules() []lint.Rule {
	return nil
}
