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

// world is what a store should hold, told in the simplest way: whatever a store
// answers is held against it.
type world struct {
	now     time.Duration
	records map[int]*told
	tokens  map[string]*holding
}

type told struct {
	owner, work, answer, resource string
	done                          bool
	due                           time.Duration
}

type holding struct {
	run, inputs, result string
	state               idempotency.RunState
	until               time.Duration
	retained            bool
}

func (w *world) begin(n int, owner, work string) (idempotency.BeginState, string) {
	r := w.records[n]
	switch {
	case r == nil || r.done && r.due <= w.now:
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

// anyOrder draws verbs in any order, with crashes (nobody goes on), leases that run
// out, takeovers and clocks that jump, and holds each answer against the world.
func anyOrder(t *testing.T, s Subject) {
	base := 0 // each run has records of its own
	rapid.Check(t, func(rt *rapid.T) {
		base += 10
		w := &world{records: map[int]*told{}}
		draw := func() (n int, owner string) {
			n = base + rapid.IntRange(0, 1).Draw(rt, "record")
			return n, fmt.Sprintf("%d-%s", base, rapid.SampledFrom([]string{"a", "b", "c"}).Draw(rt, "owner"))
		}
		check := func(what string, got error, allowed bool) {
			if allowed && got != nil || !allowed && !errors.Is(got, idempotency.ErrFenced) {
				rt.Fatalf("%s: %v, want allowed %v", what, got, allowed)
			}
		}
		rt.Repeat(map[string]func(*rapid.T){
			"begin": func(*rapid.T) {
				n, owner := draw()
				work := rapid.SampledFrom([]string{"work", "work", "other work"}).Draw(rt, "work")
				want, answer := w.begin(n, owner, work)
				got := begin(t, s.Store, start(n, owner, work))
				if got.State != want || string(got.Answer) != answer {
					rt.Fatalf("begin: %q %q, want %q %q", got.State, got.Answer, want, answer)
				}
				if r := w.records[n]; want == idempotency.InProgress && (got.Record.Over != (r.due <= w.now) || got.Record.Resource != r.resource) {
					rt.Fatalf("in progress: %+v, want over %v", got.Record, r.due <= w.now)
				}
			},
			"complete": func(*rapid.T) {
				n, owner := draw()
				r := w.records[n]
				answer := fmt.Sprint("answer at ", w.now)
				allowed := r != nil && r.owner == owner
				check("complete", s.Store.Complete(t.Context(), claimOf(n, owner), []byte(answer), retention), allowed)
				if allowed && !r.done {
					r.done, r.answer, r.due = true, answer, w.now+retention
				}
			},
			"hold": func(*rapid.T) {
				n, owner := draw()
				r := w.records[n]
				allowed := r != nil && r.owner == owner && !r.done
				check("hold", s.Store.Hold(t.Context(), claimOf(n, owner), lease, owner), allowed)
				if allowed {
					r.due, r.resource = w.now+lease, owner
				}
			},
			"release": func(*rapid.T) {
				n, owner := draw()
				r := w.records[n]
				check("release", s.Store.Release(t.Context(), claimOf(n, owner)), r == nil || r.owner == owner && !r.done)
				if r != nil && r.owner == owner && !r.done {
					delete(w.records, n)
				}
			},
			"steal": func(*rapid.T) {
				n, from := draw()
				to := from + "'"
				if rapid.Bool().Draw(rt, "to a known owner") {
					_, to = draw()
				}
				if from == to {
					return
				}
				r := w.records[n]
				allowed := r != nil && !r.done && (r.owner == from && r.due <= w.now || r.owner == to)
				check("takeover", s.Store.TakeOver(t.Context(), idempotency.Takeover{Key: key(n), From: from, To: to, Lease: lease}), allowed)
				if allowed {
					r.owner, r.due = to, w.now+lease
				}
			},
			"expire": func(*rapid.T) {
				d := rapid.SampledFrom([]time.Duration{lease / 2, lease, retention, -lease / 2, -retention}).Draw(rt, "time")
				s.Advance(t, d)
				w.now += d + time.Second // the store's own clock goes on a little, too
				s.Advance(t, time.Second)
			},
			"purge": func(*rapid.T) {
				if _, err := s.Store.Purge(t.Context(), 100); err != nil {
					rt.Fatal(err)
				}
				for n, r := range w.records {
					if r.done && r.due <= w.now {
						delete(w.records, n)
					}
				}
			},
			"list": func(*rapid.T) {
				var want []string
				for n, r := range w.records {
					if !r.done && r.due <= w.now {
						want = append(want, key(n).Key+" "+r.owner)
					}
				}
				lapsed, err := s.Store.Lapsed(t.Context(), 1_000_000)
				if err != nil {
					rt.Fatal(err)
				}
				var got []string
				for _, r := range lapsed {
					if _, ours := w.records[number(r.Key)]; ours {
						got = append(got, r.Key.Key+" "+r.Owner)
					}
				}
				slices.Sort(got)
				slices.Sort(want)
				if !slices.Equal(got, want) {
					rt.Fatalf("lapsed are %v, want %v", got, want)
				}
			},
		})
	})
}

func number(k idempotency.RecordKey) int {
	n := -1
	// A key of another test has no number, and stays -1.
	_, _ = fmt.Sscanf(k.Key, "key-%d", &n)
	return n
}

// anyTokenOrder does the same for tokens.
func anyTokenOrder(t *testing.T, s Subject) {
	base := 0
	rapid.Check(t, func(rt *rapid.T) {
		base++
		w := &world{tokens: map[string]*holding{}}
		runs := 0
		draw := func() (name, run string) {
			name = fmt.Sprintf("order-%d-%d", base, rapid.IntRange(0, 1).Draw(rt, "token"))
			return name, fmt.Sprintf("run-%d-%d", base, rapid.IntRange(0, runs).Draw(rt, "run"))
		}
		there := func(name string) *holding {
			h := w.tokens[name]
			if h == nil || h.state == idempotency.Ended && (!h.retained || h.until <= w.now) {
				return nil
			}
			return h
		}
		rt.Repeat(map[string]func(*rapid.T){
			"claim": func(*rapid.T) {
				name, _ := draw()
				runs++
				run := fmt.Sprintf("run-%d-%d", base, runs)
				c := tokenClaim(name, run, rapid.SampledFrom([]string{"inputs", "others"}).Draw(rt, "inputs"))
				inputs := c.Fingerprint
				c.Retention = rapid.SampledFrom([]time.Duration{0, retention}).Draw(rt, "retention")
				_, err := s.Store.Claim(t.Context(), c)
				h := there(name)
				if h == nil {
					if err != nil {
						rt.Fatalf("claim of what is free: %v", err)
					}
					w.tokens[name] = &holding{run: run, inputs: inputs.String(), state: idempotency.Accepted, until: w.now + c.Retention, retained: c.Retention > 0}
					return
				}
				var held *idempotency.HeldError
				if !errors.As(err, &held) || held.Holder.Run != h.run || held.Holder.State != h.state || held.Same != (h.inputs == inputs.String()) {
					rt.Fatalf("claim: %v, want that it is held by %+v", err, h)
				}
				if want := h.result; held.Same && string(held.Holder.Result) != want || !held.Same && held.Holder.Result != nil {
					rt.Fatalf("the result is %q, same inputs %v", held.Holder.Result, held.Same)
				}
			},
			"mark": func(*rapid.T) {
				name, run := draw()
				err := s.Store.Mark(t.Context(), token(name), run, idempotency.Running, "")
				h := there(name)
				allowed := h != nil && h.run == run && h.state != idempotency.Ended
				if allowed != (err == nil) {
					rt.Fatalf("mark: %v, want allowed %v", err, allowed)
				}
				if allowed {
					h.state = idempotency.Running
				}
			},
			"end": func(*rapid.T) {
				name, run := draw()
				if err := s.Store.End(t.Context(), token(name), run, []byte(run)); err != nil {
					rt.Fatal(err)
				}
				if h := there(name); h != nil && h.run == run && h.state != idempotency.Ended {
					h.state, h.result = idempotency.Ended, run
				}
			},
			"free": func(*rapid.T) {
				name, run := draw()
				err := s.Store.Free(t.Context(), token(name), run)
				h := there(name)
				if allowed := h != nil && h.run == run; allowed != (err == nil) {
					rt.Fatalf("free: %v, want allowed %v", err, allowed)
				} else if allowed {
					delete(w.tokens, name)
				}
			},
			"time": func(*rapid.T) {
				d := rapid.SampledFrom([]time.Duration{retention / 2, retention, -retention / 2}).Draw(rt, "time")
				s.Advance(t, d+time.Second)
				w.now += d + time.Second
			},
		})
	})
}
