package durable

import (
	"context"
	sqldriver "database/sql/driver"
	"encoding/binary"
	"io"
	"net"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"
)

// counted gives the URL of a database and the options by which it counts what it is asked:
// all that a connection has it do, also to begin and to end a transaction.
func counted(t testing.TB, text string) (through string, o Options, asked func() int64) {
	t.Helper()
	if strings.HasPrefix(text, "sqlite:") {
		count := &atomic.Int64{}
		o.around = func(c sqldriver.Connector) sqldriver.Connector { return countingConnector{c, count} }
		return text, o, count.Load
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
	return u.String(), o, c.asked.Load
}

// countingConnector counts what the connections to an SQLite file have it do.
type countingConnector struct {
	sqldriver.Connector
	asked *atomic.Int64
}

func (c countingConnector) Connect(ctx context.Context) (sqldriver.Conn, error) {
	conn, err := c.Connector.Connect(ctx)
	if err != nil {
		return nil, err
	}
	return countingConn{conn.(*preparedConn), c.asked}, nil
}

type countingConn struct {
	*preparedConn
	asked *atomic.Int64
}

func (c countingConn) ExecContext(ctx context.Context, text string, arguments []sqldriver.NamedValue) (sqldriver.Result, error) {
	c.asked.Add(1)
	return c.preparedConn.ExecContext(ctx, text, arguments)
}

func (c countingConn) QueryContext(ctx context.Context, text string, arguments []sqldriver.NamedValue) (sqldriver.Rows, error) {
	c.asked.Add(1)
	return c.preparedConn.QueryContext(ctx, text, arguments)
}

func (c countingConn) PrepareContext(ctx context.Context, text string) (sqldriver.Stmt, error) {
	c.asked.Add(1) // what is prepared by hand is run
	return c.preparedConn.PrepareContext(ctx, text)
}

func (c countingConn) BeginTx(ctx context.Context, o sqldriver.TxOptions) (sqldriver.Tx, error) {
	c.asked.Add(1)
	tx, err := c.preparedConn.BeginTx(ctx, o)
	return countingTx{tx, c.asked}, err
}

type countingTx struct {
	sqldriver.Tx
	asked *atomic.Int64
}

func (t countingTx) Commit() error {
	t.asked.Add(1)
	return t.Tx.Commit()
}

func (t countingTx) Rollback() error {
	t.asked.Add(1)
	return t.Tx.Rollback()
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
