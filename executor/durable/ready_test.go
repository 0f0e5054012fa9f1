package durable

import (
	"context"
	"errors"
	"fmt"
	neturl "net/url"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
)

// Most tests begin with databases that have all tables. To make those takes longer than
// to copy them, and much longer than such a test where it is looked for races.

// madeOnce is what all tests share and is removed after them.
var madeOnce struct {
	folder   string // of the processes' binary
	database string // of PostgreSQL, that is copied
}

// removeMade removes what all tests shared.
func removeMade() error {
	var removed, dropped error
	if madeOnce.folder != "" {
		removed = os.RemoveAll(madeOnce.folder)
	}
	if madeOnce.database != "" {
		dropped = onServer("DROP DATABASE " + madeOnce.database + " WITH (FORCE)")
	}
	return errors.Join(removed, dropped)
}

// processBinary gives what the processes of tests are: this binary, but without the search
// for races, which makes SQLite many times slower. The same code runs in the test itself.
var processBinary = sync.OnceValues(func() (string, error) {
	tool, err := exec.LookPath("go")
	if !raced || err != nil {
		return os.Args[0], nil
	}
	if madeOnce.folder, err = os.MkdirTemp("", "weft-durable"); err != nil {
		return "", err
	}
	binary := filepath.Join(madeOnce.folder, "process")
	if said, err := exec.Command(tool, "test", "-c", "-race=false", "-o", binary, ".").CombinedOutput(); err != nil {
		return "", fmt.Errorf("build the processes of the tests: %w\n%s", err, said)
	}
	return binary, nil
})

// newProcess gives a process of a test, which is not started.
func newProcess(ctx context.Context, t testing.TB) *exec.Cmd {
	t.Helper()
	binary, err := processBinary()
	if err != nil {
		t.Fatal(err)
	}
	return exec.CommandContext(ctx, binary)
}

// readyBytes are those of an SQLite file that has all tables.
var readyBytes = sync.OnceValues(func() (data []byte, err error) {
	dir, err := os.MkdirTemp("", "weft-durable")
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	file := filepath.Join(dir, "weft.db")
	if err := makeAllTables("sqlite:" + file); err != nil {
		return nil, err
	}
	return os.ReadFile(file)
})

func makeAllTables(url string) error {
	s, err := Open(context.Background(), url, Options{})
	if err != nil {
		return err
	}
	return s.Close()
}

// readyFile gives the URL of an SQLite file that has all tables and no run.
func readyFile(t testing.TB) (url string) {
	t.Helper()
	data, err := readyBytes()
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "weft.db")
	if err := os.WriteFile(file, data, 0o600); err != nil {
		t.Fatal(err)
	}
	return "sqlite:" + file
}

// readyDatabase names a database of PostgreSQL that has all tables. Nobody connects to it.
var readyDatabase = sync.OnceValues(func() (string, error) {
	name := newName()
	if err := onServer("CREATE DATABASE " + name); err != nil {
		return "", err
	}
	madeOnce.database = name
	url, err := urlOf(name)
	if err != nil {
		return "", err
	}
	return name, makeAllTables(url)
})

// readyPostgres makes a database of the test's own that has all tables and no run.
func readyPostgres(t testing.TB) (url string) {
	t.Helper()
	name, err := readyDatabase()
	if err != nil {
		t.Fatal(err)
	}
	return ownPostgres(t, " TEMPLATE "+name)
}

// freshPostgres makes a database of the test's own, without tables.
func freshPostgres(t testing.TB) (url string) {
	t.Helper()
	return ownPostgres(t, "")
}

func ownPostgres(t testing.TB, from string) (url string) {
	t.Helper()
	name := newName()
	if err := onServer("CREATE DATABASE " + name + from); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := onServer("DROP DATABASE " + name + " WITH (FORCE)"); err != nil {
			t.Error(err)
		}
	})
	url, err := urlOf(name)
	if err != nil {
		t.Fatal(err)
	}
	return url
}

func newName() string { return "weft_test_" + uuid.NewString()[:8] }

// urlOf gives the URL of a database of the server that WEFT_TEST_POSTGRES names.
func urlOf(database string) (string, error) {
	u, err := neturl.Parse(os.Getenv("WEFT_TEST_POSTGRES"))
	if err != nil {
		return "", err
	}
	u.Path = "/" + database
	return u.String(), nil
}

// onServer does something on that server, outside of the databases of tests.
func onServer(statement string) error {
	ctx := context.Background()
	connection, err := pgx.Connect(ctx, os.Getenv("WEFT_TEST_POSTGRES"))
	if err != nil {
		return err
	}
	_, err = connection.Exec(ctx, statement)
	return errors.Join(err, connection.Close(ctx))
}
