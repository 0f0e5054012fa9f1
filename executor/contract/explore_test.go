package contract_test

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/weft-flow/weft/arazzo/source"
	"github.com/weft-flow/weft/executor/contract"
	"github.com/weft-flow/weft/specs"
)

// load reads a document and what it builds on.
func load(t testing.TB, file string) *source.Set {
	t.Helper()
	loader := source.NewLoader(source.Options{Offline: true})
	doc, location, _, err := loader.LoadDocument(context.Background(), file)
	if err != nil {
		t.Fatal(err)
	}
	set, problems := loader.Load(context.Background(), doc, location)
	for _, p := range problems {
		t.Fatalf("%s: %s", file, p.Message)
	}
	return set
}

// orderFlow gives the bundled flow.
func orderFlow(t testing.TB) *source.Set {
	t.Helper()
	dir := t.TempDir()
	if err := os.CopyFS(dir, specs.OrderFlow); err != nil {
		t.Fatal(err)
	}
	return load(t, filepath.Join(dir, "orderflow", "order.arazzo.yaml"))
}

// TestBundledFlow holds that the bundled flow has no failure, and that every action of
// it is covered.
func TestBundledFlow(t *testing.T) {
	report, err := contract.Explore(context.Background(), orderFlow(t), contract.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if report.Failed() || report.Refused() || len(report.Workflows) != 1 {
		t.Errorf("the bundled flow fails: %+v", report)
	}
	w := report.Workflows[0]
	t.Logf("%d runs, %.0f a second; %+v", w.Runs, float64(w.Runs)/w.Elapsed.Seconds(), w.Coverage)
	for _, u := range w.Unreached {
		t.Logf("not reached: %s %s %s %s: %s", u.Kind, u.Step, u.Name, u.Outcome, u.Why)
	}
	for _, f := range w.Failures {
		t.Logf("%s %s: %s (%d runs)\n%v\n%s", f.Check, f.Step, f.Message, f.Runs, f.Conditions, f.Story)
	}
	if c := w.Coverage.Actions; c.Total == 0 || c.Covered != c.Total {
		t.Errorf("%d of %d actions are covered", c.Covered, c.Total)
	}
}
