package idempotency

import (
	"sync"
	"time"
)

// ReasonBudget is the reason of a retry that the budget refused.
const ReasonBudget = "retry budget exhausted"

// BudgetLimits bound the retries to one host over a sliding window.
type BudgetLimits struct {
	Window time.Duration
	// Percent of the requests in the window that may be retried.
	Percent int
	// PerSecond are retries that are granted in any case, on average over the window.
	PerSecond int
}

// DefaultBudget grants, over 10 seconds, retries for 20 percent of the requests
// and 10 a second.
func DefaultBudget() BudgetLimits {
	return BudgetLimits{Window: 10 * time.Second, Percent: 20, PerSecond: 10}
}

// Budget bounds the retries to each host over all runs of a process, so that a
// host in trouble is not held there. It is safe for concurrent use. See the
// decision record docs/adr/0003-retry-budget.md.
type Budget struct {
	limits BudgetLimits
	now    func() time.Time
	begun  time.Time // the windows count from here

	mu    sync.Mutex
	nodes int
	hosts map[string]*window
}

// NewBudget gives a budget that reads the time from now. With time.Now, only the time
// that passes counts: to set the clock of the machine changes nothing.
func NewBudget(limits BudgetLimits, now func() time.Time) *Budget {
	return &Budget{limits: limits, now: now, begun: now(), nodes: 1, hosts: make(map[string]*window)}
}

// SetNodes says how many live nodes share the host, this one included: the
// retries that are granted in any case are divided by their number.
func (b *Budget) SetNodes(nodes int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.nodes = max(1, nodes)
}

// Request counts one first attempt to a host (host and port).
func (b *Budget) Request(host string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	w := b.host(host)
	w.current().requests++
	w.total.Requests++
}

// Retry asks for one further attempt to a host and, where it is granted, counts it.
func (b *Budget) Retry(host string) (granted bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	w := b.host(host)
	requests, retries := w.sums()
	if retries+1 > b.allowed(requests) {
		w.total.Refused++
		return false
	}
	w.current().retries++
	w.total.Retries++
	return true
}

// BudgetCounts are what a budget has counted for one host, for metrics. They only
// grow, and begin anew where a host was idle for so long that it was forgotten.
type BudgetCounts struct {
	Requests uint64 // first attempts
	Retries  uint64 // granted
	Refused  uint64
}

// Counts gives what was counted for each host that is remembered.
func (b *Budget) Counts() map[string]BudgetCounts {
	b.mu.Lock()
	defer b.mu.Unlock()
	counts := make(map[string]BudgetCounts, len(b.hosts))
	for host, w := range b.hosts {
		counts[host] = w.total
	}
	return counts
}

// allowed gives how many retries may be made for a number of requests.
func (b *Budget) allowed(requests int) int {
	byShare := requests * b.limits.Percent / 100
	inAnyCase := int(b.limits.Window.Seconds()*float64(b.limits.PerSecond)) / b.nodes
	return byShare + inAnyCase
}

// manyHosts is the number of hosts from which idle ones are forgotten.
const manyHosts = 256

// host gives the window of a host, moved to the present time.
func (b *Budget) host(name string) *window {
	w := b.hosts[name]
	if w == nil {
		if len(b.hosts) >= manyHosts {
			b.forgetIdle()
		}
		w = &window{}
		b.hosts[name] = w
	}
	w.advance(b.tick())
	return w
}

// tick gives the present time in slots of the window.
func (b *Budget) tick() int64 {
	return int64(b.now().Sub(b.begun)) / max(1, int64(b.limits.Window)/slots)
}

func (b *Budget) forgetIdle() {
	present := b.tick()
	for name, w := range b.hosts {
		if present-w.tick > slots {
			delete(b.hosts, name)
		}
	}
}

// slots is how finely the window slides. What is counted leaves it at most one
// slot later than a window of exact times would let it go, never earlier.
const slots = 100

// window counts what happened in the last slots, the present one included.
type window struct {
	tick  int64 // the present slot, counted from when the budget was made
	slots [slots + 1]count
	total BudgetCounts
}

type count struct {
	requests, retries int32
}

// advance empties the slots that have come round since the last call. A clock that
// went back changes nothing.
func (w *window) advance(tick int64) {
	if tick <= w.tick {
		return
	}
	for i := max(w.tick+1, tick-slots); i <= tick; i++ {
		w.slots[i%int64(len(w.slots))] = count{}
	}
	w.tick = tick
}

func (w *window) current() *count { return &w.slots[w.tick%int64(len(w.slots))] }

func (w *window) sums() (requests, retries int) {
	for _, c := range w.slots {
		requests += int(c.requests)
		retries += int(c.retries)
	}
	return requests, retries
}
