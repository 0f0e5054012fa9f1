package durable

import (
	"context"
	"fmt"

	"github.com/weft-flow/weft/idempotency"
)

// Counts tells how many runs of a store stand where.
type Counts struct {
	// Accepted, Running and Ended are all runs, by their state.
	Accepted, Running, Ended int
	// Of those that have not ended: Parked, as something keeps them from being executed;
	// else AwaitingMessage; else Sleeping until a time.
	Parked, AwaitingMessage, Sleeping int
}

// Count counts the runs of the store, of all tenants.
func (s *Store) Count(ctx context.Context) (n Counts, err error) {
	_, err = one(ctx, s.db, "SELECT count(*) FROM weft_run WHERE state = 'ended'", nil, &n.Ended)
	if err == nil {
		err = s.db.each(ctx, `SELECT state, CASE WHEN parked <> '' THEN 'parked' WHEN waiting LIKE '%"inbox":true%' THEN 'message'
			WHEN waiting <> '' THEN 'time' ELSE '' END AS stands, count(*) FROM weft_run WHERE state <> 'ended' GROUP BY 1, 2`, nil, func(r row) error {
			var state, stands string
			var count int
			if err := r.Scan(&state, &stands, &count); err != nil {
				return err
			}
			n.add(idempotency.RunState(state), stands, count)
			return nil
		})
	}
	if err != nil {
		return Counts{}, fmt.Errorf("count the runs: %w", err)
	}
	return n, nil
}

func (n *Counts) add(state idempotency.RunState, stands string, count int) {
	if state == idempotency.Accepted {
		n.Accepted += count
	} else {
		n.Running += count
	}
	switch stands {
	case "parked":
		n.Parked += count
	case "message":
		n.AwaitingMessage += count
	case "time":
		n.Sleeping += count
	}
}
