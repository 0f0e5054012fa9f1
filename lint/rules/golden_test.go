package rules_test

import (
	"bytes"
	"context"
	"flag"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/weft-flow/weft/arazzo/source"
	"github.com/weft-flow/weft/lint"
	"github.com/weft-flow/weft/lint/format"
	"github.com/weft-flow/weft/lint/rules"
)

var update = flag.Bool("update", false, "write what is reported of testdata as its golden files")

// TestGoldenDocuments lints the two documents that each rule with a check has:
// testdata/RULE/bad.arazzo.yaml, of which all that is reported stands in
// bad.txt, and good.arazzo.yaml, of which nothing may be. What they build on
// lies in testdata itself.
func TestGoldenDocuments(t *testing.T) {
	for _, rule := range rules.All() {
		if rule.Check == nil {
			continue
		}
		t.Run(rule.Name, func(t *testing.T) {
			checkBad(t, rule.Name)
			checkGood(t, rule.Name)
		})
	}
}

// checkBad compares what is reported of the bad document with its golden file.
func checkBad(t *testing.T, rule string) {
	result := lintFile(t, filepath.Join("testdata", rule, "bad.arazzo.yaml"))
	found := false
	for _, d := range result.Files[0].Diagnostics {
		found = found || d.Rule == rule
	}
	if !found {
		t.Errorf("the bad document is not reported by the rule")
	}
	var got bytes.Buffer
	if err := format.Text(false)(&got, result); err != nil {
		t.Fatal(err)
	}
	golden := filepath.Join("testdata", rule, "bad.txt")
	if *update {
		if err := os.WriteFile(golden, got.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got.String()); diff != "" {
		t.Errorf("%s (-want +got):\n%s", golden, diff)
	}
}

// checkGood holds that the good document is clean, but for hints of other rules.
func checkGood(t *testing.T, rule string) {
	result := lintFile(t, filepath.Join("testdata", rule, "good.arazzo.yaml"))
	for _, d := range result.Files[0].Diagnostics {
		if d.Rule == rule || d.Severity > lint.Hint {
			t.Errorf("the good document: %d:%d: %s [%s]", d.Span.Start.Line, d.Span.Start.Column, d.Message, d.Rule)
		}
	}
}

func lintFile(t *testing.T, path string) lint.Result {
	t.Helper()
	loader := source.NewLoader(source.Options{Offline: true})
	result, err := lint.Run(context.Background(), []lint.Input{{Path: path}}, lint.Options{Rules: rules.All(), Loader: loader})
	if err != nil {
		t.Fatal(err)
	}
	if len(result.Files) != 1 {
		t.Fatalf("%s: got %d files, want one", path, len(result.Files))
	}
	return result
}
