package asyncapi

import (
	"errors"
	"fmt"

	"github.com/weft-flow/weft/arazzo"
)

// readOperations reads the operations of a 3.x description.
func (r *reader) readOperations() {
	for _, m := range r.entries(r.catalog.Node, "operations") {
		n := r.object(m.Value, "an operation")
		if n == nil {
			continue
		}
		o := r.operation(n, r.withTraits(n))
		o.ID = m.Key.Text
		o.Action = r.action(n)
		if at := r.member(n, "channel"); at != nil {
			o.Channel = r.referredChannel(at)
		} else {
			r.fault(n, fmt.Errorf("operation %q names no channel", o.ID))
		}
		o.Messages = r.operationMessages(n, o.Channel)
		o.Reply = r.reply(n)
		r.catalog.Operations = append(r.catalog.Operations, o)
	}
}

// operation reads what the operations of all versions have; with is the
// operation with its traits.
func (r *reader) operation(n, with *arazzo.Node) *Operation {
	return &Operation{
		Node: n, Title: r.text(with, "title"), Summary: r.text(with, "summary"),
		Security: r.security(with), Bindings: r.bindings(with),
	}
}

func (r *reader) action(n *arazzo.Node) Action {
	at := r.member(n, "action")
	switch said := Action(scalar(at)); said {
	case Send, Receive:
		return said
	case "":
		r.fault(n, errors.New("an operation needs an action: send or receive"))
	default:
		r.fault(at, fmt.Errorf("the action of an operation is send or receive, this is %q", said))
	}
	return ""
}

// operationMessages gives the messages that an operation or reply names, which
// should be its channel's; all of the channel where it names none.
func (r *reader) operationMessages(n *arazzo.Node, c *Channel) []*Message {
	if r.field(n, "messages") == nil {
		if c == nil {
			return nil
		}
		return c.Messages
	}
	var all []*Message
	for _, item := range r.items(n, "messages") {
		if m := r.referredMessage(item, c); m != nil {
			all = append(all, m)
		}
	}
	return all
}

func (r *reader) reply(n *arazzo.Node) *Reply {
	at := r.member(n, "reply")
	if at == nil {
		return nil
	}
	if at = r.object(at, "a reply"); at == nil {
		return nil
	}
	reply := &Reply{Node: at}
	if address := r.member(at, "address"); address != nil {
		reply.Address = r.expression(r.object(address, "a reply address"))
	}
	if channel := r.member(at, "channel"); channel != nil {
		reply.Channel = r.referredChannel(channel)
	}
	reply.Messages = r.operationMessages(at, reply.Channel)
	return reply
}

// readChannelItems reads the channels of a 2.x description with the operations
// that stand in them.
func (r *reader) readChannelItems() {
	for _, m := range r.entries(r.catalog.Node, "channels") {
		n := r.object(m.Value, "a channel")
		if n == nil {
			continue
		}
		c := &Channel{
			Key: m.Key.Text, Node: n, Address: arazzo.Text{Node: m.Key, Value: m.Key.Text},
			Parameters: r.parameters(n), Servers: r.channelServers(n), Bindings: r.bindings(n),
		}
		r.catalog.Channels = append(r.catalog.Channels, c)
		for _, field := range n.Members {
			switch field.Key.Text {
			case "publish":
				r.channelOperation(c, field.Value, Receive)
			case "subscribe":
				r.channelOperation(c, field.Value, Send)
			}
		}
	}
}

// channelOperation reads an operation of 2.x. Its channel has the messages of
// all its operations.
func (r *reader) channelOperation(c *Channel, n *arazzo.Node, action Action) {
	n = r.object(n, "an operation")
	if n == nil {
		return
	}
	with := r.withTraits(n)
	o := r.operation(n, with)
	o.ID, o.Action, o.Channel = r.text(with, "operationId"), action, c
	o.Messages = r.alternatives(r.member(n, "message"))
	own := r.contentsOf(c)
	for _, m := range o.Messages {
		own.add(m)
	}
	r.catalog.Operations = append(r.catalog.Operations, o)
}
