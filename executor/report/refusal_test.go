package report

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/weft-flow/weft/arazzo"
	"github.com/weft-flow/weft/arazzo/schema"
	"github.com/weft-flow/weft/executor"
)

// refuser is a report that takes reasons why nothing was run.
type refuser interface {
	Refuse(document string, r executor.Refusal)
}

// refuseAll gives two reasons with a place, and one without a document.
func refuseAll(r refuser) {
	at := executor.Place{File: "pay.arazzo.yaml", Pointer: "/workflows/0"}
	at.Span = arazzo.Span{Start: arazzo.Position{Line: 7, Column: 5}, End: arazzo.Position{Line: 7, Column: 9}}
	r.Refuse("pay.arazzo.yaml", executor.Refusal{Place: at, Message: "there is no <operation>"})
	r.Refuse("pay.arazzo.yaml", executor.Refusal{Message: "the inputs do not fit"})
	r.Refuse("", executor.Refusal{Message: "--server: there is no source"})
}

// TestRefusalsKeepToTheirPublishedSchemas in the report of runs and in that of dry runs.
func TestRefusalsKeepToTheirPublishedSchemas(t *testing.T) {
	outlines, runs := &Outlines{}, NewJSON()
	refuseAll(outlines)
	refuseAll(runs)
	var dry, run bytes.Buffer
	if _, err := outlines.WriteTo(&dry); err != nil {
		t.Fatal(err)
	}
	if _, err := runs.WriteTo(&run); err != nil {
		t.Fatal(err)
	}
	for name, document := range map[string][]byte{"dry-run": dry.Bytes(), "run-report": run.Bytes()} {
		if found := faults(t, closedSchema(t, name), document); len(found) > 0 {
			t.Errorf("%s: %v", name, found)
		}
		var read struct {
			Refusals []struct {
				Document, Message string
				Place             *struct {
					File, Pointer string
					Line, Column  int
				}
			}
		}
		if err := json.Unmarshal(document, &read); err != nil || len(read.Refusals) != 3 {
			t.Fatalf("%s: %v: %s", name, err, document)
		}
		first, second, third := read.Refusals[0], read.Refusals[1], read.Refusals[2]
		if first.Document != "pay.arazzo.yaml" || first.Message != "there is no <operation>" || first.Place == nil || first.Place.Line != 7 || first.Place.Pointer != "/workflows/0" {
			t.Errorf("%s: the first is %+v", name, first)
		}
		if second.Place != nil || third.Document != "" || third.Message != "--server: there is no source" {
			t.Errorf("%s: the others are %+v, %+v", name, second, third)
		}
	}
}

func closedSchema(t *testing.T, name string) *schema.Schema {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("..", "..", "docs", name+".schema.json"))
	if err != nil {
		t.Fatal(err)
	}
	var root any
	if err := json.Unmarshal(data, &root); err != nil {
		t.Fatal(err)
	}
	closeObjects(root)
	if data, err = json.Marshal(root); err != nil {
		t.Fatal(err)
	}
	compiled, err := schema.CompileBytes(name, data)
	if err != nil {
		t.Fatal(err)
	}
	return compiled
}

// TestARefusedDocumentIsAnErrorInJUnit: a report without a case would pass for a good one.
func TestARefusedDocumentIsAnErrorInJUnit(t *testing.T) {
	j := NewJUnit()
	refuseAll(j)
	report := junitReport(t, j, nil)
	read := suites(t, report)
	if read.Tests != 2 || read.Errors != 2 || read.Failures != 0 || len(read.Suites) != 2 {
		t.Fatalf("%d tests, %d errors, %d failures in %d suites", read.Tests, read.Errors, read.Failures, len(read.Suites))
	}
	for _, want := range []string{
		`message="there is no &lt;operation&gt; (and 1 more)" type="refused">pay.arazzo.yaml:7:5: there is no &lt;operation&gt;&#xA;pay.arazzo.yaml: the inputs do not fit</error>`,
		`<testcase name="can be run" classname="weft run" time="0.000">`,
		`message="--server: there is no source" type="refused">--server: there is no source</error>`,
	} {
		if !strings.Contains(report, want) {
			t.Errorf("nothing of %s in\n%s", want, report)
		}
	}
}

// TestAnArchiveOfNothingSaysWhy in its comment.
func TestAnArchiveOfNothingSaysWhy(t *testing.T) {
	h := NewHAR("v1")
	refuseAll(h)
	var out bytes.Buffer
	if _, err := h.WriteTo(&out); err != nil {
		t.Fatal(err)
	}
	var read struct {
		Log struct {
			Entries []any
			Comment string
		}
	}
	if err := json.Unmarshal(out.Bytes(), &read); err != nil {
		t.Fatal(err)
	}
	want := "not run; pay.arazzo.yaml:7:5: there is no <operation>; pay.arazzo.yaml: the inputs do not fit; --server: there is no source"
	if read.Log.Comment != want || read.Log.Entries == nil || len(read.Log.Entries) != 0 {
		t.Errorf("the log is %+v, want the comment %s", read.Log, want)
	}
}
