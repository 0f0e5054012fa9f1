package lint

import (
	"fmt"
	"math/bits"
	"strings"
)

// Outcomes is a set of ways in which an attempt of a step can come out: with a
// status of HTTP, without any response, or ended well where there are no
// statuses. It is a value, and two are equal (==) where they hold the same.
type Outcomes struct {
	statuses [8]uint64 // bit s-minStatus
	others   uint8
}

// The statuses that there are (RFC 9110, section 15).
const (
	minStatus = 100
	maxStatus = 599
)

const (
	silent uint8 = 1 << iota
	done
)

// The outcomes that are no status.
var (
	// NoResponse is an attempt that got no answer: nothing was sent, the
	// connection broke, the time was up; of a step that calls a workflow, that
	// this one failed.
	NoResponse = Outcomes{others: silent}
	// Done is an attempt that ended well and has no status: the workflow that was
	// called succeeded, a message was sent or came.
	Done = Outcomes{others: done}
)

// Sets that are often asked for.
var (
	Never     = Outcomes{}
	AnyStatus = Statuses(minStatus, maxStatus)
	Answered  = AnyStatus.Union(Done) // all but NoResponse
	Always    = Answered.Union(NoResponse)
)

// Statuses is the set of the statuses from up to and including to. What is no
// status is left out.
func Statuses(from, to int) Outcomes {
	var o Outcomes
	for s := max(from, minStatus); s <= min(to, maxStatus); s++ {
		o.statuses[(s-minStatus)/64] |= 1 << ((s - minStatus) % 64)
	}
	return o
}

// Status is the set of one status.
func Status(status int) Outcomes { return Statuses(status, status) }

// Union holds what is in o or in p.
func (o Outcomes) Union(p Outcomes) Outcomes {
	for i := range o.statuses {
		o.statuses[i] |= p.statuses[i]
	}
	o.others |= p.others
	return o
}

// Intersect holds what is in both.
func (o Outcomes) Intersect(p Outcomes) Outcomes {
	for i := range o.statuses {
		o.statuses[i] &= p.statuses[i]
	}
	o.others &= p.others
	return o
}

// Minus holds what is in o and not in p.
func (o Outcomes) Minus(p Outcomes) Outcomes {
	for i := range o.statuses {
		o.statuses[i] &^= p.statuses[i]
	}
	o.others &^= p.others
	return o
}

// Complement holds what is not in o.
func (o Outcomes) Complement() Outcomes { return Always.Minus(o) }

// IsEmpty tells whether o holds nothing.
func (o Outcomes) IsEmpty() bool { return o == Never }

// Meets tells whether o and p have something in common.
func (o Outcomes) Meets(p Outcomes) bool { return !o.Intersect(p).IsEmpty() }

// Contains tells whether all of p is in o.
func (o Outcomes) Contains(p Outcomes) bool { return p.Minus(o).IsEmpty() }

// Has tells whether a status is in o.
func (o Outcomes) Has(status int) bool { return o.Meets(Status(status)) }

// Count gives how many statuses are in o.
func (o Outcomes) Count() int {
	n := 0
	for _, word := range o.statuses {
		n += bits.OnesCount64(word)
	}
	return n
}

// String lists the set for a message: "200-299, 404, no response".
func (o Outcomes) String() string {
	var parts []string
	for s := minStatus; s <= maxStatus; s++ {
		if !o.Has(s) {
			continue
		}
		from := s
		for s < maxStatus && o.Has(s+1) {
			s++
		}
		if from == s {
			parts = append(parts, fmt.Sprint(s))
		} else {
			parts = append(parts, fmt.Sprintf("%d-%d", from, s))
		}
	}
	if o.others&silent != 0 {
		parts = append(parts, "no response")
	}
	if o.others&done != 0 {
		parts = append(parts, "done")
	}
	if parts == nil {
		return "never"
	}
	return strings.Join(parts, ", ")
}
