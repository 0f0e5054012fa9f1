package channeltest

import (
	"fmt"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/weft-flow/weft/executor"
	"github.com/weft-flow/weft/executor/channel"
)

// anyOrder draws verbs in any order and holds each answer against what a Hub should
// say, told in the simplest way: every message and every run in a list.
func anyOrder(t *testing.T, open Opener) {
	rapid.Check(t, func(rt *rapid.T) {
		w := &walk{t: t, rt: rt, s: open(t, channel.Limits{Mailbox: 4, Unmatched: 5}), waits: map[string]channel.Waiting{}}
		w.hubs = w.s.hubs(t)
		w.s.declare(t)
		rt.Repeat(map[string]func(*rapid.T){
			"open": w.open, "expect": w.expect, "keep": w.keep, "wait": w.wait, "stop": w.stop, "end": w.end, "pass": w.pass, "": w.check,
		})
	})
}

// walk is one walk through the verbs.
type walk struct {
	t         *testing.T
	rt        *rapid.T
	s         Subject
	hubs      []channel.Hub
	runs      []*toldRun
	unmatched []*toldMessage
	waits     map[string]channel.Waiting
}

// toldRun is a run as it should be.
type toldRun struct {
	name     string
	refs     map[string]bool
	ended    bool
	endedAt  time.Time
	waits    bool
	read     int
	messages []*toldMessage // by number
	late     []*toldMessage
}

// toldMessage is a message as it should be.
type toldMessage struct {
	identity, ref, content string
	received               time.Time
	same, different        int
}

func (m *toldMessage) repeat(content string) channel.Outcome {
	if m.content == content {
		m.same++
		return channel.Duplicate
	}
	m.different++
	return channel.Conflicting
}

// hub draws a node.
func (w *walk) hub() channel.Hub {
	if len(w.hubs) == 1 {
		return w.hubs[0]
	}
	return rapid.SampledFrom(w.hubs).Draw(w.rt, "node")
}

func (w *walk) ref() string { return rapid.SampledFrom([]string{"1", "2", "3"}).Draw(w.rt, "ref") }

// some draws an open run; nil: there is none.
func (w *walk) some() *toldRun {
	var open []*toldRun
	for _, r := range w.runs {
		if !r.ended {
			open = append(open, r)
		}
	}
	if len(open) == 0 {
		return nil
	}
	return rapid.SampledFrom(open).Draw(w.rt, "run")
}

func (w *walk) open(*rapid.T) {
	first, second := w.ref(), w.ref()
	r := &toldRun{name: fmt.Sprint("run ", len(w.runs)), refs: map[string]bool{first: true, second: true}}
	w.s.open(w.t, r.name, paid(w.t, first, second))
	w.offer(r)
	w.runs = append(w.runs, r)
}

func (w *walk) expect(*rapid.T) {
	r, ref := w.some(), w.ref()
	if r == nil {
		return
	}
	if err := w.hub().Expect(w.t.Context(), r.name, expects(w.t, "paid", ref)); err != nil {
		w.rt.Fatal(err)
	}
	if !r.refs[ref] {
		r.refs[ref] = true
		w.offer(r)
	}
}

// offer gives a run what is unmatched and its own.
func (w *walk) offer(r *toldRun) {
	var left []*toldMessage
	for _, m := range w.unmatched {
		if r.refs[m.ref] {
			r.messages = append(r.messages, m)
		} else {
			left = append(left, m)
		}
	}
	w.unmatched = left
}

func (w *walk) keep(*rapid.T) {
	identity := rapid.SampledFrom([]string{"", "x", "y", "z"}).Draw(w.rt, "identity")
	ref, content := w.ref(), rapid.SampledFrom([]string{"", "", "other"}).Draw(w.rt, "content")
	want := w.route(&toldMessage{identity: identity, ref: ref, content: ref + content, received: w.s.Now()})
	a := w.s.jsonArrival(w.s.find(w.t, paidTarget), identity, fmt.Sprintf(`{"ref":%q,"content":%q}`, ref, content))
	got, err := w.hub().Keep(w.t.Context(), a)
	if got.Box, got.Status = "", 0; err != nil || got != want {
		w.rt.Fatalf("keep %q of %s: %+v, %v; want %+v", identity, ref, got, err, want)
	}
}

// route puts a message where it should go.
func (w *walk) route(m *toldMessage) channel.Kept {
	if kept, ok := w.repeated(m); ok {
		return kept
	}
	var to *toldRun
	for _, r := range w.runs {
		if r.refs[m.ref] && !w.forgotten(r) && (to == nil || r.standing() < to.standing()) {
			to = r
		}
	}
	switch {
	case to == nil && len(w.unmatched) >= 5:
		return channel.Kept{Outcome: channel.Full}
	case to == nil:
		w.unmatched = append(w.unmatched, m)
		return channel.Kept{Outcome: channel.KeptUnmatched}
	case to.ended:
		to.late = append(to.late, m)
		return channel.Kept{Outcome: channel.Late, Run: to.name}
	case len(to.messages)-to.read >= 4:
		return channel.Kept{Outcome: channel.Full, Run: to.name}
	default:
		to.messages = append(to.messages, m)
		return channel.Kept{Outcome: channel.Stored, Run: to.name, Number: len(to.messages)}
	}
}

func (w *walk) repeated(m *toldMessage) (channel.Kept, bool) {
	if m.identity == "" {
		return channel.Kept{}, false
	}
	for _, r := range w.runs {
		for i, first := range r.messages {
			if first.identity == m.identity && !w.forgotten(r) {
				return channel.Kept{Outcome: first.repeat(m.content), Run: r.name, Number: i + 1}, true
			}
		}
		for _, first := range r.late {
			if first.identity == m.identity && !w.forgotten(r) {
				return channel.Kept{Outcome: first.repeat(m.content), Run: r.name}, true
			}
		}
	}
	for _, first := range w.unmatched {
		if first.identity == m.identity {
			return channel.Kept{Outcome: first.repeat(m.content)}, true
		}
	}
	return channel.Kept{}, false
}

func (r *toldRun) standing() channel.Standing {
	switch {
	case r.ended:
		return channel.HasEnded
	case r.waits:
		return channel.WaitsNow
	default:
		return channel.IsOpen
	}
}

func (w *walk) forgotten(r *toldRun) bool { return r.ended && !r.endedAt.Add(day).After(w.s.Now()) }

func (w *walk) wait(*rapid.T) {
	r := w.some()
	if r == nil || r.waits {
		return
	}
	after := rapid.IntRange(r.read, len(r.messages)).Draw(w.rt, "after")
	wait, err := w.hub().Wait(w.t.Context(), r.name, after)
	if err != nil {
		w.rt.Fatal(err)
	}
	r.read, r.waits, w.waits[r.name] = after, true, wait
	m, err := wait.Next(w.t.Context())
	w.isNext(r, m, err)
}

func (w *walk) isNext(r *toldRun, m *executor.Message, err error) {
	switch {
	case err != nil:
		w.rt.Fatal(err)
	case r.read == len(r.messages) && m != nil:
		w.rt.Fatalf("%s: after the last there is %+v", r.name, m)
	case r.read < len(r.messages) && (m == nil || m.Number != r.read+1 || m.Identity != r.messages[r.read].identity):
		w.rt.Fatalf("%s: after %d there is %+v, want %+v", r.name, r.read, m, r.messages[r.read])
	}
}

func (w *walk) stop(*rapid.T) {
	if r := w.some(); r != nil && r.waits {
		w.waits[r.name].Stop()
		r.waits = false
	}
}

func (w *walk) end(*rapid.T) {
	if r := w.some(); r != nil {
		w.s.end(w.t, r.name)
		r.ended, r.endedAt = true, w.s.Now()
	}
}

func (w *walk) pass(*rapid.T) {
	w.s.Advance(w.t, time.Duration(rapid.SampledFrom([]int{1, 9, 24}).Draw(w.rt, "hours"))*time.Hour)
	var left []*toldMessage
	for _, m := range w.unmatched {
		if m.received.Add(day).After(w.s.Now()) {
			left = append(left, m)
		}
	}
	w.unmatched = left
}

// check holds what can be listed against what should be there.
func (w *walk) check(*rapid.T) {
	all, err := w.hub().Unmatched(w.t.Context())
	if err != nil || len(all) != len(w.unmatched) {
		w.rt.Fatalf("unmatched: %+v, %v; want %d", all, err, len(w.unmatched))
	}
	for i, m := range w.unmatched {
		if got := all[i]; got.Message.Identity != m.identity || got.Same != m.same || got.Different != m.different {
			w.rt.Fatalf("unmatched %d: %+v, want %+v", i, got, m)
		}
	}
	for _, r := range w.runs {
		if w.forgotten(r) {
			continue
		}
		var want []executor.Repeat
		for i, m := range r.messages {
			if m.same+m.different > 0 {
				want = append(want, executor.Repeat{Number: i + 1, Same: m.same, Different: m.different})
			}
		}
		got, err := w.hub().Repeats(w.t.Context(), r.name)
		if err != nil || fmt.Sprint(got) != fmt.Sprint(want) {
			w.rt.Fatalf("repeats of %s: %v, %v; want %v", r.name, got, err, want)
		}
	}
}
