package sim

import (
	"context"
	"sync"
	"time"
)

// clock is a clock that goes only when it is told to.
type clock struct {
	mu sync.Mutex
	at time.Time
}

func (c *clock) now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.at
}

func (c *clock) advance(d time.Duration) time.Time { return c.reach(c.now().Add(max(d, 0))) }

// reach goes on to a time; never back.
func (c *clock) reach(to time.Time) time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	if to.After(c.at) {
		c.at = to
	}
	return c.at
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
