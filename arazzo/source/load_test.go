package source

import (
	"context"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/weft-flow/weft/arazzo"
)

// files writes files under a new folder and gives its path.
func files(t *testing.T, content map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range content {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// server serves texts by path and counts what was asked for.
type server struct {
	*httptest.Server
	mu    sync.Mutex
	asked map[string]int
}

func serve(t *testing.T, content map[string]string) *server {
	t.Helper()
	s := &server{asked: map[string]int{}}
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.mu.Lock()
		s.asked[r.URL.Path]++
		s.mu.Unlock()
		if text, ok := content[r.URL.Path]; ok {
			_, _ = w.Write([]byte(text))
			return
		}
		http.NotFound(w, r)
	}))
	t.Cleanup(s.Close)
	return s
}

func (s *server) requests() map[string]int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return maps.Clone(s.asked)
}

// workflow writes an Arazzo document with the given root fields.
func workflow(fields ...string) string {
	return "arazzo: 1.1.0\ninfo: {title: t, version: '1'}\n" + strings.Join(fields, "\n") +
		"\nworkflows: [{workflowId: w, steps: [{stepId: s, operationId: a}]}]\n"
}

func api(id string) string {
	return "openapi: 3.1.0\ninfo: {title: " + id + ", version: '1'}\npaths: {/a: {get: {operationId: " + id + ", responses: {}}}}\n"
}

// load loads a document by name and gives its set.
func load(t *testing.T, l *Loader, name string) (*Set, []Problem) {
	t.Helper()
	doc, location, faults, err := l.LoadDocument(t.Context(), name)
	if err != nil {
		t.Fatal(err)
	}
	if doc == nil {
		t.Fatalf("%s: %v", name, faults)
	}
	return l.Load(t.Context(), doc, location)
}

func wellLoaded(t *testing.T, l *Loader, name string) *Set {
	t.Helper()
	s, problems := load(t, l, name)
	for _, p := range problems {
		t.Errorf("%s", p.Message)
	}
	if t.Failed() {
		t.FailNow()
	}
	return s
}

func TestTheBaseURIIsDeterminedAsTheSpecificationShows(t *testing.T) {
	for _, test := range []struct{ name, location, self, url, base, identity string }{
		{"$self is absolute", "file:///Users/dev/projects/workflows/purchase.arazzo.yaml", "https://api.example.com/workflows/purchase.arazzo.yaml", "../specs/petstore.yaml", "https://api.example.com/workflows/purchase.arazzo.yaml", "https://api.example.com/specs/petstore.yaml"},
		{"no $self", "file:///Users/dev/projects/workflows/purchase.arazzo.yaml", "", "../specs/petstore.yaml", "file:///Users/dev/projects/workflows/purchase.arazzo.yaml", "file:///Users/dev/projects/specs/petstore.yaml"},
		{"the location is that of an encapsulating entity", "https://api.example.com/workflows/purchase.arazzo.json", "", "../specs/petstore.json", "https://api.example.com/workflows/purchase.arazzo.json", "https://api.example.com/specs/petstore.json"},
		{"the location is a default of the application", "https://workflows.example.com/a7b3c4d5", "", "specs/petstore.yaml", "https://workflows.example.com/a7b3c4d5", "https://workflows.example.com/specs/petstore.yaml"},
		{"$self is relative", "https://api.example.com/v2/api-description.yaml", "workflows/purchase.arazzo.yaml", "../specs/petstore.yaml", "https://api.example.com/v2/workflows/purchase.arazzo.yaml", "https://api.example.com/v2/specs/petstore.yaml"},
		{"a copy keeps its identity", "https://cdn.example.com/cache/abc123.yaml", "https://workflows.example.com/canonical/purchase.arazzo.yaml", "pay.yaml", "https://workflows.example.com/canonical/purchase.arazzo.yaml", "https://workflows.example.com/canonical/pay.yaml"},
	} {
		t.Run(test.name, func(t *testing.T) {
			source := &arazzo.SourceDescription{Name: arazzo.Text{Value: "s"}, URL: arazzo.Text{Value: test.url}}
			doc := &arazzo.Document{Self: arazzo.Text{Value: test.self}, Sources: []*arazzo.SourceDescription{source}}
			set, _ := NewLoader(Options{Offline: true}).Load(t.Context(), doc, test.location)
			if set.Base != test.base {
				t.Errorf("base URI %s, want %s", set.Base, test.base)
			}
			if got := set.Sources[0].Identity; got != test.identity {
				t.Errorf("identity %s, want %s", got, test.identity)
			}
		})
	}
}

func TestADocumentIsFoundByItsSelfWithoutTheNetwork(t *testing.T) {
	web := serve(t, nil)
	dir := files(t, map[string]string{
		"a.yaml":       workflow("sourceDescriptions: [{name: b, url: '" + web.URL + "/canonical/b.yaml', type: arazzo}]"),
		"copy/b1.yaml": workflow("$self: " + web.URL + "/canonical/b.yaml"),
	})
	l := NewLoader(Options{})
	if _, _, _, err := l.LoadDocument(t.Context(), filepath.Join(dir, "copy/b1.yaml")); err != nil {
		t.Fatal(err)
	}
	s := wellLoaded(t, l, filepath.Join(dir, "a.yaml"))
	if s.Source("b").Arazzo == nil || len(web.requests()) != 0 {
		t.Errorf("source %+v after the requests %v", s.Source("b"), web.requests())
	}
}

// TestADescriptionThatIsTakenForADocumentStaysADescription: to name one on the command
// line is a mistake of its own, and says nothing of the documents that build on it.
func TestADescriptionThatIsTakenForADocumentStaysADescription(t *testing.T) {
	dir := files(t, map[string]string{
		"a.yaml":   workflow("sourceDescriptions: [{name: b, url: api.yaml, type: openapi}]"),
		"api.yaml": "openapi: 3.1.0\ninfo: {title: t, version: '1'}\npaths: {}\n",
	})
	l := NewLoader(Options{})
	if _, _, faults, err := l.LoadDocument(t.Context(), filepath.Join(dir, "api.yaml")); err != nil || len(faults) == 0 {
		t.Fatalf("read with %v and the faults %v", err, faults)
	}
	if s := wellLoaded(t, l, filepath.Join(dir, "a.yaml")); s.Source("b").OpenAPI == nil {
		t.Errorf("the source is %+v", s.Source("b"))
	}
}

func TestASelfThatOnlyALaterSourceHasIsFoundToo(t *testing.T) {
	web := serve(t, nil)
	dir := files(t, map[string]string{
		"a.yaml": workflow("sourceDescriptions: [{name: b, url: '" + web.URL + "/b.yaml', type: arazzo}, {name: c, url: c.yaml, type: arazzo}]"),
		"c.yaml": workflow("sourceDescriptions: [{name: d, url: d.yaml, type: arazzo}]"),
		"d.yaml": workflow("$self: " + web.URL + "/b.yaml"),
	})
	s := wellLoaded(t, NewLoader(Options{}), filepath.Join(dir, "a.yaml"))
	if got := s.Source("b").Arazzo; got == nil || got != s.Source("c").Arazzo.Source("d").Arazzo {
		t.Errorf("b is %v", got)
	}
	if len(web.requests()) != 0 {
		t.Errorf("requests %v", web.requests())
	}
}

func TestAFileBesideTheDocumentIsReadInPlaceOfItsIdentity(t *testing.T) {
	web := serve(t, map[string]string{"/specs/orders.yaml": api("fromTheNetwork")})
	dir := files(t, map[string]string{
		"wf/003.yaml":       workflow("$self: "+web.URL+"/wf/003.yaml", "sourceDescriptions: [{name: o, url: ../specs/orders.yaml, type: openapi}]"),
		"specs/orders.yaml": api("fromTheFile"),
	})
	s := wellLoaded(t, NewLoader(Options{}), filepath.Join(dir, "wf/003.yaml"))
	d := s.Source("o")
	if d.Identity != web.URL+"/specs/orders.yaml" {
		t.Errorf("identity %s", d.Identity)
	}
	if d.Location != fileURL(filepath.Join(dir, "specs/orders.yaml")) || len(d.OpenAPI.ByID("fromTheFile")) != 1 {
		t.Errorf("read from %s", d.Location)
	}
	if len(web.requests()) != 0 {
		t.Errorf("requests %v", web.requests())
	}
}

func TestTheRootIsLookedAtAfterTheFolderOfTheDocument(t *testing.T) {
	content := map[string]string{
		"deep/er/a.yaml": workflow("sourceDescriptions: [{name: o, url: ./apis/o.yaml}, {name: p, url: ../../apis/p.yaml}]"),
		"apis/o.yaml":    api("root"),
		"apis/p.yaml":    api("p"),
	}
	dir := files(t, content)
	s := wellLoaded(t, NewLoader(Options{Root: dir}), filepath.Join(dir, "deep/er/a.yaml"))
	if len(s.Source("o").OpenAPI.ByID("root")) != 1 || len(s.Source("p").OpenAPI.ByID("p")) != 1 {
		t.Error("not found beneath the root")
	}
	content["deep/er/apis/o.yaml"] = api("beside")
	dir = files(t, content)
	s = wellLoaded(t, NewLoader(Options{Root: dir}), filepath.Join(dir, "deep/er/a.yaml"))
	if len(s.Source("o").OpenAPI.ByID("beside")) != 1 {
		t.Error("the root was preferred to the folder of the document")
	}
}

func TestEachFileIsAskedForOnceWhoeverRefersToIt(t *testing.T) {
	web := serve(t, map[string]string{
		"/a.yaml":       workflow("sourceDescriptions: [{name: b, url: b.yaml}, {name: o, url: o.yaml}, {name: again, url: ./x/../o.yaml}]"),
		"/b.yaml":       workflow("sourceDescriptions: [{name: a, url: a.yaml}, {name: o, url: /o.yaml}]"),
		"/o.yaml":       "openapi: 3.1.0\ninfo: {title: t, version: '1'}\npaths: {/a: {get: {operationId: a, responses: {'200': {description: d, content: {application/json: {schema: {$ref: 'schemas.yaml#/S'}}}}}}}, /b: {$ref: 'paths.yaml'}}\n",
		"/schemas.yaml": "S: {type: object, properties: {again: {$ref: '#/S'}}}\n",
		"/paths.yaml":   "get: {operationId: b, responses: {'200': {description: d, content: {application/json: {schema: {$ref: 'schemas.yaml#/S'}}}}}}\n",
	})
	l := NewLoader(Options{})
	var loads sync.WaitGroup
	doc, location, _, err := l.LoadDocument(t.Context(), web.URL+"/a.yaml")
	if err != nil {
		t.Fatal(err)
	}
	sets := make([]*Set, 8)
	for i := range sets {
		loads.Go(func() {
			set, problems := l.Load(context.Background(), doc, location)
			for _, p := range problems {
				t.Error(p.Message)
			}
			sets[i] = set
		})
	}
	loads.Wait()
	want := map[string]int{"/a.yaml": 1, "/b.yaml": 1, "/o.yaml": 1, "/schemas.yaml": 1, "/paths.yaml": 1}
	if diff := cmp.Diff(want, web.requests()); diff != "" {
		t.Errorf("requests (-want +got):\n%s", diff)
	}
	s := sets[0]
	if s.Source("b").Arazzo.Source("a").Arazzo != s {
		t.Error("a cycle does not lead back to the same set")
	}
	if s.Source("o").OpenAPI != sets[7].Source("again").OpenAPI {
		t.Error("one description was parsed twice")
	}
	schema := one(t, s.Source("o").OpenAPI, "b").Response(200).MediaType("application/json").Schema
	if schema == nil || schema.Properties["again"].Value == nil {
		t.Error("references into other files are not resolved")
	}
	if got := s.Source("o").OpenAPI.Servers[0].URL; got != web.URL {
		t.Errorf("server %s, want %s", got, web.URL)
	}
}

func TestReferencesOfADescriptionAreLookedForBeneathTheRootToo(t *testing.T) {
	dir := files(t, map[string]string{
		"apis/o.yaml":       "openapi: 3.1.0\ninfo: {title: t, version: '1'}\npaths: {/a: {$ref: 'shared/paths.yaml#/a'}}\n",
		"shared/paths.yaml": "a: {get: {operationId: a, responses: {'200': {$ref: 'more.yaml'}}}}\n",
		"shared/more.yaml":  "description: more\n",
		"apis/wf/a.yaml":    workflow("sourceDescriptions: [{name: o, url: ../o.yaml}]"),
	})
	s := wellLoaded(t, NewLoader(Options{Root: dir}), filepath.Join(dir, "apis/wf/a.yaml"))
	one(t, s.Source("o").OpenAPI, "a")
}

func TestALocationMayBeAPath(t *testing.T) {
	dir := files(t, map[string]string{"a.yaml": workflow("sourceDescriptions: [{name: o, url: o.yaml}]"), "o.yaml": api("a")})
	l := NewLoader(Options{Offline: true})
	doc, location, _, err := l.LoadDocument(t.Context(), filepath.Join(dir, "a.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	s, problems := l.Load(t.Context(), doc, filepath.Join(dir, "a.yaml"))
	if len(problems) > 0 || s.Location != location {
		t.Errorf("%s, not %s: %v", s.Location, location, problems)
	}
}

func TestARedirectMovesTheLocation(t *testing.T) {
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/latest" {
			http.Redirect(w, r, "/v7/a.yaml", http.StatusFound)
			return
		}
		fmt.Fprint(w, workflow())
	}))
	defer web.Close()
	_, location, _, err := NewLoader(Options{}).LoadDocument(t.Context(), web.URL+"/latest")
	if err != nil || location != web.URL+"/v7/a.yaml" {
		t.Errorf("location %s, %v", location, err)
	}
}

func TestATypeThatIsNotSaidIsSeenFromTheContent(t *testing.T) {
	s := wellLoaded(t, NewLoader(Options{Offline: true}), "testdata/parent.arazzo.yaml")
	for name, want := range map[string]string{"stock": "openapi", "stock.v2": "openapi", "child": "arazzo", "legacy": "openapi", "notices": "asyncapi"} {
		if got := s.Source(name).Type; got != want {
			t.Errorf("%s is %s, want %s", name, got, want)
		}
	}
	if s.Source("notices").Tree.Get("channels") == nil {
		t.Error("the AsyncAPI description has no tree")
	}
	if s.Source("child").Arazzo.Source("parent").Arazzo != s {
		t.Error("a document that is its own grandchild has two sets")
	}
}

func TestAnOpenAPIDescriptionIsKnownByItsSelf(t *testing.T) {
	dir := files(t, map[string]string{
		"a.yaml": workflow("sourceDescriptions: [{name: o, url: 'https://search.example/o.yaml'}, {name: p, url: p.yaml}]"),
		"p.yaml": "$self: https://search.example/o.yaml\n" + strings.Replace(api("a"), "3.1.0", "3.2.0", 1),
	})
	s := wellLoaded(t, NewLoader(Options{Offline: true}), filepath.Join(dir, "a.yaml"))
	if s.Source("o").OpenAPI != s.Source("p").OpenAPI {
		t.Error("one description was taken for two")
	}
}

func TestProblemsSayWhatWasTriedAndFound(t *testing.T) {
	web := serve(t, map[string]string{"/page": "<!DOCTYPE html><p>Log in</p>"})
	big := "openapi: 3.1.0\n" + strings.Repeat("# filled up\n", 1000)
	dir := files(t, map[string]string{
		"folder/x": "", "empty.yaml": "", "list.yaml": "[1, 2]", "keys.yaml": "swagr: '2.0'\ninfo: {}\n",
		"big.yaml": big, "broken.yaml": "openapi: 3.1.0\npaths: {", "tabs.yaml": "a:\n\t- b: [",
		"child.yaml": workflow(), "twice.yaml": "openapi: 3.1.0\npaths:\n  /a: {}\n  /a: {}\n",
	})
	at := func(name string) string { return filepath.Join(dir, name) }
	for _, test := range []struct {
		source, want string
		offline      bool
	}{
		{"{url: none.yaml}", at("none.yaml") + ": no such file; " + at("root/none.yaml") + ": no such file", false},
		{"{url: folder}", at("folder") + ": it is a folder", false},
		{"{url: empty.yaml}", at("empty.yaml") + ": it is empty", false},
		{"{url: list.yaml}", at("list.yaml") + ": it has no openapi, swagger, asyncapi or arazzo at its root", false},
		{"{url: keys.yaml}", at("keys.yaml") + `: it has no openapi, swagger, asyncapi or arazzo at its root, but "swagr" and "info"`, false},
		{"{url: big.yaml}", at("big.yaml") + ": it is larger than the limit of 4 KiB", false},
		{"{url: twice.yaml}", at("twice.yaml") + `: line 4: the key "/a" stands twice in one mapping`, false},
		{"{url: child.yaml, type: openapi}", at("child.yaml") + ": the type says openapi, but it is an Arazzo document", false},
		{"{url: ''}", "it has no url", false},
		{"{url: 'a b%zz'}", `its url "a b%zz" is no URI reference: invalid URL escape "%zz"`, false},
		{"{url: 'urn:example:x'}", "urn:example:x: a urn: URI names something, but not where it can be fetched", false},
		{"{url: '" + web.URL + "/none'}", web.URL + "/none: the server answered 404 Not Found", false},
		{"{url: '" + web.URL + "/page'}", web.URL + "/page: it is a page of HTML or XML, not a description in YAML or JSON", false},
		{"{url: '" + web.URL + "/page'}", web.URL + "/page: not tried, because the network is switched off (--offline)", true},
	} {
		t.Run(test.source, func(t *testing.T) {
			name := filepath.Join(dir, "doc.yaml")
			text := workflow("sourceDescriptions: [{name: s, " + strings.TrimPrefix(test.source, "{") + "]")
			if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
				t.Fatal(err)
			}
			l := NewLoader(Options{MaxBytes: 4096, Root: at("root"), Offline: test.offline})
			s, problems := load(t, l, name)
			if len(problems) != 1 {
				t.Fatalf("problems %v", problems)
			}
			p := problems[0]
			if !strings.HasPrefix(p.Message, `source "s" cannot be loaded: `) || !strings.HasSuffix(p.Message, test.want) {
				t.Errorf("\n got %s\nwant … %s", p.Message, test.want)
			}
			if p.Offline != test.offline || p.Source != "s" || p.Pointer != "/sourceDescriptions/0/url" || p.Span.Start.Line != 3 || p.File != name {
				t.Errorf("problem %+v", p)
			}
			if d := s.Source("s"); d == nil || d.Problem == nil || d.OpenAPI != nil {
				t.Errorf("description %+v", d)
			}
		})
	}
}

func TestADocumentFromTheNetworkDoesNotReachFiles(t *testing.T) {
	dir := files(t, map[string]string{"secret.yaml": api("secret")})
	secret := fileURL(filepath.Join(dir, "secret.yaml"))
	web := serve(t, map[string]string{
		"/a.yaml": workflow("sourceDescriptions: [{name: f, url: '" + secret + "'}, {name: r, url: secret.yaml}, {name: o, url: o.yaml}, {name: p, url: p.yaml}]"),
		"/o.yaml": "openapi: 3.1.0\ninfo: {title: t, version: '1'}\npaths: {/a: {$ref: '" + secret + "#/paths/~1a'}}\n",
		"/p.yaml": "openapi: 3.1.0\ninfo: {title: t, version: '1'}\npaths: {/a: {$ref: '" + filepath.ToSlash(dir) + "/secret.yaml#/paths/~1a'}}\n",
	})
	s, problems := load(t, NewLoader(Options{Root: dir}), web.URL+"/a.yaml")
	if len(problems) != 2 {
		t.Fatalf("%d problems, want 2: %v", len(problems), problems)
	}
	for i, want := range []string{"cannot name the file", "404"} {
		if !strings.Contains(problems[i].Message, want) {
			t.Errorf("%s: want %q in it", problems[i].Message, want)
		}
	}
	for name, want := range map[string]string{"o": "cannot refer to the file", "p": "404"} {
		c := s.Source(name).OpenAPI
		if len(c.Operations) != 0 || len(c.Unresolved) != 1 || !strings.Contains(c.Unresolved[0].Reason, want) {
			t.Errorf("%s: %+v, want no operation, and %q", name, c, want)
		}
	}
}

func TestAReferenceToAFileThatIsMissingCostsOnlyItself(t *testing.T) {
	web := serve(t, nil)
	dir := files(t, map[string]string{
		"o.yaml": "openapi: 3.1.0\ninfo: {title: t, version: '1'}\npaths: {/a: {get: {operationId: a, responses: {'200': {description: d, content: {application/json: {schema: {" +
			"properties: {x: {$ref: 'none.yaml#/X'}, y: {$ref: 'some.yaml#/Y'}, z: {$ref: 'some.yaml#/Z'}, v: {$ref: 'some.yaml#/Z/deep'}, w: {$ref: '" + web.URL + "/w.yaml'}}}}}}}}}}\n",
		"some.yaml": "Z: {$ref: '#/V'}\nV: {type: string, deep: {}}\n",
		"a.yaml":    workflow("sourceDescriptions: [{name: o, url: o.yaml}]"),
	})
	c := wellLoaded(t, NewLoader(Options{Offline: true}), filepath.Join(dir, "a.yaml")).Source("o").OpenAPI
	want := []BrokenReference{
		{web.URL + "/w.yaml", web.URL + "/w.yaml: not tried, because the network is switched off (--offline)", true},
		{"none.yaml#/X", filepath.Join(dir, "none.yaml") + ": no such file", false},
		{"some.yaml#/Y", filepath.Join(dir, "some.yaml") + " has nothing there", false},
		{"some.yaml#/Z/deep", filepath.Join(dir, "some.yaml") + " has nothing there", false},
	}
	if diff := cmp.Diff(want, c.Unresolved); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	properties := one(t, c, "a").Response(200).Content[0].Schema.Properties
	if z := properties["z"].Value; z == nil || !z.Type.Is("string") {
		t.Errorf("z is %+v", z)
	}
}

func TestOneBrokenSourceDoesNotHideTheOthers(t *testing.T) {
	dir := files(t, map[string]string{
		"a.yaml": workflow("sourceDescriptions: [{name: x, url: x.yaml}, {name: c, url: c.yaml}, {name: o, url: o.yaml}]"),
		"c.yaml": workflow("sourceDescriptions: [{name: y, url: y.yaml}]"),
		"o.yaml": api("a"),
	})
	s, problems := load(t, NewLoader(Options{Offline: true}), filepath.Join(dir, "a.yaml"))
	if len(problems) != 2 || problems[0].Source != "x" || problems[1].Source != "y" {
		t.Errorf("problems %v", problems)
	}
	if problems[1].File != Display(fileURL(filepath.Join(dir, "c.yaml"))) {
		t.Errorf("the problem of c.yaml is told of %s", problems[1].File)
	}
	if len(s.Source("o").OpenAPI.ByID("a")) != 1 {
		t.Error("o is lost")
	}
}

func TestACanceledLoadDoesNotSpoilTheNext(t *testing.T) {
	web := serve(t, map[string]string{"/o.yaml": api("a")})
	dir := files(t, map[string]string{"a.yaml": workflow("sourceDescriptions: [{name: o, url: '" + web.URL + "/o.yaml'}]")})
	l := NewLoader(Options{})
	doc, location, _, err := l.LoadDocument(t.Context(), filepath.Join(dir, "a.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, problems := l.Load(ctx, doc, location); len(problems) != 1 {
		t.Fatalf("problems %v", problems)
	}
	if _, problems := l.Load(t.Context(), doc, location); len(problems) != 0 {
		t.Errorf("problems %v", problems)
	}
}

func TestAFetchThatDoesNotEndIsGivenUp(t *testing.T) {
	release := make(chan struct{})
	web := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { <-release }))
	defer web.Close()
	defer close(release)
	_, _, _, err := NewLoader(Options{Timeout: 1}).LoadDocument(t.Context(), web.URL+"/a.yaml")
	if err == nil || !strings.HasSuffix(err.Error(), "/a.yaml: no answer within 1ns") {
		t.Errorf("error %v", err)
	}
}

func TestABodyWithoutLengthIsLimitedToo(t *testing.T) {
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		for range 100 {
			_, _ = w.Write(make([]byte, 1024))
			w.(http.Flusher).Flush()
		}
	}))
	defer web.Close()
	_, _, _, err := NewLoader(Options{MaxBytes: 2048}).LoadDocument(t.Context(), web.URL+"/a.yaml")
	if err == nil || !strings.HasSuffix(err.Error(), "it is larger than the limit of 2 KiB") {
		t.Errorf("error %v", err)
	}
}

func TestAMissingDocumentIsNamedAsItWasAskedFor(t *testing.T) {
	_, _, _, err := NewLoader(Options{}).LoadDocument(t.Context(), "testdata/none.yaml")
	if err == nil || err.Error() != "testdata/none.yaml: no such file" {
		t.Errorf("error %v", err)
	}
}
