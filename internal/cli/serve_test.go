package cli_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

const serveAPI = `
openapi: 3.1.0
info: {title: Shop, version: "1"}
servers: [{url: BASE}]
paths:
  /orders:
    post:
      operationId: createOrder
      requestBody: {content: {application/json: {schema: {type: object}}}}
      responses: {"201": {description: created}}
webhooks:
  paid:
    post:
      operationId: paid
      requestBody: {content: {application/json: {schema: {type: object}}}}
      responses: {"202": {description: taken}}
`

const serveFlow = `
arazzo: 1.1.0
info: {title: Shop, version: "1"}
sourceDescriptions: [{name: shop, url: shop.openapi.yaml, type: openapi}]
workflows:
- workflowId: buy
  inputs: {type: object, properties: {ref: {type: string}}, required: [ref]}
  steps:
  - {stepId: create, operationId: createOrder, requestBody: {contentType: application/json, payload: {ref: $inputs.ref}}}
  - {stepId: paid, operationId: paid, action: receive, correlationId: $inputs.ref, timeout: 600000, x-weft-correlation: $message.payload#/ref}
`

// shop is a folder of documents, and the API that they describe.
type shop struct {
	*testing.T
	dir string

	mu     sync.Mutex
	orders map[string]int           // times that an order came, by its reference
	hold   map[string]chan struct{} // orders that wait to be answered
	held   chan string
}

func newShop(t *testing.T) *shop {
	t.Helper()
	s := &shop{T: t, dir: t.TempDir(), orders: map[string]int{}, hold: map[string]chan struct{}{}, held: make(chan string, 10)}
	api := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var order struct{ Ref string }
		if err := json.NewDecoder(r.Body).Decode(&order); err != nil {
			t.Errorf("an order: %v", err)
		}
		s.mu.Lock()
		s.orders[order.Ref]++
		hold := s.hold[order.Ref]
		s.mu.Unlock()
		if hold != nil {
			s.held <- order.Ref
			<-hold
		}
		w.WriteHeader(http.StatusCreated)
	}))
	t.Cleanup(api.Close)
	s.write("flows/shop.openapi.yaml", strings.ReplaceAll(serveAPI, "BASE", api.URL))
	s.write("flows/shop.arazzo.yaml", serveFlow)
	s.write("flows/README.yaml", "not: a document\n")
	return s
}

func (s *shop) write(name, text string) {
	s.Helper()
	path := filepath.Join(s.dir, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		s.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		s.Fatal(err)
	}
}

func (s *shop) times(ref string) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.orders[ref]
}

// process is a weft serve.
type process struct {
	*shop
	cmd    *exec.Cmd
	base   string
	token  string
	stderr lockedBuffer
}

// serve starts weft serve on a free port and waits until it serves.
func (s *shop) serve(environment []string, args ...string) *process {
	s.Helper()
	p := &process{shop: s}
	p.cmd = exec.Command("weft", append([]string{"serve", "--listen", "127.0.0.1:0"}, args...)...)
	p.cmd.Dir, p.cmd.Env, p.cmd.Stderr = s.dir, append(os.Environ(), environment...), &p.stderr
	out, err := p.cmd.StdoutPipe()
	if err != nil {
		s.Fatal(err)
	}
	if err := p.cmd.Start(); err != nil {
		s.Fatal(err)
	}
	s.Cleanup(func() {
		if p.cmd.ProcessState == nil {
			p.kill()
		}
	})
	lines := bufio.NewScanner(out)
	for lines.Scan() {
		if what, url, _ := strings.Cut(lines.Text(), " "); what == "serving" {
			p.base = strings.TrimSpace(url)
			return p
		}
	}
	_ = p.cmd.Wait()
	s.Fatalf("weft serve ends: %s", p.stderr.String())
	return nil
}

// kill ends the process as a crash does.
func (p *process) kill() {
	_ = p.cmd.Process.Kill()
	_ = p.cmd.Wait() // it was killed
}

// terminate asks the process to stop.
func (p *process) terminate() {
	p.Helper()
	if err := p.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		p.Fatal(err)
	}
}

// do makes a request and demands a status.
func (p *process) do(status int, method, path, body string, fields ...string) map[string]any {
	p.Helper()
	request, err := http.NewRequestWithContext(p.Context(), method, p.base+path, strings.NewReader(body))
	if err != nil {
		p.Fatal(err)
	}
	request.Header.Set("Content-Type", "application/json")
	if p.token != "" {
		request.Header.Set("Authorization", "Bearer "+p.token)
	}
	for i := 0; i+1 < len(fields); i += 2 {
		request.Header.Set(fields[i], fields[i+1])
	}
	response, err := http.DefaultTransport.RoundTrip(request)
	if err != nil {
		p.Fatalf("%v; %s", err, p.stderr.String())
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		p.Fatal(err)
	}
	if response.StatusCode != status {
		p.Fatalf("%s %s: %d, want %d: %s", method, path, response.StatusCode, status, text)
	}
	var answer map[string]any
	_ = json.Unmarshal(text, &answer) // messages are answered without a body
	return answer
}

func (p *process) start(ref string) string {
	p.Helper()
	answer := p.do(201, "POST", "/v1/runs", fmt.Sprintf(`{"document":"shop.arazzo.yaml","token":%q,"inputs":{"ref":%q}}`, ref, ref))
	return answer["run"].(string)
}

func (p *process) show(run string) map[string]any {
	p.Helper()
	return p.do(200, "GET", "/v1/runs/"+run, "")
}

// until asks for something until it is so; seen is what was seen last.
func (p *process) until(what string, is func() bool, seen ...func() any) {
	p.Helper()
	ctx, cancel := context.WithTimeout(p.Context(), 30*time.Second)
	defer cancel()
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for !is() {
		select {
		case <-ctx.Done():
			for _, what := range seen {
				p.Log(what())
			}
			p.Fatalf("it never is so that %s; %s", what, p.stderr.String())
		case <-tick.C:
		}
	}
}

func (p *process) untilWaiting(run string) {
	p.Helper()
	var last map[string]any
	p.until("the run waits", func() bool {
		last = p.show(run)
		return last["waiting"] != nil
	}, func() any { return last })
}

func (p *process) untilEnded(run, status string) {
	p.Helper()
	result := p.do(200, "GET", "/v1/runs/"+run+"/result", "", "Prefer", "wait=30")
	if result["status"] != status {
		p.Fatalf("the run is %v, want %s", result, status)
	}
}

// TestServeAfterACrash kills the process in which a run waits, and has its message come
// over HTTP to the next.
func TestServeAfterACrash(t *testing.T) {
	s := newShop(t)
	p := s.serve(nil, "flows")
	run := p.start("o-1")
	p.untilWaiting(run)
	p.kill()
	p = s.serve(nil, "flows")
	p.do(202, "POST", "/webhooks/shop/paid", `{"ref":"o-1"}`)
	p.untilEnded(run, "succeeded")
	if n := s.times("o-1"); n != 1 {
		t.Errorf("the order was sent %d times", n)
	}
	if again := p.start("o-1"); again == run {
		t.Error("a run that has ended holds its token")
	}
}

// TestServeCrashesWithARequestInTheAir kills the process while a request that is unsafe
// to repeat is in the air: nobody sends it again.
func TestServeCrashesWithARequestInTheAir(t *testing.T) {
	s := newShop(t)
	release := make(chan struct{})
	s.hold["o-1"] = release
	p := s.serve(nil, "flows")
	run := p.start("o-1")
	<-s.held
	p.kill()
	close(release)
	p = s.serve(nil, "flows")
	p.untilEnded(run, "unknown")
	if n := s.times("o-1"); n != 1 {
		t.Errorf("the order was sent %d times", n)
	}
	p.do(200, "POST", "/v1/runs/"+run+"/settle", `{"step":"create","outcome":"succeeded"}`)
}

// TestServeStopsGracefully asks the process to stop while a request is in the air: what
// comes of it is recorded, and nothing is sent again.
func TestServeStopsGracefully(t *testing.T) {
	s := newShop(t)
	release := make(chan struct{})
	s.hold["o-1"] = release
	p := s.serve(nil, "flows")
	run := p.start("o-1")
	<-s.held
	response, err := http.Get(p.base + "/v1/runs/" + run + "/events")
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	first := make([]byte, 3)
	if _, err := io.ReadFull(response.Body, first); err != nil || string(first) != "id:" {
		t.Fatalf("a stream begins with %q, %v", first, err)
	}
	p.terminate()
	close(release)
	if err := p.cmd.Wait(); err != nil {
		t.Fatalf("%v: %s", err, p.stderr.String())
	}
	if _, err := io.Copy(io.Discard, response.Body); err != nil {
		t.Errorf("the stream was broken off: %v", err)
	}
	p = s.serve(nil, "flows")
	p.untilWaiting(run)
	p.do(202, "POST", "/webhooks/shop/paid", `{"ref":"o-1"}`)
	p.untilEnded(run, "succeeded")
	if n := s.times("o-1"); n != 1 {
		t.Errorf("the order was sent %d times", n)
	}
}

// TestServeStopsInTime asks a process to stop to which a server never answers and whose
// caller never sends the rest: it ends in the time that it was given. What was in the air
// is not sent again; what waited goes on to wait.
func TestServeStopsInTime(t *testing.T) {
	s := newShop(t)
	release := make(chan struct{})
	defer close(release)
	s.hold["o-1"] = release
	p := s.serve(nil, "--stop-timeout", "1s", "flows")
	waits := p.start("o-2")
	p.untilWaiting(waits)
	hangs := p.start("o-1")
	<-s.held
	caller, err := net.Dial("tcp", strings.TrimPrefix(p.base, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	defer caller.Close()
	if _, err := io.WriteString(caller, "POST /v1/runs HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{"); err != nil {
		t.Fatal(err)
	}
	p.do(200, "GET", "/healthz", "") // by now the other request is being read
	asked := time.Now()
	p.terminate()
	if err := p.cmd.Wait(); err != nil {
		t.Fatalf("%v: %s", err, p.stderr.String())
	}
	if took := time.Since(asked); took > 8*time.Second {
		t.Errorf("it took %v to stop", took)
	}
	if told := p.stderr.String(); !strings.Contains(told, "its outcome is not recorded") || !strings.Contains(told, hangs) {
		t.Errorf("the log says:\n%s", told)
	}
	p = s.serve(nil, "flows")
	p.untilEnded(hangs, "unknown")
	p.untilWaiting(waits)
	if n := s.times("o-1") + s.times("o-2"); n != 2 {
		t.Errorf("2 orders were sent %d times", n)
	}
}

// lockedBuffer is what a process writes, which may be read while it does.
type lockedBuffer struct {
	mu     sync.Mutex
	buffer bytes.Buffer
}

// Write takes what the process writes (io.Writer).
func (b *lockedBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.buffer.Write(p)
}

// String gives all that was written so far.
func (b *lockedBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.buffer.String()
}

// TestServeTakesTokens serves with the tokens of weft.yaml, also beyond this machine.
func TestServeTakesTokens(t *testing.T) {
	s := newShop(t)
	s.write("flows/weft.yaml", "serve:\n  tokens:\n  - {name: shop, token: '${ENV:SHOP_TOKEN}', tenant: shop, rights: [start, read]}\n")
	p := s.serve([]string{"SHOP_TOKEN=0123456789abcdef"}, "--listen", "0.0.0.0:0", "flows")
	p.do(401, "POST", "/v1/runs", "{}")
	p.token = "0123456789abcdef"
	run := p.start("o-1")
	p.untilWaiting(run)
	if p.show(run)["tenant"] != "shop" {
		t.Errorf("the run is %v", p.show(run))
	}
	p.do(403, "POST", "/v1/runs/"+run+"/cancel", "")
	if strings.Contains(p.stderr.String(), p.token) {
		t.Error("the token is in the log")
	}
}

// TestServeExportsTraces has a collector that OTLP/HTTP is sent to.
func TestServeExportsTraces(t *testing.T) {
	var mu sync.Mutex
	var got bytes.Buffer
	collector := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		if r.Method == http.MethodPost && r.URL.Path == "/v1/traces" {
			_, _ = io.Copy(&got, r.Body)
		}
	}))
	defer collector.Close()
	s := newShop(t)
	p := s.serve([]string{"OTEL_EXPORTER_OTLP_ENDPOINT=" + collector.URL, "OTEL_EXPORTER_OTLP_COMPRESSION=none"}, "flows")
	p.do(200, "GET", "/v1/runs", "")
	p.terminate()
	if err := p.cmd.Wait(); err != nil {
		t.Fatalf("%v: %s", err, p.stderr.String())
	}
	mu.Lock()
	defer mu.Unlock()
	for _, want := range []string{"GET /v1/runs", "service.name", "weft"} {
		if !strings.Contains(got.String(), want) {
			t.Errorf("the collector got nothing of %q in %d bytes", want, got.Len())
		}
	}
}

// TestTwoServesOnOneStore kills one of two nodes: the other ends all of its runs.
func TestTwoServesOnOneStore(t *testing.T) {
	for name, store := range serveStores(t) {
		t.Run(name, func(t *testing.T) {
			s := newShop(t)
			first := s.serve(nil, "--store", store, "flows")
			second := s.serve(nil, "--store", store, "flows")
			runs := map[string]string{}
			for i := range 6 {
				ref := fmt.Sprintf("o-%d", i)
				runs[ref] = first.start(ref)
			}
			for _, run := range runs {
				second.untilWaiting(run)
			}
			killed := time.Now()
			first.kill()
			for ref, run := range runs {
				second.do(202, "POST", "/webhooks/shop/paid", fmt.Sprintf(`{"ref":%q}`, ref))
				second.untilEnded(run, "succeeded")
				if n := s.times(ref); n != 1 {
					t.Errorf("%s was sent %d times", ref, n)
				}
			}
			if took := time.Since(killed); took > 20*time.Second {
				t.Errorf("it took %v to take over", took)
			}
		})
	}
}

// TestServeKnowsTheOutside serves behind another address, messages that are signed.
func TestServeKnowsTheOutside(t *testing.T) {
	s := newShop(t)
	s.write("flows/weft.yaml", "sources: {shop: {webhooks: {secrets: ['${ENV:SHOP_SECRET}']}}}\n")
	p := s.serve([]string{"SHOP_SECRET=0123456789abcdef"}, "--callback-url", "https://hooks.example.com/weft/", "flows")
	run := p.start("o-1")
	p.untilWaiting(run)
	page := p.do(200, "GET", "/v1/runs/"+run+"/events", "", "Accept", "application/json")
	addresses := 0
	for _, e := range page["events"].([]any) {
		if e := e.(map[string]any); e["type"] == "messageAwaited" {
			addresses++
			if got := e["detail"].(map[string]any)["address"]; got != "https://hooks.example.com/weft/webhooks/shop/paid" {
				t.Errorf("messages are awaited at %v", got)
			}
		}
	}
	if addresses != 1 {
		t.Errorf("%d waits are told", addresses)
	}
	p.do(401, "POST", "/webhooks/shop/paid", `{"ref":"o-1"}`)
	s.write("others/other.openapi.yaml", strings.ReplaceAll(serveAPI, "BASE", "http://127.0.0.1:1"))
	s.write("others/other.arazzo.yaml", strings.ReplaceAll(strings.ReplaceAll(serveFlow, "shop.openapi", "other.openapi"), "name: shop", "name: other"))
	if other := s.serve(nil, "others"); other.do(503, "POST", "/webhooks/shop/paid", `{"ref":"o-1"}`)["type"] != "urn:weft:message:secret-missing" {
		t.Error("a process that shares the store takes what is not signed")
	}
	p.do(202, "POST", "/v1/runs/"+run+"/messages", `{"ref":"o-1"}`)
	p.untilEnded(run, "succeeded")
}

// TestStatement15AcrossServes starts one thing many times at once in two processes.
func TestStatement15AcrossServes(t *testing.T) {
	for name, store := range serveStores(t) {
		t.Run(name, func(t *testing.T) {
			s := newShop(t)
			nodes := []*process{s.serve(nil, "--store", store, "flows"), s.serve(nil, "--store", store, "flows")}
			const body = `{"document":"shop.arazzo.yaml","token":"o-1","inputs":{"ref":"o-1"}}`
			var mu sync.Mutex
			answers := map[string]int{}
			var group sync.WaitGroup
			for i := range 32 {
				group.Go(func() {
					response, err := http.Post(nodes[i%2].base+"/v1/runs", "application/json", strings.NewReader(body))
					if err != nil {
						t.Error(err)
						return
					}
					defer response.Body.Close()
					var answer struct {
						Run    string
						Joined bool
					}
					if err := json.NewDecoder(response.Body).Decode(&answer); err != nil {
						t.Error(err)
					}
					mu.Lock()
					defer mu.Unlock()
					answers[fmt.Sprintf("%d joined %v", response.StatusCode, answer.Joined)]++
					answers[answer.Run]++
				})
			}
			group.Wait()
			if answers["201 joined false"] != 1 || answers["200 joined true"] != 31 || len(answers) != 3 {
				t.Fatalf("the answers are %v", answers)
			}
			run := nodes[0].do(200, "GET", "/v1/runs?token=o-1", "")["runs"].([]any)[0].(map[string]any)["run"].(string)
			nodes[1].untilWaiting(run)
			nodes[0].do(202, "POST", "/webhooks/shop/paid", `{"ref":"o-1"}`)
			nodes[1].untilEnded(run, "succeeded")
			if n := s.times("o-1"); n != 1 {
				t.Errorf("the order was sent %d times", n)
			}
		})
	}
}
