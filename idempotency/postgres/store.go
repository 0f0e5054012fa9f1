package postgres

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/weft-flow/weft/idempotency"
)

// Store is an idempotency.Store in PostgreSQL. It is safe for use by several
// goroutines and by any number of nodes.
//
// Made part of an open transaction (In), its verbs see and lock what that
// transaction does: a Begin waits for another open transaction that began the same
// record. Transactions should be READ COMMITTED, which is PostgreSQL's default; in
// stricter ones a verb that comes upon another's change fails with a serialization
// failure, and the transaction is to be made anew.
type Store struct {
	db queries
}

var _ idempotency.Transactional[pgx.Tx] = (*Store)(nil)

// queries is what a pool and a transaction have in common.
type queries interface {
	Exec(ctx context.Context, sql string, args ...any) (pgconn.CommandTag, error)
	Query(ctx context.Context, sql string, args ...any) (pgx.Rows, error)
	QueryRow(ctx context.Context, sql string, args ...any) pgx.Row
}

// New gives a store in a database, in the schema that comes first in the search path
// of the pool's connections; the caller closes the pool. It makes the tables that it
// lacks, which many nodes may do at once.
func New(ctx context.Context, pool *pgxpool.Pool) (*Store, error) {
	if err := migrate(ctx, pool); err != nil {
		return nil, fmt.Errorf("make the tables of the idempotency store: %w", err)
	}
	return &Store{db: pool}, nil
}

// In gives the store inside an open transaction; see idempotency.Transactional.
func (s *Store) In(tx pgx.Tx) idempotency.Store { return &Store{db: tx} }

// clock is the present time: not now(), which is when the transaction began.
const clock = `clock_timestamp()`

// reached is the time by which what is due is looked for: unlike the clock, it lets
// an index be used. It may stand a little behind, which finds less, never more.
const reached = `statement_timestamp()`

// Rows that others are at work on are left for the next time, so that nobody waits.
const (
	purgeRecords = `DELETE FROM weft_record WHERE id = ANY (ARRAY(SELECT id FROM weft_record
		WHERE done AND due <= ` + reached + ` LIMIT $1 FOR UPDATE SKIP LOCKED))`
	purgeTokens = `DELETE FROM weft_token WHERE id = ANY (ARRAY(SELECT id FROM weft_token
		WHERE state = 'ended' AND until <= ` + reached + ` LIMIT $1 FOR UPDATE SKIP LOCKED))`
)

// Purge removes what is over; see idempotency.Store.
func (s *Store) Purge(ctx context.Context, limit int) (int, error) {
	limit = max(limit, 0)
	records, err := s.exec(ctx, purgeRecords, limit)
	if err != nil {
		return 0, fmt.Errorf("purge idempotency records: %w", err)
	}
	tokens, err := s.exec(ctx, purgeTokens, limit)
	if err != nil {
		return records, fmt.Errorf("purge tokens: %w", err)
	}
	return records + tokens, nil
}

// exec gives how many rows were changed.
func (s *Store) exec(ctx context.Context, sql string, args ...any) (int, error) {
	tag, err := s.db.Exec(ctx, sql, args...)
	return int(tag.RowsAffected()), err
}

// one reads the only row; found is false where there is none.
func (s *Store) one(ctx context.Context, sql string, args []any, into ...any) (found bool, err error) {
	err = s.db.QueryRow(ctx, sql, args...).Scan(into...)
	if errors.Is(err, pgx.ErrNoRows) {
		return false, nil
	}
	return err == nil, err
}

func at(t time.Time) time.Time { return t.UTC().Truncate(time.Millisecond) }

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
