package durable

import (
	"context"
	"slices"

	"github.com/weft-flow/weft/executor"
	"github.com/weft-flow/weft/executor/channel"
)

// The numbers of messages that are in no inbox. Those of a run with the number 0 came
// after its end.
const (
	unmatchedNumber = 0
	refusedNumber   = -1
)

// keepUnmatched keeps a message that belongs to no run, where there is room.
func (h *Hub) keepUnmatched(ctx context.Context, tx conn, m arrived) (channel.Kept, error) {
	known, _, err := h.known(ctx, tx, m.at)
	if err != nil {
		return channel.Kept{}, err
	}
	kept := channel.Kept{Outcome: channel.Full, Status: known.Status}
	var messages int
	var bytes int64
	_, err = one(ctx, tx, "SELECT count(*), CAST(coalesce(sum(size), 0) AS bigint) FROM weft_message WHERE run = '' AND number = 0", nil, &messages, &bytes)
	if err != nil || messages >= h.limits.Unmatched || bytes+channel.Size(m.message) > h.limits.UnmatchedBytes {
		return kept, err
	}
	m.identify(nil)
	if err := h.store.insertMessage(ctx, tx, "", unmatchedNumber, "", m); err != nil {
		return kept, err
	}
	var id int64
	if _, err := one(ctx, tx, "SELECT max(id) FROM weft_message WHERE place = $1 AND number = 0 AND run = ''", []any{m.place}, &id); err != nil {
		return kept, err
	}
	for _, where := range m.values {
		if err := index(ctx, tx, m.place, id, where, m.message); err != nil {
			return kept, err
		}
	}
	kept.Outcome = channel.KeptUnmatched
	return kept, nil
}

// index makes an unmatched message found by what it has at a place in it.
func index(ctx context.Context, tx conn, place string, id int64, where executor.Locator, m *executor.Message) error {
	for _, key := range channel.ArrivedKeys(where, m) {
		if _, err := tx.exec(ctx, "INSERT INTO weft_unmatched (place, key, message) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING", place, key, id); err != nil {
			return err
		}
	}
	return nil
}

// loose is a message that is in no inbox.
type loose struct {
	id              int64
	place           string
	number          int
	same, different int
	content         []byte
	reason          string
	message         executor.Message
}

const looseColumns = "m.id, m.place, m.number, m.same, m.different, m.content, m.reason, m.identity, m.received, m.data"

// loose reads messages that are in no inbox.
func (h *Hub) loose(ctx context.Context, c conn, text string, arguments ...any) (all []loose, err error) {
	err = c.each(ctx, "SELECT "+looseColumns+" FROM weft_message m "+text, arguments, func(r row) error {
		var l loose
		var received int64
		var data []byte
		err := r.Scan(&l.id, &l.place, &l.number, &l.same, &l.different, &l.content, &l.reason, &l.message.Identity, &received, &data)
		if err != nil {
			return err
		}
		l.message.Received = atMilliseconds(received)
		if l.number != refusedNumber {
			err = h.store.readMessage(data, &l.message)
		}
		all = append(all, l)
		return err
	})
	return all, err
}

// indexAll makes the unmatched messages of a place found by what they have where
// nobody expected anything before.
func (h *Hub) indexAll(ctx context.Context, c conn, place string, where executor.Locator) error {
	all, err := h.loose(ctx, c, "WHERE m.place = $1 AND m.run = '' AND m.number = 0", place)
	if err != nil {
		return err
	}
	for _, l := range all {
		if err := index(ctx, c, place, l.id, where, &l.message); err != nil {
			return err
		}
	}
	return nil
}

// offer gives a run what is unmatched and what it expects, by the expectations, in the
// order of arrival.
func (h *Hub) offer(ctx context.Context, c conn, i *inbox, expectations [][]byte) error {
	found, places, err := matches(ctx, c, i.run, expectations)
	if err != nil || len(found) == 0 {
		return err
	}
	if err := h.holdLoose(ctx, c, places...); err != nil {
		return err
	}
	if found, _, err = matches(ctx, c, i.run, expectations); err != nil || len(found) == 0 { // others may have taken it
		return err
	}
	ids := make([]any, 0, len(found))
	for id := range found {
		ids = append(ids, id)
	}
	all, err := h.loose(ctx, c, "WHERE m.id IN "+list(1, len(ids))+" ORDER BY m.id", ids...)
	if err != nil {
		return err
	}
	for _, l := range all {
		if err := h.takeLoose(ctx, c, i, l, found[l.id].box, found[l.id].identity); err != nil {
			return err
		}
	}
	return nil
}

// match is the box of a run that expects a message, and where that has its identity.
type match struct{ box, identity string }

// matches gives the unmatched messages that meet expectations of a run, and where they
// are, in order.
func matches(ctx context.Context, c conn, run string, expectations [][]byte) (found map[int64]match, places []string, err error) {
	found = map[int64]match{}
	for _, id := range expectations {
		err := c.each(ctx, `SELECT u.message, u.place, e.box, e.identity FROM weft_expectation e
			JOIN weft_expected x ON x.run = e.run AND x.id = e.id JOIN weft_unmatched u ON u.place = x.place AND u.key = x.key
			WHERE e.run = $1 AND e.id = $2`, []any{run, id}, func(r row) error {
			var message int64
			var place string
			var to match
			err := r.Scan(&message, &place, &to.box, &to.identity)
			if _, taken := found[message]; !taken {
				found[message] = to
				places = append(places, place)
			}
			return err
		})
		if err != nil {
			return nil, nil, err
		}
	}
	slices.Sort(places)
	return found, slices.Compact(places), nil
}

// takeLoose makes an unmatched message that of a run. It was acknowledged long ago, so
// the limit of the mailbox does not count.
func (h *Hub) takeLoose(ctx context.Context, c conn, i *inbox, l loose, box, identityAt string) error {
	if _, err := c.exec(ctx, "DELETE FROM weft_unmatched WHERE message = $1", l.id); err != nil {
		return err
	}
	m := arrived{message: &l.message}
	var at []executor.Locator
	if identityAt != "" {
		where, err := executor.ParseLocator(identityAt)
		if err != nil {
			return err
		}
		at = append(at, where)
	}
	m.identify(at)
	if m.key != "" {
		var first int64
		var run string
		var content []byte
		early := nameOf(earlyPlace(i.run, box))
		// The run may have got it by hand: before it began, or apart from what has come.
		found, err := one(ctx, c, `SELECT id, run, content FROM weft_message WHERE id <> $3
			AND (place = $1 AND (key = $2 OR key = $4 AND run = $5) OR place = $6 AND key = $2)`,
			[]any{l.place, m.key, l.id, apartFor(i.run) + m.key, i.run, early}, &first, &run, &content)
		if err != nil {
			return err
		}
		if found {
			same, different := l.same, l.different
			if channel.Repeated(channel.Digest(content), channel.Digest(l.content)) == channel.Duplicate {
				same++
			} else {
				different++
			}
			if err := h.count(ctx, c, first, run, same, different); err != nil {
				return err
			}
			if _, err := c.exec(ctx, "DELETE FROM weft_message WHERE id = $1", l.id); err != nil {
				return err
			}
			// From here on it is found where it comes from outside.
			_, err = c.exec(ctx, `UPDATE weft_message SET place = $2 WHERE id = $1 AND place = $4
				AND NOT EXISTS (SELECT 1 FROM weft_message o WHERE o.place = $2 AND o.key = $3)`, first, l.place, m.key, early)
			return err
		}
	}
	if err := h.store.take(ctx, c, i, m.key != ""); err != nil {
		return err
	}
	_, err := c.exec(ctx, "UPDATE weft_message SET run = $2, number = $3, box = $4, key = $5, identity = $6 WHERE id = $1", l.id, i.run, i.last, box, m.key, m.identity)
	return err
}

// Refuse records a message that is not to be kept (channel.Keeper).
func (h *Hub) Refuse(ctx context.Context, refused channel.Refused) error {
	return h.change(ctx, "record a refused message", func(tx *transaction, _ func(string)) error {
		there, err := h.holdPlace(ctx, tx, refused.Place)
		if err != nil || !there {
			return err
		}
		place := nameOf(refused.Place)
		_, err = tx.exec(ctx, `INSERT INTO weft_message (run, number, box, place, key, identity, content, received, size, same, different, reason)
			VALUES ('', $1, '', $2, '', $3, $4, $5, 0, 0, 0, $6)`, refusedNumber, place, refused.Identity, []byte{}, milliseconds(refused.Received), refused.Reason)
		if err != nil {
			return err
		}
		_, err = tx.exec(ctx, `DELETE FROM weft_message WHERE run = '' AND number = $1 AND place = $2 AND id <=
			coalesce((SELECT id FROM weft_message WHERE run = '' AND number = $1 AND place = $2 ORDER BY id DESC LIMIT 1 OFFSET $3), 0)`,
			refusedNumber, place, executor.MaxStrays)
		return err
	})
}

// Unmatched lists the messages that belong to no run yet (channel.Hub).
func (h *Hub) Unmatched(ctx context.Context) (all []channel.Unmatched, err error) {
	err = h.view(ctx, "list unmatched messages", func(ctx context.Context, tx conn) error {
		all = nil
		found, err := h.loose(ctx, tx, "WHERE m.run = '' AND m.number = 0 ORDER BY m.id")
		if err != nil {
			return err
		}
		reasons := reasons{hub: h, values: map[string][]executor.Locator{}}
		for _, l := range found {
			u := channel.Unmatched{Message: l.message, Same: l.same, Different: l.different}
			if _, err := one(ctx, tx, "SELECT kind, source, name FROM weft_place WHERE place = $1", []any{l.place}, &u.Place.Kind, &u.Place.Source, &u.Place.Name); err != nil {
				return err
			}
			if u.Reason, err = reasons.of(ctx, tx, l); err != nil {
				return err
			}
			all = append(all, u)
		}
		return nil
	})
	return all, err
}

// reasons tells why messages belong to no run.
type reasons struct {
	hub    *Hub
	values map[string][]executor.Locator // by place
}

func (r reasons) of(ctx context.Context, c conn, l loose) (string, error) {
	if l.number == refusedNumber {
		return l.reason, nil
	}
	values, known := r.values[l.place]
	if !known {
		var err error
		if values, _, err = r.hub.locators(ctx, c, l.place); err != nil {
			return "", err
		}
		r.values[l.place] = values
	}
	return channel.UnmatchedReason(&l.message, values), nil
}

// Strays gives what came to the addresses of a run and is nobody's (channel.Inboxes).
func (h *Hub) Strays(ctx context.Context, run string) (strays []executor.Stray, err error) {
	err = h.view(ctx, "list the strays of run "+run, func(ctx context.Context, tx conn) error {
		strays, err = h.strays(ctx, tx, run)
		return err
	})
	return strays, err
}

func (h *Hub) strays(ctx context.Context, c conn, run string) ([]executor.Stray, error) {
	i, err := readInbox(ctx, c, run, "")
	if err != nil {
		return nil, err
	}
	boxes := map[string]string{}
	err = c.each(ctx, "SELECT place, name FROM weft_box WHERE run = $1 ORDER BY name DESC", []any{run}, func(r row) error {
		var place, name string
		err := r.Scan(&place, &name)
		boxes[place] = name
		return err
	})
	if err != nil {
		return nil, err
	}
	found, err := h.loose(ctx, c, `WHERE m.run = '' AND m.received >= $2 AND m.place IN (SELECT place FROM weft_box WHERE run = $1)
		ORDER BY m.id DESC LIMIT $3`, run, i.opened, executor.MaxStrays)
	if err != nil {
		return nil, err
	}
	reasons := reasons{hub: h, values: map[string][]executor.Locator{}}
	strays := make([]executor.Stray, len(found))
	for n, l := range found {
		reason, err := reasons.of(ctx, c, l)
		if err != nil {
			return nil, err
		}
		strays[len(found)-1-n] = executor.Stray{Box: boxes[l.place], Received: l.message.Received, Identity: l.message.Identity, Reason: reason}
	}
	return strays, nil
}
