package mock

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"strconv"
)

// writerCarrier brings outcomes through net/http.
type writerCarrier struct {
	server *Server
	writer http.ResponseWriter
	proto  string
	number int
	first  bool
}

func newWriterCarrier(s *Server, w http.ResponseWriter, r *http.Request) *writerCarrier {
	c := &writerCarrier{server: s, writer: w, proto: r.Proto}
	if from, ok := r.Context().Value(peerKey{}).(*peer); ok {
		c.number, c.first = from.next(s)
	}
	return c
}

func (c *writerCarrier) protocol() string { return c.proto }

func (c *writerCarrier) connection() (int, bool) { return c.number, c.first }

func (c *writerCarrier) deliver(ctx context.Context, out outcome, keep bool) {
	if !keep {
		c.writer.Header().Set("Connection", "close")
	}
	switch out.manner {
	case answers:
		c.write(out, len(out.reply.body))
	case hangs:
		c.server.hang(ctx)
		c.end(reset)
	case closes:
		c.end(finish)
	case cutsOff:
		c.writePart(out)
		c.end(finish)
	case tearsOff:
		c.writePart(out)
		c.end(reset)
	case fallsShort:
		c.writeShort(out)
	case beginsLate:
		if !c.server.pause(ctx, out.delay) {
			c.end(reset)
			return
		}
		c.write(out, len(out.reply.body))
	case pauses:
		c.writePart(out)
		if !c.server.pause(ctx, out.delay) {
			c.end(reset)
			return
		}
		_, _ = c.writer.Write(out.reply.body[out.cut:])
	default:
		c.end(reset)
	}
}

// write sends the head and the first bytes of the body.
func (c *writerCarrier) write(out outcome, bytes int) {
	out.reply.fill(c.writer.Header(), out.replayed)
	c.writer.WriteHeader(out.reply.status)
	if bodyAllowed(out.reply.status) {
		_, _ = c.writer.Write(out.reply.body[:bytes]) // the client may be gone, which is its own affair
	}
}

func (c *writerCarrier) writePart(out outcome) {
	c.write(out, out.cut)
	_ = http.NewResponseController(c.writer).Flush()
}

// writeShort announces more than comes. net/http would not, so it is written by hand
// where the connection can be had.
func (c *writerCarrier) writeShort(out outcome) {
	conn, ok := c.take()
	if !ok {
		out.cut = len(out.reply.body)
		out.reply.fill(c.writer.Header(), out.replayed)
		c.writer.Header().Set("Content-Length", strconv.Itoa(len(out.reply.body)+shortBy))
		c.writer.WriteHeader(out.reply.status)
		_, _ = c.writer.Write(out.reply.body)
		return
	}
	header := http.Header{}
	out.reply.fill(header, out.replayed)
	header.Set("Content-Length", strconv.Itoa(len(out.reply.body)+shortBy))
	_, _ = fmt.Fprintf(conn, "HTTP/1.1 %d %s\r\n", out.reply.status, http.StatusText(out.reply.status))
	_ = header.Write(conn)
	_, _ = conn.Write(append([]byte("\r\n"), out.reply.body...))
	finish(conn)
}

// take takes the connection away from net/http; ok is false where it cannot be had.
func (c *writerCarrier) take() (net.Conn, bool) {
	conn, _, err := http.NewResponseController(c.writer).Hijack()
	return conn, err == nil
}

// end ends the connection in the given way, or the response unfinished where the
// connection cannot be had.
func (c *writerCarrier) end(how func(net.Conn)) {
	conn, ok := c.take()
	if !ok {
		panic(http.ErrAbortHandler) // net/http's way to end a response unfinished
	}
	how(conn)
}
