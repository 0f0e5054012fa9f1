package mock

import (
	"encoding/json"
	"net/http"
	"slices"
	"sync"
	"time"
)

// Ledger is what a Server saw and did.
type Ledger struct {
	Requests []Request `json:"requests"`
	Effects  []Effect  `json:"effects"`
	// Counts are the effects by operation, key and business reference.
	Counts []EffectCount `json:"counts"`
	// Webhooks are the attempts to send webhooks and callbacks.
	Webhooks []Webhook      `json:"webhooks"`
	Faults   []PlannedFault `json:"faults"`
}

// Request is one request as it was received, and what was answered.
type Request struct {
	Sequence int       `json:"sequence"` // from 1, in the order of arrival
	Time     time.Time `json:"time"`
	Method   string    `json:"method"`
	URL      string    `json:"url"`      // as the request line had it
	Protocol string    `json:"protocol"` // "HTTP/1.1", "HTTP/2.0"
	// Connection numbers the connection that it came on, from 1; 0: not known.
	Connection int         `json:"connection,omitempty"`
	Header     http.Header `json:"header"`
	Body       string      `json:"body"`                // its bytes; empty where a fault came before it was read
	Source     string      `json:"source,omitempty"`    // empty: no operation was found
	Operation  string      `json:"operation,omitempty"` // the operation's id, else its method and path
	Key        string      `json:"key,omitempty"`       // the idempotency key as it was sent
	Status     int         `json:"status"`              // 0: nothing was answered, or not yet
	Replayed   bool        `json:"replayed,omitempty"`  // the answer was one that was given before
	// Findings are the ways in which the request breaks its description.
	Findings []string `json:"findings,omitempty"`
	// Fault is the planned fault that befell the request.
	Fault FaultKind `json:"fault,omitempty"`
}

// Effect is one thing that really happened: a request that may change something
// was carried out and succeeded.
type Effect struct {
	Request   int    `json:"request"` // the Sequence of the request that caused it
	Source    string `json:"source"`
	Operation string `json:"operation"`
	Key       string `json:"key,omitempty"`
	Resource  string `json:"resource,omitempty"` // the id of the resource that it was done to
	// Reference is by what the business knows that resource: what a client can look
	// for without having seen an answer.
	Reference string `json:"reference,omitempty"`
}

// EffectCount tells how often an operation had its effect under one key and for one
// business reference.
type EffectCount struct {
	Source    string `json:"source"`
	Operation string `json:"operation"`
	Key       string `json:"key,omitempty"`
	Count     int    `json:"count"`
	Resource  string `json:"resource,omitempty"` // of the first
	Reference string `json:"reference,omitempty"`
}

// Ledger gives what has happened so far. The copy is the caller's own.
func (s *Server) Ledger() Ledger {
	l := s.ledger.snapshot()
	l.Counts = countEffects(l.Effects)
	l.Faults = s.plannedFaults()
	return l
}

// Effects counts the effects so far: one entry for each operation, key and business
// reference, in the order of their first effects.
func (s *Server) Effects() []EffectCount { return countEffects(s.ledger.snapshot().Effects) }

// AllEffects gives each effect so far by itself, in the order in which they came about,
// without what else is in the Ledger. The copy is the caller's own.
func (s *Server) AllEffects() []Effect {
	s.ledger.mu.Lock()
	defer s.ledger.mu.Unlock()
	return slices.Clone(s.ledger.effects)
}

func countEffects(effects []Effect) []EffectCount {
	type work struct{ source, operation, key, reference string }
	counts := []EffectCount{}
	at := map[work]int{}
	for _, e := range effects {
		w := work{e.Source, e.Operation, e.Key, e.Reference}
		i, seen := at[w]
		if !seen {
			i = len(counts)
			at[w] = i
			counts = append(counts, EffectCount{
				Source: e.Source, Operation: e.Operation, Key: e.Key, Resource: e.Resource, Reference: e.Reference,
			})
		}
		counts[i].Count++
	}
	return counts
}

// Unfired tells of each planned fault that never fired, and why; nil: all did. A run
// whose faults did not fire has tested nothing.
func (s *Server) Unfired() []error {
	var unfired []error
	for _, f := range s.plannedFaults() {
		if err := f.Unfired(); err != nil {
			unfired = append(unfired, err)
		}
	}
	return unfired
}

// plannedFaults gives what became of the plan so far.
func (s *Server) plannedFaults() []PlannedFault {
	all := s.faults.snapshot()
	for i, f := range all {
		all[i].Missed = s.whyUnfired(f)
	}
	return all
}

// tellLedger answers with the ledger as JSON.
func (s *Server) tellLedger(method string) *reply {
	if method != http.MethodGet && method != http.MethodHead {
		return problem(http.StatusMethodNotAllowed, "no-such-method", "The ledger can only be read.").with("Allow", "GET, HEAD")
	}
	body, err := json.MarshalIndent(s.Ledger().listed(), "", "  ")
	if err != nil {
		return problem(http.StatusInternalServerError, "ledger", err.Error())
	}
	return &reply{status: http.StatusOK, header: http.Header{"Content-Type": {jsonType}}, body: append(body, '\n')}
}

// listed gives the ledger with lists where nothing has happened: what reads its JSON need
// not know of null.
func (l Ledger) listed() Ledger {
	l.Requests = append([]Request{}, l.Requests...)
	l.Effects = append([]Effect{}, l.Effects...)
	l.Counts = append([]EffectCount{}, l.Counts...)
	l.Webhooks = append([]Webhook{}, l.Webhooks...)
	l.Faults = append([]PlannedFault{}, l.Faults...)
	return l
}

// ledger is the book that is being written. Entries are known by their position.
type ledger struct {
	now func() time.Time

	mu       sync.Mutex
	requests []Request
	effects  []Effect
	webhooks []Webhook
}

// open writes down that a request has come and gives its entry.
func (l *ledger) open(r *http.Request, to *route, by carrier) int {
	entry := Request{
		Method: r.Method,
		URL:    r.RequestURI,
		Header: r.Header.Clone(), Protocol: by.protocol(),
	}
	entry.Connection, _ = by.connection()
	if entry.URL == "" {
		entry.URL = r.URL.RequestURI()
	}
	if r.Host != "" {
		entry.Header.Set("Host", r.Host)
	}
	if to != nil {
		entry.Source, entry.Operation = to.source, to.name
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	entry.Time = l.now()
	entry.Sequence = len(l.requests) + 1
	l.requests = append(l.requests, entry)
	return entry.Sequence - 1
}

func (l *ledger) change(entry int, change func(*Request)) {
	l.mu.Lock()
	defer l.mu.Unlock()
	change(&l.requests[entry])
}

func (l *ledger) body(entry int, body []byte) {
	l.change(entry, func(r *Request) { r.Body = string(body) })
}

func (l *ledger) answered(entry, status int, replayed bool) {
	l.change(entry, func(r *Request) { r.Status, r.Replayed = status, replayed })
}

func (l *ledger) effect(entry int, e Effect) {
	l.mu.Lock()
	defer l.mu.Unlock()
	e.Request = l.requests[entry].Sequence
	l.effects = append(l.effects, e)
}

func (l *ledger) snapshot() Ledger {
	l.mu.Lock()
	defer l.mu.Unlock()
	out := Ledger{Requests: slices.Clone(l.requests), Effects: slices.Clone(l.effects), Webhooks: slices.Clone(l.webhooks)}
	for i := range out.Webhooks {
		out.Webhooks[i].Header = out.Webhooks[i].Header.Clone()
	}
	for i := range out.Requests {
		out.Requests[i].Header = out.Requests[i].Header.Clone()
		out.Requests[i].Findings = slices.Clone(out.Requests[i].Findings)
	}
	return out
}
