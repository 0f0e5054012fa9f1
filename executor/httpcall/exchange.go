package httpcall

import (
	"bytes"
	"cmp"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"

	"github.com/weft-flow/weft/executor"
)

// outcome is what came of one request.
type outcome struct {
	progress
	status   int                // of the head of a response; 0: none came
	response *executor.Response // nil: no complete response came
	err      error              // why not
	// seeOther tells that a 303 to an effectful request was followed, and the rest
	// is what came of the request that followed.
	seeOther bool
	crossed  bool   // it came from another origin than the request was for
	note     string // what a person should know of a redirect
	// redirects are those that were followed, as they are recorded.
	redirects []executor.Redirect
}

// send makes one request, on a connection that is idle or on a new one.
func (c *Client) send(ctx context.Context, p *Prepared, fresh bool) outcome {
	if err := ctx.Err(); err != nil {
		return outcome{err: err}
	}
	if c.roundTripper != nil {
		return c.sendWithout(ctx, p)
	}
	if !fresh {
		if conn := c.idle.take(origin(p.URL)); conn != nil {
			o := c.sendOn(ctx, conn, p)
			if o.err == nil || o.began || o.refused || ctx.Err() != nil {
				return o
			}
			// The server had closed the connection while it was idle, and no byte
			// of the request left: on a new connection it is still the first send.
		}
	}
	conn, err := c.connect(ctx, p.URL)
	if err != nil {
		return outcome{err: err}
	}
	return c.sendOn(ctx, conn, p)
}

// sendOn makes the request on one connection. A connection whose exchange failed
// is closed: what else may come on it belongs to nobody.
func (c *Client) sendOn(ctx context.Context, conn *connection, p *Prepared) outcome {
	if err := pass(ctx); err != nil {
		conn.close()
		return outcome{err: err}
	}
	conn.link.begin()
	response, err := conn.http.RoundTrip(p.request(ctx))
	if err != nil {
		o := outcome{progress: conn.link.seal(), err: err}
		conn.close()
		return o
	}
	o := c.receive(p, response)
	if o.err != nil || o.status == http.StatusSwitchingProtocols {
		progress := conn.link.seal()
		conn.close()
		o.progress = progress
		o.began = true
		return o
	}
	o.began = true
	conn.link.begin()
	c.idle.put(conn)
	return o
}

// sendWithout makes the request through the transport of the options.
func (c *Client) sendWithout(ctx context.Context, p *Prepared) outcome {
	if err := pass(ctx); err != nil {
		return outcome{err: err}
	}
	response, err := c.roundTripper.RoundTrip(p.request(ctx))
	if err != nil {
		var op *net.OpError
		notDialed := errors.As(err, &op) && op.Op == "dial"
		o := outcome{progress: progress{began: !notDialed}, err: err}
		var told interface {
			Unprocessed() (refused, passedOver bool)
		}
		if errors.As(err, &told) {
			o.refused, o.passedOver = told.Unprocessed()
		}
		return o
	}
	o := c.receive(p, response)
	o.began = true
	return o
}

// request gives the request for net/http. It has no GetBody: nobody may send the
// body again.
func (p *Prepared) request(ctx context.Context) *http.Request {
	r := &http.Request{
		Method:     p.Method,
		URL:        p.URL,
		Host:       cmp.Or(p.host, p.URL.Host),
		Header:     p.Header,
		Proto:      "HTTP/1.1",
		ProtoMajor: 1,
		ProtoMinor: 1,
		Body:       http.NoBody,
	}
	if len(p.Body) > 0 {
		r.Body = io.NopCloser(bytes.NewReader(p.Body))
		r.ContentLength = int64(len(p.Body))
	}
	return r.WithContext(ctx)
}

// receive reads a response to its end.
func (c *Client) receive(p *Prepared, r *http.Response) outcome {
	o := outcome{status: r.StatusCode}
	defer r.Body.Close() // a body that is not whole is an error of reading it
	if r.StatusCode == http.StatusSwitchingProtocols {
		o.response = &executor.Response{Status: r.StatusCode, Header: executor.Header(r.Header), Protocol: r.Proto}
		return o
	}
	body, err := c.readBody(p, r)
	if err == nil && len(body) > 0 && isGzip(r.Header["Content-Encoding"]) {
		body, err = c.unzip(body)
	}
	if err != nil {
		o.err = &responseError{err}
		return o
	}
	o.response = &executor.Response{Status: r.StatusCode, Header: executor.Header(r.Header), Body: body, Protocol: r.Proto}
	return o
}

// responseError tells that a response began and has no usable end.
type responseError struct{ err error }

func (e *responseError) Error() string { return e.err.Error() }
func (e *responseError) Unwrap() error { return e.err }

// errTooLarge tells that a response is larger than the limit.
var errTooLarge = errors.New("the response is larger than the limit")

func (c *Client) readBody(p *Prepared, r *http.Response) ([]byte, error) {
	if p.Method == http.MethodHead || r.Body == http.NoBody {
		return nil, nil
	}
	if r.ContentLength > c.maxBody {
		return nil, c.tooLarge()
	}
	return c.readAll(r.Body, r.ContentLength)
}

// readAll reads up to the limit, size being what is to be expected; -1 unknown.
func (c *Client) readAll(from io.Reader, size int64) ([]byte, error) {
	var body bytes.Buffer
	// The size is only announced: not more than this is set aside on its word.
	const trusted = 64 << 10
	body.Grow(int(min(max(size, 0), trusted, c.maxBody)) + bytes.MinRead)
	n, err := body.ReadFrom(io.LimitReader(from, c.maxBody+1))
	if err != nil {
		return nil, err
	}
	if n > c.maxBody {
		return nil, c.tooLarge()
	}
	return body.Bytes(), nil
}

func (c *Client) tooLarge() error {
	return fmt.Errorf("%w of %d bytes", errTooLarge, c.maxBody)
}

// isGzip tells whether the only coding of a body is gzip, under either of its names
// (RFC 9110, section 8.4.1.3).
func isGzip(codings []string) bool {
	return len(codings) == 1 && (strings.EqualFold(codings[0], "gzip") || strings.EqualFold(codings[0], "x-gzip"))
}

// unzip decodes what a server compressed unasked; the limit holds for what comes out.
func (c *Client) unzip(body []byte) ([]byte, error) {
	r, err := gzip.NewReader(bytes.NewReader(body))
	if err != nil {
		return nil, brokenGzip(err)
	}
	plain, err := c.readAll(r, -1)
	if err != nil && !errors.Is(err, errTooLarge) {
		return nil, brokenGzip(err)
	}
	return plain, err
}

// brokenGzip hides the cause from errors.Is: the response itself came to its end.
func brokenGzip(err error) error {
	return errors.New("the gzip encoding of the response is broken: " + err.Error())
}
