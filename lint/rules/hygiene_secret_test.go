package rules_test

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/weft-flow/weft/arazzo/source"
	"github.com/weft-flow/weft/lint"
	"github.com/weft-flow/weft/lint/rules"
)

// TestSecretsAreNotShown tells for each place whether a secret in it is reported.
// Shown it must be in none.
func TestSecretsAreNotShown(t *testing.T) {
	const secret = "S3cretS3cret"
	body := func(payload string) string {
		return "workflows: [{workflowId: w, steps: [{stepId: s, operationId: o, requestBody: {payload: " + payload + "}}]}]\n"
	}
	for _, test := range []struct {
		name, document string
		reported       bool
	}{
		{"in a list", body("{password: [" + secret + "]}"), true},
		{"beside an expression", body(`{privateKey: "` + secret + ` $inputs.x", user: a}`), false},
		{"beside an expression in braces", body("{password: '" + secret + "{$inputs.x}'}"), false},
		{"in a body that is written as JSON", body(`'{"user": "{$inputs.x}", "password": "` + secret + `"}'`), true},
		{"after its scheme", body("{a: Bearer " + secret + "}"), false},
		{"in a condition", "workflows: [{workflowId: w, steps: [{stepId: s, operationId: o, successCriteria: [{condition: \"$inputs.password == '" + secret + "'\"}]}]}]\n", false},
		{"in the url of a source", "sourceDescriptions: [{name: a, url: 'https://jo:" + secret + "@specs.example/a.yaml'}]\nworkflows: [{workflowId: w, steps: [{stepId: s, operationId: o}]}]\n", true},
	} {
		t.Run(test.name, func(t *testing.T) {
			in := lint.Input{Path: "a.arazzo.yaml", Data: []byte("arazzo: 1.1.0\ninfo: {title: T, version: '1'}\n" + test.document)}
			loader := source.NewLoader(source.Options{Offline: true})
			result, err := lint.Run(context.Background(), []lint.Input{in}, lint.Options{Rules: rules.All(), Loader: loader})
			if err != nil {
				t.Fatal(err)
			}
			file := &result.Files[0]
			reported := false
			for _, d := range file.Diagnostics {
				reported = reported || d.Rule == "no-literal-secret"
				if strings.Contains(d.Message, secret) {
					t.Errorf("%s tells the secret: %s", d.Rule, d.Message)
				}
			}
			for _, i := range file.Incomplete {
				if strings.Contains(i.Why, secret) {
					t.Errorf("what was not checked tells the secret: %s", i.Why)
				}
			}
			if reported != test.reported {
				t.Errorf("reported: %t, want %t", reported, test.reported)
			}
			if bytes.Contains(file.Shown(), []byte(secret)) {
				t.Errorf("it is shown:\n%s", file.Shown())
			}
		})
	}
}

// A name of a secret is looked at whatever stands before its ending, and however it
// is written.
func TestNamesOfSecretsAreFound(t *testing.T) {
	for name, want := range map[string]bool{
		"newPassword": true, "db_passwd": true, "PWD": true, "pass-phrase": false, "keyPassphrase": true, "clientSecret": true,
		"aws.credentials": true, "APIKey": true, "privateKey": true, "refresh_token": true, "token": true, "pageToken": false, "monkey": false,
	} {
		document := "arazzo: 1.1.0\ninfo: {title: T, version: '1'}\nworkflows: [{workflowId: w, steps: [{stepId: s, operationId: o, requestBody: {payload: {'" + name + "': S3cretS3cret}}}]}]\n"
		result := lintText(t, "a.arazzo.yaml", []byte(document))
		got := false
		for _, d := range result.Files[0].Diagnostics {
			got = got || d.Rule == "no-literal-secret"
		}
		if got != want {
			t.Errorf("%s: reported: %t", name, got)
		}
	}
}

// To look through the whole document for each of its workflows would take 64 times as
// long where they are eight times as many.
func TestSecretOutputsAreFoundInTimeThatGrowsWithTheDocument(t *testing.T) {
	const few, growth = 150, 8
	small, large := timeOfSecretOutputs(t, few), timeOfSecretOutputs(t, few*growth)
	if large > 4*growth*small {
		t.Errorf("%d workflows took %v, %d took %v", few, small, few*growth, large)
	}
}

// timeOfSecretOutputs gives the least time that the rule took of some runs.
func timeOfSecretOutputs(t *testing.T, workflows int) time.Duration {
	t.Helper()
	document := "arazzo: 1.1.0\ninfo: {title: T, version: '1'}\nworkflows:\n"
	for i := range workflows {
		document += fmt.Sprintf("  - {workflowId: w%d, steps: [{stepId: s, operationId: o, parameters: [{name: a, in: query, value: b}]}], outputs: {a: $inputs.a}}\n", i)
	}
	least := time.Hour
	timed := rules.All()
	at := slices.IndexFunc(timed, func(r lint.Rule) bool { return r.Name == "no-secret-output" })
	check := timed[at].Check
	timed[at].Check = func(p *lint.Pass) {
		p.Steps() // what all rules share is no work of this one
		began := time.Now()
		check(p)
		least = min(least, time.Since(began))
	}
	linter := lint.New(lint.Options{Rules: timed[at : at+1], Loader: source.NewLoader(source.Options{Offline: true})})
	for range 9 {
		if _, err := linter.Run(context.Background(), []lint.Input{{Path: "a.arazzo.yaml", Data: []byte(document)}}); err != nil {
			t.Fatal(err)
		}
	}
	return least
}
