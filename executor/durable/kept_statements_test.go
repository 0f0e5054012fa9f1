package durable

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"path/filepath"
	"testing"

	idemsqlite "github.com/weft-flow/weft/idempotency/sqlite"
)

// openTestFile gives a database with a table of three rows, and how many statements its only
// connection keeps.
func openTestFile(t *testing.T) (db *sql.DB, kept func() int) {
	t.Helper()
	db, err := openPrepared(idemsqlite.DSN(filepath.Join(t.TempDir(), "weft.db")), nil)
	if err != nil {
		t.Fatal(err)
	}
	db.SetMaxOpenConns(1)
	t.Cleanup(func() { _ = db.Close() })
	if _, err := db.ExecContext(t.Context(), "CREATE TABLE t (n integer PRIMARY KEY); INSERT INTO t (n) VALUES (1), (2), (3)"); err != nil {
		t.Fatal(err)
	}
	return db, func() (n int) {
		c, err := db.Conn(t.Context())
		if err == nil {
			err = errors.Join(c.Raw(func(raw any) error {
				n = len(raw.(*preparedConn).kept)
				return nil
			}), c.Close())
		}
		if err != nil {
			t.Fatal(err)
		}
		return n
	}
}

func TestStatementsAreKeptPrepared(t *testing.T) {
	db, kept := openTestFile(t)
	for n := range 3 {
		if _, err := db.ExecContext(t.Context(), "INSERT INTO t (n) VALUES (?1)", 10+n); err != nil {
			t.Fatal(err)
		}
		var got int
		if err := db.QueryRowContext(t.Context(), "SELECT count(*) FROM t WHERE n > ?1", 9).Scan(&got); err != nil || got != n+1 {
			t.Fatalf("%d, %v", got, err)
		}
	}
	if got := kept(); got != 2 { // and not the two that made the table
		t.Errorf("%d statements are kept", got)
	}
	if _, err := db.ExecContext(t.Context(), "INSERT INTO t (n) VALUES (?1)", 10); err == nil {
		t.Error("a row is there twice")
	}
	if _, err := db.ExecContext(t.Context(), "INSERT INTO t (n) VALUES (?1)", 20); err != nil {
		t.Errorf("after a failure: %v", err)
	}
	for n := range 2 * mostPrepared {
		if _, err := db.ExecContext(t.Context(), fmt.Sprintf("UPDATE t SET n = n WHERE n = %d", n)); err != nil {
			t.Fatal(err)
		}
	}
	if got := kept(); got != mostPrepared {
		t.Errorf("%d statements are kept, expected %d", got, mostPrepared)
	}
}

// Whoever reads the rows of a statement may run it once more in between.
func TestStatementIsReadWithinItself(t *testing.T) {
	db, _ := openTestFile(t)
	tx, err := db.BeginTx(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = tx.Rollback() }()
	pairs := 0
	each := func(do func()) {
		rows, err := tx.QueryContext(t.Context(), "SELECT n FROM t ORDER BY n")
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = rows.Close() }()
		for last := 0; rows.Next(); {
			before := last
			if err := rows.Scan(&last); err != nil || last != before+1 {
				t.Fatalf("%d after %d, %v", last, before, err)
			}
			do()
		}
		if err := rows.Err(); err != nil {
			t.Fatal(err)
		}
	}
	each(func() { each(func() { pairs++ }) })
	if pairs != 9 {
		t.Errorf("%d pairs, expected 9", pairs)
	}
}

// A statement goes on to be of use when another process changes the tables, and when it
// was given up.
func TestPreparedStatementOutlivesChanges(t *testing.T) {
	db, kept := openTestFile(t)
	count := func(ctx context.Context) (n int, err error) {
		err = db.QueryRowContext(ctx, "SELECT count(*) FROM t").Scan(&n)
		return n, err
	}
	if n, err := count(t.Context()); n != 3 || err != nil {
		t.Fatalf("%d, %v", n, err)
	}
	if _, err := db.ExecContext(t.Context(), "ALTER TABLE t ADD COLUMN more text; CREATE INDEX i ON t (more)"); err != nil {
		t.Fatal(err)
	}
	if n, err := count(t.Context()); n != 3 || err != nil {
		t.Errorf("after the table was changed: %d, %v", n, err)
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := count(ended); !errors.Is(err, context.Canceled) {
		t.Errorf("a context that has ended: %v", err)
	}
	if n, err := count(t.Context()); n != 3 || err != nil || kept() != 1 {
		t.Errorf("after it was given up: %d, %v; %d are kept", n, err, kept())
	}
}
