package memory

import (
	"context"
	"crypto/rand"
	"encoding/base64"
	"fmt"
	"io"
	"sync"
	"time"

	"github.com/weft-flow/weft/executor"
	"github.com/weft-flow/weft/executor/channel"
)

// Options are the settings of a Hub.
type Options struct {
	// Now gives the time; nil: time.Now.
	Now func() time.Time
	// Random is what the tokens of addresses are made of; nil: crypto/rand. Only a
	// simulation may give another, whose tokens can be guessed.
	Random io.Reader
	// Limits bound what is kept (channel.DefaultLimits).
	Limits channel.Limits
}

// Hub is a channel.Hub in memory.
type Hub struct {
	now    func() time.Time
	random io.Reader
	limits channel.Limits

	mu sync.Mutex
	// opened counts runs, and arrivals the messages that went to none.
	opened, arrivals int64
	runs             map[string]*run
	ended            []*run // in the order of their ends
	// endedIdentities is how many identities are remembered of ended runs.
	endedIdentities int
	places          map[channel.Place]*place
	addresses       []channel.Address // the fixed ones of places
	unmatched       unmatchedList
	late            lateList
}

var _ channel.Hub = (*Hub)(nil)

// New makes a Hub with nothing in it.
func New(o Options) *Hub {
	h := &Hub{
		now: o.Now, random: o.Random, limits: channel.DefaultLimits(o.Limits),
		runs: map[string]*run{}, places: map[channel.Place]*place{},
	}
	if h.now == nil {
		h.now = time.Now
	}
	if h.random == nil {
		h.random = rand.Reader
	}
	return h
}

// tokenBytes is how many random bytes are in a token.
const tokenBytes = 24

func (h *Hub) newToken() (string, error) {
	var b [tokenBytes]byte
	if _, err := io.ReadFull(h.random, b[:]); err != nil {
		return "", fmt.Errorf("make the token of an address: %w", err)
	}
	token := base64.RawURLEncoding.EncodeToString(b[:])
	if _, taken := h.places[channel.Place{Token: token}]; taken {
		return "", fmt.Errorf("make the token of an address: the random source repeats itself")
	}
	return token, nil
}

// Declare makes fixed addresses known (channel.Inboxes).
func (h *Hub) Declare(_ context.Context, boxes []executor.Mailbox) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, box := range boxes {
		if !box.Scoped {
			h.place(channel.PlaceOf(box)).declare(box)
		}
	}
	return nil
}

// Open begins to receive for a run (channel.Inboxes).
func (h *Hub) Open(_ context.Context, id string, boxes []executor.Mailbox) (map[string]string, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.expire()
	r, known := h.runs[id]
	switch {
	case known && r.ended:
		return nil, fmt.Errorf("open the inbox of run %q: %w", id, channel.ErrRunEnded)
	case !known:
		h.opened++
		r = &run{id: id, order: h.opened, opened: h.now(), wake: make(chan struct{})}
	}
	added, err := h.newBoxes(r, boxes)
	if err != nil {
		return nil, err
	}
	h.runs[id] = r
	for _, b := range added {
		r.boxes = append(r.boxes, b)
		p := h.place(b.at)
		p.attach(b.mailbox)
		if b.at.Token != "" {
			p.only = b
		}
		for _, e := range b.mailbox.Expect {
			h.expect(b, e)
		}
	}
	h.offer(added)
	return r.tokens(), nil
}

// newBoxes makes those boxes of a run that it does not have yet.
func (h *Hub) newBoxes(r *run, boxes []executor.Mailbox) ([]*box, error) {
	var added []*box
	for _, mailbox := range boxes {
		if r.box(mailbox.Name) != nil {
			continue
		}
		b := &box{run: r, mailbox: mailbox, at: channel.PlaceOf(mailbox), said: map[string]bool{}}
		if mailbox.Scoped {
			token, err := h.newToken()
			if err != nil {
				return nil, err
			}
			b.at = channel.Place{Token: token}
		}
		added = append(added, b)
	}
	return added, nil
}

// Expect says which messages of a box belong to a run (channel.Inboxes).
func (h *Hub) Expect(_ context.Context, id string, e executor.Expectation) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.expire()
	r, err := h.open(id)
	if err != nil {
		return err
	}
	b := r.box(e.Box)
	if b == nil {
		return fmt.Errorf("expect messages of %q in run %q: %w", e.Box, id, channel.ErrNoBox)
	}
	if fresh := h.expect(b, e); fresh {
		h.offer([]*box{b})
	}
	return nil
}

// open gives a run that has not ended.
func (h *Hub) open(id string) (*run, error) {
	r, ok := h.runs[id]
	switch {
	case !ok:
		return nil, fmt.Errorf("run %q: %w", id, channel.ErrNoRun)
	case r.ended:
		return nil, fmt.Errorf("run %q: %w", id, channel.ErrRunEnded)
	default:
		return r, nil
	}
}

// Find tells what is known of an address (channel.Keeper).
func (h *Hub) Find(_ context.Context, target channel.Target) (channel.Known, bool, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.expire()
	if target.Token != "" {
		p, ok := h.places[channel.Place{Token: target.Token}]
		if !ok {
			return channel.Known{}, false, nil
		}
		return p.scoped(target.Rest), true, nil
	}
	at, path, ok := channel.Resolve(target, h.addresses)
	if !ok {
		return channel.Known{}, false, nil
	}
	known := h.places[at].known
	known.Path = path
	return known, true, nil
}

// place gives the place itself, which it makes where it is not known.
func (h *Hub) place(at channel.Place) *place {
	p, ok := h.places[at]
	if !ok {
		p = newPlace(at)
		h.places[at] = p
		if at.Token == "" {
			h.addresses = append(h.addresses, channel.AddressOf(at))
		}
	}
	return p
}
