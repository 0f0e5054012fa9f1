package memory_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/weft-flow/weft/idempotency"
	"github.com/weft-flow/weft/idempotency/memory"
)

func BenchmarkBeginAndComplete(b *testing.B) {
	s := memory.New(time.Now)
	b.ReportAllocs()
	n := 0
	for b.Loop() {
		n++
		st := idempotency.Start{
			Claim: idempotency.Claim{Key: idempotency.RecordKey{Key: fmt.Sprint(n)}, Owner: "a"},
			Lease: time.Minute,
		}
		if _, err := s.Begin(b.Context(), st); err != nil {
			b.Fatal(err)
		}
		if err := s.Complete(b.Context(), st.Claim, nil, time.Hour); err != nil {
			b.Fatal(err)
		}
	}
}
