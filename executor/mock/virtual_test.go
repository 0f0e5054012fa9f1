package mock_test

import (
	"slices"
	"sync"
	"time"

	"github.com/weft-flow/weft/executor/mock"
)

// virtual is a clock that goes only when it is told to, and does then what is due.
type virtual struct {
	mu     sync.Mutex
	at     time.Time
	due    []appointment
	booked int
}

type appointment struct {
	at     time.Time
	number int
	do     func()
}

func newVirtual() *virtual {
	return &virtual{at: time.Date(2026, time.January, 1, 0, 0, 0, 0, time.UTC)}
}

func (v *virtual) now() time.Time {
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.at
}

func (v *virtual) after(d time.Duration, do func()) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.booked++
	v.due = append(v.due, appointment{v.at.Add(d), v.booked, do})
	slices.SortStableFunc(v.due, func(a, b appointment) int { return a.at.Compare(b.at) })
}

// drives lets the clock say when messages are sent.
func (v *virtual) drives(o *mock.WebhookOptions) { o.After = v.after }

// pass lets time pass, and does what is due on the way, here.
func (v *virtual) pass(d time.Duration) {
	end := v.now().Add(d)
	for {
		v.mu.Lock()
		if len(v.due) == 0 || v.due[0].at.After(end) {
			v.at = end
			v.mu.Unlock()
			return
		}
		next := v.due[0]
		v.due = v.due[1:]
		v.at = next.at
		v.mu.Unlock()
		next.do()
	}
}
