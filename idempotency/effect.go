package idempotency

import "strings"

// The marks that say what a call does where its method does not tell.
const (
	MarkRead       = "read"       // changes nothing: a POST that searches
	MarkIdempotent = "idempotent" // may be repeated without a further effect
	MarkEffect     = "effect"     // each call may have an effect of its own
)

// MethodSend stands for sending a message where a method is asked for.
const MethodSend = "SEND"

// idempotentMethods may be repeated without a further effect: RFC 9110, section
// 9.2.2, and QUERY, which is safe.
var idempotentMethods = [...]string{"GET", "HEAD", "OPTIONS", "TRACE", "QUERY", "PUT", "DELETE"}

// Effectful tells whether each request of an operation may have an effect of its
// own. A mark decides; without one (or with one that is not known) the method
// does. POST, PATCH and sending a message are effectful, and so is a method of
// which nobody promised that repeating it is harmless.
func Effectful(method, marked string) bool {
	switch marked {
	case MarkRead, MarkIdempotent:
		return false
	case MarkEffect:
		return true
	}
	return !isOneOf(method, idempotentMethods[:])
}

// UnsafeToRepeat tells whether a repeated request could have a second effect that
// no key contract prevents.
func UnsafeToRepeat(effectful, contract bool) bool { return effectful && !contract }

func isOneOf(name string, names []string) bool {
	for _, known := range names {
		if strings.EqualFold(known, name) {
			return true
		}
	}
	return false
}
