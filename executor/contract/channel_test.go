package contract_test

import (
	"cmp"
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/weft-flow/weft/arazzo/source"
	"github.com/weft-flow/weft/arazzo/value"
	"github.com/weft-flow/weft/executor"
	"github.com/weft-flow/weft/executor/contract"
	"github.com/weft-flow/weft/executor/mock"
)

const paidEvents = `
asyncapi: 3.0.0
info: {title: Events, version: "1"}
servers: {web: {host: events.example.com, protocol: http}}
channels:
  orders: {address: orders, messages: {placed: {payload: {$ref: '#/components/schemas/order'}}}}
  paid:
    address: %s
    parameters: {%s}
    messages:
      paid:
        headers: {type: object, required: [X-Kind], properties: {X-Kind: {type: string, const: paid}, X-Ref: {type: string}}}
        correlationId: {location: '%s'}
        payload:
          type: object
          required: [id, order]
          properties:
            id: {type: string}
            order: {$ref: '#/components/schemas/order'}
operations:
  place: {action: receive, channel: {$ref: '#/channels/orders'}}
  onPaid: {action: send, channel: {$ref: '#/channels/paid'}}
components:
  schemas:
    order: {type: object, properties: {ref: {type: string}, state: {type: string, enum: [OPEN, PAID, FAILED]}}}
`

// channelFlow gives a document whose first step sends on a channel, and whose second
// waits on another one.
func channelFlow(t *testing.T, address, parameter, location, more string) *source.Set {
	t.Helper()
	dir := t.TempDir()
	write(t, filepath.Join(dir, "events.yaml"), fmt.Sprintf(paidEvents, address, parameter, location))
	write(t, filepath.Join(dir, "flow.yaml"), channelDocument(more))
	return load(t, filepath.Join(dir, "flow.yaml"))
}

func channelDocument(more string) string {
	return fmt.Sprintf(`
arazzo: 1.1.0
info: {title: One, version: 1.0.0}
sourceDescriptions: [{name: events, url: events.yaml, type: asyncapi}]
workflows:
  - workflowId: one
    inputs: {type: object, properties: {ref: {type: string, default: r-7}}}
    outputs: {state: $steps.await.outputs.state}
    steps:
      - stepId: place
        operationId: place
        action: send
        requestBody: {payload: {ref: $inputs.ref, state: OPEN}}
        onFailure:
          - {name: refused, type: end, criteria: [{condition: $statusCode == 422}]}
      - stepId: await
        operationId: onPaid
        action: receive
        correlationId: $inputs.ref
        timeout: 30000
%s
        successCriteria: [{condition: $message.payload#/order/state == 'PAID'}]
        outputs: {state: $message.payload#/order/state}
        onFailure:
          - {name: failed, type: end, criteria: [{condition: $message.payload#/order/state == 'FAILED'}]}
          - {name: another, type: retry, retryLimit: 2, criteria: [{condition: $message.payload#/order/state == 'OPEN'}]}
          - {name: nothing, type: end, criteria: [{condition: $message.payload == null}]}
`, more)
}

// TestMessagesComeOnAChannel holds that a step which waits on a channel gets messages that
// it recognises, wherever the value stands, and each fault of messages; and that one which
// sends is answered.
func TestMessagesComeOnAChannel(t *testing.T) {
	for _, test := range []struct{ name, address, parameter, location, more string }{
		{"in the payload", "paid", "", "$message.payload#/order/ref", ""},
		{"in the header", "paid", "", "$message.header#/X-Ref", ""},
		{"in the address", "'paid/{ref}'", "ref: {}", "$message.payload#/order/ref", "        parameters: [{name: ref, in: channel, value: $inputs.ref}]"},
	} {
		t.Run(test.name, func(t *testing.T) {
			report, err := contract.Explore(context.Background(), channelFlow(t, test.address, test.parameter, test.location, test.more), contract.Options{Budget: -1})
			if err != nil {
				t.Fatal(err)
			}
			w := report.Workflows[0]
			if len(w.Refused)+len(w.Failures) > 0 {
				t.Errorf("%v %+v", w.Refused, w.Failures)
			}
			if a, c := w.Coverage.Actions, w.Coverage.Criteria; a.Total != 4 || a.Covered != 4 || c.Covered != c.Total {
				t.Errorf("actions %+v, criteria %+v", a, c)
			}
			for _, u := range w.Unreached {
				if strings.Contains(u.Name, "receive paid") || u.Kind != "fault" {
					t.Errorf("%s %s %s: %s", u.Kind, u.Name, u.Outcome, u.Why)
				}
			}
		})
	}
}

// TestFaultsOfChannels holds what the faults of messages do to a step that waits on a
// channel.
func TestFaultsOfChannels(t *testing.T) {
	for _, test := range []struct {
		kind   mock.FaultKind
		status executor.Status
		state  string // of the message that was taken
	}{
		{"", executor.Succeeded, "PAID"},
		{mock.WebhookDoubledSameID, executor.Succeeded, "PAID"},
		{mock.WebhookBeforeResponse, executor.Succeeded, "PAID"},
		{mock.WebhookLate, executor.Succeeded, "PAID"},
		{mock.WebhookLost, executor.Failed, ""},
		{mock.WebhookWrongCorrelation, executor.Failed, ""},
	} {
		t.Run(cmp.Or(string(test.kind), "none"), func(t *testing.T) {
			dir := t.TempDir()
			events := strings.Replace(fmt.Sprintf(paidEvents, "paid", "", "$message.header#/X-Ref"), "enum: [OPEN, PAID, FAILED]", "enum: [PAID, OPEN, FAILED]", 1)
			write(t, filepath.Join(dir, "events.yaml"), events)
			write(t, filepath.Join(dir, "flow.yaml"), channelDocument(""))
			doc := contract.Load(t, filepath.Join(dir, "flow.yaml"))
			if test.kind != "" {
				fault := mock.Fault{Operation: mock.ChannelMessages("paid"), Kind: test.kind}
				if test.kind == mock.WebhookLate {
					fault.Delay = 10 * time.Second
				}
				doc.Break(fault)
			}
			run := doc.Run(t, "one", contract.Inputs{"ref": "r-9"})
			run.Status(test.status)
			run.Called("orders", 1)
			var taken []string
			for _, e := range run.Events {
				if m, ok := e.Detail.(executor.MessageReceived); ok {
					body, _ := value.ParseJSON(m.Body)
					ref, _ := m.Header.Get("X-Ref")
					taken = append(taken, ref+" "+body.Get("order").Get("state").Text())
				}
			}
			if want := "r-9 " + test.state; test.state != "" && (len(taken) != 1 || taken[0] != want) || test.state == "" && len(taken) > 0 {
				t.Errorf("taken: %q, want %q", taken, want)
			}
		})
	}
}

// TestReplayOnAChannel holds that a message comes on a channel over real connections too.
func TestReplayOnAChannel(t *testing.T) {
	dir := t.TempDir()
	write(t, filepath.Join(dir, "events.yaml"), fmt.Sprintf(paidEvents, "'paid/{ref}'", "ref: {}", "$message.header#/X-Ref"))
	write(t, filepath.Join(dir, "flow.yaml"), `
arazzo: 1.1.0
info: {title: One, version: 1.0.0}
sourceDescriptions: [{name: events, url: events.yaml, type: asyncapi}]
workflows:
  - workflowId: one
    inputs: {type: object, properties: {ref: {type: string, default: r-7}}}
    steps:
      - {stepId: await, operationId: onPaid, action: receive, correlationId: $inputs.ref, timeout: 5000, parameters: [{name: ref, in: channel, value: $inputs.ref}]}
      - stepId: place
        operationId: place
        action: send
        requestBody: {payload: {ref: $inputs.ref, state: OPEN}}
        onFailure: [{name: again, type: retry, criteria: [{condition: $statusCode == 500}]}]
`)
	set := load(t, filepath.Join(dir, "flow.yaml"))
	report, err := contract.Explore(context.Background(), set, contract.Options{Budget: -1})
	if err != nil {
		t.Fatal(err)
	}
	failures := report.Workflows[0].Failures
	if len(failures) != 1 || failures[0].Check != contract.UnsafeRepeat {
		t.Fatalf("%+v", failures)
	}
	again, err := contract.Replay(context.Background(), set, contract.Options{Budget: -1}, failures[0].Seed, nil)
	if err != nil {
		t.Fatal(err)
	}
	if len(again.Problems) != 1 || again.Problems[0].Check != contract.UnsafeRepeat || again.Problems[0].Step != "place" {
		t.Errorf("%+v", again)
	}
}
