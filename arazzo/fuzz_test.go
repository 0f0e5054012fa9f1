package arazzo

import (
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
		"\xef\xbb\xbf%YAML 1.2\n---\n- \u2028\u0085", "<<: [{a: b}]", "[a: b, [c]: d]", "a: \"b\r\n\r c\"", "&a : &b", "!!str : !!str",
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
		}
		if root != nil {
			walk(root, func(n *Node) { checkNode(t, data, n) })
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

func BenchmarkParse(b *testing.B) {
	data := fixture(b, "orders-1.1.yaml")
	b.SetBytes(int64(len(data)))
	b.ReportAllocs()
	for b.Loop() {
		Parse("orders.yaml", data)
	}
}
