package server

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"mime"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/getkin/kin-openapi/openapi3"
	"go.opentelemetry.io/otel/trace"

	"github.com/weft-flow/weft/arazzo/source"
	"github.com/weft-flow/weft/executor"
	"github.com/weft-flow/weft/executor/channel"
	"github.com/weft-flow/weft/executor/durable"
	"github.com/weft-flow/weft/idempotency"
)

const shopAPI = `
openapi: 3.1.0
info: {title: Shop, version: "1"}
servers: [{url: BASE}]
paths:
  /orders:
    post:
      operationId: createOrder
      requestBody: {content: {application/json: {schema: {type: object}}}}
      responses: {"201": {description: created}}
  /quick:
    get: {operationId: quick, responses: {"200": {description: ok}}}
webhooks:
  paid:
    post:
      operationId: paid
      requestBody: {content: {application/json: {schema: {type: object}}}}
      responses: {"202": {description: taken}}
  shipped:
    post:
      operationId: shipped
      requestBody: {content: {application/json: {schema: {type: object}}}}
      responses: {"202": {description: taken}}
`

const shopFlow = `
arazzo: 1.1.0
info: {title: Shop, version: "1"}
sourceDescriptions: [{name: shop, url: shop.openapi.yaml, type: openapi}]
workflows:
- workflowId: look
  inputs: {type: object, properties: {ref: {type: string}}}
  steps:
  - {stepId: look, operationId: quick, outputs: {seen: $response.body#/seen}}
  outputs: {seen: $steps.look.outputs.seen}
- workflowId: order
  inputs: {type: object, properties: {ref: {type: string}}, required: [ref]}
  steps:
  - {stepId: create, operationId: createOrder, requestBody: {contentType: application/json, payload: {ref: $inputs.ref}}}
- workflowId: wait
  inputs: {type: object, properties: {ref: {type: string}}, required: [ref]}
  steps:
  - {stepId: paid, operationId: paid, action: receive, correlationId: $inputs.ref, timeout: 600000, x-weft-correlation: $message.payload#/ref}
- workflowId: waitTwice
  inputs: {type: object, properties: {ref: {type: string}}, required: [ref]}
  steps:
  - {stepId: paid, operationId: paid, action: receive, correlationId: $inputs.ref, timeout: 600000, x-weft-correlation: $message.payload#/ref}
  - {stepId: shipped, operationId: shipped, action: receive, correlationId: $inputs.ref, timeout: 600000, x-weft-correlation: $message.payload#/ref}
- workflowId: secret
  inputs: {type: object, properties: {pin: {type: string, format: password}}}
  steps:
  - {stepId: look, operationId: quick}
`

// stand is a server over a store that drives, with an API for its runs.
type stand struct {
	*testing.T
	dir, url string // of documents, and of the store
	store    *durable.Store
	server   *Server
	base     string
	token    string           // that requests bear; empty: none
	answer   http.HandlerFunc // of the API; nil: 200, or 201 for POST
	broken   bool             // no run can be connected
	tenant   string           // that is configured
	key      string           // that the store encrypts with; empty: none
	mailbox  int              // how many messages a mailbox keeps; 0: the default
	wrap     func(Runs) Runs
	tokens   []Token
	tracer   trace.TracerProvider
	log      bytes.Buffer
	mu       sync.Mutex
	stop     func()
}

// Write takes the log of the server.
func (s *stand) Write(line []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.log.Write(line)
}

func (s *stand) logged() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.log.String()
}

func newStand(t *testing.T, change func(*stand)) *stand {
	t.Helper()
	s := &stand{T: t, dir: t.TempDir(), wrap: func(r Runs) Runs { return r }}
	s.url = "sqlite:" + filepath.Join(s.dir, "weft.db")
	api := httptest.NewServer(http.HandlerFunc(s.serveAPI))
	t.Cleanup(api.Close)
	s.write("shop.openapi.yaml", strings.ReplaceAll(shopAPI, "BASE", api.URL))
	s.write("shop.arazzo.yaml", shopFlow)
	if change != nil {
		change(s)
	}
	s.begin()
	t.Cleanup(func() { s.stop() })
	return s
}

func (s *stand) write(name, text string) {
	s.Helper()
	if err := os.WriteFile(filepath.Join(s.dir, name), []byte(text), 0o600); err != nil {
		s.Fatal(err)
	}
}

func (s *stand) serveAPI(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	answer := s.answer
	s.mu.Unlock()
	switch {
	case answer != nil:
		answer(w, r)
	case r.Method == http.MethodPost:
		w.WriteHeader(http.StatusCreated)
	default:
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprint(w, `{"seen":12345678901234567890.10}`)
	}
}

// begin opens the store and the server, as a process that starts does.
func (s *stand) begin() {
	s.Helper()
	var err error
	s.store, err = durable.Open(s.Context(), s.url, durable.Options{Key: s.key, Poll: 10 * time.Millisecond, Messages: channel.Limits{Mailbox: s.mailbox}, Lease: durable.Lease{Beat: 50 * time.Millisecond, Send: 5 * time.Second, Takeover: 10 * time.Second}})
	if err != nil {
		s.Fatal(err)
	}
	document := s.document("shop.arazzo.yaml")
	s.server, err = New(Options{Runs: s.wrap(s.store), Hub: s.store.Hub(), Documents: []Document{document}, Tokens: s.tokens, MaxBody: 4096, Tracer: s.tracer, Logger: slog.New(slog.NewTextHandler(s, nil))})
	if err != nil {
		s.Fatal(err)
	}
	if err := s.store.Hub().Declare(s.Context(), document.Plan.Mailboxes()); err != nil {
		s.Fatal(err)
	}
	connect := func(context.Context, durable.Definition) (durable.Connection, error) {
		s.mu.Lock()
		defer s.mu.Unlock()
		if s.broken {
			return durable.Connection{}, errors.New("the credentials are missing")
		}
		return durable.Connection{}, nil
	}
	listener, err := Listen("127.0.0.1:0")
	if err != nil {
		s.Fatal(err)
	}
	s.base = listener.URL()
	if err := s.store.Drive(s.Context(), durable.DriveOptions{Connect: connect, BaseURL: s.base, Observer: s.server.Observer()}); err != nil {
		s.Fatal(err)
	}
	listener.Serve(s.server)
	s.stop = sync.OnceFunc(func() {
		s.server.Close()
		ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
		defer cancel()
		if err := errors.Join(listener.Close(ctx), s.store.Close()); err != nil {
			s.Error(err)
		}
	})
}

// restart ends the process, as far as one process can, and begins another.
func (s *stand) restart() {
	s.Helper()
	s.stop()
	s.begin()
}

func (s *stand) document(name string) Document {
	s.Helper()
	file := filepath.Join(s.dir, name)
	bundle, err := durable.Load(s.Context(), file, source.Options{})
	if err != nil {
		s.Fatal(err)
	}
	loader := source.NewLoader(source.Options{})
	model, location, _, err := loader.LoadDocument(s.Context(), file)
	if err != nil {
		s.Fatal(err)
	}
	set, problems := loader.Load(s.Context(), model, location)
	if len(problems) > 0 {
		s.Fatal(problems)
	}
	config := executor.Config{Timeout: executor.NoTimeout, Tenant: s.tenant}
	plan, refusals := executor.Compile(set, nil, config)
	if len(refusals) > 0 {
		s.Fatal(refusals)
	}
	return Document{Name: filepath.ToSlash(file), Bundle: bundle, Config: config, Plan: plan}
}

// with sets what others read meanwhile.
func (s *stand) with(change func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	change()
}

// reply is an answer of the server, which was held against its description.
type reply struct {
	*http.Response
	body []byte
}

// json reads a member, by the names on the way to it.
func (r reply) json(path ...string) any {
	var v any
	_ = json.Unmarshal(r.body, &v)
	for _, name := range path {
		object, _ := v.(map[string]any)
		v = object[name]
	}
	return v
}

func (r reply) text(path ...string) string { return fmt.Sprint(r.json(path...)) }

// do makes a request; fields are names and values of its header.
func (s *stand) do(method, target, body string, fields ...string) reply {
	s.Helper()
	request, err := http.NewRequestWithContext(s.Context(), method, s.base+target, strings.NewReader(body))
	if err != nil {
		s.Fatal(err)
	}
	if s.token != "" {
		request.Header.Set("Authorization", "Bearer "+s.token)
	}
	if body != "" {
		request.Header.Set("Content-Type", "application/json")
	}
	for i := 0; i+1 < len(fields); i += 2 {
		if fields[i] == "Host" {
			request.Host = fields[i+1]
			continue
		}
		request.Header.Set(fields[i], fields[i+1])
	}
	response, err := http.DefaultTransport.RoundTrip(request)
	if err != nil {
		s.Fatal(err)
	}
	defer response.Body.Close()
	answer := reply{Response: response}
	if answer.body, err = io.ReadAll(response.Body); err != nil {
		s.Fatal(err)
	}
	checkAnswer(s, method, request.URL.EscapedPath(), answer)
	return answer
}

// want makes a request and demands a status.
func (s *stand) want(status int, method, target, body string, fields ...string) reply {
	s.Helper()
	answer := s.do(method, target, body, fields...)
	if answer.StatusCode != status {
		s.Fatalf("%s %s %s: %d, want %d: %s", method, target, body, answer.StatusCode, status, answer.body)
	}
	return answer
}

// startBody gives the body of a start of one workflow; more are further members.
func startBody(workflow, ref string, more ...string) string {
	members := append([]string{`"document":"shop.arazzo.yaml"`, `"workflows":["` + workflow + `"]`}, more...)
	if ref != "" {
		members = append(members, `"inputs":{"ref":"`+ref+`"}`)
	}
	return "{" + strings.Join(members, ",") + "}"
}

// start starts a run of a workflow.
func (s *stand) start(workflow, ref string, more ...string) string {
	s.Helper()
	return s.want(201, "POST", "/v1/runs", startBody(workflow, ref, more...)).text("run")
}

// until asks for a run until it is as it should be.
func (s *stand) until(run string, is func(durable.Detail) bool) durable.Detail {
	s.Helper()
	ctx, cancel := context.WithTimeout(s.Context(), 20*time.Second)
	defer cancel()
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for {
		d, err := s.store.Show(ctx, run)
		if err != nil {
			s.Fatal(err)
		}
		if is(d) {
			return d
		}
		select {
		case <-ctx.Done():
			s.Fatalf("the run never is as it should be: %+v", d)
		case <-tick.C:
		}
	}
}

// forget removes the data of a run that has ended.
func (s *stand) forget(run string) {
	s.Helper()
	s.until(run, func(d durable.Detail) bool { return d.State == idempotency.Ended })
	for range 1000 { // the journal may still be at work on the end of the run
		forgotten, err := s.store.Forget(s.Context(), 0, 10)
		if err != nil {
			s.Fatal(err)
		}
		if forgotten > 0 {
			return
		}
	}
	s.Fatal("the run cannot be forgotten")
}

// untilWaiting waits until a run waits for a message.
func (s *stand) untilWaiting(run string) {
	s.Helper()
	s.until(run, func(d durable.Detail) bool { return d.Waiting != nil && d.Waiting.Inbox })
}

// untilEnded waits for the end of a run, and demands how it ends.
func (s *stand) untilEnded(run, status string) reply {
	s.Helper()
	answer := s.want(200, "GET", "/v1/runs/"+run+"/result", "", "Prefer", "wait=20")
	if got := answer.text("status"); got != status {
		s.Fatalf("the run is %s, want %s: %s", got, status, answer.body)
	}
	return answer
}

var described = sync.OnceValues(func() (*openapi3.T, error) { return openapi3.NewLoader().LoadFromData(Description) })

// describedOperation finds the operation of a request.
func describedOperation(t testing.TB, method, path string) *openapi3.Operation {
	t.Helper()
	d, err := described()
	if err != nil {
		t.Fatal(err)
	}
	mux := http.NewServeMux()
	for pattern := range d.Paths.Map() {
		mux.Handle(pattern, http.NotFoundHandler())
	}
	_, pattern := mux.Handler(httptest.NewRequest(method, path, nil))
	item := d.Paths.Find(pattern)
	if pattern == "" || item == nil {
		return nil
	}
	return item.GetOperation(method)
}

// checkAnswer holds an answer against its description.
func checkAnswer(t testing.TB, method, path string, answer reply) {
	t.Helper()
	if answer.StatusCode >= 300 && answer.StatusCode < 400 {
		t.Fatalf("%s %s: redirected", method, path)
	}
	if answer.StatusCode >= 400 && !strings.HasPrefix(path, "/webhooks/") && answer.Header.Get("Content-Type") != "application/problem+json" {
		t.Fatalf("%s %s: %d is no problem but %s", method, path, answer.StatusCode, answer.Header.Get("Content-Type"))
	}
	operation := describedOperation(t, method, path)
	if operation == nil {
		return // not of the API
	}
	of := operation.Responses.Status(answer.StatusCode)
	if of == nil {
		of = operation.Responses.Default()
		if answer.StatusCode < 400 {
			t.Fatalf("%s %s: %d is not described", method, path, answer.StatusCode)
		}
	}
	for name, header := range of.Value.Headers {
		if header.Value.Required && answer.Header.Get(name) == "" {
			t.Fatalf("%s %s: %d has no %s", method, path, answer.StatusCode, name)
		}
	}
	if len(of.Value.Content) == 0 {
		if len(answer.body) > 0 {
			t.Fatalf("%s %s: %d has a body that is not described", method, path, answer.StatusCode)
		}
		return
	}
	media, _, err := mime.ParseMediaType(answer.Header.Get("Content-Type"))
	content := of.Value.Content[media]
	if err != nil || content == nil {
		t.Fatalf("%s %s: %d comes as %q, which is not described", method, path, answer.StatusCode, media)
	}
	if !strings.HasSuffix(media, "json") {
		return
	}
	decoder := json.NewDecoder(bytes.NewReader(answer.body))
	var body any
	if err := decoder.Decode(&body); err != nil {
		t.Fatalf("%s %s: %v in %s", method, path, err, answer.body)
	}
	if err := content.Schema.Value.VisitJSON(body, openapi3.EnableJSONSchema2020(), openapi3.EnableFormatValidation()); err != nil {
		t.Fatalf("%s %s: %d is not as described: %v\n%s", method, path, answer.StatusCode, err, answer.body)
	}
}
