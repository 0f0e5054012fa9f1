package httpcall

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/weft-flow/weft/arazzo/source"
	"github.com/weft-flow/weft/arazzo/value"
	"github.com/weft-flow/weft/executor"
	"github.com/weft-flow/weft/idempotency"
)

// rawServer is a server without an HTTP library: it counts every request of which
// a byte arrives, and does to connections what a test says. It writes onto
// connections that tests break, so that errors of writing mean nothing to it.
type rawServer struct {
	url string

	mu       sync.Mutex
	requests []*rawRequest
	fired    []string // the faults that happened
}

// rawRequest is a request as it arrived.
type rawRequest struct {
	connection int // number of the connection, from 1
	nth        int // number of the request on it, from 1
	head, body string
}

// rawConn is one connection to a rawServer.
type rawConn struct {
	net.Conn
	server *rawServer
	number int
	reader *bufio.Reader
	nth    int
}

// newRawServer starts a server that plays every connection by play.
func newRawServer(t testing.TB, play func(*rawConn)) *rawServer {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s := &rawServer{url: "http://" + listener.Addr().String()}
	s.accept(t, listener, play)
	return s
}

func (s *rawServer) accept(t testing.TB, listener net.Listener, play func(*rawConn)) {
	var all sync.WaitGroup
	var mu sync.Mutex
	var open []net.Conn
	all.Go(func() {
		for number := 1; ; number++ {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			mu.Lock()
			open = append(open, conn)
			mu.Unlock()
			all.Go(func() {
				defer conn.Close()
				play(&rawConn{Conn: conn, server: s, number: number, reader: bufio.NewReader(conn)})
			})
		}
	})
	t.Cleanup(func() {
		listener.Close()
		mu.Lock()
		for _, conn := range open {
			conn.Close()
		}
		mu.Unlock()
		all.Wait()
	})
}

// read waits for the next request and reads it to its end; nil where the
// connection ends.
func (c *rawConn) read() *rawRequest {
	r, length := c.readHead()
	if r == nil {
		return nil
	}
	body := make([]byte, length)
	if _, err := io.ReadFull(c.reader, body); err != nil {
		return nil
	}
	c.server.mu.Lock()
	defer c.server.mu.Unlock()
	r.body = string(body)
	return r
}

// readHead reads the next request up to its body, and gives the body's length.
func (c *rawConn) readHead() (*rawRequest, int) {
	if _, err := c.reader.Peek(1); err != nil {
		return nil, 0
	}
	c.nth++
	r := &rawRequest{connection: c.number, nth: c.nth}
	c.server.mu.Lock()
	c.server.requests = append(c.server.requests, r)
	c.server.mu.Unlock()
	length := 0
	var head strings.Builder
	for {
		line, err := c.reader.ReadString('\n')
		if err != nil {
			return nil, 0
		}
		if line == "\r\n" {
			break
		}
		head.WriteString(line)
		if name, text, ok := strings.Cut(line, ":"); ok && strings.EqualFold(name, "Content-Length") {
			length, _ = strconv.Atoi(strings.TrimSpace(text))
		}
	}
	c.server.mu.Lock()
	defer c.server.mu.Unlock()
	r.head = head.String()
	return r, length
}

// answer writes a whole response.
func (c *rawConn) answer(status int, body string, header ...string) {
	var fields strings.Builder
	for _, field := range header {
		fields.WriteString(field + "\r\n")
	}
	fmt.Fprintf(c, "HTTP/1.1 %d %s\r\n%sContent-Length: %d\r\n\r\n%s",
		status, http.StatusText(status), &fields, len(body), body)
}

// reset breaks the connection with an RST.
func (c *rawConn) reset() {
	if tcp, ok := c.Conn.(*net.TCPConn); ok {
		tcp.SetLinger(0)
	}
	c.Close()
}

// fire records that a fault happens.
func (s *rawServer) fire(fault string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.fired = append(s.fired, fault)
}

// mustFire fails the test unless the fault happened, and first of all.
func (s *rawServer) mustFire(t *testing.T, fault string) {
	t.Helper()
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.fired) == 0 || s.fired[0] != fault {
		t.Fatalf("the fault %q did not fire, what fired is %q", fault, s.fired)
	}
}

// arrived gives the requests for a path that arrived, whole or in part.
func (s *rawServer) arrived(path string) []rawRequest {
	s.mu.Lock()
	defer s.mu.Unlock()
	var found []rawRequest
	for _, r := range s.requests {
		line, _, _ := strings.Cut(r.head, "\r\n")
		if parts := strings.Fields(line); len(parts) < 2 || strings.HasPrefix(parts[1], path) {
			found = append(found, *r)
		}
	}
	return found
}

// ok plays a server that answers 200 to everything.
func ok(c *rawConn) {
	for c.read() != nil {
		c.answer(http.StatusOK, `{"ok":true}`)
	}
}

// aCall gives a call without arguments. POST and PATCH are effectful.
func aCall(method, server, path string) executor.Call {
	return executor.Call{
		Name:      "w/s#1/1",
		Operation: &source.Operation{Method: method, Path: path},
		Server:    server,
		Effectful: method == http.MethodPost || method == http.MethodPatch,
	}
}

func withKey(c executor.Call) executor.Call {
	c.Key = &idempotency.Key{Header: "Idempotency-Key", Value: "key-1"}
	c.Contract = true
	return c
}

func withBody(c executor.Call) executor.Call {
	c.Body = &executor.Body{ContentType: "application/json", Value: value.Object(value.Member{Name: "n", Value: value.Int(1)})}
	return c
}

// do prepares and makes a call.
func do(t testing.TB, c *Client, call executor.Call) executor.Exchange {
	t.Helper()
	p, err := Prepare(call)
	if err != nil {
		t.Fatal(err)
	}
	return c.Do(t.Context(), p, call)
}

func newClient(t testing.TB, o Options) *Client {
	c := New(o)
	t.Cleanup(c.Close)
	return c
}

// tunnel copies both ways until one end closes.
func tunnel(c *rawConn, to net.Conn) {
	var both sync.WaitGroup
	both.Go(func() { io.Copy(to, c.reader); to.Close() })
	both.Go(func() { io.Copy(c, to); c.Close() })
	both.Wait()
}
