package executor_test

import (
	"context"
	"testing"
	"time"

	"github.com/weft-flow/weft/executor"
	"github.com/weft-flow/weft/idempotency"
)

// loopFlow polls a thousand times: what is left is the cost of a step.
const loopFlow = `
workflows:
- workflowId: w
  inputs: {type: object, properties: {ref: {type: string, default: r1}}}
  steps:
  - stepId: poll
    operationId: listOrders
    parameters: [{name: ref, in: query, value: $inputs.ref}]
    successCriteria: [{condition: $statusCode == 200}]
    outputs: {n: $response.body#/n}
    onSuccess: [{name: again, type: goto, stepId: poll, criteria: [{condition: $response.body#/more == true}]}]
`

// instant answers at once, more being true but for the last time.
type instant struct{ left int }

var more, last = respond(200, map[string]any{"n": 1, "more": true}), respond(200, map[string]any{"n": 2, "more": false})

func (i *instant) Open(context.Context, []executor.Mailbox) (executor.Opened, error) {
	return executor.Opened{Run: "bench", Time: epoch}, nil
}

func (i *instant) Call(_ context.Context, call executor.Call) (executor.Exchange, error) {
	x := more
	if i.left--; i.left == 0 {
		x = last
	}
	x.Started, x.Ended, x.Class = epoch, epoch, idempotency.Succeeded
	x.Sent = executor.Sent{Method: call.Operation.Method, URL: call.Server}
	return x, nil
}

func (i *instant) Wait(context.Context, executor.WaitSpec) (executor.Signal, error) {
	return executor.Signal{Kind: executor.SignalTimeout, Time: epoch}, nil
}

func (i *instant) Admit(context.Context, executor.Retry) (executor.Admission, error) {
	return executor.Admission{Granted: true, Time: epoch}, nil
}

func (i *instant) Move(_ context.Context, move executor.Move) (executor.Moved, error) {
	return executor.Moved{Done: true, State: move.To, Time: epoch}, nil
}

func (i *instant) End(context.Context, string) error { return nil }

// BenchmarkStep is one step without input and output: its parameters, criteria,
// outputs and action, without and with events.
func BenchmarkStep(b *testing.B) {
	for name, sink := range map[string]executor.Sink{"silent": nil, "events": discard{}} {
		b.Run(name, func(b *testing.B) {
			plan := benchPlan(b, loopFlow)
			b.ReportAllocs()
			b.ResetTimer()
			result, err := plan.Run(b.Context(), &instant{left: b.N}, executor.Start{Sink: sink})
			if err != nil || result.Status != executor.Succeeded || result.Counts.Steps != b.N {
				b.Fatalf("%+v, %v", result, err)
			}
		})
	}
}

// BenchmarkCompile makes a plan of a loaded document.
func BenchmarkCompile(b *testing.B) {
	set := loadFlow(b, "1.1.0", loopFlow, nil)
	for b.Loop() {
		if _, refusals := executor.Compile(set, nil, executor.Config{}); refusals != nil {
			b.Fatal(refusals)
		}
	}
}

func benchPlan(b *testing.B, flow string) *executor.Plan {
	b.Helper()
	plan, refusals := executor.Compile(loadFlow(b, "1.1.0", flow, nil), nil, executor.Config{MaxSteps: 1 << 40, Timeout: 1000 * time.Hour})
	if refusals != nil {
		b.Fatal(refusals)
	}
	return plan
}

type discard struct{}

func (discard) Write(executor.Event) error { return nil }
