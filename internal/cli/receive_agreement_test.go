package cli_test

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/weft-flow/weft/internal/cli"
)

const agreementAPI = `openapi: 3.1.0
info: {title: Shop, version: "1"}
servers: [{url: "http://127.0.0.1:1"}]
paths:
  /subscribe:
    post:
      operationId: subscribe
      requestBody: {content: {application/json: {schema: {type: object}}}}
      responses: {"200": {description: ok}}
      callbacks:
        done: {'{$request.body#/url}': {post: {operationId: finished, responses: {"204": {description: ok}}}}}
webhooks:
  paid:
    post:
      operationId: paid
      parameters: [{name: X-Tenant, in: header, schema: {type: string}}]
      requestBody: {content: {application/json: {schema: {type: object, properties: {ref: {type: string}}}}}}
      responses: {"200": {description: ok}}
`

const agreementEvents = `asyncapi: 3.0.0
info: {title: Events, version: "1"}
servers: {web: {host: a.example, protocol: http}}
channels:
  order: {address: 'orders/{id}', parameters: {id: {}}, messages: {changed: {payload: {type: object}}}}
  described:
    address: described
    messages: {m: {correlationId: {location: $message.header#/trace}}}
  request: {address: ask, messages: {q: {payload: {type: object, properties: {ref: {type: string}}}}}}
  answer: {address: answers, messages: {a: {payload: {type: object, properties: {ref: {type: string}}}}}}
operations:
  orderChanged: {action: send, channel: {$ref: '#/channels/order'}}
  told: {action: send, channel: {$ref: '#/channels/described'}}
  ask: {action: receive, channel: {$ref: '#/channels/request'}, reply: {channel: {$ref: '#/channels/answer'}}}
`

// TestLintAndRunAgreeOnWhatCanBeReceived: what a run refuses of a step that receives
// is an error of the linter, and nothing else is.
func TestLintAndRunAgreeOnWhatCanBeReceived(t *testing.T) {
	for name, test := range map[string]struct {
		inputs, steps string
		refused       bool
	}{
		"nothing":                            {"", "{stepId: s, operationId: paid, action: receive}", true},
		"a criterion on a value of the run":  {"", "{stepId: s, operationId: paid, action: receive, successCriteria: [{condition: $message.payload#/ref == $inputs.ref}]}", true},
		"a member of the same name":          {"", "{stepId: s, operationId: paid, action: receive, correlationId: $inputs.ref}", false},
		"a header of the same name":          {"", "{stepId: s, operationId: paid, action: receive, correlationId: $inputs.x_tenant}", false},
		"nothing of the same name":           {"", "{stepId: s, operationId: paid, action: receive, correlationId: $inputs.other}", true},
		"a constant":                         {"", "{stepId: s, operationId: paid, action: receive, correlationId: a}", true},
		"a place":                            {"", "{stepId: s, operationId: paid, action: receive, correlationId: $inputs.other, x-weft-correlation: $message.payload#/x}", false},
		"a query parameter as place":         {"", "{stepId: s, operationId: paid, action: receive, correlationId: $inputs.other, x-weft-correlation: $message.query.x}", false},
		"a place without a value":            {"", "{stepId: s, operationId: paid, action: receive, x-weft-correlation: $message.payload#/x}", true},
		"a parameter of a webhook":           {"", "{stepId: s, operationId: paid, action: receive, correlationId: $inputs.ref, parameters: [{name: X-Tenant, in: header, value: a}]}", true},
		"a header of a channel":              {"", "{stepId: s, operationId: told, action: receive, correlationId: $inputs.ref, parameters: [{name: X-Tenant, in: header, value: a}]}", true},
		"an address of its own":              {"url: {type: string, x-weft-callback: s}", "{stepId: s, operationId: paid, action: receive}", false},
		"an address for no step":             {"url: {type: string, x-weft-callback: z}", "{stepId: s, operationId: paid, action: receive, correlationId: $inputs.ref}", true},
		"an address for a step that calls":   {"url: {type: string, x-weft-callback: c}", "{stepId: c, operationId: subscribe, requestBody: {payload: {}}}, {stepId: s, operationId: paid, action: receive, correlationId: $inputs.ref}", true},
		"a callback":                         {"", "{stepId: c, operationId: subscribe, requestBody: {payload: {url: $inputs.ref}}}, {stepId: s, operationId: finished, action: receive}", false},
		"a place in a callback, no value":    {"", "{stepId: c, operationId: subscribe, requestBody: {payload: {url: $inputs.ref}}}, {stepId: s, operationId: finished, action: receive, x-weft-correlation: $message.payload#/x}", true},
		"a value of the run in the address":  {"", "{stepId: s, operationId: orderChanged, action: receive, parameters: [{name: id, in: channel, value: $inputs.ref}]}", false},
		"a constant in the address":          {"", "{stepId: s, operationId: orderChanged, action: receive, parameters: [{name: id, in: channel, value: a}]}", true},
		"an address parameter by its name":   {"", "{stepId: s, operationId: orderChanged, action: receive, correlationId: $inputs.id}", false},
		"no member of the payload described": {"", "{stepId: s, operationId: orderChanged, action: receive, correlationId: $inputs.ref}", true},
		"a place that AsyncAPI describes":    {"", "{stepId: s, operationId: told, action: receive, correlationId: $inputs.ref}", false},
		"a reply without a value":            {"", "{stepId: q, operationId: ask, action: send, requestBody: {payload: {}}}, {stepId: s, operationId: ask, action: receive}", true},
		"a reply with a value":               {"", "{stepId: q, operationId: ask, action: send, requestBody: {payload: {}}}, {stepId: s, operationId: ask, action: receive, correlationId: $inputs.ref}", false},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			inputs := "ref: {type: string, default: r}, other: {type: string, default: o}, id: {type: string, default: i}, x_tenant: {type: string, default: t}"
			if test.inputs != "" {
				inputs += ", " + test.inputs
			}
			for file, text := range map[string]string{
				"shop.yaml": agreementAPI, "events.yaml": agreementEvents,
				"flow.arazzo.yaml": "arazzo: 1.1.0\ninfo: {title: t, version: '1'}\n" +
					"sourceDescriptions: [{name: shop, url: shop.yaml, type: openapi}, {name: events, url: events.yaml, type: asyncapi}]\n" +
					"workflows: [{workflowId: w, inputs: {type: object, properties: {" + inputs + "}}, steps: [" + test.steps + "]}]\n",
			} {
				if err := os.WriteFile(filepath.Join(dir, file), []byte(text), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			flow := filepath.Join(dir, "flow.arazzo.yaml")
			var out bytes.Buffer
			stdio := cli.Stdio{In: strings.NewReader(""), Out: &out, Err: &out}
			linted := cli.Run([]string{"lint", "--fail-on", "error", flow}, stdio)
			ran := cli.Run([]string{"run", "--dry-run", "--server", "events=http://127.0.0.1:1", flow}, stdio)
			if want := map[bool][2]int{false: {0, 0}, true: {1, 2}}[test.refused]; linted != want[0] || ran != want[1] {
				t.Errorf("lint gave %d, run %d; want %d and %d\n%s", linted, ran, want[0], want[1], &out)
			}
		})
	}
}
