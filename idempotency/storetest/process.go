package storetest

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/weft-flow/weft/idempotency"
)

// Opener opens the store at an address, for a process that is started by a test.
type Opener func(ctx context.Context, address string) (idempotency.Store, error)

// The variables of the environment that tell a test's binary to be a node.
const (
	envJob     = "WEFT_STORETEST_JOB"
	envAddress = "WEFT_STORETEST_ADDRESS"
	envNode    = "WEFT_STORETEST_NODE"
)

// Main stands for TestMain in packages that call RunProcesses: in a process that a
// test has started it does that process's part and ends it; otherwise it returns.
func Main(open Opener) {
	job, ok := jobs[os.Getenv(envJob)]
	if !ok {
		return
	}
	err := job(open, os.Getenv(envAddress), os.Getenv(envNode))
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(0)
}

// jobs are what a process can be told to do. Each says "ready" and waits for a line.
var jobs = map[string]func(open Opener, address, node string) error{
	"share":   share,
	"abandon": abandon,
	"own":     ownLate,
	"steal":   steal,
	"storm":   storm,
}

// things is how many records, and tokens, the processes fight for.
const things = 40

// share opens the store, which the others do at the same time, and at a further word
// does each record and claims each token that it can get. It tells of each what became of it.
func share(open Opener, address, node string) error {
	ctx := context.Background()
	in := bufio.NewReader(os.Stdin)
	if err := awaitWord(in); err != nil {
		return err
	}
	store, err := open(ctx, address)
	if err != nil {
		return err
	}
	if err := awaitWord(in); err != nil {
		return err
	}
	for n := range things {
		begun, err := store.Begin(ctx, start(n, node, "work"))
		if err != nil {
			return err
		}
		if begun.State == idempotency.Started {
			fmt.Printf("did %d %s\n", n, node)
			if err := store.Complete(ctx, claimOf(n, node), []byte(node), retention); err != nil {
				return err
			}
		}
		_, err = store.Claim(ctx, tokenClaim(fmt.Sprint("order-", n), fmt.Sprintf("run-%s-%d", node, n), "inputs"))
		var held *idempotency.HeldError
		switch {
		case err == nil:
			fmt.Printf("claimed %d %s\n", n, node)
		case !errors.As(err, &held):
			return err
		}
	}
	return nil
}

// abandon begins one record and waits to be killed.
func abandon(open Opener, address, node string) error {
	store, err := open(context.Background(), address)
	if err != nil {
		return err
	}
	if _, err := store.Begin(context.Background(), start(0, node, "work")); err != nil {
		return err
	}
	return awaitWord(bufio.NewReader(os.Stdin))
}

func awaitWord(in *bufio.Reader) error {
	fmt.Println("ready")
	_, err := in.ReadString('\n')
	return err
}

// node is a process that a test has started.
type node struct {
	name string
	cmd  *exec.Cmd
	in   io.WriteCloser
	out  *bufio.Reader
	errs strings.Builder
}

func startNode(t *testing.T, job, name, address string) *node {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	n := &node{name: name, cmd: exec.CommandContext(t.Context(), self)}
	n.cmd.Env = append(os.Environ(), envJob+"="+job, envAddress+"="+address, envNode+"="+name)
	n.cmd.Stderr = &n.errs
	if n.in, err = n.cmd.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	out, err := n.cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	n.out = bufio.NewReader(out)
	if err := n.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	n.ready(t)
	return n
}

// ready waits until the process says so.
func (n *node) ready(t *testing.T) {
	t.Helper()
	if line, err := n.out.ReadString('\n'); line != "ready\n" {
		t.Fatalf("the process %s says %q (%v): %s", n.name, line, err, n.errs.String())
	}
}

// RunProcesses runs the cases of several processes on one store. address gives a
// store that nobody has opened yet, and how to move its time. TestMain calls Main.
func RunProcesses(t *testing.T, open Opener, address func(t testing.TB) string, advance func(t testing.TB, address string)) {
	t.Run("Statement29ProcessesShareAStore", func(t *testing.T) { sharedByProcesses(t, address(t)) })
	t.Run("Statement15OneOfManyStartsFromProcessesClaims", func(t *testing.T) { stormedByProcesses(t, address(t)) })
	t.Run("Statement28ProcessesFightForClaimsWhoseLeaseIsOver", func(t *testing.T) {
		at := address(t)
		s, err := open(t.Context(), at)
		if err != nil {
			t.Fatal(err)
		}
		stolenByProcesses(t, s, at, advance)
	})
	t.Run("Statement28AProcessThatIsKilledLeavesAClaim", func(t *testing.T) {
		at := address(t)
		killed := startNode(t, "abandon", "killed", at)
		if err := killed.cmd.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		if err := killed.cmd.Wait(); err == nil {
			t.Fatal("the process was not killed")
		}
		s, err := open(t.Context(), at)
		if err != nil {
			t.Fatal(err)
		}
		if begun := wantBegun(t, s, start(0, "b", "work"), idempotency.InProgress); begun.Record.Over {
			t.Error("the lease is over at once")
		}
		advance(t, at)
		if begun := wantBegun(t, s, start(0, "b", "work"), idempotency.InProgress); !begun.Record.Over {
			t.Error("the lease is not over after its time")
		}
		wantError(t, "takeover", s.TakeOver(t.Context(), idempotency.Takeover{Key: key(0), From: "killed", To: "b", Lease: lease}), nil)
		complete(t, s, 0, "b", "settled")
		wantReplay(t, s, start(0, "c", "work"), "settled")
	})
}

// sharedByProcesses lets several processes open a new store at once, which makes its
// tables, and fight for the same records and tokens.
func sharedByProcesses(t *testing.T, address string) {
	var nodes []*node
	for i := range 4 {
		nodes = append(nodes, startNode(t, "share", fmt.Sprint("node-", i), address))
	}
	for _, n := range nodes {
		fmt.Fprintln(n.in)
	}
	for _, n := range nodes {
		n.ready(t)
	}
	for _, n := range nodes {
		fmt.Fprintln(n.in)
	}
	winners := map[string]string{}
	for _, n := range nodes {
		out, err := io.ReadAll(n.out)
		if err != nil {
			t.Fatal(err)
		}
		if err := n.cmd.Wait(); err != nil {
			t.Fatalf("the process %s: %v: %s", n.name, err, n.errs.String())
		}
		for line := range strings.Lines(string(out)) {
			what, who := line[:strings.LastIndex(line, " ")], n.name
			if before, twice := winners[what]; twice {
				t.Errorf("%s: both %s and %s", what, before, who)
			}
			winners[what] = who
		}
	}
	if len(winners) != 2*things {
		t.Errorf("%d records and tokens were won, want %d", len(winners), 2*things)
	}
	perNode := map[string]int{}
	for _, who := range winners {
		perNode[who]++
	}
	t.Logf("won: %v", perNode)
}
