package sqlite

import (
	"context"
	"crypto/sha256"
	"database/sql"
	"fmt"
	"time"

	"github.com/weft-flow/weft/idempotency"
)

// Store is an idempotency.Store in SQLite. It is safe for use by several goroutines
// and, on one file, by several processes of one machine.
//
// Made part of an open transaction (In), its verbs see and lock what that
// transaction does. A transaction should be immediate, as DSN makes it: one that has
// read before it writes may be refused by SQLite.
type Store struct {
	statements map[statement]*sql.Stmt
	tx         *sql.Tx // nil: each statement is a transaction of its own
	close      func() error
}

var _ idempotency.Transactional[*sql.Tx] = (*Store)(nil)

// statement is the text of an SQL statement that is prepared once.
type statement string

// clock is the present time in milliseconds.
const clock = `CAST(unixepoch('subsec') * 1000 AS INTEGER)`

const (
	purgeRecords statement = `DELETE FROM weft_record WHERE id IN
		(SELECT id FROM weft_record WHERE done = 1 AND due <= ` + clock + ` LIMIT ?)`
	purgeTokens statement = `DELETE FROM weft_token WHERE id IN
		(SELECT id FROM weft_token WHERE state = 'ended' AND until <= ` + clock + ` LIMIT ?)`
)

func prepare(ctx context.Context, db *sql.DB) (*Store, error) {
	s := &Store{statements: make(map[statement]*sql.Stmt), close: func() error { return nil }}
	for _, text := range []statement{
		insertRecord, selectRecord, replaceRecord, holdRecord, completeRecord, completedRecord,
		releaseRecord, existsRecord, takeRecord, lapsedRecords,
		insertToken, selectToken, showToken, replaceToken, markToken, endToken, freeToken,
		purgeRecords, purgeTokens,
	} {
		prepared, err := db.PrepareContext(ctx, string(text))
		if err != nil {
			return nil, fmt.Errorf("prepare the statements of the idempotency store: %w", err)
		}
		s.statements[text] = prepared
	}
	return s, nil
}

// Close closes what Open opened. A store that New made is the caller's to close,
// with its database.
func (s *Store) Close() error {
	for _, prepared := range s.statements {
		if err := prepared.Close(); err != nil {
			return fmt.Errorf("close the idempotency store: %w", err)
		}
	}
	if err := s.close(); err != nil {
		return fmt.Errorf("close the idempotency store: %w", err)
	}
	return nil
}

// In gives the store inside an open transaction, of any sql.DB on the store's file;
// see idempotency.Transactional.
func (s *Store) In(tx *sql.Tx) idempotency.Store {
	return &Store{statements: s.statements, tx: tx, close: func() error { return nil }}
}

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

// query runs a statement that gives rows. In a transaction it is not one that was
// prepared: the transaction may be of another sql.DB on the same file.
func (s *Store) query(ctx context.Context, text statement, args ...any) (*sql.Rows, error) {
	if s.tx != nil {
		return s.tx.QueryContext(ctx, string(text), args...)
	}
	return s.statements[text].QueryContext(ctx, args...)
}

// exec gives how many rows were changed.
func (s *Store) exec(ctx context.Context, text statement, args ...any) (int, error) {
	var result sql.Result
	var err error
	if s.tx != nil {
		result, err = s.tx.ExecContext(ctx, string(text), args...)
	} else {
		result, err = s.statements[text].ExecContext(ctx, args...)
	}
	if err != nil {
		return 0, err
	}
	changed, err := result.RowsAffected()
	return int(changed), err
}

// one reads the only row; found is false where there is none. It reads on to the
// end, where a statement that changes something commits.
func (s *Store) one(ctx context.Context, text statement, args []any, into ...any) (found bool, err error) {
	rows, err := s.query(ctx, text, args...)
	if err != nil {
		return false, err
	}
	defer func() { _ = rows.Close() }() // of what was read to its end
	for rows.Next() {
		if err := rows.Scan(into...); err != nil {
			return false, err
		}
		found = true
	}
	return found, rows.Err()
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
