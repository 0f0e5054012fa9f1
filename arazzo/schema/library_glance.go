package schema

import (
	"math/big"
	"slices"
	"unicode/utf8"

	"github.com/santhosh-tekuri/jsonschema/v5"

	"github.com/weft-flow/weft/arazzo/value"
)

// glances are the schemas that a compiler of the library has compiled, each taken
// from it once: schemas lead to each other.
type glances struct {
	formats map[string]func(any) bool
	known   map[*jsonschema.Schema]*glance
}

func glancesOf(c *jsonschema.Compiler) *glances {
	return &glances{formats: c.Formats, known: make(map[*jsonschema.Schema]*glance)}
}

// of gives the glance of a schema; nil for none.
func (all *glances) of(s *jsonschema.Schema) *glance {
	if s == nil {
		return nil
	}
	if g := all.known[s]; g != nil {
		return g
	}
	g := &glance{types: s.Types, unsure: isUnusual(s), never: s.Always != nil && !*s.Always}
	all.known[s] = g
	if g.unsure || s.Always != nil {
		return g
	}
	all.values(g, s)
	all.texts(g, s)
	g.numbers(s)
	all.members(g, s)
	all.items(g, s)
	all.parts(g, s)
	return g
}

// isUnusual tells that a schema says what is left to the library: it would be as much
// work as there, or is seldom met.
func isUnusual(s *jsonschema.Schema) bool {
	_, list := s.Items.([]*jsonschema.Schema)
	_, aside := s.Extensions[asidePattern]
	return aside || list || s.RecursiveRef != nil || s.DynamicRef != nil ||
		s.ContentEncoding != "" || s.ContentMediaType != "" ||
		s.RegexProperties || s.PropertyNames != nil || len(s.Dependencies) > 0 ||
		len(s.DependentRequired) > 0 || len(s.DependentSchemas) > 0 || s.UnevaluatedProperties != nil ||
		s.UniqueItems || s.Contains != nil || s.UnevaluatedItems != nil
}

func (g *glance) add(says assertion) { g.says = append(g.says, says) }

// values adds const and enum.
func (all *glances) values(g *glance, s *jsonschema.Schema) {
	for _, list := range [][]any{s.Constant, s.Enum} {
		if len(list) == 0 {
			continue
		}
		listed, err := value.Of(list)
		if _, oversized := oversizedNumber(listed); oversized || err != nil {
			g.unsure = true
			return
		}
		g.add(func(_ *look, v value.Value) bool {
			return slices.ContainsFunc(listed.Items(), func(item value.Value) bool { return value.Identical(item, v) })
		})
	}
}

// texts adds what is said of strings.
func (all *glances) texts(g *glance, s *jsonschema.Schema) {
	add := func(says func(text string) bool) {
		g.add(func(_ *look, v value.Value) bool {
			text, ok := v.Str()
			return !ok || says(text)
		})
	}
	if s.MinLength != -1 || s.MaxLength != -1 {
		within := limits{s.MinLength, s.MaxLength}
		add(func(text string) bool { return within.hold(utf8.RuneCountInString(text)) })
	}
	if s.Pattern != nil {
		add(s.Pattern.MatchString)
	}
	format := all.formats[s.Format]
	if format == nil {
		format = jsonschema.Formats[s.Format]
	}
	if format != nil {
		add(func(text string) bool { return format(text) })
	}
}

// limits are the least and the greatest count; -1: there is none.
type limits struct{ least, most int }

func (l limits) hold(n int) bool { return n >= l.least && (l.most == -1 || n <= l.most) }

// numbers adds what is said of numbers.
func (g *glance) numbers(s *jsonschema.Schema) {
	for _, limit := range []struct {
		at    *big.Rat
		holds func(order int) bool
	}{
		{s.Minimum, func(order int) bool { return order >= 0 }},
		{s.ExclusiveMinimum, func(order int) bool { return order > 0 }},
		{s.Maximum, func(order int) bool { return order <= 0 }},
		{s.ExclusiveMaximum, func(order int) bool { return order < 0 }},
	} {
		if limit.at == nil {
			continue
		}
		at, ok := exactly(limit.at)
		if !ok {
			g.unsure = true
			return
		}
		g.add(func(_ *look, v value.Value) bool {
			order, _ := value.Order(v, at)
			return v.Kind() != value.KindNumber || limit.holds(order)
		})
	}
	if step := s.MultipleOf; step != nil {
		g.add(func(_ *look, v value.Value) bool {
			text, ok := v.NumberText()
			if !ok {
				return true
			}
			n, ok := new(big.Rat).SetString(text)
			return ok && n.Quo(n, step).IsInt()
		})
	}
}

// exactly gives a number of a schema as a value, where that is not too long.
func exactly(n *big.Rat) (value.Value, bool) {
	const longest = 1000 // bits
	if n.Num().BitLen()+n.Denom().BitLen() > longest {
		return value.Absent, false
	}
	digits, exact := n.FloatPrec()
	v, err := value.Number(n.FloatString(digits))
	return v, exact && err == nil
}

// members adds what is said of objects.
func (all *glances) members(g *glance, s *jsonschema.Schema) {
	if s.MinProperties != -1 || s.MaxProperties != -1 {
		within := limits{s.MinProperties, s.MaxProperties}
		g.add(func(_ *look, v value.Value) bool { return v.Kind() != value.KindObject || within.hold(v.Len()) })
	}
	if len(s.Required) > 0 {
		g.add(func(_ *look, v value.Value) bool {
			lacks := func(name string) bool { return v.Get(name).IsAbsent() }
			return v.Kind() != value.KindObject || !slices.ContainsFunc(s.Required, lacks)
		})
	}
	m := &members{named: make(map[string]*glance, len(s.Properties)), others: all.others(s.AdditionalProperties)}
	for name, property := range s.Properties {
		m.named[name] = all.of(property)
	}
	for pattern, property := range s.PatternProperties {
		m.patterns = append(m.patterns, patternMembers{pattern.MatchString, all.of(property)})
	}
	if len(m.named)+len(m.patterns) > 0 || m.others != nil {
		g.add(m.judge)
	}
}

// others gives the schema of what is not named, which may be written as true or false.
func (all *glances) others(written any) *glance {
	switch written := written.(type) {
	case *jsonschema.Schema:
		return all.of(written)
	case bool:
		if !written {
			return &glance{never: true}
		}
	}
	return nil
}

// items adds what is said of arrays.
func (all *glances) items(g *glance, s *jsonschema.Schema) {
	if s.MinItems != -1 || s.MaxItems != -1 {
		within := limits{s.MinItems, s.MaxItems}
		g.add(func(_ *look, v value.Value) bool { return v.Kind() != value.KindArray || within.hold(v.Len()) })
	}
	rest := s.Items2020
	if each, ok := s.Items.(*jsonschema.Schema); ok { // as older drafts write it
		rest = each
	}
	if len(s.PrefixItems) > 0 || rest != nil {
		i := &items{first: all.list(s.PrefixItems), others: all.of(rest)}
		g.add(i.judge)
	}
}

// parts adds the schemas that judge the same value.
func (all *glances) parts(g *glance, s *jsonschema.Schema) {
	every := all.list(s.AllOf)
	if s.Ref != nil {
		every = append(every, all.of(s.Ref))
	}
	if len(every) > 0 {
		g.add(func(l *look, v value.Value) bool { return l.count(every, v) == len(every) })
	}
	if some := all.list(s.AnyOf); len(some) > 0 {
		g.add(func(l *look, v value.Value) bool { return l.count(some, v) > 0 })
	}
	if one := all.list(s.OneOf); len(one) > 0 {
		g.add(func(l *look, v value.Value) bool { return l.count(one, v) == 1 })
	}
	if not := all.of(s.Not); not != nil {
		g.add(func(l *look, v value.Value) bool { return !l.judge(not, v) })
	}
	if condition := all.of(s.If); condition != nil {
		g.add(branches{condition, all.of(s.Then), all.of(s.Else)}.judge)
	}
}

func (all *glances) list(schemas []*jsonschema.Schema) []*glance {
	list := make([]*glance, len(schemas))
	for i, s := range schemas {
		list[i] = all.of(s)
	}
	return list
}
