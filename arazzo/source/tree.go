package source

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"go.yaml.in/yaml/v4"
)

// The limits of the shape of a description.
const (
	maxDepth     = 1000   // nesting
	minExpansion = 10_000 // nodes that aliases may always stand for
)

// The tags that the library tells scalars apart by.
const (
	tagString = "!!str"
	tagInt    = "!!int"
	tagFloat  = "!!float"
	tagBool   = "!!bool"
	tagNull   = "!!null"
	tagMap    = "!!map"
	tagSeq    = "!!seq"
	tagTime   = "!!timestamp"
	tagMerge  = "!!merge"
)

// parseTree reads JSON or YAML as the node tree that the OpenAPI library
// decodes from. Its own reading of JSON takes minutes where objects nest deep,
// and twice the memory elsewhere; its reading of YAML follows aliases without a
// limit. So the tree is made and checked here.
func parseTree(data []byte) (*yaml.Node, error) {
	if isJSON(data) {
		if root, err := parseJSON(data); err == nil || errors.Is(err, errDeep) {
			return root, err
		}
		// YAML in flow style begins as JSON does.
	}
	var document yaml.Node
	if err := yaml.Unmarshal(data, &document); err != nil {
		return nil, fmt.Errorf("it is not YAML: %s", strings.TrimPrefix(err.Error(), "yaml: "))
	}
	if document.Kind != yaml.DocumentNode || len(document.Content) == 0 {
		return nil, errors.New("it is empty")
	}
	t := &yamlTree{}
	root, err := t.prepare(document.Content[0], 1)
	if err != nil {
		return nil, err
	}
	return root, t.checkExpansion(root)
}

var errDeep = fmt.Errorf("it nests more than %d levels deep", maxDepth)

// parseJSON reads JSON; of a name that is given twice the last value stays, as
// with other readers of JSON.
func parseJSON(data []byte) (*yaml.Node, error) {
	d := json.NewDecoder(bytes.NewReader(trimStart(data)))
	d.UseNumber()
	root, err := jsonNode(d, 1)
	if err != nil {
		return nil, err
	}
	if _, err := d.Token(); err != io.EOF {
		return nil, errors.New("there is more after the end of the object")
	}
	return root, nil
}

func jsonNode(d *json.Decoder, depth int) (*yaml.Node, error) {
	if depth > maxDepth {
		return nil, errDeep
	}
	token, err := d.Token()
	if err != nil {
		return nil, err
	}
	switch token := token.(type) {
	case json.Delim:
		if token == '{' {
			return jsonObject(d, depth)
		}
		return jsonArray(d, depth)
	case string:
		return scalar(tagString, token), nil
	case json.Number:
		if strings.ContainsAny(token.String(), ".eE") || len(token) > 18 {
			return scalar(tagFloat, token.String()), nil
		}
		return scalar(tagInt, token.String()), nil
	case bool:
		return scalar(tagBool, fmt.Sprint(token)), nil
	default:
		return scalar(tagNull, "null"), nil
	}
}

func jsonObject(d *json.Decoder, depth int) (*yaml.Node, error) {
	n := &yaml.Node{Kind: yaml.MappingNode, Tag: tagMap}
	for d.More() {
		name, err := d.Token()
		if err != nil {
			return nil, err
		}
		value, err := jsonNode(d, depth+1)
		if err != nil {
			return nil, err
		}
		n.Content = append(n.Content, scalar(tagString, name.(string)), value)
	}
	_, err := d.Token()
	keepLast(n)
	return n, err
}

func jsonArray(d *json.Decoder, depth int) (*yaml.Node, error) {
	n := &yaml.Node{Kind: yaml.SequenceNode, Tag: tagSeq}
	for d.More() {
		item, err := jsonNode(d, depth+1)
		if err != nil {
			return nil, err
		}
		n.Content = append(n.Content, item)
	}
	_, err := d.Token()
	return n, err
}

// keepLast removes all but the last of the members of one name.
func keepLast(n *yaml.Node) {
	members := len(n.Content) / 2
	if members < 2 {
		return
	}
	last := make(map[string]int, members)
	for i := 0; i < len(n.Content); i += 2 {
		last[n.Content[i].Value] = i
	}
	if len(last) == members {
		return
	}
	kept := n.Content[:0]
	for i := 0; i < len(n.Content); i += 2 {
		if last[n.Content[i].Value] == i {
			kept = append(kept, n.Content[i], n.Content[i+1])
		}
	}
	n.Content = kept
}

func scalar(tag, text string) *yaml.Node {
	n := &yaml.Node{Kind: yaml.ScalarNode, Tag: tag, Value: text}
	if tag == tagString {
		n.Style = yaml.DoubleQuotedStyle // so that nothing takes it for a number
	}
	return n
}

// yamlTree makes of what YAML can say what JSON can.
type yamlTree struct {
	nodes  int          // as written
	inside []*yaml.Node // anchored nodes around the present one
}

// prepare turns keys and dates into strings and puts what an alias stands for
// in its place. It gives the node that is to stand where n stood.
func (t *yamlTree) prepare(n *yaml.Node, depth int) (*yaml.Node, error) {
	if depth > maxDepth {
		return nil, errDeep
	}
	t.nodes++
	switch n.Kind {
	case yaml.AliasNode:
		for _, around := range t.inside {
			if around == n.Alias {
				return nil, fmt.Errorf("line %d: the alias *%s stands inside of what it stands for", n.Line, n.Value)
			}
		}
		return n.Alias, nil // prepared: an anchor stands before its aliases
	case yaml.ScalarNode:
		return n, prepareScalar(n)
	}
	if n.Anchor != "" {
		t.inside = append(t.inside, n)
		defer func() { t.inside = t.inside[:len(t.inside)-1] }()
	}
	for i, child := range n.Content {
		prepared, err := t.prepare(child, depth+1)
		if err != nil {
			return nil, err
		}
		n.Content[i] = prepared
		if n.Kind == yaml.MappingNode && i%2 == 0 {
			if n.Content[i], err = prepareKey(prepared, child.Line); err != nil {
				return nil, err
			}
		}
	}
	if n.Kind == yaml.MappingNode {
		return n, unique(n)
	}
	return n, nil
}

// prepareScalar keeps what JSON has no word for as the text that it is written as.
func prepareScalar(n *yaml.Node) error {
	switch n.Tag {
	case tagTime:
		n.Tag = tagString
	case tagFloat:
		switch strings.ToLower(strings.TrimLeft(n.Value, "+-")) {
		case ".inf", ".nan":
			return fmt.Errorf("line %d: JSON has no number %s", n.Line, n.Value)
		}
	case tagString, tagInt, tagBool, tagNull, tagMerge:
	default:
		n.Tag = tagString // a tag of the author's own
	}
	return nil
}

// prepareKey makes a key the string that it is written as. An anchored scalar
// keeps its type where else it stands.
func prepareKey(n *yaml.Node, line int) (*yaml.Node, error) {
	if n.Kind != yaml.ScalarNode {
		return nil, fmt.Errorf("line %d: a key must be a string, not a mapping or a list", line)
	}
	if n.Tag == tagString || n.Tag == tagMerge {
		return n, nil
	}
	key := *n
	key.Tag = tagString
	return &key, nil
}

func unique(n *yaml.Node) error {
	if len(n.Content) < 4 {
		return nil
	}
	seen := make(map[string]bool, len(n.Content)/2)
	for i := 0; i < len(n.Content); i += 2 {
		key := n.Content[i]
		if seen[key.Value] && key.Tag != tagMerge {
			return fmt.Errorf("line %d: the key %s stands twice in one mapping", key.Line, quote(key.Value))
		}
		seen[key.Value] = true
	}
	return nil
}

// checkExpansion refuses a tree that aliases blow up: the nodes that are met on
// a walk may be ten times those that are written, not more.
func (t *yamlTree) checkExpansion(root *yaml.Node) error {
	left := max(10*t.nodes, minExpansion)
	var walk func(n *yaml.Node, depth int) error
	walk = func(n *yaml.Node, depth int) error {
		if left--; left < 0 {
			return errors.New("its aliases stand for more than ten times what is written")
		}
		if depth > maxDepth {
			return errDeep
		}
		for _, child := range n.Content {
			if err := walk(child, depth+1); err != nil {
				return err
			}
		}
		return nil
	}
	return walk(root, 1)
}
