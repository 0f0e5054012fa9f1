package durable

import (
	"encoding/binary"
	"io"
	"net"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"
)

// counted gives the URL of a database by which it counts what it is asked: all that a
// connection has it do, also to begin and to end a transaction.
func counted(t testing.TB, text string) (through string, asked func() int64) {
	t.Helper()
	if strings.HasPrefix(text, "sqlite:") {
		return text, func() int64 { return 0 }
	}
	u, err := url.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	listener, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = listener.Close() })
	c := &counter{server: u.Host}
	go c.serve(listener)
	u.Host = listener.Addr().String()
	u.RawQuery = "sslmode=disable"
	return u.String(), c.asked.Load
}

// counter passes on what is sent to a PostgreSQL server, and counts.
type counter struct {
	server string
	asked  atomic.Int64
}

func (c *counter) serve(listener net.Listener) {
	for {
		client, err := listener.Accept()
		if err != nil {
			return
		}
		go c.connect(client)
	}
}

func (c *counter) connect(client net.Conn) {
	defer func() { _ = client.Close() }()
	server, err := (&net.Dialer{}).Dial("tcp", c.server)
	if err != nil {
		return
	}
	defer func() { _ = server.Close() }()
	go func() {
		_, _ = io.Copy(client, server)
		_ = client.Close()
	}()
	_ = c.pass(server, client)
}

// pass passes on the messages of a client. The first has no type.
func (c *counter) pass(server io.Writer, client io.Reader) error {
	const simpleQuery, execute = 'Q', 'E'
	for first := true; ; first = false {
		head := make([]byte, 5)
		if first {
			head = head[1:]
		}
		if _, err := io.ReadFull(client, head); err != nil {
			return err
		}
		if kind := head[0]; !first && (kind == simpleQuery || kind == execute) {
			c.asked.Add(1)
		}
		if _, err := server.Write(head); err != nil {
			return err
		}
		const length = 4 // counts itself
		rest := int64(binary.BigEndian.Uint32(head[len(head)-length:])) - length
		if _, err := io.CopyN(server, client, rest); err != nil {
			return err
		}
	}
}
