package cli_test

import (
	"io"
	"net/http"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

const wireAPI = `
openapi: 3.0.3
info: {title: Wire, version: "1"}
servers: [{url: "BASE/{version}/", variables: {version: {default: v1, enum: [v1, v2]}}}]
paths:
  /things:
    get:
      operationId: list
      parameters:
      - {name: tags, in: query, explode: false, schema: {type: array, items: {type: string}}}
      - {name: also, in: query, schema: {type: array, items: {type: string}}}
      responses: {"200": {description: ok}}
    post: {operationId: make, requestBody: {content: {application/json: {}}}, responses: {"200": {description: ok}}}
  /things/{id}:
    parameters: [{$ref: "#/components/parameters/Id"}, {$ref: "#/components/parameters/Mode"}]
    get: {operationId: one, responses: {"200": {description: ok}}}
    delete:
      operationId: drop
      parameters: [{name: mode, in: query, schema: {type: array, items: {type: string}}, style: pipeDelimited, explode: false}]
      responses: {"200": {description: ok}}
  /fails: {get: {operationId: fails, responses: {"401": {description: no}}}}
  /login: {get: {operationId: login, parameters: [{name: user, in: query, schema: {type: string}}], responses: {"200": {description: ok}}}}
components:
  parameters:
    Id: {name: id, in: path, required: true, style: matrix, schema: {type: string}}
    Mode: {name: mode, in: query, explode: false, schema: {type: array, items: {type: string}}}
`

// wireCase is a document, what it must send, and how it must end.
type wireCase struct {
	name    string
	version string // default 1.1.0
	flow    string // the steps of the workflow w, or its inputs and its steps
	body    string // that the server answers with
	code    int
	sent    []string // METHOD TARGET BODY
	says    string
}

// TestWhatDocumentsSend runs documents whose reading has gone wrong elsewhere and
// looks at every byte that is sent.
func TestWhatDocumentsSend(t *testing.T) {
	tests := []wireCase{
		{name: "text that begins with a dollar sign is sent as it is", flow: `
  - {stepId: s, operationId: make, requestBody: {contentType: application/json, payload: {query: "$.items[?(@.ok)]", price: "$5", curr: "$USD"}}}`,
			sent: []string{`POST /v1/things {"query":"$.items[?(@.ok)]","price":"$5","curr":"$USD"}`}},
		{name: "expressions are put into text in 1.0 too", version: "1.0.1", flow: inputN + `
  - {stepId: s, operationId: one, parameters: [{name: id, in: path, value: "id-{$inputs.n}"}]}`,
			sent: []string{"GET /v1/things/;id=id-7 "}},
		{name: "expressions are put into text in 1.1", flow: inputN + `
  - {stepId: s, operationId: one, parameters: [{name: id, in: path, value: "id-{$inputs.n}"}]}`,
			sent: []string{"GET /v1/things/;id=id-7 "}},
		{name: "the workflow of a retry gets the action's parameters as inputs", code: 1, flow: inputN + `
  - {stepId: s, operationId: fails, onFailure: [{name: relog, type: retry, workflowId: login, parameters: [{name: user, value: $inputs.n}]}]}
- workflowId: login
  inputs: {type: object, required: [user], properties: {user: {type: integer}}}
  steps: [{stepId: in, operationId: login, parameters: [{name: user, in: query, value: $inputs.user}]}]`,
			sent: []string{"GET /v1/fails ", "GET /v1/login?user=7 ", "GET /v1/fails "}},
		{name: "an action of 1.0 has no parameters", version: "1.0.1", code: 2, flow: inputN + `
  - {stepId: s, operationId: fails, onFailure: [{name: relog, type: retry, workflowId: w, parameters: [{name: n, value: 1}]}]}`,
			says: "Arazzo 1.1"},
		{name: "criteria of actions see the exchange, inputs and steps", flow: inputN + `
  - {stepId: a, operationId: list, outputs: {ok: $response.body#/ok}}
  - stepId: b
    operationId: list
    parameters: [{name: also, in: query, value: [x]}]
    onSuccess: [{name: go, type: goto, stepId: d, criteria: [{condition: "$statusCode == 200 && $response.body#/ok == true && $response.header.x-trace.id == 't1' && $request.query.also == 'x' && $method == 'GET' && $inputs.n == 7 && $steps.a.outputs.ok == true"}]}]
  - {stepId: c, operationId: login}
  - {stepId: d, operationId: one, parameters: [{name: id, in: path, value: d}]}`,
			sent: []string{"GET /v1/things ", "GET /v1/things?also=x ", "GET /v1/things/;id=d "}},
		{name: "pointers are unescaped and header names may hold dots", body: `{"a/b":[{"m~n":"found"}]}`, flow: `
  - {stepId: a, operationId: list, outputs: {x: $response.body, trace: $response.header.X-TRACE.Id}}
  - {stepId: b, operationId: one, parameters: [{name: id, in: path, value: $steps.a.outputs.x#/a~1b/0/m~0n}, {name: mode, in: query, value: [$steps.a.outputs.trace]}]}`,
			sent: []string{"GET /v1/things ", "GET /v1/things/;id=found?mode=t1 "}},
		{name: "quoted text is one literal, whatever is in it", body: `{"state":"in progress && it''s (ok)"}`, flow: `
  - {stepId: s, operationId: list, successCriteria: [{condition: "$response.body#/state == 'in progress && it''''s (ok)' && $statusCode == 200"}]}`,
			sent: []string{"GET /v1/things "}},
		{name: "a regular expression needs a context", code: 2, flow: `
  - {stepId: s, operationId: list, successCriteria: [{condition: "^ok$", type: regex}]}`, says: "context"},
		{name: "a simple condition may have a context", flow: `
  - {stepId: s, operationId: list, successCriteria: [{context: $response.body, condition: $statusCode == 200}]}`, sent: []string{"GET /v1/things "}},
		{name: "an unknown type of action is refused with those that there are", code: 2, flow: `
  - {stepId: s, operationId: list, onFailure: [{name: f, type: function, retryAfter: 1}]}`, says: "expected end, goto or retry"},
		{name: "empty names are no expressions", flow: `
  - {stepId: s, operationId: make, requestBody: {contentType: application/json, payload: ["$steps.", "$inputs.", "$response.", "$response.header."]}}`,
			sent: []string{`POST /v1/things ["$steps.","$inputs.","$response.","$response.header."]`}},
		{name: "empty names in conditions fail them with their place", code: 1, flow: `
  - {stepId: s, operationId: list, successCriteria: [{condition: $response.header. == 1}]}`, sent: []string{"GET /v1/things "}, says: "cannot be evaluated"},
		{name: "a JSONPath that finds false or null passes", body: `{"ok":false,"no":null}`, flow: `
  - {stepId: s, operationId: list, successCriteria: [{context: $response.body, condition: $.ok, type: jsonpath}, {context: $response.body, condition: $.no, type: jsonpath}]}`,
			sent: []string{"GET /v1/things "}},
		{name: "a JSONPath compares only within a filter", code: 1, flow: `
  - {stepId: s, operationId: list, successCriteria: [{context: $response.body, condition: $.ok == true, type: jsonpath}]}`,
			sent: []string{"GET /v1/things "}, says: "$[?$.ok == true]"},
		{name: "what a dialect of JSONPath has and Weft has not is refused", code: 2, flow: `
  - {stepId: s, operationId: list, successCriteria: [{context: $response.body, type: {type: jsonpath, version: draft-goessner-dispatch-jsonpath-00}, condition: "$..book[(@.price+1)]"}]}`,
			says: "only (@.length-1), (@.length-2) and so on are supported"},
		{name: "the last element in the older dialect of JSONPath", body: `{"book":[1,2]}`, flow: `
  - {stepId: s, operationId: list, successCriteria: [{context: $response.body, type: {type: jsonpath, version: draft-goessner-dispatch-jsonpath-00}, condition: "$..book[(@.length-1)]"}]}`,
			sent: []string{"GET /v1/things "}},
		{name: "an object is a Selector Object only where it is exactly one", body: `{"a":5}`, flow: `
  - {stepId: a, operationId: list, outputs: {n: {context: $response.body, selector: $.a, type: jsonpath}}}
  - {stepId: b, operationId: make, requestBody: {contentType: application/json, payload: {picked: {context: $steps.a.outputs.n, selector: "", type: jsonpointer}, data: {context: x, note: y}}}}`,
			sent: []string{"GET /v1/things ", `POST /v1/things {"picked":5,"data":{"context":"x","note":"y"}}`}},
		{name: "in 1.0 it is data", version: "1.0.1", flow: `
  - {stepId: b, operationId: make, requestBody: {contentType: application/json, payload: {picked: {context: $inputs.x, selector: $.a, type: jsonpath}}}}`,
			sent: []string{`POST /v1/things {"picked":{"selector":"$.a","type":"jsonpath"}}`}},
		{name: "what is skipped does not wait", code: 1, flow: `
  - {stepId: a, operationId: fails}
  - {stepId: b, operationId: fails, onFailure: [{name: r, type: retry, retryAfter: 30, retryLimit: 6}]}`,
			sent: []string{"GET /v1/fails "}},
		{name: "explode: false of OpenAPI 3.0 joins with commas", flow: `
  - {stepId: s, operationId: list, parameters: [{name: tags, in: query, value: [a, b]}, {name: also, in: query, value: [c, d]}]}`,
			sent: []string{"GET /v1/things?tags=a,b&also=c&also=d "}},
		{name: "shared parameters count, and the operation's own go before", flow: `
  - {stepId: s, operationId: one, parameters: [{name: id, in: path, value: a/b}, {name: mode, in: query, value: [x, y]}]}
  - {stepId: t, operationId: drop, parameters: [{name: id, in: path, value: c}, {name: mode, in: query, value: [x, y]}]}`,
			sent: []string{"GET /v1/things/;id=a%2Fb?mode=x,y ", "DELETE /v1/things/;id=c?mode=x%7Cy "}},
		{name: "a goto to a workflow does not come back, and the result is that workflow's", flow: `
  - {stepId: a, operationId: list, onSuccess: [{name: go, type: goto, workflowId: other}]}
  - {stepId: b, operationId: login}
- workflowId: other
  steps: [{stepId: c, operationId: one, parameters: [{name: id, in: path, value: c}], outputs: {made: $statusCode}}]
  outputs: {made: $steps.c.outputs.made}`,
			sent: []string{"GET /v1/things ", "GET /v1/things/;id=c "}, says: "made = 200"},
		{name: "the first action whose criteria pass is taken", flow: `
  - {stepId: a, operationId: list, onSuccess: [{name: on, type: goto, stepId: c, criteria: [{condition: $statusCode < 300}]}, {name: stop, type: end, criteria: [{condition: $statusCode == 200}]}]}
  - {stepId: b, operationId: login}
  - {stepId: c, operationId: one, parameters: [{name: id, in: path, value: c}]}`,
			sent: []string{"GET /v1/things ", "GET /v1/things/;id=c "}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) { test.run(t) })
	}
}

const inputN = `
  inputs: {type: object, properties: {n: {type: integer, default: 7}}}
  steps:`

func (c wireCase) run(t *testing.T) {
	t.Helper()
	body := c.body
	if body == "" {
		body = `{"ok":true}`
	}
	var sent []string
	_, base := start(t, func(w http.ResponseWriter, r *http.Request) {
		content, _ := io.ReadAll(r.Body)
		sent = append(sent, r.Method+" "+r.RequestURI+" "+string(content))
		w.Header().Set("X-Trace.Id", "t1")
		status := http.StatusOK
		if r.URL.Path == "/v1/fails" {
			status = http.StatusUnauthorized
		}
		respondJSON(status, body)(w, r)
	})
	version := c.version
	if version == "" {
		version = "1.1.0"
	}
	flow := c.flow
	if !strings.HasPrefix(flow, "\n  inputs:") {
		flow = "\n  steps:" + flow
	}
	dir := t.TempDir()
	writeFile(t, filepath.Join(dir, "api.yaml"), strings.ReplaceAll(wireAPI, "BASE", base))
	writeFile(t, filepath.Join(dir, "flow.yaml"), "arazzo: "+version+"\ninfo: {title: t, version: \"1\"}\nsourceDescriptions: [{name: api, url: api.yaml, type: openapi}]\nworkflows:\n- workflowId: w"+flow+"\n")
	began := time.Now()
	code, output := weft("run", filepath.Join(dir, "flow.yaml"), "-w", "w", "-v")
	output = strings.ReplaceAll(output, dir, "DIR") // the name of the test is in it
	if code != c.code || !strings.Contains(output, c.says) {
		t.Errorf("exit code %d, want %d and the word %q:\n%s", code, c.code, c.says, output)
	}
	if !slices.Equal(sent, c.sent) {
		t.Errorf("sent was\n%s\nwant\n%s\n%s", strings.Join(sent, "\n"), strings.Join(c.sent, "\n"), output)
	}
	if took := time.Since(began); took > 5*time.Second {
		t.Errorf("it took %v", took)
	}
}

// TestServersOfDescriptions: relative servers are taken from where the description
// is, variables have their defaults, and no slash is doubled or lost.
func TestServersOfDescriptions(t *testing.T) {
	tests := []struct{ server, want string }{
		{"{url: /}", "/a"},
		{"{url: /v1/}", "/v1/a"},
		{"{url: v2}", "/apis/v2/a"},
		{"{url: ../v3/}", "/v3/a"},
		{`{url: "/{region}/x", variables: {region: {default: eu, enum: [eu, us]}}}`, "/eu/x/a"},
	}
	for _, test := range tests {
		t.Run(test.server, func(t *testing.T) {
			server, base := start(t, nil)
			server.answer = func(w http.ResponseWriter, r *http.Request) {
				if r.URL.Path == "/apis/api.yaml" {
					_, _ = io.WriteString(w, "openapi: 3.1.0\ninfo: {title: s, version: '1'}\nservers: ["+test.server+"]\npaths: {/a: {get: {operationId: a, responses: {'200': {description: ok}}}}}\n")
					return
				}
				respondJSON(http.StatusOK, `{}`)(w, r)
			}
			dir := t.TempDir()
			writeFile(t, filepath.Join(dir, "flow.yaml"), "arazzo: 1.1.0\ninfo: {title: t, version: \"1\"}\nsourceDescriptions: [{name: api, url: '"+base+"/apis/api.yaml', type: openapi}]\nworkflows: [{workflowId: w, steps: [{stepId: s, operationId: a}]}]\n")
			code, output := weft("run", filepath.Join(dir, "flow.yaml"))
			if last := server.requests[len(server.requests)-1].RequestURI; code != 0 || last != test.want {
				t.Errorf("exit code %d, requested %s, want %s\n%s", code, last, test.want, output)
			}
		})
	}
}
