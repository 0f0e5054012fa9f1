package asyncapi

import (
	"fmt"

	"github.com/weft-flow/weft/arazzo"
	"github.com/weft-flow/weft/arazzo/value"
)

// readChannels reads the channels of a 3.x description.
func (r *reader) readChannels() {
	for _, m := range r.entries(r.catalog.Node, "channels") {
		if c := r.channel(m.Value, m.Key.Text); c != nil {
			r.catalog.Channels = append(r.catalog.Channels, c)
		}
	}
}

// channel reads a Channel Object of 3.x; it is known by where it is named and by
// where it is described from then on.
func (r *reader) channel(entry *arazzo.Node, key string) *Channel {
	n := r.object(entry, "a channel")
	if n == nil {
		return nil
	}
	c := &Channel{
		Key: key, Node: n, Address: r.optional(n, "address"),
		Title: r.text(n, "title"), Summary: r.text(n, "summary"),
		Parameters: r.parameters(n), Servers: r.channelServers(n), Bindings: r.bindings(n),
	}
	own := r.contentsOf(c)
	for _, m := range r.entries(n, "messages") {
		if message := r.message(m.Value, m.Key.Text); message != nil {
			r.messages[m.Value] = message
			own.add(message)
		}
	}
	r.channels[entry] = c
	if r.channels[n] == nil {
		r.channels[n] = c
	}
	return c
}

// referredChannel gives the channel that an operation refers to.
func (r *reader) referredChannel(n *arazzo.Node) *Channel {
	at := r.followTo(n, func(at *arazzo.Node) bool { return r.channels[at] != nil })
	if at == nil {
		return nil
	}
	if c := r.channels[at]; c != nil {
		return c
	}
	return r.channel(at, at.Token()) // one of the components, or of another file
}

func (r *reader) parameters(n *arazzo.Node) []*Parameter {
	var all []*Parameter
	for _, m := range r.entries(n, "parameters") {
		at := r.object(m.Value, "a parameter")
		if at == nil {
			continue
		}
		p := &Parameter{Name: m.Key.Text, Node: at, Location: r.expression(at)}
		described := at
		if r.major == 2 {
			described = r.field(at, "schema")
		}
		p.Enum, p.Default = r.texts(described, "enum"), r.optional(described, "default")
		all = append(all, p)
	}
	return all
}

// expression reads the location of a parameter, correlation id or reply address.
func (r *reader) expression(n *arazzo.Node) *Expression {
	at := r.optional(n, "location")
	if !at.Present() {
		return nil
	}
	e, err := ParseExpression(at.Value)
	if err != nil {
		r.fault(at.Node, err)
		return nil
	}
	return &e
}

// channelServers gives the servers that a channel names: by reference in 3.x, by
// name in 2.x; all of the description where it names none.
func (r *reader) channelServers(n *arazzo.Node) []*Server {
	items := r.items(n, "servers")
	if len(items) == 0 {
		return r.catalog.Servers
	}
	var all []*Server
	for _, item := range items {
		find := r.referredServer
		if item.Kind == value.KindString {
			find = r.namedServer
		}
		if s := find(item); s != nil {
			all = append(all, s)
		}
	}
	return all
}

func (r *reader) namedServer(n *arazzo.Node) *Server {
	at := r.member(r.field(r.catalog.Node, "servers"), n.Text)
	if at == nil {
		r.fault(n, fmt.Errorf("the description has no server %q", n.Text))
		return nil
	}
	return r.servers[at]
}

func (r *reader) referredServer(n *arazzo.Node) *Server {
	at := r.followTo(n, func(at *arazzo.Node) bool { return r.servers[at] != nil })
	if at == nil {
		return nil
	}
	if s := r.servers[at]; s != nil {
		return s
	}
	return r.server(at, at.Token())
}
