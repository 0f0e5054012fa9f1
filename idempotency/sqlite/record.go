package sqlite

import (
	"context"
	"fmt"
	"time"

	"github.com/weft-flow/weft/idempotency"
)

const (
	insertRecord statement = `INSERT INTO weft_record
		(id, done, due, owner, fingerprint, began, principal, scope, key, resource)
		VALUES (?1, 0, ` + clock + ` + ?2, ?3, ?4, ` + clock + `, ?5, ?6, ?7, '')
		ON CONFLICT (id) DO NOTHING`
	selectRecord statement = `SELECT owner, fingerprint, began, resource, done, due <= ` + clock + `,
		CASE WHEN fingerprint = ?2 THEN answer END FROM weft_record WHERE id = ?1`
	// A completed record that is over is replaced by whoever does so first.
	replaceRecord statement = `UPDATE weft_record SET done = 0, due = ` + clock + ` + ?2, owner = ?3,
		fingerprint = ?4, began = ` + clock + `, resource = '', answer = NULL
		WHERE id = ?1 AND owner = ?5 AND done = 1 AND due <= ` + clock
	holdRecord statement = `UPDATE weft_record SET due = ` + clock + ` + ?3,
		resource = CASE WHEN ?4 = '' THEN resource ELSE ?4 END
		WHERE id = ?1 AND owner = ?2 AND done = 0`
	completeRecord statement = `UPDATE weft_record SET done = 1, due = ` + clock + ` + ?3, answer = ?4
		WHERE id = ?1 AND owner = ?2 AND done = 0`
	completedRecord statement = `SELECT 1 FROM weft_record WHERE id = ?1 AND owner = ?2 AND done = 1`
	releaseRecord   statement = `DELETE FROM weft_record WHERE id = ?1 AND owner = ?2 AND done = 0`
	existsRecord    statement = `SELECT 1 FROM weft_record WHERE id = ?1`
	takeRecord      statement = `UPDATE weft_record SET owner = ?3, due = ` + clock + ` + ?4
		WHERE id = ?1 AND done = 0 AND (owner = ?2 AND due <= ` + clock + ` OR owner = ?3)`
	lapsedRecords statement = `SELECT principal, scope, key, owner, fingerprint, began, resource
		FROM weft_record WHERE done = 0 AND due <= ` + clock + ` ORDER BY due LIMIT ?`
)

// Begin opens a record or tells what is there; see idempotency.Records.
func (s *Store) Begin(ctx context.Context, start idempotency.Start) (idempotency.Begun, error) {
	if err := start.Check(); err != nil {
		return idempotency.Begun{}, err
	}
	id, lease := start.Key.ID(), start.Lease.Milliseconds()
	for range attempts {
		inserted, err := s.exec(ctx, insertRecord, id[:], lease, start.Owner, start.Fingerprint[:],
			start.Key.Principal, start.Key.Scope, start.Key.Key)
		if err != nil {
			return idempotency.Begun{}, fmt.Errorf("begin an idempotency record: %w", err)
		}
		if inserted > 0 {
			return idempotency.Begun{State: idempotency.Started}, nil
		}
		there, found, err := s.look(ctx, start)
		switch {
		case err != nil:
			return idempotency.Begun{}, fmt.Errorf("look at an idempotency record: %w", err)
		case !found: // removed since
			continue
		case !there.forgotten:
			return start.Decide(there.Record, there.answer), nil
		}
		replaced, err := s.exec(ctx, replaceRecord, id[:], lease, start.Owner, start.Fingerprint[:], there.Owner)
		if err != nil {
			return idempotency.Begun{}, fmt.Errorf("replace an idempotency record: %w", err)
		}
		if replaced > 0 {
			return idempotency.Begun{State: idempotency.Started}, nil
		}
	}
	return idempotency.Begun{}, contended("begin an idempotency record")
}

// seen is a row as it was at one moment.
type seen struct {
	idempotency.Record
	forgotten bool // completed, and its retention over
	answer    []byte
}

func (s *Store) look(ctx context.Context, start idempotency.Start) (there seen, found bool, err error) {
	id := start.Key.ID()
	var print []byte
	var began int64
	var over bool
	found, err = s.one(ctx, selectRecord, []any{id[:], start.Fingerprint[:]},
		&there.Owner, &print, &began, &there.Resource, &there.Done, &over, &there.answer)
	if err != nil || !found {
		return seen{}, false, err
	}
	there.Key, there.Began = start.Key, at(began)
	there.Over, there.forgotten = over && !there.Done, over && there.Done
	there.Fingerprint, err = fingerprint(print)
	return there, true, err
}

// Hold prolongs the lease; see idempotency.Records.
func (s *Store) Hold(ctx context.Context, claim idempotency.Claim, lease time.Duration, resource string) error {
	if err := idempotency.CheckHold(claim, lease, resource); err != nil {
		return err
	}
	id := claim.Key.ID()
	held, err := s.exec(ctx, holdRecord, id[:], claim.Owner, lease.Milliseconds(), resource)
	if err != nil {
		return fmt.Errorf("hold an idempotency record: %w", err)
	}
	return fencedUnless(held > 0)
}

// Complete closes the record; see idempotency.Records.
func (s *Store) Complete(ctx context.Context, claim idempotency.Claim, answer []byte, retention time.Duration) error {
	if err := idempotency.CheckComplete(claim, retention); err != nil {
		return err
	}
	id := claim.Key.ID()
	completed, err := s.exec(ctx, completeRecord, id[:], claim.Owner, retention.Milliseconds(), answer)
	if err != nil {
		return fmt.Errorf("complete an idempotency record: %w", err)
	}
	if completed > 0 {
		return nil
	}
	var one int
	before, err := s.one(ctx, completedRecord, []any{id[:], claim.Owner}, &one)
	if err != nil {
		return fmt.Errorf("look whether an idempotency record is completed: %w", err)
	}
	return fencedUnless(before)
}

// Release removes the open record; see idempotency.Records.
func (s *Store) Release(ctx context.Context, claim idempotency.Claim) error {
	if err := claim.Check(); err != nil {
		return err
	}
	id := claim.Key.ID()
	released, err := s.exec(ctx, releaseRecord, id[:], claim.Owner)
	if err != nil {
		return fmt.Errorf("release an idempotency record: %w", err)
	}
	if released > 0 {
		return nil
	}
	var one int
	exists, err := s.one(ctx, existsRecord, []any{id[:]}, &one)
	if err != nil {
		return fmt.Errorf("look whether an idempotency record is released: %w", err)
	}
	return fencedUnless(!exists)
}

// TakeOver gives a lapsed record another owner; see idempotency.Records.
func (s *Store) TakeOver(ctx context.Context, t idempotency.Takeover) error {
	if err := t.Check(); err != nil {
		return err
	}
	id := t.Key.ID()
	taken, err := s.exec(ctx, takeRecord, id[:], t.From, t.To, t.Lease.Milliseconds())
	if err != nil {
		return fmt.Errorf("take over an idempotency record: %w", err)
	}
	return fencedUnless(taken > 0)
}

// Lapsed lists open records whose lease is over; see idempotency.Records.
func (s *Store) Lapsed(ctx context.Context, limit int) ([]idempotency.Record, error) {
	rows, err := s.query(ctx, lapsedRecords, max(limit, 0))
	if err != nil {
		return nil, fmt.Errorf("list lapsed idempotency records: %w", err)
	}
	defer func() { _ = rows.Close() }() // of what was read to its end
	var lapsed []idempotency.Record
	for rows.Next() {
		r := idempotency.Record{Over: true}
		var print []byte
		var began int64
		if err := rows.Scan(&r.Key.Principal, &r.Key.Scope, &r.Key.Key, &r.Owner, &print, &began, &r.Resource); err != nil {
			return nil, fmt.Errorf("read a lapsed idempotency record: %w", err)
		}
		r.Began = at(began)
		if r.Fingerprint, err = fingerprint(print); err != nil {
			return nil, fmt.Errorf("read a lapsed idempotency record: %w", err)
		}
		lapsed = append(lapsed, r)
	}
	if err := rows.Err(); err != nil {
		return nil, fmt.Errorf("list lapsed idempotency records: %w", err)
	}
	return lapsed, nil
}

func fencedUnless(owner bool) error {
	if !owner {
		return idempotency.ErrFenced
	}
	return nil
}
