package durable

import (
	"context"
	"errors"
	"fmt"
	"net"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"
)

// limit is a setting of a session of PostgreSQL.
type limit struct{ name, value string }

// answeringLimits break what would hold up every other node: the transaction of a
// process that is frozen or cut off, and whoever waits for it for too long. All of it
// is over within the time for which nodes go on sending (Lease.Send). To wait for a
// lock is given up later than an idle transaction is broken, so that who waits for a
// frozen process gets the lock.
var answeringLimits = []limit{
	{"idle_in_transaction_session_timeout", "5s"},
	{"lock_timeout", "8s"},
	{"statement_timeout", "30s"},
	// Of connections through which nothing comes: also while the server writes to them.
	{"tcp_keepalives_idle", "10"},
	{"tcp_keepalives_interval", "5"},
	{"tcp_keepalives_count", "3"},
	{"tcp_user_timeout", "20000"},
}

// makingLimits are those of connections that make tables, which may take their time.
var makingLimits = []limit{{"idle_in_transaction_session_timeout", "30s"}}

// setLimits sets what neither the URL nor the administrator has set for the role or the
// database. A name that the server does not know is left out.
func setLimits(ctx context.Context, c *pgx.Conn, limits []limit) error {
	rows := make([]string, len(limits))
	for n, l := range limits {
		rows[n] = "('" + l.name + "', '" + l.value + "')"
	}
	_, err := c.Exec(ctx, `SELECT set_config(s.name, w.value, false) FROM (VALUES `+strings.Join(rows, ", ")+`) AS w (name, value)
		JOIN pg_settings s ON s.name = w.name WHERE s.source NOT IN ('client', 'user', 'database', 'database user')`)
	if err != nil {
		return fmt.Errorf("limit a connection: %w", err)
	}
	return nil
}

// Of connections of this process: how soon it is found out that the server is gone.
var keepAlive = net.KeepAliveConfig{Enable: true, Idle: 10 * time.Second, Interval: 5 * time.Second, Count: 3}

// preparePool makes the connections of a pool such that none holds up others.
func (d *database) preparePool(config *pgxpool.Config) {
	if !strings.Contains(config.ConnString(), "pool_max_conns") {
		config.MaxConns = poolConnections
	}
	dialer := &net.Dialer{KeepAliveConfig: keepAlive, Timeout: config.ConnConfig.ConnectTimeout}
	config.ConnConfig.DialFunc = dialer.DialContext
	config.AfterConnect = func(ctx context.Context, c *pgx.Conn) error {
		if d.answers.Load() {
			return setLimits(ctx, c, answeringLimits)
		}
		return setLimits(ctx, c, makingLimits)
	}
	before := config.ConnConfig.OnPgError
	config.ConnConfig.OnPgError = func(c *pgconn.PgConn, err *pgconn.PgError) bool {
		// False gives up the connection; only then the error is passed on as it is here.
		return !markNoAnswer(err) && before(c, err)
	}
}

// markNoAnswer makes a limit that was reached what it is: a database that does not
// answer. The journal does again what failed so, with what is to be recorded, where it
// would take another error for the outcome. The routine tells a limit from a lock that
// somebody did not want to wait for.
func markNoAnswer(err *pgconn.PgError) bool {
	const lockNotAvailable, queryCanceled, connectionFailure = "55P03", "57014", "08006"
	if err.Routine != "ProcessInterrupts" || err.Code != lockNotAvailable && err.Code != queryCanceled {
		return false
	}
	err.Code = connectionFailure
	return true
}

// startAnswering puts the limits of every day onto the connections, once all tables are there.
func (d *database) startAnswering() {
	if d.lite == nil && !d.answers.Swap(true) {
		d.pool.Reset() // those that made tables are closed when they are free
	}
}

// makingLock is the advisory lock of PostgreSQL under which all tables are made, those
// of the journal too. The number is arbitrary and never changes.
const makingLock = 0x77656674_6f70656e

// Of the connection that holds makingLock: how often it says that its process is not
// frozen, and after which silence the server lets the next process make tables.
const (
	makingBeat    = 2 * time.Second
	makingSilence = "15s"
)

// alone does something while no other process of this database does, for PostgreSQL.
// SQLite has one writer anyway.
//
// The lock is tried for and not waited for: an index that is made beside readers waits
// for every statement that runs, also for one that waits for this lock.
func (d *database) alone(ctx context.Context, do func() error) (err error) {
	if d.lite != nil {
		return do()
	}
	c, err := pgx.ConnectConfig(ctx, d.pool.Config().ConnConfig)
	if err != nil {
		return err
	}
	// That ends the session, and with it the lock.
	defer func() { _ = c.Close(context.WithoutCancel(ctx)) }()
	if err := setLimits(ctx, c, append([]limit{{"idle_session_timeout", makingSilence}}, makingLimits...)); err != nil {
		return err
	}
	for locked := false; !locked; {
		if err := c.QueryRow(ctx, "SELECT pg_try_advisory_lock($1)", int64(makingLock)).Scan(&locked); err != nil {
			return err
		}
		if !locked {
			select {
			case <-ctx.Done():
				return ctx.Err()
			case <-time.After(50 * time.Millisecond):
			}
		}
	}
	done, ended := make(chan struct{}), make(chan error, 1)
	go func() { ended <- keepSession(ctx, c, done) }()
	err = do()
	close(done)
	return errors.Join(err, <-ended)
}

// keepSession asks a session for nothing until done is closed, so that it is not idle.
func keepSession(ctx context.Context, c *pgx.Conn, done <-chan struct{}) error {
	tick := time.NewTicker(makingBeat)
	defer tick.Stop()
	for {
		select {
		case <-done:
			return nil
		case <-tick.C:
			if err := c.Ping(ctx); err != nil {
				return fmt.Errorf("the lock under which tables are made is lost: %w", err)
			}
		}
	}
}
