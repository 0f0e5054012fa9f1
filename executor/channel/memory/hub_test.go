package memory_test

import (
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/weft-flow/weft/executor/channel"
	"github.com/weft-flow/weft/executor/channel/channeltest"
	"github.com/weft-flow/weft/executor/channel/memory"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// clock goes on only when it is told to.
type clock struct {
	mu sync.Mutex
	at time.Time
}

func (c *clock) now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.at
}

func (c *clock) advance(_ testing.TB, d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.at = c.at.Add(d)
}

func TestHub(t *testing.T) {
	channeltest.Run(t, func(_ testing.TB, limits channel.Limits) channeltest.Subject {
		c := &clock{at: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)}
		return channeltest.Subject{Hub: memory.New(memory.Options{Now: c.now, Limits: limits}), Now: c.now, Advance: c.advance}
	})
}
