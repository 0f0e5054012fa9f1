package postgres

import (
	"context"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/weft-flow/weft/idempotency"
	"github.com/weft-flow/weft/idempotency/internal/relational"
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
	idempotency.Store // the verbs, each a transaction of its own
}

var _ idempotency.Transactional[pgx.Tx] = (*Store)(nil)

// New gives a store in a database, in the schema that comes first in the search path
// of the pool's connections; the caller closes the pool. It makes the tables that it
// lacks, which many nodes may do at once.
func New(ctx context.Context, pool *pgxpool.Pool) (*Store, error) {
	if err := migrate(ctx, pool); err != nil {
		return nil, fmt.Errorf("make the tables of the idempotency store: %w", err)
	}
	return &Store{Store: relational.New(database{pool}, &statements)}, nil
}

// In gives the store inside an open transaction; see idempotency.Transactional.
func (s *Store) In(tx pgx.Tx) idempotency.Store {
	return relational.New(database{tx}, &statements)
}

// database runs statements on a pool or in a transaction.
type database struct {
	on interface {
		Exec(ctx context.Context, sql string, args ...any) (pgconn.CommandTag, error)
		Query(ctx context.Context, sql string, args ...any) (pgx.Rows, error)
		QueryRow(ctx context.Context, sql string, args ...any) pgx.Row
	}
}

// Exec runs a statement; see relational.Database.
func (d database) Exec(ctx context.Context, statement string, args ...any) (int, error) {
	tag, err := d.on.Exec(ctx, statement, args...)
	return int(tag.RowsAffected()), err
}

// One reads the only row; see relational.Database.
func (d database) One(ctx context.Context, statement string, args []any, into ...any) (bool, error) {
	err := d.on.QueryRow(ctx, statement, args...).Scan(into...)
	if errors.Is(err, pgx.ErrNoRows) {
		return false, nil
	}
	return err == nil, err
}

// Each reads each row; see relational.Database.
func (d database) Each(ctx context.Context, statement string, args []any, row func(func(...any) error) error) error {
	rows, err := d.on.Query(ctx, statement, args...)
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		if err := row(rows.Scan); err != nil {
			return err
		}
	}
	return rows.Err()
}
