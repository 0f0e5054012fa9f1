package source

import (
	"errors"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// mixed loads a document with an OpenAPI and two AsyncAPI sources.
func mixed(t *testing.T) *Set {
	t.Helper()
	dir := files(t, map[string]string{
		"a.yaml": workflow("sourceDescriptions: [{name: api, url: api.yaml}, {name: events, url: events.yaml}, {name: lamps, url: lamps.yaml}, {name: gone, url: gone.yaml, type: asyncapi}]"),
		"api.yaml": "openapi: 3.1.0\ninfo: {title: t, version: '1'}\npaths:\n" +
			"  /a: {get: {operationId: list, responses: {}}, put: {operationId: shared, responses: {}}}\n",
		"events.yaml": `asyncapi: 3.0.0
channels: {placed: {address: orders/placed}, 'a b/c%d': {}}
operations:
  placeOrder: {action: send, channel: {$ref: '#/channels/placed'}}
  shared: {action: receive, channel: {$ref: '#/channels/placed'}}
  both: {action: receive, channel: {$ref: '#/channels/placed'}}
`,
		"lamps.yaml": `asyncapi: 2.6.0
channels:
  lamp/on: {publish: {operationId: lampOn}, subscribe: {operationId: both}}
  lamp/off: {publish: {operationId: twice}, subscribe: {operationId: twice}}
`,
	})
	s, _ := load(t, NewLoader(Options{Offline: true}), filepath.Join(dir, "a.yaml"))
	return s
}

func TestOperationsOfAsyncAPIAreFoundBesideThoseOfOpenAPI(t *testing.T) {
	s := mixed(t)
	for _, test := range []struct{ ref, source, id string }{
		{"placeOrder", "events", "placeOrder"},
		{"lampOn", "lamps", "lampOn"},
		{"$sourceDescriptions.events.shared", "events", "shared"},
		{"{$sourceDescriptions.lamps.both}", "lamps", "both"},
	} {
		target, err := s.FindTarget(test.ref)
		if err != nil || target.Description.Name != test.source || target.Async == nil || target.Async.ID != test.id || target.Operation != nil {
			t.Errorf("%s: %+v %v", test.ref, target, err)
		}
		d, o, err := s.FindOperation(test.ref)
		var async *AsyncOperationError
		if !errors.As(err, &async) || async.Operation.ID != test.id || async.Description.Name != test.source || d != async.Description || o != nil {
			t.Errorf("%s: %v %v %v", test.ref, d, o, err)
		}
	}
	target, err := s.FindTarget("$sourceDescriptions.api.shared")
	if err != nil || target.Async != nil || target.Operation.ID != "shared" {
		t.Errorf("%+v %v", target, err)
	}
}

func TestOperationsOfAsyncAPIThatAreNotThereAreExplained(t *testing.T) {
	s := mixed(t)
	path := func(ref string) error { _, _, err := s.FindOperationPath(ref); return err }
	find := func(ref string) error { _, err := s.FindTarget(ref); return err }
	for _, test := range []struct {
		err  error
		want string
	}{
		{find("shared"), `operation "shared" is ambiguous: it names "$sourceDescriptions.api.shared" and "$sourceDescriptions.events.shared"`},
		{find("both"), `operation "both" is ambiguous: it names "$sourceDescriptions.events.both" and "$sourceDescriptions.lamps.both"`},
		{find("twice"), `operation "twice" is ambiguous: it names "lamps#/channels/lamp~1off/publish" and "lamps#/channels/lamp~1off/subscribe"`},
		{find("placeorder"), `no operation "placeorder": not looked for in "gone", which could not be loaded; did you mean "placeOrder"?`},
		{find("$sourceDescriptions.events.placeOder"), `no operation "$sourceDescriptions.events.placeOder": source "events" describes none of that operationId; did you mean "placeOrder"?`},
		{find("$sourceDescriptions.events.placed"), `no operation "$sourceDescriptions.events.placed": source "events" describes none of that operationId, but a channel, which a channelPath names`},
		{find("$sourceDescriptions.gone.a"), `no operation "$sourceDescriptions.gone.a": source "gone" could not be loaded`},
		{find("events.placeOrder"), `no operation "events.placeOrder": not looked for in "gone", which could not be loaded; did you mean "$sourceDescriptions.events.placeOrder"?`},
		{path("{$sourceDescriptions.events.url}#/operations/placeOrder"), `no operation "{$sourceDescriptions.events.url}#/operations/placeOrder": source "events" is of type asyncapi: name an operation by operationId, a channel by channelPath; did you mean "$sourceDescriptions.events.placeOrder"?`},
		{path("{$sourceDescriptions.gone.url}#/operations/placeOrder"), `no operation "{$sourceDescriptions.gone.url}#/operations/placeOrder": source "gone" could not be loaded`},
	} {
		if test.err == nil {
			t.Errorf("no error, want %s", test.want)
			continue
		}
		if diff := cmp.Diff(test.want, test.err.Error()); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	}
}
