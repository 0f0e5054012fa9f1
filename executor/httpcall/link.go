package httpcall

import (
	"errors"
	"net"
	"sync"
	"sync/atomic"
)

var (
	errSealed = errors.New("the exchange is over, nothing more is sent")
	// errUnasked tells that a server spoke although nothing was asked: what it says
	// must not become the answer to the next request.
	errUnasked = errors.New("the server sent something that was not asked for")
)

// wire is a network connection that counts what it takes.
type wire struct {
	net.Conn
	taken atomic.Int64
}

func (w *wire) Write(p []byte) (int, error) {
	n, err := w.Conn.Write(p)
	w.taken.Add(int64(n))
	return n, err
}

// link is the connection as the HTTP client sees it, above TLS where there is TLS.
// It knows whether any byte of the present request left.
type link struct {
	net.Conn
	wire *wire // beneath; the same connection where there is no TLS

	mu      sync.Mutex
	sealed  bool
	writing int   // writes that are going on
	written int64 // since the exchange began
	h2      *streams
}

// progress is what is known of a request that was to be sent.
type progress struct {
	// began tells that a byte of the request left, or may have left.
	began   bool
	written int64
	// refused and passedOver tell that the server did not process the request:
	// REFUSED_STREAM, or a GOAWAY with a lower last stream.
	refused, passedOver bool
}

// begin starts an exchange, or the wait for one. No other may be going on.
func (l *link) begin() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.written = 0
	if l.h2 != nil {
		l.h2.begin()
	}
}

// seal lets nothing more be written and tells what was. A write that is still
// going on counts as sent.
func (l *link) seal() progress {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.sealed = true
	p := progress{began: l.writing > 0 || l.written > 0, written: l.written}
	if l.h2 != nil {
		// Settings and pings are no request: only a HEADERS frame begins one.
		p.began = l.writing > 0 || l.h2.headers
		p.refused, p.passedOver = l.h2.refused, l.h2.passedOver()
	}
	return p
}

// Write writes p unless the exchange is over.
func (l *link) Write(p []byte) (int, error) {
	if !l.beginWrite(p) {
		return 0, errSealed
	}
	before := l.wire.taken.Load()
	n, err := l.Conn.Write(p)
	left := n
	if n < len(p) && l.secured() && l.wire.taken.Load() != before {
		// TLS tells nothing of a record of which a part left: it counts as sent.
		left = len(p)
	}
	l.endWrite(left)
	return n, err
}

// beginWrite looks at the frames before they are written: the answer to one can
// be read before the write returns.
func (l *link) beginWrite(p []byte) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.sealed {
		return false
	}
	l.writing++
	if l.h2 != nil {
		l.h2.write(p)
	}
	return true
}

func (l *link) endWrite(left int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.writing--
	l.written += int64(left)
	if l.h2 != nil && left == 0 {
		l.h2.unwrite()
	}
}

// secured tells whether there is TLS between the link and its wire.
func (l *link) secured() bool { return l.Conn != net.Conn(l.wire) }

func (l *link) Read(p []byte) (int, error) {
	n, err := l.Conn.Read(p)
	if n == 0 {
		return n, err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.h2 != nil {
		l.h2.read(p[:n])
	} else if l.written == 0 && l.writing == 0 {
		return 0, errUnasked
	}
	return n, err
}
