package idempotency_test

import (
	"fmt"
	"time"

	"github.com/weft-flow/weft/idempotency"
)

// What is not known is unknown: nothing is rounded to success or failure.
func ExampleClass() {
	for _, status := range []int{201, 402, 429, 502} {
		class, _ := idempotency.Classify(idempotency.Observation{Written: true, Complete: true, Status: status})
		fmt.Println(status, class)
	}
	// Output:
	// 201 succeeded
	// 402 rejected
	// 429 deferred
	// 502 unknown
}

// The same failure means another thing before the request has left.
func ExampleFailure() {
	for _, written := range []bool{false, true} {
		fmt.Println(idempotency.Classify(idempotency.Observation{
			Written: written, Failure: idempotency.FailedReset,
		}))
	}
	// Output:
	// not_sent the connection broke before the request was sent
	// unknown the connection broke after the request was sent
}

func ExampleObservation() {
	fmt.Println(idempotency.Classify(idempotency.Observation{
		Written: true, Complete: true, Status: 409, KeySent: true,
		InFlight: idempotency.InFlightProblem("https://example.com/problems/in-flight", ""),
	}))
	// Output: deferred 409: a request with this key is in flight
}

// The server's wait overrules the document's, and a retry that would come after the
// server may have forgotten the key is withheld.
func ExampleSituation() {
	wait := 2 * time.Hour
	situation := idempotency.Situation{
		Effectful: true, Contract: true, Attempt: idempotency.Deferred, Operation: idempotency.Deferred,
		Limit: 5, RetryAfter: time.Second, ServerAfter: &wait, Retention: 24 * time.Hour,
	}
	fmt.Println(idempotency.Decide(situation).After)
	situation.Age = 23 * time.Hour
	fmt.Println(idempotency.Decide(situation).Reason)
	// Output:
	// 2h0m0s
	// the key would be older than the 24h0m0s for which the server keeps it
}

func ExampleVerdict() {
	situation := idempotency.Situation{Effectful: true, Attempt: idempotency.NotSent, Operation: idempotency.NotSent, Limit: 1}
	fmt.Println(idempotency.Decide(situation).Verdict)
	situation.Used = 1
	fmt.Println(idempotency.Decide(situation).Verdict)
	// Output:
	// retry
	// next
}

// A budget that is used up turns a retry into one that is withheld.
func ExampleDecision() {
	decision := idempotency.Decide(idempotency.Situation{Attempt: idempotency.NotSent, Limit: 1})
	decision = decision.Refused(idempotency.ReasonBudget)
	fmt.Println(decision.Verdict, decision.Reason)
	// Output: withheld retry budget exhausted
}

// A small budget: one retry a second, on average over 2 seconds, and one more for
// each two requests.
func ExampleBudgetLimits() {
	limits := idempotency.BudgetLimits{Window: 2 * time.Second, Percent: 50, PerSecond: 1}
	budget := idempotency.NewBudget(limits, time.Now)
	for range 4 {
		budget.Request("api.example:443")
	}
	granted := 0
	for budget.Retry("api.example:443") {
		granted++
	}
	fmt.Println(granted)
	// Output: 4
}

// What is refused to one host is left to another.
func ExampleBudgetCounts() {
	budget := idempotency.NewBudget(idempotency.BudgetLimits{Window: time.Second, PerSecond: 1}, time.Now)
	for range 3 {
		budget.Retry("a.example:443")
	}
	budget.Retry("b.example:443")
	for _, host := range []string{"a.example:443", "b.example:443"} {
		counts := budget.Counts()[host]
		fmt.Println(host, counts.Retries, counts.Refused)
	}
	// Output:
	// a.example:443 1 2
	// b.example:443 1 0
}
