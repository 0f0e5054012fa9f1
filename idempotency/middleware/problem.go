package middleware

import (
	"encoding/json"
	"net/http"
)

// problem is an answer that this package gives by itself (RFC 9457).
type problem struct {
	status     int
	kind       string // the end of the type
	title      string
	detail     string
	retryAfter string // seconds; empty: not said
	outcome    string // in counters
}

// problemType is how the types of all problems begin.
const problemType = "urn:weft:idempotency:"

var (
	missingKey = problem{
		status: http.StatusBadRequest, kind: "key-missing", outcome: "key missing",
		title: "This request needs an idempotency key",
	}
	invalidKey = problem{
		status: http.StatusBadRequest, kind: "key-invalid", outcome: "key invalid",
		title: "The idempotency key is not valid",
	}
	unknownPrincipal = problem{
		status: http.StatusUnauthorized, kind: "principal-unknown", outcome: "principal unknown",
		title: "It is not known who sends this idempotency key",
	}
	bodyTooLarge = problem{
		status: http.StatusRequestEntityTooLarge, kind: "body-too-large", outcome: "body too large",
		title: "The body is too large for a request with an idempotency key",
	}
	bodyBroken = problem{
		status: http.StatusBadRequest, kind: "body-broken", outcome: "body broken",
		title: "The body did not come to its end",
	}
	mismatch = problem{
		status: http.StatusUnprocessableEntity, kind: "payload-mismatch",
		title:  "This idempotency key was used for another request",
		detail: "Use a new key for a new request, or send the request as it was sent first.",
	}
	inFlight = problem{
		status: http.StatusConflict, kind: "in-flight", retryAfter: "1",
		title: "A request with this idempotency key is being worked on",
	}
	// What a crash left is in flight to a client: it is not known what became of it.
	unsettled = problem{
		status: http.StatusConflict, kind: "in-flight", retryAfter: "5",
		title:  "A request with this idempotency key is not settled",
		detail: "What became of it is not known yet, and is being looked into.",
	}
	// storeDown is given before the handler runs, and says so by Retry-After.
	storeDown = problem{
		status: http.StatusServiceUnavailable, kind: "store-unavailable", retryAfter: "1", outcome: "store unavailable",
		title:  "Idempotency keys cannot be looked up at present",
		detail: "Nothing was done.",
	}
	// notKept is given where the handler has run, or had before: what a client makes of
	// a 500 is that it does not know, which is true.
	notKept = problem{
		status: http.StatusInternalServerError, kind: "answer-not-kept",
		title:  "The answer could not be kept or read",
		detail: "Ask again with the same key.",
	}
	panicked = problem{
		status: http.StatusInternalServerError, kind: "handler-failed",
		title: "The handler of this request failed",
	}
	answerTooLarge = problem{
		status: http.StatusInternalServerError, kind: "answer-too-large",
		title: "The request was handled, but its answer is too large to be kept",
	}
	answerIncomplete = problem{
		status: http.StatusInternalServerError, kind: "answer-incomplete",
		title:  "The answer of this request ended before its end",
		detail: "The handler wrote less than it had declared.",
	}
	answerStreams = problem{
		status: http.StatusInternalServerError, kind: "answer-streams",
		title: "The request was handled, but its answer is a stream, which cannot be kept",
	}
)

// because gives the problem with a detail.
func (p problem) because(detail string) *problem {
	p.detail = detail
	return &p
}

func (p problem) answer() answer {
	text := map[string]any{"type": problemType + p.kind, "title": p.title, "status": p.status}
	if p.detail != "" {
		text["detail"] = p.detail
	}
	body, err := json.Marshal(text)
	if err != nil { // of strings and a number it does not happen
		body = nil
	}
	header := http.Header{"Content-Type": {"application/problem+json"}}
	if p.retryAfter != "" {
		header.Set("Retry-After", p.retryAfter)
	}
	return answer{Status: p.status, Header: header, body: body}
}

func (p problem) write(w http.ResponseWriter) { p.answer().write(w, false) }
