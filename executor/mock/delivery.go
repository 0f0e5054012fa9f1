package mock

import (
	"context"
	"time"
)

// manner is how an outcome is brought to the client.
type manner uint8

const (
	answers        manner = iota // wholly, at once
	hangs                        // nothing comes, and the connection stays
	closes                       // nothing comes, and the connection is closed
	resets                       // nothing comes, and the connection is reset
	cutsOff                      // a part comes, then the connection is closed
	tearsOff                     // a part comes, then the connection is reset
	fallsShort                   // more is announced than comes
	beginsLate                   // the head comes late
	pauses                       // the head and a part come, the rest comes late
	refusesStream                // RST_STREAM with REFUSED_STREAM
	goesAway                     // GOAWAY with a last stream below this one
	breaksProtocol               // RST_STREAM with PROTOCOL_ERROR
	refusesConnection
)

// delivery says how an outcome is brought. The zero value: wholly and at once.
type delivery struct {
	manner manner
	delay  time.Duration
	cut    int // bytes of the body that come before it breaks off or pauses
}

// shortBy is how many bytes a response lacks that announces more than it has.
const shortBy = 16

// outcome is what becomes of a request on the wire.
type outcome struct {
	reply    *reply // nil: none is sent
	replayed bool
	delivery
	then func() // what is to be done when the outcome was brought; nil: nothing
}

// carrier brings outcomes to one client: over HTTP/1.1, over HTTP/2, or in memory.
type carrier interface {
	// protocol is how the request came: "HTTP/1.1".
	protocol() string
	// connection is the number of the connection that it came on, and whether it is the
	// first request on it; 0: not known.
	connection() (number int, first bool)
	// deliver brings the outcome. keep tells that the connection may be used again.
	deliver(ctx context.Context, out outcome, keep bool)
}

// finish writes the outcome into the ledger, then onto the wire: whoever has the
// answer finds it in the ledger.
func (s *Server) finish(ctx context.Context, to carrier, entry int, out outcome) {
	status := 0
	if out.reply != nil {
		status = out.reply.status
	}
	s.ledger.answered(entry, status, out.replayed)
	if out.then != nil {
		defer out.then()
	}
	to.deliver(ctx, out, !s.faults.awaitsConnect())
}

// pause waits on the real clock; it tells whether the client is still there.
func (s *Server) pause(ctx context.Context, d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-ctx.Done():
	case <-s.closing:
	}
	return false
}

// hang waits until the client goes away or the server closes.
func (s *Server) hang(ctx context.Context) {
	select {
	case <-ctx.Done():
	case <-s.closing:
	}
}
