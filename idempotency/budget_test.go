package idempotency

import (
	"fmt"
	"sync"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// hands is a clock that moves when it is told to.
type hands struct {
	mu sync.Mutex
	at time.Time
}

func (h *hands) now() time.Time {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.at
}

func (h *hands) forward(d time.Duration) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.at = h.at.Add(d)
}

func newBudget() (*Budget, *hands) {
	clock := &hands{at: noon}
	return NewBudget(DefaultBudget(), clock.now), clock
}

func requests(b *Budget, host string, n int) {
	for range n {
		b.Request(host)
	}
}

// granted asks until the budget refuses and gives how often it did not.
func granted(b *Budget, host string) int {
	n := 0
	for b.Retry(host) {
		n++
	}
	return n
}

func TestStatement14ShareOfRequestsPlusTenASecond(t *testing.T) {
	for requested, want := range map[int]int{0: 100, 4: 100, 5: 101, 100: 120, 1000: 300} {
		b, _ := newBudget()
		requests(b, "api:443", requested)
		if got := granted(b, "api:443"); got != want {
			t.Errorf("after %d requests %d retries are granted, want %d", requested, got, want)
		}
	}
}

func TestStatement14TheWindowSlides(t *testing.T) {
	b, clock := newBudget()
	if got := granted(b, "h"); got != 100 {
		t.Fatalf("%d retries, want 100", got)
	}
	clock.forward(5 * time.Second)
	requests(b, "h", 50)
	if got := granted(b, "h"); got != 10 {
		t.Errorf("%d retries for 50 more requests, want 10", got)
	}
	clock.forward(5*time.Second + 100*time.Millisecond)
	if got := granted(b, "h"); got != 100 {
		t.Errorf("%d retries after the first 100 left the window, want 100", got)
	}
	clock.forward(time.Hour)
	if got := granted(b, "h"); got != 100 {
		t.Errorf("%d retries after an hour, want 100", got)
	}
}

func TestStatement14EachHostHasItsOwnBudget(t *testing.T) {
	b, _ := newBudget()
	granted(b, "a:443")
	if got := granted(b, "b:443"); got != 100 {
		t.Errorf("%d retries to the other host, want 100", got)
	}
}

func TestStatement14AFleetSharesTheMinimum(t *testing.T) {
	for nodes, want := range map[int]int{-1: 120, 0: 120, 1: 120, 2: 70, 4: 45, 1000: 20} {
		b, _ := newBudget()
		b.SetNodes(nodes)
		requests(b, "h", 100)
		if got := granted(b, "h"); got != want {
			t.Errorf("%d nodes: %d retries, want %d", nodes, got, want)
		}
	}
}

func TestStatement14AClockThatGoesBackGivesNothingAway(t *testing.T) {
	b, clock := newBudget()
	granted(b, "h")
	clock.forward(-time.Hour)
	if b.Retry("h") {
		t.Error("a retry was granted")
	}
}

func TestStatement14ConcurrentRetriesDoNotOverdraw(t *testing.T) {
	b, _ := newBudget()
	var wg sync.WaitGroup
	var mu sync.Mutex
	total := 0
	for range 8 {
		wg.Go(func() {
			n := granted(b, "h")
			mu.Lock()
			defer mu.Unlock()
			total += n
		})
	}
	wg.Wait()
	if total != 100 {
		t.Errorf("%d retries were granted, want 100", total)
	}
}

// Whenever a retry is granted, the 10 seconds before it hold no more retries than
// the rule allows, by exact times.
func TestStatement14NoWindowHoldsMoreThanTheRuleAllows(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		b, clock := newBudget()
		type moment struct {
			at    time.Time
			retry bool
		}
		var past []moment
		for range rapid.IntRange(1, 60).Draw(t, "steps") {
			clock.forward(time.Duration(rapid.IntRange(0, 3000).Draw(t, "ms")) * time.Millisecond)
			n := rapid.IntRange(0, 60).Draw(t, "requests")
			requests(b, "h", n)
			for range n {
				past = append(past, moment{clock.now(), false})
			}
			granted := false
			for range rapid.IntRange(0, 60).Draw(t, "retries") {
				if b.Retry("h") {
					granted = true
					past = append(past, moment{clock.now(), true})
				}
			}
			if !granted {
				continue
			}
			var first, again int
			for _, m := range past {
				switch age := clock.now().Sub(m.at); {
				case m.retry && age < 10*time.Second:
					again++
				case !m.retry && age < 10*time.Second+100*time.Millisecond:
					first++
				}
			}
			if again > first/5+100 {
				t.Fatalf("%d retries and %d requests in one window", again, first)
			}
		}
	})
}

// Everything fails at 1,000 requests a second, and each failure asks for retries at
// once, to two hosts, of which one has much less traffic: however hard they are asked
// for, retries stay within the rule, and each host has its own.
func TestStatement14RetriesUnderLoad(t *testing.T) {
	const seconds, perSecond, asks = 60, 1000, 5
	b, clock := newBudget()
	type second struct{ requests, retries int }
	var busy, quiet [seconds]second
	for s := range seconds {
		for tick := range perSecond {
			clock.forward(time.Millisecond)
			b.Request("busy")
			busy[s].requests++
			for range asks {
				if b.Retry("busy") {
					busy[s].retries++
				}
			}
			if tick%100 == 0 {
				b.Request("quiet")
				quiet[s].requests++
				if b.Retry("quiet") {
					quiet[s].retries++
				}
			}
		}
	}
	for name, host := range map[string][seconds]second{"busy": busy, "quiet": quiet} {
		for s := 10; s <= seconds; s++ {
			var sum second
			for _, one := range host[s-10 : s] {
				sum.requests += one.requests
				sum.retries += one.retries
			}
			// A slot of requests more may be counted: a tenth of a second of them.
			if most := (sum.requests+perSecond/10)/5 + 100; sum.retries > most {
				t.Errorf("%s: the 10 s to second %d have %d retries of %d requests, at most %d", name, s, sum.retries, sum.requests, most)
			}
		}
	}
	for s := range seconds {
		if quiet[s].retries != quiet[s].requests {
			t.Errorf("second %d: the quiet host has %d retries, and asked for %d: the busy one took them", s, quiet[s].retries, quiet[s].requests)
		}
	}
	counts := b.Counts()["busy"]
	share := float64(counts.Retries) / float64(counts.Requests)
	if counts.Requests != seconds*perSecond || counts.Retries+counts.Refused != seconds*perSecond*asks || share < 0.2 || share > 0.22 {
		t.Errorf("counted %+v, retries are %.3f of the requests", counts, share)
	}
	t.Logf("of %d requests, %d retries (%.1f percent), %d refused", counts.Requests, counts.Retries, 100*share, counts.Refused)
}

func TestBudgetForgetsIdleHosts(t *testing.T) {
	b, clock := newBudget()
	for i := range manyHosts {
		b.Request(fmt.Sprint("old", i))
	}
	clock.forward(time.Minute)
	b.Request("new")
	if got := len(b.hosts); got != 1 {
		t.Errorf("%d hosts are remembered, want 1", got)
	}
}

func BenchmarkBudgetRetry(b *testing.B) {
	budget, clock := newBudget()
	b.ReportAllocs()
	for b.Loop() {
		clock.forward(time.Second)
		budget.Retry("h")
	}
}
