package live

import (
	"context"
	"net/http"
	"sync"
	"sync/atomic"

	"github.com/weft-flow/weft/executor"
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

	closed atomic.Bool

	mu    sync.Mutex
	runs  map[string]bool              // that have mailboxes open
	ended map[string][]executor.Repeat // what was known of runs as they ended
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
	r := &Receiver{hub: memory.New(memory.Options{Now: o.Messages.Now}), runs: map[string]bool{}, ended: map[string][]executor.Repeat{}}
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
	r.closed.Store(true)
	if r.listener == nil {
		return nil
	}
	return r.listener.Close(ctx)
}

// end ends the inbox of a run, and keeps how often its messages had come by then.
func (r *Receiver) end(ctx context.Context, run string) error {
	if err := r.hub.End(ctx, run); err != nil {
		return err
	}
	repeats, err := r.hub.Repeats(ctx, run)
	if err != nil {
		return err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.ended[run] = repeats
	return nil
}

// AfterEnd is what came for a run after its end: it was acknowledged, and changed
// nothing.
type AfterEnd struct {
	Messages []executor.Message
	// Repeats are those of messages that the run had read.
	Repeats []executor.Repeat
}

// AfterEnd gives what came for a run after its end so far. It is complete once the
// Receiver is closed.
func (r *Receiver) AfterEnd(ctx context.Context, run string) (AfterEnd, error) {
	r.mu.Lock()
	before, ended := r.ended[run]
	r.mu.Unlock()
	if !ended {
		return AfterEnd{}, nil
	}
	messages, err := r.hub.Left(ctx, run) // those that came between the last look and the end
	if err != nil {
		return AfterEnd{}, err
	}
	late, err := r.hub.Late(ctx, run)
	if err != nil {
		return AfterEnd{}, err
	}
	messages = append(messages, late...)
	repeats, err := r.hub.Repeats(ctx, run)
	if err != nil {
		return AfterEnd{}, err
	}
	after := AfterEnd{Messages: messages}
	for _, now := range repeats {
		for _, then := range before {
			if then.Number == now.Number {
				now.Same, now.Different = now.Same-then.Same, now.Different-then.Different
			}
		}
		if now.Same+now.Different > 0 {
			after.Repeats = append(after.Repeats, now)
		}
	}
	return after, nil
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
