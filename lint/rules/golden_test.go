package rules_test

import (
	"bytes"
	"context"
	"flag"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/weft-flow/weft/arazzo/source"
	"github.com/weft-flow/weft/lint"
	"github.com/weft-flow/weft/lint/format"
	"github.com/weft-flow/weft/lint/rules"
)

var update = flag.Bool("update", false, "write what is reported of testdata as its golden files")

// TestGoldenDocuments lints the two documents that each rule with a check has:
// testdata/RULE/bad.arazzo.yaml, of which all that the rule reports stands in
// bad.txt, and good.arazzo.yaml, of which it reports nothing. What they build on
// lies in testdata itself.
func TestGoldenDocuments(t *testing.T) {
	for _, rule := range rules.All() {
		if rule.Check == nil {
			continue
		}
		t.Run(rule.Name, func(t *testing.T) {
			checkBad(t, rule.Name)
			checkGood(t, rule.Name)
			checkFixes(t, rule.Name)
		})
	}
}

// checkBad compares what the rule reports of the bad document with its golden file.
func checkBad(t *testing.T, rule string) {
	result := lintFile(t, filepath.Join("testdata", rule, "bad.arazzo.yaml"))
	file := &result.Files[0]
	file.Diagnostics = slices.DeleteFunc(file.Diagnostics, func(d lint.Diagnostic) bool { return d.Rule != rule })
	if len(file.Diagnostics) == 0 {
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

// checkGood holds that the rule reports nothing of the good document, and that
// the document is no example of another fault.
func checkGood(t *testing.T, rule string) {
	result := lintFile(t, filepath.Join("testdata", rule, "good.arazzo.yaml"))
	for _, d := range result.Files[0].Diagnostics {
		if d.Rule == rule || d.Severity == lint.Error {
			t.Errorf("the good document: %d:%d: %s [%s]", d.Span.Start.Line, d.Span.Start.Column, d.Message, d.Rule)
		}
	}
}

// checkFixes applies the fixes of the rule to its bad document: what they are for
// is then no longer reported, and nothing else is broken.
func checkFixes(t *testing.T, rule string) {
	path := filepath.Join("testdata", rule, "bad.arazzo.yaml")
	before := lintFile(t, path).Files[0]
	var edits []lint.Edit
	fixed := 0
	for _, d := range before.Diagnostics {
		if d.Rule == rule && len(d.Fixes) > 0 {
			edits = append(edits, d.Fixes[0].Edits...)
			fixed++
		}
	}
	if fixed == 0 {
		return
	}
	slices.SortFunc(edits, func(a, b lint.Edit) int { return b.Span.Start.Offset - a.Span.Start.Offset })
	text := string(before.Source)
	for _, e := range edits {
		text = text[:e.Span.Start.Offset] + e.Text + text[e.Span.End.Offset:]
	}
	after := lintText(t, path, []byte(text)).Files[0]
	count := func(f lint.File) (all, errors int) {
		for _, d := range f.Diagnostics {
			if d.Rule == rule {
				all++
			} else if d.Severity == lint.Error {
				errors++
			}
		}
		return all, errors
	}
	all, errors := count(before)
	left, errorsLeft := count(after)
	if left != all-fixed || errorsLeft > errors {
		t.Errorf("%d of %d findings have a fix; after it there are %s\nin\n%s", fixed, all, told(after.Diagnostics), text)
	}
}

func lintFile(t *testing.T, path string) lint.Result {
	t.Helper()
	return lintText(t, path, nil)
}

// lintText lints data as the file at a path; nil for the file itself.
func lintText(t *testing.T, path string, data []byte) lint.Result {
	t.Helper()
	loader := source.NewLoader(source.Options{Offline: true})
	result, err := lint.Run(context.Background(), []lint.Input{{Path: path, Data: data}}, lint.Options{Rules: rules.All(), Loader: loader})
	if err != nil {
		t.Fatal(err)
	}
	if len(result.Files) != 1 {
		t.Fatalf("%s: got %d files, want one", path, len(result.Files))
	}
	return result
}
