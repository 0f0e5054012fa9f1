package durable

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"regexp"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/dbos-inc/dbos-transact-golang/dbos"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/weft-flow/weft/idempotency"
	idempostgres "github.com/weft-flow/weft/idempotency/postgres"
	idemsqlite "github.com/weft-flow/weft/idempotency/sqlite"
)

// database is one of the two databases, seen alike. Statements are written with $1,
// $2, … for their arguments.
type database struct {
	conn                 // each statement by itself
	lite   *sql.DB       // nil: PostgreSQL
	pool   *pgxpool.Pool // nil: SQLite
	tokens idempotency.Store
	inLite *idemsqlite.Store
	inPool *idempostgres.Store

	named   string      // what an error calls it
	answers atomic.Bool // its connections have the limits of every day
}

// conn is what a database and an open transaction of it have in common.
type conn interface {
	// exec gives how many rows were changed.
	exec(ctx context.Context, text string, args ...any) (int64, error)
	// each calls scan for each row.
	each(ctx context.Context, text string, args []any, scan func(row) error) error
}

type row interface{ Scan(into ...any) error }

// one reads the only row; found is false where there is none.
func one(ctx context.Context, c conn, text string, args []any, into ...any) (found bool, err error) {
	err = c.each(ctx, text, args, func(r row) error {
		found = true
		return r.Scan(into...)
	})
	return found, err
}

// transaction is an open transaction of our own.
type transaction struct {
	conn
	tokens idempotency.Store
	raw    any // for WithEnqueueTransaction
}

// within runs do in a transaction, which is committed where do gives no error. Where
// the database asks for it, all of it is done again.
func (d *database) within(ctx context.Context, do func(*transaction) error) error {
	return d.patiently(ctx, func(ctx context.Context) error { return d.withoutLimit(ctx, do) })
}

// patiently does something, and bounds how long that waits for an SQLite file that others
// hold.
func (d *database) patiently(ctx context.Context, do func(context.Context) error) error {
	if d.lite == nil { // its own limits hold
		return do(ctx)
	}
	limited, cancel := context.WithTimeoutCause(ctx, litePatience, errLocked)
	defer cancel()
	err := do(limited)
	if err != nil && ctx.Err() == nil && errors.Is(context.Cause(limited), errLocked) {
		err = fmt.Errorf("%w: %w", errLocked, err)
	}
	return err
}

// litePatience is how long somebody waits for an SQLite file that others hold: in
// this process, where all wait in line for one connection, and outside.
const litePatience = 10 * time.Second

// errLocked tells that an SQLite file could not be had in time.
var errLocked = errors.New("the file is held by others for too long")

func (d *database) withoutLimit(ctx context.Context, do func(*transaction) error) error {
	const attempts = 8
	var err error
	for n := range attempts {
		if err = d.attempt(ctx, do); err == nil || !isTransient(err) {
			return err
		}
		select {
		case <-ctx.Done():
			return err
		case <-time.After(time.Duration(n+1) * 5 * time.Millisecond):
		}
	}
	return err
}

func (d *database) attempt(ctx context.Context, do func(*transaction) error) error {
	if d.lite == nil {
		return pgx.BeginFunc(ctx, d.pool, func(tx pgx.Tx) error {
			return do(&transaction{conn: pgConn{tx}, tokens: d.inPool.In(tx), raw: tx})
		})
	}
	tx, err := d.lite.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	over := false
	defer func() { // also where do does not return, since an execution is left in it
		if !over {
			_ = tx.Rollback()
		}
	}()
	if err := do(&transaction{conn: liteConn{tx}, tokens: d.inLite.In(tx), raw: tx}); err != nil {
		over = true
		return errors.Join(err, ignoreDone(tx.Rollback()))
	}
	over = true
	return tx.Commit()
}

func ignoreDone(err error) error {
	if errors.Is(err, sql.ErrTxDone) {
		return nil
	}
	return err
}

// isTransient tells that a transaction met another one, and may be done again.
func isTransient(err error) bool {
	var pg *pgconn.PgError
	if errors.As(err, &pg) {
		return pg.Code == "40001" || pg.Code == "40P01" // serialization failure, deadlock
	}
	return isBusy(err)
}

// liteConn runs statements in SQLite.
type liteConn struct {
	db interface {
		ExecContext(ctx context.Context, query string, args ...any) (sql.Result, error)
		QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error)
	}
}

func (c liteConn) exec(ctx context.Context, text string, args ...any) (int64, error) {
	result, err := c.db.ExecContext(ctx, forSQLite(text), args...)
	if err != nil {
		return 0, err
	}
	return result.RowsAffected()
}

func (c liteConn) each(ctx context.Context, text string, args []any, scan func(row) error) error {
	rows, err := c.db.QueryContext(ctx, forSQLite(text), args...)
	if err != nil {
		return err
	}
	defer func() { _ = rows.Close() }() // of what was only read
	for rows.Next() {
		if err := scan(rows); err != nil {
			return err
		}
	}
	return rows.Err()
}

// pgConn runs statements in PostgreSQL.
type pgConn struct {
	db interface {
		Exec(ctx context.Context, sql string, args ...any) (pgconn.CommandTag, error)
		Query(ctx context.Context, sql string, args ...any) (pgx.Rows, error)
	}
}

func (c pgConn) exec(ctx context.Context, text string, args ...any) (int64, error) {
	tag, err := c.db.Exec(ctx, text, args...)
	return tag.RowsAffected(), err
}

func (c pgConn) each(ctx context.Context, text string, args []any, scan func(row) error) error {
	rows, err := c.db.Query(ctx, text, args...)
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		if err := scan(rows); err != nil {
			return err
		}
	}
	return rows.Err()
}

// stepConn runs statements in the transaction of a recorded step.
type stepConn struct {
	tx   dbos.Tx
	lite bool
}

func (c stepConn) text(text string) string {
	if c.lite {
		return forSQLite(text)
	}
	return text
}

func (c stepConn) exec(ctx context.Context, text string, args ...any) (int64, error) {
	result, err := c.tx.Exec(ctx, c.text(text), args...)
	if err != nil {
		return 0, err
	}
	return result.RowsAffected()
}

func (c stepConn) each(ctx context.Context, text string, args []any, scan func(row) error) error {
	rows, err := c.tx.Query(ctx, c.text(text), args...)
	if err != nil {
		return err
	}
	defer func() { _ = rows.Close() }() // of what was only read
	for rows.Next() {
		if err := scan(rows); err != nil {
			return err
		}
	}
	return rows.Err()
}

// rewritten holds statements as SQLite takes them, by how they are written here.
var rewritten sync.Map

var withoutLocks = strings.NewReplacer(" FOR UPDATE SKIP LOCKED", "", " FOR UPDATE", "", " FOR SHARE", "")

var argument = regexp.MustCompile(`\$(\d+)`)

// forSQLite writes $1 as ?1. The lock of a row is that of the file, which a
// transaction has from its beginning.
func forSQLite(text string) string {
	if known, ok := rewritten.Load(text); ok {
		return known.(string)
	}
	lite := withoutLocks.Replace(argument.ReplaceAllString(text, "?$1"))
	rewritten.Store(text, lite)
	return lite
}

// list gives ($1, $2), ($3, $4), … for so many rows of so many columns.
func list(rows, columns int) string {
	var b strings.Builder
	for n := range rows * columns {
		switch {
		case n == 0:
			b.WriteString("(")
		case n%columns == 0:
			b.WriteString("), (")
		default:
			b.WriteString(", ")
		}
		fmt.Fprintf(&b, "$%d", n+1)
	}
	return b.String() + ")"
}

// listFrom gives $from, …, $to.
func listFrom(from, to int) string {
	var b strings.Builder
	for n := from; n <= to; n++ {
		if n > from {
			b.WriteString(", ")
		}
		fmt.Fprintf(&b, "$%d", n)
	}
	return b.String()
}
