package executor

import "time"

// Mailbox is where the messages of one channel arrive for a run. Mailboxes are
// known before the run begins.
type Mailbox struct {
	Name      string // unique in the plan, and stable
	Kind      MailboxKind
	Source    string // the name of the source that describes it; for nested documents OUTER.NAME
	Operation string // of OpenAPI: the operationId, else the key of the webhook or callback
	Channel   string // of AsyncAPI: the key of the channel
	Address   string // of AsyncAPI: the channel's address, a template
	Protocol  string // "http"
	Method    string // of the requests that bring messages; empty: POST
	// Scoped tells that the run has an address of its own for it.
	Scoped bool
	// Status is the documented 2xx that acknowledges a message; 0: 202.
	Status int
	// ContentTypes are what messages may come as; empty: anything.
	ContentTypes []string
	// Signed tells that messages are to be signed: a receiver that has no secret of the source
	// refuses them.
	Signed bool `json:",omitempty"`
	// Expect says which messages belong to the run, as far as that is known before it.
	Expect []Expectation
}

// MailboxKind tells where a mailbox has its description.
type MailboxKind string

// The kinds of mailbox.
const (
	WebhookBox  MailboxKind = "webhook"
	CallbackBox MailboxKind = "callback"
	ChannelBox  MailboxKind = "channel"
)

// Message is one message in the inbox of a run, as it was received.
type Message struct {
	Number   int    // in the run's inbox, from 1 in the order of arrival
	Box      string // the name of the mailbox
	Received time.Time
	// Scoped tells that it came to an address of the run's own: that alone correlates it.
	Scoped bool
	// Identity is what two deliveries of one message share; empty: it has none.
	Identity string
	Method   string
	Header   Header
	Query    map[string][]string
	Path     map[string]string // address parameters
	Body     []byte
}

// Repeat tells how often a message of the inbox has come again, under the same identity.
type Repeat struct {
	Number    int // of the first
	Same      int // times with the same content
	Different int // times with other content
}

// Stray is a message that came to an address and went to no run.
type Stray struct {
	Box      string // the name of the mailbox
	Received time.Time
	Identity string
	Reason   string // such as "the signature does not match"
}
