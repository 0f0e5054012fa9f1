package webhook_test

import (
	"maps"
	"reflect"
	"strings"
	"testing"

	"github.com/weft-flow/weft/executor"
	"github.com/weft-flow/weft/executor/channel"
	"github.com/weft-flow/weft/executor/channel/webhook"
)

func TestPaths(t *testing.T) {
	const hook, bus = executor.WebhookBox, executor.ChannelBox
	for path, want := range map[string]channel.Target{
		"/webhooks/pay/changed":           {Kind: hook, Source: "pay", Rest: []string{"changed"}},
		"/webhooks/pay/changed/":          {Kind: hook, Source: "pay", Rest: []string{"changed"}},
		"/webhooks/a%2Fb/c%20d%25":        {Kind: hook, Source: "a/b", Rest: []string{"c d%"}},
		"/webhooks/pay/%2E%2E":            {Kind: hook, Source: "pay", Rest: []string{".."}},
		"/channels/bus/orders/7%2F8/paid": {Kind: bus, Source: "bus", Rest: []string{"orders", "7/8", "paid"}},
		"/channels/bus/orders//paid":      {Kind: bus, Source: "bus", Rest: []string{"orders", "", "paid"}},
		"/callbacks/token":                {Token: "token", Rest: []string{}},
		"/callbacks/token/orders/7":       {Token: "token", Rest: []string{"orders", "7"}},
		"/callbacks/token%2Fmore":         {Token: "token/more", Rest: []string{}},
	} {
		if got, ok := webhook.ParsePath(path); !ok || !reflect.DeepEqual(got, want) {
			t.Errorf("%s leads to %+v, %v; want %+v", path, got, ok, want)
		}
	}
	for _, path := range []string{"", "/", "webhooks/pay/changed", "/webhooks", "/webhooks/pay", "/webhooks/pay/changed/more", "/webhooks/pay/%", "/Webhooks/pay/changed",
		"/channels/bus", "/callbacks", "/callbacks/", "//callbacks/token", "/other/pay/changed"} {
		if got, ok := webhook.ParsePath(path); ok {
			t.Errorf("%s leads to %+v", path, got)
		}
	}
}

// TestAddressesLeadBack holds that what is built is read as it was meant.
func TestAddressesLeadBack(t *testing.T) {
	for _, name := range []string{"changed", "a/b", "..", ".", "a b?c#d", "100%", "ü", "{x}", "a;b,c", "+"} {
		box := executor.Mailbox{Name: "box", Kind: executor.WebhookBox, Source: name, Operation: name}
		got, ok := webhook.ParsePath(webhook.FixedPath(box))
		if !ok || got.Source != name || len(got.Rest) != 1 || got.Rest[0] != name {
			t.Errorf("%s leads to %+v, %v", webhook.FixedPath(box), got, ok)
		}
	}
	box := executor.Mailbox{Name: "paid", Kind: executor.ChannelBox, Source: "bus", Channel: "paid", Address: "/orders/{orderId}/p aid?x"}
	if got := webhook.FixedPath(box); got != "/channels/bus/orders/{orderId}/p%20aid" {
		t.Errorf("the path is %s", got)
	}
	sent := strings.ReplaceAll(webhook.FixedPath(box), "{orderId}", "7%2F8")
	target, _ := webhook.ParsePath(sent)
	if _, path, ok := channel.Resolve(target, []channel.Address{channel.AddressOf(channel.PlaceOf(box))}); !ok || path["orderId"] != "7/8" {
		t.Errorf("%s leads to %v, %v", sent, path, ok)
	}
	if got := webhook.ServerPath("b us"); got != "/channels/b%20us" {
		t.Errorf("the path of the server is %s", got)
	}
}

func TestAddresses(t *testing.T) {
	boxes := []executor.Mailbox{
		{Name: "a", Kind: executor.WebhookBox, Source: "pay", Operation: "changed"},
		{Name: "b", Kind: executor.CallbackBox, Source: "pay", Operation: "done", Scoped: true},
		{Name: "c", Kind: executor.ChannelBox, Source: "bus", Channel: "c", Address: "orders/{id}", Scoped: true},
		{Name: "d", Kind: executor.ChannelBox, Source: "bus", Channel: "d", Scoped: true},
		{Name: "e", Kind: executor.CallbackBox, Source: "pay", Operation: "none", Scoped: true},
	}
	got := webhook.Addresses("https://example.com/hooks", boxes, map[string]string{"b": "B", "c": "C", "d": "D"})
	want := map[string]string{
		"a": "https://example.com/hooks/webhooks/pay/changed", "b": "https://example.com/hooks/callbacks/B",
		"c": "https://example.com/hooks/callbacks/C/orders/{id}", "d": "https://example.com/hooks/callbacks/D",
	}
	if !maps.Equal(got, want) {
		t.Errorf("the addresses are %v", got)
	}
}

func TestBaseURL(t *testing.T) {
	for text, want := range map[string]string{
		"http://127.0.0.1:8080": "http://127.0.0.1:8080", "https://example.com/": "https://example.com", "https://example.com/a/b/": "https://example.com/a/b",
	} {
		if got, err := webhook.BaseURL(text); got != want || err != nil {
			t.Errorf("%s gives %s, %v", text, got, err)
		}
	}
	for _, text := range []string{"", "example.com", "example.com:8080", "ftp://example.com", "http://", "https://u:secret@example.com", "https://example.com?x", "https://example.com?", "https://example.com#x", "http://a b", "/hooks", "://"} {
		got, err := webhook.BaseURL(text)
		if err == nil || strings.Contains(err.Error(), "secret") {
			t.Errorf("%s gives %s, %v", text, got, err)
		}
	}
}
