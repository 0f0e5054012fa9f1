package contract_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/weft-flow/weft/arazzo/source"
	"github.com/weft-flow/weft/executor/contract"
)

// thingAPI describes an operation whose answers criteria are written for.
const thingAPI = `
openapi: 3.1.0
info: {title: Things, version: 1.0.0}
servers: [{url: 'http://127.0.0.1:8087'}]
paths:
  /things/{thingId}:
    get:
      operationId: getThing
      parameters: [{name: thingId, in: path, required: true, schema: {type: string}}]
      responses:
        '200':
          description: The thing.
          headers:
            X-Left: {schema: {type: string}}
          content:
            application/json:
              schema:
                type: object
                required: [id, state, count]
                properties:
                  id: {type: string}
                  state: {type: string, enum: [NEW, DONE, GONE]}
                  count: {type: integer, minimum: 0}
                  price: {type: string}
                  ready: {type: boolean}
                  note: {type: [string, 'null']}
                  items:
                    type: array
                    items:
                      type: object
                      properties:
                        sku: {type: string}
                        left: {type: integer}
                        kind: {type: string, enum: [A, B]}
        '404': {description: There is none.}
        default: {description: Anything else.}
`

// flowWith gives a document with one step, one success action that has the criteria, and
// more beside it.
func flowWith(t *testing.T, criteria, more string) *source.Set {
	t.Helper()
	dir := t.TempDir()
	write(t, filepath.Join(dir, "api.yaml"), thingAPI)
	write(t, filepath.Join(dir, "flow.yaml"), fmt.Sprintf(`
arazzo: 1.0.1
info: {title: One, version: 1.0.0}
sourceDescriptions: [{name: api, url: api.yaml, type: openapi}]
workflows:
  - workflowId: one
    inputs: {type: object, properties: {wanted: {type: string, default: wanted-7}}}
    steps:
      - stepId: get
        operationId: getThing
        parameters: [{name: thingId, in: path, value: thing-1}]
        successCriteria:
          - condition: $statusCode < 600
        onSuccess:
          - name: wanted
            type: end
            criteria:
%s
        outputs: {state: $response.body#/state}
%s
`, indent(criteria, 14), more))
	return load(t, filepath.Join(dir, "flow.yaml"))
}

func write(t *testing.T, file, text string) {
	t.Helper()
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

func indent(text string, by int) string {
	lines := strings.Split(strings.TrimSpace(text), "\n")
	for i, line := range lines {
		lines[i] = strings.Repeat(" ", by) + line
	}
	return strings.Join(lines, "\n")
}

// TestAnswersAreFound holds that for criteria of many forms an answer is found that the
// description allows, so that the action is taken, and one for which it is not.
func TestAnswersAreFound(t *testing.T) {
	for _, test := range []struct{ name, criteria string }{
		{"a status", `- condition: $statusCode == 404`},
		{"a status that is not described", `- condition: $statusCode == 418`},
		{"a range of statuses", "- condition: $statusCode >= 500\n- condition: $statusCode < 502"},
		{"a status by regex", "- context: $statusCode\n  type: regex\n  condition: ^50[34]$"},
		{"a value of an enum", `- condition: $response.body#/state == 'GONE'`},
		{"not a value of an enum", `- condition: $response.body#/state != 'NEW' && $response.body#/state != 'DONE'`},
		{"a number just over a bound", `- condition: $response.body#/count > 41 && $response.body#/count < 43`},
		{"a number as text", `- condition: $response.body#/price == '10.10'`},
		{"a flag", `- condition: $response.body#/ready == false`},
		{"something that is there", `- condition: $response.body#/note != null`},
		{"something that is missing", `- condition: $response.body#/note == null`},
		{"one of two", `- condition: $response.body#/state == 'GONE' || $response.body#/count == 7`},
		{"several places at once", `- condition: $response.body#/state == 'DONE' && $response.body#/count == 7 && $response.body#/ready == true`},
		{"dots after the body", `- condition: $response.body.state == 'GONE'`},
		{"an index", `- condition: $response.body#/items/1/left == 3`},
		{"a header", `- condition: $response.header.X-Left == 'none'`},
		{"a header that is missing", `- condition: $response.header.X-Left == null && $statusCode == 200`},
		{"an input", `- condition: $response.body#/id == $inputs.wanted`},
		{"a regex", "- context: $response.body#/id\n  type: regex\n  condition: ^ord-[0-9]{4}$"},
		{"a JSONPath to a member", "- context: $response.body\n  type: jsonpath\n  condition: $.items[1].sku"},
		{"a JSONPath with a filter", "- context: $response.body\n  type: jsonpath\n  condition: $.items[?@.sku == 'TEA']"},
		{"a JSONPath with a filter of two", "- context: $response.body\n  type: jsonpath\n  condition: $.items[?(@.kind == 'B' && @.left > 5)]"},
		{"a JSONPath from a part", "- context: $response.body#/items\n  type: jsonpath\n  condition: $[?@.left < 2]"},
		{"criteria of several languages", "- condition: $response.body#/state == 'DONE'\n- context: $response.body#/id\n  type: regex\n  condition: ^x+$\n- context: $response.body\n  type: jsonpath\n  condition: $.items[?@.left == 9]"},
	} {
		t.Run(test.name, func(t *testing.T) {
			report, err := contract.Explore(context.Background(), flowWith(t, test.criteria, ""), contract.Options{Budget: -1})
			if err != nil {
				t.Fatal(err)
			}
			w := report.Workflows[0]
			for _, u := range w.Unreached {
				if u.Kind == "action" || u.Kind == "criterion" && u.Name != "$statusCode < 600" {
					t.Errorf("%s %s %s: %s", u.Kind, u.Name, u.Outcome, u.Why)
				}
			}
			if c := w.Coverage.Actions; c.Total != 1 || c.Covered != 1 {
				t.Errorf("actions: %+v %v %v", c, w.Refused, w.Failures)
			}
		})
	}
}

// TestAnswersForLaterSteps holds that an answer is found for what a later step asks of an
// output.
func TestAnswersForLaterSteps(t *testing.T) {
	set := flowWith(t, `- condition: $statusCode == 404`, `
      - stepId: again
        operationId: getThing
        parameters: [{name: thingId, in: path, value: thing-1}]
        successCriteria:
          - condition: $statusCode == 200
          - condition: $steps.get.outputs.state == 'GONE'`)
	report, err := contract.Explore(context.Background(), set, contract.Options{Budget: -1})
	if err != nil {
		t.Fatal(err)
	}
	for _, u := range report.Workflows[0].Unreached {
		if strings.Contains(u.Name, "$steps.get.outputs.state") {
			t.Errorf("%s never %s: %s", u.Name, u.Outcome, u.Why)
		}
	}
}

// TestWhyNothingLeadsThere holds what is said of actions that no allowed answer leads to.
func TestWhyNothingLeadsThere(t *testing.T) {
	for _, test := range []struct{ name, criteria, why string }{
		{"a value that the description does not allow", `- condition: $statusCode == 200 && $response.body#/state == 'LOST'`, "only an answer that the description does not allow leads there: 200 with /state = \"LOST\""},
		{"a contradiction", `- condition: $statusCode == 404 && $statusCode == 200`, "no answer that was tried makes it so"},
		{"XPath where only JSON is described", "- condition: $statusCode == 200\n- context: $response.body\n  type: xpath\n  condition: /a/b", `only an answer that the description does not allow leads there: 200 with /a/b = "x"`},
	} {
		t.Run(test.name, func(t *testing.T) {
			report, err := contract.Explore(context.Background(), flowWith(t, test.criteria, ""), contract.Options{Budget: -1})
			if err != nil {
				t.Fatal(err)
			}
			found := false
			for _, u := range report.Workflows[0].Unreached {
				if u.Kind == "action" && u.Name == "wanted" {
					found = true
					if u.Why != test.why {
						t.Errorf("why: %q, want %q", u.Why, test.why)
					}
				}
			}
			if !found || report.Failed() {
				t.Errorf("%+v", report.Workflows[0])
			}
		})
	}
}

// TestTheSameDocumentIsTestedInTheSameWay holds that two tests make the same runs.
func TestTheSameDocumentIsTestedInTheSameWay(t *testing.T) {
	set := load(t, "../../testdata/contract/jump-back.arazzo.yaml")
	var first contract.Report
	for i := range 2 {
		report, err := contract.Explore(context.Background(), set, contract.Options{Budget: -1})
		if err != nil {
			t.Fatal(err)
		}
		if i == 0 {
			first = report
			continue
		}
		if report.Runs != first.Runs || fmt.Sprint(report.Workflows[0].Failures) != fmt.Sprint(first.Workflows[0].Failures) {
			t.Errorf("%d runs, the first time %d", report.Runs, first.Runs)
		}
	}
}
