package cli

import (
	"fmt"
	"os"
	"os/signal"
	"sync/atomic"
	"syscall"
)

// onInterrupt calls cancel at the first interrupt, which is what begun says, and abort at
// the second; a third ends the process. stop takes the handler away again; pressed tells whether there
// was an interrupt. What it tells is written to stdio.Err from another goroutine, but
// nothing any more once stop has returned.
func onInterrupt(stdio Stdio, begun string, cancel, abort func()) (stop func(), pressed func() bool) {
	var seen atomic.Int32
	signals := make(chan os.Signal, 2)
	done, ended := make(chan struct{}), make(chan struct{})
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	go func() {
		defer close(ended)
		for {
			select {
			case <-done:
				return
			case <-signals:
			}
			switch seen.Add(1) {
			case 1:
				fmt.Fprintln(stdio.Err, "weft: "+begun+": a request in the air is awaited; interrupt again to give it up")
				cancel()
			case 2:
				fmt.Fprintln(stdio.Err, "weft: giving up what is in the air")
				abort()
			default:
				os.Exit(exitInterrupted)
			}
		}
	}()
	stop = func() {
		signal.Stop(signals)
		close(done)
		<-ended
	}
	return stop, func() bool { return seen.Load() > 0 }
}
