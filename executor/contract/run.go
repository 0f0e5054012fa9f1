package contract

import (
	"bytes"
	"context"
	"errors"
	"net/http"
	"net/url"

	"github.com/weft-flow/weft/arazzo/value"
	"github.com/weft-flow/weft/executor"
	"github.com/weft-flow/weft/executor/mock"
	"github.com/weft-flow/weft/executor/report"
	"github.com/weft-flow/weft/executor/sim"
	"github.com/weft-flow/weft/idempotency"
)

// Inputs are the inputs of a workflow, of the types that encoding/json knows.
type Inputs map[string]any

// Run is one run of a workflow, and what is claimed of it. Each claim that does not hold
// fails the test, and the first one shows the run.
type Run struct {
	// Result is how the run ended.
	Result executor.Result
	// Requests are the attempts at calls, in their order.
	Requests []Request
	// Events are what the interpreter told, in its order.
	Events []executor.Event

	t        T
	document string
	workflow string
	server   *mock.Server
	find     func(operation string) (string, error)
	story    string
	shown    bool
}

// Request is one attempt at a call.
type Request struct {
	Step      string // its id
	Operation string // operationId, else method and path
	Method    string
	URL       string
	Header    http.Header
	Body      []byte
	Key       string // the idempotency key; empty: it bore none
	Status    int    // 0: there was no response
	Outcome   idempotency.Class
}

// Run runs a workflow. Where it cannot be run at all the test ends; how it ended is to be
// claimed by the methods of the Run.
func (d *Document) Run(t T, workflow string, inputs Inputs) *Run {
	t.Helper()
	run := &Run{t: t, document: d.set.Document.File, workflow: workflow, find: d.find}
	config := d.config
	config.Servers = d.servers
	plan, refusals := executor.Compile(d.set, []string{workflow}, config)
	for _, r := range refusals {
		t.Fatalf("%v", r)
		return run
	}
	given, err := value.Of(map[string]any(inputs))
	if err != nil {
		t.Fatalf("%s: inputs: %v", workflow, err)
		return run
	}
	world, err := d.stage.New(sim.Options{Seed: 1, Faults: mock.FaultPlan{Faults: d.faults}, Through: d.through})
	if err != nil {
		t.Fatalf("%v", err)
		return run
	}
	run.server = world.Server()
	var told bytes.Buffer
	console := report.NewConsole(&told, report.Options{})
	recorder := &recorder{Runtime: world, run: run}
	run.Result, err = plan.Run(context.Background(), recorder, executor.Start{
		Inputs: given, Sink: executor.Tee(eventSink{run}, console), Reveal: true, ShowKeys: true,
	})
	if err = errors.Join(err, console.Close()); err != nil {
		t.Fatalf("%s: %v", workflow, err)
		return run
	}
	run.story = told.String()
	for _, unfired := range world.Server().Unfired() {
		run.errorf("%v", unfired)
	}
	return run
}

// through leads the requests of a run through the client, and on to the mock.
func (d *Document) through(toMock http.RoundTripper) http.RoundTripper {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.toMock = toMock
	client := *d.client
	client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	return clientTransport{&client}
}

// clientTransport sends requests through a client. What it does about redirects is the
// interpreter's to decide, so the client follows none.
type clientTransport struct{ client *http.Client }

// RoundTrip sends one request.
func (c clientTransport) RoundTrip(r *http.Request) (*http.Response, error) {
	response, err := c.client.Do(r)
	var wrapped *url.Error
	if errors.As(err, &wrapped) {
		return nil, wrapped.Err
	}
	return response, err
}

// eventSink keeps the events of a run.
type eventSink struct{ run *Run }

// Write keeps an event.
func (s eventSink) Write(e executor.Event) error {
	s.run.Events = append(s.run.Events, e)
	return nil
}

// recorder keeps the attempts of a run.
type recorder struct {
	*sim.Runtime
	run *Run
}

// Call makes a call and keeps what came of it.
func (r *recorder) Call(ctx context.Context, call executor.Call) (executor.Exchange, error) {
	x, err := r.Runtime.Call(ctx, call)
	one := Request{
		Step: idOf(call.Name).step, Operation: labelOf(call.Operation), Method: x.Sent.Method, URL: x.Sent.URL,
		Header: http.Header(x.Sent.Header), Body: x.Sent.Body, Outcome: x.Class,
	}
	if call.Key != nil {
		one.Key = call.Key.Value
	}
	if x.Response != nil {
		one.Status = x.Response.Status
	}
	r.run.Requests = append(r.run.Requests, one)
	return x, err
}
