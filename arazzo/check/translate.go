package check

import (
	"maps"
	"slices"

	"github.com/weft-flow/weft/arazzo/source"
	"github.com/weft-flow/weft/arazzo/value"
)

// side tells who sends a message: what a server alone may write is not demanded
// of a request, what a client alone may write not of a response.
type side uint8

const (
	inRequest side = iota
	inResponse
)

// exempting is the keyword that frees a property from being required.
func (s side) exempting() string {
	if s == inRequest {
		return "readOnly"
	}
	return "writeOnly"
}

// The limits of one schema with all that it refers to.
const (
	maxNodes   = 20_000
	maxNesting = 200 // of schemas that stand within each other
	maxGaps    = 50
)

// translation turns a schema of a description, with all that it refers to, into
// nodes. It understands each keyword by itself: one that makes no sense is left
// out and noted, and the others hold.
type translation struct {
	dialect dialect
	side    side
	nodes   []*node // all
	defs    []placed
	byPlace map[string]*node // those of defs
	gaps    []Gap
	full    bool // there were too many nodes
}

// translate reads the schema at a place.
func translate(d dialect, s side, at cursor) *translation {
	t := &translation{dialect: d, side: s, byPlace: map[string]*node{}}
	t.define(at)
	for i := 0; i < len(t.defs) && !t.full; i++ { // the list grows
		t.fill(t.defs[i].node, t.defs[i].cursor, nil, 0)
	}
	spread(t.nodes)
	return t
}

// written gives the definitions as one JSON Schema.
func (t *translation) written() value.Value {
	members := make([]value.Member, len(t.defs))
	for i, d := range t.defs {
		members[i] = value.Member{Name: defName(i), Value: d.node.written()}
	}
	return value.Object(value.Member{Name: "$defs", Value: value.Object(members...)})
}

// define gives the node of a schema that is used by reference.
func (t *translation) define(at cursor) *node {
	key := at.place.String()
	if n := t.byPlace[key]; n != nil {
		return n
	}
	n := t.add()
	n.def = len(t.defs)
	t.defs = append(t.defs, placed{at, n})
	t.byPlace[key] = n
	return n
}

func (t *translation) add() *node {
	n := &node{def: -1}
	if t.full = t.full || len(t.nodes) >= maxNodes; !t.full {
		t.nodes = append(t.nodes, n)
	}
	return n
}

// skip notes what is left out, which makes the node weak.
func (t *translation) skip(n *node, at source.Place, reason string) {
	n.weak = true
	if len(t.gaps) < maxGaps {
		t.gaps = append(t.gaps, gap(at, reason))
	}
}

// schema gives the node of a schema that stands at a place. exempt are names
// that the schemas around it, which judge the same value, free from being required.
func (t *translation) schema(at cursor, exempt map[string]bool, depth int) *node {
	n := t.add()
	t.fill(n, at, exempt, depth)
	return n
}

func (t *translation) fill(n *node, at cursor, exempt map[string]bool, depth int) {
	if is, ok := at.value.Bool(); ok {
		n.always = &is
		return
	}
	switch {
	case t.full:
		return
	case depth > maxNesting:
		t.skip(n, at.place, "schemas within schemas beyond the limit")
		return
	case at.value.Kind() != value.KindObject:
		t.skip(n, at.place, "this is no schema")
		return
	}
	if named, ok := at.value.Get("$schema").Str(); ok && !isKnownDialect(named) && t.dialect == draft202012 {
		t.skip(n, at.place, "a dialect of JSON Schema that is not understood")
		return
	}
	w := &writing{translation: t, node: n, at: at, exempt: t.exempted(at, exempt), depth: depth}
	w.keywords()
}

// exempted gives the names of the properties that need not be there, those of
// the schemas around included.
func (t *translation) exempted(at cursor, around map[string]bool) map[string]bool {
	found := maps.Clone(around)
	left := 100
	var look func(at cursor)
	look = func(at cursor) {
		if left--; left < 0 {
			return
		}
		for _, m := range at.value.Get("properties").Members() {
			if t.isExempt(at.in("properties").in(m.Name)) {
				if found == nil {
					found = map[string]bool{}
				}
				found[m.Name] = true
			}
		}
		if target, ok := at.follow(); ok {
			look(target)
		}
		for i := range at.value.Get("allOf").Items() {
			look(at.in("allOf").in(index(i)))
		}
	}
	look(at)
	return found
}

// isExempt tells whether a property's schema says that the other side writes it.
func (t *translation) isExempt(at cursor) bool {
	left := 20
	var look func(at cursor) bool
	look = func(at cursor) bool {
		if left--; left < 0 {
			return false
		}
		if is, _ := at.value.Get(t.side.exempting()).Bool(); is {
			return true
		}
		if target, ok := at.follow(); ok && look(target) {
			return true
		}
		for i := range at.value.Get("allOf").Items() {
			if look(at.in("allOf").in(index(i))) {
				return true
			}
		}
		return false
	}
	return look(at)
}

// demanded gives the names of a list of required members that are demanded of
// this side.
func demanded(names []string, exempt map[string]bool) (kept []string, all bool) {
	kept = slices.DeleteFunc(slices.Clone(names), func(name string) bool { return exempt[name] })
	return kept, len(kept) == len(names)
}
