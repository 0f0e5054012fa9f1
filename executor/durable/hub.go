package durable

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/weft-flow/weft/executor"
	"github.com/weft-flow/weft/executor/channel"
)

// Hub keeps messages in the database of a store, for all its nodes: receivers hand
// them over, and runs read them. A message is kept when Keep returns. See channel.Hub.
//
// Whoever changes what messages go to an address holds the address, with others or alone
// (sharePlace, holdPlace), and whoever changes the inbox of a run the row of the inbox, in
// this order.
type Hub struct {
	store  *Store
	now    func() time.Time
	limits channel.Limits

	addresses sync.Map // channel.Address by channel.Place

	mu      sync.Mutex
	expired time.Time // when what is kept for too long was last removed
}

var _ channel.Hub = (*Hub)(nil)

func newHub(s *Store, now func() time.Time, limits channel.Limits) *Hub {
	return &Hub{store: s, now: now, limits: channel.DefaultLimits(limits)}
}

// Hub gives the keeper of the messages of all runs.
func (s *Store) Hub() *Hub { return s.hub }

// change does something that may concern many runs, and wakes those that it names.
func (h *Hub) change(ctx context.Context, what string, do func(tx *transaction, wake func(run string)) error) error {
	var woken []string
	err := h.store.db.patiently(ctx, func(ctx context.Context) error {
		if err := h.expire(ctx); err != nil {
			return err
		}
		return h.store.db.within(ctx, func(tx *transaction) error {
			woken = woken[:0]
			return do(tx, func(run string) { woken = append(woken, run) })
		})
	})
	if err != nil {
		return fmt.Errorf("%s: %w", what, err)
	}
	for _, run := range woken {
		h.store.news.wake(run)
	}
	return nil
}

// view looks at something. What is kept for too long is removed first.
func (h *Hub) view(ctx context.Context, what string, look func(context.Context, conn) error) error {
	err := h.store.db.patiently(ctx, func(ctx context.Context) error {
		if err := h.expire(ctx); err != nil {
			return err
		}
		return look(ctx, h.store.db)
	})
	if err != nil {
		return fmt.Errorf("%s: %w", what, err)
	}
	return nil
}

// openInbox makes the inbox of a run.
func openInbox(ctx context.Context, c conn, run string) error {
	_, err := c.exec(ctx, "INSERT INTO weft_inbox (run, opened, ended, last, reached, identified, waits) VALUES ($1, 0, 0, 0, 0, 0, 0) ON CONFLICT (run) DO NOTHING", run)
	return err
}

// inbox is the row of a run's inbox.
type inbox struct {
	run                       string
	opened, ended             int64
	last, reached, identified int
}

// lockInbox gives an inbox, which nobody else changes until the transaction ends.
func lockInbox(ctx context.Context, c conn, run string) (inbox, error) {
	return readInbox(ctx, c, run, " FOR UPDATE")
}

func readInbox(ctx context.Context, c conn, run, lock string) (inbox, error) {
	i := inbox{run: run}
	found, err := one(ctx, c, "SELECT opened, ended, last, reached, identified FROM weft_inbox WHERE run = $1"+lock, []any{run}, &i.opened, &i.ended, &i.last, &i.reached, &i.identified)
	if err == nil && !found {
		err = channel.ErrNoRun
	}
	return i, err
}

// lockOpen gives the inbox of a run that has not ended.
func lockOpen(ctx context.Context, c conn, run string) (inbox, error) {
	i, err := lockInbox(ctx, c, run)
	if err == nil && i.ended > 0 {
		err = channel.ErrRunEnded
	}
	return i, err
}

// Declare makes fixed addresses known (channel.Inboxes).
func (h *Hub) Declare(ctx context.Context, boxes []executor.Mailbox) error {
	return h.change(ctx, "declare addresses", func(tx *transaction, _ func(string)) error {
		for _, box := range boxes {
			if box.Scoped {
				continue
			}
			at := channel.PlaceOf(box)
			if err := h.makePlaces(ctx, tx, at); err != nil {
				return err
			}
			if _, err := addForm(ctx, tx, at, box, true); err != nil {
				return err
			}
			if box.Signed {
				continue
			}
			if err := forgetSigned(ctx, tx, at, box); err != nil {
				return err
			}
		}
		return nil
	})
}

// Open begins to receive for a run (channel.Inboxes).
func (h *Hub) Open(ctx context.Context, run string, boxes []executor.Mailbox) (tokens map[string]string, err error) {
	err = h.change(ctx, fmt.Sprintf("open the inbox of run %q", run), func(tx *transaction, wake func(string)) error {
		if err := openInbox(ctx, tx, run); err != nil {
			return err
		}
		tokens, err = h.open(ctx, tx, run, boxes)
		wake(run)
		return err
	})
	return tokens, err
}

// open begins to receive for a run whose inbox is there, and offers it what is unmatched.
func (h *Hub) open(ctx context.Context, c conn, run string, boxes []executor.Mailbox) (map[string]string, error) {
	tokens, there, err := readTokens(ctx, c, run)
	if err != nil {
		return nil, err
	}
	var fresh []executor.Mailbox
	var places []channel.Place
	for _, box := range boxes {
		if there[box.Name] {
			continue
		}
		fresh = append(fresh, box)
		at := channel.PlaceOf(box)
		if box.Scoped {
			at = channel.Place{Token: newToken()}
			tokens[box.Name] = at.Token
		}
		places = append(places, at)
	}
	if err := h.makePlaces(ctx, c, places...); err != nil {
		return nil, err
	}
	i, err := lockOpen(ctx, c, run)
	if err != nil {
		return nil, err
	}
	if _, err := c.exec(ctx, "UPDATE weft_inbox SET opened = $2 WHERE run = $1 AND opened = 0", run, milliseconds(h.now())); err != nil {
		return nil, err
	}
	var offered [][]byte
	for n, box := range fresh {
		ids, err := h.addBox(ctx, c, run, box, places[n])
		if err != nil {
			return nil, err
		}
		offered = append(offered, ids...)
	}
	return tokens, h.offer(ctx, c, &i, offered)
}

func readTokens(ctx context.Context, c conn, run string) (tokens map[string]string, there map[string]bool, err error) {
	tokens, there = map[string]string{}, map[string]bool{}
	err = c.each(ctx, "SELECT name, token FROM weft_box WHERE run = $1", []any{run}, func(r row) error {
		var name, token string
		err := r.Scan(&name, &token)
		there[name] = true
		if token != "" {
			tokens[name] = token
		}
		return err
	})
	return tokens, there, err
}

// addBox makes a box of a run, and gives the ids of what it expects.
func (h *Hub) addBox(ctx context.Context, c conn, run string, box executor.Mailbox, at channel.Place) (ids [][]byte, err error) {
	form, err := addForm(ctx, c, at, box, false)
	if err != nil {
		return nil, err
	}
	_, err = c.exec(ctx, "INSERT INTO weft_box (run, name, place, token, form, status, address) VALUES ($1, $2, $3, $4, $5, $6, $7)",
		run, box.Name, nameOf(at), at.Token, form, box.Status, box.Address)
	if err != nil {
		return nil, err
	}
	if err := h.moveEarly(ctx, c, run, box.Name, at); err != nil {
		return nil, err
	}
	for _, e := range box.Expect {
		id, err := h.expect(ctx, c, run, box.Name, at, e)
		if err != nil {
			return nil, err
		}
		if id != nil {
			ids = append(ids, id)
		}
	}
	return ids, nil
}

// moveEarly has what was delivered to a box before there was one found by its identity
// from here on.
func (h *Hub) moveEarly(ctx context.Context, c conn, run, box string, at channel.Place) error {
	early, there := nameOf(earlyPlace(run, box)), 0
	found, err := one(ctx, c, "SELECT 1 FROM weft_message WHERE run = $1 AND place = $2 AND key <> '' LIMIT 1", []any{run, early}, &there)
	if err != nil || !found {
		return err
	}
	if err := h.holdLoose(ctx, c, nameOf(at)); err != nil {
		return err
	}
	_, err = c.exec(ctx, `UPDATE weft_message SET place = $3 WHERE run = $1 AND place = $2 AND key <> ''
		AND NOT EXISTS (SELECT 1 FROM weft_message o WHERE o.place = $3 AND o.key = weft_message.key)`, run, early, nameOf(at))
	return err
}

// Expect says which messages of a box belong to a run (channel.Inboxes).
func (h *Hub) Expect(ctx context.Context, run string, e executor.Expectation) error {
	return h.change(ctx, fmt.Sprintf("expect messages of %q in run %q", e.Box, run), func(tx *transaction, wake func(string)) error {
		wake(run)
		return h.expectIn(ctx, tx, run, e)
	})
}

// expectIn adds an expectation to a box of a run and offers it what is unmatched.
func (h *Hub) expectIn(ctx context.Context, c conn, run string, e executor.Expectation) error {
	at, err := h.placeOfBox(ctx, c, run, e.Box)
	if err == nil {
		_, err = h.sharePlace(ctx, c, at) // it has a box, and is not forgotten
	}
	if err != nil && !errors.Is(err, channel.ErrNoBox) {
		return err
	}
	i, missing := lockOpen(ctx, c, run)
	if missing != nil || err != nil {
		return errors.Join(missing, err)
	}
	id, err := h.expect(ctx, c, run, e.Box, at, e)
	if err != nil || id == nil {
		return err
	}
	return h.offer(ctx, c, &i, [][]byte{id})
}

func (h *Hub) placeOfBox(ctx context.Context, c conn, run, box string) (at channel.Place, err error) {
	found, err := one(ctx, c, `SELECT p.kind, p.source, p.name, p.token FROM weft_box b JOIN weft_place p ON p.place = b.place
		WHERE b.run = $1 AND b.name = $2`, []any{run, box}, &at.Kind, &at.Source, &at.Name, &at.Token)
	if err == nil && !found {
		err = channel.ErrNoBox
	}
	return at, err
}

// expect keeps an expectation and gives its id; nil: it was kept before.
func (h *Hub) expect(ctx context.Context, c conn, run, box string, at channel.Place, e executor.Expectation) ([]byte, error) {
	id := hashOf(channel.ExpectationID(e) + "\n" + box)
	place := nameOf(at)
	added, err := c.exec(ctx, "INSERT INTO weft_expectation (run, id, place, box, identity) VALUES ($1, $2, $3, $4, $5) ON CONFLICT DO NOTHING",
		run, id, place, box, e.Identity.String())
	if err != nil || added == 0 {
		return nil, err
	}
	for _, key := range channel.ExpectedKeys(e) {
		if _, err := c.exec(ctx, "INSERT INTO weft_expected (place, key, run, id) VALUES ($1, $2, $3, $4)", place, key, run, id); err != nil {
			return nil, err
		}
	}
	for _, l := range []struct { // in one order, so that no two who share the place wait for each other
		use   string
		where executor.Locator
	}{{identityUse, e.Identity}, {valueUse, e.Where}} {
		if l.where.IsZero() {
			continue
		}
		added, err := c.exec(ctx, "INSERT INTO weft_locator (place, use, text) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING", place, l.use, l.where.String())
		if err == nil && added > 0 && l.use == valueUse {
			err = h.indexAll(ctx, c, place, l.where)
		}
		if err != nil {
			return nil, err
		}
	}
	return id, nil
}

// What a place in a message is looked at for.
const (
	valueUse    = "value"
	identityUse = "identity"
)

// End ends the inbox of a run (channel.Inboxes).
func (h *Hub) End(ctx context.Context, run string) error {
	return h.change(ctx, fmt.Sprintf("end the inbox of run %q", run), func(tx *transaction, wake func(string)) error {
		wake(run)
		if err := h.end(ctx, tx, run); err != nil {
			return err
		}
		return h.shrink(ctx, tx)
	})
}

func (h *Hub) end(ctx context.Context, c conn, run string) error {
	i, err := lockInbox(ctx, c, run)
	if err != nil || i.ended > 0 {
		return err
	}
	if _, err := c.exec(ctx, "UPDATE weft_inbox SET ended = $2, waits = 0, reached = last WHERE run = $1", run, milliseconds(h.now())); err != nil {
		return err
	}
	return h.store.announce(ctx, c, run)
}

// keptMessage is a message as it is kept, beside the columns of its row.
type keptMessage struct {
	Scoped bool                `json:"scoped,omitempty"`
	Method string              `json:"method,omitempty"`
	Header executor.Header     `json:"header,omitempty"`
	Query  map[string][]string `json:"query,omitempty"`
	Path   map[string]string   `json:"path,omitempty"`
	Body   []byte              `json:"body,omitempty"`
}

// sealedMessages is what encrypted messages belong to: which run's they are is not
// known when they come.
const sealedMessages = "messages"

func (s *Store) writeMessage(m *executor.Message) ([]byte, error) {
	data, err := json.Marshal(keptMessage{Scoped: m.Scoped, Method: m.Method, Header: m.Header, Query: m.Query, Path: m.Path, Body: m.Body})
	if err != nil {
		return nil, fmt.Errorf("keep a message: %w", err)
	}
	return s.seal.close(sealedMessages, data), nil
}

func (s *Store) readMessage(data []byte, into *executor.Message) error {
	plain, err := s.seal.open(sealedMessages, data)
	if err != nil {
		return err
	}
	var kept keptMessage
	if err := json.Unmarshal(plain, &kept); err != nil {
		return fmt.Errorf("read a message: %w", err)
	}
	into.Scoped, into.Method, into.Header, into.Query, into.Path, into.Body = kept.Scoped, kept.Method, kept.Header, kept.Query, kept.Path, kept.Body
	return nil
}
