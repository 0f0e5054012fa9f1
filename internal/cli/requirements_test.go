package cli_test

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// TestStepsAndActionsTakeAllTheirCriteria: one that fails among several is enough.
func TestStepsAndActionsTakeAllTheirCriteria(t *testing.T) {
	tests := []wireCase{
		{name: "a step with one criterion of two that fails has failed", code: 1, flow: `
  - {stepId: a, operationId: list, successCriteria: [{condition: $statusCode == 200}, {condition: $response.body#/ok == false}]}
  - {stepId: b, operationId: login}`,
			sent: []string{"GET /v1/things "}, says: "criterion not met: $response.body#/ok == false"},
		{name: "an action with one criterion of two that fails is not taken", flow: `
  - {stepId: a, operationId: list, onSuccess: [{name: stop, type: end, criteria: [{condition: $statusCode == 200}, {condition: $response.body#/ok == false}]}]}
  - {stepId: b, operationId: login}`,
			sent: []string{"GET /v1/things ", "GET /v1/login "}},
		{name: "with both it is", flow: `
  - {stepId: a, operationId: list, onSuccess: [{name: stop, type: end, criteria: [{condition: $statusCode == 200}, {condition: $response.body#/ok == true}]}]}
  - {stepId: b, operationId: login}`,
			sent: []string{"GET /v1/things "}},
		{name: "a failure action too", code: 1, flow: `
  - {stepId: a, operationId: fails, onFailure: [{name: on, type: goto, stepId: b, criteria: [{condition: $statusCode == 401}, {condition: $response.body#/ok == false}]}]}
  - {stepId: b, operationId: login}`,
			sent: []string{"GET /v1/fails "}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) { test.run(t) })
	}
}

// TestQueryStrings: the whole query as one value, of the declared media type.
func TestQueryStrings(t *testing.T) {
	tests := []struct{ content, value, want string }{
		{"application/x-www-form-urlencoded", `"filter=active&sort={$inputs.sort}"`, "filter=active&sort=a%20b"},
		{"application/x-www-form-urlencoded", `{filter: active, sort: $inputs.sort}`, "filter=active&sort=a%20b"},
		{"application/json", `'{"filter":"active"}'`, "%7B%22filter%22:%22active%22%7D"},
	}
	for _, test := range tests {
		t.Run(test.content+" "+test.value, func(t *testing.T) {
			server, base := start(t, respondJSON(http.StatusOK, `{}`))
			dir := t.TempDir()
			writeFile(t, filepath.Join(dir, "api.yaml"), "openapi: 3.2.0\ninfo: {title: q, version: '1'}\nservers: [{url: '"+base+"'}]\npaths: {/s: {get: {operationId: search, parameters: [{name: q, in: querystring, content: {"+test.content+": {}}}], responses: {'200': {description: ok}}}}}\n")
			writeFile(t, filepath.Join(dir, "flow.yaml"), "arazzo: 1.1.0\ninfo: {title: t, version: '1'}\nsourceDescriptions: [{name: api, url: api.yaml, type: openapi}]\nworkflows:\n- workflowId: w\n  inputs: {type: object, properties: {sort: {type: string, default: a b}}}\n  steps: [{stepId: s, operationId: search, parameters: [{name: q, in: querystring, value: "+test.value+"}]}]\n")
			code, output := weft("run", filepath.Join(dir, "flow.yaml"))
			if code != 0 || len(server.requests) != 1 || server.requests[0].URL.RawQuery != test.want {
				t.Errorf("exit code %d, %v\nwant %s\n%s", code, server.requests, test.want, output)
			}
		})
	}
}

// TestRetryAfterIsInSeconds, with fractions, and is really waited for.
func TestRetryAfterIsInSeconds(t *testing.T) {
	var came []time.Time
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		if came = append(came, time.Now()); len(came) == 1 {
			w.WriteHeader(http.StatusTooManyRequests)
		}
	}))
	defer server.Close()
	dir := t.TempDir()
	writeFile(t, filepath.Join(dir, "api.yaml"), strings.ReplaceAll(wireAPI, "BASE", server.URL))
	writeFile(t, filepath.Join(dir, "flow.yaml"), "arazzo: 1.1.0\ninfo: {title: t, version: '1'}\nsourceDescriptions: [{name: api, url: api.yaml, type: openapi}]\nworkflows: [{workflowId: w, steps: [{stepId: s, operationId: list, onFailure: [{name: again, type: retry, retryAfter: 0.4, retryLimit: 1}]}]}]\n")
	if code, output := weft("run", filepath.Join(dir, "flow.yaml"), "--contract", "off"); code != 0 || len(came) != 2 {
		t.Fatalf("exit code %d after %d requests\n%s", code, len(came), output)
	}
	if waited := came[1].Sub(came[0]); waited < 400*time.Millisecond || waited > 4*time.Second {
		t.Errorf("waited %v", waited)
	}
}

// whole has every field that the specification requires, each on a line of its own.
const whole = `arazzo: 1.1.0
info:
  title: t
  version: "1"
sourceDescriptions:
- type: openapi
  name: api
  url: api.yaml
workflows:
- summary: w
  workflowId: w
  steps:
  - description: s
    stepId: s
    operationId: make
    parameters:
    - in: query
      name: p
      value: v
    requestBody:
      payload: {}
      replacements:
      - x-a: 1
        target: /a
        value: 1
    successCriteria:
    - context: $statusCode
      condition: "2.."
      type: regex
    - context: $response.body
      condition: $.a
      type:
        type: jsonpath
        version: rfc9535
    onSuccess:
    - x-a: 1
      name: done
      type: end
    onFailure:
    - x-a: 1
      name: failed
      type: end
    outputs:
      o:
        context: $response.body
        selector: $.a
        type: jsonpath
components:
  parameters:
    q:
      in: query
      name: q
      value: v
`

// TestRequiredFieldsAreDemanded: without any one of them a document is not run, and
// the field is named.
func TestRequiredFieldsAreDemanded(t *testing.T) {
	optional := []string{"type: openapi", "summary:", "description:", "in: query", "x-a:", "payload:", "replacements:", "requestBody:",
		"parameters:", "successCriteria:", "onSuccess:", "onFailure:", "outputs:", "components:", "o:", "q:", "type: regex", "operationId:"}
	lines := strings.SplitAfter(whole, "\n")
	for i, line := range lines {
		written := strings.TrimSpace(strings.TrimPrefix(strings.TrimSpace(line), "- "))
		field, _, _ := strings.Cut(written, ":")
		if field == "" || written == "type:" || hasAnyPrefix(written, optional) {
			continue
		}
		t.Run(fmt.Sprintf("%s in line %d", field, i+1), func(t *testing.T) {
			dir := t.TempDir()
			writeFile(t, filepath.Join(dir, "flow.yaml"), without(lines, i))
			code, output := weft("run", filepath.Join(dir, "flow.yaml"), "--offline")
			if code != 2 || !strings.Contains(strings.ReplaceAll(output, dir, "DIR"), field) {
				t.Errorf("exit code %d without %s:\n%s", code, written, output)
			}
		})
	}
}

func hasAnyPrefix(text string, prefixes []string) bool {
	return slices.ContainsFunc(prefixes, func(p string) bool { return strings.HasPrefix(text, p) })
}

// without gives the lines without one and what is indented deeper beneath it. An
// item of a list whose first line it is keeps its dash.
func without(lines []string, at int) string {
	indent := func(line string) int { return len(line) - len(strings.TrimLeft(line, " ")) }
	rest := at + 1
	for rest < len(lines) && (indent(lines[rest]) > indent(lines[at]) || indent(lines[rest]) == indent(lines[at]) && strings.HasPrefix(strings.TrimSpace(lines[rest]), "- ")) {
		rest++
	}
	kept := strings.Join(lines[:at], "")
	if strings.HasPrefix(strings.TrimSpace(lines[at]), "- ") {
		rest = at + 1
		kept += strings.Repeat(" ", indent(lines[at])) + "- x-b: 1\n"
	}
	return kept + strings.Join(lines[rest:], "")
}

// TestURIReferences: what must be one and is none is a fault with its place.
func TestURIReferences(t *testing.T) {
	for _, faulty := range []string{"$self: 'http://[::1/a'", "$self: 'a b:c%zz'", "sourceDescriptions: [{name: api, url: 'http://[::1/a', type: openapi}]"} {
		t.Run(faulty, func(t *testing.T) {
			text := strings.Replace(whole, "arazzo: 1.1.0\n", "arazzo: 1.1.0\n"+faulty+"\n", 1)
			if strings.HasPrefix(faulty, "source") {
				text = strings.Replace(whole, "sourceDescriptions:\n- type: openapi\n  name: api\n  url: api.yaml\n", faulty+"\n", 1)
			}
			dir := t.TempDir()
			writeFile(t, filepath.Join(dir, "api.yaml"), strings.ReplaceAll(wireAPI, "BASE", "http://127.0.0.1:1"))
			writeFile(t, filepath.Join(dir, "flow.yaml"), text)
			code, output := weft("run", filepath.Join(dir, "flow.yaml"), "--offline")
			if code != 2 || !strings.Contains(output, "flow.yaml:") {
				t.Errorf("exit code %d:\n%s", code, output)
			}
		})
	}
}
