package rules_test

import (
	"testing"

	"github.com/weft-flow/weft/lint"
)

// TestJSONPathsThatMayLeadSomewhere holds that a JSONPath is reported only where
// what it looks into cannot be there: it asks whether something is.
func TestJSONPathsThatMayLeadSomewhere(t *testing.T) {
	for name, condition := range map[string]string{
		"not described":         "$.discounts[?@.id == 'a']",
		"not described within":  "$.items[?@.colour == 'a']",
		"whether that is there": "$.items[?@.colour]",
		"the same of two":       "$.items[?@.name.short == @.name.long]",
		"of every element":      "$.items[*].name",
		"a slice":               "$.items[0:2].name",
		"a descent":             "$..short",
		"whether it is missing": "$.items[?!@.name.short]",
		"one of two":            "$.items[?@.name.short == 'a' || @.name == 'tea']",
		"a function":            "$.items[?length(@.name) > 3]",
		"a list of names":       "$.items[0]['id','name']",
	} {
		t.Run(name, func(t *testing.T) {
			if found := lintText(t, "testdata/w.arazzo.yaml", []byte(jsonPathDocument(condition))).Files[0].Diagnostics; len(found) > 0 {
				t.Error(told(found))
			}
		})
	}
}

// TestFiltersThatAskForWhatCannotBe holds that a filter is reported which asks whether
// there is what cannot be there.
func TestFiltersThatAskForWhatCannotBe(t *testing.T) {
	for _, condition := range []string{
		"$.items[?@.name.short]", "$.items[?(@.name.short)]", "$.items[?@.price > 3 && @.name['short']]", "$.items[?@.name.short && @.price]",
	} {
		found := lintText(t, "testdata/w.arazzo.yaml", []byte(jsonPathDocument(condition))).Files[0].Diagnostics
		if len(found) != 1 || found[0].Rule != "response-path" || found[0].Severity != lint.Error || found[0].Span.Start.Line != 10 {
			t.Errorf("%s: %s", condition, told(found))
		}
	}
}

func jsonPathDocument(condition string) string {
	return `arazzo: 1.1.0
info: {title: t, version: 1.0.0}
sourceDescriptions: [{name: shop, url: shop.openapi.yaml, type: openapi}]
workflows:
  - workflowId: w
    steps:
      - stepId: a
        operationId: listItems
        successCriteria:
          - {context: $response.body, type: jsonpath, condition: "` + condition + `"}
`
}
