package memory_test

import (
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/weft-flow/weft/idempotency/memory"
	"github.com/weft-flow/weft/idempotency/storetest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// hands is a clock that moves when it is told to.
type hands struct {
	mu sync.Mutex
	at time.Time
}

func (h *hands) now() time.Time {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.at
}

func (h *hands) advance(_ testing.TB, d time.Duration) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.at = h.at.Add(d)
}

func TestStore(t *testing.T) {
	storetest.Run(t, func(testing.TB) storetest.Subject {
		clock := &hands{at: time.Date(2026, 11, 6, 12, 0, 0, 0, time.UTC)}
		return storetest.Subject{Store: memory.New(clock.now), Advance: clock.advance}
	})
}
