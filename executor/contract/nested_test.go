package contract_test

import (
	"context"
	"path/filepath"
	"strings"
	"testing"

	"github.com/weft-flow/weft/executor/contract"
)

// TestWorkflowsOfOtherDocumentsAreDriven holds that the actions of a workflow that another
// document has are brought about and counted, unless its name is taken.
func TestWorkflowsOfOtherDocumentsAreDriven(t *testing.T) {
	const library = `
arazzo: 1.0.1
info: {title: Library, version: 1.0.0}
sourceDescriptions: [{name: api, url: api.yaml, type: openapi}]
workflows:
  - workflowId: find
    steps:
      - stepId: get
        operationId: getThing
        parameters: [{name: thingId, in: path, value: thing-1}]
        successCriteria: [{condition: $statusCode == 200}]
        onSuccess:
          - {name: gone, type: end, criteria: [{condition: $response.body#/state == 'GONE'}]}
        onFailure:
          - {name: again, type: retry, retryAfter: 1, criteria: [{condition: $statusCode == 503}]}
          - {name: none, type: end, criteria: [{condition: $statusCode == 404}]}
`
	const flow = `
arazzo: 1.0.1
info: {title: One, version: 1.0.0}
sourceDescriptions: [{name: lib, url: lib.yaml, type: arazzo}]
workflows:
  - workflowId: NAME
    steps:
      - {stepId: call, workflowId: $sourceDescriptions.lib.find}
`
	for _, test := range []struct {
		name             string
		steps, actions   int
		notLookedAt, own string
	}{
		{"one", 2, 3, "", ""},
		{"find", 1, 0, "get", "another workflow has the name of find of lib.yaml"},
	} {
		t.Run(test.name, func(t *testing.T) {
			dir := t.TempDir()
			write(t, filepath.Join(dir, "api.yaml"), thingAPI)
			write(t, filepath.Join(dir, "lib.yaml"), library)
			write(t, filepath.Join(dir, "flow.yaml"), strings.Replace(flow, "NAME", test.name, 1))
			report, err := contract.Explore(context.Background(), load(t, filepath.Join(dir, "flow.yaml")), contract.Options{Budget: -1})
			if err != nil {
				t.Fatal(err)
			}
			w := report.Workflows[0]
			if len(w.Refused)+len(w.Failures) > 0 {
				t.Fatalf("%v %+v", w.Refused, w.Failures)
			}
			steps, actions := w.Coverage.Steps, w.Coverage.Actions
			if steps.Total != test.steps || steps.Covered != test.steps || actions.Total != test.actions || actions.Covered != test.actions {
				t.Errorf("steps %+v, actions %+v, want %d and %d", steps, actions, test.steps, test.actions)
			}
			found := ""
			for _, u := range w.Unreached {
				if u.Kind == "step" {
					found = u.Step
					if !strings.Contains(u.Why, test.own) || filepath.Base(u.Place.File) != "lib.yaml" {
						t.Errorf("%+v", u)
					}
				}
			}
			if found != test.notLookedAt {
				t.Errorf("not looked at: %q, want %q", found, test.notLookedAt)
			}
		})
	}
}
