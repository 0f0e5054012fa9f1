package rules_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/weft-flow/weft/lint"
	"github.com/weft-flow/weft/lint/rules"
)

// conformance gives a folder of the conformance data, or skips the test.
func conformance(t *testing.T, folder string) string {
	t.Helper()
	root := os.Getenv("WEFT_CONFORMANCE")
	if root == "" {
		t.Skip("WEFT_CONFORMANCE is not set: the conformance data is not at hand")
	}
	return filepath.Join(root, folder)
}

// seeded is one document of the conformance data with the fault in it.
type seeded struct {
	file, rule, fault string
	severities        []lint.Severity
	lines             [][2]int // where a finding may begin
}

func readManifest(t *testing.T, folder string) []seeded {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(folder, "manifest.tsv"))
	if err != nil {
		t.Fatal(err)
	}
	var all []seeded
	for _, line := range strings.Split(strings.TrimSpace(string(data)), "\n")[1:] {
		fields := strings.Split(line, "\t")
		s := seeded{file: fields[0], rule: fields[1], fault: fields[4]}
		for _, letter := range strings.Split(fields[2], "|") {
			if severity, ok := map[string]lint.Severity{"E": lint.Error, "W": lint.Warn, "I": lint.Hint}[letter]; ok {
				s.severities = append(s.severities, severity)
			}
		}
		for _, span := range strings.Split(fields[3], ",") {
			var from, to int
			if n, _ := fmt.Sscanf(span, "%d-%d", &from, &to); n == 2 {
				s.lines = append(s.lines, [2]int{from, to})
			}
		}
		all = append(all, s)
	}
	return all
}

func (s seeded) matches(d lint.Diagnostic) bool {
	inLines := slices.ContainsFunc(s.lines, func(l [2]int) bool { return d.Span.Start.Line >= l[0] && d.Span.Start.Line <= l[1] })
	return d.Rule == s.rule && slices.Contains(s.severities, d.Severity) && inLines
}

// TestSeededFaults lints documents with one fault each. A fault of a rule that is
// not there yet is counted and said.
func TestSeededFaults(t *testing.T) {
	folder := conformance(t, "lint")
	found, absent := 0, map[string]bool{}
	for _, s := range readManifest(t, folder) {
		if s.rule == "-" {
			continue
		}
		if _, ok := rules.Find(s.rule); !ok {
			absent[s.rule] = true
			continue
		}
		t.Run(s.file, func(t *testing.T) {
			diagnostics := lintFile(t, filepath.Join(folder, s.file)).Files[0].Diagnostics
			if !slices.ContainsFunc(diagnostics, s.matches) {
				t.Errorf("%s is not found by %s in lines %v: %s", s.fault, s.rule, s.lines, told(diagnostics))
				return
			}
			found++
		})
	}
	t.Logf("%d faults found; rules that are not there: %v", found, absent)
}

// TestCleanDocuments holds that nothing above a hint is found where nothing is
// wrong.
func TestCleanDocuments(t *testing.T) {
	folder := conformance(t, "lint")
	paths := []string{"../../specs/orderflow/order.arazzo.yaml"}
	for _, s := range readManifest(t, folder) {
		if s.rule == "-" {
			paths = append(paths, filepath.Join(folder, s.file))
		}
	}
	for _, path := range paths {
		file := lintFile(t, path).Files[0]
		for _, d := range file.Diagnostics {
			if d.Severity > lint.Hint {
				t.Errorf("%s: %s", path, told([]lint.Diagnostic{d}))
			}
		}
		if !file.Complete {
			t.Errorf("%s: incomplete: %v", path, file.Incomplete)
		}
	}
}

// told lists diagnostics for a message.
func told(diagnostics []lint.Diagnostic) string {
	if len(diagnostics) == 0 {
		return "nothing was found"
	}
	var b strings.Builder
	for _, d := range diagnostics {
		fmt.Fprintf(&b, "\n  %d:%d %s %s: %s", d.Span.Start.Line, d.Span.Start.Column, d.Severity, d.Rule, d.Message)
	}
	return b.String()
}

// TestOfficialDocumentsUnderAllRules holds that the rules of the layer schema say
// of the official tests what the specification's schema says.
func TestOfficialDocumentsUnderAllRules(t *testing.T) {
	for folder, valid := range map[string]bool{"oai/pass": true, "oai/fail": false} {
		inputs, err := lint.Find([]string{conformance(t, folder)})
		if err != nil {
			t.Fatal(err)
		}
		result, err := lint.Run(context.Background(), inputs, lint.Options{Rules: rules.All(), Only: lint.Schema})
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range result.Files {
			if got := (lint.Result{Files: []lint.File{file}}).Count(lint.Error) == 0; got != valid {
				t.Errorf("%s: valid: got %t%s", file.Path, got, told(file.Diagnostics))
			}
		}
	}
}
