package durable

import (
	"database/sql"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestAdvice has real errors of SQLite, and one that nobody can mend by hand.
func TestAdvice(t *testing.T) {
	folder := t.TempDir()
	file := filepath.Join(folder, "a.db")
	none := filepath.Join(folder, "none.db")
	if err := os.WriteFile(none, []byte(strings.Repeat("this is no database ", 50)), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		dsn, says  string
		statements []string
	}{
		{"file:" + file, "no room", []string{"CREATE TABLE t (x)", "PRAGMA max_page_count = 2", "INSERT INTO t VALUES (zeroblob(100000))"}},
		{"file:" + file + "?mode=ro", "cannot be written", []string{"INSERT INTO t VALUES (1)"}},
		{"file:" + filepath.Join(folder, "nowhere", "a.db"), "cannot be opened", []string{"CREATE TABLE t (x)"}},
		{"file:" + none, "no SQLite file", []string{"CREATE TABLE t (x)"}},
		{"file:" + file, "", []string{"INSERT INTO nowhere VALUES (1)"}},
	} {
		db, err := sql.Open("sqlite", test.dsn)
		if err != nil {
			t.Fatal(err)
		}
		db.SetMaxOpenConns(1)
		for _, statement := range test.statements {
			_, err = db.ExecContext(t.Context(), statement)
		}
		if err == nil {
			t.Fatalf("%q: nothing went wrong", test.statements)
		}
		advice, ok := Advice(fmt.Errorf("wrapped: %w", err))
		if ok != (test.says != "") || !strings.Contains(advice, test.says) {
			t.Errorf("%v: %q %v, want %q", err, advice, ok, test.says)
		}
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	}
	if _, ok := Advice(errors.New("another")); ok {
		t.Error("an error of something else has advice")
	}
}
