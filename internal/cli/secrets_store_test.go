package cli_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/weft-flow/weft/internal/cli"
)

// storedAPI is what the runs that are kept have beside secretsAPI: a payment that is never
// answered, and the message about it.
const storedAPI = `
webhooks:
  paid: {post: {operationId: paid, requestBody: {content: {application/json: {schema: {type: object}}}}, responses: {"202": {description: taken}}}}
`

const storedFlow = `
arazzo: 1.1.0
info: {title: t, version: "1"}
sourceDescriptions: [{name: api, url: api.yaml, type: openapi}]
workflows:
- workflowId: buy
  inputs: {type: object, properties: {ref: {type: string}, pin: {type: string, format: password}}}
  x-weft-states: {initial: NEW, terminal: [DONE], transitions: {NEW: [DONE]}}
  steps:
  - stepId: pay
    operationId: pay
    requestBody: {contentType: application/json, payload: {ref: $inputs.ref, pin: $inputs.pin}}
    outputs: {payment: $response.body#/payment}
    onFailure: [{name: see, type: goto, stepId: wait}]
  - stepId: wait
    operationId: paid
    action: receive
    correlationId: $inputs.ref
    timeout: 600000
    outputs: {all: $message.payload, echo: $message.header.X-Echo}
    x-weft-correlation: $message.payload#/ref
  - {stepId: echo, operationId: header, requestBody: {contentType: application/json, payload: {pin: $inputs.pin, payment: $steps.pay.outputs.payment, all: $steps.wait.outputs.all}}, outputs: {echo: $response.body#/echo}}
  - {stepId: fail, operationId: query, successCriteria: [{condition: "$inputs.pin == 'no'"}], x-weft-state: DONE}
  outputs: {payment: $steps.pay.outputs.payment, all: $steps.wait.outputs.all}
`

// traces takes what a process exports.
type traces struct {
	mu  sync.Mutex
	got bytes.Buffer
}

func (c *traces) ServeHTTP(_ http.ResponseWriter, r *http.Request) {
	c.mu.Lock()
	defer c.mu.Unlock()
	_, _ = io.Copy(&c.got, r.Body)
}

// answers gives the text of an answer, whatever its status.
func (p *process) answers(method, path, body string, fields ...string) string {
	p.Helper()
	request, err := http.NewRequestWithContext(p.Context(), method, p.base+path, strings.NewReader(body))
	if err != nil {
		p.Fatal(err)
	}
	request.Header.Set("Content-Type", "application/json")
	for i := 0; i+1 < len(fields); i += 2 {
		request.Header.Set(fields[i], fields[i+1])
	}
	response, err := http.DefaultTransport.RoundTrip(request)
	if err != nil {
		p.Fatal(err)
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		p.Fatal(err)
	}
	return fmt.Sprint(response.Status, response.Header, string(text))
}

// TestPlantedSecretsOccurInNoStore: not in the database, the log, the traces, the metrics and
// the answers of weft serve, nor in what weft runs tells: whatever a server echoes or a
// message says, what fails, and what an operator tells.
func TestPlantedSecretsOccurInNoStore(t *testing.T) {
	const key, opaque = "a store key that nobody guesses", "nobody-knows-that-this-is-secret"
	t.Setenv("WEFT_STORE_KEY", key)
	s := newShop(t)
	_, base := start(t, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/pay" {
			panic(http.ErrAbortHandler)
		}
		echoing(w, r)
	})
	collector := &traces{}
	exported := httptest.NewServer(collector)
	defer exported.Close()
	pay := "  /pay: {post: {operationId: pay, security: [{bearer: []}], requestBody: {content: {application/json: {}}}, responses: {\"200\": {description: ok, content: {application/json: {schema: {type: object}}}}}}}\ncomponents:"
	s.write("secret/api.yaml", strings.Replace(strings.ReplaceAll(secretsAPI, "BASE", base), "components:", pay, 1)+storedAPI)
	s.write("secret/flow.arazzo.yaml", secretsFlow)
	s.write("secret/buy.arazzo.yaml", storedFlow)
	s.write("secret/weft.yaml", secretsConfig(base))
	store := "sqlite:" + filepath.Join(s.dir, "weft.db")
	p := s.serve([]string{
		"OTEL_EXPORTER_OTLP_ENDPOINT=" + exported.URL, "OTEL_EXPORTER_OTLP_COMPRESSION=none",
		"PLANTED_HEADER=" + secrets["fixed header"], "WEFT_STORE_KEY=" + key,
	}, "--store", store, "--log-level", "debug", "secret")
	outputs := map[string]string{}

	inputs := strings.ReplaceAll(inputsWithSecrets(t), "${ENV:PLANTED}", "plain")
	all := p.do(201, "POST", "/v1/runs", `{"document":"flow.arazzo.yaml","inputs":`+inputs+`}`)["run"].(string)
	p.untilEnded(all, "failed")
	pin, err := json.Marshal(secrets["input"])
	if err != nil {
		t.Fatal(err)
	}
	buy := p.do(201, "POST", "/v1/runs", `{"document":"buy.arazzo.yaml","token":"o-1","minRetention":"1h","inputs":{"ref":"o-1","pin":`+string(pin)+`}}`)["run"].(string)
	p.untilWaiting(buy)
	outputs["settle"] = settleWithSecret(t, s, store, buy)
	p.until("the settlement is taken up", func() bool { return strings.Contains(p.answers("GET", "/v1/runs/"+buy, ""), "takenUp") }, func() any { return p.show(buy) })
	message := func(ref string) string {
		return `{"ref":"` + ref + `","session":"` + opaque + `","token":` + string(pin) + `}`
	}
	p.do(202, "POST", "/webhooks/api/paid", message("o-1"), "X-Echo", secrets["bearer token"], "webhook-id", "m1")
	p.do(202, "POST", "/webhooks/api/paid", message("nobody"), "X-Echo", secrets["bearer token"], "webhook-id", "m2")
	p.untilEnded(buy, "failed")

	for _, path := range []string{"/v1/runs", "/v1/unmatched", "/metrics", "/readyz", "/v1/documents"} {
		outputs["GET "+path] = p.answers("GET", path, "")
	}
	for name, run := range map[string]string{"all": all, "buy": buy} {
		for _, part := range []string{"", "/result", "/events"} {
			outputs["GET "+part+" of "+name] = p.answers("GET", "/v1/runs/"+run+part, "", "Accept", "application/json")
		}
		outputs["runs show "+name] = tells(t, "runs", "show", "--store", store, run) + tells(t, "runs", "show", "--json", "--store", store, run)
	}
	outputs["runs list"] = tells(t, "runs", "list", "--store", store) + tells(t, "runs", "unmatched", "--store", store)
	outputs["inputs that are refused"] = p.answers("POST", "/v1/runs", `{"document":"buy.arazzo.yaml","inputs":{"ref":"o-2","pin":{"a":`+string(pin)+`}}}`) +
		p.answers("POST", "/v1/runs", `{"document":"buy.arazzo.yaml","token":"o-1","inputs":{"ref":"o-2","pin":`+string(pin)+`}}`)
	t.Setenv("WEFT_STORE_KEY", "")
	if blind := tells(t, "runs", "show", "--store", store, buy); strings.Contains(blind, "POST") || !strings.Contains(blind, "are not shown") {
		t.Errorf("without the key: %s", blind)
	}
	refused(t, "WEFT_STORE_KEY", "runs", "settle", "--store", store, buy, "--step", "pay", "--outcome", "failed")
	p.terminate()
	if err := p.cmd.Wait(); err != nil {
		t.Fatalf("%v: %s", err, p.stderr.String())
	}
	outputs["log"] = p.stderr.String()
	collector.mu.Lock()
	outputs["traces"] = collector.got.String()
	collector.mu.Unlock()
	files, err := filepath.Glob(filepath.Join(s.dir, "weft.db*"))
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	for _, file := range files {
		outputs[filepath.Base(file)] = readFile(t, file)
	}
	for name, text := range outputs {
		findSecrets(t, name, text)
		if strings.HasPrefix(name, "weft.db") && strings.Contains(text, opaque) {
			t.Errorf("%s shows what came in a message", name)
		}
	}
	for name, shows := range map[string]string{"log": "level=", "traces": "POST /v1/runs", "weft.db": "buy.arazzo.yaml", "GET /events of buy": "***", "GET /events of all": "***", "runs show buy": "settled by"} {
		if !strings.Contains(outputs[name], shows) {
			t.Errorf("%s has nothing of %q, so that the test tells nothing: %.300s", name, shows, outputs[name])
		}
	}
}

// settleWithSecret has an operator tell what the payment was answered with: a secret.
func settleWithSecret(t *testing.T, s *shop, store, run string) string {
	t.Helper()
	body, err := json.Marshal(map[string]string{"payment": secrets["input"]})
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(s.dir, "answer.json")
	if err := os.WriteFile(file, body, 0o600); err != nil {
		t.Fatal(err)
	}
	return tells(t, "runs", "settle", "--store", store, run, "--step", "pay", "--outcome", "succeeded", "--operator", "ann", "--response", file)
}

// tells gives what a command writes.
func tells(t *testing.T, args ...string) string {
	t.Helper()
	var out, errs bytes.Buffer
	if code := cli.Run(args, cli.Stdio{In: strings.NewReader(""), Out: &out, Err: &errs}); code != 0 {
		t.Fatalf("%q: exit code %d: %s", args, code, errs.String())
	}
	return out.String() + errs.String()
}
