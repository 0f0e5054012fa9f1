package cli_test

import (
	"net/http"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

const someAPI = "openapi: 3.1.0\ninfo: {title: t, version: '1'}\nservers: [{url: 'BASE'}]\npaths:\n" +
	"  /a: {get: {operationId: a, parameters: [{name: k, in: query, schema: {}}], responses: {'200': {description: ok}}}}\n" +
	"  /b: {get: {operationId: b, responses: {'200': {description: ok}}}}\n"

func someFlow(workflow, operation, more string) string {
	return "arazzo: 1.1.0\ninfo: {title: t, version: '1'}\nsourceDescriptions: [{name: api, url: api.yaml, type: openapi}]\n" +
		"workflows:\n- workflowId: " + workflow + "\n  steps: [{stepId: s, operationId: " + operation + more + "}]\n"
}

// TestAWorkflowOfOneOfSeveralFilesIsRun: the other files are there to be known.
func TestAWorkflowOfOneOfSeveralFilesIsRun(t *testing.T) {
	var lock sync.Mutex
	var asked []string
	_, base := start(t, func(_ http.ResponseWriter, r *http.Request) {
		lock.Lock()
		defer lock.Unlock()
		asked = append(asked, r.URL.Path)
	})
	dir := t.TempDir()
	one, two := filepath.Join(dir, "one.yaml"), filepath.Join(dir, "two.yaml")
	writeFile(t, filepath.Join(dir, "api.yaml"), strings.Replace(someAPI, "BASE", base, 1))
	writeFile(t, one, someFlow("first", "a", ""))
	writeFile(t, two, someFlow("second", "b", ""))
	for _, test := range []struct {
		args []string
		code int
		want string
		says string
	}{
		{[]string{"-w", "second"}, 0, "/b", "second"},
		{[]string{"-w", "second", "-w", "first"}, 0, "/a /b", ""},
		{nil, 0, "/a /b", ""},
		{[]string{"-w", "first", "-w", "third"}, 2, "", `-w third: no file of the command line has a workflow of that name`},
	} {
		asked = nil
		code, output := weft(append([]string{"run", one, two}, test.args...)...)
		if got := strings.Join(asked, " "); code != test.code || got != test.want || !strings.Contains(output, test.says) {
			t.Errorf("%v: exit code %d, asked for %q, want %d and %q:\n%s", test.args, code, got, test.code, test.want, output)
		}
	}
}

// TestAnInputIsOneOfThoseThatItsSchemaLists, though the schema names no type.
func TestAnInputIsOneOfThoseThatItsSchemaLists(t *testing.T) {
	for _, test := range []struct{ schema, text, want string }{
		{"{enum: [1, 2]}", "2", "2"},
		{"{enum: [a, true]}", "true", "true"},
		{"{enum: ['1', 1]}", "1", `"1"`},
		{"{const: 1.10}", "1.10", "1.10"},
		{"{enum: [a, b]}", "b", `"b"`},
		{"{}", "1", `"1"`},
	} {
		var sent string
		_, base := start(t, func(_ http.ResponseWriter, r *http.Request) { sent = r.URL.Query().Get("k") })
		dir := t.TempDir()
		writeFile(t, filepath.Join(dir, "api.yaml"), strings.NewReplacer("BASE", base, "schema: {}", "content: {application/json: {}}").Replace(someAPI))
		writeFile(t, filepath.Join(dir, "flow.yaml"), strings.Replace(someFlow("w", "a", ", parameters: [{name: k, in: query, value: $inputs.k}]"),
			"  steps", "  inputs: {type: object, properties: {k: "+test.schema+"}}\n  steps", 1))
		code, output := weft("run", filepath.Join(dir, "flow.yaml"), "-i", "k="+test.text)
		if code != 0 || sent != test.want {
			t.Errorf("%s: exit code %d, sent %s, want %s:\n%s", test.schema, code, sent, test.want, output)
		}
	}
}

// TestAMissingSourceSaysWhereElseItIsLookedFor: many documents write their sources from
// the root of their repository.
func TestAMissingSourceSaysWhereElseItIsLookedFor(t *testing.T) {
	dir := t.TempDir()
	flow := filepath.Join(dir, "flow.yaml")
	writeFile(t, flow, someFlow("w", "a", ""))
	const hint = "--root DIR looks beneath DIR too"
	if code, output := weft("run", flow); code != 2 || !strings.Contains(output, "api.yaml: no such file\n") || strings.Count(output, hint) != 1 {
		t.Errorf("exit code %d:\n%s", code, output)
	}
	if code, output := weft("run", flow, "--root", t.TempDir()); code != 2 || strings.Contains(output, hint) {
		t.Errorf("with --root: exit code %d:\n%s", code, output)
	}
}
