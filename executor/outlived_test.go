package executor_test

import (
	"testing"
	"time"

	"github.com/weft-flow/weft/executor"
	"github.com/weft-flow/weft/idempotency"
)

// TestStatement06AWaitThatTakesTooLong: a repeat that was decided in time is withheld once
// the wait before it was longer than the server keeps the key, unless the user says that it
// may be made.
func TestStatement06AWaitThatTakesTooLong(t *testing.T) {
	const flow = `
workflows:
- workflowId: w
  steps:
  - stepId: order
    operationId: createOrder
    requestBody: {payload: {ref: r1}}
    onFailure: [{name: again, type: retry, retryAfter: 60, retryLimit: 5}]
`
	dialect, _ := idempotency.KnownHeader("Idempotency-Key")
	dialect.Retention = time.Hour
	for name, c := range map[string]struct {
		late  time.Duration
		allow bool
		past  string
		sent  int
	}{
		"in time":                             {0, false, "", 6},
		"too late":                            {time.Hour, false, "", 1},
		"too late, as an earlier program did": {time.Hour, false, "w/order#1/2", 2},
		"too late, as meant":                  {time.Hour, true, "", 6},
	} {
		t.Run(name, func(t *testing.T) {
			config := executor.Config{UnsafeRetry: c.allow, Timeout: executor.NoTimeout, Sources: map[string]executor.SourceConfig{"shop": {Profile: &idempotency.Profile{Dialect: dialect}}}}
			got := flowTest{flow: flow, config: config, runtime: &script{answer: always(lost()), late: c.late, past: c.past}}.run(t)
			if got.Status != executor.Unknown || len(got.calls) != c.sent {
				t.Errorf("%d requests, ended as %s (%s); want %d and unknown", len(got.calls), got.Status, got.Reason, c.sent)
			}
		})
	}
}
