package live_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"runtime"
	"runtime/metrics"
	"sync"
	"testing"
	"time"

	"github.com/weft-flow/weft/arazzo/value"
	"github.com/weft-flow/weft/executor"
	"github.com/weft-flow/weft/executor/live"
)

const manyAPI = `
openapi: 3.1.0
info: {title: m, version: "1"}
paths:
  /orders:
    post:
      operationId: create
      parameters: [{name: Idempotency-Key, in: header, schema: {type: string}}]
      requestBody: {content: {application/json: {schema: {type: object, properties: {ref: {type: string}}}}}}
      responses: {"201": {description: created, content: {application/json: {schema: {type: object}}}}}
  /orders/{id}:
    get:
      operationId: read
      parameters: [{name: id, in: path, required: true, schema: {type: string}}]
      responses: {"200": {description: ok, content: {application/json: {schema: {type: object}}}}}
`

// manyFlow makes an order, which fails once, reads it in a loop, and gives back what
// it learned: by every means that hold state in a run.
const manyFlow = `
arazzo: 1.1.0
info: {title: m, version: "1"}
sourceDescriptions: [{name: api, url: api.yaml, type: openapi}]
workflows:
- workflowId: w
  inputs: {type: object, required: [ref], properties: {ref: {type: string}, secret: {type: string, format: password}}}
  steps:
  - stepId: create
    operationId: create
    requestBody: {contentType: application/json, payload: {ref: $inputs.ref}}
    successCriteria: [{condition: $statusCode == 201}]
    outputs: {id: $response.body#/id, key: $request.header.Idempotency-Key}
    onFailure: [{name: again, type: retry, retryLimit: 2}]
  - stepId: read
    operationId: read
    parameters: [{name: id, in: path, value: $steps.create.outputs.id}]
    successCriteria:
    - {context: $response.body, type: jsonpath, condition: "$[?@ == '{$inputs.ref}']"}
    outputs: {ref: $response.body#/ref, turn: $response.body#/turn}
    onSuccess: [{name: on, type: goto, stepId: read, criteria: [{condition: $response.body#/turn < 5}]}]
  - stepId: nested
    workflowId: inner
    parameters: [{name: ref, value: $inputs.ref}, {name: id, value: $steps.create.outputs.id}]
    outputs: {ref: $outputs.ref}
  outputs: {ref: $steps.read.outputs.ref, turn: $steps.read.outputs.turn, key: $steps.create.outputs.key, nested: $steps.nested.outputs.ref}
- workflowId: inner
  inputs: {type: object, properties: {ref: {type: string}, id: {type: string}}}
  steps:
  - stepId: read
    operationId: read
    parameters: [{name: id, in: path, value: $inputs.id}]
    successCriteria: [{context: $response.body#/ref, type: regex, condition: "^{$inputs.ref}$"}]
    outputs: {ref: $response.body#/ref}
  outputs: {ref: $steps.read.outputs.ref}
`

// manyServer keeps orders by their keys; the first request with a key is answered
// with 503.
type manyServer struct {
	mu     sync.Mutex
	tries  map[string]int // by key
	refs   map[string]string
	turns  map[string]int
	faults []string
}

func (s *manyServer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	w.Header().Set("Content-Type", "application/json")
	if r.Method == http.MethodPost {
		s.create(w, r)
		return
	}
	id := r.URL.Path[len("/orders/"):]
	s.turns[id]++
	fmt.Fprintf(w, `{"ref":%q,"turn":%d}`, s.refs[id], s.turns[id])
}

func (s *manyServer) create(w http.ResponseWriter, r *http.Request) {
	var order struct{ Ref string }
	_ = json.NewDecoder(r.Body).Decode(&order)
	key := r.Header.Get("Idempotency-Key")
	id := "order-of-" + key
	if known, ok := s.refs[id]; ok && known != order.Ref {
		s.faults = append(s.faults, fmt.Sprintf("key %s came with %s and with %s", key, known, order.Ref))
	}
	s.refs[id] = order.Ref
	if s.tries[key]++; s.tries[key] == 1 {
		w.Header().Set("Retry-After", "0")
		w.WriteHeader(http.StatusServiceUnavailable)
		return
	}
	w.WriteHeader(http.StatusCreated)
	fmt.Fprintf(w, `{"id":%q}`, id)
}

// TestOnePlanInManyRunsAtOnce: a compiled plan is shared by 200 runs, which have keys
// of their own and see nothing of each other.
func TestOnePlanInManyRunsAtOnce(t *testing.T) {
	const runs = 200
	s := &manyServer{tries: map[string]int{}, refs: map[string]string{}, turns: map[string]int{}}
	server := httptest.NewServer(s)
	defer server.Close()
	plan := compileWith(t, manyAPI, manyFlow, executor.Config{Servers: map[string]string{"": server.URL}})
	shared := live.New(live.Options{Budget: endlessBudget()})
	defer shared.Close()

	grown := watchHeap()
	var wait sync.WaitGroup
	results := make([]executor.Result, runs)
	for i := range runs {
		wait.Go(func() {
			ref := fmt.Sprintf("ref-%03d", i)
			sink := &oneRun{}
			result, err := plan.Run(t.Context(), shared, executor.Start{Sink: sink, Inputs: value.Object(
				value.Member{Name: "ref", Value: value.String(ref)}, value.Member{Name: "secret", Value: value.String("secret-" + ref)})})
			if err != nil {
				t.Errorf("run %d: %v", i, err)
			}
			if sink.fault != "" {
				t.Errorf("run %d: %s", i, sink.fault)
			}
			results[i] = result
		})
	}
	wait.Wait()
	t.Logf("%d runs at once: heap +%d KiB, %d KiB a run", runs, grown()>>10, grown()>>10/runs)

	keys, ids := map[string]bool{}, map[string]bool{}
	for i, result := range results {
		ref := fmt.Sprintf("ref-%03d", i)
		if result.Status != executor.Succeeded || result.Counts.Requests != 8 {
			t.Fatalf("run %d ended as %s (%s) after %d requests", i, result.Status, result.Reason, result.Counts.Requests)
		}
		outputs := result.Workflows[0].Outputs
		if outputs.Get("ref").Text() != ref || outputs.Get("nested").Text() != ref || outputs.Get("turn").Text() != "5" {
			t.Errorf("run %d has the outputs %s", i, outputs)
		}
		keys[outputs.Get("key").Text()], ids[result.Run] = true, true
	}
	if len(keys) != runs || len(ids) != runs || len(s.tries) != runs {
		t.Errorf("%d keys, %d of them seen by the server, and %d ids for %d runs", len(keys), len(s.tries), len(ids), runs)
	}
	for _, fault := range s.faults {
		t.Error(fault)
	}
}

// oneRun holds that a stream of events is of one run, in order, and complete.
type oneRun struct {
	id    string
	last  int
	fault string
}

func (s *oneRun) Write(e executor.Event) error {
	if s.last++; e.Sequence != s.last || s.id != "" && e.Run != s.id {
		s.fault = fmt.Sprintf("event %d of run %s came as number %d of run %s", e.Sequence, e.Run, s.last, s.id)
	}
	s.id = e.Run
	return nil
}

// BenchmarkManyRunsAtOnce runs one plan 200 times at once and reports runs a second
// and by how much the heap grew at its highest.
func BenchmarkManyRunsAtOnce(b *testing.B) {
	const runs = 200
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(http.StatusCreated)
		_, _ = io.WriteString(w, `{"id":"o-1","more":true}`)
	}))
	defer server.Close()
	plan := compileWith(b, benchAPI, benchFlow, executor.Config{Servers: map[string]string{"": server.URL}, MaxSteps: 20})
	shared := live.New(live.Options{})
	defer shared.Close()
	highest := uint64(0)
	for b.Loop() {
		grown := watchHeap()
		var wait sync.WaitGroup
		for range runs {
			wait.Go(func() {
				if result, err := plan.Run(b.Context(), shared, executor.Start{}); err != nil || result.Counts.Requests != 20 {
					b.Errorf("%+v, %v", result, err)
				}
			})
		}
		wait.Wait()
		highest = max(highest, grown())
	}
	b.ReportMetric(float64(runs*b.N)/b.Elapsed().Seconds(), "runs/s")
	b.ReportMetric(float64(highest)/runs/1024, "peak-KiB/run")
}

// watchHeap looks at the heap every few milliseconds until it is asked how far it
// grew, what the collector has not freed yet included.
func watchHeap() (grown func() uint64) {
	heap := func() uint64 {
		sample := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}}
		metrics.Read(sample)
		return sample[0].Value.Uint64()
	}
	runtime.GC()
	before, peak := heap(), uint64(0)
	done, ended := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		tick := time.NewTicker(2 * time.Millisecond)
		defer tick.Stop()
		for {
			peak = max(peak, heap())
			select {
			case <-done:
				return
			case <-tick.C:
			}
		}
	}()
	return sync.OnceValue(func() uint64 {
		close(done)
		<-ended
		return max(peak, before) - before
	})
}
