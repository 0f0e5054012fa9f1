package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"time"

	sqlite3 "modernc.org/sqlite"
	sqlite3lib "modernc.org/sqlite/lib"
)

// busyTimeout is how long a writer waits for the others, of this process and of any.
const busyTimeout = 10 * time.Second

// DSN gives the data source name under which the driver "sqlite" opens the file as a
// store needs it: write-ahead log, synchronous FULL, patience with other writers,
// transactions that take the write lock when they begin.
func DSN(path string) string {
	query := url.Values{
		"_txlock": {"immediate"},
		"_pragma": {
			fmt.Sprintf("busy_timeout(%d)", busyTimeout.Milliseconds()),
			"journal_mode(WAL)", "synchronous(FULL)", "foreign_keys(ON)",
		},
	}
	file := url.URL{Scheme: "file", OmitHost: true, Path: filepath.ToSlash(path), RawQuery: query.Encode()}
	return file.String()
}

// Open opens the file, which is made where there is none, for nobody but its user to
// read, and gives a store that closes it again (Close).
func Open(ctx context.Context, path string) (*Store, error) {
	absolute, err := filepath.Abs(path)
	if err != nil {
		return nil, fmt.Errorf("open the idempotency store %s: %w", path, err)
	}
	if err := makePrivate(absolute); err != nil {
		return nil, fmt.Errorf("open the idempotency store %s: %w", path, err)
	}
	db, err := sql.Open("sqlite", DSN(absolute))
	if err != nil {
		return nil, fmt.Errorf("open the idempotency store %s: %w", path, err)
	}
	// SQLite has one writer at a time. In this process the writers queue up for the one
	// connection in order, which is quicker and fairer than to collide in the file.
	db.SetMaxOpenConns(1)
	s, err := New(ctx, db)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("open the idempotency store %s: %w", path, err), db.Close())
	}
	s.close = db.Close
	return s, nil
}

// makePrivate makes the file where there is none, readable to its user only: it will
// hold keys and answers. The file gets its name when it is closed already, since to
// close it later would drop the locks that SQLite has taken on it in this process.
func makePrivate(path string) error {
	if _, err := os.Stat(path); !errors.Is(err, fs.ErrNotExist) {
		return nil // what is wrong with it SQLite says
	}
	unnamed, err := os.CreateTemp(filepath.Dir(path), ".weft-*.db") // with mode 0600
	if err != nil {
		return err
	}
	defer func() { _ = os.Remove(unnamed.Name()) }()
	if err := unnamed.Close(); err != nil {
		return err
	}
	// Another may have been quicker, and some file systems know no links: then the file
	// is whatever it is.
	_ = os.Link(unnamed.Name(), path)
	return nil
}

// New gives a store in a database that is open, for the caller's own tables beside
// it; the caller closes it. It makes the tables that it lacks, and refuses a database
// whose connections do not keep what was committed: open it with DSN.
func New(ctx context.Context, db *sql.DB) (*Store, error) {
	if err := patiently(ctx, func() error { return checkSettings(ctx, db) }); err != nil {
		return nil, err
	}
	if err := patiently(ctx, func() error { return migrate(ctx, db) }); err != nil {
		return nil, fmt.Errorf("make the tables of the idempotency store: %w", err)
	}
	return prepare(ctx, db)
}

// fullSync is the value of the pragma synchronous for FULL.
const fullSync = 2

func checkSettings(ctx context.Context, db *sql.DB) error {
	var mode string
	var synchronous int
	if err := db.QueryRowContext(ctx, "PRAGMA journal_mode").Scan(&mode); err != nil {
		return fmt.Errorf("read the settings of the database: %w", err)
	}
	if err := db.QueryRowContext(ctx, "PRAGMA synchronous").Scan(&synchronous); err != nil {
		return fmt.Errorf("read the settings of the database: %w", err)
	}
	if mode != "wal" || synchronous < fullSync {
		return fmt.Errorf("the database has journal mode %s and synchronous %d; an idempotency store needs wal and %d (FULL): open it with sqlite.DSN", mode, synchronous, fullSync)
	}
	return nil
}

// patiently does again what SQLite refuses at once, without its busy timeout, while
// another process turns on the write-ahead log or closes the file as the last one.
func patiently(ctx context.Context, do func() error) error {
	ctx, cancel := context.WithTimeout(ctx, busyTimeout)
	defer cancel()
	for pause := time.Millisecond; ; pause = min(2*pause, 100*time.Millisecond) {
		err := do()
		if err == nil || !isBusy(err) {
			return err
		}
		select {
		case <-ctx.Done():
			return err
		case <-time.After(pause):
		}
	}
}

func isBusy(err error) bool {
	var failure *sqlite3.Error
	return errors.As(err, &failure) && failure.Code()&0xff == sqlite3lib.SQLITE_BUSY
}
