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

// linkRequeries finds, for each step that only reads, the steps whose unknown
// outcome it can settle: those that x-weft-requery-of names, and those of the
// same API and resource that it shares a value with which the caller knows.
func (c *compiler) linkRequeries(w *workflow) {
	for _, s := range w.steps {
		if s.model.RequeryOf.Present() {
			if w.model.Step(s.model.RequeryOf.Value) == nil {
				c.refuse(w.set, s.model.RequeryOf.Node, "x-weft-requery-of: workflow %q has no step %q; it has %s",
					w.id, s.model.RequeryOf.Value, quotedList(stepIDs(w.model.Steps)))
				continue
			}
			s.requeryOf = map[string]bool{s.model.RequeryOf.Value: true}
			continue
		}
		if s.kind != callsOperation || s.operation == nil || s.effectful {
			continue
		}
		for _, of := range w.steps {
			if of.kind == callsOperation && of.effectful && of.operation != nil && asksAbout(s, of) {
				if s.requeryOf == nil {
					s.requeryOf = map[string]bool{}
				}
				s.requeryOf[of.id] = true
			}
		}
	}
}

// asksAbout tells whether step s reads what step of may have made. It is on
// purpose narrow: to take a read for an answer that it is not would close an
// outcome that is open.
func asksAbout(s, of *step) bool {
	if s.source != of.source || collection(s.operation.Path) != collection(of.operation.Path) {
		return false
	}
	known := map[string]bool{}
	for _, use := range sentUses(of) {
		known[use.Expression.String()] = true
	}
	for _, use := range sentUses(s) {
		e := use.Expression
		callerKnows := e.Root == expression.Inputs || e.Root == expression.Steps && e.Owner != of.id
		if callerKnows && known[e.String()] {
			return true
		}
	}
	return false
}

// collection is the first segment of a path template: what the operation is about.
func collection(path string) string {
	first, _, _ := strings.Cut(strings.TrimPrefix(path, "/"), "/")
	return first
}

// sentUses lists the expressions whose values a step sends as data: not in
// headers and cookies, where credentials and keys stand.
func sentUses(s *step) []dynamic.Use {
	var all []dynamic.Use
	for _, a := range s.arguments {
		if a.in == "path" || a.in == "query" || a.in == "querystring" {
			all = append(all, a.value.Uses()...)
		}
	}
	return append(all, s.body.uses()...)
}
