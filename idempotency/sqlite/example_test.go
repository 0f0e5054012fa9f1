package sqlite_test

import (
	"context"
	"database/sql"
	"fmt"
	"log"
	"os"
	"path/filepath"

	"github.com/weft-flow/weft/idempotency"
	"github.com/weft-flow/weft/idempotency/sqlite"
)

// A run is accepted and its token claimed in one transaction: both are there, or
// neither is.
func ExampleStore_In() {
	ctx := context.Background()
	dir, err := os.MkdirTemp("", "example")
	if err != nil {
		log.Fatal(err)
	}
	defer func() { _ = os.RemoveAll(dir) }()
	db, err := sql.Open("sqlite", sqlite.DSN(filepath.Join(dir, "runs.db")))
	if err != nil {
		log.Fatal(err)
	}
	defer func() { _ = db.Close() }()
	store, err := sqlite.New(ctx, db)
	if err != nil {
		log.Fatal(err)
	}
	defer func() { _ = store.Close() }()
	if _, err := db.ExecContext(ctx, "CREATE TABLE runs (id TEXT PRIMARY KEY)"); err != nil {
		log.Fatal(err)
	}

	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		log.Fatal(err)
	}
	if _, err := tx.ExecContext(ctx, "INSERT INTO runs VALUES ('run-1')"); err != nil {
		log.Fatal(err)
	}
	holder, err := store.In(tx).Claim(ctx, idempotency.TokenClaim{
		Token: idempotency.Token{Workflow: "order", Name: "order-4711"}, Run: "run-1",
	})
	if err != nil {
		log.Fatal(err)
	}
	if err := tx.Commit(); err != nil {
		log.Fatal(err)
	}
	fmt.Println(holder.Run, holder.State)
	// Output: run-1 accepted
}
