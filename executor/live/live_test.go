package live_test

import (
	"net/http"
	"os"
	"path/filepath"
	"testing"
	"testing/synctest"
	"time"

	"github.com/jarcoal/httpmock"

	"github.com/weft-flow/weft/arazzo/source"
	"github.com/weft-flow/weft/executor"
	"github.com/weft-flow/weft/executor/httpcall"
	"github.com/weft-flow/weft/executor/live"
	"github.com/weft-flow/weft/idempotency"
)

const pollFlow = `
arazzo: 1.1.0
info: {title: t, version: "1"}
sourceDescriptions: [{name: api, url: api.yaml, type: openapi}]
workflows:
- workflowId: w
  steps:
  - stepId: s
    operationId: create
    requestBody: {contentType: application/json, payload: {sku: TEA}}
    successCriteria: [{condition: $statusCode == 201}]
    onFailure: [{name: again, type: retry, retryAfter: 30, retryLimit: 3}]
  - stepId: t
    operationId: create
    requestBody: {contentType: application/json, payload: {sku: MUG}}
`

func compileFlow(t *testing.T, flow string) *executor.Plan {
	t.Helper()
	return compileWith(t, benchAPI, flow, executor.Config{
		Servers: map[string]string{"": "http://api.test"}, Contract: executor.ContractOff,
	})
}

// compileWith compiles all workflows of a flow that calls an API.
func compileWith(t testing.TB, api, flow string, config executor.Config) *executor.Plan {
	t.Helper()
	dir := t.TempDir()
	for name, text := range map[string]string{"api.yaml": api, "flow.yaml": flow} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	loader := source.NewLoader(source.Options{Offline: true})
	doc, location, faults, err := loader.LoadDocument(t.Context(), filepath.Join(dir, "flow.yaml"))
	if err != nil || len(faults) > 0 {
		t.Fatal(err, faults)
	}
	set, problems := loader.Load(t.Context(), doc, location)
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	plan, refusals := executor.Compile(set, []string{"w"}, config)
	if refusals != nil {
		t.Fatal(refusals)
	}
	return plan
}

// endlessBudget lets every retry be made.
func endlessBudget() *idempotency.Budget {
	return idempotency.NewBudget(idempotency.BudgetLimits{Window: 10 * time.Second, PerSecond: 100_000, Percent: 100}, time.Now)
}

// mockedRuntime sends to responders in the same process.
func mockedRuntime(transport *httpmock.MockTransport, budget *idempotency.Budget) *live.Runtime {
	return live.New(live.Options{Client: httpcall.New(httpcall.Options{Transport: transport}), Budget: budget})
}

// TestWaitsAreReal under a clock that does not make the test wait.
func TestWaitsAreReal(t *testing.T) {
	plan := compileFlow(t, pollFlow)
	synctest.Test(t, func(t *testing.T) {
		transport := httpmock.NewMockTransport()
		transport.RegisterResponder("POST", "http://api.test/orders", httpmock.NewStringResponder(503, "").
			HeaderSet(http.Header{"Retry-After": {"20"}}).Then(httpmock.NewStringResponder(201, "")))
		runtime := mockedRuntime(transport, nil)
		defer runtime.Close()
		began := time.Now()
		result, err := plan.Run(t.Context(), runtime, executor.Start{})
		if err != nil || result.Status != executor.Succeeded || transport.GetTotalCallCount() != 3 {
			t.Fatalf("%+v, %v after %d calls", result, err, transport.GetTotalCallCount())
		}
		if waited := time.Since(began); waited < 20*time.Second || waited > 21*time.Second {
			t.Errorf("waited %v, want the 20s that the server asked for", waited)
		}
	})
}

// TestACancelIsHeededBetweenRequests: waiting ends at once, and nothing further is sent.
func TestACancelIsHeededBetweenRequests(t *testing.T) {
	plan := compileFlow(t, pollFlow)
	synctest.Test(t, func(t *testing.T) {
		transport := httpmock.NewMockTransport()
		transport.RegisterResponder("POST", "http://api.test/orders", httpmock.NewStringResponder(503, "").
			HeaderSet(http.Header{"Retry-After": {"600"}}))
		runtime := mockedRuntime(transport, nil)
		defer runtime.Close()
		time.AfterFunc(time.Second, runtime.Cancel)
		began := time.Now()
		result, err := plan.Run(t.Context(), runtime, executor.Start{})
		if err != nil || result.Status != executor.Cancelled || transport.GetTotalCallCount() != 1 {
			t.Fatalf("%+v, %v after %d calls", result, err, transport.GetTotalCallCount())
		}
		if waited := time.Since(began); waited != time.Second {
			t.Errorf("the wait went on for %v after the cancel", waited-time.Second)
		}
	})
}

// TestRunsShareTheRetryBudget of their runtime.
func TestRunsShareTheRetryBudget(t *testing.T) {
	plan := compileFlow(t, pollFlow)
	transport := httpmock.NewMockTransport()
	transport.RegisterResponder("POST", "http://api.test/orders", httpmock.NewStringResponder(429, "").
		HeaderSet(http.Header{"Retry-After": {"0"}}))
	now := time.Now()
	budget := idempotency.NewBudget(idempotency.BudgetLimits{Window: 10 * time.Second, PerSecond: 0, Percent: 50}, func() time.Time { return now })
	runtime := mockedRuntime(transport, budget)
	defer runtime.Close()
	withheld := 0
	for range 10 {
		result, err := plan.Run(t.Context(), runtime, executor.Start{})
		if err != nil {
			t.Fatal(err)
		}
		withheld += result.Counts.Withheld
	}
	if calls := transport.GetTotalCallCount(); calls > 15 || withheld < 5 {
		t.Errorf("%d requests and %d withheld for 10 runs under a budget of half", calls, withheld)
	}
}
