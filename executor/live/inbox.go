package live

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/weft-flow/weft/executor"
	"github.com/weft-flow/weft/executor/channel/webhook"
)

// errNoReceiver tells that a plan with steps that receive runs where nothing does.
var errNoReceiver = errors.New("the document receives messages; give the runtime a Receiver")

// errReceiverClosed tells that messages could not come any more.
var errReceiverClosed = errors.New("the document receives messages, and the Receiver is closed")

// open opens the mailboxes of a run and gives their addresses.
func (r *Runtime) open(ctx context.Context, run string, boxes []executor.Mailbox) (map[string]string, error) {
	if len(boxes) == 0 {
		return nil, nil
	}
	if r.receiver == nil {
		return nil, errNoReceiver
	}
	if r.receiver.closed.Load() {
		return nil, errReceiverClosed
	}
	tokens, err := r.receiver.hub.Open(ctx, run, boxes)
	if err != nil {
		return nil, fmt.Errorf("open the mailboxes: %w", err)
	}
	r.receiver.note(run)
	return webhook.Addresses(r.receiver.URL(), boxes, tokens), nil
}

// Wait waits until the time is over, the run is cancelled or, where the inbox is
// waited for, its next message is there. That the context ends cancels too: what is
// waited for is then of no use.
func (r *Runtime) Wait(ctx context.Context, until executor.WaitSpec) (executor.Signal, error) {
	timer := time.NewTimer(time.Until(until.Until))
	defer timer.Stop()
	ends := ending{over: timer.C, cancelled: r.cancelled, cancelledRun: cancelledOf(ctx), abandoned: ctx.Done()}
	if until.AfterCancel {
		ends.cancelled, ends.cancelledRun = nil, nil
	}
	if until.Inbox {
		return r.waitForMessage(ctx, until, ends)
	}
	signal := executor.Signal{Kind: ends.wait(nil)}
	signal.Time = time.Now()
	return signal, nil
}

// ending is what may end a wait.
type ending struct {
	over         <-chan time.Time
	cancelled    <-chan struct{} // all runs are
	cancelledRun <-chan struct{}
	abandoned    <-chan struct{}
}

// wait returns why a wait is over; empty: something woke it.
func (e ending) wait(woken <-chan struct{}) executor.SignalKind {
	select {
	case <-woken:
		return ""
	case <-e.over:
		return executor.SignalTimeout
	case <-e.cancelled:
		return executor.SignalCancel
	case <-e.cancelledRun:
		return executor.SignalCancel
	case <-e.abandoned:
		return executor.SignalCancel
	}
}

// waitForMessage waits for the next message of the run's inbox. What is there when the
// time is over counts.
func (r *Runtime) waitForMessage(ctx context.Context, until executor.WaitSpec, ends ending) (signal executor.Signal, err error) {
	hub, asked := r.receiver.hub, context.WithoutCancel(ctx) // what is known is told, also at the end
	if until.Expect != nil {
		if err := hub.Expect(asked, until.Run, *until.Expect); err != nil {
			return signal, fmt.Errorf("expect a message: %w", err)
		}
	}
	waiting, err := hub.Wait(asked, until.Run, until.After)
	if err != nil {
		return signal, fmt.Errorf("wait for a message: %w", err)
	}
	defer waiting.Stop()
	for signal.Kind == "" {
		woken := waiting.Woken()
		if signal.Message, err = waiting.Next(asked); err != nil {
			return signal, fmt.Errorf("read the inbox: %w", err)
		}
		if signal.Message != nil {
			signal.Kind = executor.SignalMessage
			break
		}
		signal.Kind = ends.wait(woken)
	}
	if signal.Kind == executor.SignalTimeout {
		if signal.Message, err = waiting.Next(asked); signal.Message != nil {
			signal.Kind = executor.SignalMessage
		}
	}
	if err == nil {
		signal.Repeats, err = hub.Repeats(asked, until.Run)
	}
	if err == nil && signal.Kind == executor.SignalTimeout {
		signal.Strays, err = hub.Strays(asked, until.Run)
	}
	if err != nil {
		return signal, fmt.Errorf("read the inbox: %w", err)
	}
	signal.Time = time.Now()
	return signal, nil
}

// End closes the receivers of a run.
func (r *Runtime) End(ctx context.Context, run string) error {
	if r.receiver == nil || !r.receiver.forget(run) {
		return nil
	}
	if err := r.receiver.end(context.WithoutCancel(ctx), run); err != nil {
		return fmt.Errorf("close the mailboxes: %w", err)
	}
	return nil
}
