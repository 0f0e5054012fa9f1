package arazzo

import (
	"fmt"
	"strings"
	"testing"
)

func TestSyntaxErrorsNameTheirPlace(t *testing.T) {
	for _, c := range []struct{ name, source, place, message string }{
		{"a word between keys", "a: 1\nb\nc: 2\n", "2:1", "a key was expected"},
		{"a word after the keys", "a: 1\nb\n", "2:1", "a key was expected"},
		{"two colons in a line", "a: b: c\n", "1:5", "second ': '"},
		{"two colons far down", strings.Repeat("# c\n", 500) + "a: b\nd: e: f\n", "502:5", "second ': '"},
		{"a key too deep", "a: 1\n b: 2\n", "2:3", "second ': '"},
		{"a key between two depths", "a:\n    b: 1\n  c: 2\nd: 3\n", "3:3", "indentation"},
		{"a key between two depths in a list", "a:\n  - b: 1\n    c: 2\n   d: 3\n", "4:4", "neither the list item"},
		{"a key after a list", "- a\nb: 1\n", "2:1", "neither the list item"},
		{"a list after a key", "a: 1\n- b\n", "2:1", "belongs to no mapping"},
		{"text after quotes", "a: \"x\" y\nb: 1\n", "1:8", "belongs to no mapping"},
		{"quotes after quotes", "a: 1\nb: 'x' 'y'\nc: d\n", "2:8", "belongs to no mapping"},
		{"text after braces", "a:\n  b: {$inputs.x}-y\n", "2:17", "belongs to no mapping"},
		{"a brace too many", "a: {b: c}}\n", "1:10", "belongs to no mapping"},
		{"a bracket never closed", "a: [1, 2\nb: 3\n", "2:1", "',' or ']'"},
		{"a bracket never closed at the end", "x: y\na: [1, 2\n", "2:4", "',' or ']'"},
		{"a brace never closed in JSON", "{\"a\": {\"b\": 1}", "1:1", "',' or '}'"},
		{"a comma missing in JSON", "{\n \"a\": \"x\"\n \"b\": 2\n}", "3:2", "',' or '}'"},
		{"a comma missing after a number in JSON", "{\n \"a\": 1\n \"b\": 2\n}", "3:2", "',' or '}'"},
		{"the wrong bracket", "{\"a\": [1, 2}", "1:12", "',' or ']'"},
		{"two commas", "[a, , b]\n", "1:5", "a value was expected"},
		{"a bracket that opens nothing", "a: ]\n", "1:4", "a value was expected"},
		{"double quotes never closed", "x: y\na: \"abc\nb: 1\n", "2:4", "never closed"},
		{"single quotes never closed", "a: 'x'\nb: 'y\nc: z\n", "2:4", "never closed"},
		{"an unknown escape", "a: 1\nb: \"c:\\dir\"\n", "2:7", "no such escape"},
		{"half a surrogate pair", "a: \"x\\ud800\"\n", "1:6", "surrogate"},
		{"an escape cut short", "a: \"\\u12\"\n", "1:5", "hexadecimal"},
		{"a tab that indents", "a:\n\tb: 1\n", "2:1", "tab"},
		{"a tab before the first key", "\ta: 1\n", "1:1", "tab"},
		{"an at sign", "a: @b\n", "1:4", "cannot begin"},
		{"a backtick", "a:\n  - b\n  - `c`\n", "3:5", "cannot begin"},
		{"a percent sign", "a: %b\n", "1:4", "cannot begin"},
		{"a list in a line with its key", "a: - b\n", "1:4", "list item"},
		{"text behind the sign of a literal", "a: |x\n  b\n", "1:5", "nothing but a comment"},
		{"an unknown alias", "a: b\nc: *d\n", "2:4", "no anchor"},
		{"an asterisk as text", "a: * b\n", "1:4", "quote the text"},
		{"text after the document", "a: 1\n...\nb\n", "3:1", "has ended"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, faults := ParseTree([]byte(c.source))
			if len(faults) != 1 {
				t.Fatalf("got %v, want one fault", faults)
			}
			f := faults[0]
			place := fmt.Sprintf("%d:%d", f.Span.Start.Line, f.Span.Start.Column)
			if f.Rule != "yaml" || place != c.place || !strings.Contains(f.Message, c.message) {
				t.Errorf("got %s at %s: %s; want yaml at %s: %q", f.Rule, place, f.Message, c.place, c.message)
			}
		})
	}
}

func TestSyntaxErrorsAreTheSameWithCRLF(t *testing.T) {
	for _, source := range []string{"a: 1\nb\nc: 2\n", "a:\n  - b: 1\n    c: 2\n   d: 3\n", "a: \"x\" y\nb: 1\n", "a: [1\nb: 2\n"} {
		_, unix := ParseTree([]byte(source))
		_, dos := ParseTree([]byte(strings.ReplaceAll(source, "\n", "\r\n")))
		if len(unix) != 1 || len(dos) != 1 || unix[0].Error() != dos[0].Error() {
			t.Errorf("%q: got %v and %v", source, unix, dos)
		}
	}
}
