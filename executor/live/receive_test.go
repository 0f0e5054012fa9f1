package live_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/weft-flow/weft/arazzo/source"
	"github.com/weft-flow/weft/arazzo/value"
	"github.com/weft-flow/weft/executor"
	"github.com/weft-flow/weft/executor/live"
)

const payAPI = `
openapi: 3.1.0
info: {title: Pay, version: "1"}
paths:
  /payments:
    post:
      operationId: pay
      requestBody: {content: {application/json: {schema: {type: object}}}}
      responses: {"200": {description: ok}}
      callbacks:
        decided:
          '{$request.body#/tell}':
            post: {operationId: decided, responses: {"204": {description: kept}}}
webhooks:
  paid:
    post:
      operationId: paid
      requestBody: {content: {application/json: {schema: {type: object, properties: {ref: {type: string}}}}}}
      responses: {"202": {description: kept}}
`

const eventsAPI = `
asyncapi: 3.0.0
info: {title: Events, version: "1"}
servers: {hooks: {host: HOST, protocol: http, pathname: /in}}
channels:
  orders:
    address: orders/{ref}
    parameters: {ref: {}}
    messages: {placed: {payload: {type: object, required: [ref], properties: {ref: {type: string}}}}}
operations:
  orderPlaced: {action: send, channel: {$ref: '#/channels/orders'}}
`

const receivingFlow = `arazzo: 1.1.0
info: {title: t, version: "1"}
sourceDescriptions:
- {name: pay, url: pay.yaml, type: openapi}
- {name: events, url: events.yaml, type: asyncapi}
workflows:
- workflowId: webhook
  inputs: {type: object, properties: {ref: {type: string}}}
  steps:
  - {stepId: wait, operationId: paid, action: receive, correlationId: $inputs.ref, timeout: 20000, outputs: {said: $message.payload#/said}}
  outputs: {said: $steps.wait.outputs.said}
- workflowId: callback
  inputs: {type: object, properties: {tell: {type: string, x-weft-callback: wait}}}
  steps:
  - {stepId: pay, operationId: pay, requestBody: {contentType: application/json, payload: {tell: $inputs.tell}}}
  - {stepId: wait, operationId: decided, timeout: 20000, outputs: {said: $message.payload#/said}}
  outputs: {said: $steps.wait.outputs.said, tell: $inputs.tell}
- workflowId: event
  inputs: {type: object, properties: {ref: {type: string}}}
  steps:
  - stepId: tell
    operationId: orderPlaced
    action: send
    parameters: [{name: ref, in: channel, value: $inputs.ref}]
    requestBody: {payload: {ref: $inputs.ref}}
    outputs: {sent: $message.payload#/ref}
  - stepId: wait
    channelPath: '{$sourceDescriptions.events.url}#/channels/orders'
    action: receive
    correlationId: $inputs.ref
    timeout: 20000
    outputs: {said: $message.payload#/said}
  outputs: {said: $steps.wait.outputs.said, sent: $steps.tell.outputs.sent}
`

// receivingWorld is a server, a receiver and a runtime.
type receivingWorld struct {
	receiver *live.Receiver
	runtime  *live.Runtime
	server   *httptest.Server
	set      *source.Set
}

func newReceivingWorld(t *testing.T, serve http.HandlerFunc) *receivingWorld {
	t.Helper()
	w := &receivingWorld{server: httptest.NewServer(serve)}
	t.Cleanup(w.server.Close)
	dir := t.TempDir()
	for name, text := range map[string]string{
		"pay.yaml": payAPI, "flow.yaml": receivingFlow,
		"events.yaml": strings.ReplaceAll(eventsAPI, "HOST", strings.TrimPrefix(w.server.URL, "http://")),
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	loader := source.NewLoader(source.Options{Offline: true})
	doc, location, faults, err := loader.LoadDocument(t.Context(), filepath.Join(dir, "flow.yaml"))
	if err != nil || len(faults) > 0 {
		t.Fatal(err, faults)
	}
	var problems []source.Problem
	if w.set, problems = loader.Load(t.Context(), doc, location); len(problems) > 0 {
		t.Fatal(problems)
	}
	if w.receiver, err = live.Listen(live.ReceiverOptions{}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = w.receiver.Close(context.Background()) })
	w.runtime = live.New(live.Options{Receiver: w.receiver})
	t.Cleanup(w.runtime.Close)
	return w
}

// run runs one workflow; awaited is called when a step waits, with where.
func (w *receivingWorld) run(t *testing.T, workflow, ref string, awaited func(address string)) executor.Result {
	t.Helper()
	plan, refusals := executor.Compile(w.set, []string{workflow}, executor.Config{Servers: map[string]string{"pay": w.server.URL}})
	if len(refusals) > 0 {
		t.Fatal(refusals)
	}
	result, err := plan.Run(t.Context(), w.runtime, executor.Start{
		Inputs: value.Object(value.Member{Name: "ref", Value: value.String(ref)}),
		Sink: sinkFunc(func(e executor.Event) {
			if d, ok := e.Detail.(executor.MessageAwaited); ok && awaited != nil {
				awaited(d.Address)
			}
		}),
	})
	if err != nil {
		t.Error(err)
	}
	return result
}

type sinkFunc func(executor.Event)

func (f sinkFunc) Write(e executor.Event) error {
	f(e)
	return nil
}

// deliver sends a message and gives the status of the answer.
func deliver(t *testing.T, url, body string) int {
	t.Helper()
	response, err := http.Post(url, "application/json", strings.NewReader(body))
	if err != nil {
		t.Error(err)
		return 0
	}
	_, _ = io.Copy(io.Discard, response.Body)
	_ = response.Body.Close()
	return response.StatusCode
}

func TestWebhooksOfTwoRunsCross(t *testing.T) {
	w := newReceivingWorld(t, http.NotFound)
	waiting := make(chan string, 2)
	var done sync.WaitGroup
	results := map[string]*executor.Result{"a": {}, "b": {}}
	for ref, result := range results {
		done.Go(func() { *result = w.run(t, "webhook", ref, func(address string) { waiting <- address }) })
	}
	address := <-waiting
	if other := <-waiting; other != address || !strings.HasSuffix(address, "/webhooks/pay/paid") {
		t.Fatalf("the runs wait at %s and %s", address, other)
	}
	for _, ref := range []string{"b", "a"} {
		if status := deliver(t, address, fmt.Sprintf(`{"ref":%q,"said":"for %s"}`, ref, ref)); status != 202 {
			t.Errorf("answered with %d", status)
		}
	}
	done.Wait()
	for ref, result := range results {
		if got := result.Workflows[0].Outputs.String(); got != fmt.Sprintf(`{"said":"for %s"}`, ref) {
			t.Errorf("run %s: %s, %s", ref, result.Status, got)
		}
	}
}

func TestAWebhookComesBeforeItsRun(t *testing.T) {
	w := newReceivingWorld(t, http.NotFound)
	// Another run has made the address known; the message is for one that opens later.
	var status int
	first := w.run(t, "webhook", "first", func(address string) {
		status = deliver(t, address, `{"ref":"second","said":"early"}`)
		deliver(t, address, `{"ref":"first","said":"now"}`)
	})
	second := w.run(t, "webhook", "second", nil)
	if status != 202 || first.Status != executor.Succeeded || second.Workflows[0].Outputs.String() != `{"said":"early"}` {
		t.Errorf("answered with %d; %s, %s: %s", status, first.Status, second.Status, second.Workflows[0].Outputs)
	}
}

func TestACallbackGoesToTheRunsOwnAddressAndIsGoneAfterIt(t *testing.T) {
	var body string
	w := newReceivingWorld(t, func(_ http.ResponseWriter, r *http.Request) {
		b, _ := io.ReadAll(r.Body)
		body = string(b)
	})
	kept, missed := 0, 0
	result := w.run(t, "callback", "x", func(address string) {
		missed = deliver(t, address+"x", `{"said":"to nobody"}`)
		kept = deliver(t, address, `{"said":"yes"}`)
	})
	tell := result.Workflows[0].Outputs.Get("tell").Text()
	if result.Status != executor.Succeeded || result.Workflows[0].Outputs.Get("said").Text() != "yes" || body != `{"tell":"`+tell+`"}` {
		t.Errorf("ended as %s (%s), outputs %s, sent %s", result.Status, result.Reason, result.Workflows[0].Outputs, body)
	}
	if kept != 204 || missed != 404 {
		t.Errorf("answered with %d, and at another address with %d", kept, missed)
	}
	if gone := deliver(t, tell, `{"said":"again"}`); gone != 410 {
		t.Errorf("after the end answered with %d", gone)
	}
}

func TestMessagesOfAsyncAPIOverHTTP(t *testing.T) {
	var seen string
	w := newReceivingWorld(t, func(rw http.ResponseWriter, r *http.Request) {
		b, _ := io.ReadAll(r.Body)
		seen = r.Method + " " + r.URL.EscapedPath() + " " + string(b)
		rw.WriteHeader(http.StatusAccepted)
	})
	result := w.run(t, "event", "a/b", func(address string) {
		if status := deliver(t, strings.ReplaceAll(address, "{ref}", "a%2Fb"), `{"ref":"a/b","said":"hello"}`); status != 202 {
			t.Errorf("answered with %d at %s", status, address)
		}
	})
	if result.Status != executor.Succeeded || result.Workflows[0].Outputs.String() != `{"said":"hello","sent":"a/b"}` {
		t.Errorf("ended as %s (%s): %s", result.Status, result.Reason, result.Workflows[0].Outputs)
	}
	if seen != `POST /in/orders/a%2Fb {"ref":"a/b"}` {
		t.Errorf("sent %s", seen)
	}
}

// TestACancelEndsTheWaitForAMessage: a cancel stops waiting at once (semantics.md 26).
func TestACancelEndsTheWaitForAMessage(t *testing.T) {
	w := newReceivingWorld(t, http.NotFound)
	began := time.Now()
	result := w.run(t, "webhook", "x", func(string) { w.runtime.Cancel() })
	if result.Status != executor.Cancelled || time.Since(began) > 15*time.Second {
		t.Errorf("ended as %s after %v", result.Status, time.Since(began))
	}
}

// TestOneRunIsCancelledAlone: the other goes on, and so does the runtime.
func TestOneRunIsCancelledAlone(t *testing.T) {
	w := newReceivingWorld(t, http.NotFound)
	ctx, cancel := live.WithCancel(t.Context())
	plan, refusals := executor.Compile(w.set, []string{"webhook"}, executor.Config{})
	if len(refusals) > 0 {
		t.Fatal(refusals)
	}
	start := func(ctx context.Context, ref string, awaited func(string)) executor.Result {
		result, err := plan.Run(ctx, w.runtime, executor.Start{
			Inputs: value.Object(value.Member{Name: "ref", Value: value.String(ref)}),
			Sink: sinkFunc(func(e executor.Event) {
				if d, ok := e.Detail.(executor.MessageAwaited); ok {
					awaited(d.Address)
				}
			}),
		})
		if err != nil {
			t.Error(err)
		}
		return result
	}
	var first executor.Result
	second := start(t.Context(), "b", func(address string) {
		first = start(ctx, "a", func(string) { cancel() })
		deliver(t, address, `{"ref":"b","said":"hello"}`)
	})
	if first.Status != executor.Cancelled || second.Status != executor.Succeeded {
		t.Errorf("the cancelled one ended as %s, the other as %s (%s)", first.Status, second.Status, second.Reason)
	}
}

// TestWhatComesAfterTheEndIsKnown: acknowledged, and told.
func TestWhatComesAfterTheEndIsKnown(t *testing.T) {
	w := newReceivingWorld(t, http.NotFound)
	var at string
	result := w.run(t, "webhook", "a", func(address string) {
		at = address
		deliver(t, address, `{"ref":"a","said":"now"}`)
	})
	if status := deliver(t, at, `{"ref":"a","said":"late"}`); status != 202 {
		t.Errorf("answered with %d", status)
	}
	if err := w.receiver.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	after, err := w.receiver.AfterEnd(t.Context(), result.Run)
	if err != nil || len(after.Messages) != 1 || string(after.Messages[0].Body) != `{"ref":"a","said":"late"}` {
		t.Errorf("after the end: %+v, %v", after, err)
	}
	plan, _ := executor.Compile(w.set, []string{"webhook"}, executor.Config{})
	if _, err := plan.Run(t.Context(), w.runtime, executor.Start{Inputs: value.Object(value.Member{Name: "ref", Value: value.String("x")})}); err == nil {
		t.Error("a run begins where no message can come any more")
	}
}
