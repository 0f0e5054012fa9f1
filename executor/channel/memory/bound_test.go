package memory

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/weft-flow/weft/arazzo/value"
	"github.com/weft-flow/weft/executor"
	"github.com/weft-flow/weft/executor/channel"
)

// stand is a Hub with a time of its own.
type stand struct {
	*Hub
	at time.Time
}

func newStand(limits channel.Limits) *stand {
	s := &stand{at: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)}
	s.Hub = New(Options{Now: func() time.Time { return s.at }, Limits: limits, Random: rand.NewChaCha8([32]byte{1})})
	return s
}

func boxes(t testing.TB, ref string) []executor.Mailbox {
	where, err := executor.ParseLocator("$message.payload#/ref")
	if err != nil {
		t.Fatal(err)
	}
	paid := executor.Mailbox{Name: "paid", Kind: executor.WebhookBox, Source: "pay", Operation: "paid"}
	paid.Expect = []executor.Expectation{{Box: "paid", Where: where, Value: value.String(ref), Identity: where}}
	return []executor.Mailbox{paid, {Name: "own", Kind: executor.CallbackBox, Source: "pay", Operation: "done", Scoped: true}}
}

var paid = channel.Place{Kind: executor.WebhookBox, Source: "pay", Name: "paid"}

func (s *stand) send(t testing.TB, at channel.Place, identity, ref string) channel.Outcome {
	t.Helper()
	kept, err := s.Keep(t.Context(), channel.Arrival{Place: at, Received: s.at, Identity: identity, Body: fmt.Appendf(nil, `{"ref":%q}`, ref)})
	if err != nil {
		t.Fatal(err)
	}
	return kept.Outcome
}

// fill opens runs that get messages of all kinds, and ends them.
func (s *stand) fill(t testing.TB, runs int) {
	t.Helper()
	for i := range runs {
		name := fmt.Sprint(i)
		tokens, err := s.Open(t.Context(), name, boxes(t, name))
		if err != nil {
			t.Fatal(err)
		}
		for _, identity := range []string{"", "a" + name, "b" + name} {
			s.send(t, paid, identity, name)
			s.send(t, channel.Place{Token: tokens["own"]}, identity, name)
			s.send(t, paid, identity, "nobody's")
		}
		if err := s.End(t.Context(), name); err != nil {
			t.Fatal(err)
		}
		s.send(t, paid, "", name)
		s.send(t, paid, "late"+name, name)
	}
}

// TestNothingIsLeftAfterADay holds that all that a run left is given up.
func TestNothingIsLeftAfterADay(t *testing.T) {
	s := newStand(channel.Limits{})
	s.fill(t, 20)
	if len(s.runs) != 20 || len(s.places) != 21 || len(s.places[paid].identities) == 0 || s.late.list.Len() == 0 || s.unmatched.list.Len() == 0 {
		t.Fatalf("before: %d runs, %d places, %d late, %d unmatched", len(s.runs), len(s.places), s.late.list.Len(), s.unmatched.list.Len())
	}
	s.at = s.at.Add(s.limits.Keep)
	if _, ok, err := s.Find(t.Context(), channel.Target{Token: "any"}); ok || err != nil {
		t.Fatal(ok, err)
	}
	if len(s.runs)+len(s.places)+len(s.addresses)+len(s.ended)+s.endedIdentities+s.late.list.Len()+s.unmatched.list.Len() != 0 {
		t.Errorf("left: %d runs, %d places, %d addresses, %d ended, %d identities, %d late, %d unmatched",
			len(s.runs), len(s.places), len(s.addresses), len(s.ended), s.endedIdentities, s.late.list.Len(), s.unmatched.list.Len())
	}
	if s.late.bytes != 0 || s.unmatched.bytes != 0 {
		t.Errorf("left: %d and %d bytes", s.late.bytes, s.unmatched.bytes)
	}
}

// TestADeclaredAddressKeepsNothing holds the same of an address that stays.
func TestADeclaredAddressKeepsNothing(t *testing.T) {
	s := newStand(channel.Limits{Ended: 3, EndedIdentities: 8, Unmatched: 5, Late: 4})
	if err := s.Declare(t.Context(), boxes(t, "any")); err != nil {
		t.Fatal(err)
	}
	s.fill(t, 30)
	p := s.places[paid]
	if len(s.ended) > 3 || s.endedIdentities > 8 || s.unmatched.list.Len() > 5 || s.late.list.Len() > 4 || len(p.identities) > 8 {
		t.Errorf("%d ended, %d and %d identities, %d unmatched, %d late", len(s.ended), s.endedIdentities, len(p.identities), s.unmatched.list.Len(), s.late.list.Len())
	}
	s.at = s.at.Add(s.limits.Keep)
	if _, err := s.Unmatched(t.Context()); err != nil {
		t.Fatal(err)
	}
	if len(p.expected)+len(p.identities)+len(p.unmatched)+len(p.unmatchedByID)+p.unmatchedCount != 0 || len(s.places) != 1 {
		t.Errorf("left: %d, %d, %d, %d, %d; %d places", len(p.expected), len(p.identities), len(p.unmatched), len(p.unmatchedByID), p.unmatchedCount, len(s.places))
	}
}

// TestReadMessagesAreGivenUp holds that an open run keeps no message that it has read.
func TestReadMessagesAreGivenUp(t *testing.T) {
	s := newStand(channel.Limits{})
	if _, err := s.Open(t.Context(), "a", boxes(t, "a")); err != nil {
		t.Fatal(err)
	}
	for i := range 5000 {
		if got := s.send(t, paid, "", "a"); i == 0 && got != channel.Stored || i > 0 && got != channel.Duplicate {
			t.Fatalf("message %d: %s", i, got)
		}
		if got := s.send(t, paid, fmt.Sprint(i), "a"); got != channel.Stored {
			t.Fatalf("message %d: %s", i, got)
		}
		w, err := s.Wait(t.Context(), "a", i+1)
		if err != nil {
			t.Fatal(err)
		}
		w.Stop()
	}
	if r := s.runs["a"]; len(r.unread) != 1 || cap(r.unread) > 100 {
		t.Errorf("%d messages are kept, with room for %d", len(r.unread), cap(r.unread))
	}
	for _, e := range s.places[paid].identities {
		if e.message != nil && e.number <= 5000 {
			t.Fatalf("message %d is kept", e.number)
		}
	}
}

// TestTokens holds that tokens come from the source that was given, and are never twice
// the same.
func TestTokens(t *testing.T) {
	token := func() string {
		tokens, err := newStand(channel.Limits{}).Open(t.Context(), "a", boxes(t, "a"))
		if err != nil {
			t.Fatal(err)
		}
		return tokens["own"]
	}
	if a, b := token(), token(); a != b || len(a) != 32 {
		t.Errorf("one source gives %q and %q", a, b)
	}
	for source, wanted := range map[*fixed]string{{left: 1000}: "repeats itself", {}: "exhausted"} {
		h := New(Options{Random: source})
		_, err := h.Open(t.Context(), "a", boxes(t, "a"))
		if err == nil {
			_, err = h.Open(t.Context(), "b", boxes(t, "a"))
		}
		if err == nil {
			t.Errorf("a source that %s is taken", wanted)
		}
		if _, err := h.Wait(t.Context(), "b", 0); !errors.Is(err, channel.ErrNoRun) {
			t.Errorf("after the fault: %v", err)
		}
	}
	real := New(Options{})
	seen := map[string]bool{}
	for i := range 100 {
		tokens, err := real.Open(t.Context(), fmt.Sprint(i), boxes(t, "a"))
		if err != nil || seen[tokens["own"]] {
			t.Fatal(tokens, err)
		}
		seen[tokens["own"]] = true
	}
}

// fixed is a random source that is none.
type fixed struct{ left int }

func (f *fixed) Read(b []byte) (int, error) {
	if f.left < len(b) {
		return 0, errors.New("exhausted")
	}
	f.left -= len(b)
	return len(b), nil
}
