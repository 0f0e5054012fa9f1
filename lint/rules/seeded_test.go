package rules_test

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/weft-flow/weft/lint"
)

// TestSeededVariants lints documents with one fault each, in other shapes than the
// pages show. How they are named and marked is said in the archive.
func TestSeededVariants(t *testing.T) {
	archive, err := txtar.ParseFile(filepath.Join("testdata", "seeded.txtar"))
	if err != nil {
		t.Fatal(err)
	}
	if len(archive.Files) < 60 {
		t.Fatalf("only %d documents", len(archive.Files))
	}
	for _, f := range archive.Files {
		t.Run(f.Name, func(t *testing.T) {
			name := strings.Split(f.Name, ".")
			if len(name) != 4 {
				t.Fatalf("the name is not: shape.rule.severity.form")
			}
			severity := map[string]lint.Severity{"E": lint.Error, "W": lint.Warn, "I": lint.Hint}[name[2]]
			marked := markedLines(string(f.Data))
			diagnostics := lintText(t, filepath.Join("testdata", f.Name), f.Data).Files[0].Diagnostics
			if !slices.ContainsFunc(diagnostics, func(d lint.Diagnostic) bool {
				return d.Rule == name[1] && d.Severity == severity && marked[d.Span.Start.Line]
			}) {
				t.Errorf("not found by %s: %s", name[1], told(diagnostics))
			}
			for _, d := range diagnostics {
				if d.Severity > lint.Hint && !marked[d.Span.Start.Line] {
					t.Errorf("%d:%d: %s [%s]", d.Span.Start.Line, d.Span.Start.Column, d.Message, d.Rule)
				}
			}
		})
	}
}

func markedLines(text string) map[int]bool {
	marked := make(map[int]bool)
	for i, line := range strings.Split(text, "\n") {
		if strings.Contains(line, "# here") || strings.Contains(line, "x-here") {
			marked[i+1] = true
		}
	}
	return marked
}
