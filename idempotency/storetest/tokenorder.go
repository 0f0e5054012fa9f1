package storetest

import (
	"errors"
	"fmt"
	"reflect"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/weft-flow/weft/idempotency"
)

// anyTokenOrder does for tokens what anyOrder does for records.
func anyTokenOrder(t *testing.T, s Subject) {
	base := 0
	rapid.Check(t, func(rt *rapid.T) {
		base++
		w := &tokenWalk{t: t, rt: rt, s: s, base: base, tokens: map[string]*holding{}}
		rt.Repeat(map[string]func(*rapid.T){
			"claim": w.claim,
			"mark":  w.mark,
			"end":   w.end,
			"free":  w.free,
			"look":  w.look,
			"time":  w.time,
		})
	})
}

// tokenWalk is one walk through the verbs of tokens.
type tokenWalk struct {
	t      *testing.T
	rt     *rapid.T
	s      Subject
	base   int
	runs   int // that have claimed something
	now    time.Duration
	tokens map[string]*holding
}

// holding is a run's hold on a token as it should be.
type holding struct {
	run, result string
	inputs      idempotency.Fingerprint
	state       idempotency.RunState
	until       time.Duration
	retained    bool
}

func (w *tokenWalk) run(n int) string { return fmt.Sprintf("run-%d-%d", w.base, n) }

func (w *tokenWalk) draw() (name, run string) {
	name = fmt.Sprintf("order-%d-%d", w.base, rapid.IntRange(0, 1).Draw(w.rt, "token"))
	return name, w.run(rapid.IntRange(0, w.runs).Draw(w.rt, "run"))
}

// there gives who should hold a token; nil: it is free.
func (w *tokenWalk) there(name string) *holding {
	h := w.tokens[name]
	if h == nil || h.state == idempotency.Ended && (!h.retained || h.until <= w.now) {
		return nil
	}
	return h
}

func (w *tokenWalk) claim(*rapid.T) {
	name, _ := w.draw()
	w.runs++
	c := tokenClaim(name, w.run(w.runs), rapid.SampledFrom([]string{"inputs", "others"}).Draw(w.rt, "inputs"))
	c.Retention = rapid.SampledFrom([]time.Duration{0, retention}).Draw(w.rt, "retention")
	_, err := w.s.Store.Claim(w.t.Context(), c)
	h := w.there(name)
	if h != nil {
		w.checkHeld(err, h, h.inputs == c.Fingerprint)
		return
	}
	if err != nil {
		w.rt.Fatalf("claim of what is free: %v", err)
	}
	w.tokens[name] = &holding{
		run: c.Run, inputs: c.Fingerprint, state: idempotency.Accepted,
		until: w.now + c.Retention, retained: c.Retention > 0,
	}
}

func (w *tokenWalk) checkHeld(err error, h *holding, same bool) {
	var held *idempotency.HeldError
	if !errors.As(err, &held) || held.Holder.Run != h.run || held.Holder.State != h.state || held.Same != same {
		w.rt.Fatalf("claim: %v, want that it is held by %+v", err, h)
	}
	if same && string(held.Holder.Result) != h.result || !same && held.Holder.Result != nil {
		w.rt.Fatalf("the result is %q, same inputs %v", held.Holder.Result, same)
	}
}

func (w *tokenWalk) check(what string, got error, allowed bool) {
	if allowed && got != nil || !allowed && !errors.Is(got, idempotency.ErrNotHeld) {
		w.rt.Fatalf("%s: %v, want allowed %v", what, got, allowed)
	}
}

func (w *tokenWalk) mark(*rapid.T) {
	name, run := w.draw()
	h := w.there(name)
	allowed := h != nil && h.run == run && h.state != idempotency.Ended
	w.check("mark", w.s.Store.Mark(w.t.Context(), token(name), run, idempotency.Running, ""), allowed)
	if allowed {
		h.state = idempotency.Running
	}
}

func (w *tokenWalk) end(*rapid.T) {
	name, run := w.draw()
	if err := w.s.Store.End(w.t.Context(), token(name), run, []byte(run)); err != nil {
		w.rt.Fatal(err)
	}
	if h := w.there(name); h != nil && h.run == run && h.state != idempotency.Ended {
		h.state, h.result = idempotency.Ended, run
	}
}

func (w *tokenWalk) free(*rapid.T) {
	name, run := w.draw()
	h := w.there(name)
	allowed := h != nil && h.run == run
	w.check("free", w.s.Store.Free(w.t.Context(), token(name), run), allowed)
	if allowed {
		delete(w.tokens, name)
	}
}

func (w *tokenWalk) look(*rapid.T) {
	name, _ := w.draw()
	h := w.there(name)
	got, err := w.s.Store.Holder(w.t.Context(), token(name))
	w.check("look", err, h != nil)
	if h == nil {
		return
	}
	want := idempotency.Holder{
		Run: h.run, Fingerprint: h.inputs, State: h.state, Phase: got.Phase, Claimed: got.Claimed, Until: got.Until,
	}
	if !reflect.DeepEqual(got, want) || (got.Retention() > 0) != h.retained {
		w.rt.Fatalf("held by %+v, want %+v", got, h)
	}
}

func (w *tokenWalk) time(*rapid.T) {
	jumps := []time.Duration{retention / 2, retention, -retention / 2}
	d := rapid.SampledFrom(jumps).Draw(w.rt, "time") + time.Second
	w.s.Advance(w.t, d)
	w.now += d
}
