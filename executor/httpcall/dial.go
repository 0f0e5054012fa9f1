package httpcall

import (
	"bufio"
	"context"
	"crypto/tls"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"slices"

	"golang.org/x/net/http/httpguts"
)

// tlsError tells that TLS failed, before any byte of a request.
type tlsError struct{ err error }

func (e *tlsError) Error() string { return "TLS: " + e.err.Error() }
func (e *tlsError) Unwrap() error { return e.err }

// dialError tells that there is no connection, and for what reason of ours.
type dialError struct{ err error }

func (e *dialError) Error() string { return e.err.Error() }
func (e *dialError) Unwrap() error { return e.err }

// The keys under which connect hands a finished connection, and the proxy that it
// leads to, to net/http.
type (
	linkKey  struct{}
	proxyKey struct{}
)

// newTransport gives a net/http transport that makes client connections out of
// links. It never dials, and its RoundTrip, which would send again, is never used.
func newTransport(protocols *http.Protocols) *http.Transport {
	return &http.Transport{
		Protocols:              protocols,
		DisableCompression:     true,
		MaxResponseHeaderBytes: maxHeader,
		DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
			return ctx.Value(linkKey{}).(*link), nil
		},
		Proxy: func(r *http.Request) (*url.URL, error) {
			proxy, _ := r.Context().Value(proxyKey{}).(*url.URL)
			return proxy, nil
		},
	}
}

// connect opens a connection for requests to u. No byte of a request is sent.
func (c *Client) connect(ctx context.Context, u *url.URL) (*connection, error) {
	address, err := hostPort(u)
	if err != nil {
		return nil, &dialError{err}
	}
	proxy, err := c.proxyFor(u)
	if err != nil {
		return nil, &dialError{err}
	}
	l, err := c.openLink(ctx, u, address, proxy)
	if err != nil {
		return nil, err
	}
	transport := c.http1
	if l.h2 != nil {
		transport = c.http2
	}
	ctx = context.WithValue(ctx, linkKey{}, l)
	if proxy != nil && u.Scheme == "http" {
		ctx = context.WithValue(ctx, proxyKey{}, &url.URL{Scheme: "http", Host: proxy.Host, User: proxy.User})
	}
	conn, err := transport.NewClientConn(ctx, "http", address)
	if err != nil {
		_ = l.Close()
		return nil, &dialError{err}
	}
	return &connection{origin: origin(u), http: conn, link: l}, nil
}

// openLink dials, goes through the proxy, and makes TLS.
func (c *Client) openLink(ctx context.Context, u *url.URL, address string, proxy *url.URL) (*link, error) {
	first := address
	if proxy != nil {
		var err error
		if first, err = hostPort(proxy); err != nil {
			return nil, &dialError{err}
		}
	}
	raw, err := c.dial(ctx, "tcp", first)
	if err != nil {
		return nil, &dialError{err}
	}
	w := &wire{Conn: raw}
	l, err := c.secure(ctx, w, u, address, proxy)
	if err != nil {
		_ = raw.Close()
		return nil, err
	}
	return l, nil
}

func (c *Client) secure(ctx context.Context, w *wire, u *url.URL, address string, proxy *url.URL) (*link, error) {
	var conn net.Conn = w
	if proxy != nil && proxy.Scheme == "https" {
		secured, err := c.startTLS(ctx, conn, proxy, proxy.Hostname())
		if err != nil {
			return nil, err
		}
		conn = secured
	}
	if u.Scheme != "https" {
		return &link{Conn: conn, wire: w}, nil
	}
	if proxy != nil {
		if err := openTunnel(ctx, conn, proxy, address); err != nil {
			return nil, &dialError{err}
		}
	}
	host, _, err := net.SplitHostPort(address)
	if err != nil {
		return nil, &dialError{err}
	}
	secured, err := c.startTLS(ctx, conn, u, host, "h2", "http/1.1")
	if err != nil {
		return nil, err
	}
	l := &link{Conn: secured, wire: w}
	if secured.ConnectionState().NegotiatedProtocol == "h2" {
		l.h2 = newStreams()
	}
	return l, nil
}

func (c *Client) startTLS(ctx context.Context, conn net.Conn, server *url.URL, host string, protocols ...string) (*tls.Conn, error) {
	config := &tls.Config{}
	if c.tls != nil {
		config = c.tls.Clone()
	}
	if config.ServerName == "" {
		config.ServerName = host
	}
	if c.identity != nil && c.identity.Server != nil && origin(c.identity.Server) == origin(server) {
		config.Certificates = append(slices.Clone(config.Certificates), c.identity.Certificate)
	}
	config.NextProtos = protocols
	secured := tls.Client(conn, config)
	if err := secured.HandshakeContext(ctx); err != nil {
		return nil, &tlsError{err}
	}
	return secured, nil
}

// openTunnel asks a proxy for a tunnel (RFC 9110, section 9.3.6).
func openTunnel(ctx context.Context, conn net.Conn, proxy *url.URL, address string) error {
	stop := context.AfterFunc(ctx, func() { _ = conn.Close() })
	defer stop()
	request := &http.Request{
		Method: http.MethodConnect,
		URL:    &url.URL{Opaque: address},
		Host:   address,
		Header: http.Header{"User-Agent": {userAgent}},
	}
	if proxy.User != nil {
		password, _ := proxy.User.Password()
		request.SetBasicAuth(proxy.User.Username(), password)
		request.Header["Proxy-Authorization"] = request.Header["Authorization"]
		delete(request.Header, "Authorization")
	}
	if err := request.Write(conn); err != nil {
		return fmt.Errorf("the proxy: %w", err)
	}
	// What is read ahead is lost, but a TLS server is silent until it is spoken to.
	//nolint:bodyclose // closing the body would read on; the tunnel follows it, or the connection is closed
	response, err := http.ReadResponse(bufio.NewReader(io.LimitReader(conn, maxHeader)), request)
	if err != nil {
		return fmt.Errorf("the proxy: %w", err)
	}
	if response.StatusCode/100 != 2 {
		return fmt.Errorf("the proxy answered %d to CONNECT", response.StatusCode)
	}
	return nil
}

func (c *Client) proxyFor(u *url.URL) (*url.URL, error) {
	if c.proxy == nil {
		return nil, nil
	}
	proxy, err := c.proxy(u)
	if err != nil {
		return nil, fmt.Errorf("the proxy: %w", err)
	}
	if proxy != nil && proxy.Scheme != "http" && proxy.Scheme != "https" {
		return nil, fmt.Errorf("the proxy is of the scheme %q; http and https are known", proxy.Scheme)
	}
	return proxy, nil
}

// hostPort gives the address to dial, the host in ASCII.
func hostPort(u *url.URL) (string, error) {
	port := u.Port()
	if port == "" {
		port = map[string]string{"http": "80", "https": "443"}[u.Scheme]
	}
	address, err := httpguts.PunycodeHostPort(net.JoinHostPort(u.Hostname(), port))
	if err != nil {
		return "", fmt.Errorf("the host name %q: %w", u.Hostname(), err)
	}
	return address, nil
}
