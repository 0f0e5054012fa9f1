package arazzo

import (
	"net/url"
	"strings"

	"github.com/weft-flow/weft/arazzo/value"
)

// InputSchema gives the JSON Schema of a workflow's inputs for a compiler of
// schemas: the whole document as root, and the JSON Pointer of the schema in it.
// So a reference such as #/components/inputs/page resolves. $defs and
// definitions of the schema itself are also members of the root, because
// documents write #/$defs/name and mean the schema. The root is absent where
// the workflow declares no inputs.
func (d *Document) InputSchema(w *Workflow) (root value.Value, pointer string) {
	if w.Inputs == nil {
		return value.Absent, ""
	}
	members := append([]value.Member(nil), d.Node.Value().Members()...)
	for _, name := range []string{"$defs", "definitions"} {
		if own := w.Inputs.Get(name); own != nil && d.Node.Get(name) == nil {
			members = append(members, value.Member{Name: name, Value: own.Value()})
		}
	}
	return value.Object(members...), w.Inputs.Pointer()
}

// SchemaReference gives the node that a $ref inside the inputs of w names in
// this document, as InputSchema resolves it; nil where there is none, or where
// the reference leads out of the document.
func (d *Document) SchemaReference(w *Workflow, ref string) *Node {
	fragment, ok := strings.CutPrefix(ref, "#")
	if !ok {
		return nil
	}
	fragment, err := url.PathUnescape(fragment)
	if err != nil {
		return nil
	}
	if fragment != "" && fragment[0] != '/' {
		return d.anchored(w, fragment)
	}
	pointer, err := value.ParsePointer(fragment)
	if err != nil {
		return nil
	}
	if len(pointer) > 0 && (pointer[0] == "$defs" || pointer[0] == "definitions") && d.Node.Get(pointer[0]) == nil {
		return w.Inputs.Lookup(pointer)
	}
	return d.Node.Lookup(pointer)
}

// anchored gives the schema that bears an $anchor: in the inputs of w, else in those
// of the components.
func (d *Document) anchored(w *Workflow, anchor string) *Node {
	var find func(n *Node) *Node
	find = func(n *Node) *Node {
		if n == nil {
			return nil
		}
		for _, keyword := range []string{"$anchor", "$dynamicAnchor"} {
			if name := n.Get(keyword); name != nil && name.Kind == value.KindString && name.Text == anchor {
				return n
			}
		}
		for _, m := range n.Members {
			if found := find(m.Value); found != nil {
				return found
			}
		}
		for _, item := range n.Items {
			if found := find(item); found != nil {
				return found
			}
		}
		return nil
	}
	if found := find(w.Inputs); found != nil {
		return found
	}
	return find(d.Node.Get("components").Get("inputs"))
}

// inputNames gives the names of the inputs that w declares: the properties of
// its schema, of what that refers to in this document, and of its allOf.
func (d *Document) inputNames(w *Workflow) []string {
	c := collector{document: d, workflow: w, visited: map[*Node]bool{}, seen: map[string]bool{}}
	c.collect(w.Inputs)
	return c.names
}

// collector walks a schema for the names of properties.
type collector struct {
	document *Document
	workflow *Workflow
	visited  map[*Node]bool // references may lead in a circle
	seen     map[string]bool
	names    []string
}

func (c *collector) collect(schema *Node) {
	if schema == nil || schema.Kind != value.KindObject || c.visited[schema] {
		return
	}
	c.visited[schema] = true
	if properties := schema.Get("properties"); properties != nil && properties.Kind == value.KindObject {
		for _, m := range properties.Members {
			if !c.seen[m.Key.Text] {
				c.seen[m.Key.Text] = true
				c.names = append(c.names, m.Key.Text)
			}
		}
	}
	if ref := schema.Get("$ref"); ref != nil && ref.Kind == value.KindString {
		c.collect(c.document.SchemaReference(c.workflow, ref.Text))
	}
	if all := schema.Get("allOf"); all != nil {
		for _, part := range all.Items {
			c.collect(part)
		}
	}
}

// Callback is an input that asks to be filled with the address for a step
// (x-weft-callback).
type Callback struct {
	Input string
	Step  *Node // of any kind: what is written is not judged here
}

// Callbacks gives the inputs of w that ask to be filled with an address, also where
// they stand in what its schema refers to in this document or is composed of.
func (d *Document) Callbacks(w *Workflow) []Callback {
	var found []Callback
	seen := map[*Node]bool{}
	for open := []*Node{w.Inputs}; len(open) > 0; open = open[1:] {
		at := open[0]
		if at == nil || at.Kind != value.KindObject || seen[at] {
			continue
		}
		seen[at] = true
		if properties := at.Get("properties"); properties != nil {
			for _, m := range properties.Members {
				if filled := m.Value.Get("x-weft-callback"); filled != nil {
					found = append(found, Callback{Input: m.Key.Text, Step: filled})
				}
			}
		}
		if ref := at.Get("$ref"); ref != nil && ref.Kind == value.KindString {
			open = append(open, d.SchemaReference(w, ref.Text))
		}
		for _, keyword := range []string{"allOf", "anyOf", "oneOf"} {
			if parts := at.Get(keyword); parts != nil {
				open = append(open, parts.Items...)
			}
		}
		for _, keyword := range []string{"if", "then", "else"} {
			open = append(open, at.Get(keyword))
		}
	}
	return found
}
