// Package idempotency decides whether work may be sent again, and under which
// key: key derivation, header dialects, outcome classes, and the retry decision.
//
// It imports nothing else of this module and must never know Arazzo, the
// executor, or SQL. A Go service can adopt it by itself.
package idempotency
