// Package relational has what the stores in relational databases share: in which
// order each verb runs its statements, and what it makes of what they give. The text
// of the statements and how they are run is each store's.
//
// It imports package idempotency only. It must never know a certain database, a
// driver, or what the records are of.
package relational
