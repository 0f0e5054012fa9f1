package mock

import (
	"context"
	"io"
	"net"
	"net/http"
	"time"
)

// sendTimeout is how long a receiver gets to answer one attempt.
const sendTimeout = 15 * time.Second

// mostConnections is how many messages are in the air at once.
const mostConnections = 64

// sender carries messages to this machine, and to one host that was named.
type sender struct {
	transport *http.Transport
	life      context.Context
}

func newSender(named string, closing <-chan struct{}) *sender {
	dialer := &net.Dialer{}
	return &sender{life: lifetime{context.Background(), closing}, transport: &http.Transport{
		DialContext: func(ctx context.Context, network, address string) (net.Conn, error) {
			host, _, err := net.SplitHostPort(address)
			if err != nil || host != named && !isLocal(host) {
				return nil, &net.AddrError{Err: "not on this machine", Addr: address}
			}
			return dialer.DialContext(ctx, network, address)
		},
		MaxConnsPerHost: mostConnections, MaxIdleConnsPerHost: mostConnections, IdleConnTimeout: time.Second,
	}}
}

// RoundTrip makes one request, which ends with the server.
func (s *sender) RoundTrip(r *http.Request) (*http.Response, error) {
	ctx, cancel := context.WithTimeout(s.life, sendTimeout)
	response, err := s.transport.RoundTrip(r.WithContext(ctx))
	if err != nil {
		cancel()
		return nil, err
	}
	response.Body = &ended{response.Body, cancel}
	return response, nil
}

// ended is a body that ends its request when it is closed.
type ended struct {
	io.ReadCloser
	end func()
}

// Close ends the request.
func (e *ended) Close() error {
	defer e.end()
	return e.ReadCloser.Close()
}

// lifetime is a context that ends when a channel is closed.
type lifetime struct {
	context.Context
	end <-chan struct{}
}

// Done gives the channel.
func (l lifetime) Done() <-chan struct{} { return l.end }

// Err tells whether the channel is closed.
func (l lifetime) Err() error {
	select {
	case <-l.end:
		return context.Canceled
	default:
		return nil
	}
}
