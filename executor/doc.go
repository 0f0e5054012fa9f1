// Package executor runs workflows: the compiled plan, the interpreter with all
// control flow of Arazzo, the Runtime that it acts through, and the stream of
// events that tells what happened.
//
// The interpreter decides only from what the Runtime returned, so that a recorded
// run can be replayed: it has no clock, no randomness, no goroutine of its own.
// The package must never know databases, brokers, terminals, or HTTP clients;
// it imports the packages below arazzo/ and idempotency.
package executor
