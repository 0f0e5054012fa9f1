package cli_test

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"os/exec"
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
	refused(t, "--stop-timeout must be more than 0", "run", "--store", store, "--stop-timeout", "0s", "-i", "ref=r", flow)
	refused(t, "--stop-timeout is for the runs of a --store", "run", "--stop-timeout", "1s", "-i", "ref=r", flow)
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

// TestAStoreWithoutRoom starts runs in a store whose process may write no greater files:
// as on a full disk, the store is named with what to do, and the exit code is 2.
func TestAStoreWithoutRoom(t *testing.T) {
	s := newShop(t)
	store := "sqlite:" + filepath.Join(s.dir, "weft.db")
	cmd := exec.Command("sh", "-c", `ulimit -f 64; exec weft run --store "$0" -i ref=r flows/shop.arazzo.yaml`, store)
	cmd.Dir = s.dir
	out, err := cmd.CombinedOutput()
	var exit *exec.ExitError
	if !errors.As(err, &exit) || exit.ExitCode() != 2 || !strings.Contains(string(out), "--store") {
		t.Fatalf("%v: %s", err, out)
	}
}

func TestWrongNamesOfRunsAndTokens(t *testing.T) {
	s := newShop(t)
	store := "sqlite:" + filepath.Join(s.dir, "weft.db")
	p := s.serve(nil, "--store", store, "flows")
	run := p.start("o-1")
	for _, verb := range []string{"show", "cancel", "resume"} {
		refused(t, "if it is a token, 'weft runs list --token' names its run", "runs", verb, "--store", store, "o-1")
	}
	refused(t, `nothing holds the token "none" of the workflow "buy"`, "runs", "release", "--store", store, "-w", "buy", "none")
	refused(t, `counted from 1`, "runs", "settle", "--store", store, "--step", "nowhere", "--outcome", "failed", "--attempt", "-1", run)
	refused(t, `no step of this name has made a request`, "runs", "settle", "--store", store, "--step", "nowhere", "--outcome", "failed", run)
	refused(t, "expected the next that a page gave", "runs", "list", "--store", store, "--after", "x")
	refused(t, "weft: read nodir", "serve", "nodir")
	// A port that is taken is told before a store is made.
	other := filepath.Join(s.dir, "other.db")
	refused(t, "--listen", "serve", "--store", "sqlite:"+other, "--listen", strings.TrimPrefix(p.base, "http://"), filepath.Join(s.dir, "flows"))
	if _, err := os.Stat(other); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a store was made: %v", err)
	}
}
