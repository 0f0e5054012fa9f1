package channel_test

import (
	"reflect"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/weft-flow/weft/arazzo/value"
	"github.com/weft-flow/weft/executor"
	"github.com/weft-flow/weft/executor/channel"
)

func TestTemplates(t *testing.T) {
	for _, c := range []struct {
		address string
		path    []string
		want    map[string]string
		no      bool
	}{
		{address: "orders", path: []string{"orders"}},
		{address: "/orders/", path: []string{"orders"}},
		{address: "orders?page=1", path: []string{"orders"}},
		{address: "orders", path: []string{"Orders"}, no: true},
		{address: "orders/{id}", path: []string{"orders", "7"}, want: map[string]string{"id": "7"}},
		{address: "orders/{id}", path: []string{"orders", "a/b c"}, want: map[string]string{"id": "a/b c"}},
		{address: "orders/{id}", path: []string{"orders", "line\nbreak"}, want: map[string]string{"id": "line\nbreak"}},
		{address: "orders/{id}", path: []string{"orders", ""}, no: true},
		{address: "orders/{id}", path: []string{"orders"}, no: true},
		{address: "orders/{id}", path: []string{"orders", "7", ""}, no: true},
		{address: "v{major}.{minor}/x", path: []string{"v1.2", "x"}, want: map[string]string{"major": "1", "minor": "2"}},
		{address: "v{major}.{minor}", path: []string{"v1"}, no: true},
		{address: "{a}/{a}", path: []string{"1", "1"}, want: map[string]string{"a": "1"}},
		{address: "{a}/{a}", path: []string{"1", "2"}, no: true},
		{address: "a.b", path: []string{"axb"}, no: true},
		{address: "{a}.(b", path: []string{"1.(b"}, want: map[string]string{"a": "1"}},
		{address: "a{b", path: []string{"a{b"}},
		{address: "", path: nil, no: true},
	} {
		got, ok := channel.ParseTemplate(c.address).Match(c.path)
		if ok == c.no || !reflect.DeepEqual(got, c.want) {
			t.Errorf("%q and %q: %v, %v; want %v, %v", c.address, c.path, got, ok, c.want, !c.no)
		}
	}
}

// TestResolveTakesTheNearest holds that text comes before parameters, whatever the order.
func TestResolveTakesTheNearest(t *testing.T) {
	var addresses []channel.Address
	for _, name := range []string{"{a}/{b}", "x/{b}", "{a}/y", "x/y", "{b}/{a}"} {
		addresses = append(addresses, channel.AddressOf(channel.Place{Kind: executor.ChannelBox, Source: "bus", Name: name}))
	}
	addresses = append(addresses, channel.AddressOf(channel.Place{Kind: executor.WebhookBox, Source: "bus", Name: "{a}"}))
	for range 2 {
		for path, want := range map[string]string{"x y": "x/y", "x z": "x/{b}", "z y": "{a}/y", "z z": "{a}/{b}"} {
			target := channel.Target{Kind: executor.ChannelBox, Source: "bus", Rest: strings.Fields(path)}
			if got, _, ok := channel.Resolve(target, addresses); !ok || got.Name != want {
				t.Errorf("%s leads to %q, want %q", path, got.Name, want)
			}
		}
		slices.Reverse(addresses)
	}
	for _, c := range []struct {
		rest string
		want bool
	}{{"{a}", true}, {"x", false}} { // braces in the name of an operation are no parameters
		if _, _, ok := channel.Resolve(channel.Target{Kind: executor.WebhookBox, Source: "bus", Rest: []string{c.rest}}, addresses); ok != c.want {
			t.Errorf("the operation %q is found: %v", c.rest, ok)
		}
	}
}

func TestPlaces(t *testing.T) {
	for _, c := range []struct {
		box  executor.Mailbox
		want channel.Place
	}{
		{executor.Mailbox{Kind: executor.WebhookBox, Source: "s", Operation: "o"}, channel.Place{Kind: executor.WebhookBox, Source: "s", Name: "o"}},
		{executor.Mailbox{Kind: executor.CallbackBox, Source: "s", Operation: "o"}, channel.Place{Kind: executor.WebhookBox, Source: "s", Name: "o"}},
		{executor.Mailbox{Kind: executor.ChannelBox, Source: "s", Channel: "k", Address: "a/{b}?c=d"}, channel.Place{Kind: executor.ChannelBox, Source: "s", Name: "a/{b}"}},
		{executor.Mailbox{Kind: executor.ChannelBox, Source: "s", Channel: "k"}, channel.Place{Kind: executor.ChannelBox, Source: "s", Name: "k"}},
	} {
		if got := channel.PlaceOf(c.box); got != c.want {
			t.Errorf("%+v is at %+v, want %+v", c.box, got, c.want)
		}
	}
}

func TestChoose(t *testing.T) {
	const waits, open, ended = channel.WaitsNow, channel.IsOpen, channel.HasEnded
	for _, c := range []struct {
		candidates []channel.Candidate
		want       int
	}{
		{nil, -1},
		{[]channel.Candidate{{2, ended}, {1, ended}}, 1},
		{[]channel.Candidate{{1, ended}, {3, open}, {2, open}}, 2},
		{[]channel.Candidate{{1, open}, {9, waits}, {8, waits}, {8, waits}}, 2},
	} {
		if got := channel.Choose(c.candidates); got != c.want {
			t.Errorf("of %v: %d, want %d", c.candidates, got, c.want)
		}
	}
}

// TestKeysAreBounded holds that keys can stand in any database, and stay apart.
func TestKeysAreBounded(t *testing.T) {
	where, err := executor.ParseLocator("$message.payload#/" + strings.Repeat("long", 1000))
	if err != nil {
		t.Fatal(err)
	}
	values := []string{"a", "b", strings.Repeat("x", 1<<20), strings.Repeat("x", 1<<20) + "y", "\x00", "a\nb", "\xff", "\xfe", "é"}
	seen := map[string]string{}
	for _, v := range values {
		keys := append(channel.LookupKeys(where, value.String(v)), channel.NativeIdentity(v), channel.NativeIdentity("source", v))
		if len(keys) != 4 && len(keys) != 3 {
			t.Errorf("%.10q has the keys %q", v, keys)
		}
		for _, key := range keys {
			if len(key) > 700 || !utf8.ValidString(key) || strings.ContainsRune(key, 0) {
				t.Errorf("%.10q has the key %q", v, key)
			}
			if other, ok := seen[key]; ok {
				t.Errorf("%.10q and %.10q share the key %q", v, other, key)
			}
			seen[key] = v
		}
	}
}

func TestNativeIdentitiesOfSeveralParts(t *testing.T) {
	seen := map[string]bool{}
	for _, parts := range [][]string{{"a", "b c"}, {"a b", "c"}, {"a%20b", "c"}, {"a", "b%20c"}} {
		if id := channel.NativeIdentity(parts...); seen[id] {
			t.Errorf("%q reads like another: %q", parts, id)
		} else {
			seen[id] = true
		}
	}
}

func TestIdentityKeys(t *testing.T) {
	where, err := executor.ParseLocator("$message.payload#/id")
	if err != nil {
		t.Fatal(err)
	}
	places := []executor.Locator{{}, where}
	m := &executor.Message{Body: []byte(`{"id":"x"}`)}
	own := channel.IdentityKeys(m, places)
	if identity, key := channel.IdentityFor(m, where); identity != "x" || len(own) != 1 || own[0] != key {
		t.Errorf("%q is looked up by %q and kept by %q", identity, own, key)
	}
	if identity, key := channel.IdentityFor(m, executor.Locator{}); identity != "" || key != "" {
		t.Errorf("nowhere there is %q, %q", identity, key)
	}
	m.Identity = "x"
	native := channel.IdentityKeys(m, places)
	if _, key := channel.IdentityFor(m, where); len(native) != 1 || native[0] != key || key == own[0] {
		t.Errorf("the native one is looked up by %q and kept by %q", native, key)
	}
}

func TestDigests(t *testing.T) {
	base := func() *executor.Message {
		return &executor.Message{Body: []byte("body"), Path: map[string]string{"a": "1", "b": "2"}, Query: map[string][]string{"q": {"1"}}, Header: executor.Header{"X": {"1"}}}
	}
	same := base()
	same.Header, same.Query, same.Identity = executor.Header{"X": {"2"}}, nil, "other"
	if channel.DigestOf(base()) != channel.DigestOf(same) {
		t.Error("header, query or identity change the digest of a message with a body")
	}
	changes := map[string]func(m *executor.Message){
		"body":       func(m *executor.Message) { m.Body = []byte("Body") },
		"path":       func(m *executor.Message) { m.Path = map[string]string{"a": "1", "b": "3"} },
		"path names": func(m *executor.Message) { m.Path = map[string]string{"a": "1b", "": "2"} },
		"no body":    func(m *executor.Message) { m.Body = nil },
		"query":      func(m *executor.Message) { m.Body, m.Query = nil, map[string][]string{"q": {"1", "2"}} },
		"no query":   func(m *executor.Message) { m.Body, m.Query = nil, nil },
	}
	seen := map[channel.Digest]string{channel.DigestOf(base()): "base"}
	for name, change := range changes {
		m := base()
		change(m)
		if other, ok := seen[channel.DigestOf(m)]; ok {
			t.Errorf("%s has the digest of %s", name, other)
		}
		seen[channel.DigestOf(m)] = name
	}
	if d := channel.DigestOf(base()); channel.Repeated(d, d) != channel.Duplicate || channel.Repeated(d, channel.Digest{}) != channel.Conflicting {
		t.Error("repeats are not told apart")
	}
}

func TestOutcomes(t *testing.T) {
	for o, want := range map[channel.Outcome]bool{
		channel.Stored: true, channel.Duplicate: true, channel.Conflicting: true, channel.KeptUnmatched: true, channel.Late: true,
		channel.Gone: false, channel.Full: false, channel.Unknown: false, "": false,
	} {
		if o.Acknowledged() != want {
			t.Errorf("%q is acknowledged: %v", o, !want)
		}
	}
}

func TestUnmatchedReason(t *testing.T) {
	where, err := executor.ParseLocator("$message.payload#/ref")
	if err != nil {
		t.Fatal(err)
	}
	for body, want := range map[string]string{
		`{"ref":"r-1"}`:               "no run expects what it has at $message.payload#/ref (r-1)",
		"\ufeff" + `{"ref":"r-1"}`:    "no run expects what it has at $message.payload#/ref (r-1)",
		`{"other":"r-1"}`:             "it has no value at $message.payload#/ref",
		"\ufeff" + `{"other":"r-1"}`:  "it has no value at $message.payload#/ref",
		`{"ref":`:                     "its body is not the JSON that it says to be",
		`{"ref":"r-1","ref":"r-2"}`:   "its body is JSON that can be read in more than one way: the name of a member stands twice in the object that ends at byte 24",
		strings.Repeat("[", 100_000):  "its body is nested deeper than",
		`{"ref":"r-1"} {"ref":"r-2"}`: "its body is not the JSON that it says to be",
	} {
		m := &executor.Message{Header: executor.Header{"Content-Type": {"application/json"}}, Body: []byte(body)}
		if got := channel.UnmatchedReason(m, []executor.Locator{where}); !strings.HasPrefix(got, want) {
			t.Errorf("%.40s: %q, want %q", body, got, want)
		}
	}
}
