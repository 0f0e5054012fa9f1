package live_test

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/weft-flow/weft/executor"
	"github.com/weft-flow/weft/executor/live"
)

const benchAPI = `
openapi: 3.1.0
info: {title: b, version: "1"}
paths:
  /orders:
    post:
      operationId: create
      parameters: [{name: Idempotency-Key, in: header, schema: {type: string}}]
      requestBody: {content: {application/json: {schema: {type: object}}}}
      responses: {"201": {description: created}}
`

const benchFlow = `
arazzo: 1.1.0
info: {title: b, version: "1"}
sourceDescriptions: [{name: api, url: api.yaml, type: openapi}]
workflows:
- workflowId: w
  steps:
  - stepId: s
    operationId: create
    requestBody: {contentType: application/json, payload: {sku: TEA, quantity: 2}}
    successCriteria: [{condition: $statusCode == 201}]
    outputs: {id: $response.body#/id}
    onSuccess: [{name: again, type: goto, stepId: s, criteria: [{condition: "$response.body#/more == true"}]}]
`

// BenchmarkStepBesideNetHTTP makes keyed POSTs to a loopback server by the
// interpreter, in a loop of 1000 turns and in 1000 steps that are written out, and
// by bare net/http, in turn, and reports the share of the rate that is kept.
func BenchmarkStepBesideNetHTTP(b *testing.B) {
	const requests = 1000
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(http.StatusCreated)
		_, _ = io.WriteString(w, `{"id":"o-1","more":true}`)
	}))
	defer server.Close()
	for name, flow := range map[string]string{"loop": benchFlow, "unrolled": unrolled(requests)} {
		b.Run(name, func(b *testing.B) {
			plan := compileWith(b, benchAPI, flow, executor.Config{Servers: map[string]string{"": server.URL}, MaxSteps: requests})
			besideNetHTTP(b, plan, server.URL, requests)
		})
	}
}

// unrolled is a flow of so many steps, each of which takes what the one before gave.
func unrolled(steps int) string {
	var flow strings.Builder
	flow.WriteString("arazzo: 1.1.0\ninfo: {title: b, version: \"1\"}\nsourceDescriptions: [{name: api, url: api.yaml, type: openapi}]\nworkflows:\n- workflowId: w\n  steps:\n")
	before := "TEA"
	for i := range steps {
		fmt.Fprintf(&flow, "  - {stepId: s%d, operationId: create, requestBody: {contentType: application/json, payload: {sku: %s, quantity: 2}}, successCriteria: [{condition: $statusCode == 201}], outputs: {id: $response.body#/id}}\n", i, before)
		before = fmt.Sprintf("$steps.s%d.outputs.id", i)
	}
	return flow.String()
}

func besideNetHTTP(b *testing.B, plan *executor.Plan, base string, requests int) {
	runtime := live.New(live.Options{})
	defer runtime.Close()
	var woven, bare time.Duration
	for b.Loop() {
		began := time.Now()
		result, err := plan.Run(b.Context(), runtime, executor.Start{})
		if err != nil || result.Counts.Requests != requests {
			b.Fatalf("%+v, %v", result, err)
		}
		woven += time.Since(began)
		began = time.Now()
		for i := range requests {
			post(b, base, i)
		}
		bare += time.Since(began)
	}
	b.ReportMetric(bare.Seconds()/woven.Seconds(), "of-net/http")
	b.ReportMetric(float64(woven.Microseconds())/float64(b.N*requests), "µs/step")
}

func post(b *testing.B, base string, i int) {
	request, err := http.NewRequestWithContext(b.Context(), http.MethodPost, base+"/orders", strings.NewReader(`{"sku":"TEA","quantity":2}`))
	if err != nil {
		b.Fatal(err)
	}
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("Idempotency-Key", fmt.Sprint(i))
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		b.Fatal(err)
	}
	_, _ = io.Copy(io.Discard, response.Body)
	_ = response.Body.Close()
}
