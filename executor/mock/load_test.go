package mock_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/weft-flow/weft/arazzo/source"
	"github.com/weft-flow/weft/executor/mock"
	"github.com/weft-flow/weft/specs"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// load gives the sources of an Arazzo document.
func load(t testing.TB, file string) []mock.Source {
	t.Helper()
	loader := source.NewLoader(source.Options{Offline: true})
	doc, location, faults, err := loader.LoadDocument(context.Background(), file)
	if err != nil || len(faults) > 0 {
		t.Fatalf("%s: %v %v", file, err, faults)
	}
	set, problems := loader.Load(context.Background(), doc, location)
	if len(problems) > 0 {
		t.Fatalf("%s: %v", file, problems)
	}
	var sources []mock.Source
	for _, d := range set.Sources {
		sources = append(sources, mock.Source{Name: d.Name, Catalog: d.OpenAPI})
	}
	return sources
}

// orderFlow gives the two services of the bundled flow.
func orderFlow(t testing.TB) []mock.Source {
	t.Helper()
	dir := t.TempDir()
	if err := os.CopyFS(dir, specs.OrderFlow); err != nil {
		t.Fatal(err)
	}
	return load(t, filepath.Join(dir, "orderflow", "order.arazzo.yaml"))
}

// api gives one source, named api, whose paths and components are written here.
func api(t testing.TB, version, rest string) []mock.Source {
	t.Helper()
	dir := t.TempDir()
	write := func(name, text string) string {
		file := filepath.Join(dir, name)
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return file
	}
	write("api.yaml", "openapi: "+version+"\ninfo: {title: An API, version: '1'}\n"+rest)
	return load(t, write("flow.arazzo.yaml", `
arazzo: 1.1.0
info: {title: A flow, version: '1'}
sourceDescriptions: [{name: api, url: ./api.yaml, type: openapi}]
workflows:
  - workflowId: w
    steps: [{stepId: s, operationId: any}]
`))
}

// play serves the sources on the loopback interface until the test is over.
func play(t testing.TB, sources []mock.Source) (*mock.Server, *client) {
	t.Helper()
	return playAt(t, sources, nil)
}

// playAt is play with a clock.
func playAt(t testing.TB, sources []mock.Source, now func() time.Time) (*mock.Server, *client) {
	t.Helper()
	fired := make(chan mock.PlannedFault, 10)
	server := mock.New(sources, mock.Options{Now: now, OnFault: func(f mock.PlannedFault) { fired <- f }})
	base, end, err := server.Listen("127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	c := &client{t: t, base: base, http: &http.Client{Transport: &http.Transport{}}, fired: fired}
	t.Cleanup(func() {
		c.http.CloseIdleConnections()
		if err := end(); err != nil {
			t.Errorf("close: %v", err)
		}
	})
	return server, c
}

// client is a plain HTTP client.
type client struct {
	t    testing.TB
	base string
	http *http.Client
	// fired gets the faults of the server as they fire.
	fired <-chan mock.PlannedFault
}

// answer is a response, read to its end.
type answer struct {
	Status int
	Header http.Header
	Body   string
}

// get gives one member of a JSON body as text.
func (a answer) get(pointer ...string) string {
	var v any
	if err := json.Unmarshal([]byte(a.Body), &v); err != nil {
		return "no JSON: " + a.Body
	}
	for _, token := range pointer {
		switch at := v.(type) {
		case map[string]any:
			v = at[token]
		case []any:
			i := int(token[0] - '0')
			if i >= len(at) {
				return "nothing"
			}
			v = at[i]
		}
	}
	return fmt.Sprint(v)
}

// try makes one request. fields are "Name: value".
func (c *client) try(ctx context.Context, method, path, body string, fields ...string) (answer, error) {
	r, err := http.NewRequestWithContext(ctx, method, c.base+path, strings.NewReader(body))
	if err != nil {
		c.t.Fatal(err)
	}
	r.GetBody = nil // or the client itself sends the request again after a reset
	if body != "" {
		r.Header.Set("Content-Type", "application/json")
	}
	for _, field := range fields {
		name, text, _ := strings.Cut(field, ": ")
		r.Header.Set(name, text)
	}
	response, err := c.http.Do(r)
	if err != nil {
		return answer{}, err
	}
	defer response.Body.Close()
	data, err := io.ReadAll(response.Body)
	return answer{Status: response.StatusCode, Header: response.Header, Body: string(data)}, err
}

// do makes a request that is answered.
func (c *client) do(method, path, body string, fields ...string) answer {
	c.t.Helper()
	a, err := c.try(context.Background(), method, path, body, fields...)
	if err != nil {
		c.t.Fatalf("%s %s: %v", method, path, err)
	}
	return a
}

// expect makes a request that is answered with that status.
func (c *client) expect(status int, method, path, body string, fields ...string) answer {
	c.t.Helper()
	a := c.do(method, path, body, fields...)
	if a.Status != status {
		c.t.Fatalf("%s %s: status %d, expected %d: %s", method, path, a.Status, status, a.Body)
	}
	return a
}

// effects gives the effects as "operation key count", sorted.
func effects(s *mock.Server) []string {
	var all []string
	for _, e := range s.Effects() {
		all = append(all, strings.TrimSpace(fmt.Sprintf("%s %s", e.Operation, e.Key))+fmt.Sprintf(" x%d", e.Count))
	}
	slices.Sort(all)
	return all
}

func wantEffects(t testing.TB, s *mock.Server, want ...string) {
	t.Helper()
	if got := effects(s); !slices.Equal(got, want) {
		t.Errorf("effects: %q, expected %q", got, want)
	}
}

const (
	newOrder   = `{"orderReference":"r-1","sku":"TEA","quantity":2,"amount":"10.10","currency":"EUR"}`
	newPayment = `{"orderReference":"r-1","amount":"10.10","currency":"EUR"}`
)
