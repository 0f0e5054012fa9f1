// Package postgres keeps idempotency records and token claims in a PostgreSQL
// database, through github.com/jackc/pgx/v5. Any number of nodes may share it; the
// database's clock counts, never theirs.
//
// The order of the verbs it shares with the other store in a relational database
// (idempotency/internal/relational); the statements and how they are run are its own.
// It must never know the other stores, or what the records are of.
package postgres
