package durable

import (
	"context"
	sqldriver "database/sql/driver"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/dbos-inc/dbos-transact-golang/dbos"
	_ "github.com/dbos-inc/dbos-transact-golang/dbos/driver/sqlite" // makes SQLite known to DBOS
	"github.com/google/uuid"

	"github.com/weft-flow/weft/executor"
	"github.com/weft-flow/weft/executor/channel"
	"github.com/weft-flow/weft/idempotency"
)

// Engine is the version of the history that this program writes, and the only one
// that it can go on with. It changes when the sequence of recorded steps, their names
// or their form does, and with nothing else.
const Engine = "weft-1"

// The names under which DBOS knows runs.
const (
	application  = "weft"
	workflowName = "run"
)

// DefaultPoll is how often an SQLite file is looked at.
const DefaultPoll = 250 * time.Millisecond

// queuePolls is after how many times as long either database is looked at for runs to
// begin. That is most of what a process asks of a database while all its runs wait.
const queuePolls = 2

// Options say how a store is used. The zero value is usable.
type Options struct {
	// Key encrypts inputs, records, events, messages and results (WEFT_STORE_KEY); at least 16
	// characters. Empty: they are kept as they are, and a run whose inputs hold a
	// password is refused.
	Key string
	// Logger takes what happens beside the runs; nil: nobody wants to know.
	Logger *slog.Logger
	// Now is the clock of runs; nil: time.Now. Leases do not go by it.
	Now func() time.Time
	// Poll is how often an SQLite file is looked at for what other processes did, and half
	// as often either database for runs to begin; 0: DefaultPoll.
	Poll time.Duration
	// Lease says when a node counts as lost; the zero value: DefaultLease. All nodes
	// of a store must have the same.
	Lease Lease
	// Existing has Open refuse where the SQLite file is not there (ErrNoStore), or the database
	// is none of weft's (ErrNotOurs), instead of making what is lacking: for whoever only looks, or means a certain run.
	Existing bool
	// Messages bound what is kept of messages; see channel.DefaultLimits.
	Messages channel.Limits

	// around is put around what connects to SQLite, for tests that count; nil: nothing is.
	around func(sqldriver.Connector) sqldriver.Connector
}

// Store is a database of runs. It starts runs, delivers to them, and tells of them;
// a store that drives (Drive) also executes them. It is safe for use by several
// goroutines.
type Store struct {
	db     *database
	dbos   dbos.Context
	source *dbos.DataSource
	seal   *seal
	log    *slog.Logger
	now    func() time.Time
	poll   time.Duration
	lease  Lease
	node   string // executor id, unique to this store in this process

	definitions definitions
	news        *news
	hub         *Hub
	driver      *driver

	closing   sync.Once
	isClosing atomic.Bool
	closed    error
	// reached is called at points of which tests crash the process; nil: never.
	reached func(point string)
	// replayed takes the events that a replay gives again, for tests; nil: nobody does.
	replayed func(executor.Event)
}

// Open opens the store that a URL names, sqlite:FILE or postgres://…, and makes what
// it lacks. It executes nothing: see Drive. Close it.
//
// Variables of the environment that begin with DBOS__ are unset: they would give
// other names to this process and to its version than it has.
func Open(ctx context.Context, url string, o Options) (*Store, error) {
	seal, err := newSeal(o.Key)
	if err != nil {
		return nil, err
	}
	clearEnvironment()
	db, err := open(ctx, url, o)
	if err != nil {
		return nil, err
	}
	s := &Store{db: db, seal: seal, log: o.Logger, now: o.Now, poll: o.Poll, lease: o.Lease.withDefaults(), node: uuid.NewString()}
	if s.log == nil {
		s.log = slog.New(slog.DiscardHandler)
	}
	if s.now == nil {
		s.now = time.Now
	}
	if s.poll <= 0 {
		s.poll = DefaultPoll
	}
	if err := db.alone(ctx, func() error { return s.makeTables(ctx) }); err != nil {
		if s.dbos != nil {
			err = errors.Join(err, dbos.Shutdown(s.dbos, shutdownTimeout))
		}
		return nil, errors.Join(fmt.Errorf("open %s: %w", db.named, err), db.whyDamaged(ctx, err), db.close())
	}
	db.startAnswering()
	s.news = newNews(s)
	s.hub = newHub(s, s.now, o.Messages)
	return s, nil
}

func clearEnvironment() {
	for _, pair := range os.Environ() {
		if name, _, _ := strings.Cut(pair, "="); strings.HasPrefix(name, "DBOS__") {
			_ = os.Unsetenv(name) // it was there
		}
	}
}

// makeTables makes all tables that the database lacks.
func (s *Store) makeTables(ctx context.Context) error {
	if err := s.db.prepare(ctx); err != nil {
		return err
	}
	if err := s.openDBOS(ctx); err != nil {
		return fmt.Errorf("the journal of runs: %w", err)
	}
	return nil
}

// openDBOS makes the tables of DBOS and makes the workflow known. Nothing is
// launched.
func (s *Store) openDBOS(ctx context.Context) error {
	// The end of a caller's context must not reach DBOS, which would cancel runs for good.
	root := context.WithoutCancel(ctx)
	c, err := dbos.NewContext(root, dbos.Config{
		AppName: application, SystemDBPool: s.db.pool, SQLiteSystemDB: s.db.lite,
		Logger: slog.New(untilClosed{s.log.With("part", "dbos").Handler(), &s.isClosing}), ApplicationVersion: Engine, ExecutorID: s.node, Serializer: asText{},
	})
	if err != nil {
		return err
	}
	s.dbos = c
	dbos.RegisterWorkflow(c, s.execute, dbos.WithWorkflowName(workflowName), dbos.WithMaxRecoveryAttempts(0))
	return nil
}

// openSource makes what steps are recorded in; only who drives has one.
func (s *Store) openSource() (err error) {
	if s.db.lite != nil {
		s.source, err = dbos.NewDataSource(s.dbos, s.db.lite)
	} else {
		s.source, err = dbos.NewDataSource(s.dbos, s.db.pool)
	}
	return err
}

// shutdownTimeout bounds the wait for each part of DBOS to stop.
const shutdownTimeout = 10 * time.Second

// Stop has this process execute nothing further: it takes no run from the line, sends no
// request, and leaves each run at its next record to other nodes, or to the next process.
// Where requests are in the air, it waits for their outcome, but not for longer than
// DriveOptions.StopTimeout. All else goes on until Close, which does the same first.
func (s *Store) Stop() { s.driver.stop() }

// GiveUp has Stop and Close, also those that have begun, await no request in the air: the
// outcome of such a request is not recorded, as after a crash.
func (s *Store) GiveUp() { s.driver.giveUp() }

// Close stops driving, lets go of the runs in the state in which they are recorded,
// and closes the database. Where requests are in the air, it waits for their outcome,
// but not for longer than DriveOptions.StopTimeout.
func (s *Store) Close() error {
	s.closing.Do(func() {
		s.driver.stop()
		s.news.close()
		s.isClosing.Store(true)
		// DBOS closes the pool that it was given.
		s.closed = errors.Join(dbos.Shutdown(s.dbos, shutdownTimeout), s.db.close())
	})
	return s.closed
}

// Node is the id of this store among those that share the database.
func (s *Store) Node() string { return s.node }

func (s *Store) reach(point string) {
	if s.reached != nil {
		s.reached(point)
	}
}

// token gives the name of a token in the idempotency store.
func token(tenant, workflow, name string) idempotency.Token {
	return idempotency.Token{Tenant: tenant, Workflow: workflow, Name: name}
}

// milliseconds is a time as it is kept; 0 for the zero time.
func milliseconds(t time.Time) int64 {
	if t.IsZero() {
		return 0
	}
	return t.UnixMilli()
}

func atMilliseconds(ms int64) time.Time {
	if ms == 0 {
		return time.Time{}
	}
	return time.UnixMilli(ms).UTC()
}

// asText keeps what runs record as the text that it is.
type asText struct{}

// Name is the name of the form.
func (asText) Name() string { return "weft" }

// Encode gives a text as it is.
func (asText) Encode(data any) (*string, error) {
	text, ok := data.(string)
	if !ok && data != nil {
		return nil, fmt.Errorf("a %T is not recorded", data)
	}
	return &text, nil
}

// Decode gives a text as it is; nothing as "".
func (asText) Decode(data *string) (any, error) {
	if data == nil {
		return "", nil
	}
	return *data, nil
}

// untilClosed lets nothing through once the store is being closed: DBOS then tells of
// each thing that it could not end.
type untilClosed struct {
	slog.Handler
	closing *atomic.Bool
}

// Enabled is false once the store is being closed.
func (h untilClosed) Enabled(ctx context.Context, level slog.Level) bool {
	return !h.closing.Load() && h.Handler.Enabled(ctx, level)
}

// WithAttrs keeps what it is.
func (h untilClosed) WithAttrs(attrs []slog.Attr) slog.Handler {
	return untilClosed{h.Handler.WithAttrs(attrs), h.closing}
}

// WithGroup keeps what it is.
func (h untilClosed) WithGroup(name string) slog.Handler {
	return untilClosed{h.Handler.WithGroup(name), h.closing}
}
