package rules

import "github.com/weft-flow/weft/lint"

// apiRules hold what a step sends and reads against the description of the API.
func apiRules() []lint.Rule {
	return nil
}
