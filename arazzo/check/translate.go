package check

import (
	"fmt"
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

// The limits of what is compiled of one description.
const (
	maxNodes   = 200_000
	maxNesting = 200 // of schemas that stand within each other
)

// translation turns schemas of a description, with all that they refer to, into
// nodes. It understands each keyword by itself: one that makes no sense is left
// out and noted, and the others hold.
type translation struct {
	dialect dialect
	side    side
	byPlace map[string]*node // what is used by reference
	defs    []placed         // those of byPlace, in the order of their numbers
	nodes   int
	full    bool // there were too many nodes
}

// translate reads the schema at a place, with all that it refers to and that was
// not read before.
func (t *translation) translate(at cursor) *node {
	from := len(t.defs)
	n := t.define(at)
	for i := from; i < len(t.defs) && !t.full; i++ { // the list grows
		t.fill(t.defs[i].node, t.defs[i].cursor, nil, 0)
	}
	spread(t.defs[from:])
	return n
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
	t.nodes++
	t.full = t.full || t.nodes > maxNodes
	return &node{def: -1}
}

// skip notes what is left out, which makes the node weak.
func (n *node) skip(at source.Place, reason string) {
	n.weak = true
	n.gaps = append(n.gaps, Gap{Place: at, Reason: reason})
}

// schema gives the node of a schema that stands at a place. around are the
// schemas around it that judge the same value.
func (t *translation) schema(at cursor, around *exemption, depth int) *node {
	n := t.add()
	t.fill(n, at, around, depth)
	return n
}

func (t *translation) fill(n *node, at cursor, around *exemption, depth int) {
	if is, ok := at.value.Bool(); ok {
		n.always = &is
		return
	}
	switch {
	case t.full:
		return
	case depth > maxNesting:
		n.skip(at.place, "schemas within schemas beyond the limit")
		return
	case at.value.Kind() != value.KindObject:
		n.skip(at.place, "this is no schema")
		return
	}
	if ref, broken := at.value.Get(source.UnresolvedKey).Str(); broken {
		n.skip(at.place, fmt.Sprintf("its reference %q leads nowhere", ref))
		return
	}
	if named, ok := at.value.Get("$schema").Str(); ok && !isKnownDialect(named) && t.dialect == draft202012 {
		n.skip(at.place, "a dialect of JSON Schema that is not understood")
		return
	}
	w := &writing{translation: t, node: n, at: at, exempt: &exemption{side: t.side, at: at, around: around}, depth: depth}
	w.keywords()
}
