package cli

import (
	"fmt"
	"os"
	"os/signal"
	"sync/atomic"
	"syscall"
)

// onInterrupt cancels at the first interrupt and ends the process at the second.
// stop takes the handler away again; pressed tells whether there was one.
func onInterrupt(stdio Stdio, cancel func()) (stop func(), pressed func() bool) {
	var seen atomic.Bool
	signals := make(chan os.Signal, 2)
	done := make(chan struct{})
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	go func() {
		for {
			select {
			case <-done:
				return
			case <-signals:
			}
			if seen.Swap(true) {
				os.Exit(exitInterrupted)
			}
			fmt.Fprintln(stdio.Err, "weft: cancelling: a request in the air is awaited; interrupt again to end at once")
			cancel()
		}
	}()
	return func() { signal.Stop(signals); close(done) }, seen.Load
}
