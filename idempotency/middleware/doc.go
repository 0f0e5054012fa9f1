// Package middleware lets a service do each request that bears an idempotency key
// once: it wraps handlers of net/http, keeps the answer in an idempotency.Store, and
// gives it again to whoever repeats the request.
//
// What it promises, and what it cannot, is told in docs/idempotency.md. In short: of
// requests with one key the handler runs once; a process that dies in the middle
// leaves a claim that somebody settles, never a silent second run; and an effect that
// the handler has on another system is exactly once only as far as that system helps.
//
// It imports package idempotency and arazzo/value. It must never know a certain
// store, or what the requests are about.
package middleware
