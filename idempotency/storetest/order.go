package storetest

import (
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/weft-flow/weft/idempotency"
)

// anyOrder draws verbs in any order, with crashes (nobody goes on), leases that run
// out, takeovers and clocks that jump, and holds each answer against what a store
// should hold, told in the simplest way.
func anyOrder(t *testing.T, s Subject) {
	base := 0 // each check has records of its own
	rapid.Check(t, func(rt *rapid.T) {
		base += 10
		w := &recordWalk{t: t, rt: rt, s: s, base: base, records: map[int]*told{}}
		rt.Repeat(map[string]func(*rapid.T){
			"begin":    w.begin,
			"complete": w.complete,
			"hold":     w.hold,
			"release":  w.release,
			"steal":    w.steal,
			"expire":   w.expire,
			"purge":    w.purge,
			"list":     w.list,
		})
	})
}

// recordWalk is one walk through the verbs of records.
type recordWalk struct {
	t       *testing.T
	rt      *rapid.T
	s       Subject
	base    int
	now     time.Duration
	records map[int]*told
}

// told is a record as it should be.
type told struct {
	owner, work, answer, resource string
	done                          bool
	due                           time.Duration
}

func (w *recordWalk) draw() (n int, owner string) {
	n = w.base + rapid.IntRange(0, 1).Draw(w.rt, "record")
	return n, fmt.Sprintf("%d-%s", w.base, rapid.SampledFrom([]string{"a", "b", "c"}).Draw(w.rt, "owner"))
}

func (w *recordWalk) check(what string, got error, allowed bool) {
	if allowed && got != nil || !allowed && !errors.Is(got, idempotency.ErrFenced) {
		w.rt.Fatalf("%s: %v, want allowed %v", what, got, allowed)
	}
}

// over tells that the time of a record is up: of its lease, or of its retention.
func (w *recordWalk) over(r *told) bool { return r.due <= w.now }

// begun changes the record as Begin should, and gives what Begin should.
func (w *recordWalk) begun(n int, owner, work string) (idempotency.BeginState, string) {
	r := w.records[n]
	switch {
	case r == nil || r.done && w.over(r):
		w.records[n] = &told{owner: owner, work: work, due: w.now + lease}
		return idempotency.Started, ""
	case r.work != work:
		return idempotency.Mismatch, ""
	case r.done:
		return idempotency.Replay, r.answer
	case r.owner == owner:
		return idempotency.Started, ""
	default:
		return idempotency.InProgress, ""
	}
}

func (w *recordWalk) begin(*rapid.T) {
	n, owner := w.draw()
	work := rapid.SampledFrom([]string{"work", "work", "other work"}).Draw(w.rt, "work")
	want, answer := w.begun(n, owner, work)
	got := begin(w.t, w.s.Store, start(n, owner, work))
	if got.State != want || string(got.Answer) != answer {
		w.rt.Fatalf("begin: %q %q, want %q %q", got.State, got.Answer, want, answer)
	}
	r := w.records[n]
	if want == idempotency.InProgress && (got.Record.Over != w.over(r) || got.Record.Resource != r.resource) {
		w.rt.Fatalf("in progress: %+v, want over %v", got.Record, w.over(r))
	}
}

func (w *recordWalk) complete(*rapid.T) {
	n, owner := w.draw()
	r := w.records[n]
	answer := fmt.Sprint("answer at ", w.now)
	allowed := r != nil && r.owner == owner
	w.check("complete", w.s.Store.Complete(w.t.Context(), claimOf(n, owner), []byte(answer), retention), allowed)
	if allowed && !r.done {
		r.done, r.answer, r.due = true, answer, w.now+retention
	}
}

func (w *recordWalk) hold(*rapid.T) {
	n, owner := w.draw()
	r := w.records[n]
	allowed := r != nil && r.owner == owner && !r.done
	w.check("hold", w.s.Store.Hold(w.t.Context(), claimOf(n, owner), lease, owner), allowed)
	if allowed {
		r.due, r.resource = w.now+lease, owner
	}
}

func (w *recordWalk) release(*rapid.T) {
	n, owner := w.draw()
	r := w.records[n]
	ours := r != nil && r.owner == owner && !r.done
	w.check("release", w.s.Store.Release(w.t.Context(), claimOf(n, owner)), r == nil || ours)
	if ours {
		delete(w.records, n)
	}
}

func (w *recordWalk) steal(*rapid.T) {
	n, from := w.draw()
	to := from + "'"
	if rapid.Bool().Draw(w.rt, "to a known owner") {
		_, to = w.draw()
	}
	if from == to {
		return
	}
	r := w.records[n]
	allowed := r != nil && !r.done && (r.owner == from && w.over(r) || r.owner == to)
	takeover := idempotency.Takeover{Key: key(n), From: from, To: to, Lease: lease}
	w.check("takeover", w.s.Store.TakeOver(w.t.Context(), takeover), allowed)
	if allowed {
		r.owner, r.due = to, w.now+lease
	}
}

// expire moves the time. The store's own clock goes on a little, too: the odd second
// keeps what is told from what is not by more than that.
func (w *recordWalk) expire(*rapid.T) {
	jumps := []time.Duration{lease / 2, lease, retention, -lease / 2, -retention}
	d := rapid.SampledFrom(jumps).Draw(w.rt, "time") + time.Second
	w.s.Advance(w.t, d)
	w.now += d
}

func (w *recordWalk) purge(*rapid.T) {
	if _, err := w.s.Store.Purge(w.t.Context(), 100); err != nil {
		w.rt.Fatal(err)
	}
	for n, r := range w.records {
		if r.done && w.over(r) {
			delete(w.records, n)
		}
	}
}

func (w *recordWalk) list(*rapid.T) {
	var want, got []string
	ours := map[idempotency.RecordKey]bool{}
	for n, r := range w.records {
		ours[key(n)] = true
		if !r.done && w.over(r) {
			want = append(want, key(n).Key+" "+r.owner)
		}
	}
	lapsed, err := w.s.Store.Lapsed(w.t.Context(), 1_000_000)
	if err != nil {
		w.rt.Fatal(err)
	}
	for _, r := range lapsed {
		if ours[r.Key] {
			got = append(got, r.Key.Key+" "+r.Owner)
		}
	}
	slices.Sort(got)
	slices.Sort(want)
	if !slices.Equal(got, want) {
		w.rt.Fatalf("lapsed are %v, want %v", got, want)
	}
}
