package check

import (
	"github.com/weft-flow/weft/arazzo/value"
	"strconv"
)

// node is a schema, taken apart into its keywords.
type node struct {
	always  *bool // the schema true or false
	entries []entry
	// weak tells that the node, or one beneath it, allows more than the
	// description says, since something was left out.
	weak bool
	gaps []Gap // what was left out of the node itself
	// patterns counts the instructions of the regular expressions of the node itself.
	patterns int

	def int // position among the definitions; -1: it stands where it is used
}

// entry is one keyword with its value: data, or schemas.
type entry struct {
	keyword string
	data    value.Value
	nodes   []*node
	names   []string // of the nodes, where they are members of an object
	single  bool     // the value is the one node itself, no list
}

// get gives the entry of a keyword, or nil.
func (n *node) get(keyword string) *entry {
	for i := range n.entries {
		if n.entries[i].keyword == keyword {
			return &n.entries[i]
		}
	}
	return nil
}

func (n *node) data(keyword string, v value.Value) {
	n.entries = append(n.entries, entry{keyword: keyword, data: v})
}

func (n *node) one(keyword string, child *node) {
	n.entries = append(n.entries, entry{keyword: keyword, nodes: []*node{child}, single: true})
}

func (n *node) list(keyword string, children ...*node) {
	if e := n.get(keyword); e != nil {
		e.nodes = append(e.nodes, children...)
		return
	}
	n.entries = append(n.entries, entry{keyword: keyword, nodes: children})
}

// spread makes weak whatever has a weak part, however deep. What the definitions
// refer to besides is spread already.
func spread(defs []placed) {
	users := map[*node][]*node{}
	var weak []*node
	seen := map[*node]bool{}
	var gather func(n *node)
	gather = func(n *node) {
		if seen[n] {
			return
		}
		seen[n] = true
		if n.weak {
			weak = append(weak, n)
		}
		for _, e := range n.entries {
			for _, child := range e.nodes {
				users[child] = append(users[child], n)
				if child.def < 0 {
					gather(child)
				} else if child.weak {
					weak = append(weak, child)
				}
			}
		}
	}
	for _, d := range defs {
		gather(d.node)
	}
	for len(weak) > 0 {
		n := weak[len(weak)-1]
		weak = weak[:len(weak)-1]
		for _, user := range users[n] {
			if !user.weak {
				user.weak = true
				weak = append(weak, user)
			}
		}
	}
}

// written gives a node as JSON Schema 2020-12. Keywords that refuse a value
// because a part accepts it are left out, or weakened, where that part is weak:
// the part might have refused the value as it was meant.
func (n *node) written() value.Value {
	if n.always != nil {
		return value.Bool(*n.always)
	}
	members := make([]value.Member, 0, len(n.entries))
	for _, e := range n.entries {
		if keyword := n.sound(e); keyword != "" {
			members = append(members, value.Member{Name: keyword, Value: e.written()})
		}
	}
	return value.Object(members...)
}

// sound gives the keyword to write for an entry; empty for none.
func (n *node) sound(e entry) string {
	switch e.keyword {
	case "not", "if":
		if e.nodes[0].weak {
			return ""
		}
	case "then", "else":
		if condition := n.get("if"); condition == nil || condition.nodes[0].weak {
			return ""
		}
	case "oneOf":
		for _, branch := range e.nodes {
			if branch.weak {
				return "anyOf"
			}
		}
	case "maxContains":
		if contains := n.get("contains"); contains == nil || contains.nodes[0].weak {
			return ""
		}
	case "unevaluatedProperties", "unevaluatedItems":
		if n.weak {
			return ""
		}
	}
	return e.keyword
}

func (e entry) written() value.Value {
	switch {
	case e.nodes == nil:
		return e.data
	case e.keyword == "$ref":
		return e.nodes[0].reference()
	case e.single:
		return e.nodes[0].used()
	case e.names != nil:
		members := make([]value.Member, len(e.nodes))
		for i, child := range e.nodes {
			members[i] = value.Member{Name: e.names[i], Value: child.used()}
		}
		return value.Object(members...)
	default:
		items := make([]value.Value, len(e.nodes))
		for i, child := range e.nodes {
			items[i] = child.used()
		}
		return value.Array(items...)
	}
}

// used gives a node as it is written where it is used.
func (n *node) used() value.Value {
	if n.def < 0 {
		return n.written()
	}
	return value.Object(value.Member{Name: "$ref", Value: n.reference()})
}

func (n *node) reference() value.Value { return value.String(uriOf(n)) }

// uriOf names a definition.
func uriOf(n *node) string { return "https://description.invalid/" + strconv.Itoa(n.def) }

// placed is a node with the place that it was read from.
type placed struct {
	cursor
	node *node
}
