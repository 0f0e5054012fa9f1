package arazzo

import (
	"strings"
	"unicode/utf8"

	"github.com/weft-flow/weft/arazzo/value"
)

// Position is a place in a file. Line and Column count from 1, Column in
// characters; Offset counts bytes from 0.
type Position struct {
	Line, Column, Offset int
}

// After gives the place behind a text that begins at p.
func (p Position) After(text string) Position {
	p.Offset += len(text)
	for {
		end := strings.IndexAny(text, "\r\n")
		if end < 0 {
			break
		}
		if strings.HasPrefix(text[end:], "\r\n") {
			end++
		}
		p.Line, p.Column, text = p.Line+1, 1, text[end+1:]
	}
	p.Column += utf8.RuneCountInString(text)
	return p
}

// Span is a stretch of a file: from Start up to, not including, End.
type Span struct {
	Start, End Position
}

// Node is one node of the document as written, before it means anything: the
// tree that YAML and JSON have in common.
type Node struct {
	Kind    value.Kind
	broken  bool   // a fault was reported that makes its kind meaningless
	Text    string // a string's value, a number as written, "true", "false" or "null"
	Items   []*Node
	Members []Member
	Span    Span // without anchor and tag; a block scalar ends with its last line that is not blank

	parent  *Node
	token   string // the reference token under the parent
	written string // how the file writes the Text of a string; empty: one to one
}

// Member is one key of a mapping with its value.
type Member struct {
	Key   *Node
	Value *Node
}

// Pointer gives the node's JSON Pointer (RFC 6901) from the root of its file.
func (n *Node) Pointer() string {
	if n == nil || n.parent == nil {
		return ""
	}
	var tokens []string
	for at := n; at.parent != nil; at = at.parent {
		tokens = append(tokens, value.EscapeToken(at.token))
	}
	var b strings.Builder
	for i := len(tokens) - 1; i >= 0; i-- {
		b.WriteByte('/')
		b.WriteString(tokens[i])
	}
	return b.String()
}

// Parent gives the node that holds n; nil for the root.
func (n *Node) Parent() *Node {
	if n == nil {
		return nil
	}
	return n.parent
}

// Token gives the name or position of n under its parent, unescaped.
func (n *Node) Token() string { return n.token }

// Get gives the value of the named member, or nil.
func (n *Node) Get(name string) *Node {
	if n == nil {
		return nil
	}
	for i := range n.Members {
		if n.Members[i].Key.Text == name {
			return n.Members[i].Value
		}
	}
	return nil
}

// Lookup gives the node that a JSON Pointer names beneath n, or nil.
func (n *Node) Lookup(pointer value.Pointer) *Node {
	for _, token := range pointer {
		if n == nil {
			return nil
		}
		if n.Kind == value.KindArray {
			at, ok := value.ArrayIndex(token)
			if !ok || at >= len(n.Items) {
				return nil
			}
			n = n.Items[at]
			continue
		}
		n = n.Get(token)
	}
	return n
}

// Value gives what the node and all beneath it say, as an exact value.
func (n *Node) Value() value.Value {
	if n == nil {
		return value.Absent
	}
	switch n.Kind {
	case value.KindString:
		return value.String(n.Text)
	case value.KindNumber:
		number, _ := value.Number(n.Text)
		return number
	case value.KindBool:
		return value.Bool(n.Text == "true")
	case value.KindArray:
		items := make([]value.Value, len(n.Items))
		for i, item := range n.Items {
			items[i] = item.Value()
		}
		return value.Array(items...)
	case value.KindObject:
		members := make([]value.Member, len(n.Members))
		for i, m := range n.Members {
			members[i] = value.Member{Name: m.Key.Text, Value: m.Value.Value()}
		}
		return value.Object(members...)
	default:
		return value.Null
	}
}
