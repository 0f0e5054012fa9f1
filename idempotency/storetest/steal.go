package storetest

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"testing"

	"github.com/weft-flow/weft/idempotency"
)

// firstOwner is the process whose leases run out while it is at work.
const firstOwner = "first-owner"

// ownLate begins all records and is then slow: at the first word it completes one half
// of them, while others take them over, and at the second word the other half, which
// others have taken over and completed long ago.
func ownLate(open Opener, address, node string) error {
	ctx := context.Background()
	store, err := open(ctx, address)
	if err != nil {
		return err
	}
	for n := range things {
		if _, err := store.Begin(ctx, start(n, node, "work")); err != nil {
			return err
		}
	}
	in := bufio.NewReader(os.Stdin)
	for half := range 2 {
		if err := awaitWord(in); err != nil {
			return err
		}
		for n := half * things / 2; n < (half+1)*things/2; n++ {
			if err := tellCompletion(ctx, store, n, node); err != nil {
				return err
			}
		}
	}
	return nil
}

// steal takes over and completes each record that it can get.
func steal(open Opener, address, node string) error {
	ctx := context.Background()
	store, err := open(ctx, address)
	if err != nil {
		return err
	}
	if err := awaitWord(bufio.NewReader(os.Stdin)); err != nil {
		return err
	}
	for n := range things {
		took, err := fencedOr(store.TakeOver(ctx, idempotency.Takeover{Key: key(n), From: firstOwner, To: node, Lease: lease}))
		if err != nil {
			return err
		}
		if took {
			if err := tellCompletion(ctx, store, n, node); err != nil {
				return err
			}
		}
	}
	return nil
}

// tellCompletion completes a record with the name of its owner as the answer, and tells
// whether it was kept.
func tellCompletion(ctx context.Context, store idempotency.Store, n int, owner string) error {
	err := store.Complete(ctx, claimOf(n, owner), []byte(owner), retention)
	switch {
	case err == nil:
		fmt.Printf("kept %d\n", n)
	case errors.Is(err, idempotency.ErrFenced):
		fmt.Printf("fenced %d\n", n)
	default:
		return err
	}
	return nil
}

// stolenByProcesses lets the leases of a process run out while it is at work, and other
// processes take its records over at the same moment as it completes them.
func stolenByProcesses(t *testing.T, s idempotency.Store, address string, advance func(t testing.TB, address string)) {
	slow := startNode(t, "own", firstOwner, address)
	var thieves []*node
	for i := range 3 {
		thieves = append(thieves, startNode(t, "steal", fmt.Sprint("thief-", i), address))
	}
	advance(t, address) // the leases are over
	fmt.Fprintln(slow.in)
	for _, thief := range thieves {
		fmt.Fprintln(thief.in)
	}
	kept, fenced := map[string]string{}, map[string]int{}
	for _, thief := range thieves {
		heardOf(t, thief, kept, fenced)
	}
	fmt.Fprintln(slow.in)
	heardOf(t, slow, kept, fenced)
	for n := range things {
		name := fmt.Sprint(n)
		if n >= things/2 && (kept[name] == firstOwner || fenced[firstOwner+" "+name] != 1) {
			t.Errorf("record %d was completed by an owner that was replaced", n)
		}
		wantReplay(t, s, start(n, "reader", "work"), kept[name])
	}
	late := 0
	for _, who := range kept {
		if who == firstOwner {
			late++
		}
	}
	t.Logf("of %d records the slow owner completed %d in time, thieves took %d", things, late, len(kept)-late)
}

// heardOf notes what a process has told by its end.
func heardOf(t *testing.T, n *node, kept map[string]string, fenced map[string]int) {
	t.Helper()
	out, err := io.ReadAll(n.out)
	if err != nil {
		t.Fatal(err)
	}
	if err := n.cmd.Wait(); err != nil {
		t.Fatalf("the process %s: %v: %s", n.name, err, n.errs.String())
	}
	for line := range strings.Lines(string(out)) {
		word, record, _ := strings.Cut(strings.TrimSpace(line), " ")
		switch word {
		case "kept":
			if before, twice := kept[record]; twice {
				t.Errorf("record %s was completed by both %s and %s", record, before, n.name)
			}
			kept[record] = n.name
		case "fenced":
			fenced[n.name+" "+record]++
		}
	}
}
