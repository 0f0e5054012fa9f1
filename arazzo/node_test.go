package arazzo

import "testing"

func TestPartsOfAScalar(t *testing.T) {
	for _, c := range []struct {
		name, source string
		from, to     int
		want         string
	}{
		{"plain", "a: xyz\n", 1, 2, "y"},
		{"quoted", "a: 'xyz'\n", 1, 3, "yz"},
		{"in double quotes", "a: \"éxyz\"\n", 2, 3, "x"},
		{"with an escape: the whole", "a: \"x\\ny\"\n", 1, 2, "\"x\\ny\""},
		{"over lines: the whole", "a: x\n  y\n", 1, 2, "x\n  y"},
		{"a literal: the whole", "a: |\n  x\n", 0, 1, "|\n  x"},
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
