package contract

import (
	"bytes"
	"context"
	"errors"
	"net/http"
	"net/url"
	"slices"

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
	// Requests are the attempts at calls, in their order, as they were prepared: some may
	// never have arrived.
	Requests []Request
	// Received are the requests as they came to the mocked APIs, in their order.
	Received []Received
	// Events are what the interpreter told, in its order.
	Events []executor.Event

	t        T
	document string
	workflow string
	server   *mock.Server
	find     func(operation string) (string, error)
	steps    map[stepID]*stepModel
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
	run := &Run{t: t, document: d.set.Document.File, workflow: workflow, find: d.find, steps: d.steps}
	config, faults := d.configured()
	config.Servers = d.servers
	plan, refusals := executor.Compile(d.set, []string{workflow}, config)
	for _, r := range refusals {
		t.Fatalf("%v", r)
		return run
	}
	given, err := value.Of(map[string]any(inputs))
	if err == nil {
		err = plan.CheckInputNames(given)
	}
	if err != nil {
		t.Fatalf("%s: inputs: %v", workflow, err)
		return run
	}
	at := &world{}
	played, err := d.stage.New(sim.Options{Seed: 1, Faults: mock.FaultPlan{Faults: faults}, Through: func(toMock http.RoundTripper) http.RoundTripper {
		at.toMock = toMock
		return d.through(at)
	}})
	if err != nil {
		t.Fatalf("%v", err)
		return run
	}
	run.server, at.server = played.Server(), played.Server()
	defer d.begin(at)()
	var told bytes.Buffer
	console := report.NewConsole(&told, report.Options{})
	recorder := &recorder{Runtime: played, run: run, world: at, teller: teller{steps: d.steps, server: played.Server()}}
	run.Result, err = plan.Run(context.Background(), recorder, executor.Start{
		Inputs: given, Sink: executor.Tee(eventSink{run}, console), Reveal: true, ShowKeys: true,
	})
	if err = errors.Join(err, console.Close()); err != nil {
		t.Fatalf("%s: %v", workflow, err)
		return run
	}
	run.story, run.Received = told.String(), at.received()
	for _, unfired := range played.Server().Unfired() {
		run.errorf("%v", unfired)
	}
	return run
}

// through leads the requests of a run through the client, and on to its mock.
func (d *Document) through(to *world) http.RoundTripper {
	d.mu.Lock()
	defer d.mu.Unlock()
	client := *d.client
	client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	return clientTransport{&client, to}
}

// begin notes that a run goes on, and gives what notes that it has ended.
func (d *Document) begin(run *world) (end func()) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.running[run] = true
	return func() {
		d.mu.Lock()
		defer d.mu.Unlock()
		delete(d.running, run)
	}
}

// worldFor gives where a request arrives: its context tells of which run it is. Where the
// caller's transport made another context, it can be of the only run that goes on.
func (d *Document) worldFor(r *http.Request) *world {
	if w := worldOf(r.Context()); w != nil {
		return w
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if len(d.running) == 1 {
		for w := range d.running {
			return w
		}
	}
	return nil
}

// configured gives how runs are made that begin now.
func (d *Document) configured() (executor.Config, []mock.Fault) {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.config, slices.Clone(d.faults)
}

// clientTransport sends requests through a client. What it does about redirects is the
// interpreter's to decide, so the client follows none.
type clientTransport struct {
	client *http.Client
	to     *world
}

// RoundTrip sends one request.
func (c clientTransport) RoundTrip(r *http.Request) (*http.Response, error) {
	response, err := c.client.Do(r.WithContext(context.WithValue(r.Context(), worldKey{}, c.to)))
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
	run    *Run
	world  *world
	teller teller
}

// Open opens the mailboxes of the run.
func (r *recorder) Open(ctx context.Context, boxes []executor.Mailbox) (executor.Opened, error) {
	opened, err := r.Runtime.Open(ctx, boxes)
	r.teller.addresses = opened.Addresses
	return opened, err
}

// Wait waits; on a channel of AsyncAPI a message comes.
func (r *recorder) Wait(ctx context.Context, until executor.WaitSpec) (executor.Signal, error) {
	if until.Inbox {
		if _, _, err := r.teller.tell(idOf(until.Name), until.Expect); err != nil {
			return executor.Signal{}, err
		}
	}
	return r.Runtime.Wait(ctx, until)
}

// Call makes a call and keeps what came of it.
func (r *recorder) Call(ctx context.Context, call executor.Call) (executor.Exchange, error) {
	keyHeader := ""
	if call.Key != nil {
		keyHeader = call.Key.Header
	}
	r.world.calls(labelOf(call.Operation), keyHeader)
	before := r.world.count()
	x, err := r.Runtime.Call(ctx, call)
	if x.Response != nil && r.world.count() == before { // a responder for an exact URL took it
		r.world.came("", x.Sent.Method, x.Sent.URL, http.Header(x.Sent.Header))
	}
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
