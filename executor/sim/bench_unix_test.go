//go:build unix

package sim_test

import (
	"context"
	"syscall"
	"testing"
	"time"

	"github.com/weft-flow/weft/executor"
	"github.com/weft-flow/weft/executor/sim"
)

// BenchmarkOrderFlow runs the bundled flow in worlds of its own, on all processors,
// with events that nobody looks at. Beside the rate by the clock it reports the rate
// for each second of processor time, which others on the machine do not change.
func BenchmarkOrderFlow(b *testing.B) {
	f := orderFlow(b, executor.Config{})
	b.ReportAllocs()
	before := processorTime(b)
	b.ResetTimer()
	b.RunParallel(func(pb *testing.PB) {
		for pb.Next() {
			world, err := f.stage.New(sim.Options{})
			if err != nil {
				b.Fatal(err)
			}
			result, err := f.plan.Run(context.Background(), world, executor.Start{Sink: discard{}})
			if err != nil || result.Status != executor.Succeeded {
				b.Fatal(result, err)
			}
		}
	})
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "runs/s")
	b.ReportMetric(float64(b.N)/(processorTime(b)-before).Seconds(), "runs/cpu-s")
}

func processorTime(b *testing.B) time.Duration {
	b.Helper()
	var used syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &used); err != nil {
		b.Fatal(err)
	}
	return time.Duration(used.Utime.Nano() + used.Stime.Nano())
}

type discard struct{}

func (discard) Write(executor.Event) error { return nil }
