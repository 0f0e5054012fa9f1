package reason

import (
	"slices"

	"github.com/weft-flow/weft/arazzo/value"
)

// maxFit bounds how deep in objects two schemas are compared.
const maxFit = 5

// Disjoint tells whether for certain no value fits both schemas.
func Disjoint(a, b Schema) bool { return disjoint(a, b, maxFit) }

func disjoint(a, b Schema, left int) bool {
	if !a.known || !b.known || left == 0 {
		return false
	}
	for _, f := range a.forms {
		for _, g := range b.forms {
			if !f.excludes(g, left) {
				return false
			}
		}
	}
	return true
}

// excludes tells whether no value is of both forms.
func (f form) excludes(g form, left int) bool {
	both, ok := f.and(g)
	if !ok {
		return true
	}
	if both.types != Object || both.values != nil {
		return false
	}
	for _, name := range slices.Concat(f.required(), g.required()) {
		s, inF := f.property(name)
		t, inG := g.property(name)
		if inF == Impossible || inG == Impossible || disjoint(s, t, left-1) {
			return true
		}
	}
	return false
}

// TextDisjoint tells whether for certain no value of the first schema, written as
// text in whatever way there is, can be read as one of the second.
func TextDisjoint(from, into Schema) bool { return textDisjoint(from, into, maxFit) }

func textDisjoint(from, into Schema, left int) bool {
	if !from.known || !into.known || left == 0 {
		return false
	}
	for _, f := range from.forms {
		for _, g := range into.forms {
			if !f.textExcludes(g, left) {
				return false
			}
		}
	}
	return true
}

// textExcludes tells whether the text of none of the types of f is one of g. The
// text of a number, say, is one of a string and may be the only element of a
// list, but neither true nor false.
func (f form) textExcludes(g form, left int) bool {
	if len(f.values) > 0 && len(g.values) > 0 && scalars(f.types|g.types) {
		return !slices.ContainsFunc(f.values, func(v value.Value) bool { return holdsText(g.values, v.Text()) })
	}
	may := Types(0)
	for _, w := range textOf {
		if f.types.Has(w.of) {
			may |= w.may
		}
	}
	if g.types.Has(may) {
		return false
	}
	if g.types.Has(Array) && scalars(f.types) {
		items, _ := g.element(0)
		return textDisjoint(Schema{known: true, forms: []form{f}}, items, left-1)
	}
	if f.types.Has(Array) {
		items, _ := f.element(0)
		return textDisjoint(items, Schema{known: true, forms: []form{g}}, left-1)
	}
	return true
}

// textOf says as what the text of a type may be read. Null is left out, and so
// fits.
var textOf = []struct{ of, may Types }{
	{Null, AnyType},
	{Bool, Bool | String},
	{Integer, Number | String},
	{Fraction, Number | String},
	{String, AnyType},
	{Array, Array | Object | String},
	{Object, Object | Array | String},
}

func scalars(t Types) bool { return !t.Has(Array | Object) }

func holdsText(values []value.Value, text string) bool {
	return slices.ContainsFunc(values, func(v value.Value) bool { return v.Text() == text })
}
