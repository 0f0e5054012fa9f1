package middleware_test

import (
	"context"
	"database/sql"
	"fmt"
	"log"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/weft-flow/weft/idempotency"
	"github.com/weft-flow/weft/idempotency/memory"
	"github.com/weft-flow/weft/idempotency/middleware"
	"github.com/weft-flow/weft/idempotency/sqlite"
)

func ExampleMiddleware() {
	keys, err := middleware.New(middleware.Options{
		Store:        memory.New(time.Now),
		Principal:    middleware.Anyone,
		ServerErrors: middleware.ReplayServerErrors,
		Required:     true,
	})
	if err != nil {
		log.Fatal(err)
	}
	orders := 0
	server := keys.Wrap(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		orders++
		w.WriteHeader(http.StatusCreated)
		fmt.Fprintf(w, "order %d", orders)
	}))
	for _, key := range []string{"a", "a", "b", ""} {
		r := httptest.NewRequest(http.MethodPost, "/orders", strings.NewReader(`{}`))
		if key != "" {
			r.Header.Set("Idempotency-Key", key)
		}
		w := httptest.NewRecorder()
		server.ServeHTTP(w, r)
		fmt.Printf("%d %q %s\n", w.Code, w.Header().Get(middleware.ReplayedHeader), w.Body)
	}
	// Output:
	// 201 "" order 1
	// 201 "true" order 1
	// 201 "" order 2
	// 400 "" {"detail":"the header Idempotency-Key is required","status":400,"title":"This request needs an idempotency key","type":"urn:weft:idempotency:key-missing"}
}

// The handler's order and the mark of its record are one transaction. So the hook
// knows from the record alone what became of a request whose process died.
func ExampleMark() {
	ctx := context.Background()
	dir, err := os.MkdirTemp("", "example")
	if err != nil {
		log.Fatal(err)
	}
	defer func() { _ = os.RemoveAll(dir) }()
	db, err := sql.Open("sqlite", sqlite.DSN(filepath.Join(dir, "shop.db")))
	if err != nil {
		log.Fatal(err)
	}
	defer func() { _ = db.Close() }()
	store, err := sqlite.New(ctx, db)
	if err != nil {
		log.Fatal(err)
	}
	defer func() { _ = store.Close() }()
	if _, err := db.ExecContext(ctx, "CREATE TABLE orders (id TEXT PRIMARY KEY)"); err != nil {
		log.Fatal(err)
	}

	order := func(ctx context.Context) error {
		tx, err := db.BeginTx(ctx, nil)
		if err != nil {
			return err
		}
		if _, err := tx.ExecContext(ctx, "INSERT INTO orders VALUES ('4711')"); err != nil {
			return err
		}
		if err := middleware.Mark(ctx, store.In(tx), "4711"); err != nil {
			return err
		}
		return tx.Commit()
	}
	keys, err := middleware.New(middleware.Options{
		Store: store, Principal: middleware.Anyone, ServerErrors: middleware.RerunServerErrors,
		Recover: func(_ context.Context, left idempotency.Record) (middleware.Verdict, error) {
			if left.Resource == "" {
				return middleware.NothingHappened(), nil
			}
			return middleware.Happened(http.StatusCreated, nil, []byte("order "+left.Resource)), nil
		},
	})
	if err != nil {
		log.Fatal(err)
	}
	server := keys.Wrap(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if err := order(r.Context()); err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
			return
		}
		w.WriteHeader(http.StatusCreated)
		fmt.Fprint(w, "order 4711")
	}))
	r := httptest.NewRequest(http.MethodPost, "/orders", strings.NewReader(`{}`))
	r.Header.Set("Idempotency-Key", "a")
	w := httptest.NewRecorder()
	server.ServeHTTP(w, r)
	fmt.Println(w.Code, w.Body)
	// Output: 201 order 4711
}
