package memory

import (
	"bytes"
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/weft-flow/weft/idempotency"
)

// record is a record with its answer and its time.
type record struct {
	idempotency.Record
	// due is when the lease of an open record is over, and when a completed one is
	// forgotten.
	due    time.Time
	answer []byte
}

func (r *record) forgotten(now time.Time) bool { return r.Done && !r.due.After(now) }

func (r *record) seen(now time.Time) idempotency.Record {
	seen := r.Record
	seen.Over = !r.Done && !r.due.After(now)
	return seen
}

// Begin opens a record or tells what is there; see idempotency.Records.
func (s *Store) Begin(_ context.Context, start idempotency.Start) (idempotency.Begun, error) {
	if err := start.Check(); err != nil {
		return idempotency.Begun{}, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	now, id := s.now(), start.Key.ID()
	if there := s.records[id]; there != nil && !there.forgotten(now) {
		return start.Decide(there.seen(now), bytes.Clone(there.answer)), nil
	}
	fresh := idempotency.Record{
		Key: start.Key, Fingerprint: start.Fingerprint, Owner: start.Owner, Began: now.Truncate(time.Millisecond),
	}
	s.records[id] = &record{Record: fresh, due: now.Add(start.Lease)}
	return idempotency.Begun{State: idempotency.Started}, nil
}

// owned gives the record of a claim, open or not.
func (s *Store) owned(claim idempotency.Claim) (*record, error) {
	r := s.records[claim.Key.ID()]
	if r == nil || r.Owner != claim.Owner {
		return nil, idempotency.ErrFenced
	}
	return r, nil
}

// Hold prolongs the lease; see idempotency.Records.
func (s *Store) Hold(_ context.Context, claim idempotency.Claim, lease time.Duration, resource string) error {
	if err := idempotency.CheckHold(claim, lease, resource); err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	r, err := s.owned(claim)
	if err != nil {
		return err
	}
	if r.Done {
		return idempotency.ErrFenced
	}
	r.due = s.now().Add(lease)
	r.Resource = cmp.Or(resource, r.Resource)
	return nil
}

// Complete closes the record; see idempotency.Records.
func (s *Store) Complete(_ context.Context, claim idempotency.Claim, answer []byte, retention time.Duration) error {
	if err := idempotency.CheckComplete(claim, retention); err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	r, err := s.owned(claim)
	if err != nil || r.Done {
		return err
	}
	r.Done, r.answer, r.due = true, bytes.Clone(answer), s.now().Add(retention)
	return nil
}

// Release removes the open record; see idempotency.Records.
func (s *Store) Release(_ context.Context, claim idempotency.Claim) error {
	if err := claim.Check(); err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	id := claim.Key.ID()
	r := s.records[id]
	switch {
	case r == nil:
		return nil
	case r.Owner != claim.Owner || r.Done:
		return idempotency.ErrFenced
	}
	delete(s.records, id)
	return nil
}

// TakeOver gives a lapsed record another owner; see idempotency.Records.
func (s *Store) TakeOver(_ context.Context, t idempotency.Takeover) error {
	if err := t.Check(); err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	r, now := s.records[t.Key.ID()], s.now()
	if r == nil || r.Done || r.Owner != t.To && (r.Owner != t.From || !r.seen(now).Over) {
		return idempotency.ErrFenced
	}
	r.Owner, r.due = t.To, now.Add(t.Lease)
	return nil
}

// Lapsed lists open records whose lease is over; see idempotency.Records.
func (s *Store) Lapsed(_ context.Context, limit int) ([]idempotency.Record, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	now := s.now()
	var over []*record
	for _, r := range s.records {
		if r.seen(now).Over {
			over = append(over, r)
		}
	}
	slices.SortFunc(over, func(a, b *record) int { return a.due.Compare(b.due) })
	var seen []idempotency.Record
	for _, r := range over[:min(max(limit, 0), len(over))] {
		seen = append(seen, r.seen(now))
	}
	return seen, nil
}
