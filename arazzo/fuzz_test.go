package arazzo

import (
	"bytes"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/weft-flow/weft/arazzo/value"
)

func seed(f *testing.F) {
	for _, name := range []string{"orders-1.1.yaml", "list-1.0.json", "styles.yaml", "faulty.yaml"} {
		f.Add(fixture(f, name))
	}
	for _, source := range []string{
		"", "a: &x [*x]", "? [a]\n: b", "a: |2\n   b\n", "{a: b, ? c, : d}", "- - -\n -", "'", "\"\\ud83d\\ude00\\/", "a: !<x> b",
		"\xef\xbb\xbf%YAML 1.2\n---\n- \u2028\u0085", "<<: [{a: b}]", "[a: b, [c]: d]", "a: \"b\r\n\r c\"", "&a : &b", "? $0]\n:[:", "!!str : !!str",
	} {
		f.Add([]byte(source))
	}
}

func FuzzParseTree(f *testing.F) {
	seed(f)
	f.Fuzz(func(t *testing.T, data []byte) {
		root, faults := ParseTree(data)
		if root == nil && len(faults) == 0 {
			t.Fatal("neither a tree nor a fault")
		}
		for _, fault := range faults {
			checkPlace(t, data, fault.Span)
			if utf8.Valid(data) && !utf8.Valid(data[fault.Span.Start.Offset:fault.Span.End.Offset]) {
				t.Fatalf("the fault %v cuts a character", fault)
			}
			if strings.Contains(fault.Message, "runtime error") {
				t.Fatalf("the reader panicked: %v", fault)
			}
		}
		if root == nil {
			return
		}
		walk(root, func(n *Node) { checkNode(t, data, n) })
		if !bytes.ContainsRune(data, '*') { // what an alias repeats lies elsewhere
			walk(root, func(n *Node) { checkNesting(t, data, n) })
		}
	})
}

func FuzzParse(f *testing.F) {
	seed(f)
	f.Fuzz(func(t *testing.T, data []byte) {
		d, faults := Parse("fuzz.yaml", data)
		for i, fault := range faults {
			checkPlace(t, data, fault.Span)
			if fault.Rule == "" || fault.Message == "" {
				t.Fatalf("fault without rule or message: %+v", fault)
			}
			if i > 0 && fault.Span.Start.Offset < faults[i-1].Span.Start.Offset {
				t.Fatalf("faults out of order: %v", faults)
			}
		}
		if d == nil {
			return
		}
		for _, w := range d.Workflows {
			d.Names(w)
			d.InputSchema(w)
		}
	})
}

func checkPlace(t *testing.T, data []byte, s Span) {
	t.Helper()
	if s.Start.Offset < 0 || s.End.Offset < s.Start.Offset || s.End.Offset > len(data) || s.Start.Line < 1 || s.Start.Column < 1 ||
		s.End.Line < s.Start.Line || s.End.Line == s.Start.Line && s.End.Column < s.Start.Column {
		t.Fatalf("span outside the file: %+v of %d bytes", s, len(data))
	}
}

func checkNode(t *testing.T, data []byte, n *Node) {
	t.Helper()
	checkPlace(t, data, n.Span)
	if !utf8.Valid(data[n.Span.Start.Offset:n.Span.End.Offset]) {
		t.Fatalf("the span %+v cuts a character", n.Span)
	}
	switch n.Kind {
	case value.KindNumber:
		if _, err := value.Number(n.Text); err != nil {
			t.Fatal(err)
		}
	case value.KindAbsent:
		t.Fatalf("node without a kind at %+v", n.Span)
	}
	seen := map[string]bool{}
	for i, item := range n.Items {
		if item.Parent() != n || item.Token() != itoa(i) {
			t.Fatalf("item %d of %s has another parent or token", i, n.Pointer())
		}
	}
	for _, m := range n.Members {
		if m.Value.Parent() != n || m.Value.Token() != m.Key.Text || m.Key.Kind != value.KindString || seen[m.Key.Text] {
			t.Fatalf("member %q of %s has another parent or token, or is there twice", m.Key.Text, n.Pointer())
		}
		seen[m.Key.Text] = true
	}
}

// checkNesting demands that children follow one another inside their parent,
// and that brackets and quotes stand at the ends of what they enclose.
func checkNesting(t *testing.T, data []byte, n *Node) {
	t.Helper()
	at := n.Span.Start.Offset
	inOrder := func(child *Node) {
		if child.Span.Start.Offset < at || child.Span.End.Offset > n.Span.End.Offset {
			t.Fatalf("%q at %+v lies outside its place in %+v", child.Text, child.Span, n.Span)
		}
		at = child.Span.End.Offset
	}
	for _, item := range n.Items {
		inOrder(item)
	}
	for _, m := range n.Members {
		inOrder(m.Key)
		inOrder(m.Value)
	}
	source := data[n.Span.Start.Offset:n.Span.End.Offset]
	if n.Kind != value.KindString || len(source) == 0 {
		return
	}
	if q := source[0]; (q == '"' || q == '\'') && (len(source) < 2 || source[len(source)-1] != q) {
		t.Fatalf("%q does not end with its quote", source)
	}
}
