package cli

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
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
		{args: []string{"lint", "-format", "json", file}, code: exitUsage, err: "did you mean --format?"},
		{args: []string{"lint", "--formt=json", file}, code: exitUsage, err: "did you mean --format?"},
		{args: []string{"lint", "-x", file}, code: exitUsage, err: "-x", not: "did you mean"},
		{args: []string{"lint", "--offline", file, folder + "/./a.arazzo.yaml", folder}, out: "1 file", not: "2 files"},
		{args: []string{"lint", "--stdin-filename", file, file}, code: exitUsage, err: "--stdin-filename needs -"},
		{args: []string{"lint", "--fix", "-"}, code: exitUsage, err: "--fix"},
		{args: []string{"lint", "-"}, code: exitFailed, out: "stdin:1:1: error: the file is empty"},
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

// TestLintOfStandardInput holds that a document on standard input stands for the file
// that it is of: its sources lie beside that, and that file itself is not read.
func TestLintOfStandardInput(t *testing.T) {
	folder := t.TempDir()
	file := filepath.Join(folder, "a.arazzo.yaml")
	api := "openapi: 3.1.0\ninfo: {title: A, version: 1.0.0}\npaths: {/a: {get: {operationId: get, responses: {'200': {description: d}}}}}\n"
	document := "arazzo: 1.1.0\ninfo: {title: T, version: 1.0.0}\nsourceDescriptions: [{name: a, url: api.yaml, type: openapi}]\n" +
		"workflows: [{workflowId: w, steps: [{stepId: s, operationId: get, successCriteria: [{condition: $statusCode == 200}]}]}]\n"
	for path, text := range map[string]string{file: document, filepath.Join(folder, "api.yaml"): api, filepath.Join(folder, "weft.yaml"): "lint: {rules: {operation-exists: warn}}\n"} {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	run := func(text string, args ...string) (int, string) {
		var out, errs bytes.Buffer
		code := Run(append([]string{"lint"}, args...), Stdio{In: strings.NewReader(text), Out: &out, Err: &errs})
		return code, out.String() + errs.String()
	}
	if code, out := run(document, "--stdin-filename", file, "-"); code != exitOK || !strings.Contains(out, "no findings in 1 file") {
		t.Errorf("exit code %d: %s", code, out)
	}
	edited := strings.Replace(document, "operationId: get", "operationId: got", 1)
	code, out := run(edited, "--stdin-filename", file, "-", folder)
	if want := file + ":4:"; code != exitOK || !strings.Contains(out, want) || !strings.Contains(out, "1 warning in 1 of 1 file") {
		t.Errorf("exit code %d, want a warning at %s and nothing of the file as it was: %s", code, want, out)
	}
}

// TestFaultsOfTheConfigurationAreInTheirOrder holds that whatever is wrong with the
// part of the linter is told at once, line by line.
func TestFaultsOfTheConfigurationAreInTheirOrder(t *testing.T) {
	folder := t.TempDir()
	config := filepath.Join(folder, "w.yaml")
	text := "lint:\n  rules:\n    zebra: error\n    retry-safe: warning\n    apple: off\n    retry-bounded: {most: x, mots: 4}\n  extends: strct\n  ignore:\n    - path: a\n      rules: [nope]\n"
	if err := os.WriteFile(config, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	var out, errs bytes.Buffer
	code := Run([]string{"lint", "--config", config, folder}, Stdio{In: strings.NewReader(""), Out: &out, Err: &errs})
	want := []string{
		`3:5: there is no rule "zebra"`, `4:17: expected error, warn, hint or off, this is "warning"; did you mean warn?`, `5:5: there is no rule "apple"`,
		`6:21: the option most of rule retry-bounded must be a whole number`, `6:30: rule retry-bounded has no option "mots"; did you mean "most"?`,
		`7:12: expected recommended, strict or minimal, this is "strct"; did you mean strict?`, `9:7: there is no rule "nope"`,
	}
	got := strings.Split(strings.ReplaceAll(errs.String(), config+":", ""), "\n")
	if code != exitUsage || !slices.Equal(got[:min(len(want), len(got))], want) {
		t.Errorf("exit code %d:\n%s", code, &errs)
	}
}

// TestFixingThroughALink holds that a file which is named twice, once by a link, is
// mended once, and that the link stays one.
func TestFixingThroughALink(t *testing.T) {
	folder := t.TempDir()
	file, link := filepath.Join(folder, "a.arazzo.yaml"), filepath.Join(folder, "b.arazzo.yaml")
	text := "\ufeffarazzo: 1.1.0\r\ninfo: {title: T, version: 1.0.0}\r\nsourceDescriptions: [{name: a, url: none.yaml}]\r\n" +
		"workflows: [{workflowId: w, steps: [{stepId: s, operationId: o, outputs: {a: $response.body.id}}]}] #\tend"
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("a.arazzo.yaml", link); err != nil {
		t.Skip(err)
	}
	for _, fixed := range []string{"1 finding fixed in 1 file", "0 findings fixed in 0 files"} {
		var out, errs bytes.Buffer
		if code := Run([]string{"lint", "--fix", link, file}, Stdio{In: strings.NewReader(""), Out: &out, Err: &errs}); code == exitUsage || !strings.Contains(errs.String(), fixed) {
			t.Errorf("exit code %d, want %s\n%s%s", code, fixed, &out, &errs)
		}
		got, err := os.ReadFile(file)
		if want := strings.Replace(text, "body.id", "body#/id", 1); err != nil || string(got) != want {
			t.Errorf("got %q, %v, want %q", got, err, want)
		}
	}
	if to, err := os.Readlink(link); err != nil || to != "a.arazzo.yaml" {
		t.Errorf("the link leads to %q, %v", to, err)
	}
}

// TestFixingWhatMayNotBeWritten holds that a read-only file stays as it is, is told,
// and does not keep the others from being mended.
func TestFixingWhatMayNotBeWritten(t *testing.T) {
	folder := t.TempDir()
	locked, open := filepath.Join(folder, "a.arazzo.yaml"), filepath.Join(folder, "b.arazzo.yaml")
	text := "arazzo: 1.1.0\ninfo: {title: T, version: 1.0.0}\nsourceDescriptions: [{name: a, url: none.yaml}]\n" +
		"workflows: [{workflowId: w, steps: [{stepId: s, operationId: o, outputs: {a: $response.body.id}}]}]\n"
	for path, mode := range map[string]os.FileMode{locked: 0o400, open: 0o640} {
		if err := os.WriteFile(path, []byte(text), mode); err != nil {
			t.Fatal(err)
		}
	}
	var out, errs bytes.Buffer
	code := Run([]string{"lint", "--fix", folder}, Stdio{In: strings.NewReader(""), Out: &out, Err: &errs})
	if code != exitUsage || !strings.Contains(errs.String(), locked+": it is read-only") || !strings.Contains(errs.String(), "1 finding fixed in 1 file") {
		t.Errorf("exit code %d\n%s", code, &errs)
	}
	for path, want := range map[string]string{locked: text, open: strings.Replace(text, "body.id", "body#/id", 1)} {
		if got, err := os.ReadFile(path); err != nil || string(got) != want {
			t.Errorf("%s: %q, %v", path, got, err)
		}
	}
	if info, err := os.Stat(open); err != nil || info.Mode().Perm() != 0o640 {
		t.Errorf("the mode of what was mended: %v, %v", info.Mode(), err)
	}
}
