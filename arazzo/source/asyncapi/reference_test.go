package asyncapi

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/weft-flow/weft/arazzo"
)

func TestReferencesInACircleEnd(t *testing.T) {
	c := read(t, `asyncapi: 3.0.0
channels:
  a: {$ref: '#/channels/b'}
  b: {$ref: '#/channels/a'}
  self: {$ref: '#/channels/self'}
  inside: {$ref: '#/channels/inside/messages/m'}
  knot: {messages: {m: {$ref: '#/components/messages/x/y'}}}
  fine: {messages: {m: {payload: {properties: {again: {$ref: '#/channels/fine/messages/m/payload'}}}}}}
components:
  messages:
    x: {$ref: '#/components/messages/z/y'}
    z: {$ref: '#/components/messages/x/y'}
`)
	var got []string
	for _, f := range c.Faults {
		got = append(got, f.Node.Pointer()+": "+f.Message)
	}
	const (
		circle = "it begins a circle, or more than 100 that follow each other"
		back   = "it leads back to itself"
	)
	want := []string{
		`/channels/a/$ref: the reference "#/channels/b" cannot be followed: ` + circle,
		`/channels/b/$ref: the reference "#/channels/a" cannot be followed: ` + circle,
		`/channels/self/$ref: the reference "#/channels/self" cannot be followed: ` + circle,
		`/channels/inside/$ref: the reference "#/channels/inside/messages/m" cannot be followed: on its way, "#/channels/inside/messages/m" cannot: ` + back,
		`/channels/knot/messages/m/$ref: the reference "#/components/messages/x/y" cannot be followed: on its way, "#/components/messages/z/y" cannot: ` + back,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if len(c.Channels) != 2 || len(c.Channel("fine").Messages) != 1 {
		t.Errorf("%s", outline(c))
	}
}

func TestAWayMayLeadThroughReferences(t *testing.T) {
	c := read(t, `asyncapi: 3.0.0
channels: {$ref: '#/components/channels'}
operations:
  o: {action: send, channel: {$ref: '#/channels/c'}, messages: [{$ref: '#/channels/c/messages/m'}]}
components:
  channels: {c: {$ref: '#/components/x-more/c'}}
  x-more: {c: {address: a, messages: {m: {title: here}}}}
`)
	if len(c.Faults) != 0 || c.ByID("o")[0].Channel != c.Channel("c") || c.ByID("o")[0].Messages[0] != c.Channel("c").Message("m") {
		t.Errorf("%s", outline(c))
	}
}

func TestFilesAreOpenedOnceAndOnlyWhereTheyAreNeeded(t *testing.T) {
	texts := map[string]string{
		"/x/a.yaml":     "{m: {payload: {$ref: sub/b.yaml#/S}}, n: {payload: {$ref: 'sub/b.yaml#/T'}}}",
		"/x/sub/b.yaml": "{S: {not: {$ref: '../main.yaml#/components/schemas/Back'}}, T: {properties: {p: {$ref: gone.yaml}, q: {$ref: 'gone.yaml#/q'}}}}",
	}
	open, asked := files(t, texts), map[string]int{}
	root := tree(t, `asyncapi: 3.0.0
channels: {c: {messages: {m: {$ref: a.yaml#/m}, n: {$ref: a.yaml#/n}, o: {$ref: 'b%zz'}}}}
components: {schemas: {Back: {type: object, example: {$ref: unseen.yaml}, properties: {example: {type: string}}}, Unused: {$ref: unused.yaml}}}
`)
	c, err := Read(root, "file:///x/main.yaml", func(u *url.URL) (*arazzo.Node, error) {
		asked[u.String()]++
		return open(u)
	})
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]int{"file:///x/a.yaml": 1, "file:///x/sub/b.yaml": 1, "file:///x/sub/gone.yaml": 1}
	if diff := cmp.Diff(want, asked); diff != "" {
		t.Errorf("files (-want +got):\n%s", diff)
	}
	var faults []string
	for _, f := range c.Faults {
		faults = append(faults, f.File+f.Node.Pointer()+": "+f.Message)
	}
	wantFaults := []string{
		`file:///x/main.yaml/channels/c/messages/o/$ref: the reference "b%zz" cannot be followed: it is no URI reference: invalid URL escape "%zz"`,
		`file:///x/sub/b.yaml/T/properties/p/$ref: the reference "gone.yaml" cannot be followed: /x/sub/gone.yaml: no such file`,
		`file:///x/sub/b.yaml/T/properties/q/$ref: the reference "gone.yaml#/q" cannot be followed: /x/sub/gone.yaml: no such file`,
	}
	if diff := cmp.Diff(wantFaults, faults); diff != "" {
		t.Errorf("faults (-want +got):\n%s", diff)
	}
	if len(c.Files) != 3 || c.File(c.Channels[0].Messages[0].Payload.Node) != "file:///x/sub/b.yaml" {
		t.Errorf("files %v", c.Files)
	}
}

func TestACanceledOpenerEndsTheReading(t *testing.T) {
	root := tree(t, "asyncapi: 3.0.0\nchannels: {c: {$ref: a.yaml}}")
	_, err := Read(root, "file:///x/main.yaml", func(*url.URL) (*arazzo.Node, error) {
		return nil, fmt.Errorf("open: %w", context.Canceled)
	})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
}

func TestWhatWasNotLookedForIsMarked(t *testing.T) {
	root := tree(t, "asyncapi: 3.0.0\nchannels: {c: {$ref: 'https://h.example/a.yaml'}, d: {$ref: '#/none'}}")
	c, err := Read(root, "file:///x/main.yaml", func(*url.URL) (*arazzo.Node, error) {
		return nil, fmt.Errorf("offline: %w", ErrNotTried)
	})
	if err != nil || len(c.Faults) != 2 || !c.Faults[0].Offline || c.Faults[1].Offline {
		t.Errorf("%v, %v", c.Faults, err)
	}
}

func TestReferencesThatAreStrungTogetherEnd(t *testing.T) {
	// Each lies on the way of the one before it.
	var text strings.Builder
	text.WriteString("asyncapi: 3.0.0\nchannels: {c: {$ref: '#/x-0/a'}}\n")
	for i := range 20_000 {
		fmt.Fprintf(&text, "x-%d: {$ref: '#/x-%d/a'}\n", i, i+1)
	}
	text.WriteString("x-20000: {a: {a: {}}}\n")
	c := read(t, text.String())
	if len(c.Channels) != 0 || len(c.Faults) != 1 || !strings.Contains(c.Faults[0].Message, "more than 100 references lie on the way of each other") {
		t.Errorf("%s", outline(c))
	}
}
