package executor

import (
	"github.com/weft-flow/weft/arazzo/dynamic"
	"github.com/weft-flow/weft/arazzo/expression"
	"github.com/weft-flow/weft/arazzo/keying"
	"github.com/weft-flow/weft/idempotency"
)

// keyRule is what is known before the run about the key of a step's operation.
type keyRule struct {
	extension *idempotency.Extension
	declared  []idempotency.Declared
	business  *dynamic.Value // nil: the run's id is the run key
}

// compileKey gathers what the document and the description say about keys.
func (c *compiler) compileKey(w *workflow, s *step, names *expression.Names) keyRule {
	said := keying.Of(s.operation, s.model.Idempotency, w.model.Idempotency, w.set.Document.Idempotency)
	rule := keyRule{extension: said.Extension, declared: said.Declared}
	if said.Key.Present() {
		v, faults := dynamic.CompileValue(said.Key.Node, w.set.Document.Version, names)
		c.faults(w.set, faults, false)
		rule.business = v
	}
	return rule
}
