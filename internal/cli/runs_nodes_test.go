package cli_test

import (
	"bytes"
	"path/filepath"
	"strings"
	"testing"

	"github.com/weft-flow/weft/internal/cli"
)

// TestRunsNodes: who looks after a store sees what executes its runs, and what did.
func TestRunsNodes(t *testing.T) {
	s := newShop(t)
	store := "sqlite:" + filepath.Join(s.dir, "weft.db")
	list := func(wants ...string) {
		t.Helper()
		var out, errs bytes.Buffer
		code := cli.Run([]string{"runs", "nodes", "--store", store}, cli.Stdio{In: strings.NewReader(""), Out: &out, Err: &errs})
		if code != 0 {
			t.Fatalf("exit code %d: %s", code, errs.String())
		}
		lines := strings.Split(strings.TrimSpace(out.String()), "\n")
		if len(lines) != len(wants) {
			t.Fatalf("%d lines, want %d:\n%s", len(lines), len(wants), out.String())
		}
		for i, want := range wants {
			if got := strings.Join(strings.Fields(lines[i]), " "); !strings.Contains(got, want) {
				t.Errorf("line %d is %q, want %q", i+1, got, want)
			}
		}
	}
	p := s.serve(nil, "--store", store, "flows")
	list("NODE STATE SEEN AGE RUNS ENGINE TAKEN BY", " live ")
	p.untilWaiting(p.start("o-1"))
	p.terminate()
	if err := p.cmd.Wait(); err != nil {
		t.Fatal(err)
	}
	list("NODE", " left - ")
	s.serve(nil, "--store", store, "flows")
	list("NODE", " live ", " gone ")
}
