package cli_test

import (
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const nestedRoot = `
arazzo: 1.1.0
info: {title: t, version: "1"}
sourceDescriptions: [{name: a, url: a/flow.yaml, type: arazzo}, {name: b, url: b/flow.yaml, type: arazzo}]
workflows:
- workflowId: both
  steps:
  - {stepId: first, workflowId: $sourceDescriptions.a.w}
  - {stepId: second, workflowId: $sourceDescriptions.b.w}
`

const nestedFlow = `
arazzo: 1.1.0
info: {title: t, version: "1"}
sourceDescriptions: [{name: pay, url: pay.yaml, type: openapi}]
workflows:
- workflowId: w
  steps: [{stepId: s, operationId: charge}]
`

const nestedAPI = `
openapi: 3.1.0
info: {title: Pay, version: "1"}
servers: [{url: "https://pay.example.com"}]
paths:
  /charges:
    post: {operationId: charge, security: [{key: []}], responses: {"201": {description: created}}}
components: {securitySchemes: {key: {type: apiKey, in: header, name: X-Api-Key}}}
`

// TestNestedSourcesOfOneNameShareNothing: what was told of one API never goes to
// another that some other document happens to call by the same name.
func TestNestedSourcesOfOneNameShareNothing(t *testing.T) {
	one, oneURL := start(t, respondJSON(http.StatusCreated, `{}`))
	two, twoURL := start(t, respondJSON(http.StatusCreated, `{}`))
	files := func(config string) string {
		dir := t.TempDir()
		writeFile(t, filepath.Join(dir, "flow.yaml"), nestedRoot)
		for _, at := range []string{"a", "b"} {
			if err := os.Mkdir(filepath.Join(dir, at), 0o700); err != nil {
				t.Fatal(err)
			}
			writeFile(t, filepath.Join(dir, at, "flow.yaml"), nestedFlow)
			writeFile(t, filepath.Join(dir, at, "pay.yaml"), nestedAPI)
		}
		writeFile(t, filepath.Join(dir, "weft.yaml"), config)
		return filepath.Join(dir, "flow.yaml")
	}
	sent := func(s *recordingServer) []*http.Request {
		defer func() { s.requests = nil }()
		return s.requests
	}

	t.Run("each has its own", func(t *testing.T) {
		code, output := weft("run", files(`sources: {a.pay: {server: "`+oneURL+`", auth: {key: {apiKey: only-for-a}}}, b.pay: {server: "`+twoURL+`", headers: {X-B: b}}}`))
		first, second := sent(one), sent(two)
		if code != 0 || len(first) != 1 || len(second) != 1 {
			t.Fatalf("exit code %d after %d and %d requests:\n%s", code, len(first), len(second), output)
		}
		if first[0].Header.Get("X-Api-Key") != "only-for-a" || first[0].Header.Get("X-B") != "" {
			t.Errorf("a.pay got %v", first[0].Header)
		}
		if second[0].Header.Get("X-Api-Key") != "" || second[0].Header.Get("X-B") != "b" {
			t.Errorf("b.pay got %v", second[0].Header)
		}
	})
	t.Run("the environment", func(t *testing.T) {
		t.Setenv("WEFT_AUTH_A_PAY_KEY", "env-for-a")
		code, output := weft("run", files(""), "--server", "a.pay="+oneURL, "--server", "b.pay="+twoURL)
		first, second := sent(one), sent(two)
		if code != 0 || len(first) != 1 || len(second) != 1 {
			t.Fatalf("exit code %d after %d and %d requests:\n%s", code, len(first), len(second), output)
		}
		if first[0].Header.Get("X-Api-Key") != "env-for-a" || second[0].Header.Get("X-Api-Key") != "" {
			t.Errorf("a.pay got %v, b.pay %v", first[0].Header, second[0].Header)
		}
		if !strings.Contains(output, "WEFT_AUTH_B_PAY_KEY") {
			t.Errorf("the notice does not name the variable that is for b.pay alone:\n%s", output)
		}
	})
	t.Run("a name that may mean both", func(t *testing.T) {
		t.Setenv("WEFT_AUTH_PAY_KEY", "for-nobody")
		code, output := weft("run", files(""), "--server", "a.pay="+oneURL, "--server", "b.pay="+twoURL)
		for _, r := range append(sent(one), sent(two)...) {
			if r.Header.Get("X-Api-Key") != "" {
				t.Errorf("exit code %d, and the credential was sent:\n%s", code, output)
			}
		}
		for _, args := range [][]string{
			{files(`sources: {pay: {auth: {key: {apiKey: k}}}}`)},
			{files(""), "--server", "a.pay=" + oneURL, "--server", "b.pay=" + twoURL, "--server", "pay=" + oneURL},
		} {
			code, output := weft(append([]string{"run"}, args...)...)
			if code != 2 || !strings.Contains(output, "may mean each of a.pay, b.pay; say which") || len(sent(one))+len(sent(two)) > 0 {
				t.Errorf("%v: exit code %d:\n%s", args, code, output)
			}
		}
	})
}
