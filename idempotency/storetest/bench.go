package storetest

import (
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/weft-flow/weft/idempotency"
)

// answerSize is the size of the answer that is kept in benchmarks.
const answerSize = 512

// Bench measures how many records a second are begun and completed, beside a bare
// pair of committed writes of as many bytes on the same database in the same run: one
// row inserted, then changed. The metric ratio is the one over the other. bare makes
// such a pair for a number that was not used before. The arm "at once" has several
// goroutines, which take turns between the two kinds too.
func Bench(b *testing.B, s idempotency.Store, bare func(n int64, row []byte) error) {
	answer := []byte(strings.Repeat("a", answerSize))
	var n atomic.Int64
	kept := func() error {
		st := start(int(n.Add(1)), idempotency.NewOwner(), "work")
		if begun, err := s.Begin(b.Context(), st); err != nil || begun.State != idempotency.Started {
			return fmt.Errorf("begin: %q, %w", begun.State, err)
		}
		return s.Complete(b.Context(), st.Claim, answer, retention)
	}
	plain := func() error { return bare(n.Add(1), answer) }
	b.Run("one by one", func(b *testing.B) {
		var ours, theirs time.Duration
		pairs := 0
		for b.Loop() {
			ours += timed(b, kept)
			theirs += timed(b, plain)
			pairs++
		}
		report(b, pairs, ours, theirs)
	})
	b.Run("at once", func(b *testing.B) {
		const block = 50 // pairs of one kind, then of the other
		var ours, theirs time.Duration
		pairs := 0
		for b.Loop() {
			ours += timed(b, func() error { return together(block, kept) })
			theirs += timed(b, func() error { return together(block, plain) })
			pairs += block
		}
		report(b, pairs, ours, theirs)
	})
}

// together does something a number of times from 8 goroutines.
func together(times int, do func() error) error {
	const workers = 8
	faults := make(chan error, workers)
	var left atomic.Int64
	left.Store(int64(times))
	for range workers {
		go func() {
			for left.Add(-1) >= 0 {
				if err := do(); err != nil {
					faults <- err
					return
				}
			}
			faults <- nil
		}()
	}
	var first error
	for range workers {
		if err := <-faults; err != nil {
			first = err
		}
	}
	return first
}

func timed(b *testing.B, do func() error) time.Duration {
	begun := time.Now()
	if err := do(); err != nil {
		b.Fatal(err)
	}
	return time.Since(begun)
}

func report(b *testing.B, pairs int, ours, theirs time.Duration) {
	b.ReportMetric(float64(pairs)/ours.Seconds(), "kept/s")
	b.ReportMetric(float64(pairs)/theirs.Seconds(), "bare/s")
	b.ReportMetric(theirs.Seconds()/ours.Seconds(), "ratio")
}
