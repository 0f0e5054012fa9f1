package live

import (
	"context"
	"net/http"
	"sync"

	"github.com/weft-flow/weft/executor/channel"
	"github.com/weft-flow/weft/executor/channel/memory"
	"github.com/weft-flow/weft/executor/channel/webhook"
)

// Receiver is where messages come in for the runs of any number of runtimes: webhooks,
// callbacks, and messages of AsyncAPI over HTTP.
type Receiver struct {
	hub      *memory.Hub
	handler  *webhook.Receiver
	url      string
	listener *webhook.Listener // nil: somebody else serves the handler

	mu   sync.Mutex
	runs map[string]bool // that have mailboxes open
}

// ReceiverOptions say how messages come in; the zero value is usable.
type ReceiverOptions struct {
	// Address is the TCP address to listen on; empty: a free port of this machine.
	Address string
	// URL is how the outside sees the receiver; empty: what it listens on.
	URL string
	// Messages are the settings of the messages, by source: their signatures above all.
	Messages webhook.Options
}

// Listen gives a Receiver that listens. Close it when the runs have ended.
func Listen(o ReceiverOptions) (*Receiver, error) {
	r, err := NewReceiver(o)
	if err != nil {
		return nil, err
	}
	if r.listener, err = webhook.Listen(r.handler, webhook.ListenOptions{Address: o.Address, URL: o.URL}); err != nil {
		return nil, err
	}
	r.url = r.listener.URL()
	return r, nil
}

// NewReceiver gives a Receiver that does not listen: Handler is to be served where URL
// leads to.
func NewReceiver(o ReceiverOptions) (*Receiver, error) {
	r := &Receiver{hub: memory.New(memory.Options{Now: o.Messages.Now}), runs: map[string]bool{}}
	var err error
	if r.handler, err = webhook.New(r.hub, o.Messages); err != nil {
		return nil, err
	}
	if o.URL != "" {
		r.url, err = webhook.BaseURL(o.URL)
	}
	return r, err
}

// URL is how the outside sees the receiver, without a slash at its end.
func (r *Receiver) URL() string { return r.url }

// Handler takes the messages.
func (r *Receiver) Handler() http.Handler { return r.handler }

// Hub keeps the messages.
func (r *Receiver) Hub() channel.Hub { return r.hub }

// Close takes no more messages; what is in the air is answered, unless the context
// ends before.
func (r *Receiver) Close(ctx context.Context) error {
	if r.listener == nil {
		return nil
	}
	return r.listener.Close(ctx)
}

func (r *Receiver) note(run string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.runs[run] = true
}

// forget tells whether the run has mailboxes open, which it then has no more.
func (r *Receiver) forget(run string) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	known := r.runs[run]
	delete(r.runs, run)
	return known
}
