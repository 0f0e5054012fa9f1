package reason

import (
	"slices"

	"github.com/weft-flow/weft/arazzo/value"
)

// Place is a schema where it stands.
type Place interface {
	// Value gives the schema as it is written; absent where there is none.
	Value() value.Value
	// ID tells places apart.
	ID() string
	// In gives what stands beneath some keywords and names.
	In(tokens ...string) Place
	// Follow gives the schema that the $ref leads to; false where there is none,
	// or it leads nowhere.
	Follow() (Place, bool)
	// RefAlone tells that beside a $ref nothing else counts.
	RefAlone() bool
	// Nullable tells whether null is allowed besides what the schema says else.
	Nullable() bool
	// IsExempt tells whether a property that the schema here describes need not be
	// there, although it is required.
	IsExempt(property string) bool
	// IsForeign tells that the schema is of a kind that is not understood.
	IsForeign() bool
}

// Schema is what is known of a value: that it is of one of several forms. The
// zero Schema knows nothing, and anything is possible. It does not change, but keeps
// the steps that were taken from it: it is for one goroutine at a time.
type Schema struct {
	known bool
	forms []form           // none, where something is known: no value is possible
	steps map[string]*step // taken before; nil where none are kept
}

// step is where a step led to.
type step struct {
	to       Schema
	presence Presence
}

// form is one of the alternatives that a schema comes down to: all of its parts
// hold, each without the keywords that combine schemas.
type form struct {
	from   []Place // the schemas that it was read of
	parts  []Place
	types  Types
	values []value.Value // the possible ones; nil: not listed
	open   bool          // something that may say more of it was not understood
}

// anything is the form of which nothing is known.
func anything() form { return form{types: AnyType} }

// Of gives what the schema at a place says; nothing is known where there is none.
func Of(p Place) Schema {
	if p == nil || p.Value().IsAbsent() {
		return Schema{}
	}
	r := &reader{left: maxSchemas}
	return Schema{known: true, forms: r.whole(p), steps: make(map[string]*step)}
}

// OfTypes gives a value of which the types alone are known.
func OfTypes(t Types) Schema {
	return Schema{known: true, forms: []form{{types: t}}}
}

// OfValue gives a value that is known.
func OfValue(v value.Value) Schema {
	if v.IsAbsent() {
		return Schema{}
	}
	return Schema{known: true, forms: []form{{types: typeOf(v), values: []value.Value{v}}}}
}

// Union gives a value that one of the schemas describes; of none nothing is known.
func Union(schemas ...Schema) Schema {
	var all Schema
	for _, s := range schemas {
		if !s.known {
			return Schema{}
		}
		all.known = true
		all.forms = append(all.forms, s.forms...)
	}
	if len(all.forms) > maxForms {
		return Schema{}
	}
	return all
}

// Forms gives the forms that a value may have, each as a schema of its own.
func (s Schema) Forms() []Schema {
	all := make([]Schema, len(s.forms))
	for i := range s.forms {
		all[i] = Schema{known: true, forms: s.forms[i : i+1]}
	}
	return all
}

// Places gives the schemas that a value is held against: all of a list, in one
// of the lists.
func (s Schema) Places() [][]Place {
	var all [][]Place
	for _, f := range s.forms {
		if len(f.from) > 0 && !slices.ContainsFunc(all, func(l []Place) bool { return slices.EqualFunc(l, f.from, samePlace) }) {
			all = append(all, f.from)
		}
	}
	return all
}

func samePlace(p, q Place) bool { return p.ID() == q.ID() }

// IsKnown tells whether anything is known.
func (s Schema) IsKnown() bool { return s.known }

// IsImpossible tells whether no value is possible for certain.
func (s Schema) IsImpossible() bool { return s.known && len(s.forms) == 0 }

// Types gives the types that a value may be of.
func (s Schema) Types() Types {
	if !s.known {
		return AnyType
	}
	var t Types
	for _, f := range s.forms {
		t |= f.types
	}
	return t
}

// Values lists the possible values, where there are only so many.
func (s Schema) Values() (values []value.Value, ok bool) {
	if !s.known {
		return nil, false
	}
	for _, f := range s.forms {
		listed, ok := f.list()
		if !ok {
			return nil, false
		}
		for _, v := range listed {
			if !holdsValue(values, v) {
				values = append(values, v)
			}
		}
	}
	return values, len(values) > 0
}

// list gives the possible values of a form.
func (f form) list() ([]value.Value, bool) {
	if f.values != nil {
		return f.values, true
	}
	if f.types&^(Null|Bool) != 0 {
		return nil, false
	}
	var all []value.Value
	if f.types.Has(Bool) {
		all = append(all, value.Bool(true), value.Bool(false))
	}
	if f.types.Has(Null) {
		all = append(all, value.Null)
	}
	return all, true
}

func holdsValue(values []value.Value, v value.Value) bool {
	return slices.ContainsFunc(values, func(w value.Value) bool { return value.Identical(v, w) })
}

// and gives the form in which both hold; false where they cannot.
func (f form) and(g form) (form, bool) {
	both := form{
		from:  slices.Concat(f.from, g.from),
		parts: slices.Concat(f.parts, g.parts),
		types: f.types & g.types,
		open:  f.open || g.open,
	}
	switch {
	case f.values == nil:
		both.values = g.values
	case g.values == nil:
		both.values = f.values
	default:
		both.values = slices.DeleteFunc(slices.Clone(f.values), func(v value.Value) bool { return !holdsValue(g.values, v) })
	}
	return both.narrowed()
}

// narrowed leaves of a form's values and types those that fit each other.
func (f form) narrowed() (form, bool) {
	if f.values != nil {
		f.values = slices.DeleteFunc(slices.Clone(f.values), func(v value.Value) bool { return !f.types.Has(typeOf(v)) })
		var types Types
		for _, v := range f.values {
			types |= typeOf(v)
		}
		f.types &= types
	}
	return f, f.types != 0
}
