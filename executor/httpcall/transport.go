package httpcall

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"time"

	"github.com/weft-flow/weft/executor"
	"github.com/weft-flow/weft/idempotency"
)

// Transport gives what the client sends by to any Go program: an http.RoundTripper
// that puts each request onto the wire once or not at all. An error from it is a
// *SendError, which tells what is known of the outcome. Bodies are held in memory,
// those of responses up to the client's limit. Credentials that an Authorizer gives
// are not added.
//
// An http.Client sends again by itself where it follows redirects: take the one that
// HTTPClient gives.
func (c *Client) Transport() http.RoundTripper { return transport{c} }

// HTTPClient gives an http.Client over Transport. It does not follow the redirect of
// a request that may have an effect, but for a 303 in the same origin, and takes
// nothing secret along to another origin: the redirect's response is then the answer.
func (c *Client) HTTPClient() *http.Client {
	return &http.Client{Transport: c.Transport(), CheckRedirect: checkRedirect}
}

// SendError is what is known of a request that has no complete response.
type SendError struct {
	// Class tells whether the request may have had an effect: it may where the class
	// is idempotency.Unknown.
	Class  idempotency.Class
	Reason string // in words
	Err    error
}

// Error gives the reason and the class.
func (e *SendError) Error() string { return fmt.Sprintf("%s (%s)", e.Reason, e.Class) }

// Unwrap gives the fault beneath.
func (e *SendError) Unwrap() error { return e.Err }

type transport struct{ client *Client }

// RoundTrip sends the request once; see Client.Transport.
func (t transport) RoundTrip(r *http.Request) (*http.Response, error) {
	p, err := fromRequest(r)
	if err != nil {
		return nil, &SendError{Class: idempotency.NotSent, Reason: "the request could not be written: " + err.Error(), Err: err}
	}
	effectful := idempotency.Effectful(p.Method, "")
	o := t.client.send(r.Context(), p, effectful && len(p.Body) == 0)
	if o.err != nil {
		if r.Context().Err() != nil {
			o.err = context.Cause(r.Context())
		}
		class, reason := judge(o, executor.Call{}, time.Now())
		return nil, &SendError{Class: class, Reason: reason, Err: o.err}
	}
	return toResponse(r, o.response), nil
}

func toResponse(to *http.Request, from *executor.Response) *http.Response {
	r := &http.Response{
		Status:     fmt.Sprintf("%d %s", from.Status, http.StatusText(from.Status)),
		StatusCode: from.Status,
		Proto:      "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Header:        http.Header(from.Header),
		Body:          io.NopCloser(bytes.NewReader(from.Body)),
		ContentLength: int64(len(from.Body)),
		Request:       to,
	}
	if len(from.Body) > 0 && r.Header.Get("Content-Encoding") == "gzip" { // it was decoded
		r.Header.Del("Content-Encoding")
		r.Header.Del("Content-Length")
		r.Uncompressed = true
	}
	if to.Method == http.MethodHead {
		r.ContentLength = -1 // of what a GET would have: it stands in the header
	}
	return r
}

// fromRequest reads a request, its body to the end, and closes the body.
func fromRequest(r *http.Request) (p *Prepared, err error) {
	p = &Prepared{Method: r.Method, URL: r.URL, Header: r.Header.Clone(), host: r.Host}
	if p.Method == "" {
		p.Method = http.MethodGet
	}
	if p.Header == nil {
		p.Header = make(http.Header)
	}
	if r.Body == nil {
		return p, nil
	}
	p.Body, err = io.ReadAll(r.Body)
	if closing := r.Body.Close(); err == nil {
		err = closing
	}
	if err == nil && r.ContentLength > 0 && int64(len(p.Body)) != r.ContentLength {
		err = fmt.Errorf("the body has %d bytes, and %d were announced", len(p.Body), r.ContentLength)
	}
	return p, err
}

// checkRedirect is the CheckRedirect of HTTPClient.
func checkRedirect(next *http.Request, via []*http.Request) error {
	last := via[len(via)-1]
	if len(via) >= maxRedirects {
		return errors.New("too many redirects")
	}
	same := origin(next.URL) == origin(last.URL)
	if idempotency.Effectful(last.Method, "") && (next.Response.StatusCode != http.StatusSeeOther || !same) {
		return http.ErrUseLastResponse
	}
	if last.Method != http.MethodGet && last.Method != http.MethodHead && next.Method == last.Method {
		return http.ErrUseLastResponse // it would be sent again, with its body
	}
	p := &Prepared{URL: last.URL, Header: last.Header, key: keyHeader(last.Header)}
	next.Header = redirectedHeader(p, same)
	if !same {
		next.Header.Del("Referer")
		next.URL.User = nil
	}
	return nil
}

// keyHeader gives the field of a header that is known to bear an idempotency key.
func keyHeader(h http.Header) string {
	for name := range h {
		if _, ok := idempotency.KnownHeader(name); ok {
			return name
		}
	}
	return ""
}
