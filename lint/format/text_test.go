package format_test

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/weft-flow/weft/arazzo"
	"github.com/weft-flow/weft/lint"
	"github.com/weft-flow/weft/lint/format"
	"github.com/weft-flow/weft/lint/rules"
)

var update = flag.Bool("update", false, "write the golden files anew")

// TestGoldenText lints each document of testdata and compares what a person sees.
func TestGoldenText(t *testing.T) {
	yaml, err := filepath.Glob("testdata/*.yaml")
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range append(yaml, "testdata/flow.arazzo.json") {
		t.Run(filepath.Base(path), func(t *testing.T) {
			golden(t, path+".txt", render(t, format.Text(false), path))
		})
	}
}

func TestGoldenJSON(t *testing.T) {
	golden(t, "testdata/result.json.txt", render(t, format.JSON, "testdata/flow.arazzo.json", "testdata/version.arazzo.yaml", "testdata/clean.arazzo.yaml"))
}

func TestGoldenColour(t *testing.T) {
	golden(t, "testdata/colour.txt", render(t, format.Text(true), "testdata/flow.arazzo.json"))
}

func render(t *testing.T, write format.Func, paths ...string) []byte {
	t.Helper()
	var inputs []lint.Input
	for _, path := range paths {
		inputs = append(inputs, lint.Input{Path: path})
	}
	result, err := lint.Run(context.Background(), inputs, lint.Options{Rules: rules.All(), Only: lint.Schema})
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	if err := write(&out, result); err != nil {
		t.Fatal(err)
	}
	return bytes.ReplaceAll(out.Bytes(), []byte(`testdata\`), []byte("testdata/"))
}

func golden(t *testing.T, path string, got []byte) {
	t.Helper()
	if *update {
		if err := os.WriteFile(path, got, 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatalf("%v (run the test with -update)", err)
	}
	if diff := cmp.Diff(string(want), string(got)); diff != "" {
		t.Errorf("%s (-want +got):\n%s", path, diff)
	}
}

func TestTextShowsAllParts(t *testing.T) {
	source := []byte("a: 1\nb: 2\n")
	second := arazzo.Span{Start: arazzo.Position{Line: 2, Column: 1, Offset: 5}, End: arazzo.Position{Line: 2, Column: 2, Offset: 6}}
	first := arazzo.Span{Start: arazzo.Position{Line: 1, Column: 1}, End: arazzo.Position{Line: 1, Column: 2, Offset: 1}}
	result := lint.Result{Files: []lint.File{{
		Path: "a.yaml", Source: source, Complete: true,
		Diagnostics: []lint.Diagnostic{{
			Rule: "some-rule", Layer: lint.Semantics, Severity: lint.Warn, Message: "b is wrong\x1b[2J", File: "a.yaml", Span: second,
			Related: []lint.Related{{File: "a.yaml", Span: first, Message: "a is here"}, {File: "b.yaml", Span: first, Message: "and there"}},
			Fixes:   []lint.Fix{{Title: "write c"}},
			Help:    "c is better",
		}},
	}}}
	var out bytes.Buffer
	if err := format.Text(false)(&out, result); err != nil {
		t.Fatal(err)
	}
	want := `a.yaml:2:1: warning: b is wrong` + "\ufffd" + `[2J [semantics/some-rule]
  |
2 | b: 2
  | ^
a.yaml:1:1: a is here
  |
1 | a: 1
  | ^
b.yaml:1:1: and there
  help: c is better
  fix: write c

1 warning in 1 of 1 file
`
	if diff := cmp.Diff(want, out.String()); diff != "" {
		t.Errorf("text (-want +got):\n%s", diff)
	}
}

type brokenWriter struct{}

var errBroken = errors.New("broken")

func (brokenWriter) Write([]byte) (int, error) { return 0, errBroken }

func TestAWriterThatFailsIsTold(t *testing.T) {
	for _, name := range format.Names() {
		write, err := format.Named(name, format.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if err := write(brokenWriter{}, lint.Result{}); !errors.Is(err, errBroken) {
			t.Errorf("%s: got %v", name, err)
		}
	}
	if _, err := format.Named("xml", format.Options{}); err == nil || !strings.Contains(err.Error(), "text, json, sarif, junit, github or gitlab") {
		t.Errorf("an unknown format: %v", err)
	}
}
