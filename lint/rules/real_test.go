package rules_test

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/weft-flow/weft/arazzo/source"
	"github.com/weft-flow/weft/lint"
	"github.com/weft-flow/weft/lint/rules"
)

// TestRealDocuments compares what is found in public documents with a list in
// which each finding was looked at and is true. Hints are counted only.
func TestRealDocuments(t *testing.T) {
	const golden = "testdata/real-documents.txt"
	root := conformance(t, "")
	inputs, err := lint.Find([]string{filepath.Join(root, "corpus"), filepath.Join(root, "oai/examples")})
	if err != nil {
		t.Fatal(err)
	}
	loader := source.NewLoader(source.Options{Offline: true})
	result, err := lint.Run(context.Background(), inputs, lint.Options{Rules: rules.All(), Loader: loader})
	if err != nil {
		t.Fatal(err)
	}
	got := listed(t, root, result)
	if *update {
		if err := os.WriteFile(golden, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), string(got)); diff != "" {
		t.Errorf("%s (-want +got):\n%s", golden, diff)
	}
	t.Logf("%d errors, %d warnings, %d hints in %d documents",
		result.Count(lint.Error), result.Count(lint.Warn), result.Count(lint.Hint), len(result.Files))
}

// listed writes the findings of a result, one a line, and the hints of each file.
func listed(t *testing.T, root string, result lint.Result) []byte {
	t.Helper()
	var b bytes.Buffer
	for _, file := range result.Files {
		name, err := filepath.Rel(root, file.Path)
		if err != nil {
			t.Fatal(err)
		}
		hints := map[string]int{}
		for _, d := range file.Diagnostics {
			d.Message = strings.ReplaceAll(d.Message, root+string(filepath.Separator), "")
			if d.Severity == lint.Hint {
				hints[d.Rule]++
				continue
			}
			fmt.Fprintf(&b, "%s:%d:%d %s %s: %s\n", name, d.Span.Start.Line, d.Span.Start.Column, d.Severity, d.Rule, d.Message)
		}
		if len(hints) > 0 {
			fmt.Fprintf(&b, "%s hints: %v\n", name, hints)
		}
		for _, i := range file.Incomplete {
			fmt.Fprintf(&b, "%s incomplete: %s\n", name, i.What)
		}
	}
	return b.Bytes()
}
