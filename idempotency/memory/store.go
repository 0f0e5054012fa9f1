package memory

import (
	"context"
	"crypto/sha256"
	"sync"
	"time"

	"github.com/weft-flow/weft/idempotency"
)

// Store is an idempotency.Store in memory. It is safe for use by several
// goroutines. Its verbs give no errors but those of package idempotency.
type Store struct {
	now func() time.Time

	mu      sync.Mutex
	records map[[sha256.Size]byte]*record
	tokens  map[[sha256.Size]byte]*held
}

var _ idempotency.Store = (*Store)(nil)

// New gives an empty store that reads the time from now.
func New(now func() time.Time) *Store {
	return &Store{
		now:     now,
		records: make(map[[sha256.Size]byte]*record),
		tokens:  make(map[[sha256.Size]byte]*held),
	}
}

// Purge removes what is over; see idempotency.Store.
func (s *Store) Purge(_ context.Context, limit int) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	now := s.now()
	return sweep(s.records, limit, func(r *record) bool { return r.forgotten(now) }) +
		sweep(s.tokens, limit, func(h *held) bool { return h.free(now) }), nil
}

func sweep[T any](from map[[sha256.Size]byte]T, limit int, over func(T) bool) int {
	removed := 0
	for id, entry := range from {
		if removed >= limit {
			break
		}
		if over(entry) {
			delete(from, id)
			removed++
		}
	}
	return removed
}
