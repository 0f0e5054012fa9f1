package arazzo

import (
	"fmt"
	"strings"
	"testing"

	"github.com/weft-flow/weft/arazzo/value"
)

func TestFaultsOfTheTree(t *testing.T) {
	for _, c := range []struct {
		name, source, rule, place, message, pointer string
	}{
		{"a key twice", "a: 1\nb: 2\na: 3\n", "yaml-duplicate-key", "3:1", "line 1", "/a"},
		{"a key twice in braces", "{a: 1, a: 2}", "yaml-duplicate-key", "1:8", "line 1", "/a"},
		{"a key twice in JSON", "{\n\"a\": 1,\n\"b\": {\"c\": 1,\n\"\\u0063\": 2}}", "yaml-duplicate-key", "4:1", "line 3", "/b/c"},
		{"two spellings of one key", "a: 1\n'a': 2\n", "yaml-duplicate-key", "2:1", "line 1", "/a"},
		{"a key of many twice", manyKeysTwice, "yaml-duplicate-key", "41:1", "line 1", "/k0"},
		{"a second document", "a: 1\n---\nb: 2\n", "yaml", "2:1", "second YAML document", ""},
		{"a second document, broken", "a: 1\n---\nb: 2: 3\n", "yaml", "3:5", "second ': '", ""},
		{"a list as key", "a: 1\n? [b]\n: 2\n", "yaml", "2:3", "a list", ""},
		{"a mapping as key", "{{a: b}: 1}", "yaml", "1:2", "a mapping", ""},
		{"a list as key by alias", "a: &x [1]\n*x : 2\n", "yaml", "2:1", "a list", ""},
		{"a tag on a list", "a: !foo [1]\n", "yaml", "1:4", "!foo", "/a"},
		{"a merge", "a: &x {b: 1}\nc:\n  <<: *x\n", "yaml-merge", "3:3", "<<", "/c/<<"},
		{"a merge of no mapping", "a: &x [1]\nc:\n  <<: *x\n", "yaml", "1:8", "a number", "/c/<</0"},
		{"an alias inside its anchor", "a: &x\n  b: *x\n", "yaml", "2:6", "*x", "/a/b"},
		{"an alias without anchor", "a: 1\nb: *x\n", "yaml", "2:4", "no anchor", ""},
		{"nothing", "", "yaml", "1:1", "empty", ""},
		{"white space", "\n \n", "yaml", "1:1", "empty", ""},
		{"comments only", "# a\n# b\n", "yaml", "1:1", "empty", ""},
		{"an empty document", "---\n", "yaml", "1:1", "empty", ""},
		{"a byte that is not UTF-8", "a: b\nc: é\xff\n", "yaml", "2:5", "0xFF", ""},
		{"UTF-16", "\xff\xfea\x00", "yaml", "1:1", "UTF-8", ""},
		{"a control character", "a: \x00", "yaml", "1:4", "U+0000", ""},
		{"a byte order mark inside", "a: \ufeffb", "yaml", "1:4", "U+FEFF", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, faults := ParseTree([]byte(c.source))
			found := false
			for _, f := range faults {
				found = found || f.Rule == c.rule && fmt.Sprintf("%d:%d", f.Span.Start.Line, f.Span.Start.Column) == c.place &&
					strings.Contains(f.Message, c.message) && f.Pointer == c.pointer
			}
			if !found {
				t.Errorf("got %+v, want %s at %s, %q, pointer %q", faults, c.rule, c.place, c.message, c.pointer)
			}
		})
	}
}

// manyKeysTwice has forty keys, the first once more behind them.
var manyKeysTwice = func() string {
	var b strings.Builder
	for i := range 40 {
		fmt.Fprintf(&b, "k%d: 1\n", i)
	}
	return b.String() + "k0: 2\n"
}()

func TestAnEndOfDocumentIsNoSecondDocument(t *testing.T) {
	mustTree(t, "---\na: 1\n...\n")
	mustTree(t, "%YAML 1.2\n# c\n---\na: 1\n")
	mustTree(t, "%YAML 1.1\n---\na: 1\n")
}

func TestMergedMembers(t *testing.T) {
	for _, c := range []struct{ name, source, want string }{
		{"written keys win, before and after", "m: &m {a: 1, b: 2}\nx:\n  a: 3\n  <<: *m\n  c: 4\n", `{"a":3,"b":2,"c":4}`},
		{"the first of a list wins", "m: &m {a: 1, b: 2}\nx:\n  <<: [{a: 9, z: 0}, *m]\n", `{"a":9,"z":0,"b":2}`},
		{"merged mappings may merge", "m: &m {a: 1}\nn: &n\n  <<: *m\n  b: 2\nx:\n  <<: *n\n", `{"a":1,"b":2}`},
		{"a quoted key merges nothing", "x: {'<<': {a: 1}}\n", `{"<<":{"a":1}}`},
	} {
		t.Run(c.name, func(t *testing.T) {
			root, _ := ParseTree([]byte(c.source))
			x := root.Get("x")
			if got := x.Value().String(); got != c.want {
				t.Errorf("got %s, want %s", got, c.want)
			}
			walk(x, func(n *Node) {
				if n != x && n.Parent() == nil {
					t.Errorf("%q has no parent", n.Text)
				}
			})
			if a := x.Get("a"); a != nil && a.Pointer() != "/x/a" {
				t.Errorf("pointer of a merged member: %s", a.Pointer())
			}
		})
	}
}

func TestAliasesHaveTheSpanOfTheirAnchor(t *testing.T) {
	root := mustTree(t, "a: &x {b: 1}\nc: *x\nd: 2\n")
	c := root.Get("c")
	if c.Span != root.Get("a").Span || c.Pointer() != "/c" || c.Get("b").Pointer() != "/c/b" {
		t.Errorf("got span %v, pointers %s and %s", c.Span, c.Pointer(), c.Get("b").Pointer())
	}
	if end := root.Span.End; end.Line != 3 || end.Column != 5 {
		t.Errorf("the root ends at %v", end)
	}
}

func TestLimits(t *testing.T) {
	nest := func(open, close string, n int) string { return strings.Repeat(open, n) + strings.Repeat(close, n) }
	indented := func(n int) string {
		var b strings.Builder
		for i := range n {
			b.WriteString(strings.Repeat(" ", i) + "a:\n")
		}
		return b.String()
	}
	bomb := "a: &a [x, x]\n"
	for c := 'b'; c < 'z'; c++ {
		bomb += fmt.Sprintf("%c: &%c [*%c, *%c]\n", c, c, c-1, c-1)
	}
	for _, c := range []struct{ name, source, place, message string }{
		{"1001 lists", nest("[", "]", 1001), "1:1001", "nested deeper than 1000"},
		{"a million brackets", strings.Repeat("[", 1_000_000), "1:1001", "nested deeper than 1000"},
		{"a million braces", strings.Repeat(`{"a":`, 1_000_000), "1:5001", "nested deeper than 1000"},
		{"a million dashes", strings.Repeat("- ", 1_000_000), "", "nested deeper than 1000"},
		{"2000 levels of indentation", indented(2000), "1001:1001", "nested deeper than 1000"},
		{"aliases of aliases", bomb, "", "aliases expand"},
		{"too large", strings.Repeat("#", MaxSize+1), "1:1", "more than the 32 MiB"},
	} {
		t.Run(c.name, func(t *testing.T) {
			root, faults := ParseTree([]byte(c.source))
			if root != nil || len(faults) != 1 {
				t.Fatalf("got a tree: %v, faults %v", root != nil, faults)
			}
			f := faults[0]
			place := fmt.Sprintf("%d:%d", f.Span.Start.Line, f.Span.Start.Column)
			if f.Rule != "yaml" || !strings.Contains(f.Message, c.message) || c.place != "" && place != c.place {
				t.Errorf("got %s at %s: %s", f.Rule, place, f.Message)
			}
		})
	}
	if n := mustTree(t, nest("[", "]", 1000)); n.Kind != value.KindArray {
		t.Errorf("1000 lists are read as %v", n.Kind)
	}
}

func TestAliasesUpToTheLimitAreRead(t *testing.T) {
	root := mustTree(t, "a: &a [1, 2, 3, 4]\nb: [*a, *a, *a, *a]\n")
	if got := root.Get("b").Value().Len(); got != 4 {
		t.Errorf("got %d items", got)
	}
}

func TestJSONIsRead(t *testing.T) {
	for _, c := range []struct{ source, want string }{
		{"\t{\"a\":1}", `{"a":1}`},
		{"{\n\t\"a\"\t:\t[ 1 , 2 ]\n}", `{"a":[1,2]}`},
		{`{"a":"x\/y","b":"\\\/"}`, `{"a":"x/y","b":"\\/"}`},
		{`"\ud83d\ude00"`, `"😀"`},
		{`"\\ud83d\\ude00"`, `"\\ud83d\\ude00"`},
		{`"\uD83D\uDE00 \ue83d \u00e9"`, "\"😀 \ue83d é\""},
		{`"\b\f\n\r\t\"\\"`, `"\b\f\n\r\t\"\\"`},
		{"\"a\u2028b\u0085c\"", "\"a\u2028b\u0085c\""},
		{"\xef\xbb\xbf[10.10,9007199254740993,1e3,-0]", `[10.10,9007199254740993,1e3,-0]`},
		{`{"":{"":""}}`, `{"":{"":""}}`},
		{`{"a":{},"b":[]}`, `{"a":{},"b":[]}`},
		{`["\/","\\a\\v\\e"]`, `["/","\\a\\v\\e"]`},
		{`"\/\u0007\x0B"`, "\"/\\u0007\\u000b\""},
		{"{\"a\":\"\\/\\a\"}", "{\"a\":\"/\\u0007\"}"},
	} {
		if got := mustTree(t, c.source).Value().String(); got != c.want {
			t.Errorf("%s: got %s, want %s", c.source, got, c.want)
		}
	}
}

func TestStandInsLeaveTextAlone(t *testing.T) {
	source := "a: |\n  {\"x\": \"\\ud83d\\uDE00 \\/\"}\nb: '\\uD83D\\ude00\\/'\nc: \\ud83d\\ude00\\/\ne: '\\\\a\\/'\nd: \"\\ud83d\\ude00\\/\"\n"
	root := mustTree(t, source)
	for name, want := range map[string]string{
		"a": "{\"x\": \"\\ud83d\\uDE00 \\/\"}\n", "b": `\uD83D\ude00\/`, "c": `\ud83d\ude00\/`, "d": "😀/", "e": `\\a\/`,
	} {
		if got := root.Get(name).Text; got != want {
			t.Errorf("%s: got %q, want %q", name, got, want)
		}
	}
}

func TestStylesAreReadAsMeant(t *testing.T) {
	root, faults := ParseTree(fixture(t, "styles.yaml"))
	for _, f := range faults {
		if f.Rule != "yaml-merge" {
			t.Error(f.Error())
		}
	}
	var b strings.Builder
	for _, m := range root.Members {
		s := m.Value.Span
		fmt.Fprintf(&b, "%d:%d-%d:%d %q %s\n", s.Start.Line, s.Start.Column, s.End.Line, s.End.Column, m.Key.Text, m.Value.Value())
	}
	golden(t, "styles.golden", b.String())
}
