package storetest

import (
	"testing"

	"github.com/weft-flow/weft/idempotency"
)

// Transaction is one that is open.
type Transaction[T any] struct {
	Tx               T
	Commit, Rollback func() error
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
