package durable

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5/pgxpool"
)

// mostActing is how many executions of a process do something at a time. The others stand
// in line: so many runs as there may be, what is asked of the database in between, as by
// starts and messages, does not wait behind all of them. To wait for an answer or for a
// message is to do nothing.
const mostActing = 32

type slots chan struct{}

func newSlots() slots { return make(slots, mostActing) }

// act waits until the execution may do something.
func (x *execution) act() {
	select {
	case x.driver.slots <- struct{}{}:
		x.acts = true
	case <-x.ctx.Done():
		x.leave(x.ctx.Err())
	}
}

// rest lets another execution do something.
func (x *execution) rest() {
	if x.acts {
		x.acts = false
		<-x.driver.slots
	}
}

// pulse is the connection over which a node says that it lives: its own, so that its runs
// never keep it waiting. In SQLite all share one.
type pulse struct {
	conn
	pool *pgxpool.Pool // nil: SQLite
}

func (d *database) openPulse(ctx context.Context) (*pulse, error) {
	if d.lite != nil {
		return &pulse{conn: d.conn}, nil
	}
	config := d.pool.Config()
	config.MaxConns, config.MinConns, config.MinIdleConns = 1, 0, 0
	pool, err := pgxpool.NewWithConfig(ctx, config)
	if err != nil {
		return nil, fmt.Errorf("connect to PostgreSQL: %w", err)
	}
	return &pulse{conn: pgConn{pool}, pool: pool}, nil
}

func (p *pulse) close() {
	if p.pool != nil {
		p.pool.Close()
	}
}
