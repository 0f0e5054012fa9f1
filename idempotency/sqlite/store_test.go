package sqlite_test

import (
	"context"
	"database/sql"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/weft-flow/weft/idempotency"
	"github.com/weft-flow/weft/idempotency/sqlite"
	"github.com/weft-flow/weft/idempotency/storetest"
)

func TestMain(m *testing.M) {
	storetest.Main(func(ctx context.Context, address string) (idempotency.Store, error) { return sqlite.Open(ctx, address) })
	goleak.VerifyTestMain(m)
}

func file(t testing.TB) string { return filepath.Join(t.TempDir(), "store.db") }

func openStore(t testing.TB, path string) *sqlite.Store {
	t.Helper()
	s, err := sqlite.Open(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

func openDB(t testing.TB, path string) *sql.DB {
	t.Helper()
	db, err := sql.Open("sqlite", sqlite.DSN(path))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	})
	return db
}

// advance moves the times that are kept back, which is as if time went on.
func advance(t testing.TB, db *sql.DB, d time.Duration) {
	t.Helper()
	for _, move := range []string{
		"UPDATE weft_record SET due = due - ?1, began = began - ?1",
		"UPDATE weft_token SET until = until - ?1, claimed = claimed - ?1",
	} {
		if _, err := db.ExecContext(t.Context(), move, d.Milliseconds()); err != nil {
			t.Fatal(err)
		}
	}
}

func TestStore(t *testing.T) {
	storetest.Run(t, func(t testing.TB) storetest.Subject {
		path := file(t)
		s := openStore(t, path)
		db := openDB(t, path)
		return storetest.Subject{
			Store:   s,
			Another: func(t testing.TB) idempotency.Store { return openStore(t, path) },
			Advance: func(t testing.TB, d time.Duration) { advance(t, db, d) },
		}
	})
}

// The transactions are of the store's own sql.DB, and of another on the same file.
func TestStoreInTransactions(t *testing.T) {
	for name, open := range map[string]func(t testing.TB, path string, db *sql.DB) *sqlite.Store{
		"of its own": func(t testing.TB, _ string, db *sql.DB) *sqlite.Store {
			s, err := sqlite.New(t.Context(), db)
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { _ = s.Close() })
			return s
		},
		"of another": func(t testing.TB, path string, _ *sql.DB) *sqlite.Store { return openStore(t, path) },
	} {
		t.Run(name, func(t *testing.T) {
			storetest.RunIn(t, func(t testing.TB) (idempotency.Transactional[*sql.Tx], func() storetest.Transaction[*sql.Tx]) {
				path := file(t)
				db := openDB(t, path)
				if _, err := db.ExecContext(t.Context(), "CREATE TABLE runs (id TEXT PRIMARY KEY)"); err != nil {
					t.Fatal(err)
				}
				return open(t, path, db), func() storetest.Transaction[*sql.Tx] { return begin(t, db) }
			})
		})
	}
}

// begin opens a transaction on a database that has a table of runs.
func begin(t testing.TB, db *sql.DB) storetest.Transaction[*sql.Tx] {
	tx, err := db.BeginTx(t.Context(), nil)
	if err != nil {
		panic(err) // from many goroutines, which must not call Fatal
	}
	return storetest.Transaction[*sql.Tx]{
		Tx: tx, Commit: tx.Commit, Rollback: tx.Rollback,
		Write: func(row string) error {
			_, err := tx.ExecContext(t.Context(), "INSERT INTO runs VALUES (?)", row)
			return err
		},
		Rows: func() (n int, err error) {
			err = tx.QueryRowContext(t.Context(), "SELECT count(*) FROM runs").Scan(&n)
			return n, err
		},
	}
}

func TestStoreInProcesses(t *testing.T) {
	storetest.RunProcesses(t,
		func(_ context.Context, address string) (idempotency.Store, error) { return openStore(t, address), nil },
		file,
		func(t testing.TB, address string) { advance(t, openDB(t, address), time.Hour) },
	)
}

func TestStatement29ManyOpenANewFileAtOnce(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a name with ? and % and #.db")
	var wg sync.WaitGroup
	for range 16 {
		wg.Go(func() { openStore(t, path) })
	}
	wg.Wait()
	if _, err := os.Stat(path); err != nil {
		t.Error(err)
	}
	left, err := filepath.Glob(filepath.Join(filepath.Dir(path), ".weft-*"))
	if err != nil || len(left) > 0 {
		t.Errorf("left over: %v (%v)", left, err)
	}
}

// What is kept is for nobody else of the machine to read, the log beside the file
// included.
func TestTheFileIsItsUsersOnly(t *testing.T) {
	path := file(t)
	openStore(t, path)
	for _, name := range []string{path, path + "-wal", path + "-shm"} {
		info, err := os.Stat(name)
		if err != nil {
			t.Fatal(err)
		}
		if mode := info.Mode().Perm(); mode != 0o600 {
			t.Errorf("%s has the mode %o", filepath.Base(name), mode)
		}
	}
}

func TestWhatIsNoDatabaseIsRefused(t *testing.T) {
	text := file(t)
	if err := os.WriteFile(text, []byte(strings.Repeat("no database ", 100)), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{text, t.TempDir(), filepath.Join(t.TempDir(), "missing", "store.db")} {
		s, err := sqlite.Open(t.Context(), path)
		if err == nil {
			_ = s.Close()
		}
		if err == nil || !strings.Contains(err.Error(), path) {
			t.Errorf("%s: %v", path, err)
		}
	}
}

func TestADatabaseThatMayForgetIsRefused(t *testing.T) {
	for _, settings := range []string{"", "?_pragma=journal_mode(WAL)&_pragma=synchronous(NORMAL)", "?_pragma=synchronous(FULL)"} {
		db, err := sql.Open("sqlite", "file:"+file(t)+settings)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := sqlite.New(t.Context(), db); err == nil {
			t.Errorf("%q is accepted", settings)
		}
		_ = db.Close()
	}
}

func TestTablesOfALaterVersionAreLeftAlone(t *testing.T) {
	path := file(t)
	openStore(t, path)
	if _, err := openDB(t, path).ExecContext(t.Context(), "INSERT INTO weft_idempotency_version VALUES (99)"); err != nil {
		t.Fatal(err)
	}
	if s, err := sqlite.Open(t.Context(), path); err == nil {
		_ = s.Close()
		t.Error("they are taken for ours")
	}
}
