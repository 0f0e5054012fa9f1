package asyncapi

import (
	"slices"

	"github.com/weft-flow/weft/arazzo"
)

// Bindings says by protocol what only that protocol knows. What a binding means
// is for the one who speaks the protocol.
type Bindings map[string]*arazzo.Node

// Channel is where messages go through: a topic, queue, path or subject.
type Channel struct {
	Key        string       // under channels; of 2.x the address
	Node       *arazzo.Node // where it is described
	Address    arazzo.Text  // a template; without Node where it is unknown: absent or null
	Title      string
	Summary    string
	Parameters []*Parameter // of the address
	Servers    []*Server    // those that have it; all where the channel names none
	Messages   []*Message
	Bindings   Bindings
}

// Protocols lists the protocols of the channel's servers, each once.
func (c *Channel) Protocols() []string { return protocols(c.Servers) }

// Protocols lists the protocols of all servers, each once.
func (c *Catalog) Protocols() []string { return protocols(c.Servers) }

func protocols(servers []*Server) []string {
	var all []string
	for _, s := range servers {
		if s.Protocol != "" && !slices.Contains(all, s.Protocol) {
			all = append(all, s.Protocol)
		}
	}
	return all
}

// Message gives the channel's message with that key, or nil.
func (c *Channel) Message(key string) *Message {
	for _, m := range c.Messages {
		if m.Key == key {
			return m
		}
	}
	return nil
}

// Parameter is one parameter of a channel's address.
type Parameter struct {
	Name     string
	Node     *arazzo.Node
	Enum     []string // the only values; empty: any
	Default  arazzo.Text
	Location *Expression // where a message has the value; nil: nothing is said
}

// Action is what the described application does with messages.
type Action string

// The actions. In AsyncAPI 2.x subscribe is Send and publish is Receive: its words
// say what others do.
const (
	Send    Action = "send"
	Receive Action = "receive"
)

// Operation is what the described application does on a channel.
type Operation struct {
	ID       string       // the key under operations; of 2.x the operationId, which may be empty
	Node     *arazzo.Node // where it is described, its traits apart
	Action   Action       // empty: not readable
	Title    string
	Summary  string
	Channel  *Channel // nil: its reference leads nowhere
	Messages []*Message
	Reply    *Reply // nil: none
	Security []*Requirement
	Bindings Bindings
}

// Reply says where and with which messages an operation is answered.
type Reply struct {
	Node     *arazzo.Node
	Address  *Expression // where a request has the address for the reply; nil: nothing is said
	Channel  *Channel    // nil: none is named
	Messages []*Message
}

// Message is what goes through a channel.
type Message struct {
	Key         string       // under the channel's messages; of 2.x the messageId, else the name, else the key under components, else empty
	Node        *arazzo.Node // where it is described, its traits apart
	Name        string
	Title       string
	Summary     string
	Headers     *Schema // nil: any
	Payload     *Schema // nil: any
	ContentType string  // its own, else the description's default; empty: nothing is said
	Correlation *Correlation
	Bindings    Bindings
}

// Correlation says where a message has what ties it to others (Correlation ID Object).
type Correlation struct {
	Node     *arazzo.Node
	Location Expression
}
