package channeltest

import (
	"errors"
	"reflect"
	"slices"
	"testing"
	"time"

	"github.com/weft-flow/weft/arazzo/value"
	"github.com/weft-flow/weft/executor"
	"github.com/weft-flow/weft/executor/channel"
)

// day is how long unmatched messages and ended runs are remembered by default.
const day = 24 * time.Hour

var routeCases = []testCase{
	{name: "Statement7MessagesKeepTheirOrder", test: order},
	{name: "Statement7AnEarlyMessageIsThere", test: early},
	{name: "Statement8AWaitingRunComesFirst", test: waitingFirst},
	{name: "Statement8TheOldestRunComesFirst", test: oldestFirst},
	{name: "Statement8TheOldestEndedRunIsLate", test: late},
	{name: "Statement8AnEndedRunIsForgotten", test: forgotten},
	{name: "Statement9MessagesOfTwoRunsCross", test: crossing},
	{name: "Statement11ValuesAreCompared", test: compared},
	{name: "Statement11NothingIsExpected", test: nothingExpected},
	{name: "AMessageIsAsItCame", test: asItCame},
	{name: "Statement5AddressParameters", test: addressParameters},
	{name: "WhatIsKnownOfAnAddress", test: whatIsKnown},
	{name: "RunsThatAreNotOpen", test: notOpen},
	{name: "AWaitIsWoken", test: woken},
}

func order(t *testing.T, s Subject) {
	s.open(t, "a", paid(t, "1"), scoped())
	for i := range 5 {
		s.stored(t, s.paid(t, "", "1", "", channel.Stored), "a", i+1)
	}
	if got := s.inbox(t, "a", 0); len(got) != 5 {
		t.Errorf("the inbox has %d messages, want 5", len(got))
	}
	if m := s.next(t, "a", 5); m != nil {
		t.Errorf("after the last there is %+v", m)
	}
	s.stored(t, s.paid(t, "", "1", "", channel.Stored), "a", 6)
	if m := s.next(t, "a", 5); m == nil || m.Number != 6 || m.Box != "paid" {
		t.Errorf("the next is %+v, want number 6", m)
	}
}

func early(t *testing.T, s Subject) {
	s.open(t, "a", paid(t))
	s.paid(t, "id", "1", "", channel.KeptUnmatched)
	if err := s.Hub.Expect(t.Context(), "a", expects(t, "paid", "1")); err != nil {
		t.Fatal(err)
	}
	if m := s.next(t, "a", 0); m == nil || m.Identity != "id" {
		t.Errorf("the early message is %+v", m)
	}
}

func waitingFirst(t *testing.T, s Subject) {
	for _, run := range []string{"a", "b", "c"} {
		s.open(t, run, paid(t, "1"))
	}
	c := s.wait(t, "c", 0)
	s.stored(t, s.paid(t, "", "1", "", channel.Stored), "c", 1)
	b := s.wait(t, "b", 0)
	s.stored(t, s.paid(t, "", "1", "", channel.Stored), "b", 1)
	b.Stop()
	b.Stop()
	s.stored(t, s.paid(t, "", "1", "", channel.Stored), "c", 2)
	c.Stop()
	s.stored(t, s.paid(t, "", "1", "", channel.Stored), "a", 1)
	s.wait(t, "b", 0)
	s.open(t, "d", paid(t, "2"))
	s.stored(t, s.paid(t, "", "2", "", channel.Stored), "d", 1) // b waits, but for something else
}

func oldestFirst(t *testing.T, s Subject) {
	s.open(t, "z", paid(t, "1"))
	s.open(t, "a", paid(t, "1"))
	s.stored(t, s.paid(t, "", "1", "", channel.Stored), "z", 1)
	s.end(t, "z")
	s.stored(t, s.paid(t, "", "1", "", channel.Stored), "a", 1)
}

func late(t *testing.T, s Subject) {
	s.open(t, "a", paid(t, "1"))
	s.open(t, "b", paid(t, "1"))
	s.paid(t, "first", "1", "", channel.Stored)
	s.end(t, "a")
	s.end(t, "b")
	s.end(t, "b") // changes nothing
	s.stored(t, s.paid(t, "second", "1", "", channel.Late), "a", 0)
	s.stored(t, s.paid(t, "second", "1", "", channel.Duplicate), "a", 0)
	s.stored(t, s.paid(t, "first", "1", "", channel.Duplicate), "a", 1)
	s.unmatched(t, 0)
	all := s.late(t, "a")
	if len(all) != 1 || all[0].Identity != "second" || all[0].Box != "paid" || all[0].Number != 0 || len(all[0].Body) == 0 {
		t.Errorf("late: %+v", all)
	}
	if all := s.late(t, "b"); len(all) != 0 {
		t.Errorf("late for another run: %+v", all)
	}
	if got := s.repeats(t, "a"); !slices.Equal(got, []executor.Repeat{{Number: 1, Same: 1}}) {
		t.Errorf("repeats: %+v", got)
	}
	s.open(t, "c", paid(t, "1"))
	s.stored(t, s.paid(t, "third", "1", "", channel.Stored), "c", 1)
}

func forgotten(t *testing.T, s Subject) {
	if err := s.Hub.Declare(t.Context(), []executor.Mailbox{paid(t)}); err != nil {
		t.Fatal(err)
	}
	s.open(t, "a", paid(t, "1"))
	s.paid(t, "x", "1", "", channel.Stored)
	s.end(t, "a")
	s.Advance(t, day-time.Second)
	s.paid(t, "x", "1", "", channel.Duplicate)
	s.paid(t, "y", "1", "", channel.Late)
	s.Advance(t, time.Second)
	s.paid(t, "x", "1", "", channel.KeptUnmatched)
	if _, err := s.Hub.Late(t.Context(), "a"); !errors.Is(err, channel.ErrNoRun) {
		t.Errorf("late messages of a run that is forgotten: %v", err)
	}
}

// crossing has two runs at one address whose messages come in the other order.
func crossing(t *testing.T, s Subject) {
	s.open(t, "a", paid(t, "1"))
	s.open(t, "b", paid(t, "2"))
	s.wait(t, "a", 0)
	s.wait(t, "b", 0)
	s.stored(t, s.paid(t, "x", "2", "", channel.Stored), "b", 1)
	s.stored(t, s.paid(t, "y", "1", "", channel.Stored), "a", 1)
	for run, want := range map[string]string{"a": "y", "b": "x"} {
		if m := s.next(t, run, 0); m == nil || m.Identity != want {
			t.Errorf("run %s got %+v, want %s", run, m, want)
		}
	}
}

func compared(t *testing.T, s Subject) {
	number, err := value.Number("100")
	if err != nil {
		t.Fatal(err)
	}
	const id = "0f8fad5b-d9cb-469f-a165-70867728950e"
	raw := "\x0f\x8f\xad\x5b\xd9\xcb\x46\x9f\xa1\x65\x70\x86\x77\x28\x95\x0e"
	box := paid(t)
	box.Expect = []executor.Expectation{
		{Box: box.Name, Where: locator(t, "$message.payload#/number"), Value: number},
		{Box: box.Name, Where: locator(t, "$message.payload#/text"), Value: value.String("Case")},
		{Box: box.Name, Where: locator(t, "$message.header.X-Order"), Value: value.String(id)},
		{Box: box.Name, Where: locator(t, "$message.query.order"), Value: value.String("7")},
	}
	s.open(t, "a", box)
	known := s.find(t, paidTarget)
	for body, want := range map[string]channel.Outcome{
		`{"number":100}`: channel.Stored, `{"number":1.0e2}`: channel.Stored, `{"number":"100"}`: channel.Stored,
		`{"number":101}`: channel.KeptUnmatched, `{"text":"Case"}`: channel.Stored, `{"text":"case"}`: channel.KeptUnmatched,
		`{"text":""}`: channel.KeptUnmatched, `{"text":null}`: channel.KeptUnmatched, `{"text":["Case"]}`: channel.KeptUnmatched,
		`{`: channel.KeptUnmatched, ``: channel.KeptUnmatched,
	} {
		s.keep(t, s.jsonArrival(known, "", body), want)
	}
	for text, want := range map[string]channel.Outcome{id: channel.Stored, raw: channel.Stored, raw[1:]: channel.KeptUnmatched} {
		a := s.jsonArrival(known, "", "")
		a.Header["X-Order"] = []string{text}
		s.keep(t, a, want)
	}
	for text, want := range map[string]channel.Outcome{"7": channel.Stored, "8": channel.KeptUnmatched} {
		a := s.jsonArrival(known, "", "")
		a.Query = map[string][]string{"order": {text}}
		s.keep(t, a, want)
	}
}

func nothingExpected(t *testing.T, s Subject) {
	box := paid(t)
	for _, nothing := range []value.Value{value.Absent, value.Null, value.String(""), value.Array()} {
		box.Expect = append(box.Expect, executor.Expectation{Box: box.Name, Where: locator(t, "$message.payload#/ref"), Value: nothing})
	}
	box.Expect = append(box.Expect, executor.Expectation{Box: box.Name, Value: value.String("1")})
	s.open(t, "a", box)
	s.wait(t, "a", 0)
	for _, body := range []string{`{}`, `{"ref":""}`, `{"ref":null}`, `{"ref":[]}`, `{"ref":"1"}`, ``} {
		s.keep(t, s.jsonArrival(s.find(t, paidTarget), "", body), channel.KeptUnmatched)
	}
	s.unmatched(t, 6)
}

func asItCame(t *testing.T, s Subject) {
	s.open(t, "a", paid(t, "1"))
	a := s.jsonArrival(s.find(t, paidTarget), "id", `{ "ref" : "1", "amount": 10.00, "\u0061":1e400 } `)
	a.Header["X-Twice"] = []string{"b", "a"}
	a.Query = map[string][]string{"q": {"2", "1"}}
	a.Method = "PUT"
	s.keep(t, a, channel.Stored)
	m := s.next(t, "a", 0)
	if m == nil || string(m.Body) != string(a.Body) || !reflect.DeepEqual(m.Header, a.Header) || !reflect.DeepEqual(m.Query, a.Query) {
		t.Fatalf("the message is %+v", m)
	}
	if m.Method != "PUT" || m.Identity != "id" || m.Scoped || !m.Received.Equal(a.Received) || m.Box != "paid" {
		t.Errorf("the message is %+v", m)
	}
}

// channelBox is a mailbox of a channel of AsyncAPI.
func channelBox(key, address string, expect ...executor.Expectation) executor.Mailbox {
	return executor.Mailbox{Name: key, Kind: executor.ChannelBox, Source: "bus", Channel: key, Address: address, Expect: expect}
}

func addressParameters(t *testing.T, s Subject) {
	byOrder := executor.Expectation{Box: "paid", Where: locator(t, "$message.path.orderId"), Value: value.String("a/b")}
	s.open(t, "a", channelBox("paid", "/orders/{orderId}/paid", byOrder), channelBox("all", "orders/all/paid"), channelBox("unknown", ""))
	for _, c := range []struct {
		path []string
		name string
		want map[string]string
	}{
		{[]string{"orders", "a/b", "paid"}, "/orders/{orderId}/paid", map[string]string{"orderId": "a/b"}},
		{[]string{"orders", "all", "paid"}, "orders/all/paid", nil},
		{[]string{"unknown"}, "unknown", nil},
	} {
		known := s.find(t, channel.Target{Kind: executor.ChannelBox, Source: "bus", Rest: c.path})
		if known.Place.Name != c.name || !reflect.DeepEqual(known.Path, c.want) {
			t.Errorf("%v leads to %+v", c.path, known)
		}
	}
	for _, path := range [][]string{{"orders", "", "paid"}, {"orders", "1"}, {"orders", "1", "paid", "2"}, {"other"}, nil} {
		if known, ok, err := s.Hub.Find(t.Context(), channel.Target{Kind: executor.ChannelBox, Source: "bus", Rest: path}); ok || err != nil {
			t.Errorf("%v leads to %+v, %v", path, known, err)
		}
	}
	known := s.find(t, channel.Target{Kind: executor.ChannelBox, Source: "bus", Rest: []string{"orders", "a/b", "paid"}})
	s.stored(t, s.keep(t, s.jsonArrival(known, "", ""), channel.Stored), "a", 1)
	if m := s.next(t, "a", 0); m.Path["orderId"] != "a/b" {
		t.Errorf("the message has the parameters %v", m.Path)
	}
}

func whatIsKnown(t *testing.T, s Subject) {
	if _, ok, err := s.Hub.Find(t.Context(), paidTarget); ok || err != nil {
		t.Fatalf("an address before it is declared: %v, %v", ok, err)
	}
	declared := paid(t)
	declared.ContentTypes, declared.Status = []string{"application/json"}, 204
	for range 2 {
		if err := s.Hub.Declare(t.Context(), []executor.Mailbox{declared, scoped()}); err != nil {
			t.Fatal(err)
		}
	}
	known := s.find(t, paidTarget)
	if known.Source != "pay" || known.Status != 204 || !slices.Equal(known.Methods, []string{"POST"}) || !slices.Equal(known.ContentTypes, []string{"application/json"}) {
		t.Errorf("declared: %+v", known)
	}
	other := paid(t, "1")
	other.Method, other.ContentTypes, other.Status = "PUT", []string{"text/plain"}, 200
	s.open(t, "a", other)
	known = s.find(t, paidTarget)
	if !slices.Equal(known.Methods, []string{"POST", "PUT"}) || !slices.Equal(known.ContentTypes, []string{"application/json", "text/plain"}) {
		t.Errorf("with the box of a run: %+v", known)
	}
	if kept := s.paid(t, "", "1", "", channel.Stored); kept.Status != 200 {
		t.Errorf("the status of the run's box is %d, want 200", kept.Status)
	}
	s.open(t, "b", paid(t))
	if known = s.find(t, paidTarget); len(known.ContentTypes) != 0 {
		t.Errorf("with a box that takes anything: %+v", known)
	}
	if _, ok, _ := s.Hub.Find(t.Context(), channel.Target{Kind: executor.WebhookBox, Source: "other", Rest: paidTarget.Rest}); ok {
		t.Error("the address of another source is known")
	}
	s.end(t, "a")
	s.end(t, "b")
	s.Advance(t, day)
	if known = s.find(t, paidTarget); !slices.Equal(known.Methods, []string{"POST"}) || known.Status != 204 {
		t.Errorf("after the runs are forgotten: %+v", known)
	}
	kept, err := s.Hub.Keep(t.Context(), s.jsonArrival(channel.Known{Place: channel.Place{Kind: executor.WebhookBox, Source: "no", Name: "no"}}, "", "{}"))
	if err != nil || kept.Outcome != channel.Unknown {
		t.Errorf("kept at an unknown address: %+v, %v", kept, err)
	}
}

func notOpen(t *testing.T, s Subject) {
	ctx := t.Context()
	calls := map[string]func(run string) error{
		"expect":  func(run string) error { return s.Hub.Expect(ctx, run, expects(t, "paid", "1")) },
		"wait":    func(run string) error { _, err := s.Hub.Wait(ctx, run, 0); return err },
		"repeats": func(run string) error { _, err := s.Hub.Repeats(ctx, run); return err },
		"strays":  func(run string) error { _, err := s.Hub.Strays(ctx, run); return err },
		"late":    func(run string) error { _, err := s.Hub.Late(ctx, run); return err },
		"end":     func(run string) error { return s.Hub.End(ctx, run) },
	}
	for name, call := range calls {
		if err := call("nobody"); !errors.Is(err, channel.ErrNoRun) {
			t.Errorf("%s of nobody: %v, want %v", name, err, channel.ErrNoRun)
		}
	}
	s.open(t, "a", paid(t, "1"))
	if err := s.Hub.Expect(ctx, "a", expects(t, "other", "1")); !errors.Is(err, channel.ErrNoBox) {
		t.Errorf("expect in no box: %v, want %v", err, channel.ErrNoBox)
	}
	w := s.wait(t, "a", 0)
	s.end(t, "a")
	if _, err := w.Next(ctx); !errors.Is(err, channel.ErrRunEnded) {
		t.Errorf("next after the end: %v, want %v", err, channel.ErrRunEnded)
	}
	for _, name := range []string{"expect", "wait"} {
		if err := calls[name]("a"); !errors.Is(err, channel.ErrRunEnded) {
			t.Errorf("%s after the end: %v, want %v", name, err, channel.ErrRunEnded)
		}
	}
	if _, err := s.Hub.Open(ctx, "a", nil); !errors.Is(err, channel.ErrRunEnded) {
		t.Errorf("open after the end: %v, want %v", err, channel.ErrRunEnded)
	}
}

func woken(t *testing.T, s Subject) {
	s.open(t, "a", paid(t, "1"))
	hubs := s.hubs(t)
	w := s.wait(t, "a", 0)
	for n := range 4 { // by what comes to any node
		signal := w.Woken()
		if m, err := w.Next(t.Context()); m != nil || err != nil {
			t.Fatalf("before the message there is %+v, %v", m, err)
		}
		a := s.jsonArrival(s.find(t, paidTarget), "", `{"ref":"1"}`)
		done := make(chan error)
		go func() {
			_, err := hubs[n%len(hubs)].Keep(t.Context(), a)
			done <- err
		}()
		<-signal
		m, err := w.Next(t.Context())
		if err != nil || m == nil || m.Number != n+1 {
			t.Fatalf("after the wake there is %+v, %v", m, err)
		}
		if err := <-done; err != nil {
			t.Fatal(err)
		}
		w.Stop()
		w = s.wait(t, "a", n+1)
	}
	signal := w.Woken()
	if err := hubs[len(hubs)-1].End(t.Context(), "a"); err != nil {
		t.Fatal(err)
	}
	<-signal
}
