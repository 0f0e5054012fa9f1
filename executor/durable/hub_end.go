package durable

import (
	"context"
	"fmt"
	"time"

	"github.com/weft-flow/weft/executor"
	"github.com/weft-flow/weft/executor/channel"
)

// keepLate records a message for a run that has ended.
func (h *Hub) keepLate(ctx context.Context, tx conn, i *inbox, to target, m arrived) (channel.Kept, error) {
	m.identify(to.ends)
	if m.key != "" {
		if _, err := tx.exec(ctx, "UPDATE weft_inbox SET identified = identified + 1 WHERE run = $1", i.run); err != nil {
			return channel.Kept{}, err
		}
	}
	if err := h.store.insertMessage(ctx, tx, to.run, 0, to.box, m); err != nil {
		return channel.Kept{}, err
	}
	return to.kept(channel.Late, 0), h.shrink(ctx, tx)
}

// Late gives what came for a run after its end (channel.Inboxes).
func (h *Hub) Late(ctx context.Context, run string) (late []executor.Message, err error) {
	err = h.view(ctx, "list what came too late for run "+run, func(ctx context.Context, tx conn) error {
		late = nil
		if _, err := readInbox(ctx, tx, run, ""); err != nil {
			return err
		}
		return tx.each(ctx, "SELECT box, identity, received, data FROM weft_message WHERE run = $1 AND number = 0 AND data IS NOT NULL ORDER BY id", []any{run}, func(r row) error {
			var m executor.Message
			var received int64
			var data []byte
			if err := r.Scan(&m.Box, &m.Identity, &received, &data); err != nil {
				return err
			}
			m.Received = atMilliseconds(received)
			err := h.store.readMessage(data, &m)
			late = append(late, m)
			return err
		})
	})
	return late, err
}

// expire removes what is kept for too long, before anything else is done. It looks once a
// second.
func (h *Hub) expire(ctx context.Context) error {
	if !h.isDue() {
		return nil
	}
	now := h.now()
	h.mu.Lock()
	h.expired = now
	h.mu.Unlock()
	before := milliseconds(now.Add(-h.limits.Keep))
	if err := h.expireUnmatched(ctx, before); err != nil {
		return err
	}
	return h.store.db.within(ctx, func(tx *transaction) error {
		_, err := tx.exec(ctx, "UPDATE weft_message SET data = NULL WHERE run <> '' AND number = 0 AND received <= $1 AND data IS NOT NULL", before)
		if err != nil {
			return err
		}
		return h.forgetRuns(ctx, tx, "ended <= $1 ORDER BY ended, ord", before)
	})
}

// expireUnmatched removes the messages that nobody has expected for too long. It holds each
// place alone, one at a time, so that none is taken away from a run that is being given it.
func (h *Hub) expireUnmatched(ctx context.Context, before int64) error {
	var places []string
	err := h.store.db.each(ctx, "SELECT DISTINCT place FROM weft_message WHERE run = '' AND received <= $1", []any{before}, func(r row) error {
		places = append(places, "")
		return r.Scan(&places[len(places)-1])
	})
	if err != nil {
		return err
	}
	for _, place := range places {
		err := h.store.db.within(ctx, func(tx *transaction) error {
			if _, err := h.holdNamed(ctx, tx, place); err != nil {
				return err
			}
			_, err := tx.exec(ctx, "DELETE FROM weft_unmatched WHERE message IN (SELECT id FROM weft_message WHERE place = $1 AND run = '' AND number = 0 AND received <= $2)", place, before)
			if err == nil {
				_, err = tx.exec(ctx, "DELETE FROM weft_message WHERE place = $1 AND run = '' AND received <= $2", place, before)
			}
			return err
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// isDue tells that it is time to remove what is kept for too long.
func (h *Hub) isDue() bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	now := h.now()
	return now.Sub(h.expired) >= time.Second || now.Before(h.expired)
}

// forgetRuns forgets ended runs.
func (h *Hub) forgetRuns(ctx context.Context, c conn, which string, arguments ...any) error {
	var runs []string
	err := c.each(ctx, "SELECT run FROM weft_inbox WHERE ended > 0 AND "+which, arguments, func(r row) error {
		runs = append(runs, "")
		return r.Scan(&runs[len(runs)-1])
	})
	if err != nil {
		return err
	}
	for _, run := range runs {
		if err := forgetInbox(ctx, c, run); err != nil {
			return err
		}
	}
	return nil
}

// forgetInbox gives up what is remembered of the messages of an ended run, and the
// addresses that are of no use to anybody else.
func forgetInbox(ctx context.Context, c conn, run string) error {
	var places []string
	err := c.each(ctx, "SELECT DISTINCT place FROM weft_box WHERE run = $1 ORDER BY place", []any{run}, func(r row) error {
		places = append(places, "")
		return r.Scan(&places[len(places)-1])
	})
	if err != nil {
		return err
	}
	for _, text := range []string{
		"DELETE FROM weft_message WHERE run = $1 AND NOT EXISTS (SELECT 1 FROM weft_run WHERE id = $1)",
		"UPDATE weft_message SET key = '' WHERE run = $1 AND key <> ''",
		"DELETE FROM weft_expected WHERE run = $1",
		"DELETE FROM weft_expectation WHERE run = $1",
		"DELETE FROM weft_box WHERE run = $1",
		"DELETE FROM weft_inbox WHERE run = $1",
	} {
		if _, err := c.exec(ctx, text, run); err != nil {
			return err
		}
	}
	for _, place := range places {
		// Who holds a place may need it: it then stays.
		var free int
		if found, err := one(ctx, c, "SELECT 1 FROM weft_place WHERE place = $1 FOR UPDATE SKIP LOCKED", []any{place}, &free); err != nil {
			return err
		} else if !found {
			continue
		}
		for _, text := range []string{
			"DELETE FROM weft_form WHERE place = $1 AND declared = 0 AND NOT EXISTS (SELECT 1 FROM weft_box b WHERE b.place = weft_form.place AND b.form = weft_form.form)",
			"DELETE FROM weft_place WHERE place = $1 AND NOT EXISTS (SELECT 1 FROM weft_form f WHERE f.place = weft_place.place) AND NOT EXISTS (SELECT 1 FROM weft_message m WHERE m.place = weft_place.place AND m.run = '')",
			"DELETE FROM weft_locator WHERE place = $1 AND NOT EXISTS (SELECT 1 FROM weft_place p WHERE p.place = weft_locator.place)",
		} {
			if _, err := c.exec(ctx, text, place); err != nil {
				return err
			}
		}
	}
	return nil
}

// shrink forgets what is more than the limits allow, the oldest first.
func (h *Hub) shrink(ctx context.Context, c conn) error {
	for {
		var runs, identities int
		if _, err := one(ctx, c, "SELECT count(*), CAST(coalesce(sum(identified), 0) AS bigint) FROM weft_inbox WHERE ended > 0", nil, &runs, &identities); err != nil {
			return err
		}
		if runs <= h.limits.Ended && (runs == 0 || identities <= h.limits.EndedIdentities) {
			break
		}
		if err := h.forgetRuns(ctx, c, "ended > 0 ORDER BY ended, ord LIMIT 1"); err != nil {
			return err
		}
	}
	for {
		var first int64
		var messages int
		var bytes int64
		_, err := one(ctx, c, "SELECT count(*), CAST(coalesce(sum(size), 0) AS bigint), coalesce(min(id), 0) FROM weft_message WHERE run <> '' AND number = 0 AND data IS NOT NULL", nil, &messages, &bytes, &first)
		if err != nil || messages <= h.limits.Late && bytes <= h.limits.LateBytes {
			return err
		}
		if _, err := c.exec(ctx, "UPDATE weft_message SET data = NULL WHERE id = $1", first); err != nil {
			return err
		}
	}
}

// Repeats gives the messages of a run that have come more than once (channel.Inboxes).
func (h *Hub) Repeats(ctx context.Context, run string) (all []executor.Repeat, err error) {
	err = h.view(ctx, "list the repeats of run "+run, func(ctx context.Context, tx conn) error {
		if _, err := readInbox(ctx, tx, run, ""); err != nil {
			return err
		}
		all, err = repeats(ctx, tx, run)
		return err
	})
	return all, err
}

// waitingRun is the wait of a run for its next message.
type waitingRun struct {
	hub      *Hub
	run      string
	after    int
	listener *listener
	stopped  bool
}

// Wait tells that a run waits (channel.Inboxes).
func (h *Hub) Wait(ctx context.Context, run string, after int) (channel.Waiting, error) {
	err := h.change(ctx, fmt.Sprintf("wait in run %q", run), func(tx *transaction, _ func(string)) error {
		if _, err := lockOpen(ctx, tx, run); err != nil {
			return err
		}
		return waits(ctx, tx, run, after, 1)
	})
	if err != nil {
		return nil, err
	}
	return &waitingRun{hub: h, run: run, after: after, listener: h.store.news.listen(run)}, nil
}

// waits tells how many more wait in a run, and up to where it has read.
func waits(ctx context.Context, c conn, run string, after, more int) error {
	_, err := c.exec(ctx, "UPDATE weft_inbox SET waits = waits + $3, reached = CASE WHEN reached < $2 THEN $2 ELSE reached END WHERE run = $1", run, after, more)
	return err
}

// Next gives the first message that is not read (channel.Waiting).
func (w *waitingRun) Next(ctx context.Context) (*executor.Message, error) {
	i, err := readInbox(ctx, w.hub.store.db, w.run, "")
	if err == nil && i.ended > 0 {
		err = channel.ErrRunEnded
	}
	if err != nil {
		return nil, fmt.Errorf("run %q: %w", w.run, err)
	}
	return w.hub.store.nextMessage(ctx, w.run, w.after)
}

// Woken gives a channel that is closed when there may be something new (channel.Waiting).
func (w *waitingRun) Woken() <-chan struct{} { return w.listener.woken() }

// Stop ends the wait (channel.Waiting).
func (w *waitingRun) Stop() {
	if w.stopped {
		return
	}
	w.stopped = true
	w.listener.stop()
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	if _, err := w.hub.store.db.exec(ctx, "UPDATE weft_inbox SET waits = waits - 1 WHERE run = $1 AND waits > 0", w.run); err != nil {
		w.hub.store.log.Warn("tell that a run does not wait any more", "run", w.run, "error", err)
	}
}
