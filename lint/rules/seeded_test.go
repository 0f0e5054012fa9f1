package rules_test

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/weft-flow/weft/arazzo"
	"github.com/weft-flow/weft/arazzo/source"
	"github.com/weft-flow/weft/arazzo/value"
	"github.com/weft-flow/weft/lint"
	"github.com/weft-flow/weft/lint/rules"
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

// TestFlowsThatAreRight holds that nothing above a hint is reported of flows that
// retry, ask and go back as they should.
func TestFlowsThatAreRight(t *testing.T) {
	for _, d := range lintFile(t, filepath.Join("testdata", "right.arazzo.yaml")).Files[0].Diagnostics {
		if d.Severity > lint.Hint {
			t.Errorf("%d:%d: %s [%s]", d.Span.Start.Line, d.Span.Start.Column, d.Message, d.Rule)
		}
	}
}

// TestBrokenVariants breaks each of the documents at places in turn: the rules never
// panic and always end. One place in sixty is tried, one in five where
// WEFT_TEST_EXHAUSTIVE is set.
func TestBrokenVariants(t *testing.T) {
	every := 60
	if os.Getenv("WEFT_TEST_EXHAUSTIVE") != "" {
		every = 5
	}
	archive, err := txtar.ParseFile(filepath.Join("testdata", "seeded.txtar"))
	if err != nil {
		t.Fatal(err)
	}
	loader := source.NewLoader(source.Options{Offline: true})
	var inputs []lint.Input
	n := 0
	for _, f := range archive.Files {
		root, faults := arazzo.ParseTree(f.Data)
		if len(faults) > 0 {
			t.Fatalf("%s: %v", f.Name, faults)
		}
		breakValue(root.Value(), func(broken value.Value) {
			if n++; n%every == 0 {
				inputs = append(inputs, lint.Input{Path: filepath.Join("testdata", f.Name), Data: []byte(broken.String())})
			}
		})
	}
	result, err := lint.Run(context.Background(), inputs, lint.Options{Rules: rules.All(), Loader: loader})
	if err != nil {
		t.Fatal(err)
	}
	if len(result.Files) != len(inputs) || len(inputs) < 500 {
		t.Errorf("%d results of %d documents", len(result.Files), len(inputs))
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
