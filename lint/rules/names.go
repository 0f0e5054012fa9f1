package rules

import "github.com/weft-flow/weft/lint"

// nameRules are about names that must be told apart.
func nameRules() []lint.Rule {
	return nil
}
