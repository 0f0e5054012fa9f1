package mock

import (
	"maps"
	"slices"
	"sync"

	"github.com/getkin/kin-openapi/openapi3"

	"github.com/weft-flow/weft/arazzo/source"
	"github.com/weft-flow/weft/arazzo/value"
)

// extensionName is the field in a schema that tells the mock how a property goes
// on: {then: [VALUE, …]}.
const extensionName = "x-weft-mock"

// together are schemas that all hold for one value; nil: none does. What they come to
// is worked out once, when it is first needed: a mock is asked the same of them with
// every request. It may be used by several goroutines.
type together struct {
	schemas []*openapi3.Schema

	once  sync.Once
	facts facts
}

// facts are what schemas come to.
type facts struct {
	names   []string
	members map[string]*together
	items   *together
	leading []*together // of the first items of a list, where each has its own (prefixItems)
	fixed   value.Value // absent: nothing is
	enum    []value.Value
	then    []value.Value
}

// deepestCombination bounds how far allOf, anyOf and oneOf are followed into each
// other: past it a description speaks of itself.
const deepestCombination = 16

// flatten gives a schema with all that its allOf adds, and of anyOf and oneOf the
// first branch that is not null.
func flatten(schema *openapi3.Schema) *together {
	return combined(appendFlat(nil, schema, 0))
}

func combined(schemas []*openapi3.Schema) *together {
	if len(schemas) == 0 {
		return nil
	}
	return &together{schemas: schemas}
}

func appendFlat(dst []*openapi3.Schema, schema *openapi3.Schema, depth int) []*openapi3.Schema {
	if schema == nil || depth > deepestCombination || slices.Contains(dst, schema) {
		return dst
	}
	dst = append(dst, schema)
	for _, part := range schema.AllOf {
		dst = appendFlat(dst, valueOf(part), depth+1)
	}
	dst = appendFlat(dst, firstBranch(schema.OneOf), depth+1)
	return appendFlat(dst, firstBranch(schema.AnyOf), depth+1)
}

func firstBranch(branches openapi3.SchemaRefs) *openapi3.Schema {
	for _, branch := range branches {
		if s := valueOf(branch); s != nil && !s.Type.Is(openapi3.TypeNull) {
			return s
		}
	}
	return nil
}

func valueOf(ref *openapi3.SchemaRef) *openapi3.Schema {
	if ref == nil {
		return nil
	}
	return ref.Value
}

// all gives the schemas.
func (t *together) all() []*openapi3.Schema {
	if t == nil {
		return nil
	}
	return t.schemas
}

// known gives what the schemas come to.
func (t *together) known() *facts {
	if t == nil {
		return &facts{}
	}
	t.once.Do(func() { t.facts = factsOf(t.schemas) })
	return &t.facts
}

// properties gives the names of all declared properties: the required ones in
// their order, then the others by name.
func (t *together) properties() []string { return t.known().names }

// property gives all that is said of one property; nil: it is not declared.
func (t *together) property(name string) *together { return t.known().members[name] }

func (t *together) items() *together { return t.known().items }

// places tells how many of the first items of a list have schemas of their own.
func (t *together) places() int { return len(t.known().leading) }

// itemAt gives all that is said of one item of a list; nil: nothing is.
func (t *together) itemAt(i int) *together {
	if leading := t.known().leading; i < len(leading) {
		return leading[i]
	}
	return t.items()
}

// fixed gives the only value that is allowed: a const, or an enum of one.
func (t *together) fixed() (value.Value, bool) {
	v := t.known().fixed
	return v, !v.IsAbsent()
}

// enum gives the values that are listed as allowed; nil: none are.
func (t *together) enum() []value.Value { return t.known().enum }

// then gives the values that a property takes one after the other.
func (t *together) then() []value.Value { return t.known().then }

func factsOf(schemas []*openapi3.Schema) facts {
	f := facts{names: namesOf(schemas), members: map[string]*together{}, fixed: fixedBy(schemas), enum: enumOf(schemas), then: thenOf(schemas)}
	for _, name := range f.names {
		var said []*openapi3.Schema
		for _, s := range schemas {
			said = appendFlat(said, valueOf(s.Properties[name]), 0)
		}
		f.members[name] = combined(said)
	}
	var items []*openapi3.Schema
	for _, s := range schemas {
		items = appendFlat(items, valueOf(s.Items), 0)
	}
	f.items, f.leading = combined(items), leadingOf(schemas)
	return f
}

// leadingOf gives what is said of the first items of a list. Items of a schema begin where its
// own places end.
func leadingOf(schemas []*openapi3.Schema) []*together {
	places := 0
	for _, s := range schemas {
		places = max(places, len(s.PrefixItems))
	}
	var leading []*together
	for i := range places {
		var said []*openapi3.Schema
		for _, s := range schemas {
			item := s.Items
			if i < len(s.PrefixItems) {
				item = s.PrefixItems[i]
			}
			said = appendFlat(said, valueOf(item), 0)
		}
		leading = append(leading, combined(said))
	}
	return leading
}

func namesOf(schemas []*openapi3.Schema) []string {
	var names []string
	declared := map[string]bool{}
	for _, s := range schemas {
		for name := range s.Properties {
			declared[name] = true
		}
	}
	for _, s := range schemas {
		for _, name := range s.Required {
			if declared[name] {
				names = append(names, name)
				delete(declared, name)
			}
		}
	}
	return append(names, slices.Sorted(maps.Keys(declared))...)
}

func fixedBy(schemas []*openapi3.Schema) value.Value {
	for _, s := range schemas {
		if s.Const != nil {
			v, _ := native(s.Const)
			return v
		}
	}
	for _, s := range schemas {
		if len(s.Enum) == 1 {
			v, _ := native(s.Enum[0])
			return v
		}
	}
	return value.Absent
}

func enumOf(schemas []*openapi3.Schema) []value.Value {
	for _, s := range schemas {
		if len(s.Enum) == 0 {
			continue
		}
		var all []value.Value
		for _, item := range s.Enum {
			if v, ok := native(item); ok {
				all = append(all, v)
			}
		}
		return all
	}
	return nil
}

func thenOf(schemas []*openapi3.Schema) []value.Value {
	for _, s := range schemas {
		extension, ok := native(s.Extensions[extensionName])
		if !ok {
			continue
		}
		if next := extension.Get("then"); next.Kind() == value.KindArray {
			return next.Items()
		}
	}
	return nil
}

// kind gives the JSON type that a value should have: the first that is named and
// not null, else what other keywords suggest; empty where nothing does.
func (t *together) kind() string {
	for _, s := range t.all() {
		for _, name := range s.Type.Slice() {
			if name != openapi3.TypeNull {
				return name
			}
		}
	}
	for _, s := range t.all() {
		switch {
		case len(s.Properties) > 0 || len(s.Required) > 0:
			return openapi3.TypeObject
		case s.Items != nil || len(s.PrefixItems) > 0:
			return openapi3.TypeArray
		case s.Pattern != "" || s.MinLength > 0 || s.Format != "" && s.Min == nil && s.Max == nil:
			return openapi3.TypeString
		case s.Min != nil || s.Max != nil || s.MultipleOf != nil:
			return openapi3.TypeNumber
		}
	}
	return ""
}

func (t *together) hasEnum() bool {
	return slices.ContainsFunc(t.all(), func(s *openapi3.Schema) bool { return len(s.Enum) > 0 })
}

func (t *together) requires(name string) bool {
	return slices.ContainsFunc(t.all(), func(s *openapi3.Schema) bool { return slices.Contains(s.Required, name) })
}

// closed tells whether members that are not declared are forbidden.
func (t *together) closed() bool {
	return slices.ContainsFunc(t.all(), func(s *openapi3.Schema) bool {
		return s.AdditionalProperties.Has != nil && !*s.AdditionalProperties.Has
	})
}

func (t *together) readOnly() bool {
	return slices.ContainsFunc(t.all(), func(s *openapi3.Schema) bool { return s.ReadOnly })
}

// native gives data of a description as a value; ok is false where there is none.
func native(data any) (v value.Value, ok bool) {
	if data == nil {
		return value.Absent, false
	}
	v, err := value.Of(data)
	return v, err == nil
}

// listIn tells where the list is in what an operation answers: the name of the
// property that holds it, or nothing where the answer itself is the list.
func listIn(t *together) (property string, items *together, ok bool) {
	if t.kind() == openapi3.TypeArray {
		return "", t.items(), true
	}
	for _, name := range t.properties() {
		if p := t.property(name); p.kind() == openapi3.TypeArray {
			return name, p.items(), true
		}
	}
	return "", nil, false
}

func answersList(op *source.Operation) bool {
	media := firstJSON(goodResponse(op))
	if media == nil {
		return false
	}
	_, _, ok := listIn(flatten(media.Schema))
	return ok
}
