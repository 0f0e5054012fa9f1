package channeltest

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/weft-flow/weft/executor/channel"
)

var boundCases = []testCase{
	{name: "Statement16AMailboxIsFull", limits: channel.Limits{Mailbox: 3}, test: mailboxFull},
	{name: "Statement16AMailboxHasRoomForAThousand", test: mailboxDefault},
	{name: "AnInboxIsFull", limits: channel.Limits{Inbox: 3}, test: inboxFull},
	{name: "UnmatchedAreFull", limits: channel.Limits{Unmatched: 3}, test: unmatchedFull},
	{name: "UnmatchedAreFullInBytes", limits: channel.Limits{UnmatchedBytes: 5000}, test: unmatchedBytes},
	{name: "EndedRunsAreForgotten", limits: channel.Limits{Ended: 2}, test: endedForgotten},
	{name: "IdentitiesOfEndedRunsAreForgotten", limits: channel.Limits{EndedIdentities: 3}, test: identitiesForgotten},
	{name: "LateMessagesAreForgotten", limits: channel.Limits{Late: 2}, test: lateForgotten},
	{name: "LateBytesAreForgotten", limits: channel.Limits{LateBytes: 5000}, test: lateBytes},
	{name: "Statement13ABurstOfDuplicates", test: burst},
}

func mailboxFull(t *testing.T, s Subject) {
	box := scoped()
	token := s.open(t, "a", paid(t, "1"), box)["done"]
	for i := range 3 {
		s.paid(t, fmt.Sprint(i), "1", "", channel.Stored)
	}
	for range 5 {
		s.paid(t, "2", "1", "", channel.Duplicate)
	}
	s.paid(t, "3", "1", "", channel.Full)
	s.paid(t, "", "1", "", channel.Full)
	s.stored(t, s.keep(t, s.jsonArrival(s.findToken(t, token), "", ""), channel.Stored), "a", 4) // another mailbox
	s.wait(t, "a", 1).Stop()                                                                     // the first is read
	s.stored(t, s.paid(t, "3", "1", "", channel.Stored), "a", 5)                                 // what was refused is no repeat
	s.paid(t, "4", "1", "", channel.Full)
	s.open(t, "b", paid(t, "2"))
	s.paid(t, "5", "2", "", channel.Stored)
}

func mailboxDefault(t *testing.T, s Subject) {
	s.open(t, "a", paid(t, "1"))
	a := s.jsonArrival(s.find(t, paidTarget), "", `{"ref":"1"}`)
	for range 1000 {
		s.keep(t, a, channel.Stored)
	}
	s.keep(t, a, channel.Full)
}

func inboxFull(t *testing.T, s Subject) {
	s.open(t, "a", paid(t, "1"))
	for i := range 3 {
		s.paid(t, fmt.Sprint(i), "1", "", channel.Stored)
		s.next(t, "a", i+1)
	}
	s.paid(t, "3", "1", "", channel.Full)
	s.paid(t, "0", "1", "", channel.Duplicate)
	s.paid(t, "", "1", "", channel.Stored) // nothing of it is remembered
}

func unmatchedFull(t *testing.T, s Subject) {
	s.open(t, "a", paid(t, "1"))
	for i := range 3 {
		s.paid(t, fmt.Sprint(i), "2", "", channel.KeptUnmatched)
	}
	s.paid(t, "2", "2", "", channel.Duplicate)
	s.paid(t, "3", "2", "", channel.Full)
	s.paid(t, "4", "1", "", channel.Stored)
	s.open(t, "b", paid(t, "2"))
	s.unmatched(t, 0)
	s.paid(t, "5", "3", "", channel.KeptUnmatched)
}

func unmatchedBytes(t *testing.T, s Subject) {
	s.declare(t)
	a := s.jsonArrival(s.find(t, paidTarget), "", fmt.Sprintf(`{"ref":%q}`, strings.Repeat("x", 500)))
	for i := 0; ; i++ {
		kept, err := s.Hub.Keep(t.Context(), a)
		if err != nil || i > 10 {
			t.Fatalf("message %d: %+v, %v", i, kept, err)
		}
		if kept.Outcome == channel.Full {
			s.unmatched(t, i)
			break
		}
	}
	s.Advance(t, day)
	s.unmatched(t, 0)
	a.Received = s.Now()
	s.keep(t, a, channel.KeptUnmatched)
}

func endedForgotten(t *testing.T, s Subject) {
	s.open(t, "open", paid(t, "0"))
	for i := 1; i <= 3; i++ {
		run := fmt.Sprint("run ", i)
		s.open(t, run, paid(t, fmt.Sprint(i)))
		s.paid(t, "x"+run, fmt.Sprint(i), "", channel.Stored)
		s.end(t, run)
	}
	s.paid(t, "", "1", "", channel.KeptUnmatched)
	s.paid(t, "xrun 1", "1", "", channel.KeptUnmatched)
	s.paid(t, "", "2", "", channel.Late)
	s.paid(t, "xrun 3", "3", "", channel.Duplicate)
}

func identitiesForgotten(t *testing.T, s Subject) {
	s.open(t, "open", paid(t, "0"))
	for i := 1; i <= 2; i++ {
		run := fmt.Sprint("run ", i)
		s.open(t, run, paid(t, fmt.Sprint(i)))
		s.paid(t, run+"x", fmt.Sprint(i), "", channel.Stored)
		s.end(t, run)
	}
	s.paid(t, "late", "2", "", channel.Late)
	s.paid(t, "", "1", "", channel.Late)
	s.paid(t, "later", "2", "", channel.Late) // the fourth: the oldest run is forgotten
	s.paid(t, "run 1x", "1", "", channel.KeptUnmatched)
	s.paid(t, "later", "2", "", channel.Duplicate)
}

func lateForgotten(t *testing.T, s Subject) {
	s.open(t, "a", paid(t, "1"))
	s.end(t, "a")
	for i := range 4 {
		s.paid(t, fmt.Sprint(i), "1", "", channel.Late)
	}
	if all := s.late(t, "a"); len(all) != 2 || all[0].Identity != "2" || all[1].Identity != "3" {
		t.Errorf("late: %+v", all)
	}
	s.Advance(t, day-time.Second)
	if all := s.late(t, "a"); len(all) != 2 {
		t.Errorf("late: %+v", all)
	}
}

func lateBytes(t *testing.T, s Subject) {
	s.open(t, "a", paid(t, "1"))
	s.end(t, "a")
	for i := range 4 {
		s.paid(t, fmt.Sprint(i), "1", strings.Repeat("x", 1600), channel.Late)
	}
	all := s.late(t, "a")
	if len(all) == 0 || len(all) == 4 || all[len(all)-1].Identity != "3" {
		t.Errorf("%d late messages, want the latest of 4", len(all))
	}
}

// burst counts; that it is cheap is for benchmarks to tell.
func burst(t *testing.T, s Subject) {
	const times = 10_000
	s.open(t, "a", paid(t, "1"))
	a := s.jsonArrival(s.find(t, paidTarget), "x", `{"ref":"1"}`)
	s.keep(t, a, channel.Stored)
	for range times {
		s.keep(t, a, channel.Duplicate)
	}
	if got := s.repeats(t, "a"); len(got) != 1 || got[0].Same != times {
		t.Errorf("repeats: %+v, want %d of the same", got, times)
	}
	if got := s.inbox(t, "a", 0); len(got) != 1 {
		t.Errorf("the inbox has %d messages", len(got))
	}
}
