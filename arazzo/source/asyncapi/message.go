package asyncapi

import (
	"cmp"

	"github.com/weft-flow/weft/arazzo"
)

// message reads a message; the same content is read once, whatever keys it is
// known by.
func (r *reader) message(entry *arazzo.Node, key string) *Message {
	n := r.object(entry, "a message")
	if n == nil {
		return nil
	}
	m := r.messages[n]
	if m == nil {
		m = r.newMessage(n)
		r.messages[n] = m
	}
	if key == "" || key == m.Key {
		return m
	}
	if m.Key == "" {
		m.Key = key
		return m
	}
	renamed := *m
	renamed.Key = key
	return &renamed
}

func (r *reader) newMessage(n *arazzo.Node) *Message {
	with := r.withTraits(n)
	m := &Message{
		Node: n, Name: r.text(with, "name"), Title: r.text(with, "title"), Summary: r.text(with, "summary"),
		ContentType: cmp.Or(r.text(with, "contentType"), r.catalog.ContentType),
		Bindings:    r.bindings(with),
	}
	format := ""
	if r.major == 2 {
		m.Key = cmp.Or(r.text(with, "messageId"), m.Name, keyUnder(n, "messages"))
		format = r.text(with, "schemaFormat")
	}
	m.Headers = r.schema(r.member(with, "headers"), "")
	m.Payload = r.schema(r.member(with, "payload"), format)
	if at := r.object(r.member(with, "correlationId"), "a correlationId"); at != nil {
		if location := r.expression(at); location != nil {
			m.Correlation = &Correlation{Node: at, Location: *location}
		}
	}
	return m
}

// referredMessage gives the message that an operation refers to: that of a
// channel where the way leads through one, or ends at the same content.
func (r *reader) referredMessage(n *arazzo.Node, c *Channel) *Message {
	at := r.followTo(n, func(at *arazzo.Node) bool { return r.messages[at] != nil })
	if at == nil {
		return nil
	}
	m := r.messages[at]
	if m == nil {
		m = r.message(at, at.Token())
	}
	if c == nil || m == nil {
		return m
	}
	own := r.contentsOf(c)
	if same := own.byNode[m.Node]; same != nil && !own.has[m] {
		return same
	}
	return m
}

// alternatives reads the message of a 2.x operation, or the list of those that
// it may be.
func (r *reader) alternatives(n *arazzo.Node) []*Message {
	at := r.follow(n)
	if at == nil {
		return nil
	}
	if r.member(at, "oneOf") == nil {
		if m := r.message(at, ""); m != nil {
			return []*Message{m}
		}
		return nil
	}
	var all []*Message
	for _, item := range r.items(at, "oneOf") {
		if m := r.message(item, ""); m != nil {
			all = append(all, m)
		}
	}
	return all
}

// contents finds the messages of a channel.
type contents struct {
	channel *Channel
	has     map[*Message]bool
	byNode  map[*arazzo.Node]*Message
}

func (r *reader) contentsOf(c *Channel) *contents {
	own := r.contents[c]
	if own == nil {
		own = &contents{channel: c, has: map[*Message]bool{}, byNode: map[*arazzo.Node]*Message{}}
		r.contents[c] = own
	}
	return own
}

// add adds a message that the channel does not have yet.
func (c *contents) add(m *Message) {
	if c.has[m] {
		return
	}
	c.has[m] = true
	if c.byNode[m.Node] == nil {
		c.byNode[m.Node] = m
	}
	c.channel.Messages = append(c.channel.Messages, m)
}
