package mock

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"github.com/weft-flow/weft/internal/spelling"
)

// What a Fault says where it says nothing.
const (
	DefaultSlow      = 10 * time.Second // Delay of slow responses
	DefaultComeAgain = time.Second      // Delay that Retry-After asks for
	DefaultTimes     = 1                // Times
)

// Limits of a Fault.
const (
	mostOccurrences = 1_000_000
	longestDelay    = 24 * time.Hour
)

// Fault plans one breakdown.
type Fault struct {
	// Operation is an operation's id, or its method and path ("GET /orders"); of a
	// webhook or callback its operation's id, or its key; with "source/" in front where
	// several sources have it.
	Operation string `json:"operation"`
	// Occurrence says which request to the operation, repeated ones included, or which
	// message, without the attempts to send it again: from 1; 0 is the first.
	Occurrence int `json:"occurrence"`
	// Upto makes the occurrence one from Occurrence to Upto, drawn by the seed of the
	// plan; 0: Occurrence it is.
	Upto int       `json:"-"`
	Kind FaultKind `json:"kind"`
	// RetryAfter is the text of the field Retry-After of an answer that the fault
	// gives; empty: it has none. For the kinds 503-before-effect and 503-after-effect.
	RetryAfter string `json:"retryAfter,omitempty"`
	// Delay is for how long a slow response stands still, how long Retry-After asks to
	// wait, how late a message comes, or how old a stale timestamp is; 0: DefaultSlow,
	// DefaultComeAgain, DefaultLate, DefaultStale. In JSON it is in nanoseconds.
	Delay time.Duration `json:"delay,omitempty"`
	// Times is for how many requests in a row a fault of reads acts; 0: DefaultTimes.
	Times int `json:"times,omitempty"`
	// Value is the state that a wrong read or the second of two messages tells, or the
	// reference of a message that is about something else; empty: one is chosen.
	Value string `json:"value,omitempty"`
	// Count is how many messages a burst has; 0: DefaultBurst.
	Count int `json:"count,omitempty"`
	// Place is where the plan says so: file, line and column. Empty: it is not of a file.
	Place string `json:"place,omitempty"`

	written *writtenFault // nil: not of a file
}

// String names the fault: what, to which request or message of which operation.
func (f Fault) String() string {
	if b, _ := breakdownOf(f.Kind); b.group == onWebhooks {
		return fmt.Sprintf("%s at message %d of %s", f.Kind, max(f.Occurrence, 1), f.Operation)
	}
	return fmt.Sprintf("%s at request %d to %s", f.Kind, max(f.Occurrence, 1), f.Operation)
}

// PlannedFault is a Fault and what became of it.
type PlannedFault struct {
	Fault
	Fired bool `json:"fired"`
	// Request is the Sequence of the request that it befell first, or that caused the
	// message which it befell.
	Request int `json:"request,omitempty"`
	// Missed tells why it did not fire at its request; empty: the request never came.
	Missed string `json:"missed,omitempty"`
}

// Unfired tells that a planned fault never fired: what was to be tested was not.
func (f PlannedFault) Unfired() error {
	if f.Fired {
		return nil
	}
	why := f.Missed
	if why == "" {
		why = fmt.Sprintf("there was no request %d to %s", f.Occurrence, f.Operation)
	}
	place := f.Place
	if place != "" {
		place += ": "
	}
	return fmt.Errorf("%sthe planned fault %s never fired: %s", place, f.Fault, why)
}

// FaultPlan is a list of faults, and the seed from which whatever they leave open is
// drawn. The same plan does the same.
type FaultPlan struct {
	Seed   uint64
	Faults []Fault
}

// Needs tells what the faults of a plan need beside a server that listens.
func (p FaultPlan) Needs() (needs struct{ HTTP2, Dialer, Webhooks bool }) {
	for _, f := range p.Faults {
		b, _ := breakdownOf(f.Kind)
		needs.HTTP2 = needs.HTTP2 || b.http2
		needs.Dialer = needs.Dialer || b.moment == onConnect
		needs.Webhooks = needs.Webhooks || b.group == onWebhooks
	}
	return needs
}

// ErrFault tells that a fault cannot be planned.
var ErrFault = errors.New("fault refused")

// Plan adds faults to those that are planned. Either all are added or none: the
// error wraps ErrFault and names every fault that cannot be planned.
func (s *Server) Plan(faults ...Fault) error { return s.Apply(FaultPlan{Faults: faults}) }

// Apply adds a plan. Either all its faults are added or none, as Plan does.
func (s *Server) Apply(plan FaultPlan) error {
	draw := rand.New(rand.NewPCG(plan.Seed, 0x77656674))
	planned := make([]*livingFault, 0, len(plan.Faults))
	var refused []error
	for _, f := range plan.Faults {
		lf, err := s.routes.live(f, draw)
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

// live finds the operation of a fault, and draws what the fault leaves open. It draws
// the same number of times for each, so that one fault does not change another.
func (rs *routes) live(f Fault, draw *rand.Rand) (*livingFault, error) {
	share, cut := draw.Float64(), draw.Float64()
	b, ok := breakdownOf(f.Kind)
	if !ok {
		return nil, f.refuse("fault", "there is no fault %q%s", f.Kind, meant(string(f.Kind), FaultKinds()))
	}
	if err := f.check(b); err != nil {
		return nil, err
	}
	to, err := rs.befallen(f, b)
	if err != nil {
		return nil, err
	}
	f.Occurrence = max(f.Occurrence, 1)
	if f.Upto > f.Occurrence {
		f.Occurrence += int(share * float64(f.Upto-f.Occurrence+1))
	}
	return &livingFault{PlannedFault: PlannedFault{Fault: f}, breakdown: b, route: to, cut: cut}, nil
}

// check tells what is wrong with a fault by itself.
func (f Fault) check(b breakdown) error {
	if field, message := f.flaw(b); message != "" {
		return f.refuse(field, "%s", message)
	}
	return nil
}

// flaw tells in words which field of a fault is wrong by itself; empty: none is.
func (f Fault) flaw(b breakdown) (field, message string) {
	last := max(f.Occurrence, f.Upto)
	switch {
	case f.Occurrence < 0:
		return "occurrence", fmt.Sprintf("occurrence %d of %s; the first is 1", f.Occurrence, f.Operation)
	case last > mostOccurrences:
		return "occurrence", fmt.Sprintf("occurrence %d of %s; the last is %d", last, f.Operation, mostOccurrences)
	case f.Upto != 0 && f.Upto < f.Occurrence:
		return "occurrence", fmt.Sprintf("from occurrence %d to %d there is none", f.Occurrence, f.Upto)
	case f.Delay < 0 || f.Delay > longestDelay:
		return "delay", fmt.Sprintf("a delay of %v; it may be up to %v", f.Delay, longestDelay)
	case f.Times < 0 || f.Times > mostOccurrences:
		return "times", fmt.Sprintf("%d times; it may be 1 to %d", f.Times, mostOccurrences)
	case f.Count < 0 || f.Count > mostOccurrences:
		return "count", fmt.Sprintf("a count of %d; it may be 1 to %d", f.Count, mostOccurrences)
	case strings.ContainsAny(f.RetryAfter, "\r\n\x00"):
		return "retryAfter", "the text of a header field has no line breaks"
	}
	for _, param := range []struct {
		name  string
		given bool
	}{
		{"retryAfter", f.RetryAfter != ""}, {"delay", f.Delay != 0}, {"times", f.Times != 0},
		{"value", f.Value != ""}, {"count", f.Count != 0},
	} {
		if param.given && !slices.Contains(b.params, param.name) {
			return param.name, fmt.Sprintf("%s takes no %s%s", f.Kind, param.name, taken(b.params))
		}
	}
	return "", ""
}

func taken(params []string) string {
	if len(params) == 0 {
		return ""
	}
	return "; it takes " + strings.Join(params, ", ")
}

// refuse gives the error for a fault, at the place of the field that is wrong.
func (f Fault) refuse(field, format string, args ...any) error {
	err := fmt.Errorf("%w: "+format, append([]any{ErrFault}, args...)...)
	if place := f.placeOf(field); place != "" {
		return fmt.Errorf("%s: %w", place, err)
	}
	return err
}

// befallen gives the operation, the webhook or the callback that a fault is to befall.
func (rs *routes) befallen(f Fault, b breakdown) (*route, error) {
	var why string
	var to *route
	if b.group == onWebhooks {
		rs.compileSends() // what they send is known then; what is wrong with it, SendWebhooks says
		h, err := named(f, "webhook", rs.webhooks, func(h *webhook) names { return names{h.source, []string{h.name, h.key}} })
		if err != nil {
			return nil, err
		}
		to, why = h.route, h.unfit(b)
	} else {
		r, err := named(f, "operation", rs.all, func(r *route) names { return names{r.source, []string{r.name}} })
		if err != nil {
			return nil, err
		}
		to, why = r, r.unfit(b)
	}
	if why != "" {
		return nil, f.refuse("fault", "%s cannot befall %s: %s", f.Kind, to.name, why)
	}
	return to, nil
}

// names are what something is called, and the source that it is of.
type names struct {
	source string
	own    []string
}

// named gives the one of all that a fault names. what is the word for them.
func named[T any](f Fault, what string, all []T, called func(T) names) (hit T, err error) {
	var hits []T
	var known, full []string
	for _, one := range all {
		n := called(one)
		known = append(known, n.own[0])
		for _, name := range n.own {
			if name == f.Operation || n.source+"/"+name == f.Operation {
				hits = append(hits, one)
				full = append(full, n.source+"/"+n.own[0])
				break
			}
		}
	}
	switch len(hits) {
	case 1:
		return hits[0], nil
	case 0:
		return hit, f.refuse("operation", "there is no %s %q%s", what, f.Operation, meant(f.Operation, known))
	default:
		return hit, f.refuse("operation", "%q is ambiguous: %s", f.Operation, strings.Join(full, ", "))
	}
}

// unfit tells why a fault makes no sense at an operation; empty where it does.
func (r *route) unfit(b breakdown) string {
	switch {
	case b.group == onKeys && r.keyHeader() == "":
		return "the operation declares no header that bears an idempotency key"
	case b.group == onReads && !isRead(r.operation.Method):
		return "it is no read"
	case (b.kind == ReadUnknownState || b.kind == ReadConflicting) && r.stateProperty() == "":
		return "its answer has no property with an enum, which could tell a state"
	}
	return ""
}

// meant asks after the nearest of the known words, if one is near; else it lists them.
func meant[T ~string](text string, known []T) string {
	words := make([]string, len(known))
	for i, word := range known {
		words[i] = string(word)
	}
	if near, ok := spelling.Nearest(text, words); ok {
		return fmt.Sprintf("; did you mean %s?", near)
	}
	return "; there are " + joined(known)
}

// joined lists what there is.
func joined[T ~string](known []T) string {
	if len(known) == 0 {
		return "none"
	}
	var b strings.Builder
	for i, word := range known {
		if i > 0 {
			b.WriteString(", ")
		}
		b.WriteString(string(word))
	}
	return b.String()
}
