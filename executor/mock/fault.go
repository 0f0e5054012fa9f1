package mock

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
)

// FaultKind is what goes wrong, and when.
type FaultKind string

// The kinds of fault. A client cannot tell those before the effect from those
// after it: that is what they are for.
const (
	// HangBeforeEffect: the request is read, nothing is done, nothing is answered.
	HangBeforeEffect FaultKind = "hang-before-effect"
	// HangAfterEffect: the request is carried out, nothing is answered.
	HangAfterEffect FaultKind = "hang-after-effect"
	// UnavailableBeforeEffect: nothing is done, 503 is answered.
	UnavailableBeforeEffect FaultKind = "503-before-effect"
	// UnavailableAfterEffect: the request is carried out, 503 is answered.
	UnavailableAfterEffect FaultKind = "503-after-effect"
	// ResetBeforeReading: the connection is reset before the body is read.
	ResetBeforeReading FaultKind = "reset-before-reading"
	// ResetAfterEffect: the request is carried out, then the connection is reset.
	ResetAfterEffect FaultKind = "reset-after-effect"
)

// Fault plans one breakdown.
type Fault struct {
	// Operation is an operation's id, or its method and path ("GET /orders"); with
	// "source/" in front where several sources have it.
	Operation string `json:"operation"`
	// Occurrence says which request to the operation, repeated ones included:
	// from 1; 0 is the first.
	Occurrence int       `json:"occurrence"`
	Kind       FaultKind `json:"kind"`
	// RetryAfter is the text of the field Retry-After of an answer that the fault
	// gives; empty: it has none.
	RetryAfter string `json:"retryAfter,omitempty"`
}

// PlannedFault is a Fault and what became of it.
type PlannedFault struct {
	Fault
	Fired   bool `json:"fired"`
	Request int  `json:"request,omitempty"` // the Sequence of the request that it befell
}

// ErrFault tells that a fault cannot be planned.
var ErrFault = errors.New("fault refused")

// moment is when in the life of a request a fault acts.
type moment uint8

const (
	never moment = iota
	onArrival
	beforeEffect
	afterEffect
)

// breakdown is what a kind of fault does.
type breakdown struct {
	kind   FaultKind
	moment moment
	hangs  bool
	status int // that is answered; 0: nothing is
}

// breakdowns holds every kind of fault.
var breakdowns = []breakdown{
	{kind: HangBeforeEffect, moment: beforeEffect, hangs: true},
	{kind: HangAfterEffect, moment: afterEffect, hangs: true},
	{kind: UnavailableBeforeEffect, moment: beforeEffect, status: http.StatusServiceUnavailable},
	{kind: UnavailableAfterEffect, moment: afterEffect, status: http.StatusServiceUnavailable},
	{kind: ResetBeforeReading, moment: onArrival},
	{kind: ResetAfterEffect, moment: afterEffect},
}

// Plan adds faults to those that are planned. Either all are added or none: the
// error wraps ErrFault and names every fault that cannot be planned.
func (s *Server) Plan(faults ...Fault) error {
	var planned []*livingFault
	var refused []error
	for _, f := range faults {
		lf, err := s.live(f)
		if err != nil {
			refused = append(refused, err)
			continue
		}
		planned = append(planned, lf)
	}
	if len(refused) > 0 {
		return errors.Join(refused...)
	}
	s.faults.add(planned)
	return nil
}

func (s *Server) live(f Fault) (*livingFault, error) {
	at := slices.IndexFunc(breakdowns, func(b breakdown) bool { return b.kind == f.Kind })
	if at < 0 {
		kinds := make([]string, len(breakdowns))
		for i, b := range breakdowns {
			kinds[i] = string(b.kind)
		}
		return nil, fmt.Errorf("%w: there is no kind %q; there are %s", ErrFault, f.Kind, strings.Join(kinds, ", "))
	}
	if f.Occurrence < 0 {
		return nil, fmt.Errorf("%w: occurrence %d of %s; the first is 1", ErrFault, f.Occurrence, f.Operation)
	}
	if f.Occurrence == 0 {
		f.Occurrence = 1
	}
	to, err := s.routes.named(f.Operation)
	if err != nil {
		return nil, err
	}
	return &livingFault{PlannedFault: PlannedFault{Fault: f}, breakdown: breakdowns[at], route: to}, nil
}

// named gives the route that a fault names.
func (rs *routes) named(name string) (*route, error) {
	var hits []*route
	var known []string
	for _, r := range rs.all {
		known = append(known, r.name)
		if r.name == name || r.source+"/"+r.name == name {
			hits = append(hits, r)
		}
	}
	switch len(hits) {
	case 1:
		return hits[0], nil
	case 0:
		return nil, fmt.Errorf("%w: there is no operation %q; there are %s", ErrFault, name, strings.Join(known, ", "))
	default:
		var full []string
		for _, r := range hits {
			full = append(full, r.source+"/"+r.name)
		}
		return nil, fmt.Errorf("%w: %q is ambiguous: %s", ErrFault, name, strings.Join(full, ", "))
	}
}

// livingFault is a planned fault at its operation.
type livingFault struct {
	PlannedFault
	breakdown
	route *route
}

// at tells whether the fault acts at a moment; a nil fault never does.
func (f *livingFault) at(m moment) bool { return f != nil && f.moment == m }

// faultPlan holds the planned faults and counts the requests to each operation.
type faultPlan struct {
	mu     sync.Mutex
	faults []*livingFault
	seen   map[*route]int
}

func (p *faultPlan) add(faults []*livingFault) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.faults = append(p.faults, faults...)
}

// next counts a request to an operation and gives the fault that is planned for
// it; of several for one request the first.
func (p *faultPlan) next(to *route) *livingFault {
	if to == nil {
		return nil
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.seen == nil {
		p.seen = map[*route]int{}
	}
	p.seen[to]++
	for _, f := range p.faults {
		if f.route == to && f.Occurrence == p.seen[to] && !f.Fired {
			return f
		}
	}
	return nil
}

func (p *faultPlan) fired(f *livingFault, sequence int) PlannedFault {
	p.mu.Lock()
	defer p.mu.Unlock()
	f.Fired, f.Request = true, sequence
	return f.PlannedFault
}

func (p *faultPlan) snapshot() []PlannedFault {
	p.mu.Lock()
	defer p.mu.Unlock()
	out := make([]PlannedFault, len(p.faults))
	for i, f := range p.faults {
		out[i] = f.PlannedFault
	}
	return out
}

// breakDown lets a fault act, and gives what becomes of its request. A hang ends
// when the client goes away or the server closes.
func (s *Server) breakDown(ctx context.Context, f *livingFault, entry int) outcome {
	fired := s.faults.fired(f, entry+1)
	s.ledger.change(entry, func(r *Request) { r.Fault = f.Kind })
	s.options.OnFault(fired)
	if f.hangs {
		select {
		case <-ctx.Done():
		case <-s.closing:
		}
	}
	if f.status == 0 {
		return outcome{}
	}
	broken := problem(f.status, "planned-fault", "The server breaks down as planned.")
	if f.RetryAfter != "" {
		broken.with("Retry-After", f.RetryAfter)
	}
	return outcome{reply: broken}
}
