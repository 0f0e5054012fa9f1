// Package mock plays the APIs that OpenAPI descriptions describe: it answers
// with their examples or with what their schemas allow, remembers what was
// created, honours idempotency keys, refuses requests that break the
// description, sends the described webhooks and callbacks, and breaks down where a
// planned fault says so.
//
// The ledger is its reason to exist: every request as it was received, every effect with
// the operation and key that it belongs to, and every message as it was sent. It is the
// ground truth against which a run is judged.
//
// A plan of faults says which request or message breaks down, and how (FaultPlan). It is played
// over HTTP/1.1, over HTTP/2, and in memory with any clock.
//
// The package owns the played server, its faults and its ledger. It imports arazzo and
// what is below it, arazzo/source, arazzo/check and idempotency, and must never know the
// interpreter: what a run believes and what the server saw are compared by others.
package mock
