package cli

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestLintUsage calls lint and its neighbours in ways that are easily got wrong.
func TestLintUsage(t *testing.T) {
	folder := t.TempDir()
	file := filepath.Join(folder, "a.arazzo.yaml")
	document := "arazzo: 1.1.0\ninfo: {title: T, version: 1.0.0}\nsourceDescriptions: [{name: a, url: http://127.0.0.1:9/a.yaml}] # weft-ignore: semantics/https-only -- none\n" +
		"workflows: [{workflowId: w, steps: [{stepId: s, operationId: o}]}]\n"
	if err := os.WriteFile(file, []byte(document), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		args     []string
		code     int
		out, err string
		not      string
	}{
		{args: []string{"explain", "semantics/retry-safe"}, out: "retry-safe"},
		{args: []string{"explain", "schema/retry-safe"}, code: exitUsage, err: "there is no rule"},
		{args: []string{"--version"}, out: "weft "},
		{args: []string{"lint", "--fail-on", "warning", file}, code: exitUsage, err: "did you mean warn?"},
		{args: []string{"lint", filepath.Join(folder, "none.yaml")}, code: exitUsage, err: "none.yaml", not: "no findings"},
		{args: []string{"lint", "--offline", file}, not: "there is no rule"},
	} {
		t.Run(strings.Join(test.args[:min(2, len(test.args))], " "), func(t *testing.T) {
			var out, errs bytes.Buffer
			code := Run(test.args, Stdio{In: strings.NewReader(""), Out: &out, Err: &errs})
			if code != test.code || !strings.Contains(out.String(), test.out) || !strings.Contains(errs.String(), test.err) {
				t.Errorf("exit code %d, want %d\n%s%s", code, test.code, &out, &errs)
			}
			if test.not != "" && strings.Contains(out.String()+errs.String(), test.not) {
				t.Errorf("it says %q:\n%s%s", test.not, &out, &errs)
			}
		})
	}
}
