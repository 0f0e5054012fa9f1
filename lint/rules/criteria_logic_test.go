package rules_test

import (
	"context"
	"path/filepath"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/weft-flow/weft/arazzo/source"
	"github.com/weft-flow/weft/lint"
	"github.com/weft-flow/weft/lint/rules"
)

// TestLogicOfCriteria holds what conditions say against what they can mean.
func TestLogicOfCriteria(t *testing.T) {
	success := func(conditions string) string { return "successCriteria: [" + conditions + "]\n" }
	for _, test := range []struct {
		name, step string
		want       []string
	}{
		{"a bare text beside a comparison", success("{condition: $statusCode == 200 && $response.header.X-A}"), []string{"non-boolean-condition"}},
		{"the negation of a bare text", success("{condition: '!$response.header.X-A'}"), []string{"non-boolean-condition"}},
		{"the negation of what is not described", success("{condition: '!$response.body#/x'}"), nil},
		{"a method against a number", success("{condition: $method == 7}"), []string{"condition-types"}},
		{"a method against its name", success("{condition: $method == 'GET'}"), nil},
		{"a negated difference", success("{condition: '!($statusCode != ''many'')'}"), []string{"condition-types"}},
		{"a negated difference that can be", success("{condition: '!($statusCode != 200)'}"), nil},
		{"limits without a number between them", success("{condition: $response.body#/n > 5 && 3 > $response.body#/n}"), []string{"criteria-satisfiable"}},
		{"limits that leave one out", success("{condition: $response.body#/n >= 5}, {condition: $response.body#/n < 5}"), []string{"criteria-satisfiable"}},
		{"limits with one number between them", success("{condition: $response.body#/n >= 5}, {condition: $response.body#/n <= 5}"), nil},
		{"null and not null", success("{condition: $response.body#/n != null}, {condition: null == $response.body#/n}"), []string{"criteria-satisfiable"}},
		{"null and an order", success("{condition: $response.body#/n > 5}, {condition: $response.body#/n == null}"), []string{"criteria-satisfiable"}},
		{"null around a value", success("{condition: $response.body == null}, {condition: $response.body#/n == 5}"), []string{"criteria-satisfiable"}},
		{"null beside a value", success("{condition: $response.body#/m == null}, {condition: $response.body#/n == 5}"), nil},
		{"null or a value", success("{condition: $response.body#/n == null || $response.body#/n > 5}"), nil},
		{"a value and its contrary", success("{condition: $response.body#/n == 'a' && !($response.body#/n == 'A')}"), []string{"criteria-satisfiable"}},
		{"none of several and one of them", success("{condition: $response.body#/n == 'a' || $response.body#/n == 'b'}, {condition: $response.body#/n == 'c'}"), []string{"criteria-satisfiable"}},
		{"one of several", success("{condition: $response.body#/n == 'a' || $response.body#/n == 'b'}, {condition: $response.body#/n == 'b'}"), nil},
		{"the negation of either", success("{condition: '!($response.body#/n == ''a'' || $response.body#/m == 1)'}, {condition: $response.body#/n == 'a'}"), []string{"criteria-satisfiable"}},
		{"a text that writes a number", success("{condition: $response.body#/n == '5'}, {condition: $response.body#/n == 5}, {condition: $response.body#/n != '5.0'}"), nil},
		{"texts of truth", success("{condition: $response.body#/n == 'true'}, {condition: $response.body#/n == 'TRUE'}, {condition: $response.body#/n > 'sure'}"), []string{"criteria-unique"}},
		{"order of texts", success("{condition: $response.body#/n > '10'}, {condition: $response.body#/n < '5'}"), nil},
		{"not the one order and the other", success("{condition: '!($response.body#/n > 5)'}, {condition: '!($response.body#/n <= 5)'}"), nil},
		{"the same the other way round", success("{condition: $statusCode == 200}, {condition: 200 == $statusCode}"), []string{"criteria-unique"}},
		{"the same negated twice", success("{condition: $statusCode == 200}, {condition: '!!($statusCode == 200)'}"), []string{"criteria-unique"}},
		{"the same by a negated difference", success("{condition: $statusCode == 200}, {condition: '!(200 != $statusCode)'}"), []string{"criteria-unique"}},
		{"the same order the other way round", success("{condition: $response.body#/n < 500}, {condition: 500 > $response.body#/n}"), []string{"criteria-unique"}},
		{"the same joined the other way round", success("{condition: $statusCode == 200 && $response.body#/n == 5}, {condition: ($response.body#/n == 5) && $statusCode == 200}"), []string{"criteria-unique"}},
		{"the same in other letters", success("{condition: $response.header.X-A == 'paid'}, {condition: $response.header.x-a == 'PAID'}"), []string{"criteria-unique"}},
		{"the same with the type that is meant without one", success("{condition: $statusCode == 200}, {condition: '$statusCode  == 200', type: simple}"), []string{"criteria-unique"}},
		{"the same filter in other quotes", success("{context: $response.body, condition: '$[?@.x == \"a\"]', type: jsonpath}, {context: $response.body, condition: '$[?(@.x==''a'')]', type: {type: jsonpath, version: rfc9535}}, {context: $response.body, condition: '$[?@.x==''a'']', type: {type: jsonpath, version: rfc9535}}"), []string{"criteria-unique"}},
		{"no order and the contrary order", success("{condition: '!($response.body#/n < 500)'}, {condition: $response.body#/n >= 500}"), nil},
		{"the same of another place", success("{context: $response.body, condition: '$[?@.x]', type: jsonpath}, {context: $response.body#/y, condition: '$[?@.x]', type: jsonpath}"), nil},
		{"a version that there is not", success("{context: $response.body, condition: '$[?@.x == 1]', type: {type: jsonpath, version: rfc9553}}"), []string{"criterion-type"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			text := moneyHead + "    steps:\n      - stepId: s\n        operationId: findCharge\n        parameters: [{name: reference, in: path, value: a}]\n" + indent(test.step, 8)
			input := lint.Input{Path: filepath.Join("testdata", "case.arazzo.yaml"), Data: []byte(text)}
			loader := source.NewLoader(source.Options{Offline: true})
			result, err := lint.Run(context.Background(), []lint.Input{input}, lint.Options{Rules: rules.All(), Loader: loader})
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, d := range result.Files[0].Diagnostics {
				if slices.Contains([]string{"non-boolean-condition", "condition-types", "criteria-satisfiable", "criteria-unique", "criterion-type", "jsonpath-syntax", "yaml"}, d.Rule) {
					got = append(got, d.Rule)
				}
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("findings (-want +got):\n%s\n%s", diff, text)
			}
		})
	}
}
