package executor_test

import (
	"strings"
	"testing"
	"time"

	"github.com/weft-flow/weft/executor"
)

// TestStatement10AMessageAboutItSettlesIt: a webhook of the same API, recognised by a
// value that the lost request alone sent. Nothing else that comes is proof of it.
func TestStatement10AMessageAboutItSettlesIt(t *testing.T) {
	const flow = `
workflows:
- workflowId: w
  inputs: {type: object, properties: {ref: {type: string, default: r-1}}}
  steps:
  - {stepId: order, operationId: createOrder, requestBody: {contentType: application/json, payload: {ORDER}}}
  - stepId: pay
    operationId: pay
    requestBody: {contentType: application/json, payload: {ref: $inputs.ref}}
    onFailure: [{name: await, type: goto, stepId: wait}]
  - stepId: wait
    operationId: paid
    action: receive
    correlationId: CORRELATION
    timeout: 1000
    x-weft-correlation: $message.payload#/ref
    EXTENSION
`
	for name, test := range map[string]struct {
		order, correlation, extension string
		message                       string
		want                          executor.Status
	}{
		"from before it was sent":    {"a: 1", "$inputs.ref", "", "", executor.Unknown},
		"about it":                   {"a: 1", "$inputs.ref", "", paidMessage, executor.Recovered},
		"about another":              {"a: 1", "$inputs.ref", "", `{"ref":"r-2"}`, executor.Unknown},
		"two sent what it is about":  {"ref: $inputs.ref", "$inputs.ref", "", paidMessage, executor.Unknown},
		"of two, one is said":        {"ref: $inputs.ref", "$inputs.ref", "x-weft-requery-of: pay", paidMessage, executor.Recovered},
		"by what the order answered": {"a: 1", "$steps.order.outputs.ref", "", paidMessage, executor.Unknown},
	} {
		t.Run(name, func(t *testing.T) {
			runtime := &script{answer: func(call executor.Call, _ int) executor.Exchange {
				if call.Operation.ID == "pay" {
					return lost()
				}
				return respond(201, map[string]string{"ref": "r-1"})
			}}
			if test.message == "" {
				runtime.inbox.comes(-time.Hour, paidBox, "m1", paidMessage)
			}
			runtime.inbox.comes(500*time.Millisecond, paidBox, "m2", test.message)
			text := strings.NewReplacer("ORDER", test.order, "CORRELATION", test.correlation, "EXTENSION", test.extension).Replace(flow)
			text = strings.Replace(text, "{"+test.order+"}}}", "{"+test.order+"}}, outputs: {ref: $response.body#/ref}}", 1)
			got := flowTest{flow: text, runtime: runtime}.run(t)
			if w := got.Workflows[0]; w.Status != test.want {
				t.Errorf("ended as %s (%s), want %s", w.Status, w.Reason, test.want)
			}
			if got.order() != "createOrder pay" {
				t.Errorf("called %q", got.order())
			}
		})
	}
}
