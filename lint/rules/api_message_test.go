package rules_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestMessages holds what is said of messages against their descriptions.
func TestMessages(t *testing.T) {
	const events = `asyncapi: 3.0.0
info: {title: Events, version: 1.0.0}
servers: {main: {host: events.example, protocol: http}}
channels:
  all: {address: orders, messages: {order: {$ref: '#/components/messages/order'}}}
  one: {address: 'orders/{orderId}', parameters: {orderId: {}}, messages: {order: {$ref: '#/components/messages/order'}}}
operations:
  placed: {action: send, channel: {$ref: '#/channels/all'}}
  done: {action: receive, channel: {$ref: '#/channels/all'}}
  news: {action: receive, channel: {$ref: '#/channels/one'}}
components:
  messages:
    order: {payload: {$ref: '#/components/schemas/Order'}}
  schemas:
    Order: {type: object, properties: {reference: {type: string}, status: {$ref: '#/components/schemas/Status'}}}
    Status: {type: string, enum: [OK, FAILED]}
`
	const hooks = `openapi: 3.1.0
info: {title: Hooks, version: 1.0.0}
paths: {}
webhooks:
  changed:
    post:
      operationId: changed
      requestBody: {content: {application/json: {schema: {type: object, properties: {reference: {type: string}, status: {type: string, enum: [OK, FAILED]}}}}}}
      responses: {'204': {description: thanks}}
`
	receive := func(operation, condition string) string {
		return "operationId: " + operation + "\naction: receive\ncorrelationId: $inputs.b\nsuccessCriteria: [{condition: " + condition + "}]"
	}
	send := func(payload string) string {
		return "operationId: placed\naction: send\nrequestBody: {payload: " + payload + "}"
	}
	const news = "\nparameters: [{name: "
	for _, test := range []struct {
		name, step string
		want       []string
	}{
		{"a way into a message", receive("done", "$message.payload#/state == 'OK'"),
			[]string{`response-path: the message of operation "done" is described without "state"; did you mean "status"?`}},
		{"a value of a message", receive("done", "$message.payload#/status == 'OKAY'"),
			[]string{`enum-value: $message.payload#/status is never "OKAY"; it is one of: OK, FAILED`}},
		{"as described", receive("done", "$message.payload#/status == 'OK'"), nil},
		{"a way into a webhook", receive("changed", "$message.payload#/statsu == 'OK'"),
			[]string{`response-path: the message of operation "changed" is described without "statsu"; did you mean "status"?`}},
		{"a value of a webhook", receive("changed", "$message.payload#/status == 'DONE'"),
			[]string{`enum-value: $message.payload#/status is never "DONE"; it is one of: OK, FAILED`}},
		{"a constant that is sent", send("{reference: $inputs.b, status: GOOD}"),
			[]string{`payload-schema: the body of operation "placed": expected one of OK, FAILED`}},
		{"a value that is sent", send("{reference: $inputs.n, status: OK}"),
			[]string{`type-flow: $inputs.n is an integer, and /reference in the body of operation "placed" takes a string`}},
		{"any address", receive("news", "$message.payload#/status == 'OK'"), nil},
		{"a parameter that is missing", "operationId: news\naction: send\nrequestBody: {payload: {reference: $inputs.b, status: OK}}",
			[]string{`parameter-required: the channel of operation "news" needs the parameter "orderId", which the step does not give`}},
		{"a parameter that is misspelt", receive("news", "$message.payload#/status == 'OK'") + news + "orderID, in: channel, value: $inputs.b}]",
			[]string{`parameter-known: the channel of operation "news" has no parameter "orderID"; did you mean "orderId"?`}},
		{"a parameter that is given", receive("news", "$message.payload#/status == 'OK'") + news + "orderId, in: channel, value: $inputs.b}]", nil},
	} {
		t.Run(test.name, func(t *testing.T) {
			folder := t.TempDir()
			document := "arazzo: 1.1.0\ninfo: {title: T, version: 1.0.0}\nsourceDescriptions:\n  - {name: events, url: events.yaml, type: asyncapi}\n  - {name: hooks, url: hooks.yaml, type: openapi}\n" +
				"workflows:\n  - workflowId: w\n    inputs: {type: object, properties: {b: {type: string}, n: {type: integer}}}\n    steps:\n      - stepId: s\n" + indent(test.step, 8)
			for name, text := range map[string]string{"w.arazzo.yaml": document, "events.yaml": events, "hooks.yaml": hooks} {
				if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			var got []string
			for _, d := range lintFile(t, filepath.Join(folder, "w.arazzo.yaml")).Files[0].Diagnostics {
				if slices.Contains(aroundAPI, d.Rule) || d.Rule == "schema" || d.Rule == "source-loads" {
					got = append(got, fmt.Sprintf("%s: %s", d.Rule, d.Message))
				}
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("findings (-want +got):\n%s\n%s", diff, document)
			}
		})
	}
}
