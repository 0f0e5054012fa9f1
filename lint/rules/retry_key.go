package rules

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/weft-flow/weft/arazzo/expression"
	"github.com/weft-flow/weft/idempotency"
	"github.com/weft-flow/weft/lint"
)

// keyRules are about whether there is a key, and whether it stays the same.
func keyRules() []lint.Rule {
	return []lint.Rule{
		{
			Name: "key-required", Layer: lint.Semantics, Severity: lint.Error,
			Summary: "The API requires an idempotency key, and neither the step nor the configuration gives one.",
			Why: "Without it the API refuses the request. Weft makes a key for POST and PATCH by itself, other tools do " +
				"not; and only the document can say what makes two runs the same order.",
			Avoid:  "- stepId: pay\n  operationId: createPayment # Idempotency-Key is required\n",
			Prefer: "- stepId: pay\n  operationId: createPayment\n  parameters:\n    - {name: Idempotency-Key, in: header, value: 'pay-{$inputs.orderReference}'}\n",
			Check:  checkKeyRequired,
		},
		{
			Name: "key-stable", Layer: lint.Semantics, Severity: lint.Error,
			Summary: "An idempotency key changes between attempts of one operation.",
			Why: "A key protects only as long as every attempt bears the same one. A key that is made by a step which " +
				"a retry runs again is a new key each time, and the server takes the repeat for a new request. So is one that is " +
				"made in a workflow which is retried as a whole.",
			Avoid: "- stepId: newKey\n- stepId: pay\n  parameters:\n    - {name: Idempotency-Key, in: header, value: $steps.newKey.outputs.uuid}\n" +
				"  onFailure:\n    - {name: again, type: retry, stepId: newKey}\n",
			Prefer: "- stepId: pay\n  parameters:\n    - {name: Idempotency-Key, in: header, value: 'pay-{$inputs.orderReference}'}\n  onFailure:\n    - {name: again, type: retry}\n",
			Check:  checkKeyStable,
		},
		{
			Name: "key-on-conflict", Layer: lint.Semantics, Severity: lint.Warn,
			Summary: "After 409 the flow goes on to a step that makes a new key.",
			Why: "409 says that a request with this key is being worked on, or was. With a new key the same is done a second " +
				"time. Retry under the same key, or ask what became of it.",
			Avoid:  "onFailure:\n  - name: newKey\n    type: goto\n    stepId: makeKey\n    criteria:\n      - condition: $statusCode == 409\n",
			Prefer: "onFailure:\n  - name: sameKey\n    type: retry\n    retryAfter: 1\n    retryLimit: 5\n    criteria:\n      - condition: $statusCode == 409\n",
			Check:  checkKeyOnConflict,
		},
		{
			Name: "retry-within-retention", Layer: lint.Semantics, Severity: lint.Warn,
			Summary: "Retries go on for longer than the server keeps the key.",
			Why: "Once the server has forgotten the key, it takes the repeat for a new request. How long it keeps keys is " +
				"known of some headers, and of a profile in weft.yaml. Weft withholds such a retry.",
			Avoid:  "- {name: again, type: retry, retryAfter: 7200, retryLimit: 3} # PayPal-Request-Id: kept for 3 hours\n",
			Prefer: "- {name: again, type: retry, retryAfter: 60, retryLimit: 5}\n",
			Check:  checkRetention,
		},
	}
}

// writeKey is the fix that writes the key of a step: made of the step's id and of
// an input that is unique to the order. There is none where no input is known to be
// that, or where the API wants keys of a certain form.
func writeKey(p *lint.Pass, s *lint.Step, effect *lint.Effect) []lint.Fix {
	text := keyFor(s, effect)
	if text == "" || effect.Written != nil {
		return nil
	}
	header := effect.Plan.Dialect.Header
	return p.AddHeader(s, header, text, fmt.Sprintf("write the key: %s: %s", header, text))
}

// keyFor gives the text of a key for a step; empty where none is certain.
func keyFor(s *lint.Step, effect *lint.Effect) string {
	declared := effect.Declared
	if declared == nil || effect.Plan.Dialect.Format != idempotency.Raw && effect.Plan.Dialect.Format != "" || !isToken(s.ID()) {
		return ""
	}
	if schema := declared.Schema; schema != nil && (schema.Pattern != "" || schema.Format != "" || len(schema.Enum) > 0) {
		return ""
	}
	from := ""
	if effect.Business != nil && effect.Business.Compiled.IsWhole() && isKnown(s.Workflow, effect.Business) {
		from = effect.Business.Node.Text
	} else if input := keyInput(s.Workflow); effect.Business == nil && isToken(input) {
		from = "$inputs." + input
	}
	if from == "" {
		return ""
	}
	const least = 8 // characters that tell one order from another
	if limit := effect.Plan.Dialect.MaxLength; limit > 0 && len(s.ID())+1+least > limit {
		return ""
	}
	return s.ID() + "-{" + from + "}"
}

// isKnown tells whether the workflow declares the inputs that a value names: the key of
// a document may be made of what others have.
func isKnown(w *lint.Workflow, v *lint.Value) bool {
	return !slices.ContainsFunc(v.Uses(), func(e *expression.Expression) bool {
		return e.Root == expression.Inputs && !slices.Contains(w.Names.Inputs, e.Name)
	})
}

// isToken tells whether a text is of letters, digits, - and _ alone.
func isToken(text string) bool {
	return text != "" && !strings.ContainsFunc(text, func(r rune) bool { return r > 0x7e || !isNameByte(byte(r)) })
}

func checkKeyRequired(p *lint.Pass) {
	for _, s := range p.Steps() {
		effect := s.Effect()
		if effect == nil || s.Target.Operation == nil || effect.Named || effect.Written != nil {
			continue
		}
		for _, declared := range s.Target.Operation.Params {
			_, isKey := idempotency.KnownHeader(declared.Name)
			if declared.In != "header" || !declared.Required || !isKey {
				continue
			}
			f := lint.Finding{
				At:      lint.At(s.Target.Ref.Node, s.Model.Node),
				Message: fmt.Sprintf("%s requires %s, and neither the step nor the configuration gives one", does(s), declared.Name),
				Fixes:   writeKey(p, s, effect),
			}
			if s.Key != nil {
				continue // the step says what makes its key
			}
			if effect.Business != nil {
				f.Severity = lint.Warn
				f.Message = fmt.Sprintf("%s requires %s, which only Weft makes from x-weft-idempotency: other tools send none", does(s), declared.Name)
			}
			p.Report(f)
		}
	}
}

func checkKeyOnConflict(p *lint.Pass) {
	conflict := lint.Status(409)
	eachEffect(p, func(s *lint.Step, effect *lint.Effect) {
		if effect.Plan.Source == idempotency.FromNone {
			return
		}
		flow := s.Workflow.Flow()
		for _, e := range flow.Edges(s) {
			if !isJump(e) || e.Success || e.To == nil || !e.Lets().Meets(conflict) {
				continue
			}
			if what := newKeyBy(flow, e, s, effect); what != "" {
				p.Reportf(placeOf(e.Action), "after 409 this goes on to %s: %s may be done a second time; retry it under the same key", what, does(s))
			}
		}
	})
}

// newKeyBy says by what a new key is made for what a step does, on the way of a
// jump; empty where none is.
func newKeyBy(flow *lint.Flow, jump *lint.Edge, s *lint.Step, effect *lint.Effect) string {
	to := jump.To
	switch {
	case to == s && effect.Written == nil && !jump.Lets().Meets(effect.Unknown()):
		return "the step itself, which is a new operation with a new key"
	case to != s && sameOperation(to, s) && to.Effect().Effectful && !sameKey(to.Effect(), effect):
		return fmt.Sprintf("step %s, which does the same under another key", quote(to.ID()))
	case effect.Written != nil && to != s && flow.Leads(to, s, nil):
		for _, e := range effect.Written.Value.Uses() {
			if e.Root == expression.Steps && e.Owner == to.ID() {
				return fmt.Sprintf("step %s, which makes a new key", quote(to.ID()))
			}
		}
	}
	return ""
}

func sameOperation(a, b *lint.Step) bool {
	return a.Target.Kind == lint.CallTarget && a.Target.Operation == b.Target.Operation
}

// sameKey tells whether two steps send the same key.
func sameKey(a, b *lint.Effect) bool {
	return a.Written != nil && b.Written != nil && keyText(a) == keyText(b)
}

// keyText gives the key that a step writes, in one form for one meaning.
func keyText(e *lint.Effect) string {
	if e.Written == nil || e.Written.Value == nil || len(e.Written.Value.Faults) > 0 {
		return ""
	}
	text := e.Written.Value.Node.Text
	if e.Written.Value.Compiled.IsWhole() && strings.HasPrefix(text, "$") {
		text = "{" + text + "}"
	}
	return text
}

func checkRetention(p *lint.Pass) {
	eachEffect(p, func(s *lint.Step, effect *lint.Effect) {
		for _, e := range retriesOf(s) {
			if span := outruns(e, effect); span > 0 {
				p.Reportf(placeOf(e.Action), "the retries of %s go on for %s, and the server keeps its key for %s: the last ones would be new requests",
					does(s), inWords(span), inWords(effect.Plan.Dialect.Retention))
			}
		}
	})
}

// spanOf gives the time from the first attempt to the last retry that an action
// makes, the attempts themselves left out.
func spanOf(a *lint.Action) time.Duration {
	factor, limit := 0.0, time.Duration(0)
	if b := a.Model.Backoff; b != nil {
		factor, limit = secondsOf(b.Factor), inSeconds(secondsOf(b.Max))
	}
	var span time.Duration
	const counted = 1000 // retries beyond this change nothing that is asked here
	for used := range min(limitOf(a), counted) {
		wait := idempotency.Backoff(waitOf(a), factor, limit, used)
		if span > math.MaxInt64-wait {
			return math.MaxInt64
		}
		span += wait
	}
	return span
}

// waitOf gives the wait before the first retry.
func waitOf(a *lint.Action) time.Duration { return inSeconds(secondsOf(a.Model.RetryAfter)) }

func inSeconds(n float64) time.Duration {
	if !(n > 0) { // true for NaN too
		return 0
	}
	return time.Duration(min(n, maxSeconds) * float64(time.Second))
}

// maxSeconds is more than any wait that is meant: a year.
const maxSeconds = 365 * 24 * 3600

// inWords writes a time for people, long ones roughly.
func inWords(d time.Duration) string {
	for _, unit := range []struct {
		length time.Duration
		least  int
		word   string
	}{{24 * time.Hour, 2, "day"}, {time.Hour, 1, "hour"}, {time.Minute, 1, "minute"}} {
		rounded := d.Round(unit.length)
		switch n := int(rounded / unit.length); {
		case n < unit.least:
		case rounded == d:
			return plural(n, unit.word)
		case n >= 10 || unit.word == "day":
			return "about " + plural(n, unit.word)
		}
	}
	return d.Round(time.Second).String()
}
