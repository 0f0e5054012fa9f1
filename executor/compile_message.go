package executor

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/weft-flow/weft/arazzo"
	"github.com/weft-flow/weft/arazzo/source"
	"github.com/weft-flow/weft/arazzo/source/asyncapi"
	"github.com/weft-flow/weft/arazzo/value"
)

// channelUse is a channel of AsyncAPI as a step uses it.
type channelUse struct {
	*asyncapi.Channel
	servers  []*asyncapi.Server // those that speak HTTP
	messages []*asyncapi.Message
	method   string // of the requests that carry messages
	catalog  *asyncapi.Catalog
}

// asyncTarget is what a step names of an AsyncAPI description.
type asyncTarget struct {
	ref         arazzo.Text
	what        string // for messages
	description *source.Description
	operation   *asyncapi.Operation // nil: it names a channel
	channel     *asyncapi.Channel
}

// compileChannel compiles a step that names a channel.
func (c *compiler) compileChannel(w *workflow, s *step) {
	ref := s.model.ChannelPath
	d, channel, err := w.set.FindChannel(ref.Value)
	if err != nil {
		c.refuse(w.set, ref.Node, "step %q: %v", s.id, err)
		return
	}
	what := fmt.Sprintf("channel %q of source %q", channel.Key, d.Name)
	c.compileAsync(w, s, asyncTarget{ref: ref, what: what, description: d, channel: channel})
}

// compileAsyncOperation compiles a step that names an operation of AsyncAPI.
func (c *compiler) compileAsyncOperation(w *workflow, s *step, ref arazzo.Text, d *source.Description, o *asyncapi.Operation) {
	t := asyncTarget{ref: ref, what: fmt.Sprintf("operation %q of source %q", o.ID, d.Name), description: d, operation: o, channel: o.Channel}
	c.compileAsync(w, s, t)
}

// compileAsync compiles a step that sends a message or waits for one. What is wrong
// with the step itself is said first: it would be wrong with any protocol.
func (c *compiler) compileAsync(w *workflow, s *step, t asyncTarget) {
	action := s.model.Action
	switch {
	case !action.Present():
		c.refuse(w.set, s.model.Node, "step %q: it has no action: expected send or receive, since %s is of AsyncAPI", s.id, t.what)
		return
	case action.Value != string(asyncapi.Send) && action.Value != string(asyncapi.Receive):
		c.refuse(w.set, action.Node, "step %q: its action is %q: expected send or receive", s.id, action.Value)
		return
	case t.channel == nil:
		c.refuse(w.set, t.ref.Node, "step %q: %s names no channel that can be read", s.id, t.what)
		return
	}
	use, refusal := c.useOf(w, s, t)
	if refusal != "" {
		c.refuse(w.set, t.ref.Node, "step %q: %s %s", s.id, t.what, refusal)
		return
	}
	s.channel, s.source = use, t.description
	c.payloads.compile(use)
	if asyncapi.Action(action.Value) == asyncapi.Receive {
		s.kind, s.description = receives, "receive "+use.Key
		return
	}
	s.operation = use.sending(t.operation)
	s.description = "send " + use.method + " " + use.HTTPPath()
}

// useOf decides which channel and messages a step uses. The step's own action is
// what is done; what the application does on the operation decides nothing, but for
// which leg of a request and reply is meant.
func (c *compiler) useOf(w *workflow, s *step, t asyncTarget) (use *channelUse, refusal string) {
	use = &channelUse{Channel: t.channel, messages: t.channel.Messages, catalog: t.description.AsyncAPI}
	bindings := t.channel.Bindings
	if t.operation != nil {
		use.messages, bindings = t.operation.Messages, t.operation.Bindings
		if t.operation.Reply != nil && isReplyLeg(w, s) {
			if refusal = use.reply(t.operation); refusal != "" {
				return nil, refusal
			}
		}
	}
	for _, server := range use.Servers {
		if server.SpeaksHTTP() {
			use.servers = append(use.servers, server)
		}
	}
	if len(use.servers) == 0 {
		return nil, fmt.Sprintf("is AsyncAPI over %s, which is not built yet; what can be run is AsyncAPI over http, OpenAPI operations and workflows",
			protocolsText(use.Protocols()))
	}
	use.method = cmp.Or(bindings.HTTPMethod(), "POST")
	return use, ""
}

// isReplyLeg tells whether a step is the second on its operation in the workflow,
// with the opposite action of the first.
func isReplyLeg(w *workflow, s *step) bool {
	first := firstOnOperation(w, s)
	return first != s.model && first.Action.Value != s.model.Action.Value
}

func firstOnOperation(w *workflow, s *step) *arazzo.Step {
	for _, model := range w.model.Steps {
		if model.OperationID.Present() && model.OperationID.Value == s.model.OperationID.Value {
			return model
		}
	}
	return s.model
}

// reply turns the use to the reply of an operation.
func (u *channelUse) reply(o *asyncapi.Operation) (refusal string) {
	reply := o.Reply
	if reply.Channel == nil {
		return "replies at an address that the request names, which is not built yet over http; expected a channel of the reply"
	}
	u.Channel, u.messages = reply.Channel, reply.Messages
	if len(u.messages) == 0 {
		u.messages = reply.Channel.Messages
	}
	return ""
}

// sending gives the sending of a message as the HTTP operation that it is.
func (u *channelUse) sending(o *asyncapi.Operation) *source.Operation {
	made := &source.Operation{Kind: source.Request, ID: u.Key, Method: u.method, Path: u.HTTPPath()}
	if o != nil {
		made.ID = o.ID
	}
	for _, server := range u.servers {
		made.Servers = append(made.Servers, source.Server{URL: server.URL()})
	}
	for _, p := range u.Parameters {
		made.Params = append(made.Params, &source.Parameter{Name: p.Name, In: "path", Required: true, Style: "simple"})
	}
	made.Body = &source.RequestBody{}
	for _, m := range u.messages {
		contentType := m.ContentType
		if contentType == "" {
			contentType = "application/json"
		}
		if !slices.ContainsFunc(made.Body.Content, func(known *source.MediaType) bool { return known.Type == contentType }) {
			made.Body.Content = append(made.Body.Content, &source.MediaType{Type: contentType})
		}
	}
	if len(made.Body.Content) == 0 {
		made.Body.Content = []*source.MediaType{{Type: "application/json"}}
	}
	return made
}

func protocolsText(protocols []string) string {
	switch last := len(protocols) - 1; {
	case last < 0:
		return "a protocol that no server names"
	case last == 0:
		return protocols[0]
	default:
		return strings.Join(protocols[:last], ", ") + " or " + protocols[last]
	}
}

// channelArguments gives the parameters of a step on a channel: address parameters
// are those of the path of its requests.
func (c *compiler) channelArguments(w *workflow, s *step, all []argument) []argument {
	kept := all[:0]
	for _, a := range all {
		if a.in == "channel" {
			a.in = "path"
		}
		known := slices.ContainsFunc(s.channel.Parameters, func(p *asyncapi.Parameter) bool { return p.Name == a.name })
		switch {
		case a.in == "path" && !known:
			c.refuse(w.set, s.model.Node, "step %q: channel %q has no address parameter %q", s.id, s.channel.Key, a.name)
		case s.kind == receives && a.in != "path":
			c.refuse(w.set, s.model.Node, "step %q: parameter %q in %s; a step that receives takes address parameters alone", s.id, a.name, a.in)
		case a.in != "path" && a.in != "header" && a.in != "query":
			c.refuse(w.set, s.model.Node, "step %q: parameter %q in %s; expected header, query or channel", s.id, a.name, a.in)
		default:
			kept = append(kept, a)
		}
	}
	return kept
}

// fillAddress adds the address parameters that the step gives no value for: from the
// place in the payload that the description names, else its default.
func (u *channelUse) fillAddress(arguments []Argument, content *Body) []Argument {
	if u == nil {
		return arguments
	}
	for _, p := range u.Parameters {
		if slices.ContainsFunc(arguments, func(a Argument) bool { return a.In == "path" && a.Name == p.Name }) {
			continue
		}
		v := value.Absent
		if p.Location != nil && p.Location.Part == asyncapi.Payload && content != nil {
			v = p.Location.Pointer.In(content.Value)
		}
		if v.IsNothing() && p.Default.Present() {
			v = value.String(p.Default.Value)
		}
		if !v.IsNothing() {
			arguments = append(arguments, Argument{Name: p.Name, In: "path", Value: v})
		}
	}
	return arguments
}
