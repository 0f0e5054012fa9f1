package mock

import (
	"context"
	"fmt"
	"net"
	"net/url"
)

// A server cannot refuse the connection for one request: until it has accepted it, it
// does not know what comes. So a client in the same process says what it connects for.

// towardKey is under which Dial finds what a connection is for.
type towardKey struct{}

type toward struct{ method, path string }

// Toward tells Dial for which request a connection is opened. The path of the URL may
// be a template.
func Toward(ctx context.Context, method, target string) context.Context {
	path := target
	if u, err := url.Parse(target); err == nil && u.Host != "" {
		path = u.EscapedPath()
	}
	return context.WithValue(ctx, towardKey{}, toward{method, path})
}

// Dial connects to an address, for the dialing of HTTP clients. Where a NoConnection is
// planned for the request that Toward named, it connects to a port on which nobody
// listens, so that the refusal is a real one.
func (s *Server) Dial(ctx context.Context, network, address string) (net.Conn, error) {
	if to, ok := ctx.Value(towardKey{}).(toward); ok {
		if found, _ := s.routes.find(to.method, to.path); found.route != nil {
			if f := s.faults.refuses(found.route); f != nil {
				s.fire(f, noEntry)
				closed, err := closedPort()
				if err != nil {
					return nil, err
				}
				address = closed
			}
		}
	}
	return (&net.Dialer{}).DialContext(ctx, network, address)
}

// noEntry stands for a request that the ledger does not know: it never came.
const noEntry = -1

// closedPort gives an address of this machine on which nobody listens.
func closedPort() (string, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", fmt.Errorf("mock: find a port to be refused at: %w", err)
	}
	address := listener.Addr().String()
	if err := listener.Close(); err != nil {
		return "", fmt.Errorf("mock: %w", err)
	}
	return address, nil
}
