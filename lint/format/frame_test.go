package format

import (
	"strings"
	"testing"

	"github.com/weft-flow/weft/arazzo"
)

func TestFrames(t *testing.T) {
	tests := []struct {
		name, source, mark string // the mark is where it stands in the source
		text               string
		from, to           int
	}{
		{"a word", "a: one\nb: two\n", "two", "b: two", 3, 6},
		{"after a tab", "a:\tone\n", "one", "a:  one", 4, 7},
		{"a tab itself", "a:\tone\n", "\t", "a:  one", 2, 4},
		{"after wide characters", "注文: one\n", "one", "注文: one", 6, 9},
		{"wide characters", "a: 注文\n", "注文", "a: 注文", 3, 7},
		{"a combining mark", "e\u0301: x\n", "e\u0301", "e\u0301: x", 0, 1},
		{"carriage returns", "a: 1\r\nb: 2\r\n", "b", "b: 2", 0, 1},
		{"over several lines", "a:\n  b: 1\n  c: 2\n", "b: 1\n  c: 2", "  b: 1", 2, 6},
		{"what steers a terminal", "a: \x1b[2Jx\n", "x", "a: \ufffd[2Jx", 7, 8},
		{"what turns text around", "a: \u202ex\n", "x", "a: \ufffdx", 4, 5},
		{"bytes that are no UTF-8", "a: \xffx\n", "x", "a: \ufffdx", 4, 5},
		{"after a byte order mark", "\ufeffa: 1\n", "1", "a: 1", 3, 4},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			start := strings.Index(test.source, test.mark)
			span := arazzo.Span{Start: arazzo.Position{Offset: start}, End: arazzo.Position{Offset: start + len(test.mark)}}
			line, ok := newLines([]byte(test.source)).cut(span)
			if !ok {
				t.Fatal("there is no such place")
			}
			got := layOut(line).clip()
			if got.text() != test.text || got.from != test.from || got.to != test.to {
				t.Errorf("got %q from %d to %d, want %q from %d to %d", got.text(), got.from, got.to, test.text, test.from, test.to)
			}
		})
	}
}

func TestALongLineIsClippedAroundTheMark(t *testing.T) {
	for _, source := range []string{
		strings.Repeat("a", 300) + "MARK" + strings.Repeat("b", 300),
		strings.Repeat("a", 300) + "MARK",
		"MARK" + strings.Repeat("b", 300),
		strings.Repeat("注", 300) + "MARK" + strings.Repeat("文", 300),
		strings.Repeat("a", 1<<20) + "MARK" + strings.Repeat("\t", 1<<20),
	} {
		start := strings.Index(source, "MARK")
		line, _ := newLines([]byte(source)).cut(arazzo.Span{Start: arazzo.Position{Offset: start}, End: arazzo.Position{Offset: start + 4}})
		got := layOut(line).clip()
		if got.width() > frameWidth {
			t.Errorf("%.10s…: %d columns", source, got.width())
		}
		var marked strings.Builder
		column := 0
		for _, c := range got.cells {
			if column >= got.from && column < got.to {
				marked.WriteString(c.text)
			}
			column += c.width
		}
		if marked.String() != "MARK" {
			t.Errorf("%.10s…: marked %q in %q", source, marked.String(), got.text())
		}
	}
}

func FuzzFrame(f *testing.F) {
	f.Add([]byte("a: 注\tx\r\nb"), 3, 5)
	f.Add([]byte(strings.Repeat("注", 200)), 300, 330)
	f.Fuzz(func(t *testing.T, source []byte, start, end int) {
		span := arazzo.Span{Start: arazzo.Position{Offset: start}, End: arazzo.Position{Offset: end}}
		line, ok := newLines(source).cut(span)
		if !ok {
			return
		}
		got := layOut(line).clip()
		if got.width() > frameWidth+1 || got.from < 0 || got.to <= got.from || got.to > frameWidth+1 {
			t.Errorf("%d columns, marked from %d to %d", got.width(), got.from, got.to)
		}
		if strings.ContainsAny(got.text(), "\x1b\n\r\x00") {
			t.Errorf("%q steers a terminal", got.text())
		}
	})
}
