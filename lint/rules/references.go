package rules

import "github.com/weft-flow/weft/lint"

// referenceRules are about what a document refers to: sources, operations, workflows, steps,
// outputs, inputs, components.
func referenceRules() []lint.Rule {
	return nil
}
