package webhook_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/weft-flow/weft/executor"
	"github.com/weft-flow/weft/executor/channel/webhook"
)

// event is an event in structured mode whose reference is 1.
func event(id, rest string) string {
	return fmt.Sprintf(`{ "specversion":"1.0", "source":"/pay", "id":%q, "type":"t", "ref":"1"%s }`, id, rest)
}

func TestBinaryEvents(t *testing.T) {
	s := newStand(t, webhook.Source{}, nil)
	s.post(202, path, `{"ref":"1"}`, "Content-Type", "application/json", "webhook-id", "no",
		"ce-specversion", "1.0", "ce-source", "/pay%20ments", "ce-id", "caf%C3%A9", "CE-Subject", `"a \"b\""`, "ce-broken", "%C0%A0", "ce-time", "2026-01-02T12:00:00Z")
	m := s.only()
	if m.Identity != "/pay%20ments café" {
		t.Errorf("the identity is %q", m.Identity)
	}
	for name, want := range map[string]string{"Ce-Source": "/pay ments", "Ce-Id": "café", "Ce-Subject": `a "b"`, "Ce-Broken": "%C0%A0", "Ce-Time": "2026-01-02T12:00:00Z"} {
		if got, _ := m.Header.Get(name); got != want {
			t.Errorf("%s is %q, want %q", name, got, want)
		}
	}
	if string(m.Body) != `{"ref":"1"}` {
		t.Errorf("the body is %s", m.Body)
	}
	// The same event in structured mode is the same, with other content.
	s.post(202, path, strings.ReplaceAll(event("café", ""), `"/pay"`, `"/pay ments"`), "Content-Type", "application/cloudevents+json")
	s.only()
}

// TestNoEvents holds that what lacks an attribute is named by its webhook-id alone.
func TestNoEvents(t *testing.T) {
	for _, fields := range [][]string{
		{"ce-source", "/pay", "ce-id", "1"},
		{"ce-specversion", "1.0", "ce-id", "1"},
		{"ce-specversion", "1.0", "ce-source", "/pay"},
		{"ce-specversion", "1.0", "ce-source", "/pay", "ce-id", ""},
		{"ce-specversion", "1.0", "ce-source", "/pay", "ce-id", "1", "ce-id", "2"},
	} {
		s := newStand(t, webhook.Source{}, nil)
		s.post(202, path, `{"ref":"1"}`, append(fields, "webhook-id", "msg")...)
		if m := s.only(); m.Identity != "msg" {
			t.Errorf("%q has the identity %q", fields, m.Identity)
		}
	}
}

func TestStructuredEvents(t *testing.T) {
	s := newStand(t, webhook.Source{}, func(_ *stand, boxes []executor.Mailbox) { boxes[0].ContentTypes = []string{"application/json"} })
	body := event("1", `,"subject":"caf\u00e9", "extension":7, "flag":true, "nothing":null, "data":{"id":"other"}, "data_base64":"", "Odd":"x"`)
	s.post(202, path, body, "Content-Type", "Application/CloudEvents+JSON; charset=utf-8", "ce-id", "other", "ce-else", "gone", "X-Own", "kept")
	m := s.only()
	if m.Identity != "/pay 1" || string(m.Body) != body {
		t.Errorf("the message is %q: %s", m.Identity, m.Body)
	}
	want := map[string]string{"Ce-Id": "1", "Ce-Source": "/pay", "Ce-Specversion": "1.0", "Ce-Type": "t", "Ce-Subject": "café", "Ce-Extension": "7", "Ce-Flag": "true", "Ce-Ref": "1", "X-Own": "kept"}
	for name, text := range want {
		if got, _ := m.Header.Get(name); got != text {
			t.Errorf("%s is %q, want %q", name, got, text)
		}
	}
	if len(m.Header) != len(want)+1 { // and Content-Type
		t.Errorf("the header is %v", m.Header)
	}
	s.post(202, path, body, "Content-Type", "application/cloudevents+json")
	s.only()
}

// TestBrokenEventsAreKept holds that what claims to be an event is acknowledged: whoever
// awaits it finds out.
func TestBrokenEventsAreKept(t *testing.T) {
	for _, contentType := range []string{"application/cloudevents+json", "application/cloudevents-batch+json"} {
		for _, body := range []string{``, `{`, `null`, `"x"`, `7`, `{"id":"1"}`, `{"specversion":null}`, `[{]`, strings.Repeat("[", 100_000)} {
			s := newStand(t, webhook.Source{}, nil)
			s.post(202, "/callbacks/"+s.tokens["done"], body, "Content-Type", contentType, "webhook-id", "msg")
			if m := s.only(); m.Identity != "msg" || string(m.Body) != body {
				t.Errorf("%.20s: %q %.20s", body, m.Identity, m.Body)
			}
		}
	}
}

const batchType = "application/cloudevents-batch+json"

func TestBatches(t *testing.T) {
	s := newStand(t, webhook.Source{}, nil)
	events := []string{event("1", ""), event("2", `,"data":[1, 2]`), strings.ReplaceAll(event("3", ""), `"ref":"1"`, `"ref":"2"`), event("1", ""), `{"ref":"1"}`, `{"ref":"1"}`}
	batch := "[" + strings.Join(events, " , ") + "]"
	s.post(202, path, batch, "Content-Type", batchType, "webhook-id", "msg", "X-Own", "kept")
	all := s.inbox()
	var got []string
	for _, m := range all {
		got = append(got, m.Identity)
		if own, _ := m.Header.Get("X-Own"); own != "kept" {
			t.Errorf("the header is %v", m.Header)
		}
		if contentType, _ := m.Header.Get("Content-Type"); contentType != "application/cloudevents+json" {
			t.Errorf("the content type is %q", contentType)
		}
	}
	if fmt.Sprint(got) != "[/pay 1 /pay 2 msg 4 msg 5]" || string(all[1].Body) != events[1] {
		t.Errorf("the run has %q", got)
	}
	if id, _ := all[0].Header.Get("Ce-Id"); id != "1" {
		t.Errorf("the first has the id %q", id)
	}
	// The same again has nothing new.
	s.post(202, path, batch, "Content-Type", batchType, "webhook-id", "msg")
	if again := s.inbox(); len(again) != len(all) {
		t.Errorf("the run has %d messages, before %d", len(again), len(all))
	}
	if repeats, err := s.hub.Repeats(t.Context(), "run"); err != nil || fmt.Sprint(repeats) != "[{1 3 0} {2 1 0} {3 1 0} {4 1 0}]" {
		t.Errorf("repeats: %v, %v", repeats, err)
	}
}

func TestBatchesOfAnySize(t *testing.T) {
	s := newStand(t, webhook.Source{}, nil)
	s.post(202, path, "[]", "Content-Type", batchType)
	s.post(413, path, "["+strings.Repeat("{},", 1000)+"{}]", "Content-Type", batchType)
	if strays := s.strays(); len(strays) != 1 || !strings.Contains(strays[0].Reason, "1001 events") {
		t.Errorf("strays: %+v", strays)
	}
}

// TestABatchThatIsHalfKept fails after the first event; when it comes again, each event
// is there once.
func TestABatchThatIsHalfKept(t *testing.T) {
	b := &broken{keep: true, kept: 1}
	s := newStand(t, webhook.Source{}, func(s *stand, _ []executor.Mailbox) {
		b.Keeper = s.hub
		s.keeper = b
	})
	batch := "[" + event("1", "") + "," + event("2", "") + "]"
	s.post(503, path, batch, "Content-Type", batchType)
	s.only()
	b.keep = false
	s.post(202, path, batch, "Content-Type", batchType)
	if all := s.inbox(); len(all) != 2 || all[1].Identity != "/pay 2" {
		t.Errorf("the run has %+v", all)
	}
}

// TestABatchWithAConflict answers for all events together.
func TestABatchWithAConflict(t *testing.T) {
	s := newStand(t, webhook.Source{ConflictStatus: 409}, nil)
	s.post(202, path, "["+event("1", "")+"]", "Content-Type", batchType)
	s.post(409, path, "["+event("1", `,"data":1`)+","+event("2", "")+"]", "Content-Type", batchType)
	if all := s.inbox(); len(all) != 2 {
		t.Errorf("the run has %+v", all)
	}
}
