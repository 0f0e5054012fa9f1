package durable

import (
	"context"
	"time"

	"github.com/weft-flow/weft/executor"
)

// Wait ends at the next message of the run's inbox, at a cancel, or at the deadline.
// What ends it is recorded; before is kept what the run waits for. Nothing is locked
// meanwhile.
//
// It waits before the recorded step, which then only has to look, so that a run that
// waits for days holds nothing of the journal. A replay does not wait.
func (x *execution) Wait(_ context.Context, until executor.WaitSpec) (executor.Signal, error) {
	transact(x, until.Name+":waits", func(ctx context.Context, c conn) (struct{}, error) {
		if until.Inbox && until.Expect != nil {
			if err := x.store.hub.expectIn(ctx, c, x.run, *until.Expect); err != nil {
				return struct{}{}, err
			}
		}
		return struct{}{}, x.sayWaiting(ctx, c, until)
	})
	if x.records == x.recorded { // it was an execution before that began to wait, and has ended
		x.must(x.sayWaiting(x.ctx, x.store.db, until))
	}
	if x.records >= x.recorded {
		_, err := x.wait(x.ctx, until)
		x.must(err)
	}
	return record(x, until.Name+":wait", func(ctx context.Context) (executor.Signal, error) { return x.wait(ctx, until) }), nil
}

// sayWaiting keeps what the run waits for, and up to where it has read.
func (x *execution) sayWaiting(ctx context.Context, c conn, until executor.WaitSpec) error {
	err := x.waitsFor(ctx, c, &Waiting{Name: until.Name, Until: until.Until, Inbox: until.Inbox})
	if err != nil || !until.Inbox {
		return err
	}
	_, err = c.exec(ctx, "UPDATE weft_inbox SET waits = 1, reached = CASE WHEN reached < $2 THEN $2 ELSE reached END WHERE run = $1", x.run, until.After)
	return err
}

// wait waits on the news of the run. What counts is what is in the database: news
// are only a reason to look.
func (x *execution) wait(ctx context.Context, until executor.WaitSpec) (executor.Signal, error) {
	s := x.store
	timer := time.NewTimer(until.Until.Sub(s.now()))
	defer timer.Stop()
	for {
		if x.driver.isStopping() {
			return executor.Signal{}, errClosing
		}
		woken := x.news.woken()
		signal, found, err := x.look(ctx, until)
		if found || err != nil {
			return signal, err
		}
		x.rest()
		select {
		case <-ctx.Done():
			return executor.Signal{}, errClosing
		case <-timer.C:
			timer.Reset(max(until.Until.Sub(s.now()), time.Millisecond)) // where the clocks differ
		case <-woken:
		}
		x.act()
	}
}

// look tells whether the wait is over.
func (x *execution) look(ctx context.Context, until executor.WaitSpec) (signal executor.Signal, found bool, err error) {
	s := x.store
	signal.Time = s.now().UTC()
	over := !signal.Time.Before(until.Until)
	if !until.AfterCancel {
		cancelled, err := x.cancelled(ctx, s.db)
		if err != nil || cancelled {
			signal.Kind = executor.SignalCancel
			return signal, cancelled, err
		}
	}
	if until.Inbox {
		if signal.Message, err = s.nextMessage(ctx, x.run, until.After); err != nil {
			return signal, false, err
		}
	}
	told := false
	if until.Settles {
		if told, err = x.isTold(ctx); err != nil {
			return signal, false, err
		}
	}
	switch {
	case told:
		signal.Kind, signal.Message = executor.SignalSettled, nil
		return signal, true, nil
	case signal.Message != nil:
		signal.Kind = executor.SignalMessage
	case over:
		signal.Kind = executor.SignalTimeout
	default:
		return signal, false, nil
	}
	if until.Inbox {
		signal.Repeats, err = repeats(ctx, s.db, x.run)
	}
	if until.Inbox && over && err == nil && signal.Message == nil {
		signal.Strays, err = s.hub.strays(ctx, s.db, x.run)
	}
	return signal, true, err
}

// repeats lists the messages of a run that have come more than once.
func repeats(ctx context.Context, c conn, run string) (all []executor.Repeat, err error) {
	err = c.each(ctx, "SELECT number, same, different FROM weft_message WHERE run = $1 AND number > 0 AND (same > 0 OR different > 0) ORDER BY number", []any{run},
		func(r row) error {
			var repeat executor.Repeat
			defer func() { all = append(all, repeat) }()
			return r.Scan(&repeat.Number, &repeat.Same, &repeat.Different)
		})
	return all, err
}
