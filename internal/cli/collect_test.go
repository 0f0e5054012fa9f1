package cli

import (
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"testing"
)

// TestCollectingIsPutOff holds that the heap grows freely up to the first collection,
// moderately after it, and as before when all is done, however that comes.
func TestCollectingIsPutOff(t *testing.T) {
	t.Setenv("GOGC", "")
	const usual = 123
	defer debug.SetGCPercent(debug.SetGCPercent(usual))

	restore := collectLater()
	if got := growth(); got != collectFirst {
		t.Errorf("growth before the first collection: %d percent, want %d", got, collectFirst)
	}
	for range 1000 { // the cleanup that tells of a collection runs beside this
		if runtime.GC(); growth() == collectLess {
			break
		}
		runtime.Gosched()
	}
	if got := growth(); got != collectLess {
		t.Errorf("growth after a collection: %d percent, want %d", got, collectLess)
	}
	restore()
	if got := growth(); got != usual {
		t.Errorf("growth at the end: %d percent, want %d", got, usual)
	}

	collectLater()()
	for range 10 {
		runtime.GC()
		runtime.Gosched()
	}
	if got := growth(); got != usual {
		t.Errorf("growth after an end without a collection: %d percent, want %d", got, usual)
	}

	t.Setenv("GOGC", "50")
	defer collectLater()()
	if got := growth(); got != usual {
		t.Errorf("growth where the user says one: %d percent, want that which holds: %d", got, usual)
	}
}

// growth gives by how many percent the heap may grow between collections.
func growth() int {
	sample := []metrics.Sample{{Name: "/gc/gogc:percent"}}
	metrics.Read(sample)
	return int(sample[0].Value.Uint64())
}
