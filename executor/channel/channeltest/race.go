package channeltest

import (
	"fmt"
	"sync"
	"testing"

	"github.com/weft-flow/weft/executor"
	"github.com/weft-flow/weft/executor/channel"
)

var raceCases = []testCase{
	{name: "Statement13DuplicatesAtOnce", test: duplicatesAtOnce},
	{name: "Statement13ConflictingAtOnce", test: conflictingAtOnce},
	{name: "Statement9UnmatchedAtOnce", test: unmatchedAtOnce},
	{name: "Statement7AReaderMissesNothing", test: readerMissesNothing},
	{name: "Statement9ARunOpensMeanwhile", test: opensMeanwhile},
	{name: "Statement9RunsOpenAtOnce", test: openAtOnce},
	{name: "Statement13RunsOpenForOneIdentityAtOnce", test: openForOneIdentity},
	{name: "Statement8ARunEndsMeanwhile", test: endsMeanwhile},
}

const crowd = 64 // goroutines

// together calls do from many goroutines that begin at once, and gives what they got.
func together[T any](t *testing.T, do func(i int) (T, error)) []T {
	t.Helper()
	begin := make(chan struct{})
	results, faults := make([]T, crowd), make([]error, crowd)
	var all sync.WaitGroup
	for i := range crowd {
		all.Go(func() {
			<-begin
			results[i], faults[i] = do(i)
		})
	}
	close(begin)
	all.Wait()
	for _, err := range faults {
		if err != nil {
			t.Fatal(err)
		}
	}
	return results
}

func count(kept []channel.Kept) map[channel.Outcome]int {
	counts := map[channel.Outcome]int{}
	for _, k := range kept {
		counts[k.Outcome]++
	}
	return counts
}

// duplicatesAtOnce sends one message many times at once. Whoever is told that it is
// kept can rely on it: it is in the inbox then.
func duplicatesAtOnce(t *testing.T, s Subject) {
	s.open(t, "a", paid(t, "1"))
	a := s.jsonArrival(s.find(t, paidTarget), "x", `{"ref":"1"}`)
	hubs := s.hubs(t)
	kept := together(t, func(i int) (channel.Kept, error) {
		hub := hubs[i%len(hubs)]
		k, err := hub.Keep(t.Context(), a)
		if err != nil {
			return k, err
		}
		w, err := hub.Wait(t.Context(), "a", 0)
		if err != nil {
			return k, err
		}
		defer w.Stop()
		if m, err := w.Next(t.Context()); m == nil || err != nil {
			return k, fmt.Errorf("told %s before the message is there: %v, %w", k.Outcome, m, err)
		}
		return k, nil
	})
	if got := count(kept); got[channel.Stored] != 1 || got[channel.Duplicate] != crowd-1 {
		t.Errorf("outcomes: %v", got)
	}
	for _, k := range kept {
		s.stored(t, k, "a", 1)
	}
	if got := s.repeats(t, "a"); len(got) != 1 || got[0].Same != crowd-1 {
		t.Errorf("repeats: %+v", got)
	}
}

func conflictingAtOnce(t *testing.T, s Subject) {
	s.open(t, "a", paid(t, "1"))
	known, hubs := s.find(t, paidTarget), s.hubs(t)
	kept := together(t, func(i int) (channel.Kept, error) {
		return hubs[i%len(hubs)].Keep(t.Context(), s.jsonArrival(known, "x", fmt.Sprintf(`{"ref":"1","i":%d}`, i)))
	})
	if got := count(kept); got[channel.Stored] != 1 || got[channel.Conflicting] != crowd-1 {
		t.Errorf("outcomes: %v", got)
	}
}

func unmatchedAtOnce(t *testing.T, s Subject) {
	s.declare(t)
	known, hubs := s.find(t, paidTarget), s.hubs(t)
	kept := together(t, func(i int) (channel.Kept, error) {
		return hubs[i%len(hubs)].Keep(t.Context(), s.jsonArrival(known, fmt.Sprint(i/2), `{"ref":"1"}`))
	})
	if got := count(kept); got[channel.KeptUnmatched] != crowd/2 || got[channel.Duplicate] != crowd/2 {
		t.Errorf("outcomes: %v", got)
	}
	s.unmatched(t, crowd/2)
}

// readerMissesNothing reads while many send: each message once, in the order of numbers.
func readerMissesNothing(t *testing.T, s Subject) {
	s.open(t, "a", paid(t, "1"))
	known := s.find(t, paidTarget)
	read := make(chan error, 1)
	go func() { read <- s.readAll(t, "a", crowd) }()
	together(t, func(i int) (channel.Kept, error) {
		return s.Hub.Keep(t.Context(), s.jsonArrival(known, fmt.Sprint(i), `{"ref":"1"}`))
	})
	if err := <-read; err != nil {
		t.Error(err)
	}
}

// readAll reads messages as they come, until there were as many.
func (s Subject) readAll(t *testing.T, run string, messages int) error {
	ids := map[string]bool{}
	for after := range messages {
		m, err := s.await(t, run, after)
		switch {
		case err != nil:
			return err
		case m.Number != after+1 || ids[m.Identity]:
			return fmt.Errorf("message %d with the identity %q comes after %d", m.Number, m.Identity, after)
		}
		ids[m.Identity] = true
	}
	return nil
}

// await waits for the next message.
func (s Subject) await(t *testing.T, run string, after int) (*executor.Message, error) {
	w, err := s.Hub.Wait(t.Context(), run, after)
	if err != nil {
		return nil, err
	}
	defer w.Stop()
	for {
		signal := w.Woken()
		if m, err := w.Next(t.Context()); m != nil || err != nil {
			return m, err
		}
		select {
		case <-signal:
		case <-t.Context().Done():
			return nil, t.Context().Err()
		}
	}
}

// opensMeanwhile opens a run while its messages come: it gets all of them, those that
// came before among them.
func opensMeanwhile(t *testing.T, s Subject) {
	s.declare(t)
	known, box := s.find(t, paidTarget), paid(t, "1")
	kept := together(t, func(i int) (channel.Kept, error) {
		if i == crowd/2 {
			_, err := s.Hub.Open(t.Context(), "a", []executor.Mailbox{box})
			return channel.Kept{}, err
		}
		return s.Hub.Keep(t.Context(), s.jsonArrival(known, fmt.Sprint(i), `{"ref":"1"}`))
	})
	got := count(kept)
	if got[channel.Stored]+got[channel.KeptUnmatched] != crowd-1 {
		t.Errorf("outcomes: %v", got)
	}
	if all := s.inbox(t, "a", 0); len(all) != crowd-1 {
		t.Errorf("the inbox has %d messages, want %d", len(all), crowd-1)
	}
	s.unmatched(t, 0)
}

// openAtOnce opens many runs for the same messages, which came before: each message goes to
// one of them.
func openAtOnce(t *testing.T, s Subject) {
	const messages = 8
	s.open(t, "before", paid(t, "none"))
	for i := range messages {
		s.paid(t, fmt.Sprint(i), "1", "", channel.KeptUnmatched)
	}
	hubs, box := s.hubs(t), paid(t, "1")
	read := together(t, func(i int) (n int, err error) {
		hub, run := hubs[i%len(hubs)], fmt.Sprint(i)
		if _, err := hub.Open(t.Context(), run, []executor.Mailbox{box}); err != nil {
			return 0, err
		}
		for ; ; n++ { // at once: what a run has read, no other has
			w, err := hub.Wait(t.Context(), run, n)
			if err != nil {
				return n, err
			}
			m, err := w.Next(t.Context())
			w.Stop()
			if m == nil || err != nil {
				return n, err
			}
		}
	})
	taken := 0
	for _, n := range read {
		taken += n
	}
	if taken != messages {
		t.Errorf("runs have %d messages, want %d", taken, messages)
	}
	s.unmatched(t, 0)
}

// openForOneIdentity opens many runs, each for a message of its own, which came before, all
// of one identity at the place where the runs look for it: one run has its message, and the
// others are told to be repeats of that.
func openForOneIdentity(t *testing.T, s Subject) {
	box := func(ref string) []executor.Mailbox {
		box := paid(t, ref)
		box.Expect[0].Identity = locator(t, "$message.payload#/id")
		return []executor.Mailbox{box}
	}
	s.open(t, "before", box("none")...)
	for i := range crowd {
		s.keep(t, s.jsonArrival(s.find(t, paidTarget), "", fmt.Sprintf(`{"ref":"%d","id":"one"}`, i)), channel.KeptUnmatched)
	}
	hubs := s.hubs(t)
	together(t, func(i int) (struct{}, error) {
		_, err := hubs[i%len(hubs)].Open(t.Context(), fmt.Sprint(i), box(fmt.Sprint(i)))
		return struct{}{}, err
	})
	taken, repeats := 0, 0
	for i := range crowd {
		run := fmt.Sprint(i)
		taken += len(s.inbox(t, run, 0))
		for _, r := range s.repeats(t, run) {
			repeats += r.Same + r.Different
		}
	}
	if taken != 1 || repeats != crowd-1 {
		t.Errorf("runs have %d messages and %d repeats, want 1 and %d", taken, repeats, crowd-1)
	}
	s.unmatched(t, 0)
}

// endsMeanwhile ends a run while its messages come: each is the run's or late.
func endsMeanwhile(t *testing.T, s Subject) {
	s.open(t, "a", paid(t, "1"))
	known := s.find(t, paidTarget)
	kept := together(t, func(i int) (channel.Kept, error) {
		if i == crowd/2 {
			return channel.Kept{}, s.Hub.End(t.Context(), "a")
		}
		return s.Hub.Keep(t.Context(), s.jsonArrival(known, fmt.Sprint(i), `{"ref":"1"}`))
	})
	got := count(kept)
	if got[channel.Stored]+got[channel.Late] != crowd-1 {
		t.Errorf("outcomes: %v", got)
	}
	if late := s.late(t, "a"); len(late) != got[channel.Late] {
		t.Errorf("%d are late, want %d", len(late), got[channel.Late])
	}
}
