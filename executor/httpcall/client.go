package httpcall

import (
	"context"
	"crypto/tls"
	"errors"
	"net"
	"net/http"
	"net/url"
	"time"

	"github.com/weft-flow/weft/executor"
	"github.com/weft-flow/weft/idempotency"
)

const (
	// DefaultMaxBody is the size of a response body, in bytes, up to which it is
	// read where Options do not say.
	DefaultMaxBody = 10 << 20
	// maxHeader is the size of a response's header, in bytes.
	maxHeader = 1 << 20
	// dialTimeout bounds the wait for a connection where the call has no timeout.
	dialTimeout = 30 * time.Second
)

// Options say how a client reaches servers. The zero value is ready for use.
type Options struct {
	// MaxBody is the size of a response body in bytes; 0: DefaultMaxBody. A larger
	// response counts as not complete.
	MaxBody int64
	// TLS holds certificate authorities; nil: those of the system. The protocols are
	// chosen by the client. A client certificate in it is shown to every server that
	// asks for one; Identity is bound to one.
	TLS *tls.Config
	// Identity is a client certificate with the one origin that may see it; nil: none.
	Identity *Identity
	// Authorizer gives what shows to servers who sends a call; nil: nothing.
	Authorizer Authorizer
	// Proxy gives the http or https proxy for a URL, or nil; nil: no proxy is used.
	Proxy func(*url.URL) (*url.URL, error)
	// Dial opens network connections; nil: a net.Dialer.
	Dial func(ctx context.Context, network, address string) (net.Conn, error)
	// Transport takes requests in place of the network, for a server in the same
	// process. It must send at most once. An error from it counts as sent, unless it
	// says that no connection was made, or has the method
	// Unprocessed() (refused, passedOver bool), by which it tells that the server
	// refused the stream or went away before it.
	Transport http.RoundTripper
	// Now and WithTimeout are the clock; nil: time.Now and context.WithTimeoutCause. A
	// Transport can so answer in a time of its own.
	Now         func() time.Time
	WithTimeout func(parent context.Context, d time.Duration, cause error) (context.Context, context.CancelFunc)
}

// Identity is a client certificate (RFC 8446, section 4.4.2).
type Identity struct {
	Certificate tls.Certificate
	// Server is a URL of the only origin that the certificate is shown to. Others,
	// such as proxies and where a redirect leads, are told that there is none.
	Server *url.URL
}

// Client sends prepared requests, each exactly once or not at all. It is safe for
// use by several goroutines.
type Client struct {
	maxBody      int64
	tls          *tls.Config
	identity     *Identity
	authorizer   Authorizer
	proxy        func(*url.URL) (*url.URL, error)
	dial         func(ctx context.Context, network, address string) (net.Conn, error)
	roundTripper http.RoundTripper
	now          func() time.Time
	withTimeout  func(context.Context, time.Duration, error) (context.Context, context.CancelFunc)
	http1, http2 *http.Transport
	idle         pool
}

// New gives a client.
func New(o Options) *Client {
	c := &Client{
		maxBody: o.MaxBody, tls: o.TLS, identity: o.Identity, authorizer: o.Authorizer,
		proxy: o.Proxy, dial: o.Dial, roundTripper: o.Transport, now: o.Now, withTimeout: o.WithTimeout,
	}
	if c.now == nil {
		c.now = time.Now
	}
	if c.withTimeout == nil {
		c.withTimeout = context.WithTimeoutCause
	}
	if c.maxBody <= 0 {
		c.maxBody = DefaultMaxBody
	}
	if c.dial == nil {
		c.dial = (&net.Dialer{Timeout: dialTimeout}).DialContext
	}
	if c.roundTripper != nil {
		return c // it never connects
	}
	var http1, http2 http.Protocols
	http1.SetHTTP1(true)
	// TLS is made before net/http gets the connection, so that to it HTTP/2 is unencrypted.
	http2.SetUnencryptedHTTP2(true)
	c.http1, c.http2 = newTransport(&http1), newTransport(&http2)
	return c
}

// Close closes the idle connections. Exchanges that are going on come to their end.
func (c *Client) Close() { c.idle.close() }

// Call prepares a call and makes its exchange. Where it cannot be prepared,
// nothing is sent and Refused tells why.
func (c *Client) Call(ctx context.Context, call executor.Call) executor.Exchange {
	p, err := Prepare(call)
	if err != nil {
		now := c.now()
		return executor.Exchange{Started: now, Ended: now, Class: idempotency.NotSent, Refused: err.Error()}
	}
	return c.Do(ctx, p, call)
}

// errTimeout is the cause where the timeout of the attempt is over.
var errTimeout = errors.New("timeout")

// Do makes one exchange: one request on the wire, or none. A redirect that may be
// followed is followed within it. The exchange tells what is known; an error is
// never returned, since whatever happens is an outcome.
func (c *Client) Do(ctx context.Context, p *Prepared, call executor.Call) executor.Exchange {
	exchange := executor.Exchange{Started: c.now()}
	attempt := ctx
	if call.Timeout > 0 {
		var cancel context.CancelFunc
		attempt, cancel = c.withTimeout(ctx, call.Timeout, errTimeout)
		defer cancel()
	}
	a, err := c.authorize(attempt, further(ctx, p), call)
	exchange.Sent, exchange.Notices = a.record.Sent(), a.notices
	if err != nil {
		exchange.Ended, exchange.Class = c.now(), idempotency.NotSent
		exchange.Cancelled = ctx.Err() != nil
		return unsent(exchange, err)
	}
	o := c.follow(attempt, a, call)
	if o.err != nil && attempt.Err() != nil {
		o.err = context.Cause(attempt)
	}
	exchange.Ended = c.now()
	exchange.Response, exchange.Redirects = o.response, o.redirects
	exchange.Class, exchange.Reason = judge(o, call, exchange.Ended)
	exchange.Cancelled = ctx.Err() != nil
	a.hear(ctx, o, &exchange)
	return exchange
}
