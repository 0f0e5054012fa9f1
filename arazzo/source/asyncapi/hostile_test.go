package asyncapi

import (
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/weft-flow/weft/arazzo"
)

// TestHostileDescriptionsAreReadInTime holds that no description takes much
// longer than its size: each of these is quadratic for a reader that is not wary.
func TestHostileDescriptionsAreReadInTime(t *testing.T) {
	const many = 20_000
	repeat := func(format string) string {
		var b strings.Builder
		for i := range many {
			fmt.Fprintf(&b, format, i)
		}
		return b.String()
	}
	deep := strings.Repeat("{not: ", 900) + "{}" + strings.Repeat("}", 900)
	for name, text := range map[string]string{
		"many channels and operations": "asyncapi: 3.0.0\nchannels:\n" + repeat("  c%d: {}\n") +
			"operations:\n" + repeat("  o%[1]d: {action: send, channel: {$ref: '#/channels/c%[1]d'}}\n"),
		"many messages of one channel": "asyncapi: 3.0.0\nchannels:\n  c:\n    messages:\n" + repeat("      m%d: {}\n") +
			"operations:\n  o:\n    action: send\n    channel: {$ref: '#/channels/c'}\n    messages:\n" + repeat("      - {$ref: '#/channels/c/messages/m%d'}\n"),
		"many alternatives":  "asyncapi: 2.6.0\nchannels:\n  c:\n    publish:\n      message:\n        oneOf:\n" + repeat("          - {messageId: m%d}\n"),
		"many servers named": "asyncapi: 2.6.0\nservers:\n" + repeat("  s%d: {url: a, protocol: ws}\n") + "channels:\n  c:\n    servers:\n" + repeat("      - s%d\n"),
		"one schema used by all": "asyncapi: 3.0.0\nchannels:\n  c:\n    messages:\n" + repeat("      m%d: {payload: {$ref: '#/components/schemas/S'}}\n") +
			"components:\n  schemas:\n    S:\n      properties:\n" + repeat("        p%d: {$ref: '#/components/schemas/S'}\n"),
		"a long chain":   "asyncapi: 3.0.0\nchannels:\n" + repeat("  c%d: {$ref: '#/channels/c0'}\n"),
		"deep schemas":   "asyncapi: 3.0.0\nchannels: {c: {messages: {m: {headers: " + deep + ", traits: [{headers: " + deep + "}]}}}}",
		"a long pointer": "asyncapi: 3.0.0\nchannels: {c: {$ref: '#" + strings.Repeat("/a", 500_000) + "'}}",
	} {
		t.Run(name, func(t *testing.T) {
			root := tree(t, text)
			begin := time.Now()
			if _, err := Read(root, "file:///x", files(t, nil)); err != nil {
				t.Fatal(err)
			}
			if took := time.Since(begin); took > 5*time.Second {
				t.Errorf("took %s", took)
			} else {
				t.Logf("took %s", took)
			}
		})
	}
}

func FuzzRead(f *testing.F) {
	for _, name := range []string{"lamps-2.6.yaml", "orders-3.0.yaml", "chat-3.1.json", "shared.yaml"} {
		data, err := os.ReadFile(filepath.Join("testdata", name))
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data)
	}
	f.Add([]byte("asyncapi: 3.0.0\nchannels: {a: {$ref: '#/channels/a'}}\noperations: {o: {channel: {$ref: '?#/channels/a'}}}"))
	f.Add([]byte("asyncapi: 2.0.0\nchannels: {a: {publish: {traits: [{bindings: {k: null}}], bindings: {k: {}}}}}"))
	f.Fuzz(func(t *testing.T, data []byte) {
		root, _ := arazzo.ParseTree(data)
		if root == nil {
			t.Skip()
		}
		c, err := Read(root, "file:///x/y.yaml", func(u *url.URL) (*arazzo.Node, error) {
			if strings.HasSuffix(u.Path, "/shared.yaml") {
				return root, nil
			}
			return nil, ErrNotTried
		})
		if err != nil {
			return
		}
		for _, channel := range c.Channels {
			if c.Channel(channel.Key) == nil {
				t.Errorf("channel %q is not found", channel.Key)
			}
		}
		_ = outline(c)
	})
}
