package mock

import (
	"net/http"
	"slices"
)

// FaultKind is what goes wrong, and when.
type FaultKind string

// Faults of the transport. A client cannot tell those before the effect from those
// after it: that is what they are for.
const (
	// NoConnection: the connection for the request is refused.
	NoConnection FaultKind = "no-connection"
	// HangBeforeEffect: the request is read, nothing is done, nothing is answered.
	HangBeforeEffect FaultKind = "hang-before-effect"
	// HangAfterEffect: the request is carried out, nothing is answered.
	HangAfterEffect FaultKind = "hang-after-effect"
	// CloseBeforeReading: the connection is closed (FIN) before the body is read.
	CloseBeforeReading FaultKind = "close-before-reading"
	// ResetBeforeReading: the connection is reset before the body is read.
	ResetBeforeReading FaultKind = "reset-before-reading"
	// CloseAfterEffect: the request is carried out, then the connection is closed.
	CloseAfterEffect FaultKind = "close-after-effect"
	// ResetAfterEffect: the request is carried out, then the connection is reset.
	ResetAfterEffect FaultKind = "reset-after-effect"
	// CloseInResponse: the connection is closed in the middle of the response's body.
	CloseInResponse FaultKind = "close-in-response"
	// ResetInResponse: the connection is reset in the middle of the response's body.
	ResetInResponse FaultKind = "reset-in-response"
	// ReusedConnectionClosed: a connection that was used before is reset as the
	// request comes on it.
	ReusedConnectionClosed FaultKind = "reused-connection-closed"
	// SlowHeaders: the request is carried out, and the response begins late.
	SlowHeaders FaultKind = "slow-headers"
	// SlowBody: the response stops in the middle of its body, and goes on late.
	SlowBody FaultKind = "slow-body"
	// RefusedStream: the stream is refused (RFC 9113, section 8.7).
	RefusedStream FaultKind = "h2-refused-stream"
	// GoAway: the connection ends with a last stream below this one (RFC 9113,
	// section 6.8).
	GoAway FaultKind = "h2-goaway"
	// ProtocolError: the request is carried out, then its stream is reset with
	// PROTOCOL_ERROR.
	ProtocolError FaultKind = "h2-protocol-error"
	// A redirect to the same origin, or to another one. 301 and 307 come in the
	// place of the effect, 303 after it.
	MovedSameOrigin     FaultKind = "301-same-origin"
	MovedOtherOrigin    FaultKind = "301-other-origin"
	SeeOtherSameOrigin  FaultKind = "303-same-origin"
	SeeOtherOtherOrigin FaultKind = "303-other-origin"
	RepeatSameOrigin    FaultKind = "307-same-origin"
	RepeatOtherOrigin   FaultKind = "307-other-origin"
)

// Faults in the status or in the response itself.
const (
	// UnavailableBeforeEffect: nothing is done, 503 is answered.
	UnavailableBeforeEffect FaultKind = "503-before-effect"
	// UnavailableAfterEffect: the request is carried out, 503 is answered.
	UnavailableAfterEffect FaultKind = "503-after-effect"
	// The request is carried out, and 500, 502 or 504 is answered.
	InternalErrorAfterEffect  FaultKind = "500-after-effect"
	BadGatewayAfterEffect     FaultKind = "502-after-effect"
	GatewayTimeoutAfterEffect FaultKind = "504-after-effect"
	// RequestTimeout: nothing is done, 408 is answered.
	RequestTimeout FaultKind = "408-before-effect"
	// TooEarly: nothing is done, 425 is answered.
	TooEarly FaultKind = "425-before-effect"
	// 429 or 503 before the effect, with Retry-After in seconds, as a date, as a
	// date that is past, or as a number of seconds that nobody waits for.
	TooManySeconds     FaultKind = "429-seconds"
	TooManyDate        FaultKind = "429-date"
	TooManyPast        FaultKind = "429-past"
	TooManyAbsurd      FaultKind = "429-absurd"
	UnavailableSeconds FaultKind = "503-seconds"
	UnavailableDate    FaultKind = "503-date"
	UnavailablePast    FaultKind = "503-past"
	UnavailableAbsurd  FaultKind = "503-absurd"
	// ResponseBreaksSchema: what is answered is not as the description says.
	ResponseBreaksSchema FaultKind = "response-breaks-schema"
	// ResponseBreaksLength: the response announces more than it has.
	ResponseBreaksLength FaultKind = "response-breaks-length"
	// ResponseBreaksEncoding: the response says that it is gzip, and is not.
	ResponseBreaksEncoding FaultKind = "response-breaks-encoding"
)

// Faults of idempotency keys.
const (
	// ConflictThenReplay: the request is carried out, 409 "in flight" is answered;
	// the next request with the key gets the answer.
	ConflictThenReplay FaultKind = "409-then-replay"
	// ConflictForEver: the request is carried out, and 409 "in flight" is what it and
	// all others with its key ever get.
	ConflictForEver FaultKind = "409-for-ever"
	// The key is said to have come before with another content, with 422 or 400.
	KeyMismatch422 FaultKind = "422-key-mismatch"
	KeyMismatch400 FaultKind = "400-key-mismatch"
	// KeyMissing: the key is said to be missing, as where something on the way took it.
	KeyMissing FaultKind = "400-key-missing"
	// KeyExpiredReruns: the key is forgotten, and the request carried out again.
	KeyExpiredReruns FaultKind = "key-expired-reruns"
	// KeyExpiredRejects: the key is forgotten, and the request refused with 412.
	KeyExpiredRejects FaultKind = "key-expired-rejects"
	// Replayed500: the request is carried out, 500 is answered, and is what all
	// others with the key get.
	Replayed500 FaultKind = "replayed-500"
	// KeyIgnored: the request is carried out as if it had no key.
	KeyIgnored FaultKind = "key-ignored"
	// QuotedKeyRefused: a key in quotes is refused with 400.
	QuotedKeyRefused FaultKind = "quoted-key-refused"
)

// Faults of reads, by which a client asks how something stands.
const (
	// ReadStale: the state before the last change is answered.
	ReadStale FaultKind = "read-stale"
	// ReadNotFound: 404, for as many reads as Times says.
	ReadNotFound FaultKind = "read-not-found"
	// ReadUnknownState: a state that the description does not know.
	ReadUnknownState FaultKind = "read-unknown-state"
	// ReadConflicting: another state than the true one.
	ReadConflicting FaultKind = "read-conflicting"
)

// Faults of webhooks and callbacks. They befall a message, with all attempts to send it.
const (
	// WebhookDoubledSameID: the message comes again after it was answered.
	WebhookDoubledSameID FaultKind = "webhook-doubled-same-id"
	// WebhookDoubledNewID: the message comes again, as another message: its id and the
	// name of its event are new.
	WebhookDoubledNewID FaultKind = "webhook-doubled-new-id"
	// WebhookParallel: the message comes twice at once, with one id.
	WebhookParallel FaultKind = "webhook-parallel"
	// WebhookBeforeResponse: the message comes, and is answered, before the response to
	// the request that caused it.
	WebhookBeforeResponse FaultKind = "webhook-before-response"
	// WebhookLate: the message comes late. What it tells is so in time.
	WebhookLate FaultKind = "webhook-late"
	// WebhookLost: the message does not come. What it would have told is so.
	WebhookLost FaultKind = "webhook-lost"
	// WebhookOutOfOrder: after the message one comes that tells an earlier state.
	WebhookOutOfOrder FaultKind = "webhook-out-of-order"
	// WebhookConflicting: the message comes again with the same id and another content.
	WebhookConflicting FaultKind = "webhook-conflicting"
	// WebhookWrongCorrelation: the message comes with references of something else.
	WebhookWrongCorrelation FaultKind = "webhook-wrong-correlation"
	// WebhookBadSignature: the message is signed with another secret.
	WebhookBadSignature FaultKind = "webhook-bad-signature"
	// WebhookStaleTimestamp: the message is signed with a time that is long past.
	WebhookStaleTimestamp FaultKind = "webhook-stale-timestamp"
	// WebhookBurst: the message comes many times, some at once, with one id.
	WebhookBurst FaultKind = "webhook-burst"
)

// group is what a fault befalls.
type group uint8

const (
	onTransport group = iota
	onStatus
	onKeys
	onReads
	onWebhooks
)

// moment is when in the life of a request a fault acts.
type moment uint8

const (
	never moment = iota
	onConnect
	onArrival
	beforeKey    // before the key is looked up
	atKey        // in the place of looking the key up as it should be
	beforeEffect // in the place of the effect
	afterEffect
	onRead
)

// retryAfter is the form of a field Retry-After.
type retryAfter uint8

const (
	noRetryAfter retryAfter = iota
	asWritten               // what the plan says, if anything
	inSeconds
	asDate
	inThePast
	absurd
)

// absurdSeconds is a wait that nobody means: 317 years.
const absurdSeconds = "9999999999"

// breakdown is what a kind of fault does.
type breakdown struct {
	kind   FaultKind
	group  group
	moment moment
	manner manner
	status int // that is answered in the place of the answer; 0: the answer itself, or nothing
	after  retryAfter
	slug   string // ends the problem's type; empty: planned-fault
	// redirect tells that Location leads on; elsewhere: to another origin.
	redirect, elsewhere bool
	http2               bool     // it can only befall a request over HTTP/2
	params              []string // of a plan's, beside operation, occurrence and fault
}

// silent tells that nothing is answered.
func (b breakdown) silent() bool {
	switch b.manner {
	case hangs, closes, resets, refusesStream, goesAway, breaksProtocol, refusesConnection:
		return true
	}
	return false
}

// breakdowns holds every kind of fault, in the order in which they are listed.
var breakdowns = slices.Concat(transportFaults, statusFaults, keyFaults, readFaults, webhookFaults)

var transportFaults = []breakdown{
	{kind: NoConnection, moment: onConnect, manner: refusesConnection},
	{kind: HangBeforeEffect, moment: beforeEffect, manner: hangs},
	{kind: HangAfterEffect, moment: afterEffect, manner: hangs},
	{kind: CloseBeforeReading, moment: onArrival, manner: closes},
	{kind: ResetBeforeReading, moment: onArrival, manner: resets},
	{kind: CloseAfterEffect, moment: afterEffect, manner: closes},
	{kind: ResetAfterEffect, moment: afterEffect, manner: resets},
	{kind: CloseInResponse, moment: afterEffect, manner: cutsOff},
	{kind: ResetInResponse, moment: afterEffect, manner: tearsOff},
	{kind: ReusedConnectionClosed, moment: onArrival, manner: resets},
	{kind: SlowHeaders, moment: afterEffect, manner: beginsLate, params: []string{"delay"}},
	{kind: SlowBody, moment: afterEffect, manner: pauses, params: []string{"delay"}},
	{kind: RefusedStream, moment: onArrival, manner: refusesStream, http2: true},
	{kind: GoAway, moment: onArrival, manner: goesAway, http2: true},
	{kind: ProtocolError, moment: afterEffect, manner: breaksProtocol, http2: true},
	{kind: MovedSameOrigin, moment: beforeEffect, status: http.StatusMovedPermanently, redirect: true},
	{kind: MovedOtherOrigin, moment: beforeEffect, status: http.StatusMovedPermanently, redirect: true, elsewhere: true},
	{kind: SeeOtherSameOrigin, moment: afterEffect, status: http.StatusSeeOther, redirect: true},
	{kind: SeeOtherOtherOrigin, moment: afterEffect, status: http.StatusSeeOther, redirect: true, elsewhere: true},
	{kind: RepeatSameOrigin, moment: beforeEffect, status: http.StatusTemporaryRedirect, redirect: true},
	{kind: RepeatOtherOrigin, moment: beforeEffect, status: http.StatusTemporaryRedirect, redirect: true, elsewhere: true},
}

var (
	written = []string{"retryAfter"}
	delayed = []string{"delay"}
	valued  = []string{"value"}
)

var statusFaults = []breakdown{
	{kind: InternalErrorAfterEffect, group: onStatus, moment: afterEffect, status: http.StatusInternalServerError},
	{kind: BadGatewayAfterEffect, group: onStatus, moment: afterEffect, status: http.StatusBadGateway},
	{kind: UnavailableBeforeEffect, group: onStatus, moment: beforeEffect, status: http.StatusServiceUnavailable, after: asWritten, params: written},
	{kind: UnavailableAfterEffect, group: onStatus, moment: afterEffect, status: http.StatusServiceUnavailable, after: asWritten, params: written},
	{kind: GatewayTimeoutAfterEffect, group: onStatus, moment: afterEffect, status: http.StatusGatewayTimeout},
	{kind: RequestTimeout, group: onStatus, moment: beforeEffect, status: http.StatusRequestTimeout},
	{kind: TooEarly, group: onStatus, moment: beforeEffect, status: http.StatusTooEarly},
	{kind: TooManySeconds, group: onStatus, moment: beforeEffect, status: http.StatusTooManyRequests, after: inSeconds, params: delayed},
	{kind: TooManyDate, group: onStatus, moment: beforeEffect, status: http.StatusTooManyRequests, after: asDate, params: delayed},
	{kind: TooManyPast, group: onStatus, moment: beforeEffect, status: http.StatusTooManyRequests, after: inThePast},
	{kind: TooManyAbsurd, group: onStatus, moment: beforeEffect, status: http.StatusTooManyRequests, after: absurd},
	{kind: UnavailableSeconds, group: onStatus, moment: beforeEffect, status: http.StatusServiceUnavailable, after: inSeconds, params: delayed},
	{kind: UnavailableDate, group: onStatus, moment: beforeEffect, status: http.StatusServiceUnavailable, after: asDate, params: delayed},
	{kind: UnavailablePast, group: onStatus, moment: beforeEffect, status: http.StatusServiceUnavailable, after: inThePast},
	{kind: UnavailableAbsurd, group: onStatus, moment: beforeEffect, status: http.StatusServiceUnavailable, after: absurd},
	{kind: ResponseBreaksSchema, group: onStatus, moment: afterEffect},
	{kind: ResponseBreaksLength, group: onStatus, moment: afterEffect, manner: fallsShort},
	{kind: ResponseBreaksEncoding, group: onStatus, moment: afterEffect},
}

var keyFaults = []breakdown{
	{kind: ConflictThenReplay, group: onKeys, moment: afterEffect, status: http.StatusConflict, slug: "key-in-flight", after: inSeconds, params: delayed},
	{kind: ConflictForEver, group: onKeys, moment: afterEffect, status: http.StatusConflict, slug: "key-in-flight", after: inSeconds, params: delayed},
	{kind: KeyMismatch422, group: onKeys, moment: beforeKey, status: http.StatusUnprocessableEntity, slug: "key-reused"},
	{kind: KeyMismatch400, group: onKeys, moment: beforeKey, status: http.StatusBadRequest, slug: "key-reused"},
	{kind: KeyMissing, group: onKeys, moment: beforeKey, status: http.StatusBadRequest, slug: "key-missing"},
	{kind: KeyExpiredReruns, group: onKeys, moment: atKey},
	{kind: KeyExpiredRejects, group: onKeys, moment: atKey, status: http.StatusPreconditionFailed, slug: "key-expired"},
	{kind: Replayed500, group: onKeys, moment: afterEffect, status: http.StatusInternalServerError},
	{kind: KeyIgnored, group: onKeys, moment: atKey},
	{kind: QuotedKeyRefused, group: onKeys, moment: beforeKey, status: http.StatusBadRequest, slug: "key-invalid"},
}

var readFaults = []breakdown{
	{kind: ReadStale, group: onReads, moment: onRead, params: []string{"times"}},
	{kind: ReadNotFound, group: onReads, moment: onRead, status: http.StatusNotFound, slug: "no-such-resource", params: []string{"times"}},
	{kind: ReadUnknownState, group: onReads, moment: onRead, params: []string{"times", "value"}},
	{kind: ReadConflicting, group: onReads, moment: onRead, params: []string{"times", "value"}},
}

var webhookFaults = []breakdown{
	{kind: WebhookDoubledSameID, group: onWebhooks},
	{kind: WebhookDoubledNewID, group: onWebhooks},
	{kind: WebhookParallel, group: onWebhooks},
	{kind: WebhookBeforeResponse, group: onWebhooks},
	{kind: WebhookLate, group: onWebhooks, params: delayed},
	{kind: WebhookLost, group: onWebhooks},
	{kind: WebhookOutOfOrder, group: onWebhooks, params: valued},
	{kind: WebhookConflicting, group: onWebhooks, params: valued},
	{kind: WebhookWrongCorrelation, group: onWebhooks, params: valued},
	{kind: WebhookBadSignature, group: onWebhooks},
	{kind: WebhookStaleTimestamp, group: onWebhooks, params: delayed},
	{kind: WebhookBurst, group: onWebhooks, params: []string{"count"}},
}

// FaultKinds lists every kind of fault.
func FaultKinds() []FaultKind {
	kinds := make([]FaultKind, len(breakdowns))
	for i, b := range breakdowns {
		kinds[i] = b.kind
	}
	return kinds
}

func breakdownOf(kind FaultKind) (breakdown, bool) {
	at := slices.IndexFunc(breakdowns, func(b breakdown) bool { return b.kind == kind })
	if at < 0 {
		return breakdown{}, false
	}
	return breakdowns[at], true
}
