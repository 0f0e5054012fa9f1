package idempotency

// Class is what is known of the outcome of an attempt or of an operation.
type Class string

// The classes, from what is known to have had no effect to what is not known at all.
const (
	// NotSent: no byte of the request left: DNS, refused connection, TLS.
	NotSent Class = "not_sent"
	// NotProcessed: the server says that it did nothing: 425, REFUSED_STREAM, a
	// GOAWAY with a lower last stream (RFC 9113, section 8.7).
	NotProcessed Class = "not_processed"
	// Rejected: a definite refusal: a 4xx but for those that other classes name,
	// or a redirect that was not followed.
	Rejected Class = "rejected"
	// Deferred: asked to come again: 429, 503 with Retry-After, 409 for a key in flight.
	Deferred Class = "deferred"
	// Succeeded: 2xx or 303.
	Succeeded Class = "succeeded"
	// Unknown: all else. The effect may have happened.
	Unknown Class = "unknown"
)
