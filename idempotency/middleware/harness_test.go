package middleware_test

import (
	"cmp"
	"context"
	"crypto/rand"
	"database/sql"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"
	"go.uber.org/goleak"

	"github.com/weft-flow/weft/idempotency"
	"github.com/weft-flow/weft/idempotency/memory"
	"github.com/weft-flow/weft/idempotency/middleware"
	"github.com/weft-flow/weft/idempotency/postgres"
	"github.com/weft-flow/weft/idempotency/sqlite"
)

func TestMain(m *testing.M) {
	if os.Getenv(envServe) != "" {
		serveUntilKilled()
		return
	}
	goleak.VerifyTestMain(m)
}

// database is a store and how its time is moved.
type database struct {
	store   idempotency.Store
	address string
	advance func(t testing.TB, d time.Duration)
	// another opens the store once more, as another node does; nil: it is one process's.
	another func(t testing.TB) idempotency.Store
	// settle waits until a database server has seen that a process is dead, and does
	// nothing more for it.
	settle func(t testing.TB)
}

// databases are the kinds of store, each made anew for a test.
var databases = map[string]func(t testing.TB) database{
	"memory": func(testing.TB) database { return database{store: memory.New(time.Now)} },
	"sqlite": func(t testing.TB) database {
		path := filepath.Join(t.TempDir(), "store.db")
		open := func(t testing.TB) idempotency.Store {
			s, err := sqlite.Open(t.Context(), path)
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { _ = s.Close() })
			return s
		}
		return database{store: open(t), another: open, address: path, settle: func(testing.TB) {}, advance: func(t testing.TB, d time.Duration) {
			db, err := sql.Open("sqlite", sqlite.DSN(path))
			if err != nil {
				t.Fatal(err)
			}
			defer func() { _ = db.Close() }()
			if _, err := db.ExecContext(t.Context(), "UPDATE weft_record SET due = due - ?", d.Milliseconds()); err != nil {
				t.Fatal(err)
			}
		}}
	},
	"postgres": func(t testing.TB) database {
		base := os.Getenv("WEFT_TEST_POSTGRES")
		if base == "" {
			t.Skip("WEFT_TEST_POSTGRES is not set: no PostgreSQL to test on")
		}
		schema := "weft_test_" + strings.ToLower(rand.Text())
		u, err := url.Parse(base)
		if err != nil {
			t.Fatal(err)
		}
		query := u.Query()
		query.Set("search_path", schema)
		u.RawQuery = query.Encode()
		pool, err := pgxpool.New(t.Context(), u.String())
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(pool.Close)
		if _, err := pool.Exec(t.Context(), "CREATE SCHEMA "+schema); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() {
			if _, err := pool.Exec(context.WithoutCancel(t.Context()), "DROP SCHEMA "+schema+" CASCADE"); err != nil {
				t.Error(err)
			}
		})
		s, err := postgres.New(t.Context(), pool)
		if err != nil {
			t.Fatal(err)
		}
		another := func(t testing.TB) idempotency.Store {
			pool, err := pgxpool.New(t.Context(), pool.Config().ConnString())
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(pool.Close)
			s, err := postgres.New(t.Context(), pool)
			if err != nil {
				t.Fatal(err)
			}
			return s
		}
		query.Set("application_name", schema)
		u.RawQuery = query.Encode()
		settle := func(t testing.TB) {
			for alive := 1; alive > 0; {
				err := pool.QueryRow(t.Context(), "SELECT count(*) FROM pg_stat_activity WHERE application_name = $1", schema).Scan(&alive)
				if err != nil {
					t.Fatal(err)
				}
			}
		}
		return database{store: s, another: another, address: u.String(), settle: settle, advance: func(t testing.TB, d time.Duration) {
			if _, err := pool.Exec(t.Context(), "UPDATE weft_record SET due = due - $1::interval", d); err != nil {
				t.Fatal(err)
			}
		}}
	},
}

func principal(r *http.Request) (string, error) {
	who := cmp.Or(r.Header.Get("Authorization"), "shop")
	if who == "nobody" {
		return "", errors.New("nobody")
	}
	return who, nil
}

// wrap wraps a handler, with a memory store and usual settings where change does not
// say otherwise.
func wrap(t testing.TB, change func(*middleware.Options), handler http.HandlerFunc) http.Handler {
	t.Helper()
	o := middleware.Options{
		Store: memory.New(time.Now), Principal: principal, ServerErrors: middleware.ReplayServerErrors,
		OnError: func(_ context.Context, err error) { t.Errorf("told to OnError: %v", err) },
	}
	if change != nil {
		change(&o)
	}
	m, err := middleware.New(o)
	if err != nil {
		t.Fatal(err)
	}
	return m.Wrap(handler)
}

// request makes a POST /orders of JSON; an empty key is left out.
func request(key, body string) *http.Request {
	r := httptest.NewRequest(http.MethodPost, "/orders", strings.NewReader(body))
	r.Header.Set("Content-Type", "application/json")
	if key != "" {
		r.Header.Set("Idempotency-Key", key)
	}
	return r
}

func send(h http.Handler, r *http.Request) *http.Response {
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w.Result()
}

func text(t testing.TB, r *http.Response) string {
	t.Helper()
	body, err := io.ReadAll(r.Body)
	if err != nil {
		t.Fatal(err)
	}
	return string(body)
}

func wantStatus(t testing.TB, r *http.Response, want int, replayed bool) string {
	t.Helper()
	body := text(t, r)
	if r.StatusCode != want || (r.Header.Get(middleware.ReplayedHeader) == "true") != replayed {
		t.Errorf("status %d, replayed %q: %s; want %d, %v", r.StatusCode, r.Header.Get(middleware.ReplayedHeader), body, want, replayed)
	}
	return body
}

func wantProblem(t testing.TB, r *http.Response, status int, kind string) {
	t.Helper()
	body := wantStatus(t, r, status, false)
	if r.Header.Get("Content-Type") != "application/problem+json" || !strings.Contains(body, `"type":"urn:weft:idempotency:`+kind+`"`) {
		t.Errorf("%s: %s; want the problem %s", r.Header.Get("Content-Type"), body, kind)
	}
}

// created counts its calls and answers 201 with the number.
type created struct{ calls int }

func (c *created) handle(w http.ResponseWriter, r *http.Request) {
	c.calls++
	w.Header().Set("Location", "/orders/1")
	w.Header().Add("X-Twice", "a")
	w.Header().Add("X-Twice", "b")
	w.WriteHeader(http.StatusCreated)
	_, _ = io.WriteString(w, "order ")
	_, _ = io.Copy(w, r.Body)
}
