package idempotency

import (
	"net/http"
	"strings"
	"time"
)

// Dialect is how one family of APIs takes idempotency keys. The zero value of a
// field means that nothing is published.
type Dialect struct {
	Name      string // as profiles and reports call it
	Header    string // the field that bears the key
	Format    Format
	MaxLength int // of the key in bytes, without quotes
	// Retention is the shortest time for which a server keeps a key, from the
	// operation's first attempt.
	Retention time.Duration
	// FirstSent names a field that says when the operation's first attempt was made.
	FirstSent string
	// Statuses that the dialect gives a meaning of its own.
	Statuses Statuses
	// Kept tells which answers come again when a key does.
	Kept Kept
	Note string // what a person should know of it
}

// Statuses are what a server answers where something is wrong with a key; 0 where
// the dialect does not say.
type Statuses struct {
	Missing  int // the key is missing or not valid
	InFlight int // a request with this key is being worked on
	Mismatch int // the key came before with another content
	TooOld   int // the key may have been forgotten
}

// Kept tells which answers a server keeps for a key.
type Kept string

// The kinds of what is kept.
const (
	// KeptAll: the answer of the first request, good or bad.
	KeptAll Kept = "all"
	// KeptSuccess: only a 2xx; after anything else the request is worked on anew.
	KeptSuccess Kept = "success"
	// KeptState: no answer; a repeated request gets the present state.
	KeptState Kept = "state"
)

const day = 24 * time.Hour

// dialects in the order in which a header is looked up.
var dialects = [...]Dialect{
	{
		Name: "idempotency-key", Header: "Idempotency-Key", Format: Raw, Kept: KeptAll,
		Note: "The header alone: many APIs share it, each with limits of its own, so none is assumed.",
	},
	{
		Name: "httpapi-draft", Header: "Idempotency-Key", Format: SFString, Kept: KeptAll,
		Statuses: Statuses{
			Missing: http.StatusBadRequest, InFlight: http.StatusConflict,
			Mismatch: http.StatusUnprocessableEntity,
		},
		Note: "draft-ietf-httpapi-idempotency-key-header-07, expired and never a standard; each server publishes how long it keeps keys.",
	},
	{
		Name: "stripe", Header: "Idempotency-Key", Format: Raw, MaxLength: 255, Retention: day, Kept: KeptAll,
	},
	{
		Name: "adyen", Header: "Idempotency-Key", Format: Raw, MaxLength: 64, Retention: 7 * day, Kept: KeptAll,
	},
	{
		Name: "increase", Header: "Idempotency-Key", Format: Raw, MaxLength: 200, Kept: KeptAll,
	},
	{
		Name: "gocardless", Header: "Idempotency-Key", Format: Raw, Kept: KeptAll,
	},
	{
		Name: "toss-payments", Header: "Idempotency-Key", Format: Raw, MaxLength: 300, Retention: 15 * day, Kept: KeptAll,
		Statuses: Statuses{Missing: http.StatusBadRequest, InFlight: http.StatusConflict},
	},
	{
		Name: "paypal", Header: "PayPal-Request-Id", Format: Raw, MaxLength: 108, Retention: 3 * time.Hour, Kept: KeptState,
		Note: "Kept from 3 hours to 45 days, by product; a repeated request is answered with the latest state.",
	},
	{
		Name: "checkout.com", Header: "Cko-Idempotency-Key", Format: Raw, Retention: day, Kept: KeptSuccess,
		Note: "Only a 2xx is kept.",
	},
	{
		Name: "open-banking", Header: "X-Idempotency-Key", Format: Raw, Retention: day, Kept: KeptAll,
		Note: "Kept for at least 24 hours.",
	},
	{
		Name: "worldline", Header: "X-GCS-Idempotence-Key", Format: Raw, Retention: day, Kept: KeptAll,
		Note: "Kept for at least 24 hours.",
	},
	{
		Name: "repeatability", Header: "Repeatability-Request-ID", Format: UUID, Retention: 5 * time.Minute, Kept: KeptAll,
		FirstSent: "Repeatability-First-Sent",
		Statuses:  Statuses{TooOld: http.StatusPreconditionFailed},
		Note:      "OASIS Repeatable Requests 1.0, also Azure; kept for 5 minutes and up.",
	},
}

// Dialects gives all known dialects in the order in which a header is looked up.
func Dialects() []Dialect { return append([]Dialect(nil), dialects[:]...) }

// KnownHeader gives the dialect of a header that is known to bear idempotency
// keys, in any case of letters. Of a header that several APIs share it gives the
// one that assumes least.
func KnownHeader(name string) (Dialect, bool) {
	for _, d := range dialects {
		if strings.EqualFold(d.Header, name) {
			return d, true
		}
	}
	return Dialect{}, false
}

// Plain gives the dialect of a header that is known by name only: the key as it is,
// no limits, and answers that are kept.
func Plain(header string) Dialect {
	return Dialect{Name: strings.ToLower(header), Header: header, Format: Raw, Kept: KeptAll}
}

// ByName gives the dialect that a profile names.
func ByName(name string) (Dialect, bool) {
	for _, d := range dialects {
		if d.Name == name {
			return d, true
		}
	}
	return Dialect{}, false
}

// SpeaksForOperation tells whether the answer to one attempt under this dialect's
// key holds for the whole operation, earlier attempts included. A success does. A
// refusal does where the server keeps refusals, but for one that is given before
// the key is looked up, or that is about the key itself: after these an earlier
// attempt may still have had its effect.
func (d Dialect) SpeaksForOperation(attempt Class, status int) bool {
	switch attempt {
	case Succeeded:
		return true
	case Rejected:
		return d.Kept == KeptAll && !d.aboutKey(status) && !beforeLookup(status)
	default:
		return false
	}
}

// aboutKey tells whether a status says something of the key, or may do so: where
// the dialect does not publish what its statuses mean, those that others use for
// keys (missing, in flight, too old, other content) are taken for such.
func (d Dialect) aboutKey(status int) bool {
	s := d.Statuses
	if s == (Statuses{}) {
		switch status {
		case http.StatusBadRequest, http.StatusConflict, http.StatusPreconditionFailed,
			http.StatusUnprocessableEntity, http.StatusPreconditionRequired:
			return true
		}
		return false
	}
	return status == s.Missing || status == s.InFlight || status == s.Mismatch || status == s.TooOld
}

// beforeLookup tells whether a status is commonly given before anybody looks at
// the key: who asks, where to, and whether what came is a request at all.
func beforeLookup(status int) bool {
	switch status {
	case http.StatusMovedPermanently, http.StatusFound,
		http.StatusTemporaryRedirect, http.StatusPermanentRedirect,
		http.StatusUnauthorized, http.StatusForbidden, http.StatusProxyAuthRequired,
		http.StatusMethodNotAllowed, http.StatusNotAcceptable, http.StatusRequestEntityTooLarge,
		http.StatusRequestURITooLong, http.StatusUnsupportedMediaType, http.StatusExpectationFailed,
		http.StatusMisdirectedRequest, http.StatusUpgradeRequired,
		http.StatusRequestHeaderFieldsTooLarge:
		return true
	}
	return false
}
