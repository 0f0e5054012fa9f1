package storetest

import (
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/weft-flow/weft/idempotency"
)

// Transaction is one that is open.
type Transaction[T any] struct {
	Tx               T
	Commit, Rollback func() error
	// Write adds a row to a table that is the caller's own, and Rows counts its rows:
	// both within the transaction.
	Write func(row string) error
	Rows  func() (int, error)
}

// RunIn runs the cases of verbs that are part of an open transaction. begin opens one
// on the database of the store.
func RunIn[T any](t *testing.T, open func(t testing.TB) (s idempotency.Transactional[T], begin func() Transaction[T])) {
	cases := []struct {
		name string
		test func(t *testing.T, s idempotency.Transactional[T], begin func() Transaction[T])
	}{
		{"Statement29ARollbackUndoesTheVerbs", rolledBack[T]},
		{"Statement29ACommitDoesThem", committed[T]},
		{"Statement29AnOpenTransactionKeepsOthersWaiting", waiting[T]},
		{"Statement15TokenAndRunAreOneTransaction", acceptedTogether[T]},
		{"Statement15ARollbackLeavesNothingOfAnyVerb", nothingLeft[T]},
		{"Statement15ManyStartsWriteOneRun", oneRunWritten[T]},
		{"Statement29AnyOrderOfTransactions", anyTransactions[T]},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			s, begin := open(t)
			c.test(t, s, begin)
		})
	}
}

func rolledBack[T any](t *testing.T, s idempotency.Transactional[T], begin func() Transaction[T]) {
	tx := begin()
	wantBegun(t, s.In(tx.Tx), start(1, "a", "work"), idempotency.Started)
	wantBegun(t, s.In(tx.Tx), start(1, "b", "work"), idempotency.InProgress)
	wantError(t, "rollback", tx.Rollback(), nil)
	wantBegun(t, s, start(1, "b", "work"), idempotency.Started)

	tx = begin()
	wantError(t, "hold", s.In(tx.Tx).Hold(t.Context(), claimOf(1, "b"), lease, "never made"), nil)
	wantError(t, "rollback", tx.Rollback(), nil)
	if begun := wantBegun(t, s, start(1, "c", "work"), idempotency.InProgress); begun.Record.Resource != "" {
		t.Errorf("the record has the resource %q", begun.Record.Resource)
	}

	tx = begin()
	complete(t, s.In(tx.Tx), 1, "b", "never")
	wantReplay(t, s.In(tx.Tx), start(1, "c", "work"), "never")
	wantError(t, "rollback", tx.Rollback(), nil)
	wantBegun(t, s, start(1, "c", "work"), idempotency.InProgress)
}

func committed[T any](t *testing.T, s idempotency.Transactional[T], begin func() Transaction[T]) {
	tx := begin()
	wantBegun(t, s.In(tx.Tx), start(1, "a", "work"), idempotency.Started)
	wantError(t, "hold", s.In(tx.Tx).Hold(t.Context(), claimOf(1, "a"), lease, "order 1"), nil)
	wantError(t, "a verb of another", s.In(tx.Tx).Hold(t.Context(), claimOf(1, "b"), lease, ""), idempotency.ErrFenced)
	complete(t, s.In(tx.Tx), 1, "a", "done") // a refusal leaves the transaction usable
	wantError(t, "commit", tx.Commit(), nil)
	wantReplay(t, s, start(1, "b", "work"), "done")
}

// waiting holds that a record in an open transaction is nobody else's: whoever
// begins it too waits, and learns what became of it.
func waiting[T any](t *testing.T, s idempotency.Transactional[T], begin func() Transaction[T]) {
	for _, commits := range []bool{true, false} {
		n := 1
		if commits {
			n = 2
		}
		tx := begin()
		wantBegun(t, s.In(tx.Tx), start(n, "a", "work"), idempotency.Started)
		answer := make(chan idempotency.BeginState)
		go func() {
			begun, err := s.Begin(t.Context(), start(n, "b", "work"))
			if err != nil {
				t.Errorf("begin: %v", err)
			}
			answer <- begun.State
		}()
		select {
		case state := <-answer:
			t.Fatalf("before the end of the transaction the other gets %q", state)
		default:
		}
		end, want := tx.Rollback, idempotency.Started
		if commits {
			end, want = tx.Commit, idempotency.InProgress
		}
		wantError(t, "the end of the transaction", end(), nil)
		if got := <-answer; got != want {
			t.Errorf("committed %v: the other gets %q, want %q", commits, got, want)
		}
	}
}

func acceptedTogether[T any](t *testing.T, s idempotency.Transactional[T], begin func() Transaction[T]) {
	tx := begin()
	claim(t, s.In(tx.Tx), tokenClaim("order-1", "run-1", "inputs"))
	wantError(t, "rollback", tx.Rollback(), nil)
	tx = begin()
	claim(t, s.In(tx.Tx), tokenClaim("order-1", "run-2", "inputs"))
	wantHeld(t, s.In(tx.Tx), tokenClaim("order-1", "run-3", "inputs"), "run-2", idempotency.Accepted)
	wantError(t, "commit", tx.Commit(), nil)
	wantHeld(t, s, tokenClaim("order-1", "run-3", "inputs"), "run-2", idempotency.Accepted)

	tx = begin()
	wantError(t, "end", s.In(tx.Tx).End(t.Context(), token("order-1"), "run-2", []byte("result")), nil)
	wantError(t, "rollback", tx.Rollback(), nil)
	wantHeld(t, s, tokenClaim("order-1", "run-3", "inputs"), "run-2", idempotency.Accepted)
}

// rows counts the rows that the caller's own table has, in a transaction of its own.
func rows[T any](t *testing.T, begin func() Transaction[T]) int {
	t.Helper()
	tx := begin()
	n, err := tx.Rows()
	wantError(t, "count the rows", err, nil)
	wantError(t, "rollback", tx.Rollback(), nil)
	return n
}

// nothingLeft has each verb of tokens done in a transaction that also writes a row of
// the caller's, and is rolled back: then neither is there.
func nothingLeft[T any](t *testing.T, s idempotency.Transactional[T], begin func() Transaction[T]) {
	ctx := t.Context()
	undone := func(what string, verbs func(in idempotency.Store)) {
		t.Helper()
		tx := begin()
		wantError(t, "write", tx.Write(what), nil)
		verbs(s.In(tx.Tx))
		if n, err := tx.Rows(); n != 1 || err != nil {
			t.Fatalf("%s: the transaction sees %d rows of its own (%v), want 1", what, n, err)
		}
		wantError(t, "rollback", tx.Rollback(), nil)
		if n := rows(t, begin); n != 0 {
			t.Errorf("%s: after the rollback there are %d rows of the caller", what, n)
		}
	}
	kept := tokenClaim("order-1", "run-1", "inputs")
	kept.Retention = retention
	undone("claim", func(in idempotency.Store) {
		claim(t, in, kept)
		wantHolder(t, in, "run-1", idempotency.Accepted)
	})
	wantHolder(t, s, "", "")
	claim(t, s, kept)
	undone("mark", func(in idempotency.Store) {
		wantError(t, "mark", in.Mark(ctx, token("order-1"), "run-1", idempotency.Running, "never"), nil)
		wantHolder(t, in, "run-1", idempotency.Running)
	})
	undone("end", func(in idempotency.Store) {
		end(t, in, "order-1", "run-1", "never")
		wantHeld(t, in, tokenClaim("order-1", "run-2", "others"), "run-1", idempotency.Ended)
	})
	undone("free, and a claim by another", func(in idempotency.Store) {
		wantError(t, "free", in.Free(ctx, token("order-1"), "run-1"), nil)
		claim(t, in, tokenClaim("order-1", "run-2", "others"))
	})
	undone("refusals", func(in idempotency.Store) {
		wantHeld(t, in, tokenClaim("order-1", "run-2", "others"), "run-1", idempotency.Accepted)
		wantError(t, "free by another", in.Free(ctx, token("order-1"), "run-2"), idempotency.ErrNotHeld)
		wantError(t, "mark by another", in.Mark(ctx, token("order-1"), "run-2", idempotency.Running, ""), idempotency.ErrNotHeld)
		end(t, in, "order-1", "run-2", "of another")
	})
	seen := wantHolder(t, s, "run-1", idempotency.Accepted)
	if seen.Phase != "claimed" || seen.Retention() != retention {
		t.Errorf("of what was rolled back something is left: %+v", seen)
	}
	end(t, s, "order-1", "run-1", "result")
	if again := claim(t, s, kept); string(again.Result) != "result" {
		t.Errorf("the result is %q", again.Result)
	}
}

// oneRunWritten starts one thing from many goroutines, each in a transaction that
// claims the token and writes the run: one run is there at the end, that of the holder.
func oneRunWritten[T any](t *testing.T, s idempotency.Transactional[T], begin func() Transaction[T]) {
	const starts = 16
	var accepted atomic.Int64
	var wg sync.WaitGroup
	for i := range starts {
		wg.Go(func() {
			run := fmt.Sprint("run-", i)
			tx := begin()
			if err := tx.Write(run); err != nil {
				t.Errorf("write %s: %v", run, err)
			}
			end := tx.Rollback
			_, err := s.In(tx.Tx).Claim(t.Context(), tokenClaim("order-1", run, "inputs"))
			switch {
			case err == nil:
				accepted.Add(1)
				end = tx.Commit
			case !errors.Is(err, idempotency.ErrTokenHeld):
				t.Errorf("claim by %s: %v", run, err)
			}
			if err := end(); err != nil {
				t.Errorf("end the transaction of %s: %v", run, err)
			}
		})
	}
	wg.Wait()
	if n := rows(t, begin); n != 1 || accepted.Load() != 1 {
		t.Errorf("%d starts were accepted and %d runs written, want 1", accepted.Load(), n)
	}
}
