package cli_test

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/url"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/weft-flow/weft/internal/cli"
)

// planted begins every secret of this test; the characters after it are written
// differently in URLs, JSON, XML and base64.
const planted = "s3cr3t"

// The secrets, by where they are given.
var secrets = map[string]string{
	"input":                planted + `-in/p+"t&é`,
	"nested input":         planted + "-nested-0123",
	"key in a header":      planted + "-key-header",
	"key in the query":     planted + "-key/query=&",
	"key in a cookie":      planted + "-key-cookie",
	"password of basic":    planted + ":basic",
	"bearer token":         planted + "-bearer.token_0",
	"secret of a client":   planted + "-client",
	"token from a server":  planted + "-token-from-server",
	"fixed header":         planted + "-header-fixed",
	"from the environment": planted + "-environment",
}

const secretsAPI = `
openapi: 3.1.0
info: {title: Secrets, version: "1"}
paths:
  /header: {post: {operationId: header, security: [{keyHeader: []}], requestBody: {content: {application/json: {}}}, responses: {"200": {description: ok, content: {application/json: {schema: {type: object, properties: {echo: {type: integer}}}}}}}}}
  /query: {get: {operationId: query, security: [{keyQuery: []}], responses: {"200": {description: ok}}}}
  /cookie: {get: {operationId: cookie, security: [{keyCookie: []}], responses: {"200": {description: ok}}}}
  /basic: {get: {operationId: basic, security: [{basic: []}], responses: {"200": {description: ok}}}}
  /bearer: {get: {operationId: bearer, security: [{bearer: []}], responses: {"200": {description: ok}}}}
  /oauth: {get: {operationId: oauth, security: [{oauth: []}], responses: {"200": {description: ok}}}}
  /path/{secret}: {get: {operationId: path, parameters: [{name: secret, in: path, required: true, schema: {type: string}}, {name: q, in: query, schema: {type: string}}], responses: {"200": {description: ok}}}}
  /xml: {post: {operationId: xml, requestBody: {content: {application/xml: {}}}, responses: {"200": {description: ok}}}}
  /form: {post: {operationId: form, requestBody: {content: {application/x-www-form-urlencoded: {}}}, responses: {"200": {description: ok}}}}
  /down/{secret}: {get: {operationId: down, parameters: [{name: secret, in: path, required: true, schema: {type: string}}], responses: {"200": {description: ok}}}}
components:
  securitySchemes:
    keyHeader: {type: apiKey, in: header, name: X-Api-Key}
    keyQuery: {type: apiKey, in: query, name: key}
    keyCookie: {type: apiKey, in: cookie, name: session}
    basic: {type: http, scheme: basic}
    bearer: {type: http, scheme: bearer}
    oauth: {type: oauth2, flows: {clientCredentials: {tokenUrl: "BASE/token", scopes: {}}}}
`

const secretsFlow = `
arazzo: 1.1.0
info: {title: t, version: "1"}
sourceDescriptions: [{name: api, url: api.yaml, type: openapi}]
workflows:
- workflowId: w
  inputs:
    type: object
    properties:
      pin: {type: string, format: password}
      account: {type: object, properties: {token: {type: string, format: password}}}
      plain: {type: string}
  steps:
  - {stepId: header, operationId: header, requestBody: {contentType: application/json, payload: {pin: $inputs.pin, note: "about {$inputs.pin}", account: $inputs.account}}, outputs: {echo: $response.body#/echo, head: $response.header.X-Echo, sent: $request.body}}
  - {stepId: query, operationId: query, outputs: {url: $url, echo: $response.body}}
  - {stepId: cookie, operationId: cookie, outputs: {echo: $response.body#/echo, cookie: $response.header.Set-Cookie}}
  - {stepId: basic, operationId: basic, outputs: {echo: $response.body#/echo}}
  - {stepId: bearer, operationId: bearer, outputs: {echo: $response.body#/echo}}
  - {stepId: oauth, operationId: oauth, outputs: {echo: $response.body#/echo}}
  - {stepId: path, operationId: path, parameters: [{name: secret, in: path, value: $inputs.pin}, {name: q, in: query, value: $inputs.pin}], outputs: {url: $url}}
  - {stepId: xml, operationId: xml, requestBody: {contentType: application/xml, payload: "<a>{$inputs.account#/token}</a>"}}
  - {stepId: form, operationId: form, requestBody: {contentType: application/x-www-form-urlencoded, payload: {pin: $inputs.pin}}}
  - stepId: down
    operationId: down
    parameters: [{name: secret, in: path, value: $inputs.pin}]
    successCriteria: [{condition: "$inputs.pin == 'no' && $statusCode == 200"}, {context: $response.body, type: jsonpath, condition: "$[?@ == '{$inputs.plain}{$inputs.pin}']"}]
  outputs: {all: $steps.header.outputs.echo, url: $steps.query.outputs.url}
`

// echoing answers with all that it got, in the body, in headers and unasked; to
// /down not at all.
func echoing(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	if r.URL.Path == "/token" {
		_ = r.ParseForm()
		respondJSON(http.StatusOK, `{"access_token":"`+secrets["token from a server"]+`","token_type":"bearer","expires_in":600}`)(w, r)
		return
	}
	got := fmt.Sprint(r.Method, " ", r.URL.RequestURI(), " ", r.Header, " ", string(body))
	w.Header().Set("X-Echo", got)
	w.Header().Set("Set-Cookie", "echo="+url.QueryEscape(got))
	answer, _ := json.Marshal(map[string]any{
		"echo": got, "base64": base64.StdEncoding.EncodeToString([]byte(got)), "escaped": url.QueryEscape(got),
		"list": []string{got}, got: "a member of this name",
	})
	if strings.HasPrefix(r.URL.Path, "/down/") {
		conn, _, err := http.NewResponseController(w).Hijack()
		if err != nil {
			panic(err)
		}
		fmt.Fprintf(conn, "HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n%s", len(answer)+100, answer)
		_ = conn.Close()
		return
	}
	if r.URL.Path == "/bearer" {
		conn, _, err := http.NewResponseController(w).Hijack()
		if err != nil {
			panic(err)
		}
		fmt.Fprintf(conn, "HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n%s%s", len(answer), answer, answer)
		_ = conn.Close()
		return
	}
	respondJSON(http.StatusOK, string(answer))(w, r)
}

// TestPlantedSecretsOccurInNoOutput: not on the console, not in reports, not in the
// archive, not in errors, whatever a server echoes and in whatever form.
func TestPlantedSecretsOccurInNoOutput(t *testing.T) {
	var logged bytes.Buffer
	log.SetOutput(&logged)
	server, base := start(t, echoing)
	dir := t.TempDir()
	writeFile(t, filepath.Join(dir, "api.yaml"), strings.ReplaceAll(secretsAPI, "BASE", base))
	writeFile(t, filepath.Join(dir, "flow.yaml"), secretsFlow)
	t.Setenv("PLANTED", secrets["from the environment"])
	t.Setenv("PLANTED_HEADER", secrets["fixed header"])
	writeFile(t, filepath.Join(dir, "inputs.json"), inputsWithSecrets(t))
	writeFile(t, filepath.Join(dir, "weft.yaml"), secretsConfig(base))

	outputs := map[string]string{}
	var out, errs bytes.Buffer
	reports := map[string]string{"--json": "run.json", "--junit": "run.xml", "--har": "run.har"}
	args := []string{"run", filepath.Join(dir, "flow.yaml"), "-v", "--log-level", "debug", "--inputs", filepath.Join(dir, "inputs.json")}
	dry := append(slices.Clone(args), "--dry-run", "--json", filepath.Join(dir, "dry.json"))
	for flag, name := range reports {
		args = append(args, flag, filepath.Join(dir, name))
	}
	code := cli.Run(args, cli.Stdio{In: strings.NewReader(""), Out: &out, Err: &errs})
	if code != 1 {
		t.Errorf("exit code %d, want 1: the last step fails\n%s%s", code, &out, &errs)
	}
	if n := len(server.requests); n != 11 {
		t.Fatalf("%d requests came, so that not everything was echoed:\n%s%s", n, &out, &errs)
	}
	outputs["standard output"], outputs["standard error"], outputs["log"] = out.String(), errs.String(), logged.String()
	for flag, name := range reports {
		outputs[flag] = readFile(t, filepath.Join(dir, name))
	}
	out.Reset()
	if code := cli.Run(dry, cli.Stdio{In: strings.NewReader(""), Out: &out, Err: &out}); code != 0 {
		t.Errorf("the dry run ends with exit code %d:\n%s", code, &out)
	}
	outputs["--dry-run"], outputs["--dry-run --json"] = out.String(), readFile(t, filepath.Join(dir, "dry.json"))
	for name, text := range outputs {
		findSecrets(t, name, text)
	}
	if !strings.Contains(outputs["standard output"], "***") || !strings.Contains(outputs["--har"], "***") {
		t.Error("nothing was masked, so that the test tells nothing")
	}
}

// secretsConfig is a weft.yaml with a secret in each place for one.
func secretsConfig(base string) string {
	return fmt.Sprintf(`
sources:
  api:
    server: %s
    auth:
      keyHeader: {apiKey: %q}
      keyQuery: {apiKey: %q}
      keyCookie: {apiKey: %q}
      basic: {basic: {username: me, password: %q}}
      bearer: {bearer: %q}
      oauth: {oauth2: {tokenUrl: %s/token, clientId: weft, clientSecret: %q}}
    headers: {X-Fixed: "${ENV:PLANTED_HEADER}"}
`, base, secrets["key in a header"], secrets["key in the query"], secrets["key in a cookie"], secrets["password of basic"],
		secrets["bearer token"], base, secrets["secret of a client"])
}

func inputsWithSecrets(t *testing.T) string {
	t.Helper()
	inputs, err := json.Marshal(map[string]any{
		"pin": secrets["input"], "account": map[string]any{"token": secrets["nested input"]}, "plain": "${ENV:PLANTED}",
	})
	if err != nil {
		t.Fatal(err)
	}
	return string(inputs)
}

// findSecrets looks for the secrets in a text, as they are, with the letters at their
// beginning in no escape of any kind, and in base64.
func findSecrets(t *testing.T, name, text string) {
	t.Helper()
	if at := strings.Index(text, planted); at >= 0 {
		t.Errorf("%s shows a secret: …%.120s…", name, text[max(0, at-40):])
	}
	for what, secret := range secrets {
		for offset := range 3 {
			encoded := base64.StdEncoding.EncodeToString([]byte(strings.Repeat(".", offset) + secret))
			if inner := encoded[4 : len(encoded)-4]; strings.Contains(text, inner) {
				t.Errorf("%s shows the %s in base64", name, what)
			}
		}
	}
}
