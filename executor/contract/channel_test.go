package contract_test

import (
	"context"
	"path/filepath"
	"strings"
	"testing"

	"github.com/weft-flow/weft/executor/contract"
)

// TestWhyNothingComesOnAChannel holds what is said of a step that waits for a message which
// nobody plays, and that the workflow is not accused of it.
func TestWhyNothingComesOnAChannel(t *testing.T) {
	dir := t.TempDir()
	write(t, filepath.Join(dir, "events.yaml"), `
asyncapi: 3.0.0
info: {title: Events, version: "1"}
servers: {web: {host: events.example.com, protocol: http}}
channels:
  paid: {address: paid, messages: {m: {payload: {type: object, properties: {ref: {type: string}, state: {type: string}}}}}}
operations:
  onPaid: {action: send, channel: {$ref: '#/channels/paid'}}
`)
	write(t, filepath.Join(dir, "flow.yaml"), `
arazzo: 1.1.0
info: {title: One, version: 1.0.0}
sourceDescriptions: [{name: events, url: events.yaml, type: asyncapi}]
workflows:
  - workflowId: one
    inputs: {type: object, properties: {ref: {type: string, default: r-7}}}
    steps:
      - stepId: await
        operationId: onPaid
        action: receive
        correlationId: $inputs.ref
        timeout: 5000
        successCriteria: [{condition: $message.payload#/state == 'PAID'}]
`)
	report, err := contract.Explore(context.Background(), load(t, filepath.Join(dir, "flow.yaml")), contract.Options{Budget: -1})
	if err != nil {
		t.Fatal(err)
	}
	w := report.Workflows[0]
	if len(w.Refused)+len(w.Failures) > 0 || len(w.Notes) == 0 || !strings.Contains(w.Notes[0], "nothing is made up for what it needs") {
		t.Errorf("%v %+v %q", w.Refused, w.Failures, w.Notes)
	}
	found := false
	for _, u := range w.Unreached {
		found = found || u.Kind == "criterion" && u.Outcome == "passes" && u.Why == "it waits on a channel of AsyncAPI, which a test does not play: no message comes"
	}
	if !found {
		t.Errorf("%+v", w.Unreached)
	}
}
