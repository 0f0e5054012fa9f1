package mock

import (
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"io"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"

	"golang.org/x/net/http2"
	"golang.org/x/net/http2/hpack"
)

// Limits of a connection over HTTP/2.
const (
	mostStreams   = 100
	prefaceTime   = 30 * time.Second
	largestHeader = 1 << 20 // bytes, of a whole header
)

// http2Conn is one connection over HTTP/2 (RFC 9113), written out so that it can be
// broken in all the ways in which servers break it.
type http2Conn struct {
	server *Server
	conn   *tls.Conn
	number int
	reader *http2.Framer // used by the loop alone
	ctx    context.Context

	mu      sync.Mutex // of all below, and of writing
	writer  *http2.Framer
	packer  *hpack.Encoder
	packed  bytes.Buffer
	window  window // of the connection
	initial int64  // window of a new stream
	streams map[uint32]*http2Stream
	count   int
	room    *sync.Cond // signalled when a window opens or the connection ends
	ended   bool
}

// window is how much may be sent.
type window struct{ left int64 }

// serveHTTP2 serves a connection until it ends.
func (s *Server) serveHTTP2(ctx context.Context, conn *tls.Conn) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	c := &http2Conn{
		server: s, conn: conn, number: int(s.connections.Add(1)), ctx: ctx,
		reader: http2.NewFramer(io.Discard, conn), writer: http2.NewFramer(conn, nil),
		window: window{65_535}, initial: 65_535, streams: map[uint32]*http2Stream{},
	}
	c.packer, c.room = hpack.NewEncoder(&c.packed), sync.NewCond(&c.mu)
	c.reader.ReadMetaHeaders = hpack.NewDecoder(4096, nil)
	c.reader.MaxHeaderListSize = largestHeader
	var running sync.WaitGroup
	c.loop(&running)
	cancel()
	c.end()
	_ = conn.Close() // whatever was to be said was said
	running.Wait()
}

// loop reads frames until the connection ends or breaks the protocol.
func (c *http2Conn) loop(running *sync.WaitGroup) {
	_ = c.conn.SetReadDeadline(time.Now().Add(prefaceTime)) // it then fails to read
	preface := make([]byte, len(http2.ClientPreface))
	if _, err := io.ReadFull(c.conn, preface); err != nil || string(preface) != http2.ClientPreface {
		return
	}
	_ = c.conn.SetReadDeadline(time.Time{})
	c.write(func() error {
		return c.writer.WriteSettings(http2.Setting{ID: http2.SettingMaxConcurrentStreams, Val: mostStreams})
	})
	for {
		frame, err := c.reader.ReadFrame()
		var broken http2.StreamError
		switch {
		case errors.As(err, &broken):
			c.write(func() error { return c.writer.WriteRSTStream(broken.StreamID, broken.Code) })
		case err != nil:
			return
		default:
			c.take(frame, running)
		}
	}
}

// take does what a frame asks for.
func (c *http2Conn) take(frame http2.Frame, running *sync.WaitGroup) {
	switch f := frame.(type) {
	case *http2.SettingsFrame:
		c.settle(f)
	case *http2.PingFrame:
		if !f.IsAck() {
			c.write(func() error { return c.writer.WritePing(true, f.Data) })
		}
	case *http2.WindowUpdateFrame:
		c.open(f)
	case *http2.MetaHeadersFrame:
		c.begin(f, running)
	case *http2.DataFrame:
		c.data(f)
	case *http2.RSTStreamFrame:
		if st := c.stream(f.StreamID); st != nil {
			st.cancel()
		}
	}
}

func (c *http2Conn) settle(f *http2.SettingsFrame) {
	if f.IsAck() {
		return
	}
	c.mu.Lock()
	if initial, ok := f.Value(http2.SettingInitialWindowSize); ok {
		for _, st := range c.streams {
			st.window.left += int64(initial) - c.initial
		}
		c.initial = int64(initial)
		c.room.Broadcast()
	}
	c.mu.Unlock()
	c.write(c.writer.WriteSettingsAck)
}

func (c *http2Conn) open(f *http2.WindowUpdateFrame) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if f.StreamID == 0 {
		c.window.left += int64(f.Increment)
	} else if st := c.streams[f.StreamID]; st != nil {
		st.window.left += int64(f.Increment)
	}
	c.room.Broadcast()
}

// begin takes a request, which is answered on a goroutine of its own.
func (c *http2Conn) begin(f *http2.MetaHeadersFrame, running *sync.WaitGroup) {
	if st := c.stream(f.StreamID); st != nil { // trailers
		st.body.close(nil)
		return
	}
	ctx, cancel := context.WithCancel(c.ctx)
	st := &http2Stream{conn: c, id: f.StreamID, cancel: cancel, body: newPipe(), bare: f.PseudoValue("method") == http.MethodHead}
	if f.StreamEnded() {
		st.body.close(nil)
	}
	c.mu.Lock()
	c.count++
	st.first = c.count == 1
	st.window.left = c.initial
	full := len(c.streams) >= mostStreams
	if !full {
		c.streams[st.id] = st
	}
	c.mu.Unlock()
	if full {
		cancel()
		c.write(func() error { return c.writer.WriteRSTStream(st.id, http2.ErrCodeRefusedStream) })
		return
	}
	request := requestOf(f, st.body)
	state := c.conn.ConnectionState()
	request.TLS = &state
	running.Go(func() {
		defer c.forget(st)
		c.server.serve(request.WithContext(ctx), st)
	})
}

// requestOf makes a request of the fields of a HEADERS frame.
func requestOf(f *http2.MetaHeadersFrame, body io.ReadCloser) *http.Request {
	r := &http.Request{
		Method: f.PseudoValue("method"), RequestURI: f.PseudoValue("path"), Host: f.PseudoValue("authority"),
		Proto: "HTTP/2.0", ProtoMajor: 2, Header: http.Header{}, Body: body, ContentLength: -1,
	}
	u, err := url.ParseRequestURI(r.RequestURI)
	if err != nil {
		u = &url.URL{Path: "/"} // it leads to nothing that there is
	}
	r.URL = u
	var cookies []string
	for _, field := range f.RegularFields() {
		if field.Name == "cookie" {
			cookies = append(cookies, field.Value)
			continue
		}
		r.Header.Add(field.Name, field.Value)
	}
	if len(cookies) > 0 { // RFC 9113, section 8.2.3
		r.Header.Set("Cookie", strings.Join(cookies, "; "))
	}
	return r
}

func (c *http2Conn) data(f *http2.DataFrame) {
	if n := f.Length; n > 0 { // what was taken may be sent again at once
		c.write(func() error {
			if err := c.writer.WriteWindowUpdate(0, n); err != nil || f.StreamEnded() {
				return err
			}
			return c.writer.WriteWindowUpdate(f.StreamID, n)
		})
	}
	st := c.stream(f.StreamID)
	if st == nil {
		return
	}
	st.body.add(f.Data(), c.server.options.MaxBody)
	if f.StreamEnded() {
		st.body.close(nil)
	}
}

func (c *http2Conn) stream(id uint32) *http2Stream {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.streams[id]
}

func (c *http2Conn) forget(st *http2Stream) {
	st.cancel()
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.streams, st.id)
}

// write writes frames that nothing comes between. An error ends the connection,
// which the loop then sees.
func (c *http2Conn) write(frames func() error) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.ended {
		return false
	}
	if frames() != nil {
		c.ended = true
		_ = c.conn.Close()
	}
	return !c.ended
}

// end lets nobody wait any more.
func (c *http2Conn) end() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.ended = true
	for _, st := range c.streams {
		st.body.close(io.ErrUnexpectedEOF)
	}
	c.room.Broadcast()
}

// breakOff ends the connection in the given way; nothing more is written.
func (c *http2Conn) breakOff(how func()) {
	c.mu.Lock()
	c.ended = true
	c.room.Broadcast()
	c.mu.Unlock()
	how()
}
