package lint

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// rewrite is a user's rule that writes another text in place of one node, where that
// has the text from.
func rewrite(name string, severity Severity, at []string, from, to string) Rule {
	return Rule{Name: name, Layer: Semantics, Severity: severity, Check: func(p *Pass) {
		if n := p.Model.Node.Lookup(at); n != nil && n.Text == from {
			p.Report(Finding{At: At(n), Message: "this is " + from, Fixes: []Fix{{Title: "write it", Edits: []Edit{{Span: n.Span, Text: to}}}}})
		}
	}}
}

// TestFixesThatMakeWorseAreTakenBack holds that what a rule of a user writes is taken
// back where a file is worse for it, and that what others write beside it stays.
func TestFixesThatMakeWorseAreTakenBack(t *testing.T) {
	title, version, url := []string{"info", "title"}, []string{"info", "version"}, []string{"sourceDescriptions", "0", "url"}
	good := rewrite("good", Hint, version, "1.0.0", "2.0.0")
	reports := func(severity Severity) Rule {
		return Rule{Name: "strict", Layer: Semantics, Severity: severity, Check: func(p *Pass) {
			if n := p.Model.Node.Lookup(title); n.Text == "bad" {
				p.Reportf(At(n), "bad is not allowed")
			}
		}}
	}
	const hasTwo, none = "version: 2.0.0", "version: 1.0.0"
	for _, test := range []struct {
		name  string
		rules []Rule
		want  []string // in the text at the end
		why   string   // of the refusal; empty: there is none
	}{
		{"it cannot be read", []Rule{rewrite("evil", Error, title, "t", "{"), good}, []string{"title: t,", hasTwo}, "[yaml]"},
		{"its shape is broken", []Rule{rewrite("evil", Warn, title, "t", "[]"), good}, []string{"title: t,", hasTwo}, "[schema]"},
		{"something graver is there", []Rule{rewrite("evil", Warn, title, "t", "bad"), reports(Error), good}, []string{"title: t,", hasTwo}, "bad is not allowed [strict]"},
		{"something as grave is there", []Rule{rewrite("fair", Warn, title, "t", "bad"), reports(Warn), good}, []string{"title: bad,", hasTwo}, ""},
		{"something graver was there", []Rule{rewrite("fair", Warn, version, "1.0.0", "3.0.0"), rewrite("same", Error, title, "t", "t")}, []string{"title: t,", "version: 3.0.0"}, ""},
		{"a source is lost", []Rule{rewrite("evil", Warn, url, "api.yaml", "none.yaml"), good}, []string{"url: api.yaml", hasTwo}, "is not checked"},
		{"nothing else is to be mended", []Rule{rewrite("evil", Error, title, "t", "{")}, []string{"title: t,", none}, "[yaml]"},
	} {
		t.Run(test.name, func(t *testing.T) {
			folder := t.TempDir()
			for name, text := range map[string]string{"api.yaml": "openapi: 3.1.0\ninfo: {title: a, version: 1.0.0}\npaths: {}\n"} {
				if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			text := "arazzo: 1.0.1\ninfo: {title: t, version: 1.0.0}\nsourceDescriptions: [{name: a, url: api.yaml, type: openapi}]\n" +
				"workflows: [{workflowId: w, steps: [{stepId: s, operationId: o}]}]\n"
			inputs := []Input{{Path: filepath.Join(folder, "a.arazzo.yaml"), Data: []byte(text)}}
			got, err := FixAll(context.Background(), inputs, func() Options { return Options{Rules: test.rules} }, Hint)
			if err != nil {
				t.Fatal(err)
			}
			after := string(got.Files[0].Source)
			for _, want := range test.want {
				if !strings.Contains(after, want) {
					t.Errorf("want %q in\n%s", want, after)
				}
			}
			if len(got.Changed) > 0 && string(got.Changed[0].After) != after {
				t.Errorf("what is to be written is not what was checked (-to be written +checked):\n%s", cmp.Diff(string(got.Changed[0].After), after))
			}
			switch {
			case test.why == "" && len(got.Refused) > 0:
				t.Errorf("refused: %v", got.Refused)
			case test.why != "" && (len(got.Refused) != 1 || got.Refused[0].Rule != "evil" || got.Refused[0].Path != inputs[0].Path || !strings.Contains(got.Refused[0].Why, test.why)):
				t.Errorf("refused: %+v, want rule evil, since %s", got.Refused, test.why)
			}
		})
	}
}
