package mock

import "sync"

// livingFault is a planned fault at its operation.
type livingFault struct {
	PlannedFault
	breakdown
	route *route
	cut   float64 // where a response breaks off, as a share of its body
}

// at tells whether the fault acts at a moment; a nil fault never does.
func (f *livingFault) at(m moment) bool { return f != nil && f.moment == m }

// is tells whether the fault is of a kind; a nil fault is of none.
func (f *livingFault) is(kind FaultKind) bool { return f != nil && f.Kind == kind }

// faultBook holds the planned faults and counts the requests to each operation.
type faultBook struct {
	mu     sync.Mutex
	faults []*livingFault
	seen   map[*route]int
}

func (b *faultBook) add(faults []*livingFault) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.faults = append(b.faults, faults...)
}

// next counts a request to an operation and gives the fault that is planned for
// it; of several for one request the first.
func (b *faultBook) next(to *route) *livingFault {
	if to == nil {
		return nil
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.due(to, b.count(to))
}

func (b *faultBook) count(to *route) int {
	if b.seen == nil {
		b.seen = map[*route]int{}
	}
	b.seen[to]++
	return b.seen[to]
}

// due gives the first fault that is planned for a request. The others miss it.
func (b *faultBook) due(to *route, nth int) (first *livingFault) {
	for _, f := range b.faults {
		switch {
		case f.route != to || nth < f.Occurrence || nth >= f.Occurrence+max(f.Times, DefaultTimes) || f.Fired && f.Times < 2:
		case first == nil:
			first = f
		case !f.Fired:
			f.Missed = "another fault was planned for the same request"
		}
	}
	return first
}

// refuses counts and tells a request that never comes, because its connection is
// planned to be refused; nil: it is not, and nothing is counted.
func (b *faultBook) refuses(to *route) *livingFault {
	b.mu.Lock()
	defer b.mu.Unlock()
	f := b.due(to, b.seen[to]+1)
	if f == nil || f.moment != onConnect {
		return nil
	}
	b.count(to)
	return f
}

// awaitsConnect tells whether a connection is planned to be refused: until then none
// is kept, or the request would come on one that is open.
func (b *faultBook) awaitsConnect() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, f := range b.faults {
		if f.moment == onConnect && !f.Fired && f.Missed == "" {
			return true
		}
	}
	return false
}

func (b *faultBook) fired(f *livingFault, sequence int) PlannedFault {
	b.mu.Lock()
	defer b.mu.Unlock()
	if !f.Fired {
		f.Fired, f.Request, f.Missed = true, sequence, ""
	}
	return f.PlannedFault
}

// missed writes down why a fault did not act on its request.
func (b *faultBook) missed(f *livingFault, why string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if !f.Fired {
		f.Missed = why
	}
}

func (b *faultBook) snapshot() []PlannedFault {
	b.mu.Lock()
	defer b.mu.Unlock()
	out := make([]PlannedFault, len(b.faults))
	for i, f := range b.faults {
		out[i] = f.PlannedFault
	}
	return out
}
