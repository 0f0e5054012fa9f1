package relational

import (
	"context"
	"fmt"
	"time"

	"github.com/weft-flow/weft/idempotency"
)

// Begin opens a record or tells what is there; see idempotency.Records.
func (s *store) Begin(ctx context.Context, start idempotency.Start) (idempotency.Begun, error) {
	if err := start.Check(); err != nil {
		return idempotency.Begun{}, err
	}
	id, lease := start.Key.ID(), milliseconds(start.Lease)
	for range attempts {
		inserted, err := s.db.Exec(ctx, s.text.InsertRecord, id[:], lease, start.Owner, start.Fingerprint[:],
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
		replaced, err := s.db.Exec(ctx, s.text.ReplaceRecord, id[:], lease, start.Owner, start.Fingerprint[:], there.Owner)
		if err != nil {
			return idempotency.Begun{}, fmt.Errorf("replace an idempotency record: %w", err)
		}
		if replaced > 0 {
			return idempotency.Begun{State: idempotency.Started}, nil
		}
	}
	return idempotency.Begun{}, contended("begin an idempotency record")
}

// seen is a record as it was at one moment.
type seen struct {
	idempotency.Record
	forgotten bool // completed, and its retention over
	answer    []byte
}

func (s *store) look(ctx context.Context, start idempotency.Start) (there seen, found bool, err error) {
	id := start.Key.ID()
	var print []byte
	var began int64
	var over bool
	found, err = s.db.One(ctx, s.text.SelectRecord, []any{id[:], start.Fingerprint[:]},
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
func (s *store) Hold(ctx context.Context, claim idempotency.Claim, lease time.Duration, resource string) error {
	if err := idempotency.CheckHold(claim, lease, resource); err != nil {
		return err
	}
	id := claim.Key.ID()
	held, err := s.db.Exec(ctx, s.text.HoldRecord, id[:], claim.Owner, milliseconds(lease), resource)
	if err != nil {
		return fmt.Errorf("hold an idempotency record: %w", err)
	}
	return fencedUnless(held > 0)
}

// Complete closes the record; see idempotency.Records.
func (s *store) Complete(ctx context.Context, claim idempotency.Claim, answer []byte, retention time.Duration) error {
	if err := idempotency.CheckComplete(claim, retention); err != nil {
		return err
	}
	id := claim.Key.ID()
	completed, err := s.db.Exec(ctx, s.text.CompleteRecord, id[:], claim.Owner, milliseconds(retention), answer)
	if err != nil {
		return fmt.Errorf("complete an idempotency record: %w", err)
	}
	if completed > 0 {
		return nil
	}
	var one int
	before, err := s.db.One(ctx, s.text.CompletedRecord, []any{id[:], claim.Owner}, &one)
	if err != nil {
		return fmt.Errorf("look whether an idempotency record is completed: %w", err)
	}
	return fencedUnless(before)
}

// Release removes the open record; see idempotency.Records.
func (s *store) Release(ctx context.Context, claim idempotency.Claim) error {
	if err := claim.Check(); err != nil {
		return err
	}
	id := claim.Key.ID()
	released, err := s.db.Exec(ctx, s.text.ReleaseRecord, id[:], claim.Owner)
	if err != nil {
		return fmt.Errorf("release an idempotency record: %w", err)
	}
	if released > 0 {
		return nil
	}
	var one int
	exists, err := s.db.One(ctx, s.text.ExistsRecord, []any{id[:]}, &one)
	if err != nil {
		return fmt.Errorf("look whether an idempotency record is released: %w", err)
	}
	return fencedUnless(!exists)
}

// TakeOver gives a lapsed record another owner; see idempotency.Records.
func (s *store) TakeOver(ctx context.Context, t idempotency.Takeover) error {
	if err := t.Check(); err != nil {
		return err
	}
	id := t.Key.ID()
	taken, err := s.db.Exec(ctx, s.text.TakeRecord, id[:], t.From, t.To, milliseconds(t.Lease))
	if err != nil {
		return fmt.Errorf("take over an idempotency record: %w", err)
	}
	return fencedUnless(taken > 0)
}

// Lapsed lists open records whose lease is over; see idempotency.Records.
func (s *store) Lapsed(ctx context.Context, limit int) ([]idempotency.Record, error) {
	var lapsed []idempotency.Record
	err := s.db.Each(ctx, s.text.LapsedRecords, []any{max(limit, 0)}, func(scan func(into ...any) error) error {
		r := idempotency.Record{Over: true}
		var print []byte
		var began int64
		err := scan(&r.Key.Principal, &r.Key.Scope, &r.Key.Key, &r.Owner, &print, &began, &r.Resource)
		if err != nil {
			return err
		}
		r.Began = at(began)
		r.Fingerprint, err = fingerprint(print)
		lapsed = append(lapsed, r)
		return err
	})
	if err != nil {
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
