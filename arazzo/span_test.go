package arazzo

import (
	"strconv"
	"strings"
	"testing"

	"github.com/weft-flow/weft/arazzo/value"
)

func TestSpansSliceTheSource(t *testing.T) {
	for _, c := range []struct{ name, source, pointer, want string }{
		{"a plain scalar", "a: b c # d\n", "/a", "b c"},
		{"a plain scalar over lines", "a: b\n  c\n\n  d\ne: f\n", "/a", "b\n  c\n\n  d"},
		{"a plain scalar before CRLF", "a: b\r\nc: d\r\n", "/a", "b"},
		{"single quotes", "a: 'it''s' # x\n", "/a", "'it''s'"},
		{"double quotes", `a: "x\"y\\" # "`, "/a", `"x\"y\\"`},
		{"a quoted scalar over lines", "a: \"x\n\n  y\"\n", "/a", "\"x\n\n  y\""},
		{"a literal", "a: |\n  x\n\n   y  \n\n\nb: c\n", "/a", "|\n  x\n\n   y  "},
		{"a literal that keeps its end", "a: |2+ # c\n   x\n\nb: c\n", "/a", "|2+ # c\n   x"},
		{"an empty literal", "a: |-\n\nb: c\n", "/a", "|-"},
		{"a folded text", "a: >\n  x\n  y\n# c\n", "/a", ">\n  x\n  y"},
		{"a literal before CRLF", "a: |\r\n  x\r\n  y\r\nb: c\r\n", "/a", "|\r\n  x\r\n  y"},
		{"nothing", "a:\nb: c\n", "/a", ""},
		{"nothing in a list", "- \n- a\n", "/0", ""},
		{"an empty list", "a: [ ]\n", "/a", "[ ]"},
		{"an empty mapping", "a: {\n}\n", "/a", "{\n}"},
		{"a list in brackets", "a: [b, [c], ] # ]\n", "/a", "[b, [c], ]"},
		{"a list with comments", "a: [b, # ]\n  c # ]\n  ]\n", "/a", "[b, # ]\n  c # ]\n  ]"},
		{"a mapping in braces", "a: {b: , c, d: \"}\"}\n", "/a", "{b: , c, d: \"}\"}"},
		{"a pair in a list", "[a: b, c]", "/0", "a: b"},
		{"a block list", "a:\n  - b\n  - c: d\n    e: f\ng: h\n", "/a", "- b\n  - c: d\n    e: f"},
		{"a block list without indentation", "a:\n- b\n-\nc: d\n", "/a", "- b\n-"},
		{"a block mapping", "a:\n  b: c\n  d:\ne: f\n", "/a", "b: c\n  d:"},
		{"a list in a list", "- - a\n  - b\n- c\n", "/0", "- a\n  - b"},
		{"an anchor and a tag", "a: &x !!str b\n", "/a", "b"},
		{"an anchor on a mapping", "a: &x\n  b: c\n", "/a", "b: c"},
		{"an anchor on a key", "&x a: b\n", "", "&x a: b"},
		{"a tag on a list in brackets", "a: !!seq [b]\n", "/a", "[b]"},
		{"a mapping that ends with an alias", "a: &x b\nc:\n  d: *x\ne: f\n", "/c", "d: *x"},
		{"letters of several bytes", "é: ü 😀 # x\n", "/é", "ü 😀"},
		{"after a byte order mark", "\xef\xbb\xbfa: b\n", "/a", "b"},
		{"a separator of lines in text", "a: x\u2028y\nb: c\n", "/b", "c"},
	} {
		t.Run(c.name, func(t *testing.T) {
			pointer, err := value.ParsePointer(c.pointer)
			if err != nil {
				t.Fatal(err)
			}
			n := mustTree(t, c.source).Lookup(pointer)
			if got := c.source[n.Span.Start.Offset:n.Span.End.Offset]; got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}

func TestPositionsCountCharacters(t *testing.T) {
	for _, c := range []struct {
		name, source, pointer string
		want                  Span
	}{
		{"letters of several bytes", "é: ü😀\nb: c\n", "/é", Span{Position{1, 4, 4}, Position{1, 6, 10}}},
		{"a byte order mark", "\xef\xbb\xbfa: b\n", "/a", Span{Position{1, 4, 6}, Position{1, 5, 7}}},
		{"CRLF", "a: b\r\nc: d\r\n", "/c", Span{Position{2, 4, 9}, Position{2, 5, 10}}},
		{"CR alone", "a: b\rc: d\r", "/c", Span{Position{2, 4, 8}, Position{2, 5, 9}}},
		{"U+2028 ends no line", "a: x\u2028y\nc: d\n", "/c", Span{Position{2, 4, 12}, Position{2, 5, 13}}},
		{"a long line", "{\"a\": \"" + strings.Repeat("é", 1000) + "\", \"b\": 1}", "/b", Span{Position{1, 1016, 2015}, Position{1, 1017, 2016}}},
	} {
		t.Run(c.name, func(t *testing.T) {
			pointer, _ := value.ParsePointer(c.pointer)
			if got := mustTree(t, c.source).Lookup(pointer).Span; got != c.want {
				t.Errorf("got %v, want %v", got, c.want)
			}
		})
	}
}

// TestEachSpanReadsAsItsNode cuts every node out of the source and reads it
// alone: it must say the same.
func TestEachSpanReadsAsItsNode(t *testing.T) {
	for _, name := range []string{"orders-1.1.yaml", "list-1.0.json", "styles.yaml", "faulty.yaml"} {
		t.Run(name, func(t *testing.T) {
			data := fixture(t, name)
			for _, ending := range []string{"\n", "\r\n"} {
				source := strings.ReplaceAll(string(data), "\n", ending)
				root, _ := ParseTree([]byte(source))
				if root == nil {
					t.Fatal("no tree")
				}
				walk(root, func(n *Node) { checkSpan(t, source, n) })
			}
		})
	}
}

func checkSpan(t *testing.T, source string, n *Node) {
	t.Helper()
	text := source[n.Span.Start.Offset:n.Span.End.Offset]
	isScalar := n.Kind != value.KindArray && n.Kind != value.KindObject
	switch {
	case text == "":
		if n.Text != "null" && n.Text != "" {
			t.Errorf("%s: nothing is written for %q", n.Pointer(), n.Text)
		}
		return
	case !isScalar && (strings.ContainsAny(text, "*&!") || text[0] == '?'), strings.HasPrefix(text, "|2"):
		return // aliases, tags and indentation that the parent decides mean nothing alone
	}
	alone, _ := ParseTree([]byte(strings.Repeat(" ", n.Span.Start.Column-1) + text))
	if alone == nil {
		t.Errorf("%s: %q is not read alone", n.Pointer(), text)
		return
	}
	got, want := alone.Value().String(), n.Value().String()
	if isScalar { // a tag or being a key decides the kind
		got, want = strconv.Quote(alone.Text), strconv.Quote(n.Text)
		if n.Kind == value.KindString && text[0] != '"' && text[0] != '\'' && text[0] != '|' && text[0] != '>' {
			got = strconv.Quote(strings.Join(strings.Fields(text), " "))
			want = strconv.Quote(strings.Join(strings.Fields(n.Text), " "))
		}
	}
	if trimEnd(got) != trimEnd(want) {
		t.Errorf("%s: %q reads alone as %s, want %s", n.Pointer(), text, got, want)
	}
}

// trimEnd removes line breaks at the end of encoded strings: those of a block
// scalar lie after its span.
func trimEnd(encoded string) string {
	for strings.Contains(encoded, `\n"`) {
		encoded = strings.ReplaceAll(encoded, `\n"`, `"`)
	}
	return encoded
}
