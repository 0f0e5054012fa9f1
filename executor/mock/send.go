package mock

import (
	"fmt"
	"net/url"
	"slices"

	"github.com/weft-flow/weft/arazzo/value"
)

// Outgoing is one message that is sent as it is.
type Outgoing struct {
	// Source is the name of the API that sends it.
	Source string
	// Operation is the webhook or callback that it is: its operationId, else its key.
	Operation string
	// Payload is its body.
	Payload value.Value
	// ID is its webhook-id; empty: one is made up. The same id again is the same message
	// again.
	ID string
	// To is the URL of a callback; empty: that which the last request wanted that the
	// server received. A webhook goes to its address at the target.
	To string
}

// Send makes one attempt to send a message at once, signed like all others, and gives
// what the ledger says of it: no answer is no error. The state of the server stays as it
// is. It is an error if there is no such webhook, no address for it, or nothing is sent
// because SendWebhooks was not called.
func (s *Server) Send(m Outgoing) (Webhook, error) {
	o := s.outbox.Load()
	if o == nil {
		return Webhook{}, fmt.Errorf("%w: no receiver was named", ErrWebhooks)
	}
	at := slices.IndexFunc(s.routes.webhooks, func(h *webhook) bool { return h.source == m.Source && h.called(m.Operation) })
	if at < 0 {
		return Webhook{}, fmt.Errorf("%w: %s has no webhook or callback %q", ErrWebhooks, m.Source, m.Operation)
	}
	h := s.routes.webhooks[at]
	target, err := o.sendTo(h, m.To)
	if err != nil {
		return Webhook{}, err
	}
	if m.ID == "" {
		made := message{webhook: h, number: o.made.Add(1), due: s.options.Now()}
		m.ID = made.newID("")
	}
	return o.send(parcel{webhook: h, target: target, id: m.ID, body: h.encode(m.Payload), once: true}), nil
}

// sendTo gives where a message that is sent by hand goes.
func (o *outbox) sendTo(h *webhook, to string) (*url.URL, error) {
	if !h.isCallback() {
		return o.addressOf(h, h.source), nil
	}
	if to != "" {
		target, err := url.Parse(to)
		if err != nil || !o.reachable(target) {
			return nil, fmt.Errorf("%w: %q is no URL of this machine or of the receiver", ErrWebhooks, to)
		}
		return target, nil
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	target, known := o.wanted[h]
	if !known {
		return nil, fmt.Errorf("%w: no request has yet said where %s is to be called back", ErrWebhooks, h.name)
	}
	return target, nil
}

// reachable tells whether messages may be sent to a URL: it is of this machine, or of
// the host that was named.
func (o *outbox) reachable(u *url.URL) bool {
	return (u.Scheme == "http" || u.Scheme == "https") && u.Host != "" && (isLocal(u.Hostname()) || u.Hostname() == o.base.Hostname())
}
