package idempotency

import (
	"fmt"
	"math"
	"strings"
	"testing"
	"time"
)

var allClasses = []Class{NotSent, NotProcessed, Rejected, Deferred, Succeeded, Unknown}

func span(d time.Duration) *time.Duration { return &d }

// TestStatement11EveryCombination holds the rule against a second, independent
// statement of it: what may be repeated, row by row.
func TestStatement11EveryCombination(t *testing.T) {
	// With an effect and no contract, a repeat is harmless only where neither the
	// last attempt nor the operation may have had an effect.
	harmless := map[Class]bool{NotSent: true, NotProcessed: true, Rejected: true, Deferred: true}
	count := 0
	for _, effectful := range []bool{false, true} {
		for _, contract := range []bool{false, true} {
			for _, allowed := range []bool{false, true} {
				for _, attempt := range allClasses {
					for _, operation := range allClasses {
						count++
						want := Decision{Verdict: Retry}
						if effectful && !contract && !(harmless[attempt] && harmless[operation]) {
							want = Decision{Verdict: Withheld}
							if allowed {
								want = Decision{Verdict: Retry, Unsafe: true}
							}
						}
						s := Situation{
							Effectful: effectful, Contract: contract, Allowed: allowed,
							Attempt: attempt, Operation: operation, Limit: 1,
						}
						got := Decide(s)
						if got.Verdict != want.Verdict || got.Unsafe != want.Unsafe || got.Reason == "" {
							t.Errorf("effectful %v, contract %v, allowed %v, attempt %s, operation %s: %+v, want %s, unsafe %v",
								effectful, contract, allowed, attempt, operation, got, want.Verdict, want.Unsafe)
						}
						s.Used = 1
						if got := Decide(s); got.Verdict != Next {
							t.Errorf("used up, %+v: %+v", s, got)
						}
					}
				}
			}
		}
	}
	if count != 288 {
		t.Errorf("%d combinations, want 288", count)
	}
}

func TestStatement11WhatTheReasonSays(t *testing.T) {
	unsafe := Situation{Effectful: true, Limit: 1}
	set := func(change func(*Situation)) Situation { s := unsafe; change(&s); return s }
	tests := []struct {
		name   string
		s      Situation
		want   Verdict
		reason string
	}{
		{"unknown", set(func(s *Situation) { s.Attempt, s.Operation = Unknown, Unknown }), Withheld, "the outcome is unknown, and the operation is unsafe to repeat"},
		{"unknown earlier", set(func(s *Situation) { s.Attempt, s.Operation = NotSent, Unknown }), Withheld, "an earlier attempt is unknown"},
		{"succeeded", set(func(s *Situation) { s.Attempt, s.Operation = Succeeded, Succeeded }), Withheld, "has succeeded, and is unsafe to repeat"},
		{"succeeded earlier", set(func(s *Situation) { s.Attempt, s.Operation = Rejected, Succeeded }), Withheld, "has succeeded"},
		{"allowed", set(func(s *Situation) { s.Attempt, s.Operation, s.Allowed = Unknown, Unknown, true }), Retry, "unsafe repeat allowed: the outcome is unknown"},
		{"had no effect", set(func(s *Situation) { s.Attempt, s.Operation = NotSent, NotSent }), Retry, "had no effect"},
		{"under a contract", set(func(s *Situation) { s.Contract, s.Attempt, s.Operation = true, Unknown, Unknown }), Retry, "with the same key"},
		{"a read", set(func(s *Situation) { s.Effectful, s.Attempt, s.Operation = false, Unknown, Unknown }), Retry, "no further effect"},
		{"no retry at all", set(func(s *Situation) { s.Limit = 0 }), Next, "no retry is allowed"},
		{"the only one used", set(func(s *Situation) { s.Used = 1 }), Next, "the only retry is used up"},
		{"all used", set(func(s *Situation) { s.Used, s.Limit = 3, 3 }), Next, "all 3 retries are used up"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			got := Decide(test.s)
			if got.Verdict != test.want || !strings.Contains(got.Reason, test.reason) {
				t.Errorf("Decide = %+v, want %s, %q", got, test.want, test.reason)
			}
		})
	}
}

func TestStatement12InFlightIsAskedForAgain(t *testing.T) {
	s := Situation{Effectful: true, Attempt: Deferred, Operation: Deferred, InFlight: true, Limit: 2, ServerAfter: span(3 * time.Second)}
	for _, contract := range []bool{true, false} {
		s.Contract = contract
		got := Decide(s)
		if got.Verdict != Retry || got.After != 3*time.Second || !strings.Contains(got.Reason, "in flight") {
			t.Errorf("contract %v: %+v", contract, got)
		}
	}
	s.Used = 2
	if got := Decide(s); got.Verdict != Next {
		t.Errorf("used up: %+v", got)
	}
}

func TestStatement06AfterTheRetentionARetryIsWithheld(t *testing.T) {
	tests := []struct {
		name                 string
		age, retention, wait time.Duration
		effectful            bool
		want                 Verdict
	}{
		{"within", time.Hour, 24 * time.Hour, 0, true, Retry},
		{"exactly", 24 * time.Hour, 24 * time.Hour, 0, true, Retry},
		{"after", 24*time.Hour + 1, 24 * time.Hour, 0, true, Withheld},
		{"within, but not after the wait", 5 * time.Minute, 6 * time.Minute, 2 * time.Minute, true, Withheld},
		{"no retention published", 1000 * time.Hour, 0, 0, true, Retry},
		{"no effect", 1000 * time.Hour, time.Hour, 0, false, Retry},
	}
	for _, test := range tests {
		for _, class := range allClasses {
			t.Run(fmt.Sprintf("%s, %s", test.name, class), func(t *testing.T) {
				s := Situation{
					Effectful: test.effectful, Contract: true, Attempt: class, Operation: class, Limit: 1,
					Age: test.age, Retention: test.retention, RetryAfter: test.wait,
				}
				got := Decide(s)
				if got.Verdict != test.want {
					t.Errorf("Decide = %+v, want %s", got, test.want)
				}
				if test.want == Withheld && !strings.Contains(got.Reason, "older than the "+test.retention.String()) {
					t.Errorf("reason %q", got.Reason)
				}
				s.Allowed = true
				if got := Decide(s); got.Verdict != Retry || got.Unsafe != (test.want == Withheld) {
					t.Errorf("allowed: %+v", got)
				}
			})
		}
	}
}

func TestStatement13HowLongToWait(t *testing.T) {
	tests := []struct {
		name string
		s    Situation
		want time.Duration
	}{
		{"at once", Situation{}, 0},
		{"as the document says", Situation{RetryAfter: 2 * time.Second}, 2 * time.Second},
		{"with a factor, third retry", Situation{RetryAfter: 2 * time.Second, Factor: 3, Used: 2}, 18 * time.Second},
		{"up to the greatest", Situation{RetryAfter: 2 * time.Second, Factor: 3, Used: 2, MaxWait: 5 * time.Second}, 5 * time.Second},
		{"the server overrules", Situation{RetryAfter: 2 * time.Second, Factor: 3, Used: 2, MaxWait: 5 * time.Second, ServerAfter: span(7 * time.Second)}, 7 * time.Second},
		{"the server overrules with nothing", Situation{RetryAfter: 2 * time.Second, ServerAfter: span(0)}, 0},
		{"the server asks for too much", Situation{ServerAfter: span(1000 * time.Hour)}, 24 * time.Hour},
		{"the server asks for less than nothing", Situation{ServerAfter: span(-time.Hour)}, 0},
		{"with jitter", Situation{RetryAfter: 2 * time.Second, Jitter: time.Second}, 3 * time.Second},
		{"jitter on what the server asks", Situation{ServerAfter: span(2 * time.Second), Jitter: time.Second}, 3 * time.Second},
		{"no jitter below 0", Situation{RetryAfter: 2 * time.Second, Jitter: -time.Second}, 2 * time.Second},
		{"no overflow", Situation{RetryAfter: math.MaxInt64, Jitter: time.Second}, math.MaxInt64},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			test.s.Attempt, test.s.Operation, test.s.Limit = NotSent, NotSent, 10
			got := Decide(test.s)
			if got.Verdict != Retry || got.After != test.want {
				t.Errorf("Decide = %+v, want a retry after %v", got, test.want)
			}
		})
	}
}

func TestStatement13AWaitPastTheDeadlineIsNotBegun(t *testing.T) {
	tests := []struct {
		name      string
		wait      time.Duration
		remaining *time.Duration
		want      Verdict
	}{
		{"no deadline", time.Hour, nil, Retry},
		{"in time", time.Second, span(2 * time.Second), Retry},
		{"at the deadline", 2 * time.Second, span(2 * time.Second), Withheld},
		{"past the deadline", 3 * time.Second, span(2 * time.Second), Withheld},
		{"the deadline is over", 0, span(-time.Second), Withheld},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			got := Decide(Situation{Attempt: Deferred, Limit: 1, RetryAfter: test.wait, Remaining: test.remaining})
			if got.Verdict != test.want {
				t.Errorf("Decide = %+v, want %s", got, test.want)
			}
			if test.want == Withheld && !strings.Contains(got.Reason, "deadline") {
				t.Errorf("reason %q", got.Reason)
			}
		})
	}
}

func TestStatement14ARefusedRetryIsWithheld(t *testing.T) {
	retry := Decision{Verdict: Retry, After: time.Second, Reason: "why", Unsafe: true}
	if got, want := retry.Refused(ReasonBudget), (Decision{Verdict: Withheld, Reason: ReasonBudget}); got != want {
		t.Errorf("Refused = %+v, want %+v", got, want)
	}
	next := Decision{Verdict: Next, Reason: "why"}
	if got := next.Refused(ReasonBudget); got != next {
		t.Errorf("Refused = %+v, want it unchanged", got)
	}
}

func BenchmarkDecide(b *testing.B) {
	s := Situation{
		Effectful: true, Contract: true, Attempt: Unknown, Operation: Unknown, Limit: 3, Used: 1,
		RetryAfter: time.Second, Factor: 2, MaxWait: time.Minute, Remaining: span(time.Hour),
		Age: time.Minute, Retention: 24 * time.Hour,
	}
	b.ReportAllocs()
	for b.Loop() {
		Decide(s)
	}
}
