package durable

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/weft-flow/weft/executor"
	"github.com/weft-flow/weft/executor/channel"
	"github.com/weft-flow/weft/idempotency"
)

// The errors of what is done to a run.
var (
	// ErrNoRun tells that the store has no run of that id.
	ErrNoRun = errors.New("there is no such run")
	// ErrRunEnded tells that a run has ended: it takes no messages and is not cancelled.
	ErrRunEnded = errors.New("the run has ended")
	// ErrMailboxFull tells that a mailbox of a run has as many unread messages as it keeps.
	ErrMailboxFull = errors.New("the mailbox of the run is full")
)

// Delivered tells what became of a message that was delivered.
type Delivered struct {
	// Number is that of the message in the inbox of the run, or of the one that had
	// come before with the same identity.
	Number int
	// Duplicate tells that it had come before with the same content, and Conflicting
	// that it had with other content; both times it only is counted.
	Duplicate, Conflicting bool
}

// Deliver hands a message to a run, also to one whose execution has not begun; its
// Number is ignored, and its time of receipt is now where it has none. That it
// returns without an error means that the message is kept, not that anything was
// done about it.
func (s *Store) Deliver(ctx context.Context, run string, m executor.Message) (d Delivered, err error) {
	if m.Received.IsZero() {
		m.Received = s.now()
	}
	err = s.db.patiently(ctx, func(ctx context.Context) error {
		var places []executor.Locator
		if plan, err := s.Plan(ctx, run); err == nil { // else the message is kept, without a place that names it
			places = plan.Identities(m.Box)
		}
		return s.db.within(ctx, func(tx *transaction) error {
			d, err = s.deliver(ctx, tx, run, m, places)
			return err
		})
	})
	if err != nil {
		return Delivered{}, fmt.Errorf("deliver to the run %s: %w", run, err)
	}
	s.news.wake(run)
	return d, nil
}

// earlyPlace is where the messages of a box are that were delivered before the run began.
func earlyPlace(run, box string) channel.Place {
	return channel.Place{Token: "delivered to " + run + " " + box}
}

// deliver keeps a message in the box that it names; places are where it may have what
// names it.
func (s *Store) deliver(ctx context.Context, tx conn, run string, given executor.Message, places []executor.Locator) (Delivered, error) {
	// Where messages are before the run has begun, or where nothing comes from outside.
	early := earlyPlace(run, given.Box)
	at, err := s.hub.placeOfBox(ctx, tx, run, given.Box)
	switch {
	case errors.Is(err, channel.ErrNoBox):
		at = early
	case err != nil:
		return Delivered{}, err
	default:
		if _, err := s.hub.holdPlace(ctx, tx, at); err != nil {
			return Delivered{}, err
		}
	}
	i, err := s.lockOpen(ctx, tx, run)
	if err != nil {
		return Delivered{}, err
	}
	m := arrived{at: at, place: nameOf(at), message: &given, content: channel.DigestOf(&given)}
	own, done, kept, err := s.repeatedIn(ctx, tx, m, run, places)
	if at != early && !done && err == nil {
		before := m
		before.at, before.place = early, nameOf(early)
		_, done, kept, err = s.repeatedIn(ctx, tx, before, run, places)
	}
	if !done && err == nil {
		m.own = own
		kept, err = s.hub.deliverTo(ctx, tx, &i, target{run: run, box: given.Box, ends: places}, m)
	}
	if err == nil && kept.Outcome == channel.Full {
		err = ErrMailboxFull
	}
	return Delivered{Number: kept.Number, Duplicate: kept.Outcome == channel.Duplicate, Conflicting: kept.Outcome == channel.Conflicting}, err
}

// repeatedIn counts a message that the run has got before. Another run may have got one
// of that identity from the same address: own is then by what it is told apart.
func (s *Store) repeatedIn(ctx context.Context, tx conn, m arrived, run string, places []executor.Locator) (own string, done bool, kept channel.Kept, err error) {
	apart := apartFor(run)
	for n, key := range channel.IdentityKeys(m.message, places) {
		of, done, kept, err := s.repeatedAs(ctx, tx, m, run, key)
		if err == nil && !done && of != "" {
			if n == 0 {
				own = apart
			}
			of, done, kept, err = s.repeatedAs(ctx, tx, m, run, apart+key)
		}
		if err == nil && !done && of != "" {
			err = errors.New("an identity is kept for two runs")
		}
		if done || err != nil {
			return own, done, kept, err
		}
	}
	return own, false, channel.Kept{}, nil
}

// apartFor stands before the keys of messages of a run whose identity another's has.
func apartFor(run string) string { return "run " + run + "\n" }

// repeatedAs counts a message of one identity that the run has got before; else it tells
// which other run has: empty where none has.
func (s *Store) repeatedAs(ctx context.Context, tx conn, m arrived, run, key string) (other string, done bool, kept channel.Kept, err error) {
	var id int64
	var content []byte
	found, err := one(ctx, tx, "SELECT id, run, number, content FROM weft_message WHERE place = $1 AND key = $2", []any{m.place, key}, &id, &other, &kept.Number, &content)
	if err != nil || !found {
		return "", false, kept, err
	}
	if other != run {
		if other == "" {
			other = "none" // it came before, and belongs to no run
		}
		return other, false, kept, nil
	}
	same, different := 1, 0
	if kept.Outcome = channel.Repeated(channel.Digest(content), m.content); kept.Outcome == channel.Conflicting {
		same, different = 0, 1
	}
	return "", true, kept, s.hub.count(ctx, tx, id, run, same, different)
}

// lockOpen locks the inbox of a run that has not ended: without that, a message could
// get a number behind which the run has looked already.
func (s *Store) lockOpen(ctx context.Context, tx conn, run string) (inbox, error) {
	i, err := lockOpen(ctx, tx, run)
	switch {
	case errors.Is(err, channel.ErrRunEnded):
		return i, ErrRunEnded
	case errors.Is(err, channel.ErrNoRun):
		// The inbox of a run that ended long ago is forgotten before the run is.
		var there int
		if found, looking := one(ctx, tx, "SELECT 1 FROM weft_run WHERE id = $1", []any{run}, &there); found || looking != nil {
			return i, errors.Join(looking, ErrRunEnded)
		}
		return i, ErrNoRun
	default:
		return i, err
	}
}

// nextMessage gives the first message of a run above a number; nil: there is none.
func (s *Store) nextMessage(ctx context.Context, run string, after int) (*executor.Message, error) {
	m := &executor.Message{}
	var received int64
	var data []byte
	found, err := one(ctx, s.db, `SELECT number, box, identity, received, data FROM weft_message
		WHERE run = $1 AND number > $2 ORDER BY number LIMIT 1`, []any{run, after}, &m.Number, &m.Box, &m.Identity, &received, &data)
	if err != nil || !found {
		return nil, err
	}
	m.Received = atMilliseconds(received)
	if err := s.readMessage(data, m); err != nil {
		return nil, fmt.Errorf("message %d of run %s: %w", m.Number, run, err)
	}
	return m, nil
}

// Cancel asks a run to stop: it begins nothing new but what its document says for
// that case, and ends. Again, it does nothing.
func (s *Store) Cancel(ctx context.Context, run string) error {
	err := s.db.within(ctx, func(tx *transaction) error {
		if _, err := s.lockOpen(ctx, tx, run); err != nil {
			return err
		}
		if _, err := tx.exec(ctx, "UPDATE weft_run SET cancelled = $2 WHERE id = $1 AND cancelled = 0", run, max(1, milliseconds(s.now()))); err != nil {
			return err
		}
		return s.announce(ctx, tx, run)
	})
	if err != nil {
		return fmt.Errorf("cancel the run %s: %w", run, err)
	}
	s.news.wake(run)
	return nil
}

// Release frees a token at once, whatever the state of its run, which goes on and is
// not told; a new run may then be started beside it. It gives the run that held it.
// The error wraps idempotency.ErrNotHeld where nothing did.
func (s *Store) Release(ctx context.Context, tenant, workflow, name string) (run string, err error) {
	t := token(tenant, workflow, name)
	err = s.db.within(ctx, func(tx *transaction) error {
		holder, err := tx.tokens.Holder(ctx, t)
		if err != nil {
			return err
		}
		run = holder.Run
		return tx.tokens.Free(ctx, t, run)
	})
	if err != nil {
		return "", fmt.Errorf("release the token %q: %w", name, err)
	}
	return run, nil
}

// Holder tells which run holds a token, and how far that run is. The error wraps
// idempotency.ErrNotHeld where the token is free.
func (s *Store) Holder(ctx context.Context, tenant, workflow, name string) (idempotency.Holder, error) {
	holder, err := s.db.tokens.Holder(ctx, token(tenant, workflow, name))
	if err != nil {
		return idempotency.Holder{}, err
	}
	var state string
	found, err := one(ctx, s.db, "SELECT state FROM weft_run WHERE id = $1", []any{holder.Run}, &state)
	if err != nil || !found {
		return holder, err
	}
	if state == string(idempotency.Ended) && holder.State != idempotency.Ended && holder.Until.Before(time.Now()) {
		return idempotency.Holder{}, idempotency.ErrNotHeld // its row is only behind
	}
	holder.State = idempotency.RunState(state)
	return holder, nil
}
