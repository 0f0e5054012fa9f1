package channeltest

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/weft-flow/weft/executor"
	"github.com/weft-flow/weft/executor/channel"
)

var unmatchedCases = []testCase{
	{name: "Statement9UnmatchedAreOfferedToARunThatOpens", test: offeredAtOpen},
	{name: "Statement9UnmatchedAreOfferedInOrder", test: offeredInOrder},
	{name: "Statement9UnmatchedAreOfferedToARunThatExpects", test: offeredAtExpect},
	{name: "Statement9UnmatchedAreKeptForADay", test: keptForADay},
	{name: "Statement9UnmatchedAreListed", test: listed},
	{name: "Statement13UnmatchedAreCounted", test: unmatchedRepeats},
	{name: "Statement12UnmatchedWithAnIdentityInTheMessage", test: unmatchedOwnIdentity},
	{name: "Statement11StraysAreTold", test: straysTold},
	{name: "StraysAreTheLatest", test: straysLatest},
}

func (s Subject) declare(t testing.TB) {
	t.Helper()
	if err := s.Hub.Declare(t.Context(), []executor.Mailbox{paid(t)}); err != nil {
		t.Fatal(err)
	}
}

func offeredAtOpen(t *testing.T, s Subject) {
	s.declare(t)
	for _, content := range []string{"first", "second"} {
		s.paid(t, content, "1", content, channel.KeptUnmatched)
		s.paid(t, "of 2 "+content, "2", content, channel.KeptUnmatched)
	}
	s.Advance(t, time.Second)
	s.open(t, "a", paid(t, "1", "1"))
	if got := s.inbox(t, "a", 0); len(got) != 2 || !strings.Contains(got[0], "first") || !strings.Contains(got[1], "second") {
		t.Errorf("the inbox has %q", got)
	}
	s.stored(t, s.paid(t, "first", "1", "first", channel.Duplicate), "a", 1)
	s.unmatched(t, 2)
	s.open(t, "b", paid(t, "1", "2"))
	if got := s.inbox(t, "b", 0); len(got) != 2 {
		t.Errorf("the inbox has %q", got)
	}
	s.unmatched(t, 0)
}

// offeredInOrder has a run that expects two values, the later one first.
func offeredInOrder(t *testing.T, s Subject) {
	s.declare(t)
	refs := []string{"1", "2", "1", "1", "2"}
	for _, ref := range refs {
		s.paid(t, "", ref, "", channel.KeptUnmatched)
	}
	s.open(t, "a", paid(t, "2", "1"))
	got := s.inbox(t, "a", 0)
	if len(got) != len(refs) {
		t.Fatalf("the inbox has %q", got)
	}
	for i, ref := range refs {
		if !strings.Contains(got[i], `"ref":"`+ref+`"`) {
			t.Errorf("message %d is %s, want one of %s", i+1, got[i], ref)
		}
	}
}

func offeredAtExpect(t *testing.T, s Subject) {
	s.open(t, "a", paid(t, "0"))
	for _, ref := range []string{"1", "2", "1"} {
		s.paid(t, "", ref, "", channel.KeptUnmatched)
	}
	w := s.wait(t, "a", 0)
	signal := w.Woken()
	for range 2 {
		if err := s.Hub.Expect(t.Context(), "a", expects(t, "paid", "1")); err != nil {
			t.Fatal(err)
		}
	}
	<-signal
	if got := s.inbox(t, "a", 0); len(got) != 2 {
		t.Errorf("the inbox has %q", got)
	}
	// What nobody looked at before is found too.
	other := executor.Expectation{Box: "paid", Where: locator(t, "$message.payload#/content"), Value: expects(t, "paid", "three").Value}
	s.paid(t, "", "3", "three", channel.KeptUnmatched)
	if err := s.Hub.Expect(t.Context(), "a", other); err != nil {
		t.Fatal(err)
	}
	if got := s.inbox(t, "a", 2); len(got) != 1 {
		t.Errorf("the inbox has %q", got)
	}
	s.stored(t, s.paid(t, "", "4", "three", channel.Stored), "a", 4)
	s.unmatched(t, 1)
}

func keptForADay(t *testing.T, s Subject) {
	s.declare(t)
	s.paid(t, "old", "1", "", channel.KeptUnmatched)
	s.Advance(t, time.Hour)
	s.paid(t, "new", "1", "", channel.KeptUnmatched)
	s.Advance(t, day-time.Hour-time.Second)
	s.unmatched(t, 2)
	s.Advance(t, time.Second)
	s.unmatched(t, 1)
	s.open(t, "a", paid(t, "1"))
	if m := s.next(t, "a", 0); m == nil || m.Identity != "new" {
		t.Errorf("the inbox begins with %+v", m)
	}
}

func listed(t *testing.T, s Subject) {
	s.open(t, "a", paid(t, "1"))
	s.paid(t, "x", "2", "", channel.KeptUnmatched)
	s.keep(t, s.jsonArrival(s.find(t, paidTarget), "y", `{}`), channel.KeptUnmatched)
	all := s.unmatched(t, 2)
	if all[0].Place.Name != "paymentChanged" || all[0].Message.Identity != "x" || !strings.Contains(string(all[0].Message.Body), `"2"`) {
		t.Errorf("listed: %+v", all[0])
	}
	if all[0].Reason == all[1].Reason || !strings.Contains(all[1].Reason, "$message.payload#/ref") {
		t.Errorf("the reasons are %q and %q", all[0].Reason, all[1].Reason)
	}
}

func unmatchedRepeats(t *testing.T, s Subject) {
	s.declare(t)
	s.paid(t, "x", "1", "", channel.KeptUnmatched)
	s.paid(t, "x", "1", "", channel.Duplicate)
	s.paid(t, "x", "1", "", channel.Duplicate)
	s.paid(t, "x", "1", "other", channel.Conflicting)
	if all := s.unmatched(t, 1); all[0].Same != 2 || all[0].Different != 1 {
		t.Errorf("counted: %+v", all[0])
	}
	s.open(t, "a", paid(t, "1"))
	s.paid(t, "x", "1", "", channel.Duplicate)
	if got := s.repeats(t, "a"); !slices.Equal(got, []executor.Repeat{{Number: 1, Same: 3, Different: 1}}) {
		t.Errorf("repeats: %+v", got)
	}
}

// unmatchedOwnIdentity has messages whose identity is known only by who expects them.
func unmatchedOwnIdentity(t *testing.T, s Subject) {
	s.declare(t)
	known := s.find(t, paidTarget)
	for _, body := range []string{`{"ref":"1","event":"e"}`, `{"ref":"1","event":"e"}`, `{"ref":"1","event":"e","other":1}`, `{"ref":"1","event":"f"}`} {
		s.keep(t, s.jsonArrival(known, "", body), channel.KeptUnmatched)
	}
	box := paid(t, "1")
	box.Expect[0].Identity = locator(t, "$message.payload#/event")
	s.open(t, "a", box)
	if got := s.inbox(t, "a", 0); len(got) != 2 {
		t.Errorf("the inbox has %q", got)
	}
	if got := s.repeats(t, "a"); !slices.Equal(got, []executor.Repeat{{Number: 1, Same: 1, Different: 1}}) {
		t.Errorf("repeats: %+v", got)
	}
	s.unmatched(t, 0)
}

func straysTold(t *testing.T, s Subject) {
	s.declare(t)
	known := s.find(t, paidTarget)
	s.paid(t, "before", "2", "", channel.KeptUnmatched)
	s.refuse(t, known, "refused before")
	s.Advance(t, time.Second)
	s.open(t, "a", paid(t, "1"), channelBox("other", "other"))
	s.keep(t, s.jsonArrival(known, "lacks", `{"reference":"1"}`), channel.KeptUnmatched)
	s.refuse(t, known, "its signature does not match")
	s.paid(t, "has", "2", "", channel.KeptUnmatched)
	s.paid(t, "mine", "1", "", channel.Stored)
	s.keep(t, s.jsonArrival(s.find(t, channel.Target{Kind: executor.ChannelBox, Source: "bus", Rest: []string{"other"}}), "third", "{}"), channel.KeptUnmatched)
	all := s.strays(t, "a")
	var told []string
	for _, stray := range all {
		told = append(told, stray.Box+" "+stray.Identity)
		if stray.Reason == "" || stray.Received.IsZero() {
			t.Errorf("stray: %+v", stray)
		}
	}
	if want := []string{"paid lacks", "paid ", "paid has", "other third"}; !slices.Equal(told, want) {
		t.Fatalf("strays: %q, want %q", told, want)
	}
	if all[1].Reason != "its signature does not match" || !strings.Contains(all[0].Reason, "#/ref") {
		t.Errorf("strays: %+v", all)
	}
	s.open(t, "b", paid(t, "2")) // takes what is its own
	if all := s.strays(t, "a"); len(all) != 3 {
		t.Errorf("strays: %+v", all)
	}
}

func (s Subject) refuse(t testing.TB, known channel.Known, reason string) {
	t.Helper()
	if err := s.Hub.Refuse(t.Context(), channel.Refused{Place: known.Place, Received: s.Now(), Reason: reason}); err != nil {
		t.Fatal(err)
	}
}

func straysLatest(t *testing.T, s Subject) {
	s.open(t, "a", paid(t, "1"))
	known := s.find(t, paidTarget)
	for range executor.MaxStrays + 5 {
		s.Advance(t, time.Second)
		s.refuse(t, known, "refused")
		s.paid(t, "", "2", "", channel.KeptUnmatched)
	}
	all := s.strays(t, "a")
	if len(all) != executor.MaxStrays || !all[len(all)-1].Received.Equal(s.Now()) {
		t.Fatalf("%d strays, want %d, of which the last is from now", len(all), executor.MaxStrays)
	}
	if !slices.IsSortedFunc(all, func(a, b executor.Stray) int { return a.Received.Compare(b.Received) }) {
		t.Errorf("strays: %+v", all)
	}
	if err := s.Hub.Refuse(t.Context(), channel.Refused{Place: channel.Place{Token: "nobody"}, Reason: "no"}); err != nil {
		t.Errorf("refuse at an unknown address: %v", err)
	}
}
