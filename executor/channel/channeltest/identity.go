package channeltest

import (
	"slices"
	"testing"

	"github.com/weft-flow/weft/executor"
	"github.com/weft-flow/weft/executor/channel"
)

var identityCases = []testCase{
	{name: "Statement13SameIdentity", test: sameIdentity},
	{name: "Statement13ARepeatStaysWithItsRun", test: repeatStays},
	{name: "Statement12IdentityInTheMessage", test: ownIdentity},
	{name: "Statement12TheNativeIdentityComesFirst", test: nativeFirst},
	{name: "Statement12WithoutIdentityBothAreStored", test: surplus},
	{name: "Statement12IdentitiesAreOfOneAddress", test: oneAddress},
	{name: "ContentIsAddressAndBody", test: contentIs},
}

func sameIdentity(t *testing.T, s Subject) {
	s.open(t, "a", paid(t, "1"))
	s.stored(t, s.paid(t, "x", "1", "", channel.Stored), "a", 1)
	s.stored(t, s.paid(t, "y", "1", "", channel.Stored), "a", 2)
	s.stored(t, s.paid(t, "y", "1", "", channel.Duplicate), "a", 2)
	s.stored(t, s.paid(t, "y", "1", "other", channel.Conflicting), "a", 2)
	s.stored(t, s.paid(t, "y", "no longer 1", "", channel.Conflicting), "a", 2)
	s.stored(t, s.paid(t, "x", "1", "", channel.Duplicate), "a", 1)
	if got := s.inbox(t, "a", 0); len(got) != 2 {
		t.Errorf("the inbox has %q", got)
	}
	s.paid(t, "x", "1", "", channel.Duplicate) // after it was read, too
	want := []executor.Repeat{{Number: 1, Same: 2}, {Number: 2, Same: 1, Different: 2}}
	if got := s.repeats(t, "a"); !slices.Equal(got, want) {
		t.Errorf("repeats: %+v, want %+v", got, want)
	}
	s.unmatched(t, 0)
}

// repeatStays has a second run that waits for the same when a message comes again.
func repeatStays(t *testing.T, s Subject) {
	s.open(t, "a", paid(t, "1"))
	s.paid(t, "x", "1", "", channel.Stored)
	s.open(t, "b", paid(t, "1"))
	s.wait(t, "b", 0)
	s.stored(t, s.paid(t, "x", "1", "", channel.Duplicate), "a", 1)
	if got := s.repeats(t, "b"); len(got) != 0 {
		t.Errorf("repeats of the other: %+v", got)
	}
	s.stored(t, s.paid(t, "y", "1", "", channel.Stored), "b", 1)
}

func ownIdentity(t *testing.T, s Subject) {
	box := paid(t, "1")
	box.Expect[0].Identity = locator(t, "$message.payload#/event")
	s.open(t, "a", box)
	s.open(t, "b", paid(t, "2"))
	known := s.find(t, paidTarget)
	s.keep(t, s.jsonArrival(known, "", `{"ref":"1","event":7}`), channel.Stored)
	s.keep(t, s.jsonArrival(known, "", `{"ref":"1","event":7}`), channel.Duplicate)
	s.keep(t, s.jsonArrival(known, "", `{"ref":"1","event":7,"more":1}`), channel.Conflicting)
	s.keep(t, s.jsonArrival(known, "", `{"ref":"1","event":8}`), channel.Stored)
	s.keep(t, s.jsonArrival(known, "", `{"ref":"1"}`), channel.Stored)
	s.keep(t, s.jsonArrival(known, "", `{"ref":"1"}`), channel.Stored)
	s.keep(t, s.jsonArrival(known, "", `{"ref":"1","event":null}`), channel.Stored)
	s.keep(t, s.jsonArrival(known, "", `{"ref":"2","event":9}`), channel.Stored) // of b, which names none
	s.keep(t, s.jsonArrival(known, "", `{"ref":"2","event":9}`), channel.Stored)
	if m := s.next(t, "a", 0); m == nil || m.Identity != "7" {
		t.Errorf("the first message is %+v", m)
	}
}

func nativeFirst(t *testing.T, s Subject) {
	box := paid(t, "1")
	box.Expect[0].Identity = locator(t, "$message.payload#/event")
	s.open(t, "a", box)
	known := s.find(t, paidTarget)
	s.keep(t, s.jsonArrival(known, "x", `{"ref":"1","event":"e"}`), channel.Stored)
	s.keep(t, s.jsonArrival(known, "y", `{"ref":"1","event":"e"}`), channel.Stored)
	s.keep(t, s.jsonArrival(known, "x", `{"ref":"1","event":"f"}`), channel.Conflicting)
	// An identity in a message is none of the native ones, even if it reads alike.
	s.keep(t, s.jsonArrival(known, "", `{"ref":"1","event":"x"}`), channel.Stored)
}

func surplus(t *testing.T, s Subject) {
	s.open(t, "a", paid(t, "1"))
	s.stored(t, s.paid(t, "", "1", "", channel.Stored), "a", 1)
	s.stored(t, s.paid(t, "", "1", "", channel.Stored), "a", 2)
	if got := s.repeats(t, "a"); len(got) != 0 {
		t.Errorf("repeats: %+v", got)
	}
}

func oneAddress(t *testing.T, s Subject) {
	refund := paid(t, "1")
	refund.Name, refund.Operation = "refund", "refunded"
	refund.Expect[0].Box = "refund"
	s.open(t, "a", paid(t, "1"), refund)
	s.paid(t, "x", "1", "", channel.Stored)
	known := s.find(t, channel.Target{Kind: executor.WebhookBox, Source: "pay", Rest: []string{"refunded"}})
	kept := s.keep(t, s.jsonArrival(known, "x", `{"ref":"1"}`), channel.Stored)
	if s.stored(t, kept, "a", 2); kept.Box != "refund" {
		t.Errorf("the message is in %q", kept.Box)
	}
}

func contentIs(t *testing.T, s Subject) {
	s.open(t, "a", paid(t, "1"))
	a := s.jsonArrival(s.find(t, paidTarget), "x", `{"ref":"1"}`)
	s.keep(t, a, channel.Stored)
	a.Header = executor.Header{"Content-Type": {"application/json"}, "Webhook-Timestamp": {"2"}}
	a.Query = map[string][]string{"attempt": {"2"}}
	s.keep(t, a, channel.Duplicate)
	a.Body = []byte(`{"ref": "1"}`) // says the same, but is not the same
	s.keep(t, a, channel.Conflicting)
}
