package durable

import (
	"context"
	"encoding/json"
	"fmt"
	"net/url"
	"time"

	"github.com/weft-flow/weft/executor"
	"github.com/weft-flow/weft/executor/channel/webhook"
	"github.com/weft-flow/weft/executor/httpcall"
	"github.com/weft-flow/weft/idempotency"
)

// Open gives the run its beginning and makes its receivers ready.
func (x *execution) Open(_ context.Context, boxes []executor.Mailbox) (executor.Opened, error) {
	o := transact(x, "open", func(ctx context.Context, c conn) (opened, error) {
		now := x.store.now().UTC()
		if _, err := c.exec(ctx, "UPDATE weft_run SET state = 'running', began = $2 WHERE id = $1 AND state = 'accepted'", x.run, milliseconds(now)); err != nil {
			return opened{}, err
		}
		tokens, err := x.store.hub.open(ctx, c, x.run, boxes)
		o := opened{Opened: executor.Opened{Run: x.run, Time: now}, Credentials: x.connection.Credentials}
		if base := x.driver.options.BaseURL; base != "" {
			o.Addresses = webhook.Addresses(base, boxes, tokens)
		}
		return o, err
	})
	x.credentials = o.Credentials
	return o.Opened, nil
}

// prepared is what is recorded of a request before its first byte leaves.
type prepared struct {
	Nonce     string    `json:"nonce"` // of the execution that was about to send
	Request   string    `json:"request,omitempty"`
	Key       string    `json:"key,omitempty"`
	Time      time.Time `json:"time"`
	Cancelled bool      `json:"cancelled,omitempty"`
	Outlived  bool      `json:"outlived,omitempty"` // the server may have forgotten the key by then
}

// preparedSuffix ends the names of the records of what is to be sent.
const preparedSuffix = ":prepare"

var _ executor.Historian = (*execution)(nil)

// HasCalled tells whether an execution before has prepared the call next. That it has does
// not mean that it was sent: where no outcome is recorded, it is not sent again unless that
// is safe.
func (x *execution) HasCalled(name string) bool {
	return x.prepared[x.records] == name+preparedSuffix
}

// Call records what is to be sent, and then sends it and records what came of it.
// Where the record of the second is missing, another execution may have sent.
func (x *execution) Call(_ context.Context, call executor.Call) (executor.Exchange, error) {
	// What is prepared is sent: a node that is closed, or may not send, prepares nothing.
	request := &inTheAir{run: x.run, name: call.Name}
	if !x.driver.enter(request) {
		x.leave(errClosing)
	}
	defer x.driver.exit(request)
	x.must(x.lease.check())
	if x.records >= x.recorded {
		x.mustHave(call) // before it is prepared: what was prepared may have been sent
	}
	digest := identify(call)
	p := transact(x, call.Name+preparedSuffix, func(ctx context.Context, c conn) (prepared, error) {
		cancelled, err := x.cancelled(ctx, c)
		if err == nil {
			err = x.waitsFor(ctx, c, nil)
		}
		p := prepared{Nonce: x.id, Request: digest, Time: x.store.now().UTC(), Cancelled: cancelled}
		if call.Key != nil {
			p.Key = call.Key.Digest()
		}
		p.Outlived = isOutlived(call, p.Time)
		return p, err
	})
	if p.Request != digest {
		x.leave(&permanentError{fmt.Errorf("%s would now send another request than the one that was recorded", call.Name)})
	}
	if p.Cancelled && !call.AfterCancel {
		return executor.Exchange{Started: p.Time, Ended: p.Time, Class: idempotency.NotSent, Reason: "cancelled before it was sent", Cancelled: true}, nil
	}
	if p.Outlived {
		return executor.Exchange{Started: p.Time, Ended: p.Time, Class: idempotency.NotSent, Reason: "not sent again, since the server may have forgotten the key"}, nil
	}
	return record(x, call.Name+":send", func(ctx context.Context) (executor.Exchange, error) { return x.send(ctx, call, p) }), nil
}

// isOutlived tells whether the server may have forgotten the key of a call, which an
// attempt before has borne.
func isOutlived(call executor.Call, now time.Time) bool {
	return !call.KeyUntil.IsZero() && !now.Before(call.KeyUntil)
}

// identify gives the digest of the request that a call is; empty where it cannot be
// written.
func identify(call executor.Call) string {
	p, err := httpcall.Prepare(call)
	if err != nil {
		return ""
	}
	return idempotency.FingerprintRequest(p.Method, p.URL.String(), "", p.Body).String()
}

// send puts the request onto the wire, if it may.
func (x *execution) send(ctx context.Context, call executor.Call, p prepared) (executor.Exchange, error) {
	again := p.Nonce != x.id
	if again {
		if reason := x.mustNotRepeat(call, p); reason != "" {
			return x.unknown(call, p, reason), nil
		}
		x.mustHave(call)
	}
	if call.Attempt == 1 {
		x.driver.options.Budget.Request(hostOf(call.Server))
	}
	closed := false
	ctx = httpcall.WithGate(ctx, func() error {
		if err := x.lease.check(); err != nil {
			closed = true
			return err
		}
		return nil
	})
	woken := x.news.woken()
	ctx, done := x.driver.options.Observer.request(ctx, x.run, call)
	x.rest()
	exchange := x.connection.clientFor(call.Source).Call(ctx, call)
	done(exchange)
	x.act()
	if closed {
		return executor.Exchange{}, errLeaseOver
	}
	exchange.Started, exchange.Ended = exchange.Started.UTC(), exchange.Ended.UTC()
	select {
	case <-woken: // what is not seen here, the next record sees
		if cancelled, err := x.cancelled(ctx, x.store.db); err == nil {
			exchange.Cancelled = exchange.Cancelled || cancelled
		}
	default:
	}
	if again && call.Effectful {
		exchange.Started = p.Time // messages about it can have come since
		exchange.Notices = append(exchange.Notices, "sent under the same key once more, since the process that was to send it before has ended")
	}
	return exchange, nil
}

// mustNotRepeat tells why a request that another execution may have sent must not be
// sent; empty where it may.
func (x *execution) mustNotRepeat(call executor.Call, p prepared) string {
	const ended = "the process ended while the request may have been on its way; not sent again"
	switch {
	case !call.Effectful:
		return ""
	case call.Key == nil || !call.Contract:
		return ended + ", since it is unsafe to repeat"
	case isOutlived(call, x.store.now()):
		return ended + ", since the server may have forgotten the key"
	}
	dialect, known := idempotency.KnownHeader(call.Key.Header)
	if call.Profile != nil && call.Profile.Dialect.Header != "" {
		dialect, known = call.Profile.Dialect, true
	}
	if known && dialect.Retention > 0 && x.store.now().Sub(p.Time) >= dialect.Retention {
		return fmt.Sprintf("%s, since the server may have forgotten the key, which it keeps for %s", ended, dialect.Retention)
	}
	return ""
}

// unknown is the exchange of a request of which nobody knows whether it was sent.
func (x *execution) unknown(call executor.Call, p prepared, reason string) executor.Exchange {
	exchange := executor.Exchange{Started: p.Time, Ended: x.store.now().UTC(), Class: idempotency.Unknown, Reason: reason}
	if written, err := httpcall.Prepare(call); err == nil {
		exchange.Sent = written.Sent()
	}
	return exchange
}

// cancelled tells whether the run was cancelled.
func (x *execution) cancelled(ctx context.Context, c conn) (bool, error) {
	var at int64
	_, err := one(ctx, c, "SELECT cancelled FROM weft_run WHERE id = $1", []any{x.run}, &at)
	return at != 0, err
}

// Waiting is what a run waits for.
type Waiting struct {
	Name  string    `json:"name"`  // of the wait: workflow/step#activation/attempt
	Until time.Time `json:"until"` // when it stops to wait
	Inbox bool      `json:"inbox"` // a message ends it; else it only sleeps
}

// waitsFor keeps what the run waits for; nil: nothing.
func (x *execution) waitsFor(ctx context.Context, c conn, w *Waiting) error {
	if w == nil && !x.waiting {
		return nil
	}
	var text []byte
	if w != nil {
		var err error
		if text, err = json.Marshal(w); err != nil {
			return err
		}
	}
	if _, err := c.exec(ctx, "UPDATE weft_run SET waiting = $2 WHERE id = $1", x.run, string(text)); err != nil {
		return err
	}
	if x.waiting = w != nil; w == nil {
		_, err := c.exec(ctx, "UPDATE weft_inbox SET waits = 0 WHERE run = $1", x.run)
		return err
	}
	return nil
}

// Admit asks the budget of this node. The answer is recorded: a replay must not
// decide anew.
func (x *execution) Admit(_ context.Context, retry executor.Retry) (executor.Admission, error) {
	return record(x, retry.Name+":admit", func(context.Context) (executor.Admission, error) {
		a := executor.Admission{Granted: x.driver.options.Budget.Retry(hostOf(retry.Target)), Time: x.store.now().UTC()}
		if !a.Granted {
			a.Reason = idempotency.ReasonBudget
		}
		return a, nil
	}), nil
}

// Move moves the state where it stands as the interpreter believes.
func (x *execution) Move(_ context.Context, move executor.Move) (executor.Moved, error) {
	return transact(x, move.Name, func(ctx context.Context, c conn) (executor.Moved, error) {
		return moveState(ctx, c, x.run, move, x.store.now())
	}), nil
}

// moveState moves a state by compare-and-set. A state that is not kept yet is the one
// that the interpreter begins with.
func moveState(ctx context.Context, c conn, run string, move executor.Move, now time.Time) (executor.Moved, error) {
	changed, err := c.exec(ctx, `INSERT INTO weft_state (run, workflow, state, moved) VALUES ($1, $2, $3, $4)
		ON CONFLICT (run, workflow) DO UPDATE SET state = excluded.state, moved = excluded.moved WHERE weft_state.state = $5`,
		run, move.Workflow, move.To, milliseconds(now), move.From)
	if err != nil {
		return executor.Moved{}, err
	}
	moved := executor.Moved{Done: changed > 0, State: move.To, Time: now.UTC()}
	if !moved.Done {
		_, err = one(ctx, c, "SELECT state FROM weft_state WHERE run = $1 AND workflow = $2", []any{run, move.Workflow}, &moved.State)
	}
	return moved, err
}

// End does nothing: a run that has ended is closed by the record of its end, and one
// that this node lets go of goes on receiving.
func (x *execution) End(context.Context, string) error { return nil }

// hostOf gives the host and port that a server's URL names, by which retries are
// counted.
func hostOf(server string) string {
	u, err := url.Parse(server)
	if err != nil {
		return server
	}
	return u.Host
}
