package webhook

import (
	"encoding/json"
	"net/http"

	"github.com/weft-flow/weft/executor/channel"
)

// problem is an answer that does not acknowledge (RFC 9457).
type problem struct {
	status     int
	kind       string // the end of the type
	title      string
	detail     string
	retryAfter string // seconds; empty: not said
}

// problemType is how the types of all problems begin.
const problemType = "urn:weft:message:"

var (
	notFound = problem{status: http.StatusNotFound, kind: "address-unknown", title: "Nobody receives at this address"}
	gone     = problem{status: http.StatusGone, kind: "address-gone", title: "The run that received at this address has ended"}
	unsigned = problem{status: http.StatusUnauthorized, kind: "signature-refused", title: "The signature of this message is not accepted"}
	broken   = problem{status: http.StatusBadRequest, kind: "body-broken", title: "The body did not come to its end"}
	tooLarge = problem{status: http.StatusRequestEntityTooLarge, kind: "message-too-large", title: "This message is too large"}

	wrongMethod = problem{status: http.StatusMethodNotAllowed, kind: "method-refused", title: "Messages do not come here by this method"}
	wrongType   = problem{status: http.StatusUnsupportedMediaType, kind: "content-type-refused", title: "Messages do not come here in this form"}
	tooMany     = problem{status: http.StatusTooManyRequests, kind: "rate-exceeded", retryAfter: "1", title: "Messages come too fast"}
	full        = problem{status: http.StatusTooManyRequests, kind: "mailbox-full", retryAfter: "5", title: "There is no room for this message at present"}
	notKept     = problem{status: http.StatusServiceUnavailable, kind: "not-kept", retryAfter: "5", title: "This message could not be kept"}
	noSecret    = problem{status: http.StatusServiceUnavailable, kind: "secret-missing", retryAfter: "5", title: "This process has no secret to check the signature of this message by"}
	conflicts   = problem{kind: "content-conflicts", title: "A message of this identity has come with other content"}
)

// failure is the answer to a message that is not kept.
func failure(o channel.Outcome) problem {
	switch o {
	case channel.Gone:
		return gone
	case channel.Full:
		return full
	case channel.Unknown:
		return notFound
	default:
		return notKept
	}
}

// because gives the problem with a detail.
func (p problem) because(detail string) problem {
	p.detail = detail
	return p
}

// with gives the problem with a status.
func (p problem) with(status int) problem {
	p.status = status
	return p
}

func (p problem) write(w http.ResponseWriter) {
	text := map[string]any{"type": problemType + p.kind, "title": p.title, "status": p.status}
	if p.detail != "" {
		text["detail"] = p.detail
	}
	body, err := json.Marshal(text)
	if err != nil { // of strings and a number it does not happen
		body = nil
	}
	w.Header().Set("Content-Type", "application/problem+json")
	if p.status == http.StatusUnauthorized {
		w.Header().Set("WWW-Authenticate", "Webhook-Signature")
	}
	if p.retryAfter != "" {
		w.Header().Set("Retry-After", p.retryAfter)
	}
	w.WriteHeader(p.status)
	_, _ = w.Write(body)
}
