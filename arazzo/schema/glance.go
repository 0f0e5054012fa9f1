package schema

import (
	"math/big"

	"github.com/weft-flow/weft/arazzo/value"
)

// glance is a schema as it can be held against a value where the value stands. Most
// values fit, and most schemas say little that is unusual: then nothing has to be
// copied, and no reasons gathered, to know that nothing is wrong. It judges as the
// library does, or is unsure.
type glance struct {
	unsure bool // it says what is left to the library
	never  bool // the schema false
	types  []string
	says   []assertion
}

// assertion is what one keyword says of a value of any type.
type assertion func(l *look, v value.Value) bool

const (
	// mostApplied bounds how many schemas are applied to one value before it is left
	// to the library, which counts them against a budget that is larger.
	mostApplied = 100_000
	// deepestApplied bounds how deep, so that schemas which lead to each other for one
	// value come to an end.
	deepestApplied = 500
)

// look is one look at a value.
type look struct {
	left   int // schemas that may still be applied
	depth  int
	unsure bool
}

// fits tells that a value surely fits. Where it is false, the library tells whether
// it does.
func (g *glance) fits(v value.Value) bool {
	return g.fitsWithin(mostApplied, v)
}

func (g *glance) fitsWithin(applied int, v value.Value) bool {
	if v.IsAbsent() {
		v = value.Null
	}
	l := &look{left: applied}
	return l.judge(g, v) && !l.unsure
}

// judge applies a schema. All of it is looked at even where it is known not to fit:
// what the library cannot judge anywhere in it, it cannot judge.
func (l *look) judge(g *glance, v value.Value) bool {
	l.left--
	l.depth++
	defer func() { l.depth-- }()
	if g.unsure || l.left < 0 || l.depth > deepestApplied {
		l.unsure = true
	}
	if l.unsure || g.never || !g.allows(v) {
		return false
	}
	fits := true
	for _, says := range g.says {
		fits = says(l, v) && fits
	}
	return fits
}

// count tells how many of some schemas a value fits.
func (l *look) count(schemas []*glance, v value.Value) int {
	n := 0
	for _, g := range schemas {
		if l.judge(g, v) {
			n++
		}
	}
	return n
}

// allows tells whether a value is of one of the types.
func (g *glance) allows(v value.Value) bool {
	kind := v.Kind().String()
	for _, name := range g.types {
		if name == kind || name == "integer" && isInteger(v) {
			return true
		}
	}
	return len(g.types) == 0
}

func isInteger(v value.Value) bool {
	text, ok := v.NumberText()
	if _, small := v.Int64(); small || !ok {
		return ok
	}
	n, ok := new(big.Rat).SetString(text)
	return ok && n.IsInt()
}

// members is what a schema says of the members of an object.
type members struct {
	named    map[string]*glance
	patterns []patternMembers
	others   *glance // nil: nothing
}

// patternMembers are the members whose names a pattern matches.
type patternMembers struct {
	matches func(name string) bool
	schema  *glance
}

func (m *members) judge(l *look, v value.Value) bool {
	fits := true
	for _, member := range v.Members() {
		schema, known := m.named[member.Name]
		if known {
			fits = l.judge(schema, member.Value) && fits
		}
		for _, p := range m.patterns {
			if p.matches(member.Name) {
				known = true
				fits = l.judge(p.schema, member.Value) && fits
			}
		}
		if !known && m.others != nil {
			fits = l.judge(m.others, member.Value) && fits
		}
	}
	return fits
}

// items is what a schema says of the elements of an array.
type items struct {
	first  []*glance
	others *glance // nil: nothing
}

func (i *items) judge(l *look, v value.Value) bool {
	fits := true
	for at, item := range v.Items() {
		switch {
		case at < len(i.first):
			fits = l.judge(i.first[at], item) && fits
		case i.others != nil:
			fits = l.judge(i.others, item) && fits
		}
	}
	return fits
}

// branches are if, then and else; the last two may be nil.
type branches struct{ condition, then, otherwise *glance }

func (b branches) judge(l *look, v value.Value) bool {
	next := b.otherwise
	if l.judge(b.condition, v) {
		next = b.then
	}
	return next == nil || l.judge(next, v)
}
