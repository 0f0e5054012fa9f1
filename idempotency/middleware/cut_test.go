package middleware_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/weft-flow/weft/idempotency"
	"github.com/weft-flow/weft/idempotency/middleware"
	"github.com/weft-flow/weft/idempotency/postgres"
)

// TestStatement28ConnectionsToTheDatabaseAreCut cuts all connections to PostgreSQL again
// and again while requests are at every point of their way. Each has its effect once,
// and what a cut has left open is settled by the hook.
func TestStatement28ConnectionsToTheDatabaseAreCut(t *testing.T) {
	const keys, workers, cuts, tries = 300, 16, 5, 20
	const between = 30 // answers between two cuts
	db := databases["postgres"](t)
	pool, err := pgxpool.New(t.Context(), db.address)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(pool.Close)
	store, err := postgres.New(t.Context(), pool)
	if err != nil {
		t.Fatal(err)
	}
	var effects [keys]atomic.Int64
	var troubles, answered atomic.Int64
	change := func(o *middleware.Options) {
		o.Store = store
		o.OnError = func(context.Context, error) { troubles.Add(1) }
		o.Recover = func(_ context.Context, left idempotency.Record) (middleware.Verdict, error) {
			if effects[number(t, left.Key.Key)].Load() == 0 {
				return middleware.NothingHappened(), nil
			}
			return middleware.Happened(http.StatusCreated, nil, []byte("found")), nil
		}
	}
	url := serve(t, wrap(t, change, func(w http.ResponseWriter, r *http.Request) {
		effects[number(t, r.Header.Get("Idempotency-Key"))].Add(1)
		w.WriteHeader(http.StatusCreated)
		_, _ = io.WriteString(w, "done")
	}))
	client := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: workers}}
	defer client.CloseIdleConnections()

	words := make(chan struct{}, cuts)
	// sendAll sends a request for each key, and again until it is answered, though not
	// forever: what is left open waits for its lease.
	sendAll := func() (open int64) {
		var next, left atomic.Int64
		var wg sync.WaitGroup
		for range workers {
			wg.Go(func() {
				for n := next.Add(1) - 1; n < keys; n = next.Add(1) - 1 {
					status := 0
					for try := 0; try < tries && status != http.StatusCreated; try++ {
						var err error
						if status, _, _, err = post(client, url, fmt.Sprint("key-", n), "work"); err != nil {
							t.Errorf("key %d: %v", n, err)
						}
						if answered.Add(1)%between == 0 {
							select {
							case words <- struct{}{}:
							default:
							}
						}
					}
					if status != http.StatusCreated {
						left.Add(1)
					}
				}
			})
		}
		wg.Wait()
		return left.Load()
	}
	cut := make(chan int)
	go func() { cut <- cutConnections(t, db.address, cuts, words) }()
	open := sendAll()
	close(words)
	if n := <-cut; n == 0 || troubles.Load() == 0 {
		t.Fatalf("%d connections were cut and %d verbs failed: the fault did not fire", n, troubles.Load())
	} else {
		t.Logf("%d connections were cut, %d verbs failed, %d keys were left open", n, troubles.Load(), open)
	}

	words = nil // nobody cuts any more
	db.advance(t, middleware.DefaultLease)
	if open := sendAll(); open > 0 {
		t.Errorf("%d keys are not settled", open)
	}
	for n := range effects {
		if got := effects[n].Load(); got != 1 {
			t.Errorf("key %d had its effect %d times", n, got)
		}
	}
}

func number(t *testing.T, key string) int {
	var n int
	if _, err := fmt.Sscanf(key, "key-%d", &n); err != nil {
		t.Errorf("the key %q: %v", key, err)
	}
	return n
}

// cutConnections cuts all other connections to the test's database at each word, up to a
// number of times, and gives how many it has cut.
func cutConnections(t *testing.T, address string, times int, words <-chan struct{}) (cut int) {
	ctx := context.Background()
	conn, err := pgx.Connect(ctx, address)
	if err != nil {
		t.Errorf("connect: %v", err)
		return 0
	}
	defer func() { _ = conn.Close(ctx) }()
	for range words {
		if times--; times < 0 {
			continue
		}
		var ended int
		err := conn.QueryRow(ctx, `SELECT count(*) FILTER (WHERE pg_terminate_backend(pid)) FROM pg_stat_activity
			WHERE application_name = current_setting('application_name') AND pid <> pg_backend_pid()`).Scan(&ended)
		if err != nil {
			t.Errorf("cut the connections: %v", err)
		}
		cut += ended
	}
	return cut
}
