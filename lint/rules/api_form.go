package rules

import (
	"slices"
	"strings"

	"github.com/weft-flow/weft/arazzo"
	"github.com/weft-flow/weft/arazzo/value"
	"github.com/weft-flow/weft/lint"
	"github.com/weft-flow/weft/lint/reason"
)

// formConstant holds a constant part of a form against the schemas that it may be of,
// and gives the faults of the one that is nearest. What is written as text is read as
// what is expected, where it can be: the rest depends on the server.
func (c *payloadCheck) formConstant(n *arazzo.Node, v value.Value, schema reason.Schema, at value.Pointer) []payloadFault {
	if v.Kind() != value.KindObject {
		return c.fieldConstant(n, v, schema, at)
	}
	if len(at) > 0 || !schema.Types().Has(reason.Object) {
		return nil // how an object is written in a field depends on its encoding
	}
	var best []payloadFault
	first := true
	for _, form := range schema.Forms() {
		if !form.Types().Has(reason.Object) {
			continue
		}
		if faults := c.fields(n, v, form); first || len(faults) < len(best) {
			best, first = faults, false
		}
	}
	return best
}

// fields holds the fields of a form against one form of its schema.
func (c *payloadCheck) fields(n *arazzo.Node, v value.Value, form reason.Schema) []payloadFault {
	var faults []payloadFault
	there := make(map[string]bool)
	for _, m := range v.Members() {
		there[m.Name] = true
		field, at := n.Get(m.Name), value.Pointer{m.Name}
		next, presence := form.Step(m.Name)
		switch {
		case field == nil:
		case presence == reason.Impossible:
			faults = append(faults, payloadFault{rule: constantFault, at: c.named(field), pointer: at,
				message: c.about("unknown property " + quote(m.Name) + lint.DidYouMean(m.Name, form.Names(), "its properties"))})
		case presence > reason.Undeclared:
			faults = append(faults, c.fieldConstant(field, m.Value, next, at)...)
		}
	}
	for _, name := range form.Required() {
		if !there[name] {
			faults = append(faults, payloadFault{rule: constantFault, at: c.at(n), pointer: value.Pointer{name},
				message: c.about("missing required property " + quote(name))})
		}
	}
	return faults
}

// fieldConstant holds the text of one field against its schema: it can be no number
// that it does not write, and none of the listed values but itself. How a boolean is
// written differs, and an empty text may stand for none.
func (c *payloadCheck) fieldConstant(n *arazzo.Node, v value.Value, schema reason.Schema, at value.Pointer) []payloadFault {
	types := schema.Types()
	if !v.IsScalar() || v.Text() == "" || !schema.IsKnown() || schema.IsImpossible() || types.Has(reason.Bool) {
		return nil
	}
	message := ""
	if values, ok := schema.Values(); ok {
		if !slices.ContainsFunc(values, func(w value.Value) bool { return w.Text() == v.Text() || value.LooseEqual(v, w) }) {
			message = "expected one of " + strings.Join(textsOf(values), ", ")
		}
	} else if types&^(reason.Number|reason.Null) == 0 && plainly(v).Kind() != value.KindNumber {
		message = "expected " + article(types) + ", this is " + quote(v.Text())
	}
	if message == "" {
		return nil
	}
	return []payloadFault{{rule: constantFault, at: c.at(n), pointer: at, message: c.about(message)}}
}
