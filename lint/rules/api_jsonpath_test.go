package rules_test

import "testing"

// TestJSONPathsThatMayLeadSomewhere holds that a JSONPath is reported only where
// what it looks into cannot be there: it asks whether something is.
func TestJSONPathsThatMayLeadSomewhere(t *testing.T) {
	for name, condition := range map[string]string{
		"not described":         "$.discounts[?@.id == 'a']",
		"not described within":  "$.items[?@.colour == 'a']",
		"of every element":      "$.items[*].name",
		"a slice":               "$.items[0:2].name",
		"a descent":             "$..short",
		"whether it is missing": "$.items[?!@.name.short]",
		"one of two":            "$.items[?@.name.short == 'a' || @.name == 'tea']",
		"a function":            "$.items[?length(@.name) > 3]",
		"a list of names":       "$.items[0]['id','name']",
	} {
		t.Run(name, func(t *testing.T) {
			document := `arazzo: 1.1.0
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
			if found := lintText(t, "testdata/w.arazzo.yaml", []byte(document)).Files[0].Diagnostics; len(found) > 0 {
				t.Error(told(found))
			}
		})
	}
}
