package executor_test

import (
	"strings"
	"testing"
)

const eventsDescription = `asyncapi: 3.0.0
info: {title: Events, version: "1"}
servers:
  log: {host: a.example, protocol: kafka}
  bus: {host: b.example, protocol: mqtt}
channels:
  placed: {address: orders/placed}
  paid: {servers: [{$ref: '#/servers/log'}]}
operations:
  orderPlaced: {action: send, channel: {$ref: '#/channels/placed'}}
  orderPaid: {action: receive, channel: {$ref: '#/channels/paid'}}
`

func TestStepsThatSendOrReceiveAreRefusedByName(t *testing.T) {
	const unbuilt = ", which is not built yet; what can be run is AsyncAPI over http, OpenAPI operations and workflows"
	for name, test := range map[string]struct{ step, want string }{
		"an operation": {"operationId: $sourceDescriptions.events.orderPaid, action: receive, correlationId: a",
			`step "s": operation "orderPaid" of source "events" is AsyncAPI over kafka` + unbuilt},
		"an operation by its plain id": {"operationId: orderPlaced, action: send",
			`step "s": operation "orderPlaced" of source "events" is AsyncAPI over kafka or mqtt` + unbuilt},
		"a channel": {"channelPath: '{$sourceDescriptions.events.url}#/channels/paid', action: send",
			`step "s": channel "paid" of source "events" is AsyncAPI over kafka` + unbuilt},
		"an unknown protocol": {"operationId: tell, action: send",
			`step "s": operation "tell" of source "bare" is AsyncAPI over a protocol that no server names` + unbuilt},
		"no action": {"operationId: orderPaid",
			`step "s": it has no action: expected send or receive, since operation "orderPaid" of source "events" is of AsyncAPI`},
		"an operation that is not there": {"operationId: $sourceDescriptions.events.orderPayed, action: receive",
			`step "s": no operation "$sourceDescriptions.events.orderPayed": source "events" describes none of that operationId; did you mean "orderPaid" or "orderPlaced"?`},
		"a channel that is not there": {"channelPath: '{$sourceDescriptions.events.url}#/channels/pain', action: receive",
			`step "s": no channel "{$sourceDescriptions.events.url}#/channels/pain": source "events" has no channel "pain"; did you mean "{$sourceDescriptions.events.url}#/channels/paid"?`},
	} {
		t.Run(name, func(t *testing.T) {
			_, refusals := flowTest{
				flow: "workflows: [{workflowId: w, steps: [{stepId: s, " + test.step + "}]}]\n",
				more: map[string]string{
					"#sources":    ", {name: events, url: events.yaml, type: asyncapi}, {name: bare, url: bare.yaml, type: asyncapi}",
					"events.yaml": eventsDescription,
					"bare.yaml":   "asyncapi: 2.6.0\nchannels: {c: {subscribe: {operationId: tell}}}\n",
				},
			}.compile(t)
			if len(refusals) != 1 || refusals[0].Message != test.want {
				t.Errorf("refusals %+v\nwant %s", refusals, test.want)
			}
			if len(refusals) > 0 && !strings.HasPrefix(refusals[0].Place.Pointer, "/workflows/0/steps/0") {
				t.Errorf("refused at %s", refusals[0].Place.Pointer)
			}
		})
	}
}
