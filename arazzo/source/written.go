package source

import (
	"net/url"
	"strings"

	"go.yaml.in/yaml/v4"

	"github.com/weft-flow/weft/arazzo/value"
)

// Written is an OpenAPI description as it was written, with the files that its
// references name. The library's model, from which the catalog is built, holds
// numbers as floats and has forgotten where a schema stands; here the numbers
// are exact. What a broken reference stood for is an object that says so alone
// ([UnresolvedKey]). It may be used by several goroutines.
type Written struct {
	root  *url.URL
	files map[string]value.Value // by location
}

// Place is a value in one of the files of a description.
type Place struct {
	Location string
	Pointer  value.Pointer
}

// String gives the place as a URI with a JSON Pointer as its fragment.
func (p Place) String() string { return p.Location + "#" + p.Pointer.String() }

// written keeps what was read, when all of it was.
func (r *references) written() *Written {
	w := &Written{root: r.root, files: make(map[string]value.Value, len(r.seen))}
	for location, file := range r.seen {
		if file.err == nil {
			t := &treeValues{anchored: map[*yaml.Node]value.Value{}}
			w.files[location] = t.of(file.tree)
		}
	}
	return w
}

// Root is the location of the description itself.
func (w *Written) Root() string { return w.root.String() }

// File gives what a file of the description holds; absent where it is none of them.
func (w *Written) File(location string) value.Value { return w.files[location] }

// Resolve gives the file and the fragment that a reference in a file leads to.
// ok is false where that is none of the files of the description.
func (w *Written) Resolve(from, ref string) (location, fragment string, ok bool) {
	path, fragment, _ := strings.Cut(ref, "#")
	if plain, err := url.PathUnescape(fragment); err == nil {
		fragment = plain
	}
	if path == "" {
		return from, fragment, true
	}
	base, err := url.Parse(from)
	if err != nil {
		return "", "", false
	}
	relative, err := url.Parse(path)
	if err != nil {
		return "", "", false
	}
	location, err = locate(w.root, base.ResolveReference(relative))
	return location, fragment, err == nil && !w.files[location].IsAbsent()
}

// treeValues turns the nodes of a file into values.
type treeValues struct {
	anchored map[*yaml.Node]value.Value // aliases share what they stand for
}

func (t *treeValues) of(n *yaml.Node) value.Value {
	if n.Anchor == "" {
		return t.convert(n)
	}
	v, ok := t.anchored[n]
	if !ok {
		v = t.convert(n)
		t.anchored[n] = v
	}
	return v
}

func (t *treeValues) convert(n *yaml.Node) value.Value {
	switch n.Kind {
	case yaml.MappingNode:
		return value.Object(t.members(n)...)
	case yaml.SequenceNode:
		items := make([]value.Value, len(n.Content))
		for i, item := range n.Content {
			items[i] = t.of(item)
		}
		return value.Array(items...)
	default:
		return scalarValue(n)
	}
}

// members lists those that are merged in (YAML, Merge Key) before the mapping's
// own, since the last of a name wins.
func (t *treeValues) members(n *yaml.Node) []value.Member {
	members := make([]value.Member, 0, len(n.Content)/2)
	for i := 0; i+1 < len(n.Content); i += 2 {
		if n.Content[i].Tag == tagMerge {
			members = append(members, t.merged(n.Content[i+1])...)
		}
	}
	for i := 0; i+1 < len(n.Content); i += 2 {
		if key := n.Content[i]; key.Tag != tagMerge && key.Value != orderKey {
			members = append(members, value.Member{Name: key.Value, Value: t.of(n.Content[i+1])})
		}
	}
	return members
}

// merged lists what a merge key brings: of several mappings the first wins.
func (t *treeValues) merged(n *yaml.Node) []value.Member {
	if n.Kind == yaml.MappingNode {
		return t.members(n)
	}
	var members []value.Member
	for i := len(n.Content) - 1; i >= 0; i-- {
		if n.Content[i].Kind == yaml.MappingNode {
			members = append(members, t.members(n.Content[i])...)
		}
	}
	return members
}

func scalarValue(n *yaml.Node) value.Value {
	switch n.Tag {
	case tagNull:
		return value.Null
	case tagInt, tagFloat:
		if v, err := value.Number(n.Value); err == nil {
			return v
		}
		// YAML has more ways to write a number than JSON.
		var plain any
		if err := n.Decode(&plain); err == nil {
			if v, err := value.Of(plain); err == nil {
				return v
			}
		}
	case tagBool:
		var plain bool
		if err := n.Decode(&plain); err == nil {
			return value.Bool(plain)
		}
	}
	return value.String(n.Value)
}
