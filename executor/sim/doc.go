// Package sim is the simulated Runtime: the same interpreter under a virtual clock,
// against a mock in memory, thousands of runs a second. It opens no socket, starts no
// goroutine and never sleeps; the same seed gives the same events.
//
// It must never know terminals, flags, or the other runtimes.
package sim
