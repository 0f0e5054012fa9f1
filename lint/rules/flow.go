package rules

import "github.com/weft-flow/weft/lint"

// flowRules are about the ways that control can take through a workflow.
func flowRules() []lint.Rule {
	return nil
}
