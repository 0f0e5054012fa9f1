package rules

import "github.com/weft-flow/weft/lint"

// hygieneRules are about what is never used, and about secrets.
func hygieneRules() []lint.Rule {
	return nil
}
