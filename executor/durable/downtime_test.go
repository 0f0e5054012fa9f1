package durable

import (
	"strings"
	"testing"

	"github.com/weft-flow/weft/executor"
)

// roundsFlow pays, and pays once more where no message came.
const roundsFlow = `
workflows:
- workflowId: buy
  inputs: {type: object, properties: {ref: {type: string}}}
  steps:
  - stepId: pay
    operationId: OPERATION
    requestBody: {contentType: application/json, payload: {ref: $inputs.ref}}
    onFailure: [{name: see, type: goto, stepId: wait}]
  - stepId: wait
    operationId: paid
    action: receive
    correlationId: $inputs.ref
    timeout: 50
    x-weft-correlation: $message.payload#/ref
    onFailure: [{name: again, type: goto, stepId: pay}]
`

// TestStatement19AMessageOfTheTimeWithoutAProcess: what a request has brought about that may
// have left before a crash can be told before the run goes on, and is taken then.
func TestStatement19AMessageOfTheTimeWithoutAProcess(t *testing.T) {
	for operation, path := range map[string]string{"pay": "/payments", "createOrder": "/orders"} {
		t.Run(operation, func(t *testing.T) {
			url := readyFile(t)
			shop, servers := playMuted(t, 0)
			spec := Spec{Run: "r", Bundle: flowBundle(t, strings.Replace(roundsFlow, "OPERATION", operation, 1)), Config: executor.Config{
				Servers: servers, Timeout: executor.NoTimeout, MaxSteps: 8,
			}}
			if _, killed := child(t, childOrder{URL: url, Spec: spec, Inputs: `{"ref":"1"}`, KillIn: "before buy/pay#2/1:send"}); !killed {
				t.Fatal("the process was not killed")
			}
			s := openStore(t, url, quickOptions(t))
			if _, err := s.Deliver(t.Context(), "r", executor.Message{Box: paidBox, Identity: "m1", Body: []byte(`{"ref":"1"}`)}); err != nil {
				t.Fatal(err)
			}
			if err := s.Drive(t.Context(), DriveOptions{}); err != nil {
				t.Fatal(err)
			}
			result := end(t, s, "r")
			if keys, _ := shop.sent(path); result.Status != executor.Recovered || result.Counts.Messages != 1 || len(keys) > 2 {
				t.Errorf("%+v, sent under %q", result, keys)
			}
			replay(t, s, "r")
		})
	}
}
