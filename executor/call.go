package executor

import (
	"net/textproto"
	"strings"
	"time"

	"github.com/weft-flow/weft/arazzo/source"
	"github.com/weft-flow/weft/arazzo/value"
	"github.com/weft-flow/weft/idempotency"
)

// Call is one HTTP attempt, evaluated but not yet written as bytes.
type Call struct {
	Name      string // stable: workflow/step#activation/attempt
	Attempt   int    // of the activation, from 1
	Operation *source.Operation
	Source    *source.Description // of which Operation is; nil: not known
	Server    string              // base URL, without a trailing slash
	Arguments []Argument
	Body      *Body // nil: none is sent
	Key       *idempotency.Key
	// Contract tells that the API promises to honour Key.
	Contract bool
	// KeyUntil is when the server may have forgotten Key, which an attempt before has borne:
	// from then on it must not be sent. Zero: it is the first, or that does not matter.
	KeyUntil time.Time
	// Profile is what the user knows of the API's keys and statuses; nil: nothing.
	Profile *idempotency.Profile
	// Effectful tells that the operation may change something on the server
	// (idempotency.md, Words): the request must then never be sent twice unseen.
	Effectful bool
	Timeout   time.Duration // of this attempt; 0: none
	// AfterCancel tells that the run was cancelled before, and that this call is part
	// of what is done about it.
	AfterCancel bool
}

// Argument is the value for one parameter of an operation.
type Argument struct {
	Name, In string
	Value    value.Value       // never absent or null
	Declared *source.Parameter // nil where the description does not declare it
}

// Body is the content of a request.
type Body struct {
	ContentType string
	// Value is what is to be encoded as the content type says.
	Value value.Value
	// Verbatim tells that Value is a string that is sent byte for byte: a
	// template after substitution.
	Verbatim bool
	// Declared is the media type of the description that applies; nil where none.
	Declared *source.MediaType
}

// Exchange is what came of one Call.
type Exchange struct {
	Started, Ended time.Time
	Sent           Sent
	Response       *Response // nil: no complete response
	Class          idempotency.Class
	Reason         string // in words, where Class does not tell all: "timeout after the request was sent"
	// Refused tells why nothing could be sent: the request could not be written
	// as the description demands. Class is then not_sent.
	Refused string
	// Cancelled tells that the run was cancelled while this call was in the air.
	Cancelled bool
	// Renewed tells that the server refused the credential of the request (401), and
	// that it has been renewed since: one further attempt makes sense.
	Renewed bool
	// Notices are what a person should know beside the outcome.
	Notices []string
	// Redirects are those that were followed, in their order. Sent is the request that
	// was answered by the first of them.
	Redirects []Redirect
}

// Redirect is a response that sent the client elsewhere, and was followed.
type Redirect struct {
	Response Response // without its body
	Next     Sent     // the request that followed
}

// Sent is the request as it was really sent.
type Sent struct {
	Method string
	URL    string // the whole URL with its query
	Header Header
	Body   []byte
}

// Response is one complete response.
type Response struct {
	Status int
	Header Header
	Body   []byte
	// Protocol is the version of HTTP, such as HTTP/1.1; empty: not known.
	Protocol string
}

// Header holds HTTP fields under their canonical names (net/textproto).
type Header map[string][]string

// Get gives a field's values joined as RFC 9110, section 5.3, says; of
// Set-Cookie, which cannot be joined, the first. ok is false where it is missing.
func (h Header) Get(name string) (joined string, ok bool) {
	name = textproto.CanonicalMIMEHeaderKey(name)
	values, ok := h[name]
	if !ok || len(values) == 0 {
		return "", false
	}
	if name == "Set-Cookie" {
		return values[0], true
	}
	return strings.Join(values, ", "), true
}
