package executor

import (
	"strings"

	"github.com/weft-flow/weft/arazzo"
	"github.com/weft-flow/weft/arazzo/dynamic"
	"github.com/weft-flow/weft/arazzo/expression"
	"github.com/weft-flow/weft/arazzo/source"
	"github.com/weft-flow/weft/idempotency"
)

// keyRule is what is known before the run about the key of a step's operation.
type keyRule struct {
	extension *idempotency.Extension
	declared  []idempotency.Declared
	business  *dynamic.Value // nil: the run's id is the run key
}

// compileKey gathers what the document and the description say about keys. What
// stands nearer to the step wins, field by field.
func (c *compiler) compileKey(w *workflow, s *step, names *expression.Names) keyRule {
	rule := keyRule{declared: declaredHeaders(s.operation)}
	levels := []*arazzo.Idempotency{s.model.Idempotency, w.model.Idempotency, w.set.Document.Idempotency}
	var key arazzo.Text
	for i, level := range levels {
		if level == nil {
			continue
		}
		if rule.extension == nil {
			rule.extension = &idempotency.Extension{Off: level.Off}
		}
		if rule.extension.Header == "" && level.Header.Present() {
			rule.extension.Header, rule.extension.OnStep = level.Header.Value, i == 0
		}
		if rule.extension.Format == "" {
			rule.extension.Format = idempotency.Format(level.Format.Value)
		}
		if !key.Present() {
			key = level.Key
		}
	}
	if key.Present() {
		v, faults := dynamic.CompileValue(key.Node, w.set.Document.Version, names)
		c.faults(w.set, faults, false)
		rule.business = v
	}
	return rule
}

func declaredHeaders(o *source.Operation) []idempotency.Declared {
	var declared []idempotency.Declared
	for _, p := range o.Params {
		if p.In != "header" {
			continue
		}
		d := idempotency.Declared{Name: p.Name}
		if p.Schema != nil {
			d.Quoted = strings.HasPrefix(p.Schema.Pattern, `^"`)
			if p.Schema.MaxLength != nil {
				d.MaxLength = int(*p.Schema.MaxLength)
			}
		}
		declared = append(declared, d)
	}
	return declared
}
