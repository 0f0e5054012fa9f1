package memory

import (
	"context"

	"github.com/weft-flow/weft/executor"
	"github.com/weft-flow/weft/executor/channel"
)

// Keep stores a message where it belongs (channel.Keeper).
func (h *Hub) Keep(_ context.Context, a channel.Arrival) (channel.Kept, error) {
	r := newReading(a.Message(""))
	kept, done, where, ids := h.recognize(a.Place, r)
	if done {
		return kept, nil
	}
	// What takes long is done beside the lock: what the message has at the places where
	// somebody expects something.
	r.identity(ids)
	for _, w := range where {
		r.keys(w)
	}

	h.mu.Lock()
	defer h.mu.Unlock()
	p, ok := h.places[a.Place]
	if !ok {
		return channel.Kept{Outcome: channel.Unknown}, nil
	}
	if kept, ok := h.repeated(p, r); ok {
		return kept, nil
	}
	if a.Place.Token != "" {
		return h.deliver(p, p.only, r, p.identityAt), nil
	}
	found := p.candidates(r)
	to := choose(found)
	switch {
	case to == nil:
		return h.keepUnmatched(p, r), nil
	case to.box.run.ended:
		return h.keepLate(p, to.box, r, identityAt(found, to.box)), nil
	default:
		return h.deliver(p, to.box, r, identityAt(found, to.box)), nil
	}
}

// recognize settles a message that nothing has to be read of: one whose address is not
// known, and one that repeats another by its native identity. For others it tells where
// it is to be read.
func (h *Hub) recognize(at channel.Place, r *reading) (kept channel.Kept, done bool, where, identityAt []executor.Locator) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.expire()
	p, ok := h.places[at]
	switch {
	case !ok:
		return channel.Kept{Outcome: channel.Unknown}, true, nil, nil
	case p.only != nil && p.only.run.ended:
		return p.only.kept(channel.Gone, 0), true, nil, nil
	case r.message.Identity != "":
		if kept, ok := h.repeated(p, r); ok {
			return kept, true, nil, nil
		}
	}
	return channel.Kept{}, false, p.where, p.identityAt
}

// repeated counts a message that has come before, to a run or to none.
func (h *Hub) repeated(p *place, r *reading) (channel.Kept, bool) {
	if p.only != nil && p.only.run.ended {
		return p.only.kept(channel.Gone, 0), true
	}
	if kept, ok := p.repeat(r); ok {
		return kept, true
	}
	if u := p.unmatchedByID[r.message.Identity]; u != nil && r.message.Identity != "" {
		return u.repeat(r.digest, p.known.Status), true
	}
	return channel.Kept{}, false
}

// identityAt lists where those expectations of a box that match have an identity.
func identityAt(found []*expecting, b *box) []executor.Locator {
	var places []executor.Locator
	for _, x := range found {
		if x.box == b {
			places, _ = with(places, x.expectation.Identity)
		}
	}
	return places
}

// deliver puts a message into the mailbox of a run, where there is room.
func (h *Hub) deliver(p *place, b *box, r *reading, ids []executor.Locator) channel.Kept {
	identity, key := r.identity(ids)
	if b.unread >= h.limits.Mailbox || key != "" && len(b.run.identified) >= h.limits.Inbox {
		return b.kept(channel.Full, 0)
	}
	r.message.Identity = identity
	e := h.store(p, b, r.message, key, r.digest)
	return b.kept(channel.Stored, e.number)
}

// store puts a message into the inbox of a run and wakes it.
func (h *Hub) store(p *place, b *box, m *executor.Message, key string, digest channel.Digest) *entry {
	r := b.run
	r.last++
	m.Box, m.Number = b.mailbox.Name, r.last
	e := &entry{box: b, number: r.last, key: key, digest: digest, message: m}
	b.unread++
	r.unread = append(r.unread, e)
	p.remember(e)
	r.woken()
	return e
}

// remember keeps the identity of a message.
func (p *place) remember(e *entry) {
	if e.key == "" {
		return
	}
	p.identities[e.key] = e
	r := e.box.run
	r.identified = append(r.identified, e)
}

// Refuse records a message that is not to be kept (channel.Keeper).
func (h *Hub) Refuse(_ context.Context, r channel.Refused) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.expire()
	p, ok := h.places[r.Place]
	if !ok {
		return nil
	}
	h.arrivals++
	p.refused = append(p.refused, stray{order: h.arrivals, refused: r})
	if extra := len(p.refused) - executor.MaxStrays; extra > 0 {
		p.refused = append(p.refused[:0:0], p.refused[extra:]...)
	}
	return nil
}
