package memory

import (
	"fmt"
	"testing"

	"github.com/weft-flow/weft/executor/channel"
)

// BenchmarkDuplicate counts a message that has come before.
func BenchmarkDuplicate(b *testing.B) {
	s := newStand(channel.Limits{})
	if _, err := s.Open(b.Context(), "a", boxes(b, "a")); err != nil {
		b.Fatal(err)
	}
	s.send(b, paid, "x", "a")
	b.ReportAllocs()
	for b.Loop() {
		if got := s.send(b, paid, "x", "a"); got != channel.Duplicate {
			b.Fatal(got)
		}
	}
}

// BenchmarkRoute finds the run of a message among many that are open at one address.
func BenchmarkRoute(b *testing.B) {
	for _, runs := range []int{1, 10_000} {
		b.Run(fmt.Sprint(runs, " runs"), func(b *testing.B) {
			s := newStand(channel.Limits{Mailbox: 1 << 30, Inbox: 1 << 30})
			for i := range runs {
				if _, err := s.Open(b.Context(), fmt.Sprint(i), boxes(b, fmt.Sprint(i))); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportAllocs()
			for i := 0; b.Loop(); i++ {
				s.send(b, paid, fmt.Sprint(i), fmt.Sprint(i%runs))
			}
		})
	}
}

// BenchmarkOpenAndEnd opens and ends a run in a Hub of its own, as a simulation does.
func BenchmarkOpenAndEnd(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		s := newStand(channel.Limits{})
		if _, err := s.Open(b.Context(), "a", boxes(b, "a")); err != nil {
			b.Fatal(err)
		}
		if err := s.End(b.Context(), "a"); err != nil {
			b.Fatal(err)
		}
	}
}
