// Package mock plays the APIs that OpenAPI descriptions describe: it answers
// with their examples or with what their schemas allow, remembers what was
// created, honours idempotency keys, refuses requests that break the
// description, and breaks down where a planned fault says so.
//
// The ledger is its reason to exist: every request as it was received, and every
// effect with the operation and key that it belongs to. It is the ground truth
// against which a run is judged.
//
// The package owns the played server and its ledger. It imports arazzo/source,
// arazzo/check, arazzo/value and idempotency, and must never know the
// interpreter: what a run believes and what the server saw are compared by others.
package mock
