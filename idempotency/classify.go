package idempotency

import (
	"fmt"
	"net/http"
)

// Failure is why an attempt has no complete response.
type Failure string

// The failures.
const (
	NoFailure       Failure = ""
	FailedDNS       Failure = "dns"
	FailedConnect   Failure = "connect" // refused, unreachable, or no connection in time
	FailedTLS       Failure = "tls"
	FailedTimeout   Failure = "timeout"
	FailedReset     Failure = "reset"     // the connection broke or was closed
	FailedTruncated Failure = "truncated" // the response ended before its end
	FailedRefused   Failure = "refused-stream"
	FailedGoAway    Failure = "goaway" // with a last stream below this one
	FailedCancelled Failure = "cancelled"
	FailedProtocol  Failure = "protocol" // what came back is not HTTP
)

// failureWords say a Failure in a sentence: "timeout after the request was sent".
var failureWords = map[Failure]string{
	NoFailure:       "no response",
	FailedDNS:       "the host name was not found",
	FailedConnect:   "no connection",
	FailedTLS:       "TLS failed",
	FailedTimeout:   "timeout",
	FailedReset:     "the connection broke",
	FailedTruncated: "the response was cut short",
	FailedRefused:   "the server refused the stream",
	FailedGoAway:    "the server went away before this stream",
	FailedCancelled: "cancelled",
	FailedProtocol:  "the response is not HTTP",
}

// Observation is what is known of one attempt.
type Observation struct {
	// Written tells that at least one byte of the request left, or may have left.
	Written bool
	// Status of the response; 0: none came.
	Status int
	// Complete tells that the response came to its end.
	Complete bool
	// Failure tells why it did not.
	Failure Failure
	// RetryAfter tells that the response has the field Retry-After, and says when.
	RetryAfter bool
	// Garbled tells that the response has the field Retry-After, and it cannot be read.
	Garbled bool
	// KeySent tells that the request bore an idempotency key.
	KeySent bool
	// InFlight tells that the body is a problem that says so (InFlightProblem).
	InFlight bool
	// SeeOther tells that a 303 was answered and followed: Status and Failure are
	// then those of the request that followed.
	SeeOther bool
	// Profile of the API; nil: none.
	Profile *Profile
}

// Classify gives the class of an attempt and, in words, why. What is not known to
// be anything else is Unknown.
func Classify(o Observation) (Class, string) {
	if o.SeeOther {
		return Succeeded, "303 was answered"
	}
	if o.Complete && o.Status != 0 {
		return classifyStatus(o)
	}
	switch {
	case o.Status != 0:
		return Unknown, fmt.Sprintf("%s after status %d", o.Failure.words(), o.Status)
	case o.Failure == FailedRefused || o.Failure == FailedGoAway:
		return NotProcessed, o.Failure.words()
	case !o.Written:
		return NotSent, o.Failure.words() + " before the request was sent"
	default:
		return Unknown, o.Failure.words() + " after the request was sent"
	}
}

const inFlightReason = "a request with this key is in flight"

func (f Failure) words() string {
	if words, ok := failureWords[f]; ok {
		return words
	}
	return string(f)
}

func classifyStatus(o Observation) (Class, string) {
	if o.KeySent && o.InFlight && o.Status == http.StatusConflict {
		return Deferred, "409: " + inFlightReason
	}
	if o.Profile != nil {
		if class, ok := o.Profile.Statuses[o.Status]; ok {
			return class, fmt.Sprintf("%d is %s by %s", o.Status, class, o.Profile.title())
		}
	}
	switch o.Status {
	case http.StatusSeeOther:
		return Succeeded, "303"
	case http.StatusTooEarly:
		return NotProcessed, "425: the server did not risk it"
	case http.StatusRequestTimeout:
		return Unknown, "408: the server gave up waiting"
	case http.StatusTooManyRequests:
		return Deferred, "429"
	case http.StatusServiceUnavailable:
		if o.RetryAfter {
			return Deferred, "503 with Retry-After"
		}
		if o.Garbled {
			return Unknown, "503 with a Retry-After that cannot be read"
		}
		return Unknown, "503 without Retry-After"
	case http.StatusMovedPermanently, http.StatusFound,
		http.StatusTemporaryRedirect, http.StatusPermanentRedirect:
		return Rejected, fmt.Sprintf("%d: the redirect was not followed", o.Status)
	}
	if o.KeySent && o.Profile.inFlight(o.Status) {
		return Deferred, fmt.Sprintf("%d: %s", o.Status, inFlightReason)
	}
	switch o.Status / 100 {
	case 2:
		return Succeeded, fmt.Sprint(o.Status)
	case 4:
		return Rejected, fmt.Sprint(o.Status)
	default:
		return Unknown, fmt.Sprint(o.Status)
	}
}
