package channel

import (
	"cmp"
	"time"

	"github.com/weft-flow/weft/executor"
)

// Standing tells how a run stands to messages.
type Standing int

// How a run can stand to messages, the nearest first.
const (
	WaitsNow Standing = iota // it waits for a message at this moment
	IsOpen                   // it has not ended
	HasEnded                 // what comes for it is late
)

// Candidate is a run that expects a message.
type Candidate struct {
	Order    int64 // runs that were opened earlier have less
	Standing Standing
}

// Choose gives the index of the candidate that a message goes to: the oldest that waits
// now, else the oldest that is open, else the oldest that has ended, for which the
// message is late. Of equals it is the first; -1 where there is none.
func Choose(candidates []Candidate) int {
	best := -1
	for i, c := range candidates {
		if best < 0 || c.compare(candidates[best]) < 0 {
			best = i
		}
	}
	return best
}

func (c Candidate) compare(other Candidate) int {
	return cmp.Or(cmp.Compare(c.Standing, other.Standing), cmp.Compare(c.Order, other.Order))
}

// Limits bound what a Hub keeps. DefaultLimits gives those of every field that is 0.
type Limits struct {
	// Mailbox is how many messages of a run's mailbox may be unread; repeats do not count.
	Mailbox int
	// Inbox is how many messages with an identity a run may get in all: each of these
	// identities is remembered.
	Inbox int
	// Keep is how long unmatched messages, and what is remembered of ended runs, are kept.
	Keep time.Duration
	// Unmatched and UnmatchedBytes are how many unmatched messages are kept, and how many
	// bytes they may have together.
	Unmatched      int
	UnmatchedBytes int64
	// Ended is how many ended runs are remembered, and EndedIdentities how many
	// identities of their messages together. The oldest are forgotten first.
	Ended, EndedIdentities int
	// Late and LateBytes are how many late messages of all runs are kept, and how many
	// bytes they may have together. The oldest are forgotten first.
	Late      int
	LateBytes int64
}

// DefaultLimits fills in what a Limits does not say.
func DefaultLimits(l Limits) Limits {
	const megabyte = 1 << 20
	return Limits{
		Mailbox:         cmp.Or(l.Mailbox, 1000),
		Inbox:           cmp.Or(l.Inbox, 100_000),
		Keep:            cmp.Or(l.Keep, 24*time.Hour),
		Unmatched:       cmp.Or(l.Unmatched, 10_000),
		UnmatchedBytes:  cmp.Or(l.UnmatchedBytes, 64*megabyte),
		Ended:           cmp.Or(l.Ended, 10_000),
		EndedIdentities: cmp.Or(l.EndedIdentities, 200_000),
		Late:            cmp.Or(l.Late, 1000),
		LateBytes:       cmp.Or(l.LateBytes, 16*megabyte),
	}
}

// Size is how many bytes a message counts where bytes are limited.
func Size(m *executor.Message) int64 {
	const each = 64 // what is held beside the texts
	n := len(m.Body) + each
	for _, fields := range []map[string][]string{m.Header, m.Query} {
		for name, values := range fields {
			n += len(name) + each
			for _, v := range values {
				n += len(v)
			}
		}
	}
	for name, v := range m.Path {
		n += len(name) + len(v) + each
	}
	return int64(n)
}
