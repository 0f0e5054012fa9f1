package httpcall

import (
	"errors"
	"net"
	"testing"

	"golang.org/x/net/http2"
)

// scripted is a connection that takes as many bytes of each write as it is told.
type scripted struct {
	net.Conn
	takes []int
}

func (s *scripted) Write(p []byte) (int, error) {
	n := len(p)
	if len(s.takes) > 0 {
		n, s.takes = min(n, s.takes[0]), s.takes[1:]
	}
	if n < len(p) {
		return n, errors.New("the network is gone")
	}
	return n, nil
}

// record stands for TLS: it writes more than it is given, and after a failure says
// that it wrote nothing.
type record struct{ net.Conn }

func (r record) Write(p []byte) (int, error) {
	if _, err := r.Conn.Write(append([]byte("head"), p...)); err != nil {
		return 0, err
	}
	return len(p), nil
}

func TestLinkTellsWhatLeft(t *testing.T) {
	settings, _ := written(func(c, _ *http2.Framer) { c.WriteSettings() })
	request, _ := written(func(c, _ *http2.Framer) {
		c.WriteHeaders(http2.HeadersFrameParam{StreamID: 1, BlockFragment: []byte("block"), EndHeaders: true})
	})
	tests := []struct {
		name       string
		secured    bool
		http2      bool
		data       []byte
		takes      []int
		began      bool
		written    int64
		wantsError bool
	}{
		{name: "all", data: []byte("GET"), began: true, written: 3},
		{name: "a part", data: []byte("GET"), takes: []int{2}, began: true, written: 2, wantsError: true},
		{name: "nothing", data: []byte("GET"), takes: []int{0}, wantsError: true},
		{name: "all through TLS", secured: true, data: []byte("GET"), began: true, written: 3},
		{name: "a part of a TLS record", secured: true, data: []byte("GET"), takes: []int{1}, began: true, written: 3, wantsError: true},
		{name: "nothing of a TLS record", secured: true, data: []byte("GET"), takes: []int{0}, wantsError: true},
		{name: "settings of HTTP/2", http2: true, data: settings, written: int64(len(settings))},
		{name: "a request of HTTP/2", http2: true, data: request, began: true, written: int64(len(request))},
		{name: "nothing of a request of HTTP/2", http2: true, data: request, takes: []int{0}, wantsError: true},
		{name: "a part of a request of HTTP/2", http2: true, data: request, takes: []int{len(request) - 1}, began: true, written: int64(len(request) - 1), wantsError: true},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			w := &wire{Conn: &scripted{takes: test.takes}}
			l := &link{Conn: w, wire: w}
			if test.secured {
				l.Conn = record{w}
			}
			if test.http2 {
				l.h2 = newStreams()
			}
			l.begin()
			if _, err := l.Write(test.data); (err != nil) != test.wantsError {
				t.Fatalf("write: %v", err)
			}
			if got := l.seal(); got.began != test.began || got.written != test.written {
				t.Errorf("got %+v, want began %t, written %d", got, test.began, test.written)
			}
			if _, err := l.Write(test.data); !errors.Is(err, errSealed) {
				t.Errorf("after the end: %v", err)
			}
		})
	}
}

func TestAWriteThatIsGoingOnCountsAsSent(t *testing.T) {
	client, server := net.Pipe()
	defer server.Close()
	w := &wire{Conn: client}
	l := &link{Conn: w, wire: w}
	l.begin()
	done := make(chan struct{})
	go func() {
		defer close(done)
		l.Write([]byte("GET"))
	}()
	if _, err := server.Read(make([]byte, 1)); err != nil { // the write has begun
		t.Fatal(err)
	}
	if !l.seal().began {
		t.Error("nothing is said to have left")
	}
	client.Close()
	<-done
}

func TestWhatNobodyAskedForIsNoAnswer(t *testing.T) {
	client, server := net.Pipe()
	defer client.Close()
	w := &wire{Conn: client}
	l := &link{Conn: w, wire: w}
	go func() {
		defer server.Close()
		server.Write([]byte("HTTP/1.1 200 OK"))
		server.Read(make([]byte, 3))
		server.Write([]byte("HTTP/1.1 404 Not Found"))
	}()
	l.begin()
	buffer := make([]byte, 100)
	if n, err := l.Read(buffer); n != 0 || !errors.Is(err, errUnasked) {
		t.Errorf("before a request: %q, %v", buffer[:n], err)
	}
	if _, err := l.Write([]byte("GET")); err != nil {
		t.Fatal(err)
	}
	if n, err := l.Read(buffer); string(buffer[:n]) != "HTTP/1.1 404 Not Found" || err != nil {
		t.Errorf("after a request: %q, %v", buffer[:n], err)
	}
}
