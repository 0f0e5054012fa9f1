package reason

import (
	"slices"
	"strconv"

	"github.com/weft-flow/weft/arazzo/value"
)

// The limits of what is read of one schema. Beyond them it is open.
const (
	maxSchemas = 2000
	maxDepth   = 60 // schemas that hold of the same value, one within the other
	maxForms   = 64
)

// reader takes a schema apart.
type reader struct{ left int }

// unread is what a schema comes down to that was not understood.
func unread() []form { return []form{{types: AnyType, open: true}} }

// whole gives the forms of a schema that stands for itself.
func (r *reader) whole(p Place) []form {
	forms := slices.Clone(r.read(p, 0))
	for i := range forms {
		forms[i].from = []Place{p}
	}
	return forms
}

// read gives the forms of the schema at a place.
func (r *reader) read(p Place, depth int) []form {
	v := p.Value()
	if is, ok := v.Bool(); ok {
		if is {
			return []form{anything()}
		}
		return nil
	}
	r.left--
	if v.Kind() != value.KindObject || p.IsForeign() || r.left < 0 || depth > maxDepth {
		return unread()
	}
	forms := r.keywords(p, v, depth)
	if p.Nullable() {
		forms = append(forms, form{types: Null})
	}
	return limited(forms)
}

func (r *reader) keywords(p Place, v value.Value, depth int) []form {
	var forms []form
	ref := v.Get("$ref").Kind() == value.KindString
	if !ref || !p.RefAlone() {
		if own, ok := keywordsOf(p, v); ok {
			forms = []form{own}
		}
	}
	if ref {
		target := unread()
		if to, ok := p.Follow(); ok {
			target = r.read(to, depth+1)
		}
		if p.RefAlone() {
			return target
		}
		forms = product(forms, target)
	}
	for i := range v.Get("allOf").Items() {
		forms = product(forms, r.read(p.In("allOf", strconv.Itoa(i)), depth+1))
	}
	for _, keyword := range []string{"anyOf", "oneOf"} {
		if branches := v.Get(keyword).Len(); branches > 0 {
			forms = product(forms, r.union(p, keyword, branches, depth))
		}
	}
	return forms
}

// union gives the forms of the branches of anyOf and oneOf.
func (r *reader) union(p Place, keyword string, branches, depth int) []form {
	var all []form
	for i := range branches {
		all = append(all, r.read(p.In(keyword, strconv.Itoa(i)), depth+1)...)
	}
	return limited(all)
}

// keywordsOf gives the form of what a schema says by itself; false where no value
// fits.
func keywordsOf(p Place, v value.Value) (form, bool) {
	f := form{parts: []Place{p}, types: named(v.Get("type")), open: saysMore(v)}
	if list := v.Get("enum"); list.Kind() == value.KindArray {
		f.values = list.Items()
	}
	if constant := v.Get("const"); !constant.IsAbsent() && f.values == nil {
		f.values = []value.Value{constant}
	}
	if len(f.values) == 0 {
		f.values = nil
	}
	return f.narrowed()
}

// saysMore tells whether a schema has keywords that may name properties and that
// are not taken apart. One with a discriminator stands for schemas that build on
// it and are known elsewhere.
func saysMore(v value.Value) bool {
	for _, keyword := range []string{"if", "then", "else", "dependentSchemas", "dependencies", "$dynamicRef", "$recursiveRef"} {
		if !v.Get(keyword).IsAbsent() {
			return true
		}
	}
	return !v.Get("discriminator").IsAbsent() && v.Get("oneOf").IsAbsent() && v.Get("anyOf").IsAbsent()
}

// product gives the forms in which one of each list holds.
func product(some, others []form) []form {
	var all []form
	for _, f := range some {
		for _, g := range others {
			if both, ok := f.and(g); ok {
				all = append(all, both)
			}
		}
		if len(all) > maxForms {
			return unread()
		}
	}
	return all
}

func limited(forms []form) []form {
	if len(forms) > maxForms {
		return unread()
	}
	return forms
}
