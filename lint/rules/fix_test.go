package rules_test

import (
	"context"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/weft-flow/weft/arazzo/source"
	"github.com/weft-flow/weft/lint"
	"github.com/weft-flow/weft/lint/rules"
)

// TestFixingIsDoneTheFirstTime fixes the bad document of every rule, with comments
// in it: a second time there is nothing to do, and all comments are still there.
func TestFixingIsDoneTheFirstTime(t *testing.T) {
	options := func() lint.Options {
		return lint.Options{Rules: rules.All(), Loader: source.NewLoader(source.Options{Offline: true})}
	}
	paths, err := filepath.Glob("testdata/*/bad.arazzo.yaml")
	if err != nil || len(paths) == 0 {
		t.Fatalf("%d documents, %v", len(paths), err)
	}
	changed := 0
	for _, path := range paths {
		text := withComments(string(lintFile(t, path).Files[0].Source))
		first, err := lint.FixAll(context.Background(), []lint.Input{{Path: path, Data: []byte(text)}}, options, lint.Hint)
		if err != nil {
			t.Fatal(err)
		}
		if len(first.Changed) == 0 {
			continue
		}
		changed++
		after := string(first.Changed[0].After)
		if diff := cmp.Diff(comments(text), comments(after)); diff != "" {
			t.Errorf("%s: comments (-before +after):\n%s", path, diff)
		}
		second, err := lint.FixAll(context.Background(), []lint.Input{{Path: path, Data: []byte(after)}}, options, lint.Hint)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range second.Changed {
			t.Errorf("%s: changed again by %v:\n%s", path, f.Fixed[0].Fix.Title, cmp.Diff(after, string(f.After)))
		}
		kept := strings.Count(text, "\n") - strings.Count(after, "\n")
		if kept > 0 {
			t.Errorf("%s: %d lines are lost", path, kept)
		}
	}
	if changed < 5 {
		t.Errorf("only %d documents were changed", changed)
	}
}

// TestFixesThatAreCertain holds that what may be meant in several ways has no fix.
func TestFixesThatAreCertain(t *testing.T) {
	key := func(inputs string) string {
		return strings.Replace(documentHead, "things.yaml", "money.openapi.yaml", 1) + "  - workflowId: w\n    inputs: {type: object, properties: {" + inputs + "}}\n    steps:\n" +
			"      - stepId: s\n        operationId: createCharge\n        timeout: 100\n        requestBody: {payload: {reference: a, amount: b}}\n" +
			"        onFailure: [{name: a, type: retry, retryAfter: 1, retryLimit: 2, criteria: [{condition: $statusCode == 500}]}]\n"
	}
	count := func(place string) string {
		return strings.Replace(documentHead, "things.yaml", "shop.openapi.yaml", 1) + "  - workflowId: w\n    steps:\n      - stepId: s\n        operationId: findOrders\n" +
			"        parameters: [{name: reference, in: query, value: a}]\n        successCriteria: [{context: $response.body, condition: '$" + place + ".length > 0', type: jsonpath}]\n"
	}
	for _, test := range []struct {
		name, rule, text string
		fixed            bool
	}{
		{"one input tells orders apart", "retry-safe", key("orderId: {type: string}, amount: {type: string}"), true},
		{"several do", "retry-safe", key("orderId: {type: string}, requestId: {type: string}"), false},
		{"one of several is named for it", "retry-safe", key("orderId: {type: string}, idempotencyKey: {type: string}"), true},
		{"the length of a list", "jsonpath-syntax", count(""), true},
		{"the length of a text by a reference", "jsonpath-syntax", count("[0].id"), true},
		{"the length of a number", "jsonpath-syntax", count("[0].quantity"), false},
		{"the length of an object", "jsonpath-syntax", count("[0]"), false},
		{"the length of what is not described", "jsonpath-syntax", count("[0].other"), false},
	} {
		found := false
		for _, d := range lintText(t, filepath.Join("testdata", "case.arazzo.yaml"), []byte(test.text)).Files[0].Diagnostics {
			if d.Rule == test.rule {
				found = true
				if (len(d.Fixes) > 0) != test.fixed {
					t.Errorf("%s: fixes %v, want one: %v", test.name, d.Fixes, test.fixed)
				}
			}
		}
		if !found {
			t.Errorf("%s: not reported by %s", test.name, test.rule)
		}
	}
}

// withComments puts a comment above each step.
func withComments(text string) string {
	var out []string
	for _, line := range strings.Split(text, "\n") {
		if at := strings.Index(line, "- stepId:"); at >= 0 {
			out = append(out, line[:at]+"# "+strings.TrimSpace(line))
		}
		out = append(out, line)
	}
	return strings.Join(out, "\n")
}

func comments(text string) []string {
	var found []string
	for _, line := range strings.Split(text, "\n") {
		if strings.HasPrefix(strings.TrimSpace(line), "#") {
			found = append(found, line)
		}
	}
	return found
}
