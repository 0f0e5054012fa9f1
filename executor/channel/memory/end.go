package memory

import (
	"container/list"
	"context"
	"errors"
	"slices"
	"time"

	"github.com/weft-flow/weft/executor"
	"github.com/weft-flow/weft/executor/channel"
)

// End ends the inbox of a run (channel.Inboxes).
func (h *Hub) End(_ context.Context, id string) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.expire()
	r, err := h.open(id)
	if errors.Is(err, channel.ErrRunEnded) {
		return nil
	}
	if err != nil {
		return err
	}
	r.ended, r.endedAt = true, h.now()
	for _, e := range r.unread {
		r.left = append(r.left, *e.message)
	}
	r.read(r.last)
	r.woken()
	h.ended = append(h.ended, r)
	h.endedIdentities += len(r.identified)
	h.shrink()
	return nil
}

// Left gives the messages that a run had in its inbox at its end, and had not read.
func (h *Hub) Left(_ context.Context, id string) ([]executor.Message, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	r, err := h.known(id)
	if err != nil {
		return nil, err
	}
	return slices.Clone(r.left), nil
}

// lateMessage is one that came for a run after its end.
type lateMessage struct {
	run     string
	message *executor.Message
	size    int64
}

// lateList has the late messages of all runs in their order.
type lateList struct {
	list  list.List // of lateMessage
	bytes int64
}

func (l *lateList) dropFirst() {
	front := l.list.Front()
	l.bytes -= l.list.Remove(front).(lateMessage).size
}

// keepLate records a message for a run that has ended.
func (h *Hub) keepLate(p *place, b *box, r *reading, ids []executor.Locator) channel.Kept {
	identity, key := r.identity(ids)
	r.message.Identity, r.message.Box = identity, b.mailbox.Name
	if key != "" {
		h.endedIdentities++
		p.remember(&entry{box: b, key: key, digest: r.digest})
	}
	late := lateMessage{run: b.run.id, message: r.message, size: channel.Size(r.message)}
	h.late.list.PushBack(late)
	h.late.bytes += late.size
	h.shrink()
	return b.kept(channel.Late, 0)
}

// Late gives what came for a run after its end (channel.Inboxes).
func (h *Hub) Late(_ context.Context, id string) ([]executor.Message, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if _, err := h.known(id); err != nil {
		return nil, err
	}
	var all []executor.Message
	for element := h.late.list.Front(); element != nil; element = element.Next() {
		if late := element.Value.(lateMessage); late.run == id {
			all = append(all, *late.message)
		}
	}
	return all, nil
}

// expire forgets what is kept for too long.
func (h *Hub) expire() {
	before := h.now().Add(-h.limits.Keep)
	h.expireUnmatched(before)
	for len(h.ended) > 0 && !h.ended[0].endedAt.After(before) {
		h.forgetFirst()
	}
	for front := h.late.list.Front(); front != nil && expired(front, before); front = h.late.list.Front() {
		h.late.dropFirst()
	}
}

func expired(element *list.Element, before time.Time) bool {
	return !element.Value.(lateMessage).message.Received.After(before)
}

// shrink forgets what is more than the limits allow, the oldest first.
func (h *Hub) shrink() {
	for len(h.ended) > h.limits.Ended || len(h.ended) > 0 && h.endedIdentities > h.limits.EndedIdentities {
		h.forgetFirst()
	}
	for h.late.list.Len() > h.limits.Late || h.late.bytes > h.limits.LateBytes {
		h.late.dropFirst()
	}
}

// forgetFirst forgets the run that ended first.
func (h *Hub) forgetFirst() {
	r := h.ended[0]
	h.ended[0] = nil
	h.ended = h.ended[1:]
	h.endedIdentities -= len(r.identified)
	delete(h.runs, r.id)
	for _, e := range r.identified {
		if p := h.places[e.box.at]; p != nil && p.identities[e.key] == e {
			delete(p.identities, e.key)
		}
	}
	for _, b := range r.boxes {
		h.forgetBox(b)
	}
}

func (h *Hub) forgetBox(b *box) {
	p := h.places[b.at]
	for _, x := range b.expected {
		for _, key := range x.keys {
			left := slices.DeleteFunc(p.expected[key], func(other *expecting) bool { return other == x })
			if p.expected[key] = left; len(left) == 0 {
				delete(p.expected, key)
			}
		}
	}
	p.detach(b.mailbox)
	h.release(p)
}

// release forgets a place that nothing concerns any more.
func (h *Hub) release(p *place) {
	if !p.empty() {
		return
	}
	delete(h.places, p.at)
	if p.at.Token != "" {
		return
	}
	h.addresses = slices.DeleteFunc(h.addresses, func(a channel.Address) bool { return a.Place == p.at })
}
