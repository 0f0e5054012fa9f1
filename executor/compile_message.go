package executor

import (
	"fmt"
	"strings"

	"github.com/weft-flow/weft/arazzo"
	"github.com/weft-flow/weft/arazzo/source"
	"github.com/weft-flow/weft/arazzo/source/asyncapi"
)

// compileChannel refuses a step on a channel: no protocol is built yet.
func (c *compiler) compileChannel(w *workflow, s *step) {
	ref := s.model.ChannelPath
	d, channel, err := w.set.FindChannel(ref.Value)
	if err != nil {
		c.refuse(w.set, ref.Node, "step %q: %v", s.id, err)
		return
	}
	c.refuseMessage(w, s, ref, fmt.Sprintf("channel %q of source %q", channel.Key, d.Name), channel.Protocols())
}

// refuseOperation does so for a step on an operation of AsyncAPI.
func (c *compiler) refuseOperation(w *workflow, s *step, ref arazzo.Text, d *source.Description, o *asyncapi.Operation) {
	protocols := d.AsyncAPI.Protocols()
	if o.Channel != nil {
		protocols = o.Channel.Protocols()
	}
	c.refuseMessage(w, s, ref, fmt.Sprintf("operation %q of source %q", o.ID, d.Name), protocols)
}

// refuseMessage refuses a step that would send or await a message. What is wrong
// with the step itself is said first: it would be wrong with the protocol too.
func (c *compiler) refuseMessage(w *workflow, s *step, ref arazzo.Text, what string, protocols []string) {
	action := s.model.Action
	switch {
	case !action.Present():
		c.refuse(w.set, s.model.Node, "step %q: it has no action: expected send or receive, since %s is of AsyncAPI", s.id, what)
	case action.Value != string(asyncapi.Send) && action.Value != string(asyncapi.Receive):
		c.refuse(w.set, action.Node, "step %q: its action is %q: expected send or receive", s.id, action.Value)
	default:
		c.refuse(w.set, ref.Node, "step %q: %s is AsyncAPI over %s, which is not built yet; only OpenAPI operations and workflows can be run",
			s.id, what, protocolsText(protocols))
	}
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
