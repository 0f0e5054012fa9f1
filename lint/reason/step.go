package reason

import (
	"regexp"
	"slices"
	"strconv"

	"github.com/weft-flow/weft/arazzo/value"
)

// Presence says what a schema says of something in a value.
type Presence uint8

// What can be said, the weaker before the stronger.
const (
	Impossible Presence = iota // it cannot be there
	Undeclared                 // it is not named where others are, and not ruled out
	Unknown                    // it may be there
	Declared                   // it is described
)

// Step gives what is known of the member or element that a token of a JSON
// Pointer names. Where it is described in some forms of the value and not named
// in others, it is taken for what it is described as.
func (s Schema) Step(token string) (Schema, Presence) {
	if !s.known {
		return Schema{}, Unknown
	}
	if known := s.steps[token]; known != nil {
		return known.to, known.presence
	}
	to, presence := s.step(token)
	if s.steps != nil {
		if to.known {
			to.steps = make(map[string]*step)
		}
		s.steps[token] = &step{to, presence}
	}
	return to, presence
}

func (s Schema) step(token string) (Schema, Presence) {
	best := Impossible
	var found []Schema
	for _, f := range s.forms {
		next, presence := f.step(token)
		if presence <= Undeclared {
			best = max(best, presence)
			continue
		}
		best = max(best, presence)
		found = append(found, next)
	}
	return Union(found...), best
}

// Path gives what is known of what a JSON Pointer names. Where it leads no
// further, at counts the tokens before the one that is at fault.
func (s Schema) Path(pointer []string) (found Schema, presence Presence, at int) {
	presence = Declared
	for i, token := range pointer {
		next, here := s.Step(token)
		if here <= Undeclared {
			return Schema{}, here, i
		}
		presence = min(presence, here)
		s = next
	}
	return s, presence, len(pointer)
}

// Names lists the properties that are named.
func (s Schema) Names() []string {
	var names []string
	for _, f := range s.forms {
		for _, p := range f.parts {
			for _, m := range p.Value().Get("properties").Members() {
				if !slices.Contains(names, m.Name) {
					names = append(names, m.Name)
				}
			}
		}
	}
	return names
}

// Required lists the properties without which no object fits.
func (s Schema) Required() []string {
	var common []string
	first := true
	for _, f := range s.forms {
		if !f.types.Has(Object) {
			continue
		}
		names := f.required()
		if first {
			common, first = names, false
			continue
		}
		common = slices.DeleteFunc(common, func(name string) bool { return !slices.Contains(names, name) })
	}
	return common
}

func (f form) required() []string {
	var names []string
	for _, p := range f.parts {
		for _, item := range p.Value().Get("required").Items() {
			name, ok := item.Str()
			exempt := slices.ContainsFunc(f.parts, func(q Place) bool { return q.IsExempt(name) })
			if ok && !exempt && !slices.Contains(names, name) {
				names = append(names, name)
			}
		}
	}
	return names
}

// step gives what a form says of the member or element of that name.
func (f form) step(token string) (Schema, Presence) {
	if len(f.parts) == 0 && f.values != nil {
		return f.within(token)
	}
	best, found := Impossible, []Schema(nil)
	try := func(next Schema, presence Presence) {
		best = max(best, presence)
		if presence > Undeclared {
			found = append(found, next)
		}
	}
	if f.types.Has(Object) {
		try(f.property(token))
	}
	if index, ok := value.ArrayIndex(token); ok && f.types.Has(Array) {
		try(f.element(index))
	}
	return Union(found...), best
}

// within looks into values that are known.
func (f form) within(token string) (Schema, Presence) {
	var found []Schema
	for _, v := range f.values {
		if next := (value.Pointer{token}).In(v); !next.IsAbsent() {
			found = append(found, OfValue(next))
		}
	}
	if found == nil {
		return Schema{}, Impossible
	}
	return Union(found...), Declared
}

// property gives what the parts of a form say of a property together.
func (f form) property(name string) (Schema, Presence) {
	w := &way{reader: reader{left: maxSchemas}, forms: []form{anything()}, open: f.open}
	for _, p := range f.parts {
		w.property(p, name)
	}
	switch {
	case w.declared:
	case w.closed, w.closedBeyond && !w.covered && !w.open:
		return Schema{}, Impossible
	case w.covered || w.open || !w.names:
		return Schema{known: true, forms: w.forms}, Unknown
	default:
		return Schema{}, Undeclared
	}
	return Schema{known: true, forms: w.forms}, Declared
}

// way is the way from a form to a member or an element.
type way struct {
	reader
	forms        []form
	declared     bool // it is named
	covered      bool // something is said of all that are not named
	closed       bool // a part takes none that it does not name itself
	closedBeyond bool // none may be that no part names
	names        bool // some properties are named
	open         bool
}

func (w *way) take(p Place) { w.forms = product(w.forms, w.whole(p)) }

func (w *way) property(p Place, name string) {
	v := p.Value()
	properties := v.Get("properties")
	w.names = w.names || properties.Len() > 0
	here := false
	if !properties.Get(name).IsAbsent() {
		w.take(p.In("properties", name))
		w.declared, here = true, true
	}
	for _, m := range v.Get("patternProperties").Members() {
		pattern, err := regexp.Compile(m.Name)
		switch {
		case err != nil:
			w.open, here = true, true // it may be meant
		case pattern.MatchString(name):
			w.take(p.In("patternProperties", m.Name))
			w.covered, here = true, true
		}
	}
	if !here {
		w.rest(p, v.Get("additionalProperties"), "additionalProperties", &w.closed)
	}
	w.rest(p, v.Get("unevaluatedProperties"), "unevaluatedProperties", &w.closedBeyond)
}

// rest looks at what a schema says of those that it does not name.
func (w *way) rest(p Place, v value.Value, keyword string, closed *bool) {
	is, isFlag := v.Bool()
	switch {
	case v.IsAbsent():
	case isFlag && !is:
		*closed = true
	case keyword == "additionalProperties" && !isFlag:
		w.take(p.In(keyword))
		fallthrough
	default:
		w.covered = true
	}
}

// element gives what the parts of a form say of an element together.
func (f form) element(index int) (Schema, Presence) {
	w := &way{reader: reader{left: maxSchemas}, forms: []form{anything()}, open: f.open}
	for _, p := range f.parts {
		w.element(p, index)
	}
	switch {
	case w.closed:
		return Schema{}, Impossible
	case w.declared:
		return Schema{known: true, forms: w.forms}, Declared
	default:
		return Schema{known: true, forms: w.forms}, Unknown
	}
}

func (w *way) element(p Place, index int) {
	v := p.Value()
	if most, ok := v.Get("maxItems").Int64(); ok && int64(index) >= most {
		w.closed = true
	}
	if index < v.Get("prefixItems").Len() {
		w.take(p.In("prefixItems", strconv.Itoa(index)))
		w.declared = true
		return
	}
	items := v.Get("items")
	if is, ok := items.Bool(); ok && !is {
		w.closed = true
	}
	if items.Kind() == value.KindObject {
		w.take(p.In("items"))
		w.declared = true
	}
}
