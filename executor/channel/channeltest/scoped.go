package channeltest

import (
	"maps"
	"reflect"
	"slices"
	"testing"

	"github.com/weft-flow/weft/executor"
	"github.com/weft-flow/weft/executor/channel"
)

var scopedCases = []testCase{
	{name: "Statement9AnAddressOfARunsOwn", test: ownAddress},
	{name: "Statement9AfterTheEndItIsGone", test: ownAddressGone},
	{name: "Statement9OpenedAgainItIsTheSame", test: openedAgain},
	{name: "ScopedIdentities", test: scopedIdentities},
	{name: "ScopedAddressParameters", test: scopedParameters},
}

func (s Subject) findToken(t testing.TB, token string, rest ...string) channel.Known {
	t.Helper()
	return s.find(t, channel.Target{Token: token, Rest: rest})
}

func ownAddress(t *testing.T, s Subject) {
	box := scoped()
	box.ContentTypes, box.Status, box.Method = []string{"text/plain"}, 200, "PUT"
	second := scoped()
	second.Name = "again"
	tokens := s.open(t, "a", box, second, paid(t, "1"))
	if slices.Sorted(maps.Keys(tokens))[0] != "again" || len(tokens) != 2 || tokens["done"] == tokens["again"] || len(tokens["done"]) < 22 {
		t.Fatalf("the tokens are %v", tokens)
	}
	others := s.open(t, "b", scoped())
	if others["done"] == tokens["done"] {
		t.Fatal("two runs have one address")
	}
	known := s.findToken(t, tokens["done"])
	if known.Source != "pay" || known.Status != 200 || known.Gone || !slices.Equal(known.Methods, []string{"PUT"}) || !slices.Equal(known.ContentTypes, box.ContentTypes) {
		t.Errorf("known: %+v", known)
	}
	s.wait(t, "b", 0)
	s.stored(t, s.keep(t, s.jsonArrival(known, "", `not even JSON`), channel.Stored), "a", 1)
	s.stored(t, s.keep(t, s.jsonArrival(s.findToken(t, tokens["again"]), "", ``), channel.Stored), "a", 2)
	if m := s.next(t, "a", 0); m == nil || m.Box != "done" || !m.Scoped {
		t.Errorf("the message is %+v", m)
	}
	for _, token := range []string{"", "x", tokens["done"] + "x", tokens["done"][1:]} {
		if known, ok, err := s.Hub.Find(t.Context(), channel.Target{Token: token, Kind: executor.WebhookBox}); ok || err != nil {
			t.Errorf("token %q leads to %+v, %v", token, known, err)
		}
	}
	if known, ok, _ := s.Hub.Find(t.Context(), channel.Target{Kind: executor.WebhookBox, Source: "pay", Rest: []string{"done"}}); ok {
		t.Errorf("there is a fixed address too: %+v", known)
	}
}

func ownAddressGone(t *testing.T, s Subject) {
	token := s.open(t, "a", scoped())["done"]
	a := s.jsonArrival(s.findToken(t, token), "x", "{}")
	s.keep(t, a, channel.Stored)
	s.end(t, "a")
	if known := s.findToken(t, token); !known.Gone {
		t.Errorf("known: %+v", known)
	}
	s.keep(t, a, channel.Gone) // also what is repeated, and what found the address before
	a.Identity = "y"
	s.keep(t, a, channel.Gone)
	if all := s.late(t, "a"); len(all) != 0 {
		t.Errorf("late: %+v", all)
	}
	s.Advance(t, day)
	if _, ok, err := s.Hub.Find(t.Context(), channel.Target{Token: token}); ok || err != nil {
		t.Errorf("after a day: %v, %v", ok, err)
	}
	s.keep(t, a, channel.Unknown)
}

func openedAgain(t *testing.T, s Subject) {
	first := s.open(t, "a", scoped(), paid(t, "1"))
	s.paid(t, "x", "1", "", channel.Stored)
	if again := s.open(t, "a", scoped(), paid(t, "1")); !maps.Equal(first, again) {
		t.Errorf("the tokens are %v, before %v", again, first)
	}
	s.paid(t, "x", "1", "", channel.Duplicate)
	if got := s.inbox(t, "a", 0); len(got) != 1 {
		t.Errorf("the inbox has %q", got)
	}
}

func scopedIdentities(t *testing.T, s Subject) {
	box := scoped()
	box.Expect = []executor.Expectation{{Box: box.Name, Where: locator(t, "$message.payload#/none"), Identity: locator(t, "$message.payload#/event")}}
	a, b := s.open(t, "a", box)["done"], s.open(t, "b", box)["done"]
	for _, token := range []string{a, b} { // each run has its own
		known := s.findToken(t, token)
		s.keep(t, s.jsonArrival(known, "x", "{}"), channel.Stored)
		s.keep(t, s.jsonArrival(known, "x", "{}"), channel.Duplicate)
		s.keep(t, s.jsonArrival(known, "x", "[]"), channel.Conflicting)
		s.keep(t, s.jsonArrival(known, "", `{"event":1}`), channel.Stored)
		s.keep(t, s.jsonArrival(known, "", `{"event":1}`), channel.Duplicate)
		s.keep(t, s.jsonArrival(known, "", `{}`), channel.Stored)
		s.keep(t, s.jsonArrival(known, "", `{}`), channel.Stored)
	}
	if got := s.repeats(t, "b"); !slices.Equal(got, []executor.Repeat{{Number: 1, Same: 1, Different: 1}, {Number: 2, Same: 1}}) {
		t.Errorf("repeats: %+v", got)
	}
}

func scopedParameters(t *testing.T, s Subject) {
	box := channelBox("paid", "orders/{orderId}/paid")
	box.Scoped = true
	token := s.open(t, "a", box)["paid"]
	if known := s.findToken(t, token, "orders", "7", "paid"); !reflect.DeepEqual(known.Path, map[string]string{"orderId": "7"}) {
		t.Errorf("known: %+v", known)
	}
	for _, rest := range [][]string{nil, {"orders"}, {"x", "7", "paid"}} {
		if known := s.findToken(t, token, rest...); len(known.Path) != 0 {
			t.Errorf("at %v known: %+v", rest, known)
		}
	}
}
