// Package memory keeps idempotency records and token claims in the memory of one
// process: for tests, and for a service of one process that may forget them when it
// ends.
//
// It imports package idempotency only. It must never know the other stores, SQL, or
// what the records are of.
package memory
