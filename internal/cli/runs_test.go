package cli_test

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/weft-flow/weft/arazzo/schema"
	"github.com/weft-flow/weft/arazzo/value"
	"github.com/weft-flow/weft/internal/cli"
)

// closedRunsSchema gives a part of docs/runs.schema.json with all its objects closed: a
// member that it does not describe is a fault.
func closedRunsSchema(t *testing.T, part string) *schema.Schema {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("..", "..", "docs", "runs.schema.json"))
	if err != nil {
		t.Fatal(err)
	}
	var root map[string]any
	if err := json.Unmarshal(text, &root); err != nil {
		t.Fatal(err)
	}
	var walk func(v any)
	walk = func(v any) {
		switch v := v.(type) {
		case map[string]any:
			if _, has := v["properties"].(map[string]any); has {
				v["unevaluatedProperties"] = false
			}
			for _, item := range v {
				walk(item)
			}
		case []any:
			for _, item := range v {
				walk(item)
			}
		}
	}
	walk(root)
	delete(root, "anyOf")
	defs := root["$defs"].(map[string]any)
	run := defs["run"].(map[string]any)
	if part == "detail" {
		delete(run, "unevaluatedProperties") // detail closes it
	}
	root["$ref"] = "#/$defs/" + part
	if text, err = json.Marshal(root); err != nil {
		t.Fatal(err)
	}
	s, err := schema.CompileBytes("runs.schema.json", text)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// runJSON runs a command and holds what it writes against the schema.
func runJSON(t *testing.T, part string, args ...string) value.Value {
	t.Helper()
	var out, errs bytes.Buffer
	if code := cli.Run(args, cli.Stdio{In: strings.NewReader(`{"ref":"o-1"}`), Out: &out, Err: &errs}); code != 0 {
		t.Fatalf("%q: exit code %d: %s", args, code, errs.String())
	}
	v, err := value.ParseJSON(out.Bytes())
	if err != nil {
		t.Fatalf("%q: %v in %s", args, err, out.String())
	}
	for _, fault := range closedRunsSchema(t, part).Validate(v) {
		t.Errorf("%q: %s: %s in\n%s", args, fault.Pointer, fault.Message, out.String())
	}
	return v
}

// TestRunsOfAnotherDatabase: a file of others is named, and stays as it is.
func TestRunsOfAnotherDatabase(t *testing.T) {
	file := filepath.Join(t.TempDir(), "other.db")
	writeFile(t, file, "")
	for _, args := range [][]string{{"list"}, {"show", runID}, {"unmatched"}, {"nodes"}, {"cancel", runID}} {
		refused(t, "other.db is no store of weft", append([]string{"runs", "--store", "sqlite:" + file}, args...)...)
	}
	if text := readFile(t, file); text != "" {
		t.Errorf("%d bytes were written", len(text))
	}
}

// TestRunsAsJSON holds what each command writes with --json against the schema, beside a
// weft serve that executes the runs.
func TestRunsAsJSON(t *testing.T) {
	s := newShop(t)
	store := "sqlite:" + filepath.Join(s.dir, "weft.db")
	p := s.serve(nil, "--store", store, "flows")
	p.do(202, "POST", "/webhooks/shop/paid", `{"ref":"nobody"}`, "webhook-id", "m1")
	p.do(202, "POST", "/webhooks/shop/paid", `{"ref":"nobody"}`, "webhook-id", "m1")
	unmatched := runJSON(t, "unmatched", "runs", "unmatched", "--json", "--store", store)
	if one := unmatched.Get("messages").At(0); one.Get("identity").Text() != "m1" || one.Get("same").Text() != "1" {
		t.Errorf("unmatched is %v", unmatched)
	}
	answer := p.do(201, "POST", "/v1/runs", `{"document":"shop.arazzo.yaml","token":"o-1","minRetention":"1h","inputs":{"ref":"o-1"}}`)
	run := answer["run"].(string)
	p.untilWaiting(run)
	page := runJSON(t, "page", "runs", "list", "--json", "--store", store)
	if page.Get("runs").Len() != 1 || page.Get("runs").At(0).Get("waiting").Get("inbox").Text() != "true" {
		t.Errorf("the list is %v", page)
	}
	nodes := runJSON(t, "nodes", "runs", "nodes", "--json", "--store", store).Get("nodes")
	if one := nodes.At(0); nodes.Len() != 1 || one.Get("state").Text() != "live" || one.Get("runs").Text() != "1" || one.Get("node").Text() != page.Get("runs").At(0).Get("node").Text() {
		t.Errorf("the nodes are %v", nodes)
	}
	// The run is named by its token.
	delivered := runJSON(t, "delivered", "deliver", "--json", "--store", store, "-w", "buy", "--step", "paid", "--id", "m2", "o-1", "-")
	if delivered.Get("run").Text() != run || delivered.Get("number").Text() != "1" {
		t.Errorf("delivered is %v", delivered)
	}
	p.untilEnded(run, "succeeded")
	detail := runJSON(t, "detail", "runs", "show", "--json", "--store", store, run)
	if detail.Get("steps").Len() != 1 || detail.Get("messages").At(0).Get("identity").Text() != "m2" || detail.Get("heldUntil").IsAbsent() {
		t.Errorf("the run is %v", detail)
	}
	runJSON(t, "done", "runs", "release", "--json", "--store", store, "-w", "buy", "o-1")
	second := p.start("o-2")
	p.untilWaiting(second)
	runJSON(t, "done", "runs", "cancel", "--json", "--store", store, second)
	p.untilEnded(second, "cancelled")
}
