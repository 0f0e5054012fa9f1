package sim

import (
	"container/heap"
	"context"
	"sync"
	"time"
)

// clock is a clock that goes only when it is told to. What is due on the way happens
// on the way, in the goroutine that lets the time pass.
type clock struct {
	mu   sync.Mutex
	at   time.Time
	due  agenda
	made int // entries of the agenda, so far
}

func (c *clock) now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.at
}

func (c *clock) advance(d time.Duration) time.Time { return c.reach(c.now().Add(max(d, 0))) }

// reach goes on to a time; never back. What is due until then has happened when it
// returns.
func (c *clock) reach(to time.Time) time.Time {
	for c.step(to) {
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if to.After(c.at) {
		c.at = to
	}
	return c.at
}

// step goes on to what is due next, not after a time, and lets it happen; false:
// there is nothing.
func (c *clock) step(not time.Time) bool {
	c.mu.Lock()
	if len(c.due) == 0 || c.due[0].at.After(not) {
		c.mu.Unlock()
		return false
	}
	next := heap.Pop(&c.due).(entry)
	if next.at.After(c.at) {
		c.at = next.at
	}
	c.mu.Unlock()
	next.happen()
	return true
}

// after has something happen once so much time has passed.
func (c *clock) after(d time.Duration, happen func()) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.made++
	heap.Push(&c.due, entry{at: c.at.Add(max(d, 0)), order: c.made, happen: happen})
}

// limit is the end of the time that an attempt has.
type limit struct {
	at    time.Time
	end   context.CancelCauseFunc
	cause error
}

type limitKey struct{}

// withTimeout is context.WithTimeoutCause on the virtual clock: the context ends when
// somebody waits past the timeout.
func (c *clock) withTimeout(parent context.Context, d time.Duration, cause error) (context.Context, context.CancelFunc) {
	ctx, end := context.WithCancelCause(parent)
	l := &limit{at: c.now().Add(d), end: end, cause: cause}
	return context.WithValue(ctx, limitKey{}, l), func() { end(context.Canceled) }
}

// wait lets time pass, up to the end of the context; d less than 0: as long as that
// takes. Without an end it would be for ever, and nothing passes.
func (c *clock) wait(ctx context.Context, d time.Duration) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	l, limited := ctx.Value(limitKey{}).(*limit)
	if !limited {
		if d < 0 {
			return errNoEnd
		}
		c.advance(d)
		return nil
	}
	if to := c.now().Add(d); d >= 0 && to.Before(l.at) {
		c.reach(to)
		return nil
	}
	c.reach(l.at)
	l.end(l.cause)
	return l.cause
}
