package source

import (
	"errors"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestChannelsAreFoundByTheirPaths(t *testing.T) {
	s := mixed(t)
	for _, test := range []struct{ path, source, key string }{
		{"{$sourceDescriptions.events.url}#/channels/placed", "events", "placed"},
		{"{$sourceDescriptions.lamps.url}#/channels/lamp~1on", "lamps", "lamp/on"},
		{"{$sourceDescriptions.lamps.url}#/channels/lamp%7E1on", "lamps", "lamp/on"},
		{"{$sourceDescriptions.events.url}#/channels/a%20b~1c%25d", "events", "a b/c%d"},
		{"$sourceDescriptions.events.url#/channels/placed", "events", "placed"},
		{"$sourceDescriptions.events#/channels/placed", "events", "placed"},
		{"events#/channels/placed", "events", "placed"},
		{"events.yaml#/channels/placed", "events", "placed"},
	} {
		d, c, err := s.FindChannel(test.path)
		if err != nil || d.Name != test.source || c.Key != test.key {
			t.Errorf("%s: %v %v %v", test.path, d, c, err)
		}
	}
}

func TestAKeyAloneMeansTheOnlyAsyncAPISource(t *testing.T) {
	dir := files(t, map[string]string{
		"a.yaml":      workflow("sourceDescriptions: [{name: api, url: api.yaml}, {name: events, url: events.yaml}]"),
		"api.yaml":    api("list"),
		"events.yaml": "asyncapi: 3.0.0\nchannels: {placed: {}, 'a#b': {}}\n",
	})
	s := wellLoaded(t, NewLoader(Options{Offline: true}), filepath.Join(dir, "a.yaml"))
	for path, want := range map[string]string{"placed": "placed", "#/channels/placed": "placed", "a#b": "a#b"} {
		if _, c, err := s.FindChannel(path); err != nil || c.Key != want {
			t.Errorf("%s: %v %v", path, c, err)
		}
	}
	if _, _, err := s.FindChannel("place"); err == nil || err.Error() != `no channel "place": a channelPath is written {$sourceDescriptions.NAME.url}#/channels/KEY; did you mean "{$sourceDescriptions.events.url}#/channels/placed"?` {
		t.Error(err)
	}
}

func TestChannelPathsThatNameNothingAreExplained(t *testing.T) {
	s := mixed(t)
	const form = "a channelPath is written {$sourceDescriptions.NAME.url}#/channels/KEY"
	for path, want := range map[string]string{
		"{$sourceDescriptions.events.url}#/channels/place":             `source "events" has no channel "place"; did you mean "{$sourceDescriptions.events.url}#/channels/placed"?`,
		"{$sourceDescriptions.events.url}#/channels/orders~1placed":    `source "events" has no channel "orders/placed"; did you mean "{$sourceDescriptions.events.url}#/channels/placed"?`,
		"{$sourceDescriptions.events.url}#/channels/placed/messages/m": `the pointer leads beyond a channel; did you mean "{$sourceDescriptions.events.url}#/channels/placed"?`,
		"{$sourceDescriptions.lamps.url}#/channels/lamp/on":            `in a key, / is written ~1; did you mean "{$sourceDescriptions.lamps.url}#/channels/lamp~1on"?`,
		"{$sourceDescriptions.events.url}#/channels/a b~1c%25":         `source "events" has no channel "a b/c%"; did you mean "{$sourceDescriptions.events.url}#/channels/a b~1c%25d"?`,
		"{$sourceDescriptions.events.url}#/operations/placeOrder":      `this is an operation, which operationId: $sourceDescriptions.events.placeOrder names`,
		"{$sourceDescriptions.events.url}#/operations/none":            form,
		"{$sourceDescriptions.events.url}#channels":                    `its fragment is no JSON Pointer: a JSON Pointer begins with '/', this is "channels"`,
		"{$sourceDescriptions.api.url}#/channels/placed":               `source "api" is of type openapi, not asyncapi`,
		"{$sourceDescriptions.gone.url}#/channels/placed":              `source "gone" could not be loaded`,
		"{$sourceDescriptions.events.title}#/channels/placed":          `before the # only $sourceDescriptions.events.url can stand`,
		"$sourceDescriptions.events.placed":                            form + `; did you mean "{$sourceDescriptions.events.url}#/channels/placed"?`,
		"placed":                                                       `of 3 AsyncAPI sources it does not say which; ` + form + `; did you mean "{$sourceDescriptions.events.url}#/channels/placed"?`,
	} {
		_, c, err := s.FindChannel(path)
		var lost *NotFoundError
		if c != nil || !errors.As(err, &lost) {
			t.Errorf("%s: %v, %v", path, c, err)
			continue
		}
		if diff := cmp.Diff("no channel "+quote(path)+": "+want, err.Error()); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	}
	if _, _, err := s.FindChannel("{$sourceDescriptions.evens.url}#/channels/placed"); err == nil || err.Error() != `no source "evens": needed by "{$sourceDescriptions.evens.url}#/channels/placed"; did you mean "events"?` {
		t.Error(err)
	}
	s.Sources = s.Sources[:1]
	if _, _, err := s.FindChannel("placed"); err == nil || err.Error() != `no channel "placed": the document has no source of type asyncapi` {
		t.Error(err)
	}
}
