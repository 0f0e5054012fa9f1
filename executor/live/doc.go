// Package live is the Runtime of now: real requests, the real clock, nothing kept
// beyond the process.
//
// It must never know terminals, flags, or the other runtimes.
package live
