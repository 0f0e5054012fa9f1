package relational

import (
	"context"
	"crypto/sha256"
	"fmt"
	"time"

	"github.com/weft-flow/weft/idempotency"
)

// Database runs a store's statements, each as a transaction of its own or all as
// parts of one that is open.
type Database interface {
	// Exec runs a statement and tells how many rows it changed.
	Exec(ctx context.Context, statement string, args ...any) (changed int, err error)
	// One runs a statement that gives a row at most, and reads it; found is false where
	// it gives none.
	One(ctx context.Context, statement string, args []any, into ...any) (found bool, err error)
	// Each runs a statement and calls row for each row that it gives. It stops at the
	// first error of row, and gives it.
	Each(ctx context.Context, statement string, args []any, row func(scan func(into ...any) error) error) error
}

// Statements are the texts of the statements of a store. Each is done as a whole, also
// beside those of others. Ids and fingerprints are 32 bytes; moments are whole
// milliseconds since 1970 and durations whole milliseconds, both as int64. The present
// is that of the database's clock.
type Statements struct {
	// InsertRecord opens a record unless there is one. It takes id, lease, owner,
	// fingerprint, principal, scope and key.
	InsertRecord string
	// SelectRecord takes an id and a fingerprint. It gives owner, fingerprint, began,
	// resource, whether it is completed, whether its time is over, and, where the
	// fingerprint is the same, the answer.
	SelectRecord string
	// ReplaceRecord opens anew the completed record of an owner, if its time is over. It
	// takes id, lease, new owner, fingerprint and that owner.
	ReplaceRecord string
	// HoldRecord takes id, owner, lease and resource, where an empty one changes nothing.
	HoldRecord string
	// CompleteRecord completes an owner's open record. It takes id, owner, retention and
	// answer.
	CompleteRecord string
	// CompletedRecord gives a row where the record (id) of an owner is completed.
	CompletedRecord string
	// ReleaseRecord removes an owner's open record. It takes id and owner.
	ReleaseRecord string
	// ExistsRecord gives a row where there is a record (id).
	ExistsRecord string
	// TakeRecord takes id, old owner, new owner and lease.
	TakeRecord string
	// LapsedRecords takes a limit. It gives principal, scope, key, owner, fingerprint,
	// began and resource.
	LapsedRecords string

	// InsertToken gives a token to a run unless it is there. It takes id, run,
	// fingerprint, phase, retention, tenant, workflow and name. It gives when it was
	// claimed and until when it is retained, 0 where it is not; no row: it was there.
	InsertToken string
	// SelectToken takes an id. It gives run, fingerprint, state, phase, claimed, until,
	// whether it is free, and the result.
	SelectToken string
	// ShowToken is like SelectToken, with NULL for the result.
	ShowToken string
	// ReplaceToken gives a token that is there and free to another run. It takes id, run,
	// fingerprint, phase, retention and the run that had it, and gives what InsertToken
	// gives.
	ReplaceToken string
	// MarkToken takes id, run, state and phase.
	MarkToken string
	// EndToken takes id, run and result.
	EndToken string
	// FreeToken takes id and run.
	FreeToken string

	// PurgeRecords and PurgeTokens take a limit.
	PurgeRecords, PurgeTokens string
}

// All gives each statement, for stores that prepare them.
func (s *Statements) All() []string {
	return []string{
		s.InsertRecord, s.SelectRecord, s.ReplaceRecord, s.HoldRecord, s.CompleteRecord,
		s.CompletedRecord, s.ReleaseRecord, s.ExistsRecord, s.TakeRecord, s.LapsedRecords,
		s.InsertToken, s.SelectToken, s.ShowToken, s.ReplaceToken, s.MarkToken, s.EndToken, s.FreeToken,
		s.PurgeRecords, s.PurgeTokens,
	}
}

// store has the verbs on a database.
type store struct {
	db   Database
	text *Statements
}

// New gives a store on a database.
func New(db Database, text *Statements) idempotency.Store { return &store{db: db, text: text} }

// Purge removes what is over; see idempotency.Store.
func (s *store) Purge(ctx context.Context, limit int) (int, error) {
	limit = max(limit, 0)
	records, err := s.db.Exec(ctx, s.text.PurgeRecords, limit)
	if err != nil {
		return 0, fmt.Errorf("purge idempotency records: %w", err)
	}
	tokens, err := s.db.Exec(ctx, s.text.PurgeTokens, limit)
	if err != nil {
		return records, fmt.Errorf("purge tokens: %w", err)
	}
	return records + tokens, nil
}

// milliseconds gives a duration in whole milliseconds, rounded up: what was asked for
// is the least, and a little is not nothing.
func milliseconds(d time.Duration) int64 {
	whole := d.Milliseconds()
	if d%time.Millisecond > 0 {
		whole++
	}
	return whole
}

func at(milliseconds int64) time.Time { return time.UnixMilli(milliseconds).UTC() }

func fingerprint(kept []byte) (idempotency.Fingerprint, error) {
	if len(kept) != sha256.Size {
		return idempotency.Fingerprint{}, fmt.Errorf("a fingerprint of %d bytes is kept", len(kept))
	}
	return idempotency.Fingerprint(kept), nil
}

// attempts bounds how often a verb looks again at a row that others keep changing
// between its statements.
const attempts = 100

func contended(what string) error {
	return fmt.Errorf("%s: others changed it %d times in between", what, attempts)
}
