// Package sqlite keeps idempotency records and token claims in an SQLite database,
// through the pure Go driver modernc.org/sqlite. Several processes of one machine
// may share the file. What a verb has answered is on the disk (WAL, synchronous
// FULL).
//
// The order of the verbs it shares with the other store in a relational database
// (idempotency/internal/relational); the statements and how they are run are its own.
// It must never know the other stores, or what the records are of.
package sqlite
