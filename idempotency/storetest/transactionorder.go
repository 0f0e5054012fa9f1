package storetest

import (
	"testing"

	"pgregory.net/rapid"

	"github.com/weft-flow/weft/idempotency"
)

// anyTransactions draws transactions of a few verbs of tokens each, which are committed
// or rolled back, and holds each answer, and what is left after each, against what a
// store should hold.
func anyTransactions[T any](t *testing.T, s idempotency.Transactional[T], begin func() Transaction[T]) {
	base := 0
	rapid.Check(t, func(rt *rapid.T) {
		base++
		w := &tokenWalk{t: t, rt: rt, base: base, tokens: map[string]*holding{}}
		for range rapid.IntRange(1, 5).Draw(rt, "transactions") {
			tx := begin()
			w.s.Store = s.In(tx.Tx)
			w.transaction(tx.Commit, tx.Rollback)
			w.s.Store = s
			w.look(rt)
		}
	})
}

// transaction draws the verbs of one transaction and its end.
func (w *tokenWalk) transaction(commit, rollback func() error) {
	open, before := true, w.copied()
	defer func() {
		if open { // a verb has failed the test
			_ = rollback()
		}
	}()
	for range rapid.IntRange(1, 4).Draw(w.rt, "verbs") {
		verbs := []func(*rapid.T){w.claim, w.mark, w.end, w.free, w.look}
		verbs[rapid.IntRange(0, len(verbs)-1).Draw(w.rt, "verb")](w.rt)
	}
	end := commit
	if rapid.Bool().Draw(w.rt, "rollback") {
		end, w.tokens = rollback, before
	}
	open = false
	if err := end(); err != nil {
		w.rt.Fatalf("end the transaction: %v", err)
	}
}

// copied gives the tokens as they should be, apart from what comes after.
func (w *tokenWalk) copied() map[string]*holding {
	all := make(map[string]*holding, len(w.tokens))
	for name, h := range w.tokens {
		one := *h
		all[name] = &one
	}
	return all
}
