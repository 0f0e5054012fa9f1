package middleware

import (
	"errors"
	"fmt"
	"maps"
	"mime"
	"net/http"
	"slices"
)

// recorder takes a handler's answer in. It is no http.Flusher and no http.Hijacker:
// what is sent piece by piece cannot be kept.
type recorder struct {
	header  http.Header
	limit   int64
	status  int // 0: not written yet
	sent    http.Header
	body    []byte
	refused *problem
}

func newRecorder(limit int64) *recorder {
	return &recorder{header: make(http.Header), limit: limit}
}

// Header gives the header that the handler sets.
func (r *recorder) Header() http.Header { return r.header }

// WriteHeader takes the status; a 1xx, which is not the answer, is left out.
func (r *recorder) WriteHeader(status int) {
	if status < 100 || status > 999 {
		panic(fmt.Sprintf("the handler answers with the status %d", status)) // as net/http does
	}
	if r.status != 0 || status < http.StatusOK {
		return
	}
	r.status = status
	r.sent = make(http.Header, len(r.header))
	for name, values := range maps.All(r.header) {
		r.sent[name] = slices.Clone(values)
	}
	kind, _, err := mime.ParseMediaType(r.header.Get("Content-Type"))
	if err == nil && kind == "text/event-stream" || r.header.Get("Trailer") != "" {
		r.refused = &answerStreams
	}
}

var errNotKept = errors.New("the answer cannot be kept: it is a stream, or too large")

// Write takes a part of the body, up to the limit.
func (r *recorder) Write(part []byte) (int, error) {
	r.WriteHeader(http.StatusOK)
	if r.refused == nil && int64(len(part)) > r.limit-int64(len(r.body)) {
		r.refused = &answerTooLarge
	}
	if r.refused != nil {
		r.body = nil
		return 0, errNotKept
	}
	if r.status != http.StatusNoContent && r.status != http.StatusNotModified {
		r.body = append(r.body, part...)
	}
	return len(part), nil
}

// answer gives what the handler answered; refused tells that it stands for an answer
// that cannot be kept.
func (r *recorder) answer() (a answer, refused bool) {
	r.WriteHeader(http.StatusOK)
	if r.refused != nil {
		return r.refused.answer(), true
	}
	return answer{Status: r.status, Header: r.sent, body: r.body}, false
}
