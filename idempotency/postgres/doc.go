// Package postgres keeps idempotency records and token claims in a PostgreSQL
// database, through github.com/jackc/pgx/v5. Any number of nodes may share it; the
// database's clock counts, never theirs.
//
// It imports package idempotency only. It must never know the other stores, or what
// the records are of.
package postgres
