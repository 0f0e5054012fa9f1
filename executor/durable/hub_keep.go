package durable

import (
	"context"
	"errors"
	"fmt"

	"github.com/weft-flow/weft/executor"
	"github.com/weft-flow/weft/executor/channel"
)

// arrived is a message that is being put where it belongs.
type arrived struct {
	at       channel.Place
	place    string
	message  *executor.Message
	identity string // what its row says
	key      string // under which repeats are looked up; empty: it has none
	own      string // stands before the key of a message that was delivered to a run
	content  channel.Digest
	values   []executor.Locator // where runs expect something
}

// target is a box of a run to which a message goes.
type target struct {
	run, box string
	status   int
	ends     []executor.Locator // where the expectations that match have an identity
}

func (t target) kept(outcome channel.Outcome, number int) channel.Kept {
	return channel.Kept{Outcome: outcome, Run: t.run, Box: t.box, Number: number, Status: t.status}
}

// Keep stores a message where it belongs (channel.Keeper).
func (h *Hub) Keep(ctx context.Context, a channel.Arrival) (kept channel.Kept, err error) {
	err = h.store.db.patiently(ctx, func(ctx context.Context) error {
		var done bool
		if kept, done, err = h.keepRepeat(ctx, a); done || err != nil {
			return err
		}
		return h.change(ctx, "keep a message", func(tx *transaction, wake func(string)) error {
			kept, err = h.keep(ctx, tx, a)
			if kept.Run != "" {
				wake(kept.Run)
			}
			return err
		})
	})
	if err != nil {
		return channel.Kept{}, err
	}
	return kept, nil
}

// keepRepeat counts, in one statement, a message that a run has got before by the
// identity that the protocol gives it: senders may repeat one for days.
func (h *Hub) keepRepeat(ctx context.Context, a channel.Arrival) (kept channel.Kept, done bool, err error) {
	if a.Identity == "" || a.Place.Token != "" || h.isDue() {
		return channel.Kept{}, false, nil
	}
	m := a.Message("")
	_, key := channel.IdentityFor(m, executor.Locator{})
	content := channel.DigestOf(m)
	var before []byte
	done, err = one(ctx, h.store.db, `UPDATE weft_message SET same = same + CASE WHEN content = $3 THEN 1 ELSE 0 END,
		different = different + CASE WHEN content = $3 THEN 0 ELSE 1 END WHERE place = $1 AND key = $2 AND run <> ''
		RETURNING run, box, number, content, (SELECT status FROM weft_box b WHERE b.run = weft_message.run AND b.name = weft_message.box)`,
		[]any{nameOf(a.Place), key, content[:]}, &kept.Run, &kept.Box, &kept.Number, &before, &kept.Status)
	if err != nil {
		return channel.Kept{}, false, fmt.Errorf("keep a message: %w", err)
	}
	if done {
		kept.Outcome = channel.Repeated(channel.Digest(before), content)
		h.store.news.wake(kept.Run)
	}
	return kept, done, nil
}

func (h *Hub) keep(ctx context.Context, tx conn, a channel.Arrival) (channel.Kept, error) {
	there, err := h.holdPlace(ctx, tx, a.Place)
	if err != nil || !there {
		return channel.Kept{Outcome: channel.Unknown}, err
	}
	m := arrived{at: a.Place, place: nameOf(a.Place), message: a.Message("")}
	m.content = channel.DigestOf(m.message)
	var identities []executor.Locator
	if m.values, identities, err = h.locators(ctx, tx, m.place); err != nil {
		return channel.Kept{}, err
	}
	if a.Place.Token != "" {
		return h.keepScoped(ctx, tx, m, identities)
	}
	if kept, done, err := h.repeated(ctx, tx, m, identities); done || err != nil {
		return kept, err
	}
	return h.route(ctx, tx, m)
}

// keepScoped keeps a message that came to an address of a run's own.
func (h *Hub) keepScoped(ctx context.Context, tx conn, m arrived, identities []executor.Locator) (channel.Kept, error) {
	to := target{ends: identities}
	found, err := one(ctx, tx, "SELECT run, name, status FROM weft_box WHERE place = $1", []any{m.place}, &to.run, &to.box, &to.status)
	if err != nil || !found {
		return channel.Kept{Outcome: channel.Unknown}, err
	}
	i, err := lockInbox(ctx, tx, to.run)
	if err != nil {
		return channel.Kept{}, err
	}
	if i.ended > 0 {
		return to.kept(channel.Gone, 0), nil
	}
	if kept, done, err := h.repeated(ctx, tx, m, identities); done || err != nil {
		return kept, err
	}
	return h.deliverTo(ctx, tx, &i, to, m)
}

// repeated counts a message that has come before, to a run or to none.
func (h *Hub) repeated(ctx context.Context, tx conn, m arrived, identities []executor.Locator) (kept channel.Kept, done bool, err error) {
	for _, key := range channel.IdentityKeys(m.message, identities) {
		var id int64
		var content []byte
		found, err := one(ctx, tx, "SELECT id, run, box, number, content FROM weft_message WHERE place = $1 AND key = $2", []any{m.place, key},
			&id, &kept.Run, &kept.Box, &kept.Number, &content)
		if err != nil {
			return kept, false, err
		}
		if !found {
			continue
		}
		kept.Outcome = channel.Repeated(channel.Digest(content), m.content)
		same, different := 1, 0
		if kept.Outcome == channel.Conflicting {
			same, different = 0, 1
		}
		if err := h.count(ctx, tx, id, kept.Run, same, different); err != nil {
			return kept, false, err
		}
		kept.Status, err = h.statusOf(ctx, tx, m.at, kept.Run, kept.Box)
		return kept, true, err
	}
	return channel.Kept{}, false, nil
}

// count adds repeats to a message.
func (h *Hub) count(ctx context.Context, tx conn, id int64, run string, same, different int) error {
	if same+different == 0 {
		return nil
	}
	_, err := tx.exec(ctx, "UPDATE weft_message SET same = same + $2, different = different + $3 WHERE id = $1", id, same, different)
	if err == nil && run != "" {
		err = h.store.announce(ctx, tx, run)
	}
	return err
}

// statusOf gives the documented status of a run's box, or of the place where there is
// no run.
func (h *Hub) statusOf(ctx context.Context, tx conn, at channel.Place, run, box string) (status int, err error) {
	if run == "" {
		known, _, err := h.known(ctx, tx, at)
		return known.Status, err
	}
	_, err = one(ctx, tx, "SELECT status FROM weft_box WHERE run = $1 AND name = $2", []any{run, box}, &status)
	return status, err
}

// candidateBox is an expectation that a message meets.
type candidateBox struct {
	channel.Candidate
	target
}

// route finds whose a message is, and keeps it there. A run that ends meanwhile is
// looked past.
func (h *Hub) route(ctx context.Context, tx conn, m arrived) (channel.Kept, error) {
	const attempts = 100
	for range attempts {
		found, err := h.candidates(ctx, tx, m)
		if err != nil {
			return channel.Kept{}, err
		}
		choices := make([]channel.Candidate, len(found))
		for n, c := range found {
			choices[n] = c.Candidate
		}
		n := channel.Choose(choices)
		if n < 0 {
			return h.keepUnmatched(ctx, tx, m)
		}
		to := found[n].target
		for _, c := range found {
			if c.run == to.run && c.box == to.box {
				to.ends = append(to.ends, c.ends...)
			}
		}
		i, err := lockInbox(ctx, tx, to.run)
		switch {
		case err != nil:
			return channel.Kept{}, err
		case found[n].Standing == channel.HasEnded:
			return h.keepLate(ctx, tx, &i, to, m)
		case i.ended == 0:
			return h.deliverTo(ctx, tx, &i, to, m)
		}
	}
	return channel.Kept{}, errors.New("the runs that it could belong to end all the time")
}

func (h *Hub) candidates(ctx context.Context, tx conn, m arrived) (found []candidateBox, err error) {
	arguments := []any{m.place}
	for _, where := range m.values {
		for _, key := range channel.ArrivedKeys(where, m.message) {
			arguments = append(arguments, key)
		}
	}
	if len(arguments) == 1 {
		return nil, nil
	}
	err = tx.each(ctx, `SELECT i.ord, i.ended, i.waits, e.run, e.box, e.identity, b.status FROM weft_expected x
		JOIN weft_expectation e ON e.run = x.run AND e.id = x.id
		JOIN weft_box b ON b.run = e.run AND b.name = e.box JOIN weft_inbox i ON i.run = e.run
		WHERE x.place = $1 AND x.key IN (`+listFrom(2, len(arguments))+`) ORDER BY i.ord, e.id`, arguments, func(r row) error {
		var c candidateBox
		var ended int64
		var waits int
		var identity string
		if err := r.Scan(&c.Order, &ended, &waits, &c.run, &c.box, &identity, &c.status); err != nil {
			return err
		}
		switch {
		case ended > 0:
			c.Standing = channel.HasEnded
		case waits <= 0:
			c.Standing = channel.IsOpen
		}
		if identity != "" {
			where, err := executor.ParseLocator(identity)
			if err != nil {
				return err
			}
			c.ends = []executor.Locator{where}
		}
		found = append(found, c)
		return nil
	})
	return found, err
}

// deliverTo puts a message into the inbox of a run, where there is room.
func (h *Hub) deliverTo(ctx context.Context, tx conn, i *inbox, to target, m arrived) (channel.Kept, error) {
	m.identify(to.ends)
	unread := 0
	if _, err := one(ctx, tx, "SELECT count(*) FROM weft_message WHERE run = $1 AND box = $2 AND number > $3", []any{i.run, to.box, i.reached}, &unread); err != nil {
		return channel.Kept{}, err
	}
	if unread >= h.limits.Mailbox || m.key != "" && i.identified >= h.limits.Inbox {
		return to.kept(channel.Full, 0), nil
	}
	number, err := h.store.append(ctx, tx, i, to.box, m)
	return to.kept(channel.Stored, number), err
}

// identify finds the identity of the message: the native one, or the first at a place.
func (m *arrived) identify(at []executor.Locator) {
	if m.identity, m.key = channel.IdentityFor(m.message, executor.Locator{}); m.key != "" {
		m.key = m.own + m.key
	}
	for _, where := range at {
		if m.key != "" {
			return
		}
		if m.identity, m.key = channel.IdentityFor(m.message, where); m.key != "" {
			m.key = m.own + m.key
		}
	}
}

// append gives a message the next number of an inbox that is locked.
func (s *Store) append(ctx context.Context, tx conn, i *inbox, box string, m arrived) (number int, err error) {
	if err := s.take(ctx, tx, i, m.key != ""); err != nil {
		return 0, err
	}
	return i.last, s.insertMessage(ctx, tx, i.run, i.last, box, m)
}

// take makes an inbox count one message more, and makes that known.
func (s *Store) take(ctx context.Context, tx conn, i *inbox, identified bool) error {
	i.last++
	if identified {
		i.identified++
	}
	if _, err := tx.exec(ctx, "UPDATE weft_inbox SET last = $2, identified = $3 WHERE run = $1", i.run, i.last, i.identified); err != nil {
		return err
	}
	return s.announce(ctx, tx, i.run)
}

func (s *Store) insertMessage(ctx context.Context, tx conn, run string, number int, box string, m arrived) error {
	data, err := s.writeMessage(m.message)
	if err != nil {
		return err
	}
	_, err = tx.exec(ctx, `INSERT INTO weft_message (run, number, box, place, key, identity, content, received, size, same, different, reason, data)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, 0, 0, '', $10)`,
		run, number, box, m.place, m.key, m.identity, m.content[:], milliseconds(m.message.Received), channel.Size(m.message), data)
	return err
}
