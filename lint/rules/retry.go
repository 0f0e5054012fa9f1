package rules

import "github.com/weft-flow/weft/lint"

// retryRules are about repeating, unknown outcomes, keys and callbacks.
func retryRules() []lint.Rule {
	return nil
}
