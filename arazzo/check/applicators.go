package check

import (
	"github.com/weft-flow/weft/arazzo/value"
)

// inPlace are the keywords whose schemas judge the same value.
var inPlace = map[string]bool{
	"allOf": true, "anyOf": true, "oneOf": true, "not": true, "if": true, "then": true, "else": true,
	"dependentSchemas": true, "$ref": true,
}

// child reads a schema beneath a keyword.
func (w *writing) child(keyword string, at cursor) *node {
	if inPlace[keyword] {
		return w.schema(at, w.exempt, w.depth+1)
	}
	return w.schema(at, nil, w.depth+1)
}

func (w *writing) one(keyword string, _ value.Value) {
	w.node.one(keyword, w.child(keyword, w.at.in(keyword)))
}

// branch writes one that a condition leads to, if there is any.
func (w *writing) branch(keyword string, v value.Value) {
	if !w.at.value.Get("if").IsAbsent() {
		w.one(keyword, v)
	}
}

func (w *writing) list(keyword string, v value.Value) {
	if v.Kind() != value.KindArray || v.Len() == 0 {
		w.leaveOut(keyword, "no list of schemas")
		return
	}
	children := make([]*node, v.Len())
	for i := range children {
		children[i] = w.child(keyword, w.at.in(keyword, index(i)))
	}
	w.node.list(keyword, children...)
}

func (w *writing) named(keyword string, v value.Value) {
	if v.Kind() != value.KindObject {
		w.leaveOut(keyword, "no named schemas")
		return
	}
	e := entry{keyword: keyword, names: []string{}, nodes: []*node{}}
	for _, m := range v.Members() {
		e.names = append(e.names, m.Name)
		e.nodes = append(e.nodes, w.child(keyword, w.at.in(keyword, m.Name)))
	}
	w.node.entries = append(w.node.entries, e)
}

func (w *writing) patterns(keyword string, v value.Value) {
	for _, m := range v.Members() {
		count, readable := instructions(m.Name)
		if !readable {
			w.leaveOut(keyword, "a pattern cannot be read without backtracking")
			return
		}
		w.node.patterns += count
	}
	w.named(keyword, v)
}

// others writes what holds for properties that are not named. Names that are
// given by patterns which are not understood would be among them.
func (w *writing) others(keyword string, _ value.Value) {
	for _, m := range w.at.value.Get("patternProperties").Members() {
		if _, readable := instructions(m.Name); !readable || w.dialect != draft202012 {
			w.leaveOut(keyword, "depends on patternProperties, which are not understood here")
			return
		}
	}
	w.one(keyword, value.Absent)
}
