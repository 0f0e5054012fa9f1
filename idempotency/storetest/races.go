package storetest

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/weft-flow/weft/idempotency"
)

var raceCases = []testCase{
	{"Statement26OneOfManyBegins", beginRace},
	{"Statement28OneOfManyTakesOver", takeoverRace},
	{"Statement28OwnerAndSuccessorRace", fencingRace},
	{"Statement29OneOfManyReplacesWhatIsForgotten", replaceRace},
	{"Statement15OneOfManyClaims", claimRace},
	{"Statement17OneOfManyClaimsWhatIsFree", reclaimRace},
	{"Statement29ManyVerbsAtOnce", mixedRace},
}

const (
	goroutines = 64 // that race for one thing
	rounds     = 5
)

// race calls do at once from many goroutines, spread over the connections, and gives
// how many of them won.
func race(t *testing.T, s Subject, do func(store idempotency.Store, i int) (won bool, err error)) int {
	t.Helper()
	nodes := s.nodes(t, 4)
	var (
		wins atomic.Int64
		wg   sync.WaitGroup
		gate = make(chan struct{})
	)
	for i := range goroutines {
		wg.Go(func() {
			<-gate
			won, err := do(nodes[i%len(nodes)], i)
			if err != nil {
				t.Errorf("contender %d: %v", i, err)
			}
			if won {
				wins.Add(1)
			}
		})
	}
	close(gate)
	wg.Wait()
	return int(wins.Load())
}

func wantOne(t *testing.T, wins int) {
	t.Helper()
	if wins != 1 {
		t.Errorf("%d won, want 1", wins)
	}
}

func owner(i int) string { return fmt.Sprint("owner-", i) }

// beginner begins the record n and fails on any state but Started and InProgress.
func beginner(t *testing.T, n int) func(idempotency.Store, int) (bool, error) {
	return func(store idempotency.Store, i int) (bool, error) {
		begun, err := store.Begin(t.Context(), start(n, owner(i), "work"))
		if err == nil && begun.State != idempotency.Started && begun.State != idempotency.InProgress {
			err = fmt.Errorf("begin gives %q", begun.State)
		}
		return begun.State == idempotency.Started, err
	}
}

func beginRace(t *testing.T, s Subject) {
	for n := range rounds {
		wantOne(t, race(t, s, beginner(t, n)))
	}
}

func replaceRace(t *testing.T, s Subject) {
	for n := range rounds {
		wantBegun(t, s.Store, start(n, "before", "other work"), idempotency.Started)
		complete(t, s.Store, n, "before", "done")
		s.Advance(t, retention)
		wantOne(t, race(t, s, beginner(t, n)))
	}
}

// fencedOr gives whether a verb was done; that the claim is another's is no error.
func fencedOr(err error) (bool, error) {
	if errors.Is(err, idempotency.ErrFenced) {
		return false, nil
	}
	return err == nil, err
}

func takeoverRace(t *testing.T, s Subject) {
	for n := range rounds {
		wantBegun(t, s.Store, start(n, "before", "work"), idempotency.Started)
		s.Advance(t, lease)
		wantOne(t, race(t, s, func(store idempotency.Store, i int) (bool, error) {
			return fencedOr(store.TakeOver(t.Context(), idempotency.Takeover{Key: key(n), From: "before", To: owner(i), Lease: lease}))
		}))
	}
}

// fencingRace lets the late owner complete while others take over and complete: one
// answer is kept, and it is that of who was told so.
func fencingRace(t *testing.T, s Subject) {
	for n := range rounds {
		wantBegun(t, s.Store, start(n, owner(0), "work"), idempotency.Started)
		s.Advance(t, lease)
		var kept atomic.Value
		wantOne(t, race(t, s, func(store idempotency.Store, i int) (bool, error) {
			if i > 0 {
				took, err := fencedOr(store.TakeOver(t.Context(), idempotency.Takeover{Key: key(n), From: owner(0), To: owner(i), Lease: lease}))
				if !took || err != nil {
					return false, err
				}
			}
			done, err := fencedOr(store.Complete(t.Context(), claimOf(n, owner(i)), []byte(owner(i)), retention))
			if done {
				kept.Store(owner(i))
			}
			return done, err
		}))
		wantReplay(t, s.Store, start(n, "reader", "work"), fmt.Sprint(kept.Load()))
	}
}

// claimer claims one token for a run of its own; runs has who won.
func claimer(t *testing.T, name string, winner *atomic.Value, held *sync.Map) func(idempotency.Store, int) (bool, error) {
	return func(store idempotency.Store, i int) (bool, error) {
		run := fmt.Sprintf("%s-run-%d", name, i)
		_, err := store.Claim(t.Context(), tokenClaim(name, run, "inputs"))
		var by *idempotency.HeldError
		if errors.As(err, &by) {
			held.Store(by.Holder.Run, true)
			if !by.Same || by.Holder.State != idempotency.Accepted {
				return false, err
			}
			return false, nil
		}
		if err == nil {
			winner.Store(run)
		}
		return err == nil, err
	}
}

func wantWinner(t *testing.T, winner *atomic.Value, held *sync.Map) {
	t.Helper()
	held.Range(func(run, _ any) bool {
		if run != winner.Load() {
			t.Errorf("somebody was told that %v holds the token, but %v does", run, winner.Load())
		}
		return true
	})
}

func claimRace(t *testing.T, s Subject) {
	for n := range rounds {
		var winner atomic.Value
		var held sync.Map
		wantOne(t, race(t, s, claimer(t, fmt.Sprint("order-", n), &winner, &held)))
		wantWinner(t, &winner, &held)
	}
}

func reclaimRace(t *testing.T, s Subject) {
	c := tokenClaim("order-1", "before", "inputs")
	c.Retention = retention
	claim(t, s.Store, c)
	end(t, s.Store, "order-1", "before", "")
	s.Advance(t, retention)
	var winner atomic.Value
	var held sync.Map
	wantOne(t, race(t, s, claimer(t, "order-1", &winner, &held)))
	wantWinner(t, &winner, &held)
}

// mixedRace has many workers begin, complete, release, abandon and take over a few
// records in any order. Whatever happens, each record has one owner at a time, and
// one answer, which never changes.
func mixedRace(t *testing.T, s Subject) {
	m := &melee{t: t}
	race(t, s, func(store idempotency.Store, i int) (bool, error) { return true, m.work(store, i) })
	for n := range m.answers {
		completed := 0
		m.answers[n].Range(func(who, _ any) bool {
			completed++
			wantReplay(t, s.Store, start(n, "reader", "work"), fmt.Sprint(who))
			return true
		})
		if completed > 1 {
			t.Errorf("record %d was completed %d times", n, completed)
		}
	}
}

// melee is what the workers of a mixedRace fight for.
type melee struct {
	t       *testing.T
	inside  [4]atomic.Int64
	answers [4]sync.Map // of those who were told that theirs is kept
}

func (m *melee) work(store idempotency.Store, worker int) error {
	const steps = 20
	dice := rand.New(rand.NewPCG(1, uint64(worker)))
	for step := range steps {
		n, who := dice.IntN(len(m.inside)), fmt.Sprintf("owner-%d-%d", worker, step)
		owner, err := m.enter(store, n, who)
		if err != nil {
			return err
		}
		if !owner {
			continue
		}
		if m.inside[n].Add(1) > 1 {
			m.t.Errorf("record %d has two owners", n)
		}
		runtime.Gosched()
		m.inside[n].Add(-1) // before the next verb: after it another may be the owner
		if err := m.leave(store, n, who, dice.IntN(4)); err != nil {
			return fmt.Errorf("the owner is told: %w", err)
		}
	}
	return nil
}

// enter makes who the owner of a record that is free or was abandoned.
func (m *melee) enter(store idempotency.Store, n int, who string) (owner bool, err error) {
	begun, err := store.Begin(m.t.Context(), start(n, who, "work"))
	if err != nil || begun.State != idempotency.InProgress || !begun.Record.Over {
		return begun.State == idempotency.Started, err
	}
	return fencedOr(store.TakeOver(m.t.Context(), idempotency.Takeover{
		Key: key(n), From: begun.Record.Owner, To: who, Lease: lease,
	}))
}

// leave abandons, releases or completes a record.
func (m *melee) leave(store idempotency.Store, n int, who string, how int) error {
	switch how {
	case 0, 1:
		return store.Hold(m.t.Context(), claimOf(n, who), 0, "") // as if it had died
	case 2:
		return store.Release(m.t.Context(), claimOf(n, who))
	}
	err := store.Complete(m.t.Context(), claimOf(n, who), []byte(who), retention)
	if err == nil {
		m.answers[n].Store(who, true)
	}
	return err
}
