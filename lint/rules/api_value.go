package rules

import (
	"fmt"
	"slices"
	"strings"

	"github.com/weft-flow/weft/arazzo/check"
	"github.com/weft-flow/weft/arazzo/dynamic"
	"github.com/weft-flow/weft/arazzo/source"
	"github.com/weft-flow/weft/arazzo/value"
	"github.com/weft-flow/weft/lint"
	"github.com/weft-flow/weft/lint/reason"
)

func checkParameterValues(p *lint.Pass) {
	checkMessageValues(p)
	for _, s := range calls(p) {
		declared(s, func(q *lint.Parameter, d *source.Parameter) {
			v, ok := q.Value.Compiled.Constant()
			if !ok || v.IsNull() || d.Schema == nil {
				return
			}
			for _, message := range refusals(p, s.Target.Operation, d, v) {
				p.Report(lint.Finding{
					At: valueOfParameter(q), Severity: unlessRefusalExpected(s),
					Message: fmt.Sprintf("the %s parameter %s of operation %s: %s", d.In, quote(d.Name), quote(s.Target.Operation.Label()), message),
				})
			}
		})
	}
}

// refusals tells why a constant is no value of a parameter, in any way in which it
// can be written as text; none where it may be one.
func refusals(p *lint.Pass, op *source.Operation, d *source.Parameter, v value.Value) []string {
	if text, isText := v.Str(); isText || v.IsScalar() {
		if !isText {
			text = v.Text()
		}
		return messages(p.Checker().Text(op, d, text))
	}
	schema := check.ParameterSchema(op, d)
	var first []string
	for i, reading := range readings(v) {
		found := messages(p.Checker().Against(schema, reading))
		if len(found) == 0 {
			return nil
		}
		if i == 0 {
			first = found
		}
	}
	if d.ContentType == "" && lint.DescribedSchema(schema).Types().Has(reason.String) {
		return nil // a text may be what the list or the object is written as
	}
	return first
}

// messages gives what a check has found. What it left unchecked is no finding.
func messages(r check.Result) []string {
	var all []string
	for _, f := range r.Findings {
		message := f.Message
		if f.Pointer != "" {
			message = "at " + f.Pointer + ": " + message
		}
		all = append(all, message)
	}
	return all
}

// readings gives what a list or an object can be read as after it was written as
// text, which does not tell 5 from "5": itself first.
func readings(v value.Value) []value.Value {
	asText := func(v value.Value) value.Value { return value.String(v.Text()) }
	return []value.Value{v, eachScalar(v, asText), eachScalar(v, plainly)}
}

// plainly reads a text as the number or the boolean that it writes.
func plainly(v value.Value) value.Value {
	text := v.Text()
	if n, err := value.Number(text); err == nil {
		return n
	}
	if text == "true" || text == "false" {
		return value.Bool(text == "true")
	}
	return v
}

// eachScalar gives a value with another in place of each scalar in it.
func eachScalar(v value.Value, replace func(value.Value) value.Value) value.Value {
	switch v.Kind() {
	case value.KindArray:
		items := make([]value.Value, v.Len())
		for i, item := range v.Items() {
			items[i] = eachScalar(item, replace)
		}
		return value.Array(items...)
	case value.KindObject:
		members := make([]value.Member, 0, v.Len())
		for _, m := range v.Members() {
			members = append(members, value.Member{Name: m.Name, Value: eachScalar(m.Value, replace)})
		}
		return value.Object(members...)
	default:
		return replace(v)
	}
}

func checkTypeFlow(p *lint.Pass) {
	for _, s := range calls(p) {
		declared(s, func(q *lint.Parameter, d *source.Parameter) {
			if _, constant := q.Value.Compiled.Constant(); constant || d.Schema == nil {
				return
			}
			from := q.Value.Schema()
			into := lint.DescribedSchema(check.ParameterSchema(s.Target.Operation, d))
			if d.ContentType == "" && isWordy(q.Value.Compiled, into) {
				p.Reportf(valueOfParameter(q), "%s is text that is no number, and the %s parameter %s of operation %s takes %s",
					short(q.Value.Compiled.String()), d.In, quote(d.Name), quote(s.Target.Operation.Label()), article(into.Types()))
				return
			}
			if !textExcluded(p, s.Target.Operation, d, from, into) {
				return
			}
			p.Reportf(valueOfParameter(q), "%s, and the %s parameter %s of operation %s %s",
				gives(q.Value.Compiled.String(), from), d.In, quote(d.Name), quote(s.Target.Operation.Label()), takes(from, into))
		})
		eachPayloadFault(p, s, func(f payloadFault) {
			if f.rule == flowFault {
				p.Reportf(f.at, "%s", f.message)
			}
		})
	}
	for _, s := range p.Steps() {
		eachMessageFault(p, s, func(f payloadFault) {
			if f.rule == flowFault {
				p.Reportf(f.at, "%s", f.message)
			}
		})
	}
	for _, c := range workflowCalls(p) {
		checkInputFlow(p, c)
	}
}

// inNumbers are the characters that numbers, true and false are written with.
const inNumbers = "0123456789+-.Etruefalse"

// isWordy tells whether a text with expressions in it can be no number, whatever they
// give, where one is taken: what is written beside them does not stand in any.
func isWordy(v *dynamic.Value, into reason.Schema) bool {
	const scalars = reason.Number | reason.Bool | reason.Null
	if !v.IsTemplate() || into.Types()&^scalars != 0 || into.Types()&^reason.Null == 0 {
		return false
	}
	return slices.ContainsFunc(v.Literals(), func(literal string) bool {
		return strings.ContainsFunc(literal, func(r rune) bool { return !strings.ContainsRune(inNumbers, r) })
	})
}

// textExcluded tells whether no value of an expression can be written as one of a
// parameter. Where the possible values are listed, each is tried.
func textExcluded(p *lint.Pass, op *source.Operation, d *source.Parameter, from, into reason.Schema) bool {
	if into.IsImpossible() || from.IsImpossible() {
		return false // a fault of the schema
	}
	if d.ContentType != "" {
		return false // written as JSON or something else
	}
	if reason.TextDisjoint(from, into) {
		return true
	}
	values, listed := from.Values()
	if !listed || from.Types()&^(reason.String|reason.Number) != 0 {
		return false
	}
	return !slices.ContainsFunc(values, func(v value.Value) bool { return len(messages(p.Checker().Text(op, d, v.Text()))) == 0 })
}

// gives says of which type the value of an expression is.
func gives(expression string, from reason.Schema) string {
	return fmt.Sprintf("%s is %s", short(expression), article(from.Types()))
}

// takes says what is taken in its place: by type where that tells the difference.
func takes(from, into reason.Schema) string {
	if from.Types()&into.Types() == 0 || from.Types()&into.Types() == reason.Null {
		return "takes " + article(into.Types())
	}
	return "takes none of its values"
}

// article names types for a sentence: "a string or an integer".
func article(t reason.Types) string {
	if t == reason.AnyType {
		return "anything"
	}
	words := t.Words()
	text := ""
	for i, word := range words {
		if i > 0 {
			text += " or "
		}
		switch {
		case word == "null":
			text += word
		case slices.Contains([]string{"integer", "array", "object"}, word):
			text += "an " + word
		default:
			text += "a " + word
		}
	}
	return text
}

// short shortens an expression for a message.
func short(text string) string {
	const limit = 60
	if runes := []rune(text); len(runes) > limit {
		return string(runes[:limit]) + "…"
	}
	return text
}
