package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"github.com/weft-flow/weft/idempotency"
	"github.com/weft-flow/weft/idempotency/internal/relational"
)

// Store is an idempotency.Store in SQLite. It is safe for use by several goroutines
// and, on one file, by several processes of one machine.
//
// Made part of an open transaction (In), its verbs see and lock what that
// transaction does. A transaction should be immediate, as DSN makes it: one that has
// read before it writes may be refused by SQLite.
type Store struct {
	idempotency.Store // the verbs, each a transaction of its own

	prepared map[string]*sql.Stmt
	close    func() error
}

var _ idempotency.Transactional[*sql.Tx] = (*Store)(nil)

func prepare(ctx context.Context, db *sql.DB) (*Store, error) {
	prepared := make(map[string]*sql.Stmt)
	s := &Store{
		Store:    relational.New(alone(prepared), &statements),
		prepared: prepared, close: func() error { return nil },
	}
	for _, text := range statements.All() {
		statement, err := db.PrepareContext(ctx, text)
		if err != nil {
			return nil, errors.Join(fmt.Errorf("prepare the statements of the idempotency store: %w", err), s.Close())
		}
		prepared[text] = statement
	}
	return s, nil
}

// Close closes what Open opened. A store that New made is the caller's to close,
// before its database.
func (s *Store) Close() error {
	var faults []error
	for _, statement := range s.prepared {
		faults = append(faults, statement.Close())
	}
	if err := errors.Join(append(faults, s.close())...); err != nil {
		return fmt.Errorf("close the idempotency store: %w", err)
	}
	return nil
}

// In gives the store inside an open transaction, of any sql.DB on the store's file;
// see idempotency.Transactional.
func (s *Store) In(tx *sql.Tx) idempotency.Store {
	return relational.New(inside(tx), &statements)
}

// database runs statements in one of two ways.
type database struct {
	exec  func(ctx context.Context, statement string, args ...any) (sql.Result, error)
	query func(ctx context.Context, statement string, args ...any) (*sql.Rows, error)
}

// alone runs statements that were prepared, each as a transaction of its own.
func alone(prepared map[string]*sql.Stmt) database {
	return database{
		exec: func(ctx context.Context, statement string, args ...any) (sql.Result, error) {
			return prepared[statement].ExecContext(ctx, args...)
		},
		query: func(ctx context.Context, statement string, args ...any) (*sql.Rows, error) {
			return prepared[statement].QueryContext(ctx, args...)
		},
	}
}

// inside runs statements in an open transaction. They are none that were prepared:
// the transaction may be of another sql.DB on the same file.
func inside(tx *sql.Tx) database { return database{exec: tx.ExecContext, query: tx.QueryContext} }

// Exec runs a statement; see relational.Database.
func (d database) Exec(ctx context.Context, statement string, args ...any) (int, error) {
	result, err := d.exec(ctx, statement, args...)
	if err != nil {
		return 0, err
	}
	changed, err := result.RowsAffected()
	return int(changed), err
}

// One reads the only row; see relational.Database.
func (d database) One(ctx context.Context, statement string, args []any, into ...any) (found bool, err error) {
	err = d.Each(ctx, statement, args, func(scan func(...any) error) error {
		found = true
		return scan(into...)
	})
	return found && err == nil, err
}

// Each reads each row, and on to the end, where a statement that changes something
// commits; see relational.Database.
func (d database) Each(ctx context.Context, statement string, args []any, row func(func(...any) error) error) error {
	rows, err := d.query(ctx, statement, args...)
	if err != nil {
		return err
	}
	defer func() { _ = rows.Close() }() // of what was read to its end, or failed before
	for rows.Next() {
		if err := row(rows.Scan); err != nil {
			return err
		}
	}
	return rows.Err()
}
