package durable

import (
	"context"
	"errors"
	neturl "net/url"
	"os"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/weft-flow/weft/executor"
	"github.com/weft-flow/weft/executor/channel"
)

// postgresOnly gives the URL of a fresh database of PostgreSQL.
func postgresOnly(t *testing.T) string {
	t.Helper()
	if os.Getenv("WEFT_TEST_POSTGRES") == "" {
		t.Skip("WEFT_TEST_POSTGRES is not set")
	}
	return freshPostgres(t)
}

// TestPostgresBreaksAFrozenTransaction: a process that stops in the middle of a
// transaction holds up the others only until the server breaks it.
func TestPostgresBreaksAFrozenTransaction(t *testing.T) {
	t.Parallel()
	url := postgresOnly(t)
	b := flowBundle(t, waitFlow)
	_, servers := playShop(t, b)
	frozen, s := openStore(t, url, quickOptions(t)), openStore(t, url, quickOptions(t))
	run := begin(t, s, Spec{Bundle: b, Config: executor.Config{Servers: servers}}, `{"ref":"1"}`).Run
	tx, err := frozen.db.pool.Begin(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := lockInbox(t.Context(), pgConn{tx}, run); err != nil {
		t.Fatal(err)
	}
	var held *pgconn.PgError
	if _, err := readInbox(t.Context(), s.db, run, " FOR UPDATE NOWAIT"); !errors.As(err, &held) || held.Code != "55P03" {
		t.Fatalf("the row is not held: %v", err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	if err := s.Cancel(ctx, run); err != nil {
		t.Errorf("while another is frozen: %v", err)
	}
	if err := tx.Commit(t.Context()); err == nil {
		t.Error("what was frozen is committed")
	}
	if _, err := frozen.Find(t.Context(), run); err != nil {
		t.Errorf("once it goes on: %v", err)
	}
}

// TestPostgresLimitIsNoAnswer: that a limit was reached is no outcome of anything: the
// journal does such a thing again. A lock that is not waited for is another thing.
func TestPostgresLimitIsNoAnswer(t *testing.T) {
	s := driving(t, postgresOnly(t))
	for name, statements := range map[string][]string{
		"a statement": {"SET LOCAL statement_timeout = '20ms'", "SELECT pg_sleep(20)"},
		"a lock":      {"SET LOCAL lock_timeout = '20ms'", "LOCK TABLE weft_settlement"},
	} {
		err := pgx.BeginFunc(t.Context(), s.db.pool, func(holder pgx.Tx) error {
			if _, err := holder.Exec(t.Context(), "LOCK TABLE weft_settlement"); err != nil {
				t.Fatal(err)
			}
			return s.db.within(t.Context(), func(tx *transaction) error {
				for _, text := range statements {
					if _, err := tx.exec(t.Context(), text); err != nil {
						return err
					}
				}
				return nil
			})
		})
		if err == nil || !s.driver.isRetryable(err) || isTransient(err) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestPostgresLimits: what the URL says goes before the limits of every day.
func TestPostgresLimits(t *testing.T) {
	url := postgresOnly(t)
	named, err := neturl.Parse(url)
	if err != nil {
		t.Fatal(err)
	}
	query := named.Query()
	query.Set("lock_timeout", "1234")
	named.RawQuery = query.Encode()
	s := openStore(t, named.String(), quickOptions(t))
	for name, want := range map[string]string{"lock_timeout": "1234ms", "statement_timeout": "30s", "idle_in_transaction_session_timeout": "5s"} {
		var got string
		if _, err := one(t.Context(), s.db, "SELECT current_setting($1)", []any{name}, &got); err != nil || got != want {
			t.Errorf("%s is %s, %v; want %s", name, got, err, want)
		}
	}
}

// TestPostgresOpenedByManyAtOnce: all that begin with a fresh database find its tables.
func TestPostgresOpenedByManyAtOnce(t *testing.T) {
	const nodes = 6
	url := postgresOnly(t)
	var wg sync.WaitGroup
	for range nodes {
		wg.Go(func() {
			s, err := Open(t.Context(), url, quickOptions(t))
			if err != nil {
				t.Error(err)
				return
			}
			if err := s.Close(); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
}

// TestPostgresLockOfTheTablesIsFree: the lock is given back also where making tables fails.
func TestPostgresLockOfTheTablesIsFree(t *testing.T) {
	s := openStore(t, postgresOnly(t), quickOptions(t))
	broken := errors.New("broken")
	for range 2 {
		ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
		err := s.db.alone(ctx, func() error { return broken })
		cancel()
		if !errors.Is(err, broken) {
			t.Fatal(err)
		}
	}
}

// TestPostgresRunsOpenTogether: runs that open one fixed address do not wait for each
// other, and what comes to it waits for those that are opening it: it goes to the run that
// expects it.
func TestPostgresRunsOpenTogether(t *testing.T) {
	s := openStore(t, postgresOnly(t), Options{})
	box := func(ref string) []executor.Mailbox { return []executor.Mailbox{paidFor(t, ref)} }
	if _, err := s.hub.Open(t.Context(), "before", box("0")); err != nil {
		t.Fatal(err)
	}
	open := func(c conn, run, ref string) error {
		err := openInbox(t.Context(), c, run)
		if err == nil {
			_, err = s.hub.open(t.Context(), c, run, box(ref))
		}
		return err
	}
	kept := make(chan channel.Kept, 1)
	err := s.db.within(t.Context(), func(first *transaction) error {
		if err := open(first, "first", "1"); err != nil {
			return err
		}
		err := s.db.within(t.Context(), func(second *transaction) error {
			if _, err := second.exec(t.Context(), "SET LOCAL lock_timeout = '2s'"); err != nil {
				return err
			}
			return open(second, "second", "2")
		})
		if err != nil {
			t.Errorf("while another opens: %v", err)
		}
		go func() {
			k, err := s.hub.Keep(t.Context(), paidArrives(paidFor(t, "1"), "1", time.Now()))
			if err != nil {
				t.Error(err)
			}
			kept <- k
		}()
		select {
		case k := <-kept:
			t.Errorf("a message is kept while the run that it belongs to opens: %+v", k)
		case <-time.After(300 * time.Millisecond):
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if k := <-kept; k.Outcome != channel.Stored || k.Run != "first" {
		t.Errorf("the message is %+v", k)
	}
}
