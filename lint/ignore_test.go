package lint

import (
	"strings"
	"testing"

	"github.com/weft-flow/weft/arazzo"
)

// FuzzIgnoreComments holds that comments are found in any document without a panic,
// at places that there are, and never within a text.
func FuzzIgnoreComments(f *testing.F) {
	f.Add("a: 1 # weft-ignore: x -- y\n# weft-ignore: z -- y\r\n\r\nb: |\n  # weft-ignore: x\n")
	f.Add("a: \"# weft-ignore: x\"\rb: 'c\n # weft-ignore'")
	f.Add("{\"a\": \"# weft-ignore: x -- y\"}")
	f.Fuzz(func(t *testing.T, text string) {
		root, _ := arazzo.ParseTree([]byte(text))
		lines := len(splitLines([]byte(text)))
		for _, c := range ignoreComments([]byte(text), textsOf([]byte(text), root)) {
			start, end := c.span.Start, c.span.End
			if start.Offset < 0 || end.Offset > len(text) || end.Offset <= start.Offset || !strings.HasPrefix(text[start.Offset:end.Offset], "#") {
				t.Errorf("a comment at %v of %q", c.span, text)
			}
			if c.line > lines || c.line != 0 && c.line < start.Line || len(c.used) != len(c.rules) {
				t.Errorf("a comment in line %d is for line %d of %d", start.Line, c.line, lines)
			}
			if inText(textsOf([]byte(text), root), start.Offset) {
				t.Errorf("a text is taken for a comment: %q", text)
			}
		}
	})
}

func FuzzGlob(f *testing.F) {
	for _, pattern := range []string{"**/a*.[a-c]?", "a[", "[!x]", "..", `\[]`, "a//b", "[]]", "**"} {
		f.Add(pattern, "a/b.c")
	}
	f.Fuzz(func(t *testing.T, pattern, path string) {
		glob, err := compileGlob(pattern)
		if err != nil {
			return
		}
		if inFolder := path + "/x"; glob.MatchString(path) && !strings.ContainsAny(path, "\n") && !glob.MatchString(inFolder) {
			t.Errorf("%q matches %q, and not what lies in it", pattern, path)
		}
	})
}
