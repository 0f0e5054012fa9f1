package durable

import (
	"context"
	"fmt"
	"time"

	"github.com/weft-flow/weft/executor"
)

// lookAgain is how often who follows a run looks at the database without news: events
// are not announced to other processes.
const lookAgain = 500 * time.Millisecond

// Wait waits until a run has ended, wherever it is executed, and gives its result, in which
// passwords and credentials are masked.
func (s *Store) Wait(ctx context.Context, run string) (executor.Result, error) {
	return s.Follow(ctx, run, 0, nil)
}

// Follow gives the events of a run behind the number after to the sink, those that
// there are and those that come, until the run has ended; then its result. With the
// sink nil it only waits. An error of the sink ends it.
func (s *Store) Follow(ctx context.Context, run string, after int, sink executor.Sink) (executor.Result, error) {
	listen := s.news.follow
	if sink == nil {
		listen = s.news.listen // for its end
	}
	news := listen(run)
	defer news.stop()
	tick := time.NewTicker(lookAgain)
	defer tick.Stop()
	for {
		woken := news.woken()
		// The end is looked for first: all events are there when it is.
		result, ended, err := s.Result(ctx, run)
		if err != nil {
			return executor.Result{}, err
		}
		for more := sink != nil; more; {
			events, err := s.Events(ctx, run, after, eventsInPage)
			if err != nil {
				return executor.Result{}, err
			}
			for _, e := range events {
				if err := sink.Write(e); err != nil {
					return executor.Result{}, fmt.Errorf("tell of the run %s: %w", run, err)
				}
				after = e.Sequence
			}
			more = len(events) == eventsInPage
		}
		if ended {
			return result, nil
		}
		select {
		case <-ctx.Done():
			return executor.Result{}, context.Cause(ctx)
		case <-woken:
		case <-tick.C:
		}
	}
}

const eventsInPage = 500

// Events gives at most limit events of a run behind the number after, in order.
func (s *Store) Events(ctx context.Context, run string, after, limit int) ([]executor.Event, error) {
	var events []executor.Event
	err := s.db.each(ctx, "SELECT sequence, data FROM weft_event WHERE run = $1 AND sequence > $2 ORDER BY sequence LIMIT $3", []any{run, after, limit},
		func(r row) error {
			var sequence int
			var data []byte
			if err := r.Scan(&sequence, &data); err != nil {
				return err
			}
			data, err := s.seal.openEvent(run, data)
			if err != nil {
				return err
			}
			e, err := readEvent(run, sequence, data)
			events = append(events, e)
			return err
		})
	if err != nil {
		return nil, fmt.Errorf("the events of the run %s: %w", run, err)
	}
	return events, nil
}
