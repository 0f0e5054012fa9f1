package check

import (
	"slices"

	"github.com/weft-flow/weft/arazzo/value"
)

// A schema that uses itself in several branches can multiply the work with each
// level of the value: five branches and ten levels are millions of judgements.
// Whether that happens depends on the value, so it is counted before it is done.
const (
	maxWork  = 250_000      // judgements of one value by one schema
	maxDepth = 2 * maxChain // judgements within judgements
)

// affordable tells whether a value can be held against a schema within the limits.
func (s *compiled) affordable(v value.Value) bool {
	if s.extent.depth <= maxChain && isSmall(v, s.extent) {
		return true
	}
	w := &work{left: maxWork}
	w.judge(s.root, v, 1)
	return w.left >= 0
}

// isSmall tells whether a value is so small that a schema of that extent cannot
// make much work of it.
func isSmall(v value.Value, e extent) bool {
	left := maxWork / e.paths
	var count func(v value.Value)
	count = func(v value.Value) {
		if left -= weight(v, e.patterns); left < 0 {
			return
		}
		for _, item := range v.Items() {
			count(item)
		}
		for _, m := range v.Members() {
			left -= len(m.Name) * e.patterns / perPattern
			count(m.Value)
		}
	}
	count(v)
	return left >= 0
}

const (
	perPattern = 200 // bytes of text times instructions of a pattern that are tried in the time of one judgement
	perDigits  = 100 // digits that are calculated with in that time
)

// weight says how many judgements one of a value by itself is worth, with
// patterns of so many instructions.
func weight(v value.Value, patterns int) int {
	if text, ok := v.Str(); ok {
		return 1 + len(text)*patterns/perPattern
	}
	if text, ok := v.NumberText(); ok {
		return 1 + digitsOf(text)/perDigits
	}
	return 1
}

// work counts what a validator would do, without judging.
type work struct{ left int }

// judge counts the judgement of v by a node. A deep one costs more, since it
// keeps the way to it.
func (w *work) judge(n *node, v value.Value, depth int) {
	w.left -= weight(v, n.patterns) + depth/16
	if depth > maxDepth {
		w.left = -1
	}
	if w.left < 0 || !n.mayBe(v) {
		return
	}
	for i := range n.entries {
		if e := &n.entries[i]; e.nodes != nil {
			w.entry(n, e, v, depth+1)
		}
	}
}

func (w *work) entry(n *node, e *entry, v value.Value, depth int) {
	switch e.keyword {
	case "properties":
		for i, name := range e.names {
			if member := v.Get(name); !member.IsAbsent() {
				w.judge(e.nodes[i], member, depth)
			}
		}
	case "propertyNames":
		for _, m := range v.Members() {
			w.judge(e.nodes[0], value.String(m.Name), depth)
		}
	case "patternProperties", "additionalProperties", "unevaluatedProperties":
		w.members(n, e, v, depth)
	case "items", "contains", "unevaluatedItems":
		for _, item := range v.Items() {
			w.judge(e.nodes[0], item, depth)
		}
	case "prefixItems":
		for i, item := range v.Items() {
			if i < len(e.nodes) {
				w.judge(e.nodes[i], item, depth)
			}
		}
	default:
		for _, child := range e.nodes {
			w.judge(child, v, depth)
		}
	}
}

func (w *work) members(n *node, e *entry, v value.Value, depth int) {
	var named []string
	if properties := n.get("properties"); properties != nil && e.keyword == "additionalProperties" {
		named = properties.names
	}
	for _, m := range v.Members() {
		if slices.Contains(named, m.Name) {
			continue
		}
		w.left -= len(m.Name) * n.patterns / perPattern
		for _, child := range e.nodes {
			w.judge(child, m.Value, depth)
		}
	}
}

// mayBe tells whether the type of v is one that a node allows.
func (n *node) mayBe(v value.Value) bool {
	e := n.get("type")
	if e == nil {
		return true
	}
	kind := v.Kind().String()
	for _, item := range e.data.Items() {
		if name, _ := item.Str(); name == kind || name == "integer" && kind == "number" {
			return true
		}
	}
	return false
}
