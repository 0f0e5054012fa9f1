package channeltest

import (
	"fmt"
	"testing"
	"time"

	"github.com/weft-flow/weft/arazzo/value"
	"github.com/weft-flow/weft/executor"
	"github.com/weft-flow/weft/executor/channel"
)

// Subject is a Hub under test, with nothing in it.
type Subject struct {
	Hub channel.Hub
	// Another gives the same Hub as another node would have it; nil: there is one.
	Another func(t testing.TB) channel.Hub
	// Now gives the time of the Hub, and Advance makes it go on.
	Now     func() time.Time
	Advance func(t testing.TB, d time.Duration)
}

// Opener makes a Hub with these limits.
type Opener func(t testing.TB, limits channel.Limits) Subject

type testCase struct {
	name   string
	limits channel.Limits
	test   func(t *testing.T, s Subject)
}

// Run runs all cases, each on a Hub of its own.
func Run(t *testing.T, open Opener) {
	for _, cases := range [][]testCase{routeCases, unmatchedCases, identityCases, scopedCases, boundCases, raceCases} {
		for _, c := range cases {
			t.Run(c.name, func(t *testing.T) { c.test(t, open(t, c.limits)) })
		}
	}
	t.Run("AnyOrderOfVerbs", func(t *testing.T) { anyOrder(t, open) })
}

// hubs gives the Hub once, or as two nodes have it.
func (s Subject) hubs(t testing.TB) []channel.Hub {
	if s.Another == nil {
		return []channel.Hub{s.Hub}
	}
	return []channel.Hub{s.Hub, s.Another(t)}
}

func locator(t testing.TB, text string) executor.Locator {
	t.Helper()
	l, err := executor.ParseLocator(text)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// expects gives what a run expects: a text at #/ref of the payload.
func expects(t testing.TB, box, ref string) executor.Expectation {
	t.Helper()
	return executor.Expectation{Box: box, Where: locator(t, "$message.payload#/ref"), Value: value.String(ref)}
}

// paid is the mailbox of a webhook that belongs to a run by its references.
func paid(t testing.TB, refs ...string) executor.Mailbox {
	t.Helper()
	box := executor.Mailbox{Name: "paid", Kind: executor.WebhookBox, Source: "pay", Operation: "paymentChanged"}
	for _, ref := range refs {
		box.Expect = append(box.Expect, expects(t, box.Name, ref))
	}
	return box
}

// scoped is the mailbox of a callback that has an address for each run.
func scoped() executor.Mailbox {
	return executor.Mailbox{Name: "done", Kind: executor.CallbackBox, Source: "pay", Operation: "done", Scoped: true}
}

var paidTarget = channel.Target{Kind: executor.WebhookBox, Source: "pay", Rest: []string{"paymentChanged"}}

func (s Subject) open(t testing.TB, run string, boxes ...executor.Mailbox) map[string]string {
	t.Helper()
	tokens, err := s.Hub.Open(t.Context(), run, boxes)
	if err != nil {
		t.Fatalf("open %s: %v", run, err)
	}
	return tokens
}

func (s Subject) end(t testing.TB, run string) {
	t.Helper()
	if err := s.Hub.End(t.Context(), run); err != nil {
		t.Fatalf("end %s: %v", run, err)
	}
}

func (s Subject) find(t testing.TB, target channel.Target) channel.Known {
	t.Helper()
	known, ok, err := s.Hub.Find(t.Context(), target)
	if err != nil || !ok {
		t.Fatalf("find %+v: %v, %v", target, ok, err)
	}
	return known
}

// jsonArrival is a message with a body of JSON.
func (s Subject) jsonArrival(known channel.Known, identity, body string) channel.Arrival {
	return channel.Arrival{
		Place: known.Place, Path: known.Path, Received: s.Now(), Identity: identity, Method: "POST",
		Header: executor.Header{"Content-Type": {"application/json"}}, Body: []byte(body),
	}
}

// paid sends a message about a payment, and wants to be told an outcome.
func (s Subject) paid(t testing.TB, identity, ref, content string, want channel.Outcome) channel.Kept {
	t.Helper()
	body := fmt.Sprintf(`{"ref":%q,"content":%q}`, ref, content)
	return s.keep(t, s.jsonArrival(s.find(t, paidTarget), identity, body), want)
}

func (s Subject) keep(t testing.TB, a channel.Arrival, want channel.Outcome) channel.Kept {
	t.Helper()
	kept, err := s.Hub.Keep(t.Context(), a)
	if err != nil || kept.Outcome != want {
		t.Fatalf("keep %q %s: %+v, %v; want %s", a.Identity, a.Body, kept, err, want)
	}
	return kept
}

// stored wants a message to be a number of a run.
func (s Subject) stored(t testing.TB, kept channel.Kept, run string, number int) {
	t.Helper()
	if kept.Run != run || kept.Number != number {
		t.Fatalf("the message is %+v, want number %d of run %s", kept, number, run)
	}
}

// wait begins a wait, which ends with the test at the latest.
func (s Subject) wait(t testing.TB, run string, after int) channel.Waiting {
	t.Helper()
	w, err := s.Hub.Wait(t.Context(), run, after)
	if err != nil {
		t.Fatalf("wait in %s: %v", run, err)
	}
	t.Cleanup(w.Stop)
	return w
}

// next gives the first message of a run above a number; nil: there is none.
func (s Subject) next(t testing.TB, run string, after int) *executor.Message {
	t.Helper()
	w := s.wait(t, run, after)
	defer w.Stop()
	m, err := w.Next(t.Context())
	if err != nil {
		t.Fatalf("next of %s: %v", run, err)
	}
	return m
}

// inbox reads all messages of a run above a number.
func (s Subject) inbox(t testing.TB, run string, after int) []string {
	t.Helper()
	var bodies []string
	for m := s.next(t, run, after); m != nil; m = s.next(t, run, after) {
		if after++; m.Number != after {
			t.Fatalf("run %s: message %d comes after %d", run, m.Number, after-1)
		}
		bodies = append(bodies, string(m.Body))
	}
	return bodies
}

func (s Subject) repeats(t testing.TB, run string) []executor.Repeat {
	t.Helper()
	all, err := s.Hub.Repeats(t.Context(), run)
	if err != nil {
		t.Fatalf("repeats of %s: %v", run, err)
	}
	return all
}

func (s Subject) strays(t testing.TB, run string) []executor.Stray {
	t.Helper()
	all, err := s.Hub.Strays(t.Context(), run)
	if err != nil {
		t.Fatalf("strays of %s: %v", run, err)
	}
	return all
}

func (s Subject) late(t testing.TB, run string) []executor.Message {
	t.Helper()
	all, err := s.Hub.Late(t.Context(), run)
	if err != nil {
		t.Fatalf("late messages of %s: %v", run, err)
	}
	return all
}

func (s Subject) unmatched(t testing.TB, want int) []channel.Unmatched {
	t.Helper()
	all, err := s.Hub.Unmatched(t.Context())
	if err != nil || len(all) != want {
		t.Fatalf("unmatched: %+v, %v; want %d", all, err, want)
	}
	return all
}
