package postgres_test

import (
	"context"
	"crypto/rand"
	"errors"
	"net/url"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"
	"go.uber.org/goleak"

	"github.com/weft-flow/weft/idempotency"
	"github.com/weft-flow/weft/idempotency/postgres"
	"github.com/weft-flow/weft/idempotency/storetest"
)

func TestMain(m *testing.M) {
	storetest.Main(func(ctx context.Context, address string) (idempotency.Store, error) {
		pool, err := pgxpool.New(ctx, address)
		if err != nil {
			return nil, err
		}
		return postgres.New(ctx, pool)
	})
	goleak.VerifyTestMain(m)
}

// schema makes a schema of the test's own, dropped at its end, and gives the URL
// under which connections find it first.
func schema(t testing.TB) string {
	t.Helper()
	address := os.Getenv("WEFT_TEST_POSTGRES")
	if address == "" {
		t.Skip("WEFT_TEST_POSTGRES is not set: no PostgreSQL to test on")
	}
	name := "weft_test_" + strings.ToLower(rand.Text())
	run := func(ctx context.Context, sql string) {
		conn, err := pgx.Connect(ctx, address)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := conn.Exec(ctx, sql); err != nil {
			t.Error(err)
		}
		if err := conn.Close(ctx); err != nil {
			t.Error(err)
		}
	}
	run(t.Context(), "CREATE SCHEMA "+name)
	t.Cleanup(func() { run(context.WithoutCancel(t.Context()), "DROP SCHEMA "+name+" CASCADE") })
	u, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	query := u.Query()
	query.Set("search_path", name)
	u.RawQuery = query.Encode()
	return u.String()
}

func openPool(t testing.TB, address string) *pgxpool.Pool {
	t.Helper()
	pool, err := pgxpool.New(t.Context(), address)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(pool.Close)
	return pool
}

func openStore(t testing.TB, pool *pgxpool.Pool) *postgres.Store {
	t.Helper()
	s, err := postgres.New(t.Context(), pool)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// advance moves the times that are kept back, which is as if time went on.
func advance(t testing.TB, pool *pgxpool.Pool, d time.Duration) {
	t.Helper()
	for _, move := range []string{
		"UPDATE weft_record SET due = due - $1::interval, began = began - $1::interval",
		"UPDATE weft_token SET until = until - $1::interval, claimed = claimed - $1::interval",
	} {
		if _, err := pool.Exec(t.Context(), move, d); err != nil {
			t.Fatal(err)
		}
	}
}

func TestStore(t *testing.T) {
	storetest.Run(t, func(t testing.TB) storetest.Subject {
		address := schema(t)
		pool := openPool(t, address)
		return storetest.Subject{
			Store:   openStore(t, pool),
			Another: func(t testing.TB) idempotency.Store { return openStore(t, openPool(t, address)) },
			Advance: func(t testing.TB, d time.Duration) { advance(t, pool, d) },
		}
	})
}

func TestStoreInTransactions(t *testing.T) {
	storetest.RunIn(t, func(t testing.TB) (idempotency.Transactional[pgx.Tx], func() storetest.Transaction[pgx.Tx]) {
		pool := openPool(t, schema(t))
		if _, err := pool.Exec(t.Context(), "CREATE TABLE runs (id text PRIMARY KEY)"); err != nil {
			t.Fatal(err)
		}
		return openStore(t, pool), func() storetest.Transaction[pgx.Tx] { return begin(t, pool) }
	})
}

// begin opens a transaction on a database that has a table of runs.
func begin(t testing.TB, pool *pgxpool.Pool) storetest.Transaction[pgx.Tx] {
	ctx := t.Context()
	tx, err := pool.Begin(ctx)
	if err != nil {
		panic(err) // from many goroutines, which must not call Fatal
	}
	return storetest.Transaction[pgx.Tx]{
		Tx:       tx,
		Commit:   func() error { return tx.Commit(ctx) },
		Rollback: func() error { return tx.Rollback(ctx) },
		Write: func(row string) error {
			_, err := tx.Exec(ctx, "INSERT INTO runs VALUES ($1)", row)
			return err
		},
		Rows: func() (n int, err error) {
			err = tx.QueryRow(ctx, "SELECT count(*) FROM runs").Scan(&n)
			return n, err
		},
	}
}

func TestStoreInProcesses(t *testing.T) {
	storetest.RunProcesses(t,
		func(_ context.Context, address string) (idempotency.Store, error) {
			return openStore(t, openPool(t, address)), nil
		},
		schema,
		func(t testing.TB, address string) { advance(t, openPool(t, address), time.Hour) },
	)
}

func TestStatement29ManyNodesMigrateAtOnce(t *testing.T) {
	address := schema(t)
	var wg sync.WaitGroup
	for range 16 {
		wg.Go(func() { openStore(t, openPool(t, address)) })
	}
	wg.Wait()
}

// An owner whose transaction has held the record cannot be overtaken before it ends:
// a takeover waits, and finds that the lease was prolonged.
func TestStatement28AHoldInAnOpenTransactionFencesATakeover(t *testing.T) {
	pool := openPool(t, schema(t))
	s := openStore(t, pool)
	claim := idempotency.Claim{Key: idempotency.RecordKey{Key: "k"}, Owner: "a"}
	if _, err := s.Begin(t.Context(), idempotency.Start{Claim: claim, Lease: time.Minute}); err != nil {
		t.Fatal(err)
	}
	advance(t, pool, time.Hour)
	tx, err := pool.Begin(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if err := s.In(tx).Hold(t.Context(), claim, time.Minute, "order 1"); err != nil {
		t.Fatal(err)
	}
	taken := make(chan error)
	go func() {
		taken <- s.TakeOver(t.Context(), idempotency.Takeover{Key: claim.Key, From: "a", To: "b", Lease: time.Minute})
	}()
	if err := tx.Commit(t.Context()); err != nil {
		t.Fatal(err)
	}
	// Before the commit it waits, after it the lease is not over: fenced either way.
	if err := <-taken; !errors.Is(err, idempotency.ErrFenced) {
		t.Errorf("the takeover: %v, want %v", err, idempotency.ErrFenced)
	}
}

// Who is at work on a record that is over does not keep the clean-up waiting.
func TestStatement29PurgeWaitsForNobody(t *testing.T) {
	pool := openPool(t, schema(t))
	s := openStore(t, pool)
	for _, key := range []string{"a", "b"} {
		claim := idempotency.Claim{Key: idempotency.RecordKey{Key: key}, Owner: "owner"}
		if _, err := s.Begin(t.Context(), idempotency.Start{Claim: claim, Lease: time.Minute}); err != nil {
			t.Fatal(err)
		}
		if err := s.Complete(t.Context(), claim, nil, time.Minute); err != nil {
			t.Fatal(err)
		}
	}
	advance(t, pool, time.Hour)
	tx, err := pool.Begin(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := tx.Exec(t.Context(), "SELECT 1 FROM weft_record WHERE key = 'a' FOR UPDATE"); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	if n, err := s.Purge(ctx, 10); n != 1 || err != nil {
		t.Errorf("beside an open transaction %d were removed (%v), want 1", n, err)
	}
	if err := tx.Rollback(t.Context()); err != nil {
		t.Fatal(err)
	}
	if n, err := s.Purge(ctx, 10); n != 1 || err != nil {
		t.Errorf("after it %d were removed (%v), want 1", n, err)
	}
}

func TestTablesOfALaterVersionAreLeftAlone(t *testing.T) {
	pool := openPool(t, schema(t))
	openStore(t, pool)
	if _, err := pool.Exec(t.Context(), "INSERT INTO weft_idempotency_version VALUES (99)"); err != nil {
		t.Fatal(err)
	}
	if _, err := postgres.New(t.Context(), pool); err == nil {
		t.Error("they are taken for ours")
	}
}

// In transactions stricter than READ COMMITTED the verbs work too; one that comes upon
// a claim that was made since its snapshot fails as PostgreSQL says, and made anew it
// tells who holds the token.
func TestStatement15TokensInStricterTransactions(t *testing.T) {
	for _, level := range []pgx.TxIsoLevel{pgx.RepeatableRead, pgx.Serializable} {
		t.Run(string(level), func(t *testing.T) {
			ctx := t.Context()
			pool := openPool(t, schema(t))
			s := openStore(t, pool)
			c := idempotency.TokenClaim{Token: idempotency.Token{Name: "order-1"}, Run: "run-1"}
			claimIn := func(between func()) error {
				return pgx.BeginTxFunc(ctx, pool, pgx.TxOptions{IsoLevel: level}, func(tx pgx.Tx) error {
					if _, err := tx.Exec(ctx, "SELECT 1"); err != nil { // takes the snapshot
						return err
					}
					between()
					_, err := s.In(tx).Claim(ctx, c)
					return err
				})
			}
			if err := claimIn(func() {}); err != nil {
				t.Fatal(err)
			}
			if err := claimIn(func() {}); err != nil {
				t.Errorf("the same start again: %v", err)
			}
			c.Token.Name, c.Run = "order-2", "run-2"
			err := claimIn(func() {
				other := c
				other.Run = "run-3"
				if _, err := s.Claim(ctx, other); err != nil {
					t.Error(err)
				}
			})
			var failure *pgconn.PgError
			if !errors.As(err, &failure) || failure.Code != "40001" {
				t.Errorf("beside another's claim: %v, want a serialization failure", err)
			}
			var held *idempotency.HeldError
			if err := claimIn(func() {}); !errors.As(err, &held) || held.Holder.Run != "run-3" {
				t.Errorf("made anew: %v, want that run-3 holds it", err)
			}
			err = pgx.BeginTxFunc(ctx, pool, pgx.TxOptions{IsoLevel: level}, func(tx pgx.Tx) error {
				return s.In(tx).End(ctx, c.Token, "run-3", []byte("result"))
			})
			if err != nil {
				t.Error(err)
			}
			if _, err := s.Holder(ctx, c.Token); !errors.Is(err, idempotency.ErrNotHeld) {
				t.Errorf("after the end: %v", err)
			}
		})
	}
}
