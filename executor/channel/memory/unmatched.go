package memory

import (
	"cmp"
	"container/list"
	"context"
	"slices"
	"time"

	"github.com/weft-flow/weft/executor"
	"github.com/weft-flow/weft/executor/channel"
)

// unmatched is a message that belongs to no run yet.
type unmatched struct {
	order           int64
	at              *place
	reading         *reading
	keys            []string // under which it is looked up
	size            int64
	same, different int
	element         *list.Element
}

// unmatchedList has all unmatched messages in the order of their arrival.
type unmatchedList struct {
	list  list.List // of *unmatched
	bytes int64
}

func (u *unmatched) repeat(digest channel.Digest, status int) channel.Kept {
	outcome := channel.Repeated(u.reading.digest, digest)
	if outcome == channel.Duplicate {
		u.same++
	} else {
		u.different++
	}
	return channel.Kept{Outcome: outcome, Status: status}
}

// keepUnmatched keeps a message that belongs to no run, where there is room.
func (h *Hub) keepUnmatched(p *place, r *reading) channel.Kept {
	kept := channel.Kept{Outcome: channel.Full, Status: p.known.Status}
	size := channel.Size(r.message)
	if h.unmatched.list.Len() >= h.limits.Unmatched || h.unmatched.bytes+size > h.limits.UnmatchedBytes {
		return kept
	}
	h.arrivals++
	u := &unmatched{order: h.arrivals, at: p, reading: r, size: size}
	u.element = h.unmatched.list.PushBack(u)
	h.unmatched.bytes += size
	p.unmatchedCount++
	for _, where := range p.where {
		u.index(where)
	}
	if r.message.Identity != "" {
		p.unmatchedByID[r.message.Identity] = u
	}
	kept.Outcome = channel.KeptUnmatched
	return kept
}

// index makes a message found by what it has at a place in it.
func (u *unmatched) index(where executor.Locator) {
	for _, key := range u.reading.keys(where) {
		u.keys = append(u.keys, key)
		u.at.unmatched[key] = append(u.at.unmatched[key], u)
	}
}

// remove takes a message out of those that are unmatched.
func (h *Hub) remove(u *unmatched) {
	h.unmatched.list.Remove(u.element)
	h.unmatched.bytes -= u.size
	u.at.unmatchedCount--
	for _, key := range u.keys {
		left := slices.DeleteFunc(u.at.unmatched[key], func(other *unmatched) bool { return other == u })
		if u.at.unmatched[key] = left; len(left) == 0 {
			delete(u.at.unmatched, key)
		}
	}
	if id := u.reading.message.Identity; u.at.unmatchedByID[id] == u {
		delete(u.at.unmatchedByID, id)
	}
}

// expect says which messages belong to a box; false: it was said before.
func (h *Hub) expect(b *box, e executor.Expectation) bool {
	id := channel.ExpectationID(e)
	x := &expecting{box: b, expectation: e, keys: channel.ExpectedKeys(e)}
	if b.said[id] {
		return false
	}
	b.said[id] = true
	b.expected = append(b.expected, x)
	p := h.place(b.at)
	p.identityAt, _ = with(p.identityAt, e.Identity)
	where, fresh := with(p.where, e.Where)
	if p.where = where; fresh {
		h.indexAll(p, e.Where)
	}
	for _, key := range x.keys {
		p.expected[key] = append(p.expected[key], x)
	}
	return true
}

// indexAll makes the unmatched messages of a place found by what they have at a place
// where nobody expected anything before.
func (h *Hub) indexAll(p *place, where executor.Locator) {
	for element := h.unmatched.list.Front(); element != nil && p.unmatchedCount > 0; element = element.Next() {
		if u := element.Value.(*unmatched); u.at == p {
			u.index(where)
		}
	}
}

// offer gives boxes what is unmatched and theirs, in the order of arrival.
func (h *Hub) offer(boxes []*box) {
	type match struct {
		u *unmatched
		x *expecting
	}
	var matches []match
	taken := map[*unmatched]bool{}
	for _, b := range boxes {
		if b.at.Token != "" {
			continue
		}
		for _, x := range b.expected {
			for _, key := range x.keys {
				for _, u := range h.places[b.at].unmatched[key] {
					if !taken[u] {
						taken[u] = true
						matches = append(matches, match{u, x})
					}
				}
			}
		}
	}
	slices.SortFunc(matches, func(a, b match) int { return cmp.Compare(a.u.order, b.u.order) })
	for _, m := range matches {
		h.take(m.u, m.x)
	}
}

// take makes an unmatched message that of a run. It was acknowledged long ago, so the
// limit of the mailbox does not count.
func (h *Hub) take(u *unmatched, x *expecting) {
	h.remove(u)
	identity, key := u.reading.identity([]executor.Locator{x.expectation.Identity})
	if first := u.at.identities[key]; key != "" && first != nil {
		first.repeat(u.reading.digest)
		first.count(u.same, u.different)
		return
	}
	u.reading.message.Identity = identity
	h.store(u.at, x.box, u.reading.message, key, u.reading.digest).count(u.same, u.different)
}

// Unmatched lists the messages that belong to no run yet (channel.Hub).
func (h *Hub) Unmatched(context.Context) ([]channel.Unmatched, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.expire()
	var all []channel.Unmatched
	for element := h.unmatched.list.Front(); element != nil; element = element.Next() {
		u := element.Value.(*unmatched)
		all = append(all, channel.Unmatched{
			Place: u.at.at, Message: *u.reading.message, Same: u.same, Different: u.different,
			Reason: channel.UnmatchedReason(u.reading.message, u.at.where),
		})
	}
	return all, nil
}

// expireUnmatched forgets the messages that are kept for too long.
func (h *Hub) expireUnmatched(before time.Time) {
	for front := h.unmatched.list.Front(); front != nil; front = h.unmatched.list.Front() {
		u := front.Value.(*unmatched)
		if u.reading.message.Received.After(before) {
			return
		}
		h.remove(u)
		h.release(u.at)
	}
}
