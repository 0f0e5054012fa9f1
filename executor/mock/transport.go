package mock

import (
	"bytes"
	"context"
	"io"
	"net"
	"net/http"
	"strconv"
	"sync"
	"syscall"
	"time"

	"golang.org/x/net/http2"
)

// TransportOptions say how requests in memory behave. The zero value is ready to use.
type TransportOptions struct {
	// Wait lets time pass, and gives the cause where the context ends before; less than
	// 0: it waits for the context alone. nil: the real clock.
	Wait func(ctx context.Context, d time.Duration) error
}

// Transport gives an http.RoundTripper that reaches the server without a network and
// without a goroutine. All faults can befall its requests, those of HTTP/2 too.
func (s *Server) Transport(options TransportOptions) http.RoundTripper {
	if options.Wait == nil {
		options.Wait = s.wait
	}
	return &memoryTransport{server: s, wait: options.Wait}
}

// wait waits on the real clock.
func (s *Server) wait(ctx context.Context, d time.Duration) error {
	var after <-chan time.Time
	if d >= 0 {
		timer := time.NewTimer(d)
		defer timer.Stop()
		after = timer.C
	}
	select {
	case <-after:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	case <-s.closing:
		return errClosed
	}
}

var errClosed = &net.OpError{Op: "read", Net: "memory", Err: syscall.ECONNRESET}

// memoryTransport carries requests in memory, as if each connection were kept as long
// as nothing breaks it.
type memoryTransport struct {
	server *Server
	wait   func(ctx context.Context, d time.Duration) error

	mu          sync.Mutex
	connections int
	open        bool // the last connection can be used again
}

// RoundTrip answers one request. The request is done when it returns.
func (t *memoryTransport) RoundTrip(r *http.Request) (*http.Response, error) {
	if err := r.Context().Err(); err != nil {
		return nil, context.Cause(r.Context())
	}
	to, miss := t.server.routes.find(r.Method, r.URL.EscapedPath())
	if to.route != nil {
		if f := t.server.faults.refuses(to.route); f != nil {
			t.server.fire(f, noEntry)
			return nil, &net.OpError{Op: "dial", Net: "memory", Err: syscall.ECONNREFUSED}
		}
	}
	if r.Body == nil {
		r.Body = http.NoBody
	}
	c := &memoryCarrier{transport: t, request: r}
	c.number, c.first = t.connect()
	t.server.serveFound(r, c, to, miss)
	_ = r.Body.Close()
	if c.response == nil && c.err == nil {
		c.err = io.ErrUnexpectedEOF
	}
	return c.response, c.err
}

func (t *memoryTransport) connect() (number int, first bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	first = !t.open
	if first {
		t.connections++
		t.open = true
	}
	return t.connections, first
}

func (t *memoryTransport) disconnect() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.open = false
}

// memoryCarrier brings the outcome of one request in memory.
type memoryCarrier struct {
	transport *memoryTransport
	request   *http.Request
	number    int
	first     bool
	response  *http.Response
	err       error
}

// protocol is one that every fault can befall.
func (c *memoryCarrier) protocol() string { return "HTTP/2.0" }

func (c *memoryCarrier) connection() (int, bool) { return c.number, c.first }

func (c *memoryCarrier) deliver(ctx context.Context, out outcome, _ bool) {
	if out.manner != answers && out.manner != beginsLate && out.manner != pauses {
		c.transport.disconnect()
	}
	switch out.manner {
	case answers:
		c.answer(out, bytes.NewReader(out.reply.body))
	case hangs:
		c.err = c.transport.wait(ctx, -1)
	case closes:
		c.err = io.EOF
	case cutsOff:
		c.answer(out, io.MultiReader(bytes.NewReader(out.reply.body[:out.cut]), broken{io.ErrUnexpectedEOF}))
	case tearsOff:
		c.answer(out, io.MultiReader(bytes.NewReader(out.reply.body[:out.cut]), broken{errClosed}))
	case fallsShort:
		c.answer(out, io.MultiReader(bytes.NewReader(out.reply.body), broken{io.ErrUnexpectedEOF}))
		c.response.ContentLength += shortBy
	case beginsLate:
		if c.err = c.transport.wait(ctx, out.delay); c.err == nil {
			c.answer(out, bytes.NewReader(out.reply.body))
		}
	case pauses:
		c.answer(out, io.MultiReader(
			bytes.NewReader(out.reply.body[:out.cut]),
			&waiting{func() error { return c.transport.wait(ctx, out.delay) }},
			bytes.NewReader(out.reply.body[out.cut:]),
		))
	case refusesStream:
		c.err = &StreamFault{Code: http2.ErrCodeRefusedStream}
	case goesAway:
		c.err = &StreamFault{Code: http2.ErrCodeNo}
	case breaksProtocol:
		c.err = &StreamFault{Code: http2.ErrCodeProtocol}
	default:
		c.err = errClosed
	}
}

func (c *memoryCarrier) answer(out outcome, body io.Reader) {
	header := make(http.Header, len(out.reply.header)+3)
	out.reply.fill(header, out.replayed)
	if header.Get("Date") == "" { // as every server with a clock sends it
		header.Set("Date", c.transport.server.options.Now().UTC().Format(http.TimeFormat))
	}
	c.response = &http.Response{
		Status: strconv.Itoa(out.reply.status) + " " + http.StatusText(out.reply.status), StatusCode: out.reply.status,
		Proto: c.protocol(), ProtoMajor: 2, Header: header, Body: io.NopCloser(body),
		ContentLength: int64(len(out.reply.body)), Request: c.request,
	}
	if !bodyAllowed(out.reply.status) || c.request.Method == http.MethodHead {
		c.response.Body, c.response.ContentLength = http.NoBody, 0
	}
}

// StreamFault tells a client in memory what an HTTP/2 server would have told it.
type StreamFault struct{ Code http2.ErrCode }

// Error names the fault.
func (f *StreamFault) Error() string {
	if f.Code == http2.ErrCodeNo {
		return "the server went away (HTTP/2 GOAWAY)"
	}
	return "the stream was reset (HTTP/2 " + f.Code.String() + ")"
}

// Unprocessed tells whether the server said that it did not process the request: it
// refused the stream, or closed the connection before it.
func (f *StreamFault) Unprocessed() (refused, passedOver bool) {
	return f.Code == http2.ErrCodeRefusedStream, f.Code == http2.ErrCodeNo
}

// broken is the end of a body that breaks off.
type broken struct{ err error }

func (b broken) Read([]byte) (int, error) { return 0, b.err }

// waiting is a stretch of a body in which nothing comes for a while.
type waiting struct{ wait func() error }

func (w *waiting) Read([]byte) (int, error) {
	if w.wait == nil {
		return 0, io.EOF
	}
	err := w.wait()
	if w.wait = nil; err == nil {
		err = io.EOF
	}
	return 0, err
}
