package source

import (
	"errors"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strings"

	"go.yaml.in/yaml/v4"

	"github.com/weft-flow/weft/arazzo/value"
)

// The limits of what references may add up to. The library resolves them by
// recursion and walks a target again for each reference to it; without limits
// a small file could keep it busy for hours, or exhaust the stack.
const (
	maxChain = 100        // references that lead straight to references
	maxReach = 100_000    // levels, of nesting and of references, from one place to the last it leads to
	maxSteps = 10_000_000 // references followed, all in all
	maxWalk  = 50_000_000 // nodes met when each target is walked for each reference to it
)

// orderKey marks the place of a media type among others: the library keeps
// them in a map.
const orderKey = "x-weft-order"

// UnresolvedKey is the only member of an object that stands, in a description as
// written, for what a broken reference should have led to. It holds the reference.
const UnresolvedKey = "x-weft-unresolved"

// mender walks the tree of a description before the library decodes it. The
// library refuses a whole description for one reference that leads nowhere, one
// version that is written as a number, or one parameter that says a thing
// twice. No workflow should fail for that, as long as it does not use it.
type mender struct {
	root       *yaml.Node
	references []*yaml.Node // the mappings that have a $ref, in the order of the document
	depth      int          // the deepest nesting
	literal    bool         // pointers do not lead on through references
	steps      int          // references followed so far
	found      map[string]*yaml.Node
	keys       map[*yaml.Node]map[string]*yaml.Node
}

func newMender(root *yaml.Node) *mender {
	return &mender{root: root, found: map[string]*yaml.Node{}, keys: map[*yaml.Node]map[string]*yaml.Node{}}
}

// mend makes the tree fit for the library. outside tells why a reference to
// another file cannot be followed; where it is nil, nobody asks. It gives the
// references that lead nowhere; what they stand for is left open.
func mend(root *yaml.Node, outside func(ref string) error) ([]BrokenReference, error) {
	if root.Kind != yaml.MappingNode {
		return nil, errors.New("it is no mapping")
	}
	m := newMender(root)
	m.keywords(root, 1)
	broken := map[string]BrokenReference{}
	targets := make(map[*yaml.Node]*yaml.Node, len(m.references))
	extensions := map[*yaml.Node]bool{}
	for i := 0; i < len(m.references); i++ { // the list grows
		n := m.references[i]
		ref := member(n, "$ref").Value
		target, reason := m.resolve(ref, outside)
		switch {
		case isCanceled(reason):
			return nil, reason
		case reason != nil:
			broken[ref] = BrokenReference{Ref: ref, Reason: reason.Error(), Offline: errors.Is(reason, errOffline)}
			n.Content = []*yaml.Node{scalar(tagString, UnresolvedKey), scalar(tagString, ref)}
		case target != nil:
			targets[n] = target
			if strings.Contains(ref, "/x-") && !extensions[target] {
				extensions[target] = true // what lies in an extension is data until something refers to it
				m.keywords(target, 1)
			}
		}
	}
	if m.steps > maxSteps {
		return nil, errEndless
	}
	list := slices.SortedFunc(maps.Values(broken), func(a, b BrokenReference) int { return strings.Compare(a.Ref, b.Ref) })
	return list, m.checkReach(targets)
}

// resolve gives what a reference within the description leads to, and why it
// leads nowhere where it does so.
func (m *mender) resolve(ref string, outside func(ref string) error) (*yaml.Node, error) {
	if strings.HasPrefix(ref, "#") {
		if target := m.target(ref); target != nil {
			return target, nil
		}
		return nil, errNothingThere
	}
	if outside == nil {
		return nil, nil
	}
	return nil, outside(ref)
}

var errNothingThere = errors.New("nothing is there")

// nameMaps are the keywords under which the keys are names that the author chose.
var nameMaps = map[string]bool{
	"properties": true, "patternProperties": true, "dependentSchemas": true, "$defs": true, "definitions": true,
	"schemas": true, "responses": true, "parameters": true, "examples": true, "requestBodies": true, "headers": true,
	"securitySchemes": true, "securityDefinitions": true, "links": true, "callbacks": true, "pathItems": true,
	"mediaTypes": true, "paths": true, "webhooks": true, "content": true, "encoding": true, "variables": true,
	"mapping": true, "scopes": true, "additionalOperations": true,
}

// texts are the keywords whose value is text, even where it looks like a number.
var texts = map[string]bool{
	"title": true, "version": true, "description": true, "summary": true, "operationId": true,
	"name": true, "pattern": true, "format": true, "$ref": true, "url": true,
}

// isData tells whether a keyword's value is the author's own data.
func isData(key string, n *yaml.Node) bool {
	switch key {
	case "example", "default", "enum", "const", "value", "dataValue", "serializedValue":
		return true
	case "examples":
		return n.Kind == yaml.SequenceNode // of JSON Schema; a map holds Example Objects
	default:
		return strings.HasPrefix(key, "x-")
	}
}

// keywords walks a mapping whose keys are the specification's, or a list of such.
func (m *mender) keywords(n *yaml.Node, depth int) {
	m.depth = max(m.depth, depth)
	if n.Kind == yaml.SequenceNode {
		for _, item := range n.Content {
			m.keywords(item, depth+1)
		}
		return
	}
	if n.Kind != yaml.MappingNode {
		return
	}
	if ref := member(n, "$ref"); ref != nil && ref.Kind == yaml.ScalarNode {
		m.references = append(m.references, n)
	}
	dropSchemaBesideContent(n)
	for i := 0; i+1 < len(n.Content); i += 2 {
		key, child := n.Content[i].Value, n.Content[i+1]
		switch {
		case isData(key, child):
		case child.Kind == yaml.ScalarNode:
			if texts[key] && child.Tag != tagNull {
				child.Tag = tagString
			} else if key == "type" && child.Tag == tagNull {
				child.Tag, child.Value = tagString, "null"
			}
		case nameMaps[key] && child.Kind == yaml.MappingNode:
			m.names(child, key, depth+1)
		default:
			textItems(key, child)
			m.keywords(child, depth+1)
		}
	}
}

// names walks a mapping whose keys are the author's.
func (m *mender) names(n *yaml.Node, under string, depth int) {
	m.depth = max(m.depth, depth)
	if under == "content" {
		markOrder(n)
	}
	for i := 0; i+1 < len(n.Content); i += 2 {
		name, child := n.Content[i].Value, n.Content[i+1]
		if ref := localReference(child); under == "content" && ref != "" {
			// OpenAPI 3.2 allows it, the library does not follow it.
			if target := m.target(ref); target != nil {
				n.Content[i+1], child = target, target
			}
		}
		if strings.HasPrefix(name, "x-") && under != "properties" && under != "headers" {
			continue
		}
		// The key of a callback is a name, and so are the expressions in it.
		if under == "callbacks" && child.Kind == yaml.MappingNode && member(child, "$ref") == nil {
			m.names(child, "", depth+1)
			continue
		}
		m.keywords(child, depth+1)
	}
}

// textItems makes the items of a list of names text: required: [1, yes].
func textItems(key string, n *yaml.Node) {
	if n.Kind != yaml.SequenceNode || key != "required" && key != "tags" && key != "type" {
		return
	}
	for _, item := range n.Content {
		if item.Kind == yaml.ScalarNode {
			item.Tag = tagString
		}
	}
}

// dropSchemaBesideContent lets content win in a parameter that is described by both.
func dropSchemaBesideContent(n *yaml.Node) {
	if member(n, "in") == nil || member(n, "content") == nil {
		return
	}
	for i := 0; i+1 < len(n.Content); i += 2 {
		if n.Content[i].Value == "schema" {
			n.Content = slices.Concat(n.Content[:i], n.Content[i+2:])
			return
		}
	}
}

// markOrder numbers the media types of a content map.
func markOrder(content *yaml.Node) {
	if len(content.Content) < 4 {
		return
	}
	for i := 0; i+1 < len(content.Content); i += 2 {
		described := content.Content[i+1]
		if described.Kind != yaml.MappingNode || member(described, "$ref") != nil || member(described, orderKey) != nil {
			continue
		}
		described.Content = append(described.Content,
			scalar(tagString, orderKey), scalar(tagInt, fmt.Sprint(i/2)))
	}
}

// member gives the value of a mapping's key, or nil, and remembers the keys of
// large mappings: most references lead into a few of these.
func (m *mender) member(n *yaml.Node, name string) *yaml.Node {
	if len(n.Content) < 64 {
		return member(n, name)
	}
	index := m.keys[n]
	if index == nil {
		index = make(map[string]*yaml.Node, len(n.Content)/2)
		for i := 0; i+1 < len(n.Content); i += 2 {
			index[n.Content[i].Value] = n.Content[i+1]
		}
		m.keys[n] = index
	}
	return index[name]
}

// member gives the value of a mapping's key, or nil.
func member(n *yaml.Node, name string) *yaml.Node {
	for i := 0; i+1 < len(n.Content); i += 2 {
		if n.Content[i].Value == name {
			return n.Content[i+1]
		}
	}
	return nil
}

// target gives the node that a reference within the description leads to, nil
// where it leads nowhere, or round in a circle of references.
func (m *mender) target(ref string) *yaml.Node {
	n, ok := m.found[ref]
	if !ok {
		n = m.follow(ref, maxChain)
		m.found[ref] = n
	}
	return n
}

func (m *mender) follow(ref string, left int) *yaml.Node {
	decoded, err := url.PathUnescape(strings.TrimPrefix(ref, "#"))
	m.steps++
	if err != nil || decoded == "" || left <= 0 || m.steps > maxSteps {
		return nil
	}
	pointer, err := value.ParsePointer(decoded)
	if err != nil {
		return nil
	}
	n := m.root
	for _, token := range pointer {
		if n = m.child(n, token, left-1); n == nil {
			return nil
		}
	}
	// What is a reference itself is worth only as much as what it leads to.
	if next := localReference(n); next != "" && m.follow(next, left-1) == nil {
		return nil
	}
	return n
}

// child steps down by one token, through a reference where there is one.
func (m *mender) child(n *yaml.Node, token string, left int) *yaml.Node {
	if n.Kind == yaml.SequenceNode {
		i, ok := value.ArrayIndex(token)
		if !ok || i >= len(n.Content) {
			return nil
		}
		return n.Content[i]
	}
	if n.Kind != yaml.MappingNode {
		return nil
	}
	if found := m.member(n, token); found != nil {
		return found
	}
	next := localReference(n)
	if next == "" || left <= 0 || m.literal {
		return nil
	}
	through := m.follow(next, left-1)
	if through == nil {
		return nil
	}
	return m.child(through, token, left-1)
}

// localReference gives the reference that a node is, where it stays within the description.
func localReference(n *yaml.Node) string {
	if n.Kind != yaml.MappingNode {
		return ""
	}
	if ref := member(n, "$ref"); ref != nil && strings.HasPrefix(ref.Value, "#") {
		return ref.Value
	}
	return ""
}
