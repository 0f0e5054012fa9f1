package lint

import (
	"context"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/weft-flow/weft/arazzo"
)

func edit(from, to int, text string) Edit {
	return Edit{Span: arazzo.Span{Start: arazzo.Position{Offset: from}, End: arazzo.Position{Offset: to}}, Text: text}
}

func TestApplyingFixes(t *testing.T) {
	tests := map[string]struct {
		fixes [][]Edit
		want  string
		done  int
	}{
		"none":                              {nil, "0123456789", 0},
		"several, out of order":             {[][]Edit{{edit(8, 9, "h")}, {edit(2, 4, "cd")}}, "01cd4567h9", 2},
		"of several edits":                  {[][]Edit{{edit(8, 9, ""), edit(0, 0, "a")}}, "a01234567" + "9", 1},
		"neighbours":                        {[][]Edit{{edit(2, 4, "x")}, {edit(4, 6, "y")}}, "01xy6789", 2},
		"overlapping: the first":            {[][]Edit{{edit(2, 5, "x")}, {edit(4, 6, "y")}}, "01x56789", 1},
		"one edit overlaps: all stay out":   {[][]Edit{{edit(2, 5, "x")}, {edit(4, 6, "y"), edit(8, 9, "z")}}, "01x56789", 1},
		"the same twice":                    {[][]Edit{{edit(2, 5, "x")}, {edit(2, 5, "x")}}, "01x56789", 2},
		"other text at the same place":      {[][]Edit{{edit(3, 3, "x")}, {edit(3, 3, "y")}}, "012x3456789", 1},
		"the same insertion twice":          {[][]Edit{{edit(3, 3, "x")}, {edit(3, 3, "x")}}, "012x3456789", 2},
		"an insertion beside a replacement": {[][]Edit{{edit(3, 5, "x")}, {edit(5, 5, "y")}}, "012x56789", 1},
		"beyond the end":                    {[][]Edit{{edit(3, 11, "x")}}, "0123456789", 0},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			f := File{Source: []byte("0123456789")}
			for _, edits := range test.fixes {
				f.Diagnostics = append(f.Diagnostics, Diagnostic{Fixes: []Fix{{Edits: edits}}})
			}
			text, done := f.Fixed()
			if string(text) != test.want || len(done) != test.done {
				t.Errorf("got %q by %d fixes, want %q by %d", text, len(done), test.want, test.done)
			}
		})
	}
}

// shorten takes a letter from the title until one is left, and replaces this by
// what next says.
func shorten(next string) Rule {
	return Rule{Name: "shorten", Layer: Semantics, Severity: Hint, Check: func(p *Pass) {
		n := p.Model.Node.Get("info").Get("title")
		to := next
		if n.Text != "" && len(n.Text) > 1 {
			to = n.Text[1:]
		}
		if to != "" {
			p.Report(Finding{At: At(n), Message: "too long", Fixes: []Fix{{Title: "shorten", Edits: []Edit{{Span: n.Span, Text: to}}}}})
		}
	}}
}

func TestFixAll(t *testing.T) {
	tests := map[string]struct {
		title, next string
		least       Severity
		want        string
		fixed, left int
	}{
		"until nothing is left":         {"abcd", "", Hint, "d", 3, 0},
		"not what is less grave":        {"abcd", "", Warn, "", 0, 1},
		"a fix that breaks the file":    {"abc", "}", Hint, "c", 2, 1},
		"without end":                   {"abcdefghijklmnop", "", Hint, "klmnop", 10, 1},
		"a fix that breaks it at first": {"a", "{", Hint, "", 0, 1},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			text := strings.Replace(twoSteps, "title: t", "title: "+test.title, 1)
			inputs := []Input{{Path: "a.arazzo.yaml", Data: []byte(text)}}
			options := func() Options { return Options{Rules: []Rule{shorten(test.next)}} }
			got, err := FixAll(context.Background(), inputs, options, test.least)
			if err != nil {
				t.Fatal(err)
			}
			if n := len(got.Files[0].Diagnostics); n != test.left {
				t.Errorf("%d findings are left, want %d", n, test.left)
			}
			if string(inputs[0].Data) != text {
				t.Error("the caller's input has changed")
			}
			if test.fixed == 0 {
				if len(got.Changed) > 0 {
					t.Errorf("changed: %s", got.Changed[0].After)
				}
				return
			}
			if len(got.Changed) != 1 {
				t.Fatalf("%d files are changed, want one", len(got.Changed))
			}
			want := strings.Replace(text, "title: "+test.title, "title: "+test.want, 1)
			if diff := cmp.Diff(want, string(got.Changed[0].After)); diff != "" {
				t.Errorf("text (-want +got):\n%s", diff)
			}
			if n := len(got.Changed[0].Fixed); n != test.fixed || string(got.Changed[0].Before) != text {
				t.Errorf("%d fixes, want %d; before:\n%s", n, test.fixed, got.Changed[0].Before)
			}
		})
	}
}
