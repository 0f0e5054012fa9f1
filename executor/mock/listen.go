package mock

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"net/http"
	"sync"
	"sync/atomic"
	"time"
)

// Listen serves HTTP/1.1 on a TCP address such as "127.0.0.1:0" until the returned
// close is called, which ends all requests and returns when they have ended. baseURL
// has no trailing slash.
func (s *Server) Listen(addr string) (baseURL string, close func() error, err error) {
	listener, err := net.Listen("tcp", addr)
	if err != nil {
		return "", nil, fmt.Errorf("mock: %w", err)
	}
	return "http://" + listener.Addr().String(), s.serveOn(listener), nil
}

// ListenTLS serves HTTP/2 and HTTP/1.1 over TLS, as Listen does. The certificate is
// made anew, for the loopback addresses and localhost, and signed by the authority
// that is returned in PEM.
func (s *Server) ListenTLS(addr string) (baseURL string, authority []byte, close func() error, err error) {
	certificate, authority, err := newCertificate(time.Now())
	if err != nil {
		return "", nil, nil, fmt.Errorf("mock: make a certificate: %w", err)
	}
	listener, err := net.Listen("tcp", addr)
	if err != nil {
		return "", nil, nil, fmt.Errorf("mock: %w", err)
	}
	config := &tls.Config{
		Certificates: []tls.Certificate{certificate}, NextProtos: []string{"h2", "http/1.1"}, MinVersion: tls.VersionTLS12,
	}
	return "https://" + listener.Addr().String(), authority, s.serveOn(tls.NewListener(listener, config)), nil
}

// serveOn serves on a listener until the function that it gives is called.
func (s *Server) serveOn(listener net.Listener) (end func() error) {
	ctx, cancel := context.WithCancel(context.Background())
	var requests sync.WaitGroup
	handler := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		requests.Add(1)
		defer requests.Done()
		s.ServeHTTP(w, r)
	})
	server := &http.Server{
		Handler:     handler,
		BaseContext: func(net.Listener) context.Context { return ctx },
		ConnContext: func(ctx context.Context, _ net.Conn) context.Context {
			return context.WithValue(ctx, peerKey{}, &peer{})
		},
		ReadHeaderTimeout: 30 * time.Second,
		// HTTP/2 is spoken here, frame by frame: net/http lets nobody break it.
		TLSNextProto: map[string]func(*http.Server, *tls.Conn, http.Handler){
			"h2": func(_ *http.Server, conn *tls.Conn, _ http.Handler) {
				requests.Add(1)
				defer requests.Done()
				s.serveHTTP2(ctx, conn)
			},
		},
	}
	served := make(chan error, 1)
	go func() { served <- server.Serve(listener) }()
	return sync.OnceValue(func() error {
		cancel()
		err := server.Close()
		if serveErr := <-served; !errors.Is(serveErr, http.ErrServerClosed) {
			err = errors.Join(err, serveErr)
		}
		requests.Wait()
		if err != nil {
			return fmt.Errorf("mock: %w", err)
		}
		return nil
	})
}

// peerKey is under which a request over HTTP/1.1 finds its connection.
type peerKey struct{}

// peer is one connection of a client over HTTP/1.1, which asks one thing after the
// other. It has its number from its first request on.
type peer struct{ number, requests atomic.Int64 }

// next counts a request on the connection.
func (p *peer) next(s *Server) (number int, first bool) {
	if first = p.requests.Add(1) == 1; first {
		p.number.Store(s.connections.Add(1))
	}
	return int(p.number.Load()), first
}

// reset breaks a connection with a TCP reset instead of an orderly end.
func reset(conn net.Conn) {
	if secured, ok := conn.(*tls.Conn); ok {
		conn = secured.NetConn()
	}
	if tcp, ok := conn.(*net.TCPConn); ok {
		_ = tcp.SetLinger(0)
	}
	_ = conn.Close() // it is given up: there is nobody to tell
}

// finTimeout is how long a client gets to see that the connection was closed.
const finTimeout = time.Second

// finish ends a connection in order: what the client still sends is read and thrown
// away, or the network would make a reset of it.
func finish(conn net.Conn) {
	defer func() { _ = conn.Close() }()
	half, ok := conn.(interface{ CloseWrite() error })
	if !ok || half.CloseWrite() != nil {
		return
	}
	if secured, ok := conn.(*tls.Conn); ok {
		conn = secured.NetConn()
		if tcp, ok := conn.(*net.TCPConn); ok {
			_ = tcp.CloseWrite()
		}
	}
	if conn.SetReadDeadline(time.Now().Add(finTimeout)) != nil {
		return
	}
	rest := make([]byte, 4<<10)
	for {
		if _, err := conn.Read(rest); err != nil {
			return
		}
	}
}
