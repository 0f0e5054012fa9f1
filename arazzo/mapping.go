package arazzo

import (
	"gopkg.in/yaml.v3"

	"github.com/weft-flow/weft/arazzo/value"
)

// mapping makes the members and gives the end of the last.
func (b *builder) mapping(n *Node, y *yaml.Node, start, depth int) (int, error) {
	end := start
	m := newMembers(b, n, len(y.Content)/2)
	for i := 0; i+1 < len(y.Content); i += 2 {
		key, keyEnd, err := b.key(y.Content[i], n, depth)
		if err != nil {
			return 0, err
		}
		token := ""
		if key != nil {
			token = key.Text
		}
		item, err := b.build(y.Content[i+1], n, token, depth+1, keyEnd)
		if err != nil {
			return 0, err
		}
		end = max(keyEnd, b.end(y.Content[i+1], item))
		switch {
		case key == nil:
		case isMergeKey(y.Content[i]):
			m.merge(key, item)
		default:
			m.add(key, item)
		}
	}
	n.Members = m.list()
	return end, nil
}

// key makes the node for a mapping's key, which is always a string: the text
// that is written. It is nil where the key is a list or mapping.
func (b *builder) key(y *yaml.Node, parent *Node, depth int) (*Node, int, error) {
	scalar, at := y, b.text.offset(y.Line, y.Column)
	if y.Kind == yaml.AliasNode {
		scalar = y.Alias
	}
	if scalar.Kind != yaml.ScalarNode {
		key, err := b.build(y, parent, "", depth+1, -1)
		if err != nil {
			return nil, 0, err
		}
		b.fault(at, b.end(y, key), parent.Pointer(), "a key must be a scalar, this is %s", kindName(key.Kind))
		return nil, b.end(y, key), nil
	}
	b.left--
	start, bare := b.text.start(scalar)
	key := b.node(parent, "")
	b.scalar(key, scalar, start, bare)
	if isPlain(scalar) {
		key.Text = b.text.restore(scalar.Value, false)
	}
	key.Kind, key.token = value.KindString, key.Text
	return key, b.end(y, key), nil
}

// isMergeKey tells whether y is the merge key of YAML 1.1.
func isMergeKey(y *yaml.Node) bool {
	return y.Kind == yaml.ScalarNode && y.Value == "<<" && isPlain(y)
}

// members collects the members of one mapping. What is merged stands where its
// merge key does; what is written wins over it.
type members struct {
	builder *builder
	node    *Node
	keys    []*Node          // as written
	byName  map[string]*Node // the keys, once they are many
	all     []Member
	merged  map[*Node]bool // keys of those that are merged
}

// manyKeys is how many keys of a mapping are found faster by a map.
const manyKeys = 16

func newMembers(b *builder, n *Node, count int) members {
	return members{builder: b, node: n, keys: make([]*Node, 0, count), all: make([]Member, 0, count)}
}

// written gives the key of a name as it is written; nil where there is none.
func (m *members) written(name string) *Node {
	if m.byName != nil {
		return m.byName[name]
	}
	for _, key := range m.keys {
		if key.Text == name {
			return key
		}
	}
	return nil
}

func (m *members) write(key *Node) {
	m.keys = append(m.keys, key)
	switch {
	case m.byName != nil:
		m.byName[key.Text] = key
	case len(m.keys) > manyKeys:
		m.byName = make(map[string]*Node, cap(m.keys))
		for _, k := range m.keys {
			m.byName[k.Text] = k
		}
	}
}

// add adds a member as written, unless its key is there already.
func (m *members) add(key, item *Node) {
	if m.repeated(key) {
		return
	}
	m.all = append(m.all, Member{Key: key, Value: item})
}

// repeated reports a key that stands in the mapping a second time.
func (m *members) repeated(key *Node) bool {
	first := m.written(key.Text)
	if first == nil {
		m.write(key)
		return false
	}
	m.builder.faults = append(m.builder.faults, Fault{
		Rule: "yaml-duplicate-key", Span: key.Span, Pointer: key.Pointer(),
		Message: "the key " + quote(key.Text) + " is already in line " + itoa(first.Span.Start.Line) + " of this mapping",
	})
	return true
}

// merge adds the members of the mapping, or list of mappings, under a merge key.
func (m *members) merge(key, item *Node) {
	if m.repeated(key) {
		return
	}
	if m.merged == nil {
		m.merged = make(map[*Node]bool)
	}
	b := m.builder
	b.faults = append(b.faults, Fault{
		Rule: "yaml-merge", Span: key.Span, Pointer: key.Pointer(),
		Message: "the merge key << is not part of YAML 1.2: other tools may read it as a key of that name",
	})
	from := []*Node{item}
	if item.Kind == value.KindArray {
		from = item.Items
	}
	for _, source := range from {
		if source.Kind != value.KindObject {
			b.faults = append(b.faults, Fault{
				Rule: "yaml", Span: source.Span, Pointer: source.Pointer(),
				Message: "<< merges a mapping or a list of mappings, this is " + kindName(source.Kind),
			})
			continue
		}
		for _, member := range source.Members {
			m.adopt(member)
		}
	}
}

// adopt adds a merged member as a child of the mapping itself.
func (m *members) adopt(member Member) {
	key := *member.Key
	key.parent = m.node
	member.Key = &key
	member.Value.parent = m.node
	m.merged[&key] = true
	m.all = append(m.all, member)
}

// list gives the members: of merged ones only those that are not written, and
// of several with one name the first.
func (m *members) list() []Member {
	if m.merged == nil {
		return m.all
	}
	list := make([]Member, 0, len(m.all))
	seen := make(map[string]bool)
	for _, member := range m.all {
		name := member.Key.Text
		if m.merged[member.Key] {
			if m.written(name) != nil || seen[name] {
				continue
			}
			seen[name] = true
		}
		list = append(list, member)
	}
	return list
}
