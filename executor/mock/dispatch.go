package mock

import (
	"time"

	"github.com/weft-flow/weft/arazzo/value"
)

// dispatch sends the messages that a request caused, each when it is due, with the fault
// that is planned for it.
func (o *outbox) dispatch(entry int, messages []*message) {
	for _, m := range messages {
		m.request = entry + 1
		if m.target == nil && m.failure == "" {
			continue // a callback that the request did not want
		}
		f := o.server.faults.next(m.route)
		if f != nil {
			o.server.faults.missed(f, "its message was not due before the end")
		}
		if m.failure != "" {
			o.refused(m, f)
			continue
		}
		if f.is(WebhookBeforeResponse) {
			m.hasten(o.server.options.Now())
			o.due(m, f)
			continue
		}
		o.schedule(m.after, func() { o.due(m, f) })
	}
}

// refused writes down a message that cannot be sent.
func (o *outbox) refused(m *message, f *livingFault) {
	if f != nil {
		o.server.faults.missed(f, m.failure)
	}
	o.server.ledger.openWebhook(Webhook{
		Message: m.id, Source: m.source, Operation: m.name, Reference: m.reference, Request: m.request,
		Method: m.operation.Method, Body: string(m.encode(m.payload)), Error: m.failure,
	})
}

// due makes so what a message says, and sends it.
func (o *outbox) due(m *message, f *livingFault) {
	if !o.server.world.comeAbout(m) {
		if f != nil {
			o.server.faults.missed(f, "a request had meanwhile changed what its message tells of")
		}
		return
	}
	if f == nil {
		o.send(m.parcel())
		return
	}
	o.play(m, f)
}

// parcel makes a message ready to be sent as it should be.
func (m *message) parcel() parcel {
	return parcel{
		webhook: m.webhook, target: m.target, id: m.id, body: m.encode(m.payload),
		request: m.request, reference: m.reference,
	}
}

// hasten makes a message due at once.
func (m *message) hasten(now time.Time) {
	then := m.dueText()
	m.due = now
	m.payload = replaced(m.payload, then, value.String(m.dueText()))
}
