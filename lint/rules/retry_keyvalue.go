package rules

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/google/uuid"

	"github.com/weft-flow/weft/arazzo"
	"github.com/weft-flow/weft/arazzo/expression"
	"github.com/weft-flow/weft/arazzo/value"
	"github.com/weft-flow/weft/idempotency"
	"github.com/weft-flow/weft/lint"
)

// keyValueRules are about what a key is made of.
func keyValueRules() []lint.Rule {
	return []lint.Rule{
		{
			Name: "idempotency-key-unique", Layer: lint.Semantics, Severity: lint.Error,
			Summary: "An idempotency key is not unique to one operation of one order.",
			Why: "A constant key makes every order after the first one a repeat of it: the server answers with the old " +
				"result, and nothing is done (an error), also where a step hands the constant to the workflow that it calls. The same " +
				"holds for one key that two operations bear, or one operation that is meant twice: in two steps after each other, in " +
				"two calls of a workflow, in a loop; and for a key made of what many orders have in common, such as the customer " +
				"(warnings). To go on under the same key after a failure, or after asking, is what a key is for.",
			Avoid:  "- {name: Idempotency-Key, in: header, value: create-order}\n",
			Prefer: "- {name: Idempotency-Key, in: header, value: 'create-{$inputs.orderReference}'}\n",
			Check:  checkKeyUnique,
		},
		{
			Name: "key-format", Layer: lint.Semantics, Severity: lint.Warn,
			Summary: "An idempotency key breaks the schema of its header, or the rules of its dialect.",
			Why: "Weft fails the step before anything is sent; a server refuses the key, or cuts it off so that two " +
				"orders share it.",
			Avoid:  "- {name: Repeatability-Request-ID, in: header, value: 'order-{$inputs.reference}'} # has to be a UUID\n",
			Prefer: "- {name: Repeatability-Request-ID, in: header, value: $inputs.requestId} # format: uuid\n",
			Check:  checkKeyFormat,
		},
	}
}

func checkKeyUnique(p *lint.Pass) {
	seen := make(map[*arazzo.Node]bool) // what several steps have of their workflow
	for _, w := range p.Workflows {
		for _, s := range w.Steps {
			checkKeyHanded(p, s)
			effect := s.Effect()
			if effect == nil || !effect.Effectful || seen[keyWritten(effect)] {
				continue
			}
			if checkKeyConstant(p, s, effect) || checkKeyShared(p, s, effect) {
				seen[keyWritten(effect)] = true
			}
		}
		checkKeyOnce(p, w)
		checkKeyAgain(p, w)
		if isConstant(w.Key) {
			reportConstant(p, w.Key.Node, "the business key")
		}
	}
}

// keyWritten is where a document writes the key, or the business key, of what a step
// does; nil where it writes none.
func keyWritten(effect *lint.Effect) *arazzo.Node {
	switch {
	case effect.Written != nil:
		return effect.Written.Written.Node
	case effect.Business != nil:
		return effect.Business.Node
	default:
		return nil
	}
}

// isConstant tells whether a value is the same in every run.
func isConstant(v *lint.Value) bool {
	if v == nil || len(v.Faults) > 0 || v.Node.Kind == value.KindNull {
		return false
	}
	if _, constant := v.Compiled.Constant(); constant {
		return !lint.LooksDynamic(v.Node.Text) || isNoVariable(v.Node.Text)
	}
	uses := v.Uses()
	for _, e := range uses {
		if e.Root != expression.SourceDescriptions && e.Root != expression.Self && e.Root != expression.Method && e.Root != expression.Components {
			return false
		}
	}
	return len(uses) > 0
}

// noVariable is a word with a dollar before it.
var noVariable = regexp.MustCompile(`^\$[A-Za-z]\w*$`)

// isNoVariable tells whether a text is such a word as other tools replace, $guid say,
// and no misspelt expression: it is sent as it is.
func isNoVariable(text string) bool {
	_, near := expression.LooksLike(text)
	return noVariable.MatchString(text) && !near
}

// checkKeyConstant reports a constant key. It tells whether the step writes one.
func checkKeyConstant(p *lint.Pass, s *lint.Step, effect *lint.Effect) bool {
	switch {
	case effect.Written != nil && (isConstant(effect.Written.Value) || isOneInput(s.Workflow, effect.Written.Value)):
		reportConstant(p, effect.Written.Model.Value, "the key of "+does(s))
		return true
	case isConstant(s.Key):
		reportConstant(p, s.Key.Node, "the business key of "+does(s))
	}
	return false
}

// isOneInput tells whether a value is made of inputs alone that have one value by
// their schemas.
func isOneInput(w *lint.Workflow, v *lint.Value) bool {
	uses := v.Uses()
	return len(uses) > 0 && !slices.ContainsFunc(uses, func(e *expression.Expression) bool {
		if e.Root != expression.Inputs || len(e.Pointer) > 0 {
			return true
		}
		property := inputNamed(w, e.Name)
		return property == nil || property.Get("const") == nil
	})
}

func reportConstant(p *lint.Pass, key *arazzo.Node, what string) {
	f := lint.Finding{At: lint.At(key), Message: what + " is the same in every run: each order after the first is taken for a repeat of it"}
	if isNoVariable(key.Text) {
		f.Help = key.Text + " is no runtime expression, and is sent as it is"
	}
	p.Report(f)
}

// checkKeyShared reports a key that is made of nothing but what many orders have in
// common. It tells whether the step writes one.
func checkKeyShared(p *lint.Pass, s *lint.Step, effect *lint.Effect) bool {
	key, at, what := effect.Business, (*arazzo.Node)(nil), "the business key of "
	if effect.Written != nil {
		key, at, what = effect.Written.Value, effect.Written.Model.Value, "the key of "
	} else if key != nil && effect.Plan.Source != idempotency.FromNone {
		at = key.Node
	} else {
		return false
	}
	uses := key.Uses()
	var names []string
	for _, e := range uses {
		name, known := lastName(e)
		if !known || !isSharedValue(s.Workflow, e, name) {
			return false
		}
		names = append(names, name)
	}
	if len(names) == 0 {
		return false
	}
	p.Report(lint.Finding{
		At: lint.At(at), Severity: lint.Warn,
		Message: fmt.Sprintf("%s%s is made of %s alone, which several orders have in common: the second of them is taken for a repeat",
			what, does(s), strings.Join(names, ", ")),
	})
	return true
}

// lastName gives the name of what an expression leads to.
func lastName(e *expression.Expression) (string, bool) {
	if len(e.Pointer) > 0 {
		return e.Pointer[len(e.Pointer)-1], true
	}
	return e.Name, e.Name != "" && (e.Root == expression.Inputs || e.Root == expression.Steps || e.Root == expression.Workflows)
}

// isSharedValue tells whether a value is one that many orders have: by its name,
// or as an input that has few values.
func isSharedValue(w *lint.Workflow, e *expression.Expression, name string) bool {
	if lint.IsShared(name) {
		return true
	}
	if e.Root != expression.Inputs || len(e.Pointer) > 0 {
		return false
	}
	property := inputNamed(w, e.Name)
	if property == nil {
		return false
	}
	kind := property.Get("type")
	return property.Get("enum") != nil || property.Get("const") != nil || kind != nil && kind.Text == "boolean"
}

func inputNamed(w *lint.Workflow, name string) *arazzo.Node {
	for _, property := range ownInputs(w.Model.Inputs) {
		if property.Token() == name {
			return property
		}
	}
	return nil
}

func checkKeyFormat(p *lint.Pass) {
	for _, s := range p.Steps() {
		effect := s.Effect()
		if effect == nil || effect.Written == nil || effect.Written.Value == nil || len(effect.Written.Value.Faults) > 0 {
			continue
		}
		if fault := keyFault(s, effect); fault != "" {
			p.Reportf(lint.At(effect.Written.Model.Value), "the key of %s cannot be sent as %s: %s", does(s), effect.Plan.Dialect.Header, fault)
		}
	}
}

// keyFault says what is wrong with a key as far as it can be seen before the run;
// empty where nothing can.
func keyFault(s *lint.Step, effect *lint.Effect) string {
	v := effect.Written.Value
	if constant, ok := v.Compiled.Constant(); ok {
		if lint.LooksDynamic(v.Node.Text) {
			return ""
		}
		if _, err := effect.Plan.Dialect.Accept(constant.Text()); err != nil {
			return strings.TrimPrefix(err.Error(), idempotency.ErrKey.Error()+": ")
		}
		return schemaFault(effect, constant.Text())
	}
	if v.Compiled.IsWhole() {
		return wholeFault(s, effect)
	}
	return templateFault(s, effect, v.Node.Text)
}

// schemaFault says how a text breaks the declared schema of the header.
func schemaFault(effect *lint.Effect, text string) string {
	if effect.Declared == nil || effect.Declared.Schema == nil {
		return ""
	}
	schema, length := effect.Declared.Schema, uint64(utf8.RuneCountInString(text))
	switch {
	case length < schema.MinLength:
		return fmt.Sprintf("it has %d characters, the API wants %d at least", length, schema.MinLength)
	case schema.Format == "uuid" && uuid.Validate(text) != nil:
		return "the API wants a UUID"
	}
	if pattern, err := regexp.Compile(schema.Pattern); err == nil && schema.Pattern != "" && !pattern.MatchString(text) {
		return "it does not match the API's pattern " + schema.Pattern
	}
	return ""
}

func wantsUUID(effect *lint.Effect) bool {
	return effect.Plan.Dialect.Format == idempotency.UUID ||
		effect.Declared != nil && effect.Declared.Schema != nil && effect.Declared.Schema.Format == "uuid"
}

// wholeFault looks at a key that is wholly an input: its schema says what it can be.
func wholeFault(s *lint.Step, effect *lint.Effect) string {
	uses := effect.Written.Value.Uses()
	if len(uses) != 1 || uses[0].Root != expression.Inputs || len(uses[0].Pointer) > 0 {
		return ""
	}
	property := inputNamed(s.Workflow, uses[0].Name)
	kind := property.Get("type")
	if wantsUUID(effect) && kind != nil && (kind.Text == "integer" || kind.Text == "number" || kind.Text == "boolean") {
		return fmt.Sprintf("it has to be a UUID, and input %s is of type %s", quote(uses[0].Name), kind.Text)
	}
	return tooLong(effect, leastLength(s.Workflow, uses[0]))
}

// templateFault looks at the literal text of a key.
func templateFault(s *lint.Step, effect *lint.Effect, text string) string {
	segments, err := expression.ParseEmbedded(text, s.Workflow.Names)
	if err != nil {
		return ""
	}
	least := 0
	var literal strings.Builder
	for _, segment := range segments {
		if segment.Expression != nil {
			least += leastLength(s.Workflow, segment.Expression)
			continue
		}
		least += len(segment.Text)
		literal.WriteString(segment.Text)
	}
	switch {
	case strings.ContainsFunc(literal.String(), func(r rune) bool { return r < 0x20 || r > 0x7e }):
		return "it holds a character that no header field may hold"
	case wantsUUID(effect) && strings.Trim(literal.String(), "0123456789abcdefABCDEF-") != "":
		return "it has to be a UUID, and is put together from other text"
	case effect.Plan.Dialect.Format == idempotency.SFString && !strings.HasPrefix(text, `"`) && segments[0].Expression == nil:
		return `it has to stand in double quotes (a string of Structured Fields)`
	}
	if effect.Plan.Dialect.Format == idempotency.SFString {
		least -= 2
	}
	return tooLong(effect, least)
}

func tooLong(effect *lint.Effect, least int) string {
	if most := effect.Plan.Dialect.MaxLength; most > 0 && least > most {
		return fmt.Sprintf("it has at least %d characters, and at most %d are allowed", least, most)
	}
	return ""
}

// leastLength gives the least length that the value of an input can have.
func leastLength(w *lint.Workflow, e *expression.Expression) int {
	if e.Root != expression.Inputs || len(e.Pointer) > 0 {
		return 0
	}
	least := inputNamed(w, e.Name).Get("minLength")
	if least == nil || least.Kind != value.KindNumber {
		return 0
	}
	n, whole := least.Value().Int64()
	if !whole || n < 0 || n > 1<<20 {
		return 0
	}
	return int(n)
}
