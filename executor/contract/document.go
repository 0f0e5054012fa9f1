package contract

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/jarcoal/httpmock"

	"github.com/weft-flow/weft/arazzo"
	"github.com/weft-flow/weft/arazzo/source"
	"github.com/weft-flow/weft/executor"
	"github.com/weft-flow/weft/executor/mock"
	"github.com/weft-flow/weft/executor/sim"
)

// T is what of *testing.T the package uses.
type T interface {
	Helper()
	Errorf(format string, args ...any)
	Fatalf(format string, args ...any)
	Cleanup(func())
}

// Document is an Arazzo document whose APIs are mocked behind an *http.Client. Its runs
// take no time: waiting, retries and timeouts are on a virtual clock. Several tests may use
// it at once, parallel subtests too: each run has servers of its own. What Use, Configure,
// Respond and Break say holds for all of them; a test that wants it for itself takes a Copy.
type Document struct {
	t         T
	set       *source.Set
	stage     *sim.Stage
	servers   map[string]string // base URL of each API, by its identity
	transport *httpmock.MockTransport
	steps     map[stepID]*stepModel

	mu        sync.Mutex
	client    *http.Client
	config    executor.Config
	faults    []mock.Fault
	overrides map[string]httpmock.Responder // by source/operation
	running   map[*world]bool               // runs that go on
}

// Load reads an Arazzo document and the descriptions beside it, and mocks its APIs: for
// each operation there is a responder that answers as the description says, keeps what
// was created, and honours idempotency keys. Nothing is fetched from the network. What
// is wrong with the document ends the test.
func Load(t T, file string) *Document {
	t.Helper()
	loader := source.NewLoader(source.Options{Offline: true})
	model, location, faults, err := loader.LoadDocument(context.Background(), file)
	if err != nil {
		t.Fatalf("%v", err)
		return nil
	}
	if blocking := executor.Blocking(faults); len(blocking) > 0 || model == nil {
		t.Fatalf("%s cannot be run:\n%s", file, faultTexts(blocking))
		return nil
	}
	set, problems := loader.Load(context.Background(), model, location)
	for _, p := range problems {
		t.Fatalf("%s:%d:%d: %s", file, p.Span.Start.Line, p.Span.Start.Column, p.Message)
		return nil
	}
	sources := mock.Sources(set)
	steps := readSteps(set, sources)
	newStandings(mock.Prepare(sources), sources).findUncaused(steps)
	return open(t, set, sim.NewStageOf(sources), steps)
}

// open mocks the APIs of a document.
func open(t T, set *source.Set, stage *sim.Stage, steps map[stepID]*stepModel) *Document {
	d := &Document{
		t: t, set: set, stage: stage, steps: steps, transport: httpmock.NewMockTransport(),
		servers: map[string]string{}, overrides: map[string]httpmock.Responder{}, running: map[*world]bool{},
	}
	d.transport.DontCheckMethod = true // descriptions may have methods of their own
	d.transport.RegisterResponder(http.MethodGet, probe, httpmock.NewStringResponder(probed, ""))
	d.mockAPIs()
	d.Use(&http.Client{})
	return d
}

// Copy gives the same document, mocked anew, for a test that breaks or answers something
// otherwise than the others which go on beside it. The configuration is the same; faults,
// responders and the client are those of a document that was just loaded.
func (d *Document) Copy(t T) *Document {
	t.Helper()
	made := open(t, d.set, d.stage, d.steps)
	made.config, _ = d.configured()
	return made
}

func faultTexts(faults []arazzo.Fault) string {
	texts := make([]string, len(faults))
	for i, f := range faults {
		texts[i] = "\t" + f.Error()
	}
	return strings.Join(texts, "\n")
}

// Use has runs send their requests through a client: with its transport, its cookies, its
// timeout. A client without a transport is given that of the mocked APIs until the test
// ends; one with a transport must lead to it (Transport): one request to this machine
// tells whether it does, so that no test ever calls what it means to mock.
func (d *Document) Use(client *http.Client) {
	d.t.Helper()
	d.mu.Lock()
	d.client = client
	d.mu.Unlock()
	if client.Transport == nil {
		client.Transport = d.transport
		d.t.Cleanup(func() { client.Transport = nil })
		return
	}
	response, err := client.Get(probe)
	if err == nil {
		err = response.Body.Close()
	}
	if err != nil || response.StatusCode != probed {
		d.t.Fatalf("the client does not lead to the mocked APIs: put Document.Transport beneath its transport (%v)", err)
	}
}

// What tells whether a client leads to the mocked APIs. The address is this machine's, so
// no name is looked up, and nobody listens at that port.
const (
	probe  = "http://127.0.0.1:1/_weft/probe"
	probed = 299
)

// Transport gives the httpmock transport that answers for the APIs, to be put beneath
// transports of one's own, or to register further responders at. A responder for an
// exact URL comes before those of the description.
func (d *Document) Transport() *httpmock.MockTransport { return d.transport }

// Configure sets how workflows are run: profiles of idempotency keys, limits. The servers
// of the configuration are not looked at.
func (d *Document) Configure(c executor.Config) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.config = c
}

// Respond puts a responder in the place of that of the description, for an operation: its
// operationId, or its method and path, with "source/" in front where several sources have
// it. nil: that of the description again. What a responder does is its own affair: it has
// no effect in the sense of Run.Effects.
func (d *Document) Respond(operation string, responder httpmock.Responder) {
	d.t.Helper()
	name, err := d.find(operation)
	if err != nil {
		d.t.Fatalf("%v", err)
		return
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if responder == nil {
		delete(d.overrides, name)
		return
	}
	d.overrides[name] = responder
}

// Break plans faults for the runs that follow: see docs/faults.md. A fault that does not
// fire in a run fails the test; one that cannot be planned ends it.
func (d *Document) Break(faults ...mock.Fault) {
	d.t.Helper()
	if _, err := d.stage.New(sim.Options{Faults: mock.FaultPlan{Faults: faults}}); err != nil {
		d.t.Fatalf("%v", err)
		return
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.faults = append(d.faults, faults...)
}

// Mend takes all planned faults back.
func (d *Document) Mend() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.faults = nil
}

// errNoOperation tells that the APIs have no such operation.
var errNoOperation = errors.New("there is no operation")

// find gives source and operation for what a test calls an operation.
func (d *Document) find(operation string) (string, error) {
	var found, all []string
	for _, s := range mock.Sources(d.set) {
		for _, op := range s.Catalog.Operations {
			if op.Kind != source.Request {
				continue
			}
			name := s.Name + "/" + labelOf(op)
			all = append(all, labelOf(op))
			if labelOf(op) == operation || name == operation || op.Method+" "+op.Path == operation {
				found = append(found, name)
			}
		}
	}
	switch len(found) {
	case 1:
		return found[0], nil
	case 0:
		return "", fmt.Errorf("%w %q; %s", errNoOperation, operation, meant(operation, all))
	default:
		return "", fmt.Errorf("operation %q may be each of %s; say which", operation, strings.Join(found, ", "))
	}
}

// labelOf names an operation as the mock does.
func labelOf(op *source.Operation) string {
	if op.ID != "" {
		return op.ID
	}
	return op.Method + " " + op.Path
}

// mockAPIs registers a responder for each operation, those with fewer parameters in their
// paths first (OpenAPI, Path Templating Matching).
func (d *Document) mockAPIs() {
	for _, s := range mock.Sources(d.set) {
		seeming := d.stage.Servers()[s.Description.Identity]
		base := seeming
		if servers := s.Catalog.Servers; len(servers) > 0 && servers[0].Absolute() {
			base = strings.TrimSuffix(servers[0].URL, "/")
		}
		d.servers[s.Description.Identity] = base
		operations := slices.DeleteFunc(slices.Clone(s.Catalog.Operations), func(op *source.Operation) bool { return op.Kind != source.Request })
		slices.SortStableFunc(operations, func(a, b *source.Operation) int {
			return strings.Count(a.Path, "{") - strings.Count(b.Path, "{")
		})
		for _, op := range operations {
			d.transport.RegisterRegexpResponder(op.Method, patternOf(base, op.Path), d.responder(s.Name+"/"+labelOf(op), base, seeming))
		}
	}
}

var pathParameter = regexp.MustCompile(`\\\{[^{}]*\\\}`)

// patternOf matches the URLs of a path template.
func patternOf(base, path string) *regexp.Regexp {
	path, _, _ = strings.Cut(path, "?")
	return regexp.MustCompile("^" + regexp.QuoteMeta(base) + pathParameter.ReplaceAllString(regexp.QuoteMeta(path), `[^/?#]+`) + `(\?.*)?$`)
}

// responder answers for one operation: as a test wants it, else as the mock does.
func (d *Document) responder(name, base, seeming string) httpmock.Responder {
	return func(r *http.Request) (*http.Response, error) {
		d.mu.Lock()
		override := d.overrides[name]
		d.mu.Unlock()
		at := d.worldFor(r)
		if override != nil {
			if at != nil {
				at.came(name[strings.IndexByte(name, '/')+1:], r.Method, r.URL.String(), r.Header)
			}
			return override(r)
		}
		if at == nil {
			return nil, fmt.Errorf("%s is mocked only while a workflow runs", name)
		}
		moved := r.Clone(r.Context())
		u, err := r.URL.Parse(seeming + strings.TrimPrefix(r.URL.String(), base))
		if err != nil {
			return nil, fmt.Errorf("lead %s to the mock: %w", r.URL, err)
		}
		moved.URL, moved.Host = u, u.Host
		return at.roundTrip(moved, r.URL.String())
	}
}
