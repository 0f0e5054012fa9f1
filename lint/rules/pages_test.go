package rules_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/weft-flow/weft/lint"
	"github.com/weft-flow/weft/lint/format"
	"github.com/weft-flow/weft/lint/rules"
)

// pages is the folder of the pages of rules.
var pages = filepath.Join("..", "..", "docs", "rules")

// TestPages holds docs/rules and the rules together: a page for each rule, and a
// list of all. With -update the pages are written anew.
func TestPages(t *testing.T) {
	want := map[string]string{"README.md": listOfPages()}
	for _, rule := range rules.All() {
		want[rule.Name+".md"] = format.Page(rule)
	}
	if *update {
		writePages(t, want)
	}
	entries, err := os.ReadDir(pages)
	if err != nil {
		t.Fatal(err)
	}
	for _, entry := range entries {
		if _, ok := want[entry.Name()]; !ok {
			t.Errorf("%s is the page of no rule", entry.Name())
		}
	}
	for name, text := range want {
		got, err := os.ReadFile(filepath.Join(pages, name))
		if err != nil {
			t.Errorf("%v (run the test with -update)", err)
			continue
		}
		if diff := cmp.Diff(text, string(bytes.ReplaceAll(got, []byte("\r\n"), []byte("\n")))); diff != "" {
			t.Errorf("%s is out of date; run the test with -update (-want +got):\n%s", name, diff)
		}
	}
}

func writePages(t *testing.T, want map[string]string) {
	t.Helper()
	old, err := filepath.Glob(filepath.Join(pages, "*.md"))
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range old {
		if _, ok := want[filepath.Base(path)]; !ok {
			if err := os.Remove(path); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := os.MkdirAll(pages, 0o755); err != nil {
		t.Fatal(err)
	}
	for name, text := range want {
		if err := os.WriteFile(filepath.Join(pages, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

func listOfPages() string {
	var b strings.Builder
	b.WriteString("# Lint rules\n\n" +
		"These pages are generated from the rules themselves, in `lint/rules/`: change them there,\n" +
		"then run `go test ./lint/rules -run TestPages -update`. `weft explain RULE` shows the same.\n\n" +
		"| Rule | Severity | Layer | What is reported |\n|---|---|---|---|\n")
	for _, r := range rules.All() {
		severity := r.Severity.String()
		if r.Severity == lint.Warn {
			severity = "warning"
		}
		fmt.Fprintf(&b, "| [%s](%s.md) | %s | %s | %s |\n", r.Name, r.Name, severity, r.Layer, strings.ReplaceAll(r.Summary, "|", `\|`))
	}
	return b.String()
}
