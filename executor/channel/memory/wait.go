package memory

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/weft-flow/weft/executor"
	"github.com/weft-flow/weft/executor/channel"
)

// wait is the wait of a run for its next message.
type wait struct {
	hub     *Hub
	run     *run
	after   int
	stopped bool
}

// Wait tells that a run waits (channel.Inboxes).
func (h *Hub) Wait(_ context.Context, id string, after int) (channel.Waiting, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	r, err := h.open(id)
	if err != nil {
		return nil, err
	}
	r.read(after)
	r.waits++
	return &wait{hub: h, run: r, after: after}, nil
}

// Next gives the first message that is not read (channel.Waiting).
func (w *wait) Next(context.Context) (*executor.Message, error) {
	w.hub.mu.Lock()
	defer w.hub.mu.Unlock()
	if w.run.ended {
		return nil, fmt.Errorf("run %q: %w", w.run.id, channel.ErrRunEnded)
	}
	for _, e := range w.run.unread {
		if e.number > w.after {
			return e.message, nil
		}
	}
	return nil, nil
}

// Woken gives a channel that is closed when there may be something new (channel.Waiting).
func (w *wait) Woken() <-chan struct{} {
	w.hub.mu.Lock()
	defer w.hub.mu.Unlock()
	return w.run.wake
}

// Stop ends the wait (channel.Waiting).
func (w *wait) Stop() {
	w.hub.mu.Lock()
	defer w.hub.mu.Unlock()
	if !w.stopped {
		w.stopped = true
		w.run.waits--
	}
}

// known gives a run that is open, or that has ended and is remembered.
func (h *Hub) known(id string) (*run, error) {
	h.expire()
	r, ok := h.runs[id]
	if !ok {
		return nil, fmt.Errorf("run %q: %w", id, channel.ErrNoRun)
	}
	return r, nil
}

// Repeats gives the messages that have come more than once (channel.Inboxes).
func (h *Hub) Repeats(_ context.Context, id string) ([]executor.Repeat, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	r, err := h.known(id)
	if err != nil {
		return nil, err
	}
	var all []executor.Repeat
	for _, e := range r.repeated {
		if e.number > 0 {
			all = append(all, executor.Repeat{Number: e.number, Same: e.same, Different: e.different})
		}
	}
	slices.SortFunc(all, func(a, b executor.Repeat) int { return cmp.Compare(a.Number, b.Number) })
	return all, nil
}

// Strays gives what came to the addresses of a run and is nobody's (channel.Inboxes).
func (h *Hub) Strays(_ context.Context, id string) ([]executor.Stray, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	r, err := h.known(id)
	if err != nil {
		return nil, err
	}
	type ordered struct {
		order int64
		stray executor.Stray
	}
	var all []ordered
	names := map[*place]string{}
	for _, b := range r.boxes {
		p := h.places[b.at]
		if names[p] != "" {
			continue
		}
		names[p] = b.mailbox.Name
		for _, s := range p.refused {
			if !s.refused.Received.Before(r.opened) {
				all = append(all, ordered{s.order, executor.Stray{Box: names[p], Received: s.refused.Received, Identity: s.refused.Identity, Reason: s.refused.Reason}})
			}
		}
	}
	found := 0
	for element := h.unmatched.list.Back(); element != nil && found < executor.MaxStrays; element = element.Prev() {
		u := element.Value.(*unmatched)
		m := u.reading.message
		if m.Received.Before(r.opened) {
			break
		}
		if name := names[u.at]; name != "" {
			found++
			all = append(all, ordered{u.order, executor.Stray{Box: name, Received: m.Received, Identity: m.Identity, Reason: channel.UnmatchedReason(m, u.at.where)}})
		}
	}
	slices.SortFunc(all, func(a, b ordered) int { return cmp.Compare(a.order, b.order) })
	all = all[max(0, len(all)-executor.MaxStrays):]
	strays := make([]executor.Stray, len(all))
	for i, s := range all {
		strays[i] = s.stray
	}
	return strays, nil
}
