package arazzo

import (
	"errors"
	"fmt"
	"strconv"

	"gopkg.in/yaml.v3"

	"github.com/weft-flow/weft/arazzo/value"
)

// maxExpansion limits how many times more nodes a document may have after its
// aliases are expanded than it writes.
const maxExpansion = 10

// ParseTree reads YAML or JSON without asking what it means. The tree is nil
// where there is none: the syntax is broken, or a limit is passed.
//
// A node that an alias repeats has the span of the text that is repeated, which
// lies outside the span of its parent.
func ParseTree(data []byte) (*Node, []Fault) {
	t, fault := newText(data)
	if fault != nil {
		return nil, []Fault{*fault}
	}
	document, faults := t.read()
	if document == nil {
		return nil, faults
	}
	b := &builder{text: t, source: data[t.base:], faults: faults, open: map[*yaml.Node]bool{}}
	b.unmade = countNodes(document)
	b.left = maxExpansion * b.unmade
	root, err := b.build(document, nil, "", 0, -1)
	if err != nil {
		return nil, b.faults
	}
	sortFaults(b.faults)
	return root, b.faults
}

// errStopped tells that a fault was found after which no tree can be given.
var errStopped = errors.New("no tree")

// countNodes counts the nodes as written: an alias is one.
func countNodes(y *yaml.Node) int {
	count := 1
	for _, child := range y.Content {
		count += countNodes(child)
	}
	return count
}

// builder makes the tree from what the YAML reader gave.
type builder struct {
	text   *text
	source []byte // as it is written
	faults []Fault
	open   map[*yaml.Node]bool // what is being expanded
	left   int                 // how many nodes may still be made
	outer  *yaml.Node          // the outermost alias that is being expanded
	spare  []Node              // made many at a time
	unmade int                 // how many nodes that are written have none yet
}

// sparesMade is how many nodes are made at a time.
const sparesMade = 128

// node makes a node beneath another.
func (b *builder) node(parent *Node, token string) *Node {
	if len(b.spare) == 0 {
		b.spare = make([]Node, min(max(b.unmade, 1), sparesMade))
		b.unmade -= len(b.spare)
	}
	n := &b.spare[0]
	b.spare = b.spare[1:]
	n.parent, n.token = parent, token
	return n
}

func (b *builder) fault(start, end int, pointer, format string, args ...any) {
	fault := b.text.fault(start, end, fmt.Sprintf(format, args...))
	fault.Pointer = pointer
	b.faults = append(b.faults, *fault)
}

// build makes the node for y. afterKey is the end of the key whose value it is,
// or -1.
func (b *builder) build(y *yaml.Node, parent *Node, token string, depth, afterKey int) (*Node, error) {
	n := b.node(parent, token)
	if b.left--; b.left < 0 {
		if b.outer != nil {
			y = b.outer
		}
		at := b.text.offset(y.Line, y.Column)
		b.fault(at, b.text.runeEnd(at), "", "with this alias the aliases expand to more than %d times the nodes that the document writes", maxExpansion)
		return nil, errStopped
	}
	if y.Kind == yaml.AliasNode {
		return b.alias(y, n, depth)
	}
	start, bare := b.text.start(y)
	if y.Kind == yaml.ScalarNode {
		if reported := b.text.offset(y.Line, y.Column); isEmpty(y) && afterKey >= 0 && start == reported {
			start = b.text.emptyValue(afterKey, reported)
		}
		b.scalar(n, y, start, bare)
		return n, nil
	}
	if depth >= value.MaxDepth {
		b.fault(start, b.text.runeEnd(start), "", "nested deeper than %d", value.MaxDepth)
		return nil, errStopped
	}
	return n, b.collection(n, y, start, depth)
}

// alias expands *name into a copy of the node it names.
func (b *builder) alias(y *yaml.Node, n *Node, depth int) (*Node, error) {
	if b.open[y.Alias] {
		at := b.text.offset(y.Line, y.Column)
		b.fault(at, at+1+len(y.Value), n.Pointer(), "the alias *%s stands inside the node that it names", shorten(y.Value))
		return nil, errStopped
	}
	b.left++ // the alias itself is no node
	if b.outer == nil {
		b.outer = y
		defer func() { b.outer = nil }()
	}
	return b.build(y.Alias, n.parent, n.token, depth, -1)
}

func (b *builder) scalar(n *Node, y *yaml.Node, start int, bare bool) {
	end := b.text.scalarEnd(y, start)
	n.Span = b.text.span(start, end)
	s := b.text.restore(y.Value, y.Style&yaml.DoubleQuotedStyle != 0)
	var err error
	switch {
	case y.Style&yaml.TaggedStyle != 0:
		n.Kind, n.Text, err = resolveTagged(y.Tag, s)
	case isPlain(y) && !bare:
		n.Kind, n.Text, err = resolvePlain(s)
	default:
		n.Kind, n.Text = value.KindString, s
	}
	if err != nil {
		n.broken = true
		at := start
		if y.Style&yaml.TaggedStyle != 0 {
			at = b.text.offset(y.Line, y.Column)
		}
		b.fault(at, n.Span.End.Offset-b.text.base, n.Pointer(), "%v", err)
	}
	n.keepWritten(b.source[start:max(start, end)])
}

func (b *builder) collection(n *Node, y *yaml.Node, start, depth int) error {
	b.open[y] = true
	defer delete(b.open, y)
	var last int
	var err error
	if y.Kind == yaml.SequenceNode {
		n.Kind = value.KindArray
		last, err = b.sequence(n, y, start, depth)
	} else {
		n.Kind = value.KindObject
		last, err = b.mapping(n, y, start, depth)
	}
	if err != nil {
		return err
	}
	if y.Style&yaml.FlowStyle != 0 && b.text.is(start, "[{") && !b.isPair(y, start) {
		last = b.text.flowEnd(max(last, start+1))
	}
	n.Span = b.text.span(start, last)
	b.checkCollectionTag(n, y)
	return nil
}

// isPair tells whether y is a single pair without braces in a flow sequence.
func (b *builder) isPair(y *yaml.Node, start int) bool {
	return y.Kind == yaml.MappingNode && len(y.Content) > 0 &&
		b.text.offset(y.Content[0].Line, y.Content[0].Column) == start
}

func (b *builder) checkCollectionTag(n *Node, y *yaml.Node) {
	allowed := "!!map"
	if y.Kind == yaml.SequenceNode {
		allowed = "!!seq"
	}
	if y.Style&yaml.TaggedStyle != 0 && y.Tag != allowed {
		n.broken = true
		at := b.text.offset(y.Line, y.Column)
		b.fault(at, n.Span.Start.Offset-b.text.base, n.Pointer(), "%v", errTag(y.Tag))
	}
}

// sequence makes the items and gives the end of the last.
func (b *builder) sequence(n *Node, y *yaml.Node, start, depth int) (int, error) {
	end := start + 1
	n.Items = make([]*Node, 0, len(y.Content))
	for i, child := range y.Content {
		item, err := b.build(child, n, strconv.Itoa(i), depth+1, -1)
		if err != nil {
			return 0, err
		}
		n.Items = append(n.Items, item)
		end = b.end(child, item)
	}
	return end, nil
}

// end gives the offset at which a child ends in its parent: an alias ends after
// its name.
func (b *builder) end(y *yaml.Node, n *Node) int {
	if y.Kind == yaml.AliasNode {
		return b.text.offset(y.Line, y.Column) + 1 + len(y.Value)
	}
	return n.Span.End.Offset - b.text.base
}
