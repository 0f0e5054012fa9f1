package arazzo

import (
	"errors"
	"strings"
	"testing"
)

const componentsDocument = `arazzo: 1.1.0
info: {title: t, version: v}
sourceDescriptions: [{name: s, url: u}]
workflows:
  - workflowId: w
    steps:
      - stepId: a
        operationId: o
        parameters:
          - {name: own, in: query, value: 1}
          - {reference: $components.parameters.page.size}
          - {reference: $components.parameters.page.size, value: 50}
          - {reference: $components.parameters.page.sise}
          - {reference: $components.successActions.finish}
          - {reference: $inputs.x}
        onSuccess:
          - {name: own, type: end}
          - {reference: $components.successActions.finish}
          - {reference: $components.failureActions.none}
        onFailure:
          - {reference: $components.failureActions.none}
components:
  parameters:
    page.size: {name: size, in: query, value: 10}
  successActions:
    finish: {name: done, type: end}
`

func TestReferencesToParameters(t *testing.T) {
	d, _ := Parse("x.yaml", []byte(componentsDocument))
	parameters := d.Workflow("w").Step("a").Parameters
	for i, c := range []struct{ name, value, message string }{
		{"own", "1", ""},
		{"size", "10", ""},
		{"size", "50", ""},
		{"", "", `did you mean "page.size"?`},
		{"", "", `a component of parameters is needed here, this names one of "successActions"`},
		{"", "", "expected $components.parameters.<name>"},
	} {
		p, err := d.ResolveParameter(parameters[i])
		if c.message != "" {
			if !errors.Is(err, ErrNoComponent) || !strings.Contains(err.Error(), c.message) {
				t.Errorf("parameter %d: got %v, want %q", i, err, c.message)
			}
			continue
		}
		if err != nil || p.Name.Value != c.name || p.Value.Text != c.value {
			t.Errorf("parameter %d: got %+v, %v", i, p, err)
		}
	}
	if got := d.Components.Parameters[0].Value.Value.Text; got != "10" {
		t.Errorf("the component itself now has the value %s", got)
	}
}

func TestReferencesToActions(t *testing.T) {
	d, _ := Parse("x.yaml", []byte(componentsDocument))
	s := d.Workflow("w").Step("a")
	for _, c := range []struct {
		action              *Action
		kind, name, message string
	}{
		{s.OnSuccess[0], KindSuccessActions, "own", ""},
		{s.OnSuccess[1], KindSuccessActions, "done", ""},
		{s.OnSuccess[2], KindSuccessActions, "", "a component of successActions is needed"},
		{s.OnFailure[0], KindFailureActions, "", "the document has no failureActions"},
	} {
		a, err := d.ResolveAction(c.action, c.kind)
		if c.message != "" {
			if !errors.Is(err, ErrNoComponent) || !strings.Contains(err.Error(), c.message) {
				t.Errorf("%s: got %v, want %q", c.action.Reference.Value, err, c.message)
			}
			continue
		}
		if err != nil || a.Name.Value != c.name {
			t.Errorf("%s: got %+v, %v", c.name, a, err)
		}
	}
}

func TestNamesThatDoNotExist(t *testing.T) {
	d, _ := Parse("x.yaml", []byte(componentsDocument))
	if d.Workflow("x") != nil || d.Source("x") != nil || d.Workflow("w").Step("x") != nil {
		t.Error("found what is not there")
	}
	if d.Source("s") == nil {
		t.Error("source s not found")
	}
}
