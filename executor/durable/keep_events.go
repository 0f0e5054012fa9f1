package durable

import (
	"context"

	"github.com/weft-flow/weft/executor"
)

// pendingEvent is an event that is kept with the next record.
type pendingEvent struct {
	sequence int
	data     []byte
	request  bool // it comes before a request
}

// Write takes an event of the interpreter. One that is kept already, since the run
// is replayed, is left out.
func (x *execution) Write(e executor.Event) error {
	if last, is := e.Detail.(executor.RunFinished); is {
		x.shown = &last.Result
	}
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
	_, isRequest := e.Detail.(executor.RequestPrepared)
	x.driver.options.Observer.event(e)
	x.pending = append(x.pending, pendingEvent{sequence: e.Sequence, data: x.store.seal.closeEvent(x.run, data), request: isRequest})
	return nil
}

// asks takes note that the run asks for settlements and is given none: before the next
// record, an execution that goes on from here may be given some, and tell other events.
func (x *execution) asks() {
	if x.asked == nil || x.asked.records != x.records {
		x.asked = &question{records: x.records, pending: len(x.pending)}
	}
}

// question is where the run first asked for settlements since its last record.
type question struct{ records, pending int }

// certain gives the pending events that another execution tells as well, whatever happens
// in between: not that a request comes of which nothing is recorded.
func (x *execution) certain() []pendingEvent {
	events := x.pending
	if x.asked != nil && x.asked.records == x.records {
		events = events[:min(x.asked.pending, len(events))]
	}
	if n := len(events); n > 0 && events[n-1].request {
		events = events[:n-1]
	}
	return events
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
