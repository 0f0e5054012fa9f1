package durable

import (
	"bytes"
	"compress/gzip"
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/weft-flow/weft/executor"
	"github.com/weft-flow/weft/executor/httpcall"
	"github.com/weft-flow/weft/idempotency"
)

// What testdata/weft-1-tables-1.db.gz holds: see testdata/README.md.
const (
	earlierWaiting = "01a22dc7-73b6-79e1-91ed-7f9375ff6ae8"
	earlierUnknown = "01a22dc7-73db-798f-88ed-62da2dfc1059"
	// earlierClosing is the key under which the program that began the waiting run
	// itself closed the order, in a copy of the file.
	earlierClosing = "cb989d59-2fa9-5e0e-9849-dd3591b63351"
)

// earlierFile unpacks the store that an earlier program has left.
func earlierFile(t *testing.T) string {
	t.Helper()
	packed, err := os.Open("testdata/weft-1-tables-1.db.gz")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = packed.Close() }() // it was only read
	reader, err := gzip.NewReader(packed)
	if err != nil {
		t.Fatal(err)
	}
	data, err := io.ReadAll(reader)
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "weft.db")
	if err := os.WriteFile(file, data, 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

// earlierStores gives how to make a store as the earlier program has left it, with
// tables of the first version: on SQLite its own file, on PostgreSQL the rows of it.
func earlierStores(t *testing.T) map[string]func(t *testing.T) (url string) {
	stores := map[string]func(t *testing.T) string{
		"sqlite": func(t *testing.T) string { return "sqlite:" + earlierFile(t) },
	}
	if os.Getenv("WEFT_TEST_POSTGRES") == "" {
		t.Log("PostgreSQL is left out: WEFT_TEST_POSTGRES is not set")
		return stores
	}
	stores["postgres"] = func(t *testing.T) string {
		url := freshPostgres(t)
		copyRows(t, earlierFile(t), url)
		return url
	}
	return stores
}

// copyRows puts the rows of a file of SQLite into a database of PostgreSQL, of which the
// tables have the version that those of the file have.
func copyRows(t *testing.T, file, url string) {
	t.Helper()
	s, err := Open(t.Context(), url, Options{}) // makes the tables of the journal and of the tokens too
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	to, err := open(t.Context(), url, Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = to.close() }() // its work is seen, or not
	for _, name := range tablesOf(t, to, "public", "weft_%") {
		if name != "weft_token" && name != "weft_record" && name != "weft_idempotency_version" {
			mustExec(t, to, "DROP TABLE "+name)
		}
	}
	if err := to.migrateTo(t.Context(), 1); err != nil {
		t.Fatal(err)
	}
	from, err := sql.Open("sqlite", "file:"+file)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = from.Close() }() // it was only read
	copied := 0
	for _, schema := range []string{"public", "dbos"} {
		for _, name := range tablesOf(t, to, schema, "%") {
			if !strings.HasSuffix(name, "_version") && !strings.HasSuffix(name, "_migrations") {
				copied += copyTable(t, from, to, schema, name)
			}
		}
	}
	if copied < 40 {
		t.Fatalf("only %d rows are copied", copied)
	}
}

func mustExec(t *testing.T, d *database, text string, arguments ...any) {
	t.Helper()
	if _, err := d.exec(t.Context(), text, arguments...); err != nil {
		t.Fatalf("%s: %v", text, err)
	}
}

func tablesOf(t *testing.T, d *database, schema, like string) (names []string) {
	t.Helper()
	err := d.each(t.Context(), "SELECT tablename FROM pg_tables WHERE schemaname = $1 AND tablename LIKE $2", []any{schema, like}, func(r row) error {
		names = append(names, "")
		return r.Scan(&names[len(names)-1])
	})
	if err != nil || len(names) == 0 {
		t.Fatal(names, err)
	}
	return names
}

// copyTable copies the rows of a table that both databases have, and has what numbers
// rows go on behind them.
func copyTable(t *testing.T, from *sql.DB, to *database, schema, name string) (copied int) {
	t.Helper()
	rows, err := from.QueryContext(t.Context(), "SELECT * FROM "+name)
	if err != nil {
		return 0 // SQLite needs none of it
	}
	defer func() { _ = rows.Close() }() // it was only read
	columns, err := rows.Columns()
	if err != nil {
		t.Fatal(err)
	}
	kinds := map[string]string{}
	err = to.each(t.Context(), "SELECT column_name, data_type FROM information_schema.columns WHERE table_schema = $1 AND table_name = $2", []any{schema, name}, func(r row) error {
		var column, kind string
		err := r.Scan(&column, &kind)
		kinds[column] = kind
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	for rows.Next() {
		values, into := make([]any, len(columns)), make([]any, len(columns))
		for i := range values {
			into[i] = &values[i]
		}
		if err := rows.Scan(into...); err != nil {
			t.Fatal(err)
		}
		var names []string
		var given []any
		for i, column := range columns {
			if kind, there := kinds[column]; there && values[i] != nil {
				names, given = append(names, column), append(given, asKind(values[i], kind))
			}
		}
		mustExec(t, to, fmt.Sprintf("INSERT INTO %s.%s (%s) VALUES %s", schema, name, strings.Join(names, ", "), list(1, len(names))), given...)
		copied++
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	for _, numbered := range []string{"ord", "id"} {
		if kinds[numbered] == "bigint" && copied > 0 {
			mustExec(t, to, fmt.Sprintf("SELECT setval(pg_get_serial_sequence('%s', '%s'), (SELECT max(%s) FROM %s))", name, numbered, numbered, name))
		}
	}
	return copied
}

// asKind gives a value of SQLite as PostgreSQL takes it for a column.
func asKind(v any, kind string) any {
	switch n, isNumber := v.(int64); {
	case isNumber && kind == "boolean":
		return n != 0
	case isNumber && kind == "double precision":
		return float64(n)
	case isNumber && strings.HasPrefix(kind, "timestamp"):
		return time.UnixMilli(n)
	case isNumber && kind == "text":
		return fmt.Sprint(n)
	default:
		return v
	}
}

// laterShop answers what a run sends, wherever to: the server of the earlier program is
// gone. It keeps keys by path.
type laterShop struct {
	mu   sync.Mutex
	keys map[string][]string
}

func (l *laterShop) RoundTrip(r *http.Request) (*http.Response, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.keys[r.URL.Path] = append(l.keys[r.URL.Path], r.Header.Get("Idempotency-Key"))
	return &http.Response{
		StatusCode: http.StatusCreated, ProtoMajor: 1, ProtoMinor: 1, Header: http.Header{"Content-Type": {"application/json"}},
		Body: io.NopCloser(strings.NewReader(`{}`)), Request: r,
	}, nil
}

// TestARunOfAnEarlierProgramEnds: a run that an earlier build began, and in which it was
// killed, ends under this one: from each version of the tables that there has been, in
// both databases. What was done is not done again, and what follows has the key that the
// earlier program would have given it.
func TestARunOfAnEarlierProgramEnds(t *testing.T) {
	for name, store := range earlierStores(t) {
		for version := 1; version <= len(migrations); version++ {
			t.Run(fmt.Sprintf("%s from tables %d", name, version), func(t *testing.T) {
				url := store(t)
				bringTo(t, url, version)
				s := openStore(t, url, quickOptions(t))
				if found, err := s.Find(t.Context(), earlierWaiting); err != nil || found.Engine != Engine || found.State != idempotency.Running {
					t.Fatalf("the run of the earlier program: %+v, %v", found, err)
				}
				shop := &laterShop{keys: map[string][]string{}}
				connect := func(context.Context, Definition) (Connection, error) {
					return Connection{Client: httpcall.New(httpcall.Options{Transport: shop})}, nil
				}
				if err := s.Drive(t.Context(), DriveOptions{Connect: connect}); err != nil {
					t.Fatal(err)
				}
				if _, err := s.Deliver(t.Context(), earlierWaiting, executor.Message{Box: paidBox, Identity: "m1", Body: []byte(`{"ref":"old-1","amount":"9.90"}`)}); err != nil {
					t.Fatal(err)
				}
				result := end(t, s, earlierWaiting)
				w := result.Workflows[0]
				if result.Status != executor.Succeeded || w.State != "PAID" || w.Outputs.Get("amount").Text() != "9.90" || w.Outputs.Get("order").Text() != "ord-1" {
					t.Errorf("it ended as %+v", result)
				}
				shop.mu.Lock()
				defer shop.mu.Unlock()
				if keys := shop.keys["/closings"]; len(shop.keys) != 1 || len(keys) != 1 || keys[0] != earlierClosing {
					t.Errorf("sent, by path: %v; want one closing under %s", shop.keys, earlierClosing)
				}
				checkEarlierUnknown(t, s)
				if version >= 2 {
					checkJoined(t, s)
				}
			})
		}
	}
}

// bringTo brings the tables of the earlier program to a version that was between its and
// that of this program, and puts something into what came to be.
func bringTo(t *testing.T, url string, version int) {
	t.Helper()
	d, err := open(t.Context(), url, Options{Existing: true})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = d.close() }() // its work is seen, or not
	is := 0
	if _, err := one(t.Context(), d, "SELECT max(version) FROM weft_durable_version", nil, &is); err != nil || is != 1 {
		t.Fatalf("the tables of the earlier program have version %d; %v", is, err)
	}
	if err := d.migrateTo(t.Context(), version); err != nil {
		t.Fatal(err)
	}
	if version >= 2 {
		mustExec(t, d, `INSERT INTO weft_joined (id, run, tenant, workflow, token, fingerprint, document, retention)
			SELECT 'joining', id, tenant, workflow, token, fingerprint, document, retention FROM weft_run WHERE id = $1`, earlierWaiting)
	}
}

// checkEarlierUnknown looks at the run that had ended under the earlier program, and that
// an operator had settled there.
func checkEarlierUnknown(t *testing.T, s *Store) {
	t.Helper()
	d, err := s.Show(t.Context(), earlierUnknown)
	if err != nil || d.Status != executor.Unknown || len(d.Settlements) != 1 || d.Settlements[0].Outcome != "succeeded" || d.Settlements[0].Step != "pay" {
		t.Errorf("the run that had ended: %+v, %v", d, err)
	}
	if result, ended, err := s.Result(t.Context(), earlierUnknown); err != nil || !ended || result.Status != executor.Unknown {
		t.Errorf("its result: %+v, %v, %v", result, ended, err)
	}
}

// checkJoined makes a start again that had joined the run before the tables changed.
func checkJoined(t *testing.T, s *Store) {
	t.Helper()
	var bundle, config []byte
	_, err := one(t.Context(), s.db, `SELECT b.data, c.data FROM weft_run r
		JOIN weft_blob b ON b.digest = r.bundle JOIN weft_blob c ON c.digest = r.config WHERE r.id = $1`, []any{earlierWaiting}, &bundle, &config)
	found, finding := s.Find(t.Context(), earlierWaiting)
	spec := Spec{Run: "joining", Bundle: &Bundle{}, Token: found.Token, Retention: found.Retention, Join: true, Inputs: inputs(t, `{"ref":"old-1"}`)}
	var d decided
	if err := errors.Join(err, finding, json.Unmarshal(bundle, spec.Bundle), json.NewDecoder(bytes.NewReader(config)).Decode(&d)); err != nil {
		t.Fatal(err)
	}
	spec.Workflows, spec.Config = d.Workflows, d.Config
	_, err = s.Start(t.Context(), spec)
	var held *idempotency.HeldError
	if !errors.As(err, &held) || held.Holder.Run != earlierWaiting || !held.Same {
		t.Errorf("the start that had joined: %v", err)
	}
}
