package sim

import (
	"bytes"
	"io"
	"net/http"
)

// answer is the http.ResponseWriter of a handler that is called in memory.
type answer struct {
	header  http.Header
	status  int
	written bool
	body    bytes.Buffer
}

// Header gives the fields of the response (http.ResponseWriter).
func (a *answer) Header() http.Header { return a.header }

// WriteHeader sets the status, once (http.ResponseWriter).
func (a *answer) WriteHeader(status int) {
	if !a.written && status >= 200 {
		a.status, a.written = status, true
	}
}

// Write takes a part of the body (http.ResponseWriter).
func (a *answer) Write(b []byte) (int, error) {
	a.WriteHeader(http.StatusOK)
	return a.body.Write(b)
}

func (a *answer) response(request *http.Request) *http.Response {
	return &http.Response{
		StatusCode: a.status, Status: http.StatusText(a.status), Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Header: a.header, Body: io.NopCloser(&a.body), ContentLength: int64(a.body.Len()), Request: request,
	}
}
