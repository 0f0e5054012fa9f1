package cli_test

import (
	"bytes"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/weft-flow/weft/arazzo/source"
	"github.com/weft-flow/weft/executor/mock"
	"github.com/weft-flow/weft/internal/cli"
)

const payAPI = `
openapi: 3.1.0
info: {title: Pay, version: "1"}
servers: [{url: "http://127.0.0.1:1"}]
paths:
  /keyed:
    post:
      operationId: keyed
      parameters: [{name: Idempotency-Key, in: header, schema: {type: string}}]
      requestBody: {content: {application/json: {schema: {type: object}}}}
      responses: {"201": {description: created, content: {application/json: {schema: {type: object}}}}}
  /keyless:
    post:
      operationId: keyless
      requestBody: {content: {application/json: {schema: {type: object}}}}
      responses: {"201": {description: created, content: {application/json: {schema: {type: object}}}}}
`

const payFlow = `
arazzo: 1.1.0
info: {title: t, version: "1"}
sourceDescriptions: [{name: api, url: api.yaml, type: openapi}]
workflows:
- workflowId: w
  steps:
  - stepId: pay
    operationId: OPERATION
    timeout: 1500
    requestBody: {payload: {amount: 1}}
    onFailure: [{name: again, type: retry, retryLimit: 3}]
`

// mocked plays the API with planned faults.
func mocked(t *testing.T, dir string, faults ...mock.Fault) (*mock.Server, string) {
	t.Helper()
	loader := source.NewLoader(source.Options{Offline: true})
	doc, location, _, err := loader.LoadDocument(t.Context(), filepath.Join(dir, "flow.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	set, problems := loader.Load(t.Context(), doc, location)
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	server := mock.New([]mock.Source{{Name: "api", Catalog: set.Source("api").OpenAPI}}, mock.Options{})
	if err := server.Plan(faults...); err != nil {
		t.Fatal(err)
	}
	base, stop, err := server.Listen("127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = stop() })
	return server, base
}

// TestAnUnknownOutcomeOnTheWire shows, over real connections, what becomes of a
// POST whose answer is lost after its effect: without a key contract it is sent
// once and the run says that it does not know; under one it is sent again with
// the same key, and has one effect.
func TestAnUnknownOutcomeOnTheWire(t *testing.T) {
	tests := []struct {
		operation       string
		kind            mock.FaultKind
		code            int
		requests        int
		effects         int
		says, saysNever string
	}{
		{"keyless", mock.HangAfterEffect, 3, 1, 1, "retry withheld", "retry 1 of 3"},
		{"keyless", mock.HangBeforeEffect, 3, 1, 0, "retry withheld", "retry 1 of 3"},
		{"keyless", mock.ResetAfterEffect, 3, 1, 1, "retry withheld", "retry 1 of 3"},
		{"keyless", mock.UnavailableAfterEffect, 3, 1, 1, "retry withheld", "retry 1 of 3"},
		{"keyed", mock.HangAfterEffect, 0, 2, 1, "retry 1 of 3", "withheld"},
		{"keyed", mock.HangBeforeEffect, 0, 2, 1, "retry 1 of 3", "withheld"},
		{"keyed", mock.ResetAfterEffect, 0, 2, 1, "retry 1 of 3", "withheld"},
		{"keyed", mock.UnavailableAfterEffect, 0, 2, 1, "retry 1 of 3", "withheld"},
	}
	for _, test := range tests {
		t.Run(test.operation+" "+string(test.kind), func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			writeFile(t, filepath.Join(dir, "api.yaml"), payAPI)
			writeFile(t, filepath.Join(dir, "flow.yaml"), strings.Replace(payFlow, "OPERATION", test.operation, 1))
			server, base := mocked(t, dir, mock.Fault{Operation: test.operation, Kind: test.kind})

			var out, errs bytes.Buffer
			code := cli.Run([]string{"run", filepath.Join(dir, "flow.yaml"), "--server", base + "/api", "--contract", "off"}, cli.Stdio{Out: &out, Err: &errs})

			ledger := server.Ledger()
			if !ledger.Faults[0].Fired {
				t.Fatalf("the fault did not fire, so the test tells nothing:\n%s%s", &out, &errs)
			}
			if code != test.code {
				t.Errorf("exit code %d, want %d", code, test.code)
			}
			requests := 0
			for _, r := range ledger.Requests {
				// A retry that comes while the server has not noticed that the first
				// request was given up is told that the key is in flight, and comes again.
				if r.Status != http.StatusConflict {
					requests++
				}
				if test.operation == "keyed" && (r.Key == "" || r.Key != ledger.Requests[0].Key) {
					t.Errorf("request %d has the key %q, the first %q", r.Sequence, r.Key, ledger.Requests[0].Key)
				}
			}
			if requests != test.requests || len(ledger.Effects) != test.effects {
				t.Errorf("%d requests and %d effects, want %d and %d", requests, len(ledger.Effects), test.requests, test.effects)
			}
			if !strings.Contains(out.String(), test.says) || strings.Contains(out.String(), test.saysNever) {
				t.Errorf("the console should say %q and not %q:\n%s", test.says, test.saysNever, &out)
			}
		})
	}
}

func writeFile(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

func readFile(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
