package durable

import (
	"context"
	"database/sql"
	sqldriver "database/sql/driver"
	"errors"
	"fmt"
	"strings"

	sqlite3 "modernc.org/sqlite"
)

// mostPrepared is how many statements a connection to SQLite keeps prepared. There are
// fewer, but for those that insert any number of rows.
const mostPrepared = 128

// openPrepared opens an SQLite file through connections that keep statements prepared, the
// journal's and those of the tokens as well: to parse them anew each time is a large part
// of what a record takes. around is put around the connector; nil: nothing is.
func openPrepared(dsn string, around func(sqldriver.Connector) sqldriver.Connector) (*sql.DB, error) {
	lite, err := sqlite3.NewConnector(dsn)
	if err != nil {
		return nil, err
	}
	connector := sqldriver.Connector(preparing{lite})
	if around != nil {
		connector = around(connector)
	}
	return sql.OpenDB(connector), nil
}

type preparing struct{ sqldriver.Connector }

// Connect opens a connection.
func (p preparing) Connect(ctx context.Context) (sqldriver.Conn, error) {
	c, err := p.Connector.Connect(ctx)
	if err != nil {
		return nil, err
	}
	all, ok := c.(sqliteConn)
	if !ok {
		return nil, errors.Join(fmt.Errorf("a connection to SQLite is a %T, which lacks what is needed", c), c.Close())
	}
	return &preparedConn{sqliteConn: all, kept: map[string]*preparedStmt{}}, nil
}

// sqliteConn is what connections of the driver can do.
type sqliteConn interface {
	sqldriver.Conn
	sqldriver.ConnBeginTx
	sqldriver.ConnPrepareContext
	sqldriver.ExecerContext
	sqldriver.QueryerContext
	sqldriver.Pinger
	sqldriver.SessionResetter
	sqldriver.Validator
}

// preparedConn is a connection that keeps statements. Whoever calls it does one thing at a
// time, but may leave the rows of a statement open meanwhile.
type preparedConn struct {
	sqliteConn
	kept map[string]*preparedStmt
}

type preparedStmt struct {
	sqldriver.Stmt
	reading bool // its rows are open: it cannot be run again
}

// Unwrap gives the connection of the driver.
func (c *preparedConn) Unwrap() sqldriver.Conn { return c.sqliteConn }

// Close forgets the statements first.
func (c *preparedConn) Close() error {
	var err error
	for _, s := range c.kept {
		err = errors.Join(err, s.Close())
	}
	clear(c.kept)
	return errors.Join(err, c.sqliteConn.Close())
}

// ExecContext runs a statement, which is prepared the first time.
func (c *preparedConn) ExecContext(ctx context.Context, text string, arguments []sqldriver.NamedValue) (sqldriver.Result, error) {
	s, err := c.prepared(ctx, text)
	if err != nil {
		return nil, err
	}
	if s == nil {
		return c.sqliteConn.ExecContext(ctx, text, arguments)
	}
	return s.Stmt.(sqldriver.StmtExecContext).ExecContext(ctx, arguments)
}

// QueryContext asks something, which is prepared the first time.
func (c *preparedConn) QueryContext(ctx context.Context, text string, arguments []sqldriver.NamedValue) (sqldriver.Rows, error) {
	s, err := c.prepared(ctx, text)
	if err != nil {
		return nil, err
	}
	if s == nil {
		return c.sqliteConn.QueryContext(ctx, text, arguments)
	}
	rows, err := s.Stmt.(sqldriver.StmtQueryContext).QueryContext(ctx, arguments)
	if err != nil {
		return nil, err
	}
	s.reading = true
	return &preparedRows{rows, s}, nil
}

// prepared gives a statement that is kept; nil: it is not to be kept, or is being read.
func (c *preparedConn) prepared(ctx context.Context, text string) (*preparedStmt, error) {
	if s, ok := c.kept[text]; ok {
		if s.reading {
			return nil, nil
		}
		return s, nil
	}
	if !isKept(text) {
		return nil, nil
	}
	c.makeRoom()
	stmt, err := c.PrepareContext(ctx, text)
	if err != nil {
		return nil, err
	}
	s := &preparedStmt{Stmt: stmt}
	c.kept[text] = s
	return s, nil
}

// isKept tells whether a text is one statement that reads or changes rows: what makes
// tables or asks for settings is run once.
func isKept(text string) bool {
	verb, _, _ := strings.Cut(strings.TrimSpace(text), " ")
	switch strings.ToUpper(verb) {
	case "SELECT", "INSERT", "UPDATE", "DELETE", "WITH":
		return !strings.Contains(text, ";")
	default:
		return false
	}
}

// makeRoom forgets a statement, any one, where there are too many.
func (c *preparedConn) makeRoom() {
	for text, s := range c.kept {
		if len(c.kept) < mostPrepared {
			return
		}
		if !s.reading {
			delete(c.kept, text)
			_ = s.Close() // what it came to was told when it was run
		}
	}
}

// preparedRows lets their statement be run again once they are closed.
type preparedRows struct {
	sqldriver.Rows
	of *preparedStmt
}

// Close ends the reading.
func (r *preparedRows) Close() error {
	err := r.Rows.Close()
	r.of.reading = false
	return err
}
