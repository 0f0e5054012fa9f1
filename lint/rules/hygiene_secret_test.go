package rules_test

import (
	"bytes"
	"context"
	"strings"
	"testing"

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
