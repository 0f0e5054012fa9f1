package durable

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	neturl "net/url"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"
	sqlite3 "modernc.org/sqlite"
	sqlite3lib "modernc.org/sqlite/lib"

	idempostgres "github.com/weft-flow/weft/idempotency/postgres"
	idemsqlite "github.com/weft-flow/weft/idempotency/sqlite"
)

// ErrURL tells that a text names no store.
var ErrURL = errors.New("names no store of runs; expected sqlite:FILE or postgres://…")

// ErrNoStore tells that there is no store where only one that is there was to be opened.
var ErrNoStore = errors.New("there is no such store")

// ErrNotOurs tells that a database holds no store of weft where only one that is there was
// to be opened.
var ErrNotOurs = errors.New("is no store of weft: it has none of its tables")

// mustHoldRuns refuses an SQLite file that is something else, and changes nothing in it:
// even its settings are its owner's. What else is wrong with it is told where it is opened.
func mustHoldRuns(ctx context.Context, path string) error {
	absolute, err := filepath.Abs(path)
	if err != nil {
		return fmt.Errorf("open %s: %w", path, err)
	}
	query := neturl.Values{"mode": {"rw"}, "_pragma": {fmt.Sprintf("busy_timeout(%d)", litePatience.Milliseconds())}}
	file := neturl.URL{Scheme: "file", OmitHost: true, Path: filepath.ToSlash(absolute), RawQuery: query.Encode()}
	db, err := sql.Open("sqlite", file.String())
	if err != nil {
		return fmt.Errorf("open %s: %w", path, err)
	}
	defer func() { _ = db.Close() }() // of what was only read
	var tables int
	err = db.QueryRowContext(ctx, "SELECT count(*) FROM sqlite_master WHERE name = 'weft_durable_version'").Scan(&tables)
	if err == nil && tables == 0 {
		return fmt.Errorf("%s %w", path, ErrNotOurs)
	}
	return nil
}

// holdsNoRuns tells that the tables of a store are not in PostgreSQL. Where it does not
// answer, that is not known.
func (d *database) holdsNoRuns(ctx context.Context) bool {
	there := true
	_, err := one(ctx, d, "SELECT to_regclass('weft_durable_version') IS NOT NULL", nil, &there)
	return err == nil && !there
}

// open opens the database that a URL names. It makes no tables: see prepare.
func open(ctx context.Context, url string, o Options) (*database, error) {
	scheme, rest, _ := strings.Cut(url, ":")
	switch scheme {
	case "sqlite":
		if rest == "" {
			return nil, fmt.Errorf("%q %w", url, ErrURL)
		}
		if _, err := os.Stat(rest); o.Existing && errors.Is(err, fs.ErrNotExist) {
			return nil, fmt.Errorf("open %s: %w", rest, ErrNoStore)
		}
		if o.Existing {
			if err := mustHoldRuns(ctx, rest); err != nil {
				return nil, err
			}
		}
		return openSQLite(rest, o)
	case "postgres", "postgresql":
		d, err := openPostgres(ctx, url)
		if err == nil && o.Existing && d.holdsNoRuns(ctx) {
			return nil, errors.Join(fmt.Errorf("%s %w", d.named, ErrNotOurs), d.close())
		}
		return d, err
	default:
		return nil, fmt.Errorf("%q %w", url, ErrURL)
	}
}

// liteConnections is how many connections a process has to an SQLite file. There is
// one writer at a time. In this process all queue up for the one connection in order,
// so that none is starved: above all not the word that the node lives.
const liteConnections = 1

func openSQLite(path string, o Options) (*database, error) {
	absolute, err := filepath.Abs(path)
	if err != nil {
		return nil, fmt.Errorf("open %s: %w", path, err)
	}
	db, err := openPrepared(idemsqlite.DSN(absolute), o.around)
	if err != nil {
		return nil, fmt.Errorf("open %s: %w", path, err)
	}
	db.SetMaxOpenConns(liteConnections)
	db.SetMaxIdleConns(liteConnections)
	return &database{conn: liteConn{db}, lite: db, named: path}, nil
}

// prepare makes the tables that the database lacks, but for those of the journal.
func (d *database) prepare(ctx context.Context) (err error) {
	if d.lite != nil {
		if d.inLite, err = idemsqlite.New(ctx, d.lite); err == nil {
			d.tokens = d.inLite
		}
	} else if d.inPool, err = idempostgres.New(ctx, d.pool); err == nil {
		d.tokens = d.inPool
	}
	if err == nil && !d.isCurrent(ctx) {
		err = d.migrate(ctx)
	}
	return err
}

// isCurrent tells whether all tables are there. To find that out needs no lock and no
// right to make any.
func (d *database) isCurrent(ctx context.Context) bool {
	version := 0
	_, err := one(ctx, d, "SELECT coalesce(max(version), 0) FROM weft_durable_version", nil, &version)
	return err == nil && version == len(migrations) // else migrate says what is wrong
}

// poolConnections is how many connections a process has to PostgreSQL at most, beside
// the one that listens.
const poolConnections = 12

func openPostgres(ctx context.Context, url string) (*database, error) {
	config, err := pgxpool.ParseConfig(url)
	if err != nil {
		return nil, fmt.Errorf("the URL of the store: %w", err) // pgx hides the password
	}
	d := &database{named: "PostgreSQL"}
	d.preparePool(config)
	if d.pool, err = pgxpool.NewWithConfig(ctx, config); err != nil {
		return nil, fmt.Errorf("open PostgreSQL: %w", err)
	}
	d.conn = pgConn{d.pool}
	return d, nil
}

// close closes all connections; again, it does nothing. An SQLite file is free then: it
// can be moved or removed.
func (d *database) close() error {
	if d.lite == nil {
		d.pool.Close()
		return nil
	}
	err := d.lite.Close()
	// What was cancelled is rolled back by the pool on its own, and only then its connection
	// closed.
	for began := time.Now(); d.lite.Stats().OpenConnections > 0 && time.Since(began) < releaseTimeout; {
		time.Sleep(time.Millisecond)
	}
	return err
}

// releaseTimeout is how long a store that is closed waits for its SQLite file to be free.
const releaseTimeout = 2 * time.Second

func isBusy(err error) bool {
	var failure *sqlite3.Error
	return errors.As(err, &failure) && failure.Code()&0xff == sqlite3lib.SQLITE_BUSY
}
