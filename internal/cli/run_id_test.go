package cli_test

import (
	"bytes"
	"path/filepath"
	"strings"
	"testing"

	"github.com/weft-flow/weft/internal/cli"
)

// refused runs a command that must be wrong usage, and say why.
func refused(t *testing.T, says string, args ...string) {
	t.Helper()
	var out, errs bytes.Buffer
	code := cli.Run(args, cli.Stdio{In: strings.NewReader(""), Out: &out, Err: &errs})
	if code != 2 || !strings.Contains(errs.String(), says) {
		t.Errorf("%q: exit code %d, want 2 and %q: %s", args, code, says, errs.String())
	}
}

func TestEmptyAndSenselessFlagsOfStores(t *testing.T) {
	s := newShop(t)
	store, flow := "sqlite:"+filepath.Join(s.dir, "weft.db"), filepath.Join(s.dir, "flows", "shop.arazzo.yaml")
	refused(t, "--token is empty", "run", "--store", store, "--token", "", "-i", "ref=r", flow)
	refused(t, "--min-retention is that of a --token", "run", "--store", store, "--min-retention", "1h", "-i", "ref=r", flow)
	refused(t, "expected a UUID", "run", "--store", store, "--run", "mine", "-i", "ref=r", flow)
	refused(t, "--run needs a --store", "run", "--run", runID, "-i", "ref=r", flow)
	refused(t, `did you mean "ref"?`, "run", "--store", store, "-i", "ref=r", "-i", "reff=r", flow)
	refused(t, "--limit -1: expected at least 1", "runs", "list", "--store", store, "--limit", "-1")
	refused(t, "--token is empty", "runs", "list", "--store", store, "--token", "")
	if found, _ := filepath.Glob(filepath.Join(s.dir, "weft.db*")); len(found) != 0 {
		t.Errorf("wrong usage has made %v", found)
	}
}

const runID = "0b4c8f3e-3f6a-4d0e-9f55-2f4d1f6f7a10"

// TestRunWithItsOwnID starts a run twice under one id: the second start finds the first.
func TestRunWithItsOwnID(t *testing.T) {
	s := newShop(t)
	store := "sqlite:" + filepath.Join(s.dir, "weft.db")
	p := s.serve(nil, "--store", store, "flows")
	p.do(202, "POST", "/webhooks/shop/paid", `{"ref":"own"}`)
	for range 2 {
		var out, errs bytes.Buffer
		args := []string{"run", "--store", store, "--run", runID, "-i", "ref=own", filepath.Join(s.dir, "flows", "shop.arazzo.yaml")}
		if code := cli.Run(args, cli.Stdio{In: strings.NewReader(""), Out: &out, Err: &errs}); code != 0 || !strings.Contains(errs.String(), "run "+runID) {
			t.Fatalf("exit code %d: %s", code, errs.String())
		}
	}
	if page := runJSON(t, "page", "runs", "list", "--json", "--store", store); page.Get("runs").Len() != 1 {
		t.Errorf("the runs are %v", page)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.orders["own"] != 1 {
		t.Errorf("%d orders", s.orders["own"])
	}
}
