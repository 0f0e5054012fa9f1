package durable

import (
	"context"

	"github.com/weft-flow/weft/executor"
)

// pendingEvent is an event that is kept with the next record.
type pendingEvent struct {
	sequence int
	data     []byte
}

// Write takes an event of the interpreter. One that is kept already, since the run
// is replayed, is left out.
func (x *execution) Write(e executor.Event) error {
	if e.Sequence <= x.told {
		if x.store.replayed != nil {
			x.store.replayed(e)
		}
		return nil
	}
	data, err := writeEvent(e)
	if err != nil {
		x.leave(&permanentError{err})
	}
	x.driver.options.Observer.event(e)
	x.pending = append(x.pending, pendingEvent{e.Sequence, data})
	return nil
}

// eventsAtOnce is how many events one statement keeps.
const eventsAtOnce = 50

// keepEvents keeps the events that came since the last record. They stay pending
// until the transaction is committed, since it may be made anew.
func (x *execution) keepEvents(ctx context.Context, c conn) error {
	for rest := x.pending; len(rest) > 0; {
		some := rest[:min(len(rest), eventsAtOnce)]
		rest = rest[len(some):]
		arguments := make([]any, 0, 3*len(some))
		for _, e := range some {
			arguments = append(arguments, x.run, e.sequence, e.data)
		}
		if _, err := c.exec(ctx, "INSERT INTO weft_event (run, sequence, data) VALUES "+list(len(some), 3), arguments...); err != nil {
			return err
		}
	}
	return nil
}
