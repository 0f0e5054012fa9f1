package webhook

import (
	"cmp"
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

// ListenOptions are the settings of a Listener.
type ListenOptions struct {
	// Address is the TCP address to listen on, such as "127.0.0.1:8080"; empty: a free
	// port of the loopback interface.
	Address string
	// URL is how the outside sees the listener, where it is behind a proxy or a tunnel
	// (BaseURL); empty: what it listens on.
	URL string
	// Connections is how many connections are served at once; 0: 256.
	Connections int
	// HeaderTimeout and BodyTimeout are how long a sender may take for the header and
	// for the whole of a request; 0: 5 and 30 seconds.
	HeaderTimeout, BodyTimeout time.Duration
	// Log gets what goes wrong on connections; nil: nobody.
	Log *log.Logger
}

// Listener serves HTTP until it is closed.
type Listener struct {
	url      string
	address  net.Addr
	server   *http.Server
	finished chan error
}

const maxHeader = 64 << 10

// Listen begins to serve a handler. When it returns, messages can come.
func Listen(handler http.Handler, o ListenOptions) (*Listener, error) {
	var base string
	if o.URL != "" {
		var err error
		if base, err = BaseURL(o.URL); err != nil {
			return nil, err
		}
	}
	listener, err := net.Listen("tcp", cmp.Or(o.Address, "127.0.0.1:0"))
	if err != nil {
		return nil, fmt.Errorf("listen for messages: %w", err)
	}
	body := cmp.Or(o.BodyTimeout, 30*time.Second)
	l := &Listener{
		url: cmp.Or(base, urlOf(listener.Addr())), address: listener.Addr(), finished: make(chan error, 1),
		server: &http.Server{
			Handler: handler, ReadHeaderTimeout: cmp.Or(o.HeaderTimeout, 5*time.Second), ReadTimeout: body,
			WriteTimeout: 2 * body, IdleTimeout: 30 * time.Second, MaxHeaderBytes: maxHeader,
			ErrorLog: cmp.Or(o.Log, log.New(io.Discard, "", 0)),
		},
	}
	limited := netutil.LimitListener(listener, cmp.Or(o.Connections, 256))
	go func() { l.finished <- l.server.Serve(limited) }()
	return l, nil
}

// urlOf gives the URL of what is listened on: of all interfaces it is the loopback one.
func urlOf(address net.Addr) string {
	tcp, ok := address.(*net.TCPAddr)
	if !ok {
		return "http://" + address.String()
	}
	host := tcp.IP.String()
	if tcp.IP.IsUnspecified() {
		host = "127.0.0.1"
	}
	return "http://" + net.JoinHostPort(host, fmt.Sprint(tcp.Port))
}

// URL is how the outside sees the listener, without a slash at its end.
func (l *Listener) URL() string { return l.url }

// Addr is what is listened on.
func (l *Listener) Addr() net.Addr { return l.address }

// Close takes no more connections, answers what is in the air, and returns when that is
// done; when the context ends before, it breaks off the rest.
func (l *Listener) Close(ctx context.Context) error {
	err := l.server.Shutdown(ctx)
	if err != nil {
		err = errors.Join(fmt.Errorf("end the listener for messages: %w", err), l.server.Close())
	}
	if served := <-l.finished; !errors.Is(served, http.ErrServerClosed) {
		err = errors.Join(err, fmt.Errorf("listen for messages: %w", served))
	}
	l.finished <- http.ErrServerClosed // for whoever closes again
	return err
}
