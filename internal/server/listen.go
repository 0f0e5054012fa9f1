package server

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"time"

	"golang.org/x/net/netutil"
)

const (
	headerTimeout = 5 * time.Second
	// bodyTimeout is how long a caller may take for the whole of a request.
	bodyTimeout = 30 * time.Second
	// answerTimeout is how long an answer may take; streams have streamTimeout for each
	// of their writes.
	answerTimeout = longestWait + bodyTimeout
	idleTimeout   = time.Minute
	maxHeader     = 64 << 10
	connections   = 1000
)

// Listener serves HTTP from the moment in which it is told to.
type Listener struct {
	listener net.Listener
	server   *http.Server
	ended    chan error
}

// Listen takes a TCP address; what connects waits until Serve is called.
func Listen(address string) (*Listener, error) {
	listener, err := net.Listen("tcp", address)
	if err != nil {
		return nil, fmt.Errorf("listen: %w", err)
	}
	return &Listener{listener: netutil.LimitListener(listener, connections), ended: make(chan error, 1)}, nil
}

// URL is how programs of this machine see the listener.
func (l *Listener) URL() string {
	tcp, ok := l.listener.Addr().(*net.TCPAddr)
	if !ok {
		return "http://" + l.listener.Addr().String()
	}
	host := tcp.IP.String()
	if tcp.IP.IsUnspecified() {
		host = "127.0.0.1"
	}
	return "http://" + net.JoinHostPort(host, fmt.Sprint(tcp.Port))
}

// Serve begins to answer. Ended gives an error should that end by itself.
func (l *Listener) Serve(handler http.Handler) {
	l.server = &http.Server{
		Handler: handler, ReadHeaderTimeout: headerTimeout, WriteTimeout: answerTimeout, IdleTimeout: idleTimeout,
		MaxHeaderBytes: maxHeader, ErrorLog: log.New(io.Discard, "", 0), // it quotes what callers send
	}
	go func() { l.ended <- l.server.Serve(l.listener) }()
}

// Ended gives the error with which it has ended, should it end by itself.
func (l *Listener) Ended() <-chan error { return l.ended }

// Close takes no more requests, answers those that there are, and breaks off the rest
// when the context ends.
func (l *Listener) Close(ctx context.Context) error {
	if l.server == nil {
		return l.listener.Close()
	}
	if err := l.server.Shutdown(ctx); err != nil {
		return errors.Join(fmt.Errorf("requests were broken off: %w", err), l.server.Close())
	}
	return nil
}

// limitRead gives a caller bodyTimeout to send the rest of its request. A deadline that
// stays would break off whoever waits longer for the answer: see patient.
func limitRead(w http.ResponseWriter) {
	_ = http.NewResponseController(w).SetReadDeadline(time.Now().Add(bodyTimeout)) // not all writers can
}

// patient lifts the limit once the request is read.
func patient(w http.ResponseWriter) {
	_ = http.NewResponseController(w).SetReadDeadline(time.Time{})
}
