package lint

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const smallDocument = `arazzo: 1.1.0
info: {title: Order, version: 1.0.0}
sourceDescriptions: [{name: orders, url: orders.yaml, type: openapi}]
workflows:
  - workflowId: order
    inputs: {type: object, properties: {id: {type: string}}}
    steps:
      - stepId: create
        operationId: createOrder
        parameters: [{name: id, in: path, value: $inputs.id}]
        successCriteria: [{condition: $statusCode == 201}]
        onFailure:
          - {name: again, type: retry, retryAfter: 1, retryLimit: 3, criteria: [{condition: $statusCode == 503}]}
        outputs: {id: $response.body#/id}
`

// write writes files into a new folder and gives it.
func write(t *testing.T, files map[string]string) string {
	t.Helper()
	root := t.TempDir()
	for name, text := range files {
		path := filepath.Join(root, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return root
}

// seen gives the files of a result relative to root, with their count of errors.
func seen(t *testing.T, root string, result Result) []string {
	t.Helper()
	var out []string
	for _, f := range result.Files {
		name, err := filepath.Rel(root, f.Path)
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, fmt.Sprintf("%s %d", filepath.ToSlash(name), Result{Files: []File{f}}.Count(Error)))
	}
	return out
}

func TestADirectory(t *testing.T) {
	root := write(t, map[string]string{
		"b.arazzo.yaml":           smallDocument,
		"a/broken.yml":            "arazzo: 1.1.0\ninfo: {title: \"\n",
		"a/deep/json.JSON":        `{"x": {"arazzo": 1}, "arazzo": "3.0.0"}`,
		"a/openapi.yaml":          "openapi: 3.1.0\n",
		"a/mentions.json":         `{"x": {"arazzo": "1.1.0"}}`,
		"a/nested.yaml":           "x:\n  arazzo: 1.1.0\n",
		"a/notes.md":              "arazzo: 1.1.0\n",
		"node_modules/p/a.yaml":   smallDocument,
		".git/a.yaml":             smallDocument,
		".speakeasy/a2a.yaml":     smallDocument,
		"a/not-even-yaml.yaml":    "{{{",
		"a/binary.json":           "\x00\x01\x02",
		"a/empty.yaml":            "",
		"n/empty.arazzo.yaml":     "",
		"n/broken.ARAZZO.yml":     "{{{",
		"n/misspelt.arazzo.json":  `{"arrazo": "1.1.0"}`,
		"n/an.arazzo.overlay.yml": "overlay: 1.0.0\n",
		"z/many/levels/deep.yaml": "arazzo: 1.0.0\n",
	})
	inputs, err := Find([]string{root})
	if err != nil {
		t.Fatal(err)
	}
	result, err := Run(context.Background(), inputs, Options{})
	if err != nil {
		t.Fatal(err)
	}
	want := []string{".speakeasy/a2a.yaml 0", "a/broken.yml 1", "a/deep/json.JSON 1", "b.arazzo.yaml 0",
		"n/broken.ARAZZO.yml 1", "n/empty.arazzo.yaml 1", "n/misspelt.arazzo.json 5", "z/many/levels/deep.yaml 3"}
	if diff := cmp.Diff(want, seen(t, root, result)); diff != "" {
		t.Errorf("files with their errors (-want +got):\n%s", diff)
	}
}

func TestANamedFileIsNeverPassedOver(t *testing.T) {
	root := write(t, map[string]string{"o.yaml": "openapi: 3.1.0\n", "empty.yaml": "", "good.yaml": smallDocument})
	inputs, err := Find([]string{filepath.Join(root, "o.yaml"), filepath.Join(root, "empty.yaml"), root, filepath.Join(root, "good.yaml")})
	if err != nil {
		t.Fatal(err)
	}
	result, err := Run(context.Background(), inputs, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"o.yaml 1", "empty.yaml 1", "good.yaml 0"}, seen(t, root, result)); diff != "" {
		t.Errorf("files with their errors (-want +got):\n%s", diff)
	}
	if result.Files[0].Complete || !result.Files[2].Complete {
		t.Errorf("complete: got %t and %t", result.Files[0].Complete, result.Files[2].Complete)
	}
}

func TestWhatCannotBeReadHidesNothing(t *testing.T) {
	root := write(t, map[string]string{"good.yaml": smallDocument})
	inputs, err := Find([]string{filepath.Join(root, "none.yaml"), filepath.Join(root, "good.yaml")})
	if err == nil || !strings.Contains(err.Error(), "none.yaml") || !errors.Is(err, os.ErrNotExist) {
		t.Errorf("find: got %v", err)
	}
	inputs = append([]Input{{Path: filepath.Join(root, "gone.yaml")}}, inputs...)
	result, err := Run(context.Background(), inputs, Options{})
	if err == nil || !strings.Contains(err.Error(), "gone.yaml") || !errors.Is(err, os.ErrNotExist) {
		t.Errorf("run: got %v", err)
	}
	if len(result.Files) != 1 {
		t.Errorf("got %d files, want the good one", len(result.Files))
	}
}

func TestAnEndedContextStopsTheRun(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := Run(ctx, []Input{{Path: "a", Data: []byte(smallDocument)}}, Options{}); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}

func TestTheOrderIsThatOfTheInputs(t *testing.T) {
	var inputs []Input
	for i := range 200 {
		inputs = append(inputs, Input{Path: fmt.Sprint(i), Data: []byte(smallDocument)})
	}
	result, err := Run(context.Background(), inputs, Options{})
	if err != nil {
		t.Fatal(err)
	}
	for i, f := range result.Files {
		if f.Path != fmt.Sprint(i) {
			t.Fatalf("file %d is %s", i, f.Path)
		}
	}
}

func TestTheRuleGivesTheSeverityOfFaultsOfTheShape(t *testing.T) {
	document := strings.Replace(smallDocument, "title: Order", "title: Order, titel: Order", 1)
	strict := []Rule{{Name: "unknown-field", Layer: Semantics, Severity: Hint}}
	result, err := Run(context.Background(), []Input{{Path: "a", Data: []byte(document)}}, Options{Rules: strict})
	if err != nil {
		t.Fatal(err)
	}
	got := result.Files[0].Diagnostics
	if len(got) != 1 || got[0].Severity != Hint || got[0].Layer != Schema || got[0].Pointer != "/info/titel" {
		t.Errorf("got %+v", got)
	}
	if result.Reaches(Warn) || !result.Reaches(Hint) {
		t.Error("a hint reaches a hint only")
	}
}

func TestOneFaultIsToldOnce(t *testing.T) {
	tests := []struct{ name, from, to, want string }{
		{"two missing fields", "{name: orders, url: orders.yaml, type: openapi}", "{type: openapi}",
			"schema /sourceDescriptions/0\nschema /sourceDescriptions/0\n"},
		{"a jump to two places", "type: retry,", "type: retry, stepId: create, workflowId: order,",
			"action-target-exclusive /workflows/0/steps/0/onFailure/0/workflowId\n"},
		{"a jump to nowhere without a name", "name: again, type: retry", "type: goto",
			"schema /workflows/0/steps/0/onFailure/0\naction-target-required /workflows/0/steps/0/onFailure/0\n"},
		{"what only the schema sees", "url: orders.yaml", `url: "::"`, "schema /sourceDescriptions/0/url\n"},
		{"an input schema that is none", "{type: object, properties", "{type: objekt, properties", "input-schema-valid /workflows/0/inputs/type\n"},
		{"an item twice", "[{condition: $statusCode == 201}]", "[{condition: a}, {condition: a}]",
			"schema /workflows/0/steps/0/successCriteria/1\n"},
		{"a merge key is a remark of its own", "outputs: {id:", "outputs: {<<: {x: 1}, id:",
			"yaml-merge /workflows/0/steps/0/outputs/<<\nschema /workflows/0/steps/0/outputs/x\n"},
		{"a pattern of ECMAScript is none", "{type: string}", `{type: string, pattern: "(?=a)"}`, ""},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			document := strings.Replace(smallDocument, test.from, test.to, 1)
			if document == smallDocument {
				t.Fatalf("%q is not in the document", test.from)
			}
			result, err := Run(context.Background(), []Input{{Path: "a", Data: []byte(document)}}, Options{})
			if err != nil {
				t.Fatal(err)
			}
			var got strings.Builder
			for _, d := range result.Files[0].Diagnostics {
				fmt.Fprintf(&got, "%s %s\n", d.Rule, d.Pointer)
			}
			if diff := cmp.Diff(test.want, got.String()); diff != "" {
				t.Errorf("rules and places (-want +got):\n%s\n%v", diff, result.Files[0].Diagnostics)
			}
		})
	}
}

func BenchmarkRunSmallDocument(b *testing.B) {
	r := newRunner(Options{})
	in := Input{Path: "a", Data: []byte(smallDocument)}
	b.SetBytes(int64(len(in.Data)))
	b.ReportAllocs()
	for b.Loop() {
		f, err := r.read(in)
		if err != nil {
			b.Fatal(err)
		}
		if err := r.check(context.Background(), f); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkCompileShapes(b *testing.B) {
	for b.Loop() {
		if _, err := newShapes().v11.full(); err != nil {
			b.Fatal(err)
		}
	}
}
