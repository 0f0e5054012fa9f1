package idempotency

import (
	"fmt"
	"math"
	"time"
)

// Situation is all that decides whether a request is sent again.
type Situation struct {
	// Effectful and Contract: see the function Effectful and Plan.
	Effectful, Contract bool
	// Attempt is the class of the last attempt, Operation that over all attempts.
	Attempt, Operation Class
	// Allowed tells that the user lifts the rule against unsafe repeats.
	Allowed bool
	// InFlight tells that the last answer was that the key is in flight.
	InFlight bool

	// Used counts the retries that this action has had, Limit those it may have.
	Used, Limit int

	// RetryAfter, Factor and MaxWait are the wait that the document asks for
	// (Backoff).
	RetryAfter time.Duration
	Factor     float64
	MaxWait    time.Duration
	// ServerAfter is the wait that the server asks for, in the place of the
	// document's; nil: none.
	ServerAfter *time.Duration
	// Jitter is added to either wait.
	Jitter time.Duration

	// Remaining is the time until the run's deadline; nil: there is none.
	Remaining *time.Duration
	// Age is the time since the operation's first attempt, Retention for how long
	// the server keeps its key; 0: not published.
	Age, Retention time.Duration
}

// Verdict is what is to be done.
type Verdict string

// The verdicts.
const (
	// Retry: send again after Decision.After.
	Retry Verdict = "retry"
	// Withheld: the document asks for a retry that is not made. It counts as used
	// up, and the next action is considered.
	Withheld Verdict = "withheld"
	// Next: the retries are used up, the next action is considered.
	Next Verdict = "next"
)

// Decision is the answer to a Situation.
type Decision struct {
	Verdict Verdict
	After   time.Duration // of Retry only
	Reason  string        // why, in words
	// Unsafe tells that the retry is made only because the user lifted the rule.
	Unsafe bool
}

// Decide is the one place where it is decided whether a request is sent again.
//
// An operation that is unsafe to repeat is not sent again while its outcome is
// unknown, nor after it succeeded. A key contract makes a repeat safe for as long
// as the server keeps the key. What had no effect may be sent again.
func Decide(s Situation) Decision {
	if s.Used >= s.Limit {
		return Decision{Verdict: Next, Reason: usedUp(s.Limit)}
	}
	after := s.wait()
	danger := s.danger(after)
	if danger != "" && !s.Allowed {
		return withheld(danger)
	}
	if s.Remaining != nil && after >= *s.Remaining {
		return withheld(fmt.Sprintf("a wait of %v would pass the deadline, which is %v away", after, max(0, *s.Remaining)))
	}
	if danger != "" {
		return Decision{Verdict: Retry, After: after, Reason: "unsafe repeat allowed: " + danger, Unsafe: true}
	}
	return Decision{Verdict: Retry, After: after, Reason: s.harmless()}
}

// Refused gives the decision after a retry budget refused it: a retry becomes
// withheld, anything else stays.
func (d Decision) Refused(reason string) Decision {
	if d.Verdict != Retry {
		return d
	}
	return withheld(reason)
}

func withheld(reason string) Decision { return Decision{Verdict: Withheld, Reason: reason} }

func usedUp(limit int) string {
	switch limit {
	case 0:
		return "no retry is allowed"
	case 1:
		return "the only retry is used up"
	default:
		return fmt.Sprintf("all %d retries are used up", limit)
	}
}

// wait gives the time until the next attempt.
func (s Situation) wait() time.Duration {
	after := Backoff(s.RetryAfter, s.Factor, s.MaxWait, s.Used)
	if s.ServerAfter != nil {
		after = clamp(*s.ServerAfter)
	}
	jitter := max(0, s.Jitter)
	if after > math.MaxInt64-jitter {
		return math.MaxInt64
	}
	return after + jitter
}

// danger says why a repeat after the given wait could have a second effect; empty
// where it could not.
func (s Situation) danger(after time.Duration) string {
	switch {
	case !s.Effectful:
		return ""
	case s.Contract && s.Retention > 0 && (s.Age > s.Retention || after > s.Retention-s.Age):
		return fmt.Sprintf("the key would be older than the %v for which the server keeps it", s.Retention)
	case s.Contract:
		return ""
	case s.Attempt == Unknown:
		return "the outcome is unknown, and the operation is unsafe to repeat"
	case s.Operation == Unknown:
		return "the outcome of an earlier attempt is unknown, and the operation is unsafe to repeat"
	case s.Attempt == Succeeded || s.Operation == Succeeded:
		return "the operation has succeeded, and is unsafe to repeat"
	}
	return ""
}

// harmless says why a repeat does no harm.
func (s Situation) harmless() string {
	switch {
	case !s.Effectful:
		return "a repeat has no further effect"
	case s.InFlight:
		return inFlightReason + ", and is asked for again"
	case s.Contract:
		return "with the same key"
	default:
		return "the attempt had no effect"
	}
}
