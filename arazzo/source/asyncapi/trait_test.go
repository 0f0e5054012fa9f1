package asyncapi

import (
	"fmt"
	"strings"
	"testing"

	"github.com/weft-flow/weft/arazzo"
	"github.com/weft-flow/weft/arazzo/value"
)

// written writes a node as JSON.
func written(n *arazzo.Node) string { return string(value.AppendJSON(nil, n.Value())) }

func TestATraitOverridesIn2AndFillsInIn3(t *testing.T) {
	const traits = `[
  {title: first, summary: first, bindings: {k: {a: 1, b: {c: 1, d: [1]}, e: null, only: x}}},
  {summary: last, bindings: {k: {b: {d: [2]}, own: null}}}]`
	const own = `summary: own, bindings: {k: {a: 0, own: here, e: 0, kept: null, b: {c: 0, f: 0}}}`
	for version, want := range map[string]string{
		"2.6.0": `first last {"b":{"d":[2],"c":1,"f":0},"a":1,"only":"x","kept":null}`,
		"3.0.0": `first own {"a":0,"own":"here","e":0,"kept":null,"b":{"c":0,"f":0,"d":[2]},"only":"x"}`,
	} {
		text := "asyncapi: " + version + "\n"
		if version[0] == '2' {
			text += "channels: {c: {publish: {operationId: o, " + own + ", traits: " + traits + "}}}"
		} else {
			text += "channels: {c: {}}\noperations: {o: {action: send, channel: {$ref: '#/channels/c'}, " + own + ", traits: " + traits + "}}"
		}
		o := read(t, text).ByID("o")[0]
		if got := fmt.Sprintf("%s %s %s", o.Title, o.Summary, written(o.Bindings["k"])); got != want {
			t.Errorf("%s:\n got %s\nwant %s", version, got, want)
		}
		if o.Node.Get("summary").Text != "own" {
			t.Errorf("%s: the operation has lost its own place", version)
		}
	}
}

func TestSchemasOfATraitAreMergedToo(t *testing.T) {
	c := testdata(t, "lamps-2.6.yaml")
	headers := c.Channel("lamps/{lamp}/measured").Message("Measured").Headers
	const want = `{"type":"object","required":["trace"],"properties":{"trace":{"type":"string","minimum":1},"at":{"type":"string"}}}`
	if got := written(headers.Node); got != want || !headers.Merged {
		t.Errorf("headers %s", got)
	}
	if at := headers.Node.Get("properties").Get("trace").Get("type"); at.Pointer() != "/components/messageTraits/traced/headers/properties/trace/type" {
		t.Errorf("a part of the merged schema stands at %s", at.Pointer())
	}
}

func TestAReferenceInsideOfMergedPartsCountsAlone(t *testing.T) {
	c := read(t, `asyncapi: 3.0.0
channels:
  c:
    messages:
      m:
        headers: {properties: {a: {$ref: '#/components/schemas/A'}, b: {minimum: 1}}}
        traits: [{headers: {$ref: '#/components/schemas/H'}}]
components:
  schemas:
    A: {type: string}
    H: {properties: {a: {maximum: 1}, b: {$ref: '#/components/schemas/A'}}}
`)
	const want = `{"properties":{"a":{"$ref":"#/components/schemas/A"},"b":{"minimum":1}}}`
	if got := written(c.Channels[0].Messages[0].Headers.Node); got != want {
		t.Errorf("headers %s", got)
	}
}

func TestABrokenTraitIsLeftOut(t *testing.T) {
	c := read(t, `asyncapi: 2.0.0
channels:
  c:
    publish:
      operationId: own
      summary: own
      traits: [{$ref: '#/none'}, 5, {summary: trait}]
`)
	if o := c.ByID("own"); len(o) != 1 || o[0].Summary != "trait" || len(c.Faults) != 2 {
		t.Errorf("%v, faults %v", o, c.Faults)
	}
}

func TestTraitsThatMultiplyAreLeftOut(t *testing.T) {
	var text strings.Builder
	text.WriteString("asyncapi: 2.6.0\nchannels:\n  c:\n    publish:\n      message:\n        oneOf:\n")
	for i := range 2000 {
		fmt.Fprintf(&text, "          - {messageId: m%d, traits: [{$ref: '#/components/messageTraits/huge'}]}\n", i)
	}
	text.WriteString("components: {messageTraits: {huge: {title: huge, x-a: {}")
	for i := range 1000 {
		fmt.Fprintf(&text, ", x-%d: {}", i)
	}
	text.WriteString("}}}\n")
	c := read(t, text.String())
	messages := c.Channels[0].Messages
	if len(messages) != 2000 || messages[0].Title != "huge" || messages[1999].Title != "" {
		t.Errorf("%d messages, from %q to %q", len(messages), messages[0].Title, messages[len(messages)-1].Title)
	}
	if len(c.Faults) == 0 || !strings.Contains(c.Faults[0].Message, "more than 1000000 members") {
		t.Errorf("faults %v", c.Faults)
	}
}
