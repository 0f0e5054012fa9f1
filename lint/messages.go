package lint

import (
	"fmt"
	"strings"

	"github.com/weft-flow/weft/arazzo"
	"github.com/weft-flow/weft/arazzo/check"
	"github.com/weft-flow/weft/arazzo/schema"
	"github.com/weft-flow/weft/arazzo/source/asyncapi"
	"github.com/weft-flow/weft/arazzo/value"
	"github.com/weft-flow/weft/lint/reason"
)

// MessageSchema says what is known of the payload of the message that the step
// sends or receives: it is one of those that its operation or channel describes.
func (s *Step) MessageSchema() reason.Schema {
	switch s.Target.Kind {
	case ReceiveTarget:
		return s.callbackSchema()
	case ChannelTarget:
		return s.channelSchema()
	default:
		return reason.Schema{}
	}
}

func (s *Step) callbackSchema() reason.Schema {
	op := s.Target.Operation
	if op.Body == nil {
		return reason.Schema{}
	}
	var all []reason.Schema
	for _, m := range op.Body.Content {
		if m.Schema == nil || !check.IsJSON(m.Type) {
			return reason.Schema{}
		}
		all = append(all, DescribedSchema(check.RequestSchema(op, m)))
	}
	return reason.Union(all...)
}

// channelSchema is that of any of the messages of the step.
func (s *Step) channelSchema() reason.Schema {
	var all []reason.Schema
	for _, m := range s.Messages() {
		p := m.Payload
		if p == nil || p.Node == nil || p.Merged || !p.IsJSON() || strings.Contains(p.Format, "openapi") || m.ContentType != "" && !check.IsJSON(m.ContentType) {
			return reason.Schema{}
		}
		all = append(all, reason.Of(messagePlace{p.Node, s.Target.Source.AsyncAPI}))
	}
	return reason.Union(all...)
}

// HeaderSchema says what is known of the headers of the message that the step sends
// or receives over a channel.
func (s *Step) HeaderSchema() reason.Schema {
	var all []reason.Schema
	for _, m := range s.Messages() {
		h := m.Headers
		if h == nil || h.Node == nil || h.Merged || !h.IsJSON() {
			return reason.Schema{}
		}
		all = append(all, reason.Of(messagePlace{h.Node, s.Target.Source.AsyncAPI}))
	}
	return reason.Union(all...)
}

// Messages gives the messages of AsyncAPI of which the step sends or receives one;
// none where it is not known which. An operation that is answered has two legs: the
// first step on it in a workflow takes the request, one with the opposite action the
// answer. A step that receives, and no other sends, may mean either.
func (s *Step) Messages() []*asyncapi.Message {
	o, channel := s.Target.Async, s.Target.Channel
	switch {
	case s.Target.Kind != ChannelTarget:
		return nil
	case o != nil && o.Reply != nil:
		return s.legMessages(o)
	case o != nil && len(o.Messages) > 0:
		return o.Messages
	case channel != nil:
		return channel.Messages
	default:
		return nil
	}
}

func (s *Step) legMessages(o *asyncapi.Operation) []*asyncapi.Message {
	var first *Step
	sends := false
	for _, other := range s.Workflow.Steps {
		if other.Target.Async != o {
			continue
		}
		if first == nil {
			first = other
		}
		sends = sends || other.Model.Action.Value == string(asyncapi.Send)
	}
	switch {
	case !sends:
		return nil
	case s.Model.Action.Value == first.Model.Action.Value:
		return o.Messages
	case len(o.Reply.Messages) == 0 && o.Reply.Channel != nil:
		return o.Reply.Channel.Messages
	default:
		return o.Reply.Messages
	}
}

// messagePlace is a schema in an AsyncAPI description: JSON Schema draft 7, of which
// AsyncAPI's own is a superset.
type messagePlace struct {
	node    *arazzo.Node
	catalog *asyncapi.Catalog
}

// Value gives the schema as it is written.
func (p messagePlace) Value() value.Value { return p.node.Value() }

// ID tells schemas of one description apart.
func (p messagePlace) ID() string { return p.catalog.File(p.node) + "#" + p.node.Pointer() }

// In gives what stands beneath.
func (p messagePlace) In(tokens ...string) reason.Place {
	p.node = p.node.Lookup(tokens)
	return p
}

// Follow gives what the $ref leads to; false where that is in another file.
func (p messagePlace) Follow() (reason.Place, bool) {
	ref := p.node.Get("$ref")
	if ref == nil || !strings.HasPrefix(ref.Text, "#/") {
		return p, false
	}
	pointer, err := value.ParsePointer(ref.Text[1:])
	root := p.catalog.Files[p.catalog.File(p.node)]
	if err != nil || root == nil || strings.Contains(ref.Text, "%") {
		return p, false
	}
	p.node = root.Lookup(pointer)
	return p, p.node != nil
}

// RefAlone tells that beside a $ref nothing else counts (draft 7).
func (messagePlace) RefAlone() bool { return true }

// Nullable tells that null is a type like any other.
func (messagePlace) Nullable() bool { return false }

// IsExempt tells that a required member has to be there, whoever writes it.
func (messagePlace) IsExempt(string) bool { return false }

// IsForeign tells whether the schema has a name or a dialect of its own.
func (p messagePlace) IsForeign() bool {
	return p.node.Get("$id") != nil || p.node.Get("$schema") != nil
}

// messages are the compiled schemas of payloads, by where they stand; nil: it cannot
// be compiled.
type messages map[*arazzo.Node]*schema.Schema

// againstMessage holds a value against a schema in an AsyncAPI description.
func (w *world) againstMessage(p messagePlace, v value.Value) (r check.Result, ok bool) {
	compiled, known := w.messages[p.node]
	if !known {
		if w.messages == nil {
			w.messages = make(messages)
		}
		compiled = p.compile()
		w.messages[p.node] = compiled
	}
	if compiled == nil {
		return r, false
	}
	for _, fault := range compiled.Validate(v) {
		r.Findings = append(r.Findings, check.Finding{Kind: check.Body, Message: fault.Message, Pointer: fault.Pointer.String()})
	}
	return r, true
}

func (p messagePlace) compile() *schema.Schema {
	var resources []schema.Resource
	for location, root := range p.catalog.Files {
		resources = append(resources, schema.Resource{ID: location, Root: root.Value()})
	}
	set, err := schema.NewSet(resources...)
	if err != nil {
		return nil
	}
	compiled, err := set.Compile(p.catalog.File(p.node), p.node.Pointer())
	if err != nil {
		return nil
	}
	return compiled
}

// MessageLabel names the messages that a step sends or receives.
func (s *Step) MessageLabel() string {
	switch {
	case s.Target.Async != nil && s.Target.Async.ID != "":
		return fmt.Sprintf("operation %q", s.Target.Async.ID)
	case s.Target.Channel != nil:
		return fmt.Sprintf("channel %q", s.Target.Channel.Key)
	case s.Target.Operation != nil:
		return fmt.Sprintf("operation %q", s.Target.Operation.Label())
	default:
		return "the channel"
	}
}
