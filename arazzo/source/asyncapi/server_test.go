package asyncapi

import (
	"fmt"
	"testing"
)

func TestTheURLOfAServer(t *testing.T) {
	for _, test := range []struct{ version, server, host, pathname, url string }{
		{"2.6.0", "{url: 'mqtt://a.example:1883/x/y', protocol: mqtt}", "a.example:1883", "/x/y", "mqtt://a.example:1883/x/y"},
		{"2.6.0", "{url: a.example, protocol: kafka-secure}", "a.example", "", "kafka-secure://a.example"},
		{"2.6.0", "{url: '{scheme}://{host}/v{v}', protocol: wss, variables: {host: {default: h}, v: {enum: ['1']}}}", "{host}", "/v{v}", "wss://h/v1"},
		{"2.6.0", "{url: /only/path, protocol: http}", "", "/only/path", "http:///only/path"},
		{"3.0.0", "{host: 'a.example:9092', protocol: kafka}", "a.example:9092", "", "kafka://a.example:9092"},
		{"3.0.0", "{host: '{r}.a.example', pathname: 'p/{q}', protocol: https, variables: {r: {default: eu, enum: [us]}, q: {enum: [a, b]}}}", "{r}.a.example", "p/{q}", "https://eu.a.example/p/{q}"},
		{"3.1.0", "{host: 'a{e}', protocol: ws, variables: {e: {default: ''}}}", "a{e}", "", "ws://a"},
		{"3.1.0", "{host: 'a{none}', protocol: ws}", "a{none}", "", "ws://a{none}"},
	} {
		s := read(t, fmt.Sprintf("asyncapi: %s\nservers: {s: %s}", test.version, test.server)).Servers[0]
		if s.Host != test.host || s.Pathname != test.pathname || s.URL() != test.url {
			t.Errorf("%s: host %q, pathname %q, URL %s", test.server, s.Host, s.Pathname, s.URL())
		}
	}
}

func TestVariablesAreFilledByWhatIsGivenFirst(t *testing.T) {
	s := read(t, "asyncapi: 3.0.0\nservers: {s: {host: '{a}.{b}', protocol: ws, variables: {a: {default: x}, b: {default: y}}}}").Servers[0]
	if got := s.Fill(s.Host, map[string]string{"b": "{a}"}); got != "x.{a}" {
		t.Errorf("host %s", got)
	}
}

func TestAChannelWithoutServersHasAllOfThem(t *testing.T) {
	c := read(t, `asyncapi: 2.2.0
servers: {a: {url: a, protocol: ws}, b: {url: b, protocol: mqtt}, c: {url: c, protocol: ws}}
channels: {all: {}, none: {servers: []}, one: {servers: [b, d]}}
`)
	for key, want := range map[string]string{"all": "[ws mqtt]", "none": "[ws mqtt]", "one": "[mqtt]"} {
		if got := fmt.Sprint(c.Channel(key).Protocols()); got != want {
			t.Errorf("%s: %s", key, got)
		}
	}
	if len(c.Faults) != 1 || c.Faults[0].Message != `the description has no server "d"` {
		t.Errorf("faults %v", c.Faults)
	}
}
