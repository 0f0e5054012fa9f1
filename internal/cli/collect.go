package cli

import (
	"os"
	"runtime"
	"runtime/debug"
	"sync"
)

// How much the heap may grow between collections, in percent, while documents are
// linted: the process is short-lived, and collecting took a quarter of its time.
const (
	// collectFirst is so much that nothing is collected before the heap holds 64 MiB,
	// for the least heap that the runtime collects is 4 MiB for each 100 percent.
	// Most calls end before that.
	collectFirst = 1600
	// collectLess holds from the first collection on.
	collectLess = 400
)

// collectLater puts collections off, until restore is called. The user's own wish
// (GOGC) is left alone.
func collectLater() (restore func()) {
	if os.Getenv("GOGC") != "" {
		return func() {}
	}
	before := debug.SetGCPercent(collectFirst)
	var once sync.Once
	first := runtime.AddCleanup(new(sentinel), func(once *sync.Once) {
		once.Do(func() { debug.SetGCPercent(collectLess) })
	}, &once)
	return func() {
		first.Stop()
		once.Do(func() {}) // a cleanup that has begun is awaited, a later one does nothing
		debug.SetGCPercent(before)
	}
}

// sentinel is what nobody holds: that it is gone tells that the heap was collected. It
// has a pointer, since what has none shares its memory with others, which may be held.
type sentinel struct{ _ *sentinel }
