package idempotency

import (
	"strings"
	"time"
)

// DefaultSettleAfter is how long after an unknown outcome "not found" is not yet
// proof that nothing happened, where a profile names no other time.
const DefaultSettleAfter = 30 * time.Second

// Profile is what a user knows of one API and says in the configuration.
type Profile struct {
	Name string // as reports call it
	// Dialect that the API honours; without a header the profile says nothing of keys.
	Dialect Dialect
	// Methods under which a key is sent; nil: POST and PATCH.
	Methods []string
	// Statuses whose class differs from the usual: a 409 that means "done before".
	Statuses map[int]Class
	// SettleAfter is the time after which "not found" settles an operation; 0:
	// DefaultSettleAfter.
	SettleAfter time.Duration
}

func (p *Profile) title() string {
	if p.Name == "" {
		return "the profile"
	}
	return "the profile " + p.Name
}

// NotFoundSettles tells whether a requery that finds nothing proves that nothing
// happened; since is the time that has passed since the last attempt. A nil
// profile waits for DefaultSettleAfter.
func (p *Profile) NotFoundSettles(since time.Duration) bool {
	after := DefaultSettleAfter
	if p != nil && p.SettleAfter > 0 {
		after = p.SettleAfter
	}
	return since >= after
}

// inFlight tells whether a status by itself says that a key is in flight.
func (p *Profile) inFlight(status int) bool {
	return p != nil && status != 0 && status == p.Dialect.Statuses.InFlight
}

// inFlightWords are what APIs call a key whose first request is not done.
var inFlightWords = [...]string{
	"in-flight", "inflight", "in-progress", "in-use", "outstanding", "concurrent", "still-processing",
}

// InFlightProblem tells whether the type or the title of a problem (RFC 9457) says
// that a request with the same key is being worked on. No such type is
// registered, so the words are looked at: to take one too many for it is the safe
// side, as an operation in flight counts as not settled.
func InFlightProblem(problemType, title string) bool {
	if at := strings.LastIndexAny(strings.TrimRight(problemType, "/"), "/#:"); at >= 0 {
		problemType = problemType[at+1:]
	}
	return saysInFlight(problemType) || saysInFlight(title)
}

func saysInFlight(text string) bool {
	text = strings.NewReplacer("_", "-", " ", "-").Replace(strings.ToLower(text))
	for _, word := range inFlightWords {
		if strings.Contains(text, word) {
			return true
		}
	}
	return false
}
