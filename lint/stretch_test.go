package lint

import (
	"strings"
	"testing"

	"github.com/weft-flow/weft/arazzo"
)

func TestReplaceInStringsAsTheyAreWritten(t *testing.T) {
	const plain = `$a == "x" && $b == 'y'`
	for _, test := range []struct{ name, written, want string }{
		{"without quotes", plain, `$a == 'z' && $b == 'y'`},
		{"without quotes over lines", "$a ==\n    \"x\" &&\n    $b == 'y'", "$a ==\n    'z' &&\n    $b == 'y'"},
		{"in single quotes", `'$a == "x" && $b == ''y'''`, `'$a == ''z'' && $b == ''y'''`},
		{"in double quotes", `"$a == \"x\" && $b == 'y'"`, `"$a == 'z' && $b == 'y'"`},
		{"with escapes before", `"\u0024a == \"x\" && $b == '\u0079'"`, `"\u0024a == 'z' && $b == '\u0079'"`},
		{"with an escape of YAML alone", `"\x24a == \"x\" && $b == 'y'"`, `"\x24a == 'z' && $b == 'y'"`},
		{"in double quotes over lines", "\"$a ==\n    \\\"x\\\" \\\n    && $b == 'y'\"", "\"$a ==\n    'z' \\\n    && $b == 'y'\""},
		{"folded", ">-\n    $a == \"x\"\n    && $b == 'y'", ">-\n    $a == 'z'\n    && $b == 'y'"},
		{"literal", "|\n    $a == \"x\" && $b == 'y'", "|\n    $a == 'z' && $b == 'y'"},
		{"folded with an indentation that is given", ">2-\n      $a == \"x\" && $b == 'y'", ">2-\n      $a == 'z' && $b == 'y'"},
	} {
		t.Run(test.name, func(t *testing.T) {
			source := "k: " + test.written + "\n# end\n"
			root, faults := arazzo.ParseTree([]byte(source))
			if len(faults) > 0 {
				t.Fatal(faults)
			}
			n := root.Get("k")
			d := &Document{Model: &arazzo.Document{Node: root}, Source: []byte(source)}
			from := strings.Index(n.Text, `"x"`)
			fixes := d.Replace(n, from, from+3, "'z'", "")
			if len(fixes) != 1 {
				t.Fatalf("%d fixes of %q", len(fixes), n.Text)
			}
			e := fixes[0].Edits[0]
			got := source[:e.Span.Start.Offset] + e.Text + source[e.Span.End.Offset:]
			if want := "k: " + test.want + "\n# end\n"; got != want {
				t.Errorf("got  %q\nwant %q", got, want)
			}
			after, _ := arazzo.ParseTree([]byte(got))
			if want := strings.Replace(n.Text, `"x"`, "'z'", 1); after.Get("k").Text != want {
				t.Errorf("it is read as %q, want %q", after.Get("k").Text, want)
			}
			lines := strings.Count(source[:e.Span.Start.Offset], "\n") + 1
			column := e.Span.Start.Offset - strings.LastIndex(source[:e.Span.Start.Offset], "\n")
			if e.Span.Start.Line != lines || e.Span.Start.Column != column {
				t.Errorf("it is at %d:%d, want %d:%d", e.Span.Start.Line, e.Span.Start.Column, lines, column)
			}
		})
	}
}

func TestReplaceWhereTheNewTextNeedsQuotes(t *testing.T) {
	source := "k: {inner: $a == \"x\"}\n"
	root, _ := arazzo.ParseTree([]byte(source))
	n := root.Get("k").Get("inner")
	d := &Document{Model: &arazzo.Document{Node: root}, Source: []byte(source)}
	from := strings.Index(n.Text, `"x"`)
	if fixes := d.Replace(n, from, from+3, "[z]", ""); fixes != nil {
		t.Errorf("there is a fix: %+v", fixes)
	}
}
