package durable

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/weft-flow/weft/executor"
	"github.com/weft-flow/weft/idempotency"
)

// MaxMailbox is how many messages a run keeps at most.
const MaxMailbox = 1000

// The errors of what is done to a run.
var (
	// ErrNoRun tells that the store has no run of that id.
	ErrNoRun = errors.New("there is no such run")
	// ErrRunEnded tells that a run has ended: it takes no messages and is not cancelled.
	ErrRunEnded = errors.New("the run has ended")
	// ErrMailboxFull tells that a run has got as many messages as it keeps.
	ErrMailboxFull = fmt.Errorf("the run has got %d messages, more are not kept", MaxMailbox)
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

// keptMessage is a message as it is kept, beside the columns of its row.
type keptMessage struct {
	Scoped bool                `json:"scoped,omitempty"`
	Method string              `json:"method,omitempty"`
	Header executor.Header     `json:"header,omitempty"`
	Query  map[string][]string `json:"query,omitempty"`
	Path   map[string]string   `json:"path,omitempty"`
	Body   []byte              `json:"body,omitempty"`
}

// Deliver hands a message to a run, also to one whose execution has not begun; its
// Number is ignored, and its time of receipt is now where it has none. That it
// returns without an error means that the message is kept, not that anything was
// done about it.
func (s *Store) Deliver(ctx context.Context, run string, m executor.Message) (d Delivered, err error) {
	if m.Received.IsZero() {
		m.Received = s.now()
	}
	err = s.db.within(ctx, func(tx *transaction) error {
		d, err = s.deliver(ctx, tx, run, m)
		return err
	})
	if err != nil {
		return Delivered{}, fmt.Errorf("deliver to the run %s: %w", run, err)
	}
	s.hub.wake(run)
	return d, nil
}

// deliver locks the run's row first: without that, a message could get a number
// behind which the run has looked already.
func (s *Store) deliver(ctx context.Context, tx conn, run string, m executor.Message) (Delivered, error) {
	messages, err := s.lockOpen(ctx, tx, run)
	if err != nil {
		return Delivered{}, err
	}
	data, err := json.Marshal(keptMessage{Scoped: m.Scoped, Method: m.Method, Header: m.Header, Query: m.Query, Path: m.Path, Body: m.Body})
	if err != nil {
		return Delivered{}, err
	}
	content := contentOf(m)
	if m.Identity != "" {
		if d, err := s.repeat(ctx, tx, run, m, content); d.Number > 0 || err != nil {
			return d, err
		}
	}
	if messages >= MaxMailbox {
		return Delivered{}, ErrMailboxFull
	}
	number := messages + 1
	if _, err := tx.exec(ctx, "UPDATE weft_run SET messages = $2 WHERE id = $1", run, number); err != nil {
		return Delivered{}, err
	}
	_, err = tx.exec(ctx, `INSERT INTO weft_message (run, number, box, identity, content, received, same, different, data)
		VALUES ($1, $2, $3, $4, $5, $6, 0, 0, $7)`, run, number, m.Box, m.Identity, content[:], milliseconds(m.Received), s.seal.close(run, data))
	if err == nil {
		err = s.db.announce(ctx, tx, run)
	}
	return Delivered{Number: number}, err
}

// lockOpen locks the row of a run that has not ended, and gives the number of its
// last message.
func (s *Store) lockOpen(ctx context.Context, tx conn, run string) (messages int, err error) {
	var state string
	found, err := one(ctx, tx, "SELECT state, messages FROM weft_run WHERE id = $1 FOR UPDATE", []any{run}, &state, &messages)
	switch {
	case err != nil:
		return 0, err
	case !found:
		return 0, ErrNoRun
	case state == string(idempotency.Ended):
		return 0, ErrRunEnded
	}
	return messages, nil
}

// repeat counts a message whose identity came before.
func (s *Store) repeat(ctx context.Context, tx conn, run string, m executor.Message, content digest) (Delivered, error) {
	var d Delivered
	var before []byte
	found, err := one(ctx, tx, "SELECT number, content FROM weft_message WHERE run = $1 AND box = $2 AND identity = $3", []any{run, m.Box, m.Identity}, &d.Number, &before)
	if err != nil || !found {
		return Delivered{}, err
	}
	column := "same"
	d.Duplicate = string(before) == string(content[:])
	if !d.Duplicate {
		column, d.Conflicting = "different", true
	}
	_, err = tx.exec(ctx, "UPDATE weft_message SET "+column+" = "+column+" + 1 WHERE run = $1 AND number = $2", run, d.Number)
	if err == nil {
		err = s.db.announce(ctx, tx, run)
	}
	return d, err
}

// contentOf tells whether two messages are the same: headers differ from attempt to
// attempt of one delivery.
func contentOf(m executor.Message) digest { return sha256.Sum256(m.Body) }

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
	plain, err := s.seal.open(run, data)
	if err != nil {
		return nil, err
	}
	var kept keptMessage
	if err := json.Unmarshal(plain, &kept); err != nil {
		return nil, fmt.Errorf("read message %d of run %s: %w", m.Number, run, err)
	}
	m.Scoped, m.Method, m.Header, m.Query, m.Path, m.Body = kept.Scoped, kept.Method, kept.Header, kept.Query, kept.Path, kept.Body
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
		return s.db.announce(ctx, tx, run)
	})
	if err != nil {
		return fmt.Errorf("cancel the run %s: %w", run, err)
	}
	s.hub.wake(run)
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
