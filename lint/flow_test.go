package lint

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/weft-flow/weft/arazzo"
)

// documentOf resolves a document without its sources.
func documentOf(t testing.TB, text string) *Document {
	t.Helper()
	model, _ := arazzo.Parse("flow", []byte(text))
	if model == nil {
		t.Fatal("nothing could be read")
	}
	return newDocument(unloaded(model, "file:///flow"), []byte(text), nil)
}

// flowOf gives the graph of a workflow that consists of steps as they are
// written in a list of YAML.
func flowOf(t testing.TB, steps string) *Flow {
	t.Helper()
	return documentOf(t, `arazzo: 1.1.0
info: {title: Flow, version: 1.0.0}
sourceDescriptions: [{name: api, url: api.yaml, type: openapi}]
workflows:
  - workflowId: flow
    steps:
`+strings.ReplaceAll(strings.TrimPrefix(steps, "\n"), "\t", "  ")).Workflows[0].Flow()
}

// lines writes the edges of a graph, one a line.
func lines(f *Flow) []string {
	var out []string
	for _, s := range f.Order {
		for _, e := range f.Edges(s) {
			out = append(out, s.ID()+" "+describe(e))
		}
		for _, e := range f.Untaken(s) {
			by := "nothing"
			if e.By != nil {
				by = e.By.Model.Name.Value
			}
			out = append(out, fmt.Sprintf("%s %s: never, by %s", s.ID(), e.Action.Model.Name.Value, by))
		}
	}
	return out
}

func describe(e *Edge) string {
	kinds := [...]string{"", "proceed", "fail", "goto", "end", "retry"}
	exits := [...]string{"", "success", "failure", "elsewhere"}
	to := exits[e.Exit]
	if e.To != nil {
		to = e.To.ID()
	}
	return fmt.Sprintf("%s %s: may %s; must %s", kinds[e.Kind], to, e.When.May, e.When.Must)
}

func TestEdgesOfFlows(t *testing.T) {
	tests := []struct {
		name, steps string
		want        []string
	}{
		{"without criteria a 2xx is success", `
      - {stepId: a, operationId: x}
      - {stepId: b, operationId: x}
`, []string{
			"a proceed b: may 200-299, done; must 200-299, done",
			"a fail failure: may 100-199, 300-599, no response; must 100-199, 300-599, no response",
			"b proceed success: may 200-299, done; must 200-299, done",
			"b fail failure: may 100-199, 300-599, no response; must 100-199, 300-599, no response",
		}},
		{"without a response the step fails whatever the criteria say", `
      - stepId: a
        operationId: x
        successCriteria: [{condition: $statusCode == null}]
`, []string{
			"a proceed success: may done; must done",
			"a fail failure: may 100-599, no response; must 100-599, no response",
		}},
		{"what depends on the body may go either way", `
      - stepId: a
        operationId: x
        successCriteria: [{condition: $statusCode == 200}, {condition: $response.body#/ok == true}]
`, []string{
			"a proceed success: may 200; must never",
			"a fail failure: may 100-599, no response, done; must 100-199, 201-599, no response, done",
		}},
		{"the first action that holds is taken, but a retry is used up", `
      - stepId: a
        operationId: x
        onFailure:
          - {name: again, type: retry, criteria: [{condition: $statusCode >= 500}]}
          - {name: gone, type: goto, stepId: b, criteria: [{condition: $statusCode == 404}]}
          - {name: stop, type: end, criteria: [{condition: $statusCode >= 400}]}
      - {stepId: b, operationId: x, onSuccess: [{name: back, type: goto, stepId: a}]}
`, []string{
			"a proceed b: may 200-299, done; must 200-299, done",
			"a retry a: may 500-599; must 500-599",
			"a goto b: may 404; must 404",
			"a end failure: may 400-403, 405-599; must 400-403, 405-599",
			"a fail failure: may 100-199, 300-399, no response; must 100-199, 300-399, no response",
			"b goto a: may 200-299, done; must 200-299, done",
			"b fail failure: may 100-199, 300-599, no response; must 100-199, 300-599, no response",
		}},
		{"an action behind one without criteria is never taken", `
      - stepId: a
        operationId: x
        onSuccess:
          - {name: all, type: end}
          - {name: some, type: end, criteria: [{condition: $response.body#/a == 1}]}
`, []string{
			"a end success: may 200-299, done; must 200-299, done",
			"a fail failure: may 100-199, 300-599, no response; must 100-199, 300-599, no response",
			"a some: never, by all",
		}},
		{"an action behind one with the same criteria and fewer is never taken", `
      - stepId: a
        operationId: x
        onSuccess:
          - {name: first, type: end, criteria: [{condition: $response.body#/a == 1}]}
          - {name: second, type: end, criteria: [{condition: $statusCode == 200}, {condition: "$response.body#/a  ==  1"}]}
`, []string{
			"a end success: may 200-299, done; must never",
			"a proceed success: may 200-299, done; must never",
			"a fail failure: may 100-199, 300-599, no response; must 100-199, 300-599, no response",
			"a second: never, by first",
		}},
		{"an action whose criteria never hold for a failure", `
      - stepId: a
        operationId: x
        onFailure: [{name: wrong, type: end, criteria: [{condition: $statusCode == 200}]}]
`, []string{
			"a proceed success: may 200-299, done; must 200-299, done",
			"a fail failure: may 100-199, 300-599, no response; must 100-199, 300-599, no response",
			"a wrong: never, by nothing",
		}},
		{"an action that cannot be read may do anything", `
      - stepId: a
        operationId: x
        onSuccess:
          - {name: first, type: goto, step: b}
          - {name: second, type: end}
`, []string{
			"a goto a: may 200-299, done; must never",
			"a end success: may 200-299, done; must never",
			"a end failure: may 200-299, done; must never",
			"a end success: may 200-299, done; must never",
			"a fail failure: may 100-199, 300-599, no response; must 100-199, 300-599, no response",
		}},
		{"a field that actions do not have may be a criterion", `
      - stepId: a
        operationId: x
        onSuccess:
          - {name: first, type: end, condition: $statusCode == 200}
`, []string{
			"a end success: may 200-299, done; must never",
			"a proceed success: may 200-299, done; must never",
			"a fail failure: may 100-199, 300-599, no response; must 100-199, 300-599, no response",
		}},
		{"dependsOn gives the order", `
      - {stepId: a, operationId: x, dependsOn: [b]}
      - {stepId: b, operationId: x}
`, []string{
			"b proceed a: may 200-299, done; must 200-299, done",
			"b fail failure: may 100-199, 300-599, no response; must 100-199, 300-599, no response",
			"a proceed success: may 200-299, done; must 200-299, done",
			"a fail failure: may 100-199, 300-599, no response; must 100-199, 300-599, no response",
		}},
		{"a called workflow succeeds or fails", `
      - {stepId: a, workflowId: flow}
`, []string{
			"a proceed success: may done; must done",
			"a fail failure: may no response; must no response",
		}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if diff := cmp.Diff(test.want, lines(flowOf(t, test.steps))); diff != "" {
				t.Errorf("edges (-want +got):\n%s", diff)
			}
		})
	}
}

const poll = `
      - {stepId: create, operationId: x}
      - stepId: poll
        operationId: x
        onSuccess:
          - {name: paid, type: end, criteria: [{condition: $response.body#/status == 'PAID'}]}
          - {name: again, type: goto, stepId: poll}
        onFailure:
          - {name: login, type: retry, stepId: login, criteria: [{condition: $statusCode == 401}]}
      - {stepId: after, operationId: x}
      - {stepId: login, operationId: x}
`

func TestQuestionsAboutPaths(t *testing.T) {
	f := flowOf(t, poll)
	w := f.Workflow
	create, polling, after, login := w.Step("create"), w.Step("poll"), w.Step("after"), w.Step("login")
	reachable := f.Reachable()
	for step, want := range map[*Step]bool{create: true, polling: true, after: false, login: true} {
		if reachable[step] != want {
			t.Errorf("%s is reachable: %t", step.ID(), reachable[step])
		}
	}
	if !f.InLoop(polling) || f.InLoop(create) {
		t.Error("poll alone is in a loop")
	}
	if !f.CanEnd(polling, nil, ExitSuccess) {
		t.Error("the loop can be left in success")
	}
	if f.CanEnd(polling, func(e *Edge) bool { return e.Kind != End }, ExitSuccess) {
		t.Error("the loop can be left in success by the action alone")
	}
	if f.Avoids(create, nil) || !f.Avoids(after, nil) {
		t.Error("every success has run create, none needs to have run after")
	}
	under := f.Under(polling, Status(401))
	if len(under) != 2 || under[0].Kind != Retry || under[0].Helper() != login || under[1].Kind != Fail {
		t.Errorf("under 401 there are %d edges", len(under))
	}
}

func TestACircleOfDependencies(t *testing.T) {
	f := flowOf(t, `
      - {stepId: a, operationId: x, dependsOn: [b]}
      - {stepId: b, operationId: x, dependsOn: [a]}
      - {stepId: c, operationId: x}
`)
	ids := func(steps []*Step) []string {
		var out []string
		for _, s := range steps {
			out = append(out, s.ID())
		}
		return out
	}
	if !slices.Equal(ids(f.Circle), []string{"a", "b"}) || !slices.Equal(ids(f.Order), []string{"a", "b", "c"}) {
		t.Errorf("circle %v, order %v", ids(f.Circle), ids(f.Order))
	}
}
