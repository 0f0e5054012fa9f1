package sqlite

import (
	"context"
	"database/sql"
	"fmt"
)

// migrations lead from one version of the tables to the next. One that was released
// is never changed.
//
// Times are milliseconds since 1970 by SQLite's clock. The column due is when the
// lease of an open record is over, and when a completed one is forgotten.
var migrations = []string{`
CREATE TABLE weft_record (
	id          BLOB PRIMARY KEY,
	done        INTEGER NOT NULL,
	due         INTEGER NOT NULL,
	owner       TEXT NOT NULL,
	fingerprint BLOB NOT NULL,
	began       INTEGER NOT NULL,
	principal   TEXT NOT NULL,
	scope       TEXT NOT NULL,
	key         TEXT NOT NULL,
	resource    TEXT NOT NULL,
	answer      BLOB
);
CREATE INDEX weft_record_due ON weft_record (done, due);
CREATE TABLE weft_token (
	id          BLOB PRIMARY KEY,
	run         TEXT NOT NULL,
	fingerprint BLOB NOT NULL,
	state       TEXT NOT NULL,
	phase       TEXT NOT NULL,
	claimed     INTEGER NOT NULL,
	until       INTEGER NOT NULL,
	tenant      TEXT NOT NULL,
	workflow    TEXT NOT NULL,
	name        TEXT NOT NULL,
	result      BLOB
);
CREATE INDEX weft_token_until ON weft_token (until) WHERE state = 'ended';
`}

// migrate brings the tables to the present version. Any number of processes may do
// so at once: the transaction takes the write lock when it begins.
func migrate(ctx context.Context, db *sql.DB) (err error) {
	conn, err := db.Conn(ctx)
	if err != nil {
		return err
	}
	defer func() { _ = conn.Close() }() // what it did is committed, or not
	if isCurrent(ctx, conn) {
		return nil
	}
	// Whatever the caller's data source says of transactions, this one is immediate.
	if _, err := conn.ExecContext(ctx, "BEGIN IMMEDIATE"); err != nil {
		return err
	}
	defer func() {
		if err != nil {
			// The error is told already; a transaction that is not open is rolled back.
			_, _ = conn.ExecContext(context.WithoutCancel(ctx), "ROLLBACK")
		}
	}()
	if _, err := conn.ExecContext(ctx, "CREATE TABLE IF NOT EXISTS weft_idempotency_version (version INTEGER NOT NULL)"); err != nil {
		return err
	}
	var version int
	if err := conn.QueryRowContext(ctx, "SELECT coalesce(max(version), 0) FROM weft_idempotency_version").Scan(&version); err != nil {
		return err
	}
	if version > len(migrations) {
		return fmt.Errorf("the tables have version %d, this program knows up to %d", version, len(migrations))
	}
	for ; version < len(migrations); version++ {
		if _, err := conn.ExecContext(ctx, migrations[version]); err != nil {
			return err
		}
		if _, err := conn.ExecContext(ctx, "INSERT INTO weft_idempotency_version VALUES (?)", version+1); err != nil {
			return err
		}
	}
	_, err = conn.ExecContext(ctx, "COMMIT")
	return err
}

// isCurrent tells whether all tables are there; that needs no lock.
func isCurrent(ctx context.Context, conn *sql.Conn) bool {
	var version int
	err := conn.QueryRowContext(ctx, "SELECT coalesce(max(version), 0) FROM weft_idempotency_version").Scan(&version)
	return err == nil && version == len(migrations)
}
