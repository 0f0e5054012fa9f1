package postgres

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
)

// migrations lead from one version of the tables to the next. One that was released
// is never changed.
//
// The column due is when the lease of an open record is over, and when a completed
// one is forgotten.
var migrations = []string{`
CREATE TABLE weft_record (
	id          bytea PRIMARY KEY,
	done        boolean NOT NULL,
	due         timestamptz NOT NULL,
	owner       text NOT NULL,
	fingerprint bytea NOT NULL,
	began       timestamptz NOT NULL,
	principal   text NOT NULL,
	scope       text NOT NULL,
	key         text NOT NULL,
	resource    text NOT NULL,
	answer      bytea
);
CREATE INDEX weft_record_due ON weft_record (done, due);
CREATE TABLE weft_token (
	id          bytea PRIMARY KEY,
	run         text NOT NULL,
	fingerprint bytea NOT NULL,
	state       text NOT NULL,
	phase       text NOT NULL,
	claimed     timestamptz NOT NULL,
	until       timestamptz NOT NULL,
	tenant      text NOT NULL,
	workflow    text NOT NULL,
	name        text NOT NULL,
	result      bytea
);
CREATE INDEX weft_token_until ON weft_token (until) WHERE state = 'ended';
`}

// migrationLock is the advisory lock under which the tables are changed. The number
// is arbitrary and never changes.
const migrationLock = 0x77656674_69646d70

// migrate brings the tables to the present version. Any number of nodes may do so at
// once: one does, the others wait for it.
func migrate(ctx context.Context, pool *pgxpool.Pool) error {
	if isCurrent(ctx, pool) {
		return nil
	}
	return pgx.BeginFunc(ctx, pool, func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, "SELECT pg_advisory_xact_lock($1)", int64(migrationLock)); err != nil {
			return err
		}
		if _, err := tx.Exec(ctx, "CREATE TABLE IF NOT EXISTS weft_idempotency_version (version integer NOT NULL)"); err != nil {
			return err
		}
		var version int
		if err := tx.QueryRow(ctx, "SELECT coalesce(max(version), 0) FROM weft_idempotency_version").Scan(&version); err != nil {
			return err
		}
		if version > len(migrations) {
			return fmt.Errorf("the tables have version %d, this program knows up to %d", version, len(migrations))
		}
		for ; version < len(migrations); version++ {
			if _, err := tx.Exec(ctx, migrations[version]); err != nil {
				return err
			}
			if _, err := tx.Exec(ctx, "INSERT INTO weft_idempotency_version VALUES ($1)", version+1); err != nil {
				return err
			}
		}
		return nil
	})
}

// isCurrent tells whether all tables are there; that needs no lock and no right to make
// any.
func isCurrent(ctx context.Context, pool *pgxpool.Pool) bool {
	var version int
	err := pool.QueryRow(ctx, "SELECT coalesce(max(version), 0) FROM weft_idempotency_version").Scan(&version)
	return err == nil && version == len(migrations)
}
