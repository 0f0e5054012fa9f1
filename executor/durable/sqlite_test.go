package durable

import (
	"bytes"
	"context"
	"database/sql"
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/weft-flow/weft/executor"
	"github.com/weft-flow/weft/executor/channel"
)

// TestSQLiteCannotBeOpened: what is wrong with a file is said, with its name.
func TestSQLiteCannotBeOpened(t *testing.T) {
	dir := t.TempDir()
	corrupt := filepath.Join(dir, "corrupt.db")
	if err := os.WriteFile(corrupt, []byte(strings.Repeat("this is no database\n", 500)), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, test := range map[string]struct{ url, want string }{
		"corrupt":      {"sqlite:" + corrupt, "not a database"},
		"no folder":    {"sqlite:" + filepath.Join(dir, "none", "weft.db"), "unable to open"},
		"no file":      {"sqlite:", "expected sqlite:FILE"},
		"another kind": {"mysql://x", "expected sqlite:FILE"},
		"no server":    {"postgres://127.0.0.1:1/x", "connect"},
	} {
		s, err := Open(t.Context(), test.url, Options{})
		if err == nil {
			t.Errorf("%s: it opens; %v", name, s.Close())
		} else if !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestSQLiteIsFull: what cannot be kept is not acknowledged, and the run goes on when
// there is room.
func TestSQLiteIsFull(t *testing.T) {
	file := filepath.Join(t.TempDir(), "weft.db")
	b := flowBundle(t, waitFlow)
	server, servers := playShop(t, b)
	s := openStore(t, "sqlite:"+file, quickOptions(t))
	if err := s.Drive(t.Context(), DriveOptions{}); err != nil {
		t.Fatal(err)
	}
	started := begin(t, s, Spec{Bundle: b, Config: executor.Config{Servers: servers, Timeout: executor.NoTimeout}}, `{"ref":"1"}`)
	awaits(t, s, started.Run)
	var pages int
	if _, err := one(t.Context(), s.db, "PRAGMA page_count", nil, &pages); err != nil {
		t.Fatal(err)
	}
	limit := func(n int) {
		t.Helper()
		var now int
		if _, err := one(t.Context(), s.db, "PRAGMA max_page_count = "+strconv.Itoa(n), nil, &now); err != nil {
			t.Fatal(err)
		}
	}
	limit(pages)
	kept := 0
	var full error
	for n := range 2000 {
		_, err := s.Deliver(t.Context(), started.Run, executor.Message{Box: "other", Body: []byte(strings.Repeat("x", 4000))})
		if err != nil {
			full = err
			break
		}
		kept = n + 1
	}
	if full == nil || !strings.Contains(full.Error(), "full") {
		t.Fatalf("after %d messages the file is not full: %v", kept, full)
	}
	if d, err := s.Show(t.Context(), started.Run); err != nil || len(d.Messages) != kept {
		t.Errorf("%d messages are kept, %d were acknowledged; %v", len(d.Messages), kept, err)
	}
	limit(100_000)
	if _, err := s.Deliver(t.Context(), started.Run, executor.Message{Box: paidBox, Body: []byte(`{"ref":"1"}`)}); err != nil {
		t.Fatal(err)
	}
	if result := end(t, s, started.Run); result.Status != executor.Succeeded || effects(server)["closeOrder"] != 1 {
		t.Errorf("%+v", result)
	}
}

// TestSQLiteIsLocked: a writer that holds the file is waited for, and a run goes on.
func TestSQLiteIsLocked(t *testing.T) {
	file := filepath.Join(t.TempDir(), "weft.db")
	b := flowBundle(t, keyedFlow)
	server, servers := playShop(t, b)
	s := driving(t, "sqlite:"+file)
	other, err := sql.Open("sqlite", "file:"+file)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = other.Close() }()
	connection, err := other.Conn(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := connection.ExecContext(t.Context(), "PRAGMA busy_timeout = 5000; BEGIN IMMEDIATE"); err != nil {
		t.Fatal(err)
	}
	locked, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
	defer cancel()
	spec := Spec{Bundle: b, Run: "r", Config: executor.Config{Servers: servers}, Inputs: inputs(t, `{"ref":"1"}`)}
	if _, err := s.Start(locked, spec); err == nil {
		t.Fatal("a start while the file was locked")
	}
	if _, err := connection.ExecContext(t.Context(), "ROLLBACK"); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Start(t.Context(), spec); err != nil {
		t.Fatal(err)
	}
	if result := end(t, s, "r"); result.Status != executor.Succeeded || effects(server)["createOrder"] != 1 {
		t.Errorf("%+v", result)
	}
}

// TestSQLiteIsBusyForLong: what brings a message fails after a while, also where it waits in
// line behind others of its own process, and says what keeps it.
func TestSQLiteIsBusyForLong(t *testing.T) {
	t.Parallel() // it waits for 10 seconds
	s := openStore(t, readyFile(t), quickOptions(t))
	busy, err := s.db.lite.Conn(t.Context()) // the only one
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 2*litePatience)
	defer cancel()
	box := paidFor(t, "1")
	var all sync.WaitGroup
	for name, do := range map[string]func() error{
		"find": func() error {
			_, _, err := s.hub.Find(ctx, channel.Target{Kind: executor.WebhookBox, Source: "pay"})
			return err
		},
		"keep": func() error {
			_, err := s.hub.Keep(ctx, paidArrives(box, "1", time.Now()))
			return err
		},
		"deliver": func() error {
			_, err := s.Deliver(ctx, "run", executor.Message{Box: "paid"})
			return err
		},
	} {
		all.Go(func() {
			err := do()
			if advice, ok := Advice(err); !ok || !strings.Contains(advice, "another process holds it") || ctx.Err() != nil {
				t.Errorf("%s: %v", name, err)
			}
		})
	}
	all.Wait()
	if err := busy.Close(); err != nil {
		t.Fatal(err)
	}
}

// TestSQLiteIsReadOnly: that a file cannot be written is said, and nothing is done.
func TestSQLiteIsReadOnly(t *testing.T) {
	if os.Getuid() == 0 {
		t.Log("the superuser may write what is read-only: the pragma stands in for it")
	}
	s := openStore(t, "sqlite:"+filepath.Join(t.TempDir(), "weft.db"), quickOptions(t))
	if _, err := s.db.exec(t.Context(), "PRAGMA query_only = ON"); err != nil {
		t.Fatal(err)
	}
	b := flowBundle(t, keyedFlow)
	_, servers := playShop(t, b)
	_, err := s.Start(t.Context(), Spec{Bundle: b, Config: executor.Config{Servers: servers}, Inputs: inputs(t, `{}`)})
	if err == nil || !strings.Contains(err.Error(), "readonly") {
		t.Errorf("a start in a file that cannot be written: %v", err)
	}
	if _, err := s.db.exec(t.Context(), "PRAGMA query_only = OFF"); err != nil {
		t.Fatal(err)
	}
	if page, err := s.List(t.Context(), Filter{}); err != nil || len(page.Runs) != 0 {
		t.Errorf("%+v, %v", page, err)
	}
}

// TestWhoLooksMakesNoTables: a database of others stays as it is.
func TestWhoLooksMakesNoTables(t *testing.T) {
	path := filepath.Join(t.TempDir(), "other.db")
	other, err := sql.Open("sqlite", "file:"+path)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := other.ExecContext(t.Context(), "CREATE TABLE mine (a); INSERT INTO mine VALUES (1)"); err != nil {
		t.Fatal(err)
	}
	if err := other.Close(); err != nil {
		t.Fatal(err)
	}
	before, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	look := quickOptions(t)
	look.Existing = true
	if s, err := Open(t.Context(), "sqlite:"+path, look); !errors.Is(err, ErrNotOurs) {
		t.Fatalf("%v, %v", s, err)
	}
	if after, err := os.ReadFile(path); err != nil || !bytes.Equal(before, after) {
		t.Errorf("the file was changed: %v", err)
	}
	for name, empty := range map[string]func(*testing.T) string{
		"sqlite":   func(t *testing.T) string { return "sqlite:" + filepath.Join(t.TempDir(), "weft.db") },
		"postgres": postgresOnly,
	} {
		t.Run(name, func(t *testing.T) {
			url := empty(t)
			if s, err := Open(t.Context(), url, look); !errors.Is(err, ErrNotOurs) && !errors.Is(err, ErrNoStore) {
				t.Fatalf("%v, %v", s, err)
			}
			openStore(t, url, quickOptions(t))
			openStore(t, url, look)
		})
	}
}

// TestSQLiteIsLookedAt: who only looks makes no file, and waits for no writer.
func TestSQLiteIsLookedAt(t *testing.T) {
	url := "sqlite:" + filepath.Join(t.TempDir(), "weft.db")
	look := quickOptions(t)
	look.Existing = true
	if s, err := Open(t.Context(), url, look); !errors.Is(err, ErrNoStore) {
		t.Fatalf("%v, %v", s, err)
	}
	if _, err := os.Stat(strings.TrimPrefix(url, "sqlite:")); !errors.Is(err, os.ErrNotExist) {
		t.Fatalf("the file is there: %v", err)
	}
	writer := driving(t, url)
	run := begin(t, writer, Spec{Bundle: flowBundle(t, waitFlow), Config: executor.Config{Timeout: executor.NoTimeout}}, `{"ref":"1"}`).Run
	if err := writer.Close(); err != nil {
		t.Fatal(err)
	}
	other, err := sql.Open("sqlite", "file:"+strings.TrimPrefix(url, "sqlite:"))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = other.Close() }()
	other.SetMaxOpenConns(1)
	if _, err := other.ExecContext(t.Context(), "BEGIN IMMEDIATE"); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 9*time.Second) // a writer waits for 10
	defer cancel()
	s, err := Open(ctx, url, look)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Find(ctx, run); err != nil {
		t.Error(err)
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
}
