package memory

import (
	"slices"
	"time"

	"github.com/weft-flow/weft/executor"
	"github.com/weft-flow/weft/executor/channel"
)

// run is the inbox of one run, and, after its end, what is remembered of it.
type run struct {
	id      string
	order   int64
	opened  time.Time
	ended   bool
	endedAt time.Time
	boxes   []*box
	last    int                // the number of the last message
	unread  []*entry           // in the order of their numbers
	left    []executor.Message // unread at the end
	// identified are the messages with an identity, which is remembered; late ones have
	// no number.
	identified []*entry
	repeated   []*entry
	waits      int // of it that go on
	wake       chan struct{}
}

// box is a mailbox of a run.
type box struct {
	run      *run
	mailbox  executor.Mailbox
	at       channel.Place
	unread   int
	expected []*expecting
	said     map[string]bool // what is expected, by channel.ExpectationID
}

// expecting is an expectation with the keys under which it is looked up.
type expecting struct {
	box         *box
	expectation executor.Expectation
	keys        []string
}

// entry is a message that a run has got.
type entry struct {
	box             *box
	number          int // 0: it was late
	key             string
	digest          channel.Digest
	message         *executor.Message // nil when it is read
	same, different int
}

func (r *run) box(name string) *box {
	for _, b := range r.boxes {
		if b.mailbox.Name == name {
			return b
		}
	}
	return nil
}

func (r *run) tokens() map[string]string {
	tokens := map[string]string{}
	for _, b := range r.boxes {
		if b.at.Token != "" {
			tokens[b.mailbox.Name] = b.at.Token
		}
	}
	return tokens
}

func (r *run) standing() channel.Standing {
	switch {
	case r.ended:
		return channel.HasEnded
	case r.waits > 0:
		return channel.WaitsNow
	default:
		return channel.IsOpen
	}
}

// woken tells whoever waits that there may be something new.
func (r *run) woken() {
	close(r.wake)
	r.wake = make(chan struct{})
}

// read forgets the messages up to a number, which the run has read.
func (r *run) read(number int) {
	n := 0
	for n < len(r.unread) && r.unread[n].number <= number {
		r.unread[n].message = nil
		r.unread[n].box.unread--
		n++
	}
	r.unread = slices.Delete(r.unread, 0, n)
}

// count adds a repeat to a message, or as many as came before it was the run's.
func (e *entry) count(same, different int) {
	if same+different == 0 {
		return
	}
	if e.same+e.different == 0 {
		r := e.box.run
		r.repeated = append(r.repeated, e)
	}
	e.same += same
	e.different += different
}

// repeat counts a message that has come again.
func (e *entry) repeat(digest channel.Digest) channel.Kept {
	outcome := channel.Repeated(e.digest, digest)
	if outcome == channel.Duplicate {
		e.count(1, 0)
	} else {
		e.count(0, 1)
	}
	return e.box.kept(outcome, e.number)
}

func (b *box) kept(outcome channel.Outcome, number int) channel.Kept {
	return channel.Kept{Outcome: outcome, Run: b.run.id, Box: b.mailbox.Name, Number: number, Status: b.mailbox.Status}
}
