package cli_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/weft-flow/weft/arazzo/source"
	"github.com/weft-flow/weft/arazzo/value"
	"github.com/weft-flow/weft/executor"
)

// conformanceRuns lists how each document ends: file, exit code and why. Each line
// was looked at: what does not succeed has a fault, or asks for what is not there.
const conformanceRuns = "../../testdata/conformance-run.txt"

// TestRealDocumentsRunAgainstTheMock runs the official examples and documents of
// other projects against the mock: each ends in time, without a panic, and as the
// list says. UPDATE_GOLDEN=1 writes the list anew.
func TestRealDocumentsRunAgainstTheMock(t *testing.T) {
	root := os.Getenv("WEFT_CONFORMANCE")
	if root == "" {
		t.Skip("WEFT_CONFORMANCE is not set: there are no documents of others to run")
	}
	root, err := filepath.Abs(root)
	if err != nil {
		t.Fatal(err)
	}
	var lines []string
	for _, path := range realDocuments(t, root) {
		name, err := filepath.Rel(root, path)
		if err != nil {
			t.Fatal(err)
		}
		t.Run(name, func(t *testing.T) {
			lines = append(lines, name+"\t"+runRealDocument(t, root, path))
		})
	}
	got := strings.Join(lines, "\n") + "\n"
	if os.Getenv("UPDATE_GOLDEN") != "" {
		writeFile(t, conformanceRuns, got)
		return
	}
	want := map[string]bool{}
	for line := range strings.Lines(readFile(t, conformanceRuns)) {
		want[strings.TrimSpace(line)] = true
	}
	for _, line := range lines {
		if !want[strings.TrimSpace(line)] {
			t.Errorf("not in the list:\n%s", line)
		}
	}
	if len(lines) != len(want) {
		t.Errorf("%d documents ran, the list has %d", len(lines), len(want))
	}
}

// realDocuments lists the Arazzo documents of the folder.
func realDocuments(t *testing.T, root string) []string {
	t.Helper()
	var paths []string
	isArazzo := regexp.MustCompile(`(?m)^\s*"?arazzo"?\s*:`)
	for _, folder := range []string{"oai/examples", "corpus"} {
		err := filepath.WalkDir(filepath.Join(root, folder), func(path string, entry os.DirEntry, err error) error {
			if err != nil || entry.IsDir() || filepath.Ext(path) == ".tsv" {
				return err
			}
			text, err := os.ReadFile(path)
			if err == nil && isArazzo.Match(text) {
				paths = append(paths, path)
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if len(paths) == 0 {
		t.Fatal("there are no documents")
	}
	return paths
}

// runRealDocument runs one document and gives exit code and reason.
func runRealDocument(t *testing.T, root, path string) string {
	t.Helper()
	dir := t.TempDir()
	report, inputs := filepath.Join(dir, "run.json"), filepath.Join(dir, "inputs.json")
	writeFile(t, inputs, madeInputs(t, path))
	began := time.Now()
	code, output := weft("run", path, "--mock", "--offline", "--inputs", inputs, "--json", report, "--step-timeout", "2s", "--timeout", "5s", "--max-steps", "200")
	if took := time.Since(began); took > 15*time.Second {
		t.Errorf("it took %v", took)
	}
	if code == 4 || strings.Contains(output, "a fault of weft") || strings.Contains(output, "goroutine ") {
		t.Errorf("a panic:\n%s", output)
	}
	return fmt.Sprintf("%d\t%s", code, strings.ReplaceAll(whyItEnded(t, report, output), root+"/", ""))
}

// whyItEnded gives the reason of the result; where nothing ran, what was told.
func whyItEnded(t *testing.T, report, output string) string {
	t.Helper()
	var read struct {
		Runs []struct {
			Result *struct{ Status, Reason string }
			Events []struct {
				Type   string
				Detail struct{ Message string }
			}
		}
	}
	if err := json.Unmarshal([]byte(readFile(t, report)), &read); err != nil {
		t.Fatal(err)
	}
	if len(read.Runs) == 0 {
		return firstOf(strings.Split(strings.TrimSpace(output), "\n"))
	}
	run := read.Runs[0]
	if run.Result == nil {
		t.Errorf("the report has no result")
		return ""
	}
	why := strings.TrimSuffix(run.Result.Status+": "+run.Result.Reason, ": ")
	var findings []string
	for _, e := range run.Events {
		if e.Type == "contractFinding" {
			findings = append(findings, e.Detail.Message)
		}
	}
	if len(findings) > 0 {
		why += "; contract: " + firstOf(findings)
	}
	return why
}

func firstOf(lines []string) string {
	if len(lines) == 1 {
		return lines[0]
	}
	return fmt.Sprintf("%s (and %d more)", lines[0], len(lines)-1)
}

// madeInputs makes the inputs that the workflows of a document want from their
// schemas: the default, an example, else the simplest value of the type.
func madeInputs(t *testing.T, path string) string {
	t.Helper()
	plan, err := planOf(t, path)
	if err != nil {
		return "{}"
	}
	var members []value.Member
	for _, name := range plan.InputNames() {
		members = append(members, value.Member{Name: name, Value: simplest(plan.InputSchema(name))})
	}
	return value.Object(members...).String()
}

func planOf(t *testing.T, path string) (*executor.Plan, error) {
	t.Helper()
	loader := source.NewLoader(source.Options{Offline: true})
	doc, location, _, err := loader.LoadDocument(t.Context(), path)
	if err != nil || doc == nil {
		return nil, errors.New("no document")
	}
	set, problems := loader.Load(t.Context(), doc, location)
	if len(problems) > 0 {
		return nil, errors.New("no sources")
	}
	plan, refusals := executor.Compile(set, nil, executor.Config{Servers: map[string]string{"": "http://127.0.0.1:1"}})
	if len(refusals) > 0 {
		return nil, refusals[0]
	}
	return plan, nil
}

func simplest(schema value.Value) value.Value {
	for _, keyword := range []string{"default", "const", "example"} {
		if v := schema.Get(keyword); !v.IsAbsent() {
			return v
		}
	}
	for _, keyword := range []string{"examples", "enum"} {
		if items := schema.Get(keyword).Items(); len(items) > 0 {
			return items[0]
		}
	}
	switch schema.Get("type").Text() {
	case "integer", "number":
		if least := schema.Get("minimum"); !least.IsAbsent() {
			return least
		}
		return value.Int(1)
	case "boolean":
		return value.Bool(true)
	case "array":
		return value.Array(simplest(schema.Get("items")))
	case "object":
		var members []value.Member
		for _, m := range schema.Get("properties").Members() {
			members = append(members, value.Member{Name: m.Name, Value: simplest(m.Value)})
		}
		return value.Object(members...)
	default:
		return value.String("2026-01-02")
	}
}
