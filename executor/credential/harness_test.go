package credential

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/weft-flow/weft/arazzo/source"
	"github.com/weft-flow/weft/executor"
	"github.com/weft-flow/weft/executor/httpcall"
)

// schemes are the security schemes of the API of these tests; AUTH stands for the
// address of its token endpoint.
const schemes = `
components:
  securitySchemes:
    keyHeader: {type: apiKey, in: header, name: X-Api-Key}
    keyQuery: {type: apiKey, in: query, name: api_key}
    keyCookie: {type: apiKey, in: cookie, name: session}
    basic: {type: http, scheme: basic}
    bearer: {type: http, scheme: bearer}
    digest: {type: http, scheme: digest}
    mutual: {type: mutualTLS}
    connect: {type: openIdConnect, openIdConnectUrl: "https://id.example.com/.well-known/openid-configuration"}
    oauth:
      type: oauth2
      flows:
        clientCredentials: {tokenUrl: AUTH/token, scopes: {read: r, write: w}}
        password: {tokenUrl: AUTH/token, scopes: {read: r}}
    code:
      type: oauth2
      flows:
        authorizationCode: {authorizationUrl: AUTH/authorize, tokenUrl: AUTH/token, scopes: {}}
`

// load reads an API whose paths are given as YAML, and the flow beside it.
func load(t testing.TB, servers, auth, paths, steps string) *source.Set {
	t.Helper()
	if steps == "" {
		steps = "\n      - {stepId: one, operationId: get}"
	}
	files := map[string]string{
		"api.yaml": "openapi: 3.1.0\ninfo: {title: t, version: '1'}\nservers: " + servers + "\npaths:" + paths +
			strings.ReplaceAll(schemes, "AUTH", auth),
		"flow.yaml": "arazzo: 1.1.0\ninfo: {title: t, version: '1'}\n" +
			"sourceDescriptions: [{name: my-api, url: api.yaml, type: openapi}]\n" +
			"workflows:\n  - workflowId: w\n    steps:" + steps,
	}
	dir := t.TempDir()
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	loader := source.NewLoader(source.Options{Offline: true})
	doc, location, faults, err := loader.LoadDocument(t.Context(), filepath.Join(dir, "flow.yaml"))
	if err != nil || len(faults) > 0 {
		t.Fatal(err, faults)
	}
	set, problems := loader.Load(t.Context(), doc, location)
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	return set
}

// secured is a path with one GET that has a security requirement.
func secured(security string) string {
	return fmt.Sprintf("\n  /a: {get: {operationId: get, security: %s, responses: {'200': {description: ok}}}}", security)
}

// callTo is a call of the operation get.
func callTo(t testing.TB, set *source.Set, server string, arguments ...executor.Argument) executor.Call {
	t.Helper()
	d, o, err := set.FindOperation("get")
	if err != nil {
		t.Fatal(err)
	}
	return executor.Call{Name: "w/one#1/1", Attempt: 1, Operation: o, Source: d, Server: server, Arguments: arguments, Timeout: 20 * time.Second}
}

// server is an HTTP server that keeps what came.
type server struct {
	*httptest.Server
	mu  sync.Mutex
	got []received
}

type received struct {
	method, target string
	header         http.Header
	body           string
	form           url.Values
}

// serve plays a server; without a handler it answers 200.
func serve(t testing.TB, handler http.HandlerFunc) *server {
	t.Helper()
	s := &server{}
	s.Server = httptest.NewServer(s.keep(handler))
	t.Cleanup(s.Close)
	return s
}

func (s *server) keep(handler http.HandlerFunc) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		form, _ := url.ParseQuery(string(body))
		s.mu.Lock()
		s.got = append(s.got, received{r.Method, r.URL.RequestURI(), r.Header.Clone(), string(body), form})
		s.mu.Unlock()
		if handler != nil {
			handler(w, r)
		}
	})
}

func (s *server) all() []received {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]received(nil), s.got...)
}

// only gives the one request that came.
func (s *server) only(t testing.TB) received {
	t.Helper()
	got := s.all()
	if len(got) != 1 {
		t.Fatalf("%d requests came, expected 1: %+v", len(got), got)
	}
	return got[0]
}

// issuer is a token endpoint whose tokens are token-1, token-2, …
func issuer(t testing.TB, lifetime int) *server {
	t.Helper()
	n := 0
	var mu sync.Mutex
	return serve(t, func(w http.ResponseWriter, _ *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		n++
		fmt.Fprintf(w, `{"access_token":"token-%d","token_type":"Bearer","expires_in":%d}`, n, lifetime)
	})
}

// clientWith gives a client that sends what the keyring holds.
func clientWith(t testing.TB, k *Keyring) *httpcall.Client {
	t.Helper()
	client := httpcall.New(httpcall.Options{Authorizer: k})
	t.Cleanup(client.Close)
	return client
}

// ring gives a keyring whose tokens are got over the network, bound to a set.
func ring(t testing.TB, set *source.Set, o Options) *Keyring {
	t.Helper()
	if o.Tokens == nil {
		client := httpcall.New(httpcall.Options{MaxBody: MaxTokenAnswer})
		t.Cleanup(client.Close)
		o.Tokens = client
	}
	k := New(o)
	if faults := k.Bind(set); len(faults) > 0 {
		t.Fatal(faults)
	}
	return k
}

// mustLack fails where a text holds one of the secrets.
func mustLack(t testing.TB, where, text string, secrets ...string) {
	t.Helper()
	for _, secret := range secrets {
		if strings.Contains(text, secret) {
			t.Errorf("%s holds the secret %q:\n%s", where, secret, text)
		}
	}
}

// clock is a time that the test moves.
type clock struct {
	mu  sync.Mutex
	now time.Time
}

func newClock() *clock { return &clock{now: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)} }

func (c *clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

func (c *clock) pass(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d)
}

// flow is a described flow of client credentials.
func flow(tokenURL string) source.OAuthFlow {
	return source.OAuthFlow{Grant: string(ClientCredentials), TokenURL: tokenURL}
}
