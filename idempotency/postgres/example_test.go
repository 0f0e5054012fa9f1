package postgres_test

import (
	"context"
	"log"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/weft-flow/weft/idempotency"
	"github.com/weft-flow/weft/idempotency/postgres"
)

// A run is accepted and its token claimed in one transaction: both are there, or
// neither is.
func ExampleStore_In() {
	ctx := context.Background()
	pool, err := pgxpool.New(ctx, "postgres://weft@db.example/weft")
	if err != nil {
		log.Fatal(err)
	}
	defer pool.Close()
	store, err := postgres.New(ctx, pool)
	if err != nil {
		log.Fatal(err)
	}
	err = pgx.BeginFunc(ctx, pool, func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, "INSERT INTO runs VALUES ('run-1')"); err != nil {
			return err
		}
		_, err := store.In(tx).Claim(ctx, idempotency.TokenClaim{
			Token: idempotency.Token{Workflow: "order", Name: "order-4711"}, Run: "run-1",
		})
		return err
	})
	if err != nil {
		log.Fatal(err)
	}
}
