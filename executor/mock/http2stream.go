package mock

import (
	"context"
	"io"
	"net/http"
	"strconv"
	"strings"
	"sync"

	"golang.org/x/net/http2"
	"golang.org/x/net/http2/hpack"
)

// http2Stream is one request over HTTP/2, and brings its outcome.
type http2Stream struct {
	conn   *http2Conn
	id     uint32
	first  bool
	bare   bool // it is a HEAD: its response has no body
	body   *pipe
	cancel context.CancelFunc
	window window // guarded by the connection
}

func (st *http2Stream) protocol() string { return "HTTP/2.0" }

func (st *http2Stream) connection() (int, bool) { return st.conn.number, st.first }

func (st *http2Stream) deliver(ctx context.Context, out outcome, keep bool) {
	c := st.conn
	switch out.manner {
	case answers:
		st.head(out, out.replayed, 0)
		st.send(out.reply.body, true)
	case hangs:
		c.server.hang(ctx)
		st.reset(http2.ErrCodeCancel)
	case closes:
		c.breakOff(func() { finish(c.conn) })
	case resets:
		c.breakOff(func() { reset(c.conn) })
	case cutsOff:
		st.part(out)
		c.breakOff(func() { finish(c.conn) })
	case tearsOff:
		st.part(out)
		c.breakOff(func() { reset(c.conn) })
	case fallsShort:
		st.head(out, out.replayed, shortBy)
		st.send(out.reply.body, true)
	case beginsLate:
		if c.server.pause(ctx, out.delay) {
			st.head(out, out.replayed, 0)
			st.send(out.reply.body, true)
		}
	case pauses:
		st.part(out)
		if c.server.pause(ctx, out.delay) {
			st.send(out.reply.body[out.cut:], true)
		}
	case refusesStream:
		st.reset(http2.ErrCodeRefusedStream)
	case goesAway:
		st.goAway(max(st.id, 2) - 2) // the streams of clients are 1, 3, 5, …
		c.breakOff(func() { finish(c.conn) })
	case breaksProtocol:
		st.reset(http2.ErrCodeProtocol)
	}
	if !keep {
		st.goAway(st.id)
	}
}

func (st *http2Stream) part(out outcome) {
	st.head(out, out.replayed, 0)
	st.send(out.reply.body[:out.cut], false)
}

// head sends the head of a response, which announces more bytes than the body has.
func (st *http2Stream) head(out outcome, replayed bool, more int) {
	header := http.Header{}
	out.reply.fill(header, replayed)
	withBody := bodyAllowed(out.reply.status) && len(out.reply.body) > 0 && !st.bare
	if more > 0 {
		header.Set("Content-Length", strconv.Itoa(len(out.reply.body)+more))
	}
	c := st.conn
	c.write(func() error {
		c.packed.Reset()
		fields := []hpack.HeaderField{{Name: ":status", Value: strconv.Itoa(out.reply.status)}}
		for _, name := range sortedKeys(header) {
			for _, text := range header[name] {
				fields = append(fields, hpack.HeaderField{Name: strings.ToLower(name), Value: text})
			}
		}
		for _, f := range fields {
			if err := c.packer.WriteField(f); err != nil {
				return err
			}
		}
		return c.writer.WriteHeaders(http2.HeadersFrameParam{
			StreamID: st.id, BlockFragment: c.packed.Bytes(), EndHeaders: true, EndStream: !withBody,
		})
	})
}

// largestFrame is what every client takes (RFC 9113, section 4.2).
const largestFrame = 16 << 10

// send sends a part of the body as the windows allow; last tells that it is the end.
func (st *http2Stream) send(body []byte, last bool) {
	for len(body) > 0 && !st.bare {
		n := st.reserve(len(body))
		if n == 0 {
			return
		}
		part := body[:n]
		body = body[n:]
		if !st.conn.write(func() error { return st.conn.writer.WriteData(st.id, last && len(body) == 0, part) }) {
			return
		}
	}
}

// reserve waits until something may be sent, and takes it off the windows; 0: the
// connection or the stream has ended.
func (st *http2Stream) reserve(want int) int {
	c := st.conn
	c.mu.Lock()
	defer c.mu.Unlock()
	for !c.ended {
		if c.streams[st.id] == nil {
			return 0
		}
		if n := min(int64(want), largestFrame, c.window.left, st.window.left); n > 0 {
			c.window.left -= n
			st.window.left -= n
			return int(n)
		}
		c.room.Wait()
	}
	return 0
}

func (st *http2Stream) reset(code http2.ErrCode) {
	st.conn.write(func() error { return st.conn.writer.WriteRSTStream(st.id, code) })
}

func (st *http2Stream) goAway(last uint32) {
	st.conn.write(func() error { return st.conn.writer.WriteGoAway(last, http2.ErrCodeNo, nil) })
}

// pipe is the body of a request that comes in frames. The reader is never waited for,
// so that one request does not hold up the connection.
type pipe struct {
	mu    sync.Mutex
	more  *sync.Cond
	data  []byte
	taken int64
	err   error // io.EOF at the end
}

func newPipe() *pipe {
	p := &pipe{}
	p.more = sync.NewCond(&p.mu)
	return p
}

// add takes a part of the body; what goes past the limit by more than a frame is not
// kept, as nobody will read it.
func (p *pipe) add(data []byte, limit int64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.err != nil || p.taken > limit {
		return
	}
	p.taken += int64(len(data))
	p.data = append(p.data, data...)
	p.more.Signal()
}

func (p *pipe) close(err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.err == nil {
		if p.err = err; err == nil {
			p.err = io.EOF
		}
		p.more.Signal()
	}
}

// Read gives what has come, and waits for it.
func (p *pipe) Read(into []byte) (int, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for len(p.data) == 0 && p.err == nil {
		p.more.Wait()
	}
	n := copy(into, p.data)
	p.data = p.data[n:]
	if n == 0 {
		return 0, p.err
	}
	return n, nil
}

// Close does nothing: what still comes is kept up to the limit, and dropped with the pipe.
func (p *pipe) Close() error { return nil }
