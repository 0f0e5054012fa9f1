package report_test

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/weft-flow/weft/arazzo/schema"
	"github.com/weft-flow/weft/arazzo/value"
	"github.com/weft-flow/weft/executor"
	"github.com/weft-flow/weft/executor/report"
)

func anOutline() executor.Outline {
	called := &executor.OutlineWorkflow{ID: "inner", Document: "more.yaml", Steps: []executor.OutlineStep{
		{ID: "deep", Calls: "GET /a", Server: "http://127.0.0.1:1", Target: "/a?x=1", Unresolved: []string{"$steps.a.outputs.b"}},
	}}
	return executor.Outline{
		Origins: []string{"http://127.0.0.1:1"},
		Workflows: []executor.OutlineWorkflow{{ID: "w", Document: "flow.yaml", Steps: []executor.OutlineStep{
			{ID: "make", Calls: "POST /a", Server: "http://127.0.0.1:1", Target: "/a", Effectful: true, Contract: true, KeyHeader: "Idempotency-Key", Key: "whole-key", KeyDigest: "ab12…cd", KeyReason: "the API declares it"},
			{ID: "call", Calls: "workflow inner", Workflow: called},
			{ID: "bad", Calls: "GET /{id}", Server: "http://127.0.0.1:1", Target: "/{id}", Problem: "parameter \"id\" is required"},
		}}},
		Others:    []executor.OutlineWorkflow{{ID: "help", Document: "flow.yaml", Why: "if an action leads to it"}},
		Shortened: true,
	}
}

func TestAnOutlineForPeople(t *testing.T) {
	var out bytes.Buffer
	if err := report.WriteOutline(&out, "flow.yaml", anOutline(), false); err != nil {
		t.Fatal(err)
	}
	const want = `flow.yaml: nothing is sent
requests would go to http://127.0.0.1:1

w
   1  make             POST /a
      to http://127.0.0.1:1: effectful, safe to repeat under its key
      key ab12…cd in Idempotency-Key: the API declares it
   2  call             workflow inner
       1  deep             GET /a?x=1
          to http://127.0.0.1:1: safe to repeat
          known only in the run: $steps.a.outputs.b
   3  bad              GET /{id}
      to http://127.0.0.1:1: safe to repeat
      ! would fail: parameter "id" is required

help (if an action leads to it)

There are more calls than can be listed.
`
	if got := out.String(); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// TestAnOutlineForPrograms keeps to its published schema, and shows no key unasked.
func TestAnOutlineForPrograms(t *testing.T) {
	data, err := os.ReadFile(filepath.Join("..", "..", "docs", "dry-run.schema.json"))
	if err != nil {
		t.Fatal(err)
	}
	closed := strings.ReplaceAll(string(data), `"type": "object",`, `"type": "object", "additionalProperties": false,`)
	published, err := schema.CompileBytes("dry-run.schema.json", []byte(closed))
	if err != nil {
		t.Fatal(err)
	}
	for _, show := range []bool{false, true} {
		outlines := report.Outlines{ShowKeys: show}
		outlines.Add("flow.yaml", anOutline())
		outlines.Add("empty.yaml", executor.Outline{})
		var out bytes.Buffer
		if _, err := outlines.WriteTo(&out); err != nil {
			t.Fatal(err)
		}
		v, err := value.ParseJSON(out.Bytes())
		if err != nil {
			t.Fatal(err)
		}
		for _, fault := range published.Validate(v) {
			t.Errorf("%s: %s", fault.Pointer, fault.Message)
		}
		if strings.Contains(out.String(), "whole-key") != show {
			t.Errorf("with ShowKeys %v it says\n%s", show, out.String())
		}
		deep, err := value.ParsePointer("/documents/0/workflows/0/steps/1/workflow/steps/0/target")
		if err != nil {
			t.Fatal(err)
		}
		if got := deep.In(v).Text(); got != "/a?x=1" {
			t.Errorf("the nested step goes to %q", got)
		}
	}
}
