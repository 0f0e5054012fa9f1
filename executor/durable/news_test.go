package durable

import "testing"

// Who only waits for the end of a run is not woken for each of its events.
func TestEventsWakeWhoFollows(t *testing.T) {
	n := &news{waiting: map[string]map[*listener]bool{}, closed: true}
	waits, follows, other := n.listen("r"), n.follow("r"), n.follow("s")
	isWoken := func(l *listener, do func()) bool {
		woken := l.woken()
		do()
		select {
		case <-woken:
			return true
		default:
			return false
		}
	}
	for _, test := range []struct {
		what           string
		by             func(string)
		waits, follows bool
	}{{"an event", n.tell, false, true}, {"news", n.wake, true, true}} {
		by := func() { test.by("r") }
		if isWoken(waits, by) != test.waits || isWoken(follows, by) != test.follows || isWoken(other, by) {
			t.Errorf("%s wakes others than expected", test.what)
		}
	}
}
