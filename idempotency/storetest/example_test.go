package storetest_test

import (
	"context"
	"database/sql"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/weft-flow/weft/idempotency"
	"github.com/weft-flow/weft/idempotency/memory"
	"github.com/weft-flow/weft/idempotency/sqlite"
	"github.com/weft-flow/weft/idempotency/storetest"
)

// clock goes on when it is told to.
type clock struct {
	mu sync.Mutex
	at time.Time
}

func (c *clock) now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.at
}

func (c *clock) advance(_ testing.TB, d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.at = c.at.Add(d)
}

func ExampleSubject() {
	_ = func(t *testing.T) { // func TestStore(t *testing.T)
		storetest.Run(t, func(testing.TB) storetest.Subject {
			c := &clock{at: time.Now()}
			return storetest.Subject{Store: memory.New(c.now), Advance: c.advance}
		})
	}
}

func ExampleTransaction() {
	_ = func(t *testing.T, s *sqlite.Store, db *sql.DB) { // func TestStoreInTransactions(t *testing.T)
		storetest.RunIn(t, func(t testing.TB) (idempotency.Transactional[*sql.Tx], func() storetest.Transaction[*sql.Tx]) {
			return s, func() storetest.Transaction[*sql.Tx] {
				tx, err := db.BeginTx(t.Context(), nil)
				if err != nil {
					panic(err)
				}
				return storetest.Transaction[*sql.Tx]{
					Tx: tx, Commit: tx.Commit, Rollback: tx.Rollback,
					Write: func(row string) error {
						_, err := tx.ExecContext(t.Context(), "INSERT INTO runs VALUES (?)", row)
						return err
					},
					Rows: func() (n int, err error) {
						return n, tx.QueryRowContext(t.Context(), "SELECT count(*) FROM runs").Scan(&n)
					},
				}
			}
		})
	}
}

// The test's own binary is started again as the other processes.
func ExampleOpener() {
	var open storetest.Opener = func(ctx context.Context, address string) (idempotency.Store, error) {
		return sqlite.Open(ctx, address)
	}
	_ = func(m *testing.M) { // func TestMain(m *testing.M)
		storetest.Main(open)
		m.Run()
	}
	_ = func(t *testing.T, advance func(testing.TB, string)) { // func TestStoreInProcesses(t *testing.T)
		storetest.RunProcesses(t, open, func(t testing.TB) string { return filepath.Join(t.TempDir(), "store.db") }, advance)
	}
}
