package rules_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// aroundAPI are the rules whose findings these tests list.
var aroundAPI = []string{
	"parameter-known", "parameter-location", "parameter-required", "parameter-schema", "content-type-known",
	"body-required", "body-not-allowed", "payload-schema", "type-flow", "response-has-body", "response-path",
	"response-header", "status-declared", "enum-value", "input-schema-valid", "input-default-valid",
	"input-required-defined", "workflow-input-required", "workflow-input-known",
}

// apiTest is a step, or a whole list of workflows, and what is reported of it.
type apiTest struct {
	name   string
	api    string // the path item of /things/{id}; the operation is called call
	root   string // more of the description
	inputs string // properties
	step   string // all but stepId and operationId
	want   string // a line each: severity, rule, a part of the message
}

const descriptionHead = `openapi: 3.1.0
info: {title: Things, version: 1.0.0}
servers: [{url: 'https://things.example'}]
`

const documentHead = `arazzo: 1.1.0
info: {title: Things, version: 1.0.0}
sourceDescriptions: [{name: things, url: things.yaml, type: openapi}]
workflows:
`

func (test apiTest) run(t *testing.T) {
	t.Helper()
	document := documentHead + "  - workflowId: w\n    inputs: {type: object, properties: {" + test.inputs + "}}\n    steps:\n" +
		"      - stepId: s\n        operationId: call\n" + indent(test.step, 8)
	description := descriptionHead + strings.TrimPrefix(test.root, "\n") + "\npaths:\n  /things/{id}:\n" + indent(test.api, 4)
	if strings.HasPrefix(test.root, "openapi: ") || strings.HasPrefix(test.root, "swagger: ") {
		description = test.root + "\npaths:\n  /things/{id}:\n" + indent(test.api, 4)
	}
	checkFindings(t, document, description, test.want)
}

func indent(text string, by int) string {
	margin := strings.Repeat(" ", by)
	lines := strings.Split(strings.Trim(text, "\n"), "\n")
	return margin + strings.Join(lines, "\n"+margin) + "\n"
}

// checkFindings compares the findings of a document with what is wanted.
func checkFindings(t *testing.T, document, description, want string) {
	t.Helper()
	folder := t.TempDir()
	for name, text := range map[string]string{"w.arazzo.yaml": document, "things.yaml": description} {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	var got []string
	for _, d := range lintFile(t, filepath.Join(folder, "w.arazzo.yaml")).Files[0].Diagnostics {
		switch {
		case slices.Contains(aroundAPI, d.Rule):
			got = append(got, fmt.Sprintf("%s %s: %s", d.Severity, d.Rule, d.Message))
		case d.Rule == "yaml" || d.Rule == "schema" || d.Rule == "source-loads" || d.Rule == "operation-exists":
			t.Fatalf("the test itself is at fault: %s\n%s\n%s", d.Message, document, description)
		}
	}
	var wanted []string
	if want = strings.Trim(want, "\n"); want != "" {
		wanted = strings.Split(want, "\n")
	}
	if diff := cmp.Diff(wanted, got); diff != "" {
		t.Errorf("findings (-want +got):\n%s\n%s", diff, document)
	}
}

const anyAnswer = `
responses:
  '200': {description: d}
`
