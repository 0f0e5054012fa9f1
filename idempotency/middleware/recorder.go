package middleware

import (
	"errors"
	"fmt"
	"maps"
	"mime"
	"net/http"
	"slices"
	"strconv"
	"strings"
)

// recorder takes a handler's answer in. It is no http.Flusher and no http.Hijacker:
// what is sent piece by piece cannot be kept.
type recorder struct {
	header  http.Header
	method  string // of the request
	limit   int64
	status  int // 0: not written yet
	sent    http.Header
	length  int64 // of the body, as the handler declares it; -1: it does not
	body    []byte
	refused *problem
}

func newRecorder(method string, limit int64) *recorder {
	return &recorder{header: make(http.Header), method: method, limit: limit, length: -1}
}

// Header gives the header that the handler sets.
func (r *recorder) Header() http.Header { return r.header }

// WriteHeader takes the status; a 1xx, which is not the answer, is left out, but for a
// change of the protocol, after which none comes.
func (r *recorder) WriteHeader(status int) {
	if status < 100 || status > 999 {
		panic(fmt.Sprintf("the handler answers with the status %d", status)) // as net/http does
	}
	if r.status != 0 || status < http.StatusOK && status != http.StatusSwitchingProtocols {
		return
	}
	r.status = status
	r.sent = make(http.Header, len(r.header))
	for name, values := range maps.All(r.header) {
		r.sent[name] = slices.Clone(values)
	}
	kind, _, err := mime.ParseMediaType(r.header.Get("Content-Type"))
	if err == nil && kind == "text/event-stream" || r.header.Get("Trailer") != "" || status == http.StatusSwitchingProtocols {
		r.refused = &answerStreams
	}
	if length, err := strconv.ParseInt(r.header.Get("Content-Length"), 10, 64); err == nil && length >= 0 {
		r.length = length
	}
}

var errNotKept = errors.New("the answer cannot be kept: it is a stream, or too large")

// Write takes a part of the body, up to the limit. What is more than the handler has
// declared, and a body where there is none, it refuses as net/http does.
func (r *recorder) Write(part []byte) (int, error) {
	r.WriteHeader(http.StatusOK)
	switch written := int64(len(r.body)); {
	case r.refused != nil:
		return 0, errNotKept
	case len(part) == 0:
		return 0, nil
	case !r.hasBody():
		return 0, http.ErrBodyNotAllowed
	case r.length >= 0 && int64(len(part)) > r.length-written:
		return 0, http.ErrContentLength
	case int64(len(part)) > r.limit-written:
		r.refused, r.body = &answerTooLarge, nil
		return 0, errNotKept
	}
	r.body = append(r.body, part...)
	return len(part), nil
}

func (r *recorder) hasBody() bool {
	return r.status != http.StatusNoContent && r.status != http.StatusNotModified
}

// answer gives what the handler answered; refused tells that it stands for an answer
// that cannot be kept.
func (r *recorder) answer() (a answer, refused bool) {
	r.WriteHeader(http.StatusOK)
	switch {
	case r.refused != nil:
	case hasTrailers(r.header):
		r.refused = &answerStreams
	case r.length > int64(len(r.body)) && r.hasBody() && r.method != http.MethodHead:
		r.refused = &answerIncomplete
	}
	if r.refused != nil {
		return r.refused.answer(), true
	}
	return answer{Status: r.status, Header: r.sent, body: r.body}, false
}

// hasTrailers tells whether a handler has set fields that come after the body.
func hasTrailers(header http.Header) bool {
	for name := range header {
		if strings.HasPrefix(name, http.TrailerPrefix) {
			return true
		}
	}
	return false
}
