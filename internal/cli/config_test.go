package cli_test

import (
	"bytes"
	"io"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/weft-flow/weft/internal/cli"
)

const securedAPI = `
openapi: 3.1.0
info: {title: Secured, version: "1"}
servers: [{url: "https://api.example.com"}]
paths:
  /orders:
    post:
      operationId: create
      security: [{key: [], login: []}]
      requestBody: {content: {application/json: {schema: {type: object}}}}
      responses: {"201": {description: created, content: {application/json: {schema: {type: object, required: [id], properties: {id: {type: string}}}}}}}
components:
  securitySchemes:
    key: {type: apiKey, in: header, name: X-Api-Key}
    login: {type: http, scheme: basic}
`

const securedFlow = `
arazzo: 1.1.0
info: {title: t, version: "1"}
sourceDescriptions: [{name: api, url: api.yaml, type: openapi}]
workflows:
- workflowId: w
  steps:
  - stepId: create
    operationId: create
    requestBody: {payload: {sku: TEA}}
    onFailure: [{name: again, type: retry}]
`

// recordingServer keeps the requests that it gets.
type recordingServer struct {
	mu       sync.Mutex
	requests []*http.Request
	answer   http.HandlerFunc
}

func (s *recordingServer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	s.requests = append(s.requests, r)
	s.mu.Unlock()
	s.answer(w, r)
}

func respondJSON(status int, body string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(status)
		_, _ = io.WriteString(w, body)
	}
}

func start(t *testing.T, answer http.HandlerFunc) (*recordingServer, string) {
	t.Helper()
	recording := &recordingServer{answer: answer}
	server := httptest.NewServer(recording)
	t.Cleanup(server.Close)
	return recording, server.URL
}

// output takes what is written to it from several goroutines.
type output struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (o *output) Write(p []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.text.Write(p)
}

func weft(args ...string) (code int, printed string) {
	var out output
	code = cli.Run(args, cli.Stdio{In: strings.NewReader(""), Out: &out, Err: &out})
	return code, out.text.String()
}

// TestTheConfigurationReachesTheWire: server, credentials, headers and profile of
// weft.yaml are used, and no secret is seen anywhere.
func TestTheConfigurationReachesTheWire(t *testing.T) {
	server, base := start(t, respondJSON(http.StatusCreated, `{"id":"o-1","echo":"pa55word key-s3cret"}`))
	dir := t.TempDir()
	writeFile(t, filepath.Join(dir, "api.yaml"), securedAPI)
	writeFile(t, filepath.Join(dir, "flow.yaml"), securedFlow)
	writeFile(t, filepath.Join(dir, "weft.yaml"), `
sources:
  api:
    server: `+base+`
    auth:
      key: {apiKey: key-s3cret}
      login: {basic: {username: me, password: pa55word}}
    headers: {X-Team: checkout}
    idempotency: {header: X-Once}
`)
	report := filepath.Join(dir, "run.json")
	code, output := weft("run", filepath.Join(dir, "flow.yaml"), "-v", "--json", report, "--har", filepath.Join(dir, "run.har"))
	if code != 0 || len(server.requests) != 1 {
		t.Fatalf("exit code %d after %d requests:\n%s", code, len(server.requests), output)
	}
	r := server.requests[0]
	user, password, _ := r.BasicAuth()
	if r.Header.Get("X-Api-Key") != "key-s3cret" || user != "me" || password != "pa55word" || r.Header.Get("X-Team") != "checkout" || r.Header.Get("X-Once") == "" {
		t.Errorf("the request lacks what was configured: %v", r.Header)
	}
	for name, text := range map[string]string{"console": output, "report": readFile(t, report), "archive": readFile(t, filepath.Join(dir, "run.har"))} {
		for _, secret := range []string{"key-s3cret", "pa55word", "bWU6cGE1NXdvcmQ=", r.Header.Get("X-Once")} {
			if strings.Contains(text, secret) {
				t.Errorf("the %s shows %s", name, secret)
			}
		}
	}
}

// TestAFlagWinsOverTheConfiguration, and a fault of the file stops the run.
func TestAFlagWinsOverTheConfiguration(t *testing.T) {
	server, base := start(t, respondJSON(http.StatusCreated, `{"id":"o-1"}`))
	dir := t.TempDir()
	writeFile(t, filepath.Join(dir, "api.yaml"), securedAPI)
	writeFile(t, filepath.Join(dir, "flow.yaml"), securedFlow)
	writeFile(t, filepath.Join(dir, "weft.yaml"), "sources: {api: {server: \"http://127.0.0.1:1\"}}\n")
	if code, output := weft("run", filepath.Join(dir, "flow.yaml"), "--server", "api="+base); code != 0 || len(server.requests) != 1 {
		t.Errorf("exit code %d after %d requests:\n%s", code, len(server.requests), output)
	}
	writeFile(t, filepath.Join(dir, "weft.yaml"), "sources: {api: {servr: x}}\n")
	code, output := weft("run", filepath.Join(dir, "flow.yaml"), "--server", "api="+base)
	if code != 2 || !strings.Contains(output, `weft.yaml:1:17: sources.api has no key "servr"; did you mean server?`) {
		t.Errorf("exit code %d:\n%s", code, output)
	}
	if len(server.requests) != 1 {
		t.Error("something was sent under a configuration that cannot be used")
	}
}

// TestContractFindingsAndTheExitCode: a response that breaks its description fails
// the verdict unless the user says otherwise.
func TestContractFindingsAndTheExitCode(t *testing.T) {
	_, base := start(t, respondJSON(http.StatusCreated, `{"id":7}`))
	dir := t.TempDir()
	writeFile(t, filepath.Join(dir, "api.yaml"), securedAPI)
	writeFile(t, filepath.Join(dir, "flow.yaml"), securedFlow)
	for mode, want := range map[string]int{"error": 1, "warn": 0, "off": 0} {
		code, output := weft("run", filepath.Join(dir, "flow.yaml"), "--server", base, "--contract", mode)
		if code != want {
			t.Errorf("--contract %s: exit code %d, want %d:\n%s", mode, code, want, output)
		}
	}
}
