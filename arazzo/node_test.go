package arazzo

import (
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/weft-flow/weft/arazzo/value"
)

func TestPartsOfAScalar(t *testing.T) {
	for _, c := range []struct {
		name, source string
		from, to     int
		want         string
	}{
		{"plain", "a: xyz\n", 1, 2, "y"},
		{"quoted", "a: 'xyz'\n", 1, 3, "yz"},
		{"in double quotes", "a: \"éxyz\"\n", 2, 3, "x"},
		{"behind an escape", "a: \"x\\ny\"\n", 2, 3, "y"},
		{"a break that an escape writes", "a: \"x\\ny\"\n", 1, 2, ""},
		{"an escape", "a: \"x\\u00e9y\"\n", 1, 3, "\\u00e9"},
		{"as many bytes, and not the same", "a: \"\\L\\Lxy\"\n", 6, 7, "x"},
		{"a doubled quote", "a: 'x''y'\n", 1, 3, "''y"},
		{"over lines", "a: x\n  y\n", 2, 3, "y"},
		{"over lines, white space at its ends", "a: x\n  y\n  z", 1, 4, "y"},
		{"a literal", "a: |\n  x\n  yz\n", 3, 4, "z"},
		{"a literal's first character", "a: |\n  x\n  yz\n", 0, 0, ""},
		{"all of a literal", "a: |\n  x\n  yz\n", 0, 5, "x\n  yz"},
		{"a literal with line ends of Windows", "a: |\r\n  x\r\n  yz\r\n", 2, 4, "yz"},
		{"a folded text with a comment at its head", "a: >- # x\n\n  x\n  yz\n\n  q\n", 6, 7, "q"},
		{"more indented lines", "a: >\n  x\n    yz\n  q\n", 4, 6, "yz"},
		{"beyond the end: the whole", "a: x\n", 0, 9, "x"},
	} {
		t.Run(c.name, func(t *testing.T) {
			span := mustTree(t, c.source).Get("a").Part(c.from, c.to)
			if got := c.source[span.Start.Offset:span.End.Offset]; got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
	span := mustTree(t, "a: \"éxyz\"\n").Get("a").Part(2, 3)
	if span.Start != (Position{1, 6, 6}) || span.End != (Position{1, 7, 7}) {
		t.Errorf("got %v", span)
	}
}

// TestPartsAreAtTheirPlace holds that parts of texts over several lines are told with
// line and column.
func TestPartsAreAtTheirPlace(t *testing.T) {
	for source, want := range map[string]string{
		"a: |\n  é\n  éX\n":                "3:4-3:5",
		"a: |\r\n  é\r\n  éX\r\n":          "3:4-3:5",
		"a: |\r  é\r  éX\r":                "3:4-3:5",
		"a: >2\n  é\n\n   éX\n":            "4:5-4:6",
		"a: \"é \\\n  éX\"\n":              "2:4-2:5",
		"a: \"é \\\r\n  éX\"\n":            "2:4-2:5",
		"a: \"é\\n\\téX\"\n":               "1:11-1:12",
		"{\"a\": \"\\ud83d\\ude00 \\/X\"}": "1:23-1:24",
		"\ufeffa: 'é\n\n  éX'\n":           "3:4-3:5",
	} {
		n := mustTree(t, source).Get("a")
		at := strings.IndexByte(n.Text, 'X')
		span := n.Part(at, at+1)
		if got := fmt.Sprintf("%d:%d-%d:%d", span.Start.Line, span.Start.Column, span.End.Line, span.End.Column); got != want || source[span.Start.Offset:span.End.Offset] != "X" {
			t.Errorf("%q: got %s, %q, want %s", source, got, source[span.Start.Offset:span.End.Offset], want)
		}
	}
}

// FuzzParts holds that each character of each text has a place of its own, in the
// order of the text, where it is written.
func FuzzParts(f *testing.F) {
	for _, source := range []string{"a: |\n  x\n\n   yz # q\n", "a: >+2\r\n   x\r\n  y\r\n", "a: 'x''\n\n y'", "\"a\\\n b\": \"x\\n \\ud83d\\ude00\\L\\x41\"", "a: x\n  y\n\n  z", "&a ? |\n x\n: - \"\\U0001F600\""} {
		f.Add([]byte(source))
	}
	f.Fuzz(func(t *testing.T, source []byte) {
		root, _ := ParseTree(source)
		eachText(root, func(n *Node) {
			last := n.Span.Start.Offset
			for at := 0; at < len(n.Text); {
				c, size := utf8.DecodeRuneInString(n.Text[at:])
				span, ok := n.Written(at, at+size)
				at += size
				if !ok {
					continue
				}
				if span.Start.Offset < last || span.End.Offset < span.Start.Offset || span.End.Offset > n.Span.End.Offset {
					t.Fatalf("%q of %q stands at %v, the one before ends at %d", c, source, span, last)
				}
				last = span.End.Offset
				written := string(source[span.Start.Offset:span.End.Offset])
				if written != string(c) && written != "''" && !strings.HasPrefix(written, `\`) {
					t.Fatalf("%q of %q is written %q", c, source, written)
				}
			}
		})
	})
}

func eachText(n *Node, do func(*Node)) {
	if n == nil {
		return
	}
	if n.Kind == value.KindString && len(n.Text) < 1000 {
		do(n)
	}
	for _, item := range n.Items {
		eachText(item, do)
	}
	for _, m := range n.Members {
		eachText(m.Key, do)
		eachText(m.Value, do)
	}
}

func TestPointersOfNodes(t *testing.T) {
	root := mustTree(t, "a/b:\n  - c~d: 1\n")
	n := root.Get("a/b").Items[0].Get("c~d")
	if got := n.Pointer(); got != "/a~1b/0/c~0d" {
		t.Errorf("got %s", got)
	}
	if got := root.Pointer(); got != "" {
		t.Errorf("the root has the pointer %q", got)
	}
}
