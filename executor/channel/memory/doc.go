// Package memory is the channel.Hub of one process, which forgets everything when it
// ends: for live and for simulated runs. Its time and its randomness are given to it.
// It starts no goroutine, and holds its lock only while it looks and writes, never while
// a run waits or a body is decoded for the first time.
//
// It must never know protocols, HTTP, SQL, workflows, or which runtime it serves.
package memory
