package storetest

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"testing"

	"github.com/weft-flow/weft/idempotency"
)

// stormers is how many processes start one thing, from goroutines that are as many as
// in the races of one process altogether.
const stormers = 4

// storm claims one token from many goroutines at once, each for a run of its own, and
// tells for each which run holds it.
func storm(open Opener, address, node string) error {
	ctx := context.Background()
	store, err := open(ctx, address)
	if err != nil {
		return err
	}
	if err := awaitWord(bufio.NewReader(os.Stdin)); err != nil {
		return err
	}
	var wg sync.WaitGroup
	faults := make(chan error, goroutines)
	for i := range goroutines / stormers {
		wg.Go(func() {
			run := fmt.Sprintf("%s-%d", node, i)
			_, err := store.Claim(ctx, tokenClaim("order-1", run, "inputs"))
			var held *idempotency.HeldError
			switch {
			case err == nil:
				fmt.Printf("won %s\n", run)
			case errors.As(err, &held) && held.Same && held.Holder.State == idempotency.Accepted:
				fmt.Printf("held %s\n", held.Holder.Run)
			default:
				faults <- err
			}
		})
	}
	wg.Wait()
	close(faults)
	return <-faults // nil where there is none
}

// stormedByProcesses starts one thing from many goroutines of several processes: one
// start wins, and all others are told of it.
func stormedByProcesses(t *testing.T, address string) {
	var nodes []*node
	for i := range stormers {
		nodes = append(nodes, startNode(t, "storm", fmt.Sprint("node-", i), address))
	}
	for _, n := range nodes {
		fmt.Fprintln(n.in)
	}
	told := map[string]map[string]int{"won": {}, "held": {}}
	for _, n := range nodes {
		out, err := io.ReadAll(n.out)
		if err != nil {
			t.Fatal(err)
		}
		if err := n.cmd.Wait(); err != nil {
			t.Fatalf("the process %s: %v: %s", n.name, err, n.errs.String())
		}
		for line := range strings.Lines(string(out)) {
			word, run, _ := strings.Cut(strings.TrimSpace(line), " ")
			if told[word] == nil {
				t.Fatalf("the process %s says %q", n.name, line)
			}
			told[word][run]++
		}
	}
	if len(told["won"]) != 1 {
		t.Fatalf("%v have won, want one run", told["won"])
	}
	for run := range told["won"] {
		if len(told["held"]) != 1 || told["held"][run] != goroutines-1 {
			t.Errorf("%s has won, and the others are told %v", run, told["held"])
		}
	}
}
