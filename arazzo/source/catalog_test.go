package source

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/weft-flow/weft/arazzo/value"
)

// catalogAt catalogs a file of testdata as if it had been read from location.
func catalogAt(t *testing.T, file, location string) *Catalog {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("testdata", file))
	if err != nil {
		t.Fatal(err)
	}
	return catalogText(t, string(data), location)
}

func catalogText(t *testing.T, text, location string) *Catalog {
	t.Helper()
	c, _, err := NewLoader(Options{Offline: true}).parseOpenAPI(context.Background(), detect([]byte(text)), []byte(text), location)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func one(t *testing.T, c *Catalog, id string) *Operation {
	t.Helper()
	found := c.ByID(id)
	if len(found) != 1 {
		t.Fatalf("%d operations %s, want one", len(found), id)
	}
	return found[0]
}

func TestOperationsComeInOrderOfKindPathAndMethod(t *testing.T) {
	for file, want := range map[string][]string{
		"stock.yaml": {
			"operation DELETE /items/{id} /paths/~1items~1{id}/delete",
			"operation GET /items/{id} /paths/~1items~1{id}/get",
			"operation GET /twice /paths/~1twice/get",
			"operation PUT /twice /paths/~1twice/put",
			"operation POST /watch /paths/~1watch/post",
			"callback POST {$request.body#/to} /paths/~1watch/post/callbacks/changed/{$request.body#~1to}/post",
		},
		"events.json": {
			"operation POST /events /paths/~1events/post",
			"webhook POST event.sent /webhooks/event.sent/post",
		},
		"search.yaml": {
			"operation COPY /search /paths/~1search/additionalOperations/COPY",
			"operation GET /search /paths/~1search/get",
			"operation QUERY /search /paths/~1search/query",
		},
		"ledger.yaml": {
			"operation GET /entries /paths/~1entries/get",
			"operation POST /entries /paths/~1entries/post",
		},
	} {
		var got []string
		for _, o := range catalogAt(t, file, "file:///x/"+file).Operations {
			got = append(got, strings.Join([]string{o.Kind.String(), o.Method, o.Path, o.Pointer}, " "))
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", file, diff)
		}
	}
}

func TestParametersAreMergedAndHaveTheirDefaults(t *testing.T) {
	type param struct {
		Name, In, Style, ContentType string
		Required, Explode            bool
	}
	brief := func(list []*Parameter) (out []param) {
		for _, p := range list {
			out = append(out, param{p.Name, p.In, p.Style, p.ContentType, p.Required, p.Explode})
		}
		return out
	}
	for _, test := range []struct {
		file, id string
		want     []param
	}{
		{"stock.yaml", "getItem", []param{
			{"id", "path", "simple", "", true, false},
			{"fields", "query", "form", "", false, false}, // the operation's, which is not required
			{"trace", "header", "simple", "", false, false},
			{"filter", "query", "form", "application/json", false, true},
			{"session", "cookie", "form", "", false, true},
		}},
		{"stock.yaml", "removeItem", []param{
			{"id", "path", "simple", "", true, false},
			{"fields", "query", "form", "", true, true},
			{"trace", "header", "simple", "", false, false},
		}},
		{"search.yaml", "searchByText", []param{
			{"query", "querystring", "form", "application/x-www-form-urlencoded", false, true},
		}},
		{"ledger.yaml", "listEntries", []param{
			{"tenant", "header", "simple", "", true, false},
			{"kinds", "query", "pipeDelimited", "", false, false},
		}},
	} {
		o := one(t, catalogAt(t, test.file, "file:///x"), test.id)
		if diff := cmp.Diff(test.want, brief(o.Params)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", test.id, diff)
		}
	}
}

func TestAParameterIsFoundByNameAndPlace(t *testing.T) {
	o := one(t, catalogAt(t, "stock.yaml", "file:///x"), "getItem")
	if o.Parameter("TRACE", "header") == nil {
		t.Error("a header is not found by its name in other case")
	}
	if o.Parameter("FIELDS", "query") != nil {
		t.Error("a query parameter is found by its name in other case")
	}
	if o.Parameter("id", "query") != nil {
		t.Error("a parameter is found in another place than its own")
	}
	if got := o.Parameter("fields", "query").Schema.Items.Value.Type.Is("string"); !got {
		t.Error("the schema of a parameter is lost")
	}
}

func TestServersAreResolvedAgainstTheLocation(t *testing.T) {
	const head = "openapi: 3.0.3\ninfo: {title: t, version: '1'}\n"
	const paths = "\npaths: {/a: {get: {operationId: a, responses: {}}}}\n"
	for _, test := range []struct {
		name, servers, location, want string
	}{
		{"none", "", "https://h.example/specs/a.yaml", "https://h.example"},
		{"the root", "servers: [{url: /}]", "https://h.example/specs/a.yaml", "https://h.example"},
		{"a base path", "servers: [{url: /v1/}]", "https://h.example/specs/a.yaml", "https://h.example/v1"},
		{"a relative path", "servers: [{url: ./v1}]", "https://h.example/specs/a.yaml", "https://h.example/specs/v1"},
		{"a path upwards", "servers: [{url: ../v1}]", "https://h.example/specs/a.yaml", "https://h.example/v1"},
		{"another host", "servers: [{url: //o.example/x}]", "https://h.example/specs/a.yaml", "https://o.example/x"},
		{"an absolute one", "servers: [{url: 'http://o.example:8080/x/'}]", "https://h.example/a.yaml", "http://o.example:8080/x"},
		{"none, of a file", "", "file:///d/a.yaml", ""},
		{"a base path, of a file", "servers: [{url: /v1/}]", "file:///d/a.yaml", "/v1"},
		{"an absolute one, of a file", "servers: [{url: 'https://o.example/'}]", "file:///d/a.yaml", "https://o.example"},
		{"a variable", "servers: [{url: 'https://{r}.example/{v}', variables: {r: {default: eu}, v: {enum: [v2]}}}]", "file:///a", "https://eu.example/v2"},
		{"a variable without value", "servers: [{url: 'https://{r}.example'}]", "file:///a", "https://{r}.example"},
		{"a variable in a relative one", "servers: [{url: '/{v}/', variables: {v: {default: v3}}}]", "http://h.example/a", "http://h.example/v3"},
	} {
		t.Run(test.name, func(t *testing.T) {
			o := one(t, catalogText(t, head+test.servers+paths, test.location), "a")
			if len(o.Servers) != 1 || o.Servers[0].URL != test.want {
				t.Errorf("servers %v, want %q", o.Servers, test.want)
			}
			if want := strings.HasPrefix(test.want, "http"); o.Servers[0].Absolute() != want {
				t.Errorf("absolute: %v, want %v", !want, want)
			}
		})
	}
}

func TestServerVariablesCanBeGiven(t *testing.T) {
	const head, paths = "openapi: 3.1.0\ninfo: {title: t, version: '1'}\n", "\npaths: {/a: {get: {operationId: a, responses: {'200': {description: ok}}}}}\n"
	const servers = "servers: [{url: 'https://{r}.example/{v}/{w}', variables: {r: {default: eu, enum: [eu, us]}, v: {default: v1}, w: {}}}]"
	server := one(t, catalogText(t, head+servers+paths, "file:///a"), "a").Servers[0]
	got, err := server.With(map[string]string{"r": "us", "w": "x", "none": "y"})
	if err != nil || got.URL != "https://us.example/v1/x" {
		t.Errorf("got %q, %v", got.URL, err)
	}
	if _, err := server.With(map[string]string{"r": "mars"}); err == nil || !strings.Contains(err.Error(), `the server variable r cannot be "mars": there are eu, us`) {
		t.Errorf("a value that is not allowed: %v", err)
	}
	if got := strings.Join(server.Variables(), " "); got != "r v w" {
		t.Errorf("the variables are %s", got)
	}
	if same, err := (Server{URL: "https://x"}).With(map[string]string{"a": "b"}); err != nil || same.URL != "https://x" {
		t.Errorf("a server that nothing is known of: %v, %v", same, err)
	}
	relative := one(t, catalogText(t, head+"servers: [{url: '/{v}/', variables: {v: {default: v3}}}]"+paths, "http://h.example/a"), "a").Servers[0]
	if got, err := relative.With(map[string]string{"v": "v4"}); err != nil || got.URL != "http://h.example/v4" {
		t.Errorf("a relative one: %v, %v", got, err)
	}
}

func TestTheNearestServersCount(t *testing.T) {
	c := catalogAt(t, "stock.yaml", "https://h.example/stock.yaml")
	urls := func(servers []Server) []string {
		var all []string
		for _, s := range servers {
			all = append(all, s.URL)
		}
		return all
	}
	for id, want := range map[string][]string{
		"removeItem": {"https://delete.stock.example"},
		"getItem":    {"https://items.stock.example"},
		"watch":      {"https://eu.stock.example/v1", "https://h.example"},
	} {
		if diff := cmp.Diff(want, urls(one(t, c, id).Servers)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", id, diff)
		}
	}
	ledger := one(t, catalogAt(t, "ledger.yaml", "file:///x"), "addEntry")
	if diff := cmp.Diff([]string{"https://ledger.example/v2"}, urls(ledger.Servers)); diff != "" {
		t.Errorf("Swagger (-want +got):\n%s", diff)
	}
}

func TestSecurityOfTheOperationReplacesThatOfTheRoot(t *testing.T) {
	c := catalogAt(t, "stock.yaml", "https://h.example/stock.yaml")
	want := []SecurityRequirement{{"token": {}}, {"key": {}, "app": {"read"}}}
	if diff := cmp.Diff(want, one(t, c, "getItem").Security); diff != "" {
		t.Errorf("inherited (-want +got):\n%s", diff)
	}
	if got := one(t, c, "removeItem").Security; len(got) != 0 {
		t.Errorf("an empty list still needs %v", got)
	}
	wantSchemes := map[string]*SecurityScheme{
		"token": {Name: "token", Type: "oauth2", Flows: []OAuthFlow{{Grant: "clientCredentials", TokenURL: "https://h.example/token", Scopes: []string{"read", "write"}}}},
		"key":   {Name: "key", Type: "apiKey", In: "header", Key: "X-Key"},
		"app":   {Name: "app", Type: "http", Scheme: "bearer"},
	}
	if diff := cmp.Diff(wantSchemes, c.Security); diff != "" {
		t.Errorf("schemes (-want +got):\n%s", diff)
	}
	swagger := catalogAt(t, "ledger.yaml", "file:///x")
	if got := swagger.Security["basic"]; got == nil || got.Type != "http" || got.Scheme != "basic" {
		t.Errorf("Swagger's basic became %+v", got)
	}
}

func TestBodiesAndResponses(t *testing.T) {
	c := catalogAt(t, "stock.yaml", "file:///x")
	watch := one(t, c, "watch")
	if !watch.Body.Required || len(watch.Body.Content) != 2 {
		t.Fatalf("body %+v", watch.Body)
	}
	if got := watch.Body.Content[0].Type; got != "application/x-www-form-urlencoded" {
		t.Errorf("the first media type is %s: the order of the description is lost", got)
	}
	if got := watch.MediaType("application/x-www-form-urlencoded").Encoding["tags"]; got == nil || got.Style != "spaceDelimited" {
		t.Errorf("encoding %+v", got)
	}
	item := one(t, c, "getItem")
	var statuses []string
	for _, r := range item.Responses {
		statuses = append(statuses, r.Status)
	}
	if diff := cmp.Diff([]string{"200", "4XX", "default"}, statuses); diff != "" {
		t.Errorf("statuses (-want +got):\n%s", diff)
	}
	ok := item.Response(200)
	if got := ok.MediaType("application/json"); got.Schema.Properties["parts"].Value.Items.Value != got.Schema {
		t.Error("a schema that refers to itself is not resolved to itself")
	}
	if diff := cmp.Diff(any(map[string]any{"id": "a", "size": 1.0}), ok.MediaType("application/json").Example); diff != "" {
		t.Errorf("example (-want +got):\n%s", diff)
	}
	if h := ok.Header("x-rate"); h == nil || !h.Schema.Type.Is("integer") || h.Style != "simple" {
		t.Errorf("header %+v", h)
	}
	if one(t, c, "removeItem").MediaType("application/json") != nil {
		t.Error("an operation without a body has a media type")
	}
}

func TestHeadersThatOpenAPIDescribesElsewhere(t *testing.T) {
	o := one(t, catalogText(t, `{"openapi": "3.0.3", "info": {"title": "t", "version": "1"}, "paths": {"/a": {"get": {"operationId": "a",
		"parameters": [{"name": "Authorization", "in": "header", "required": true}, {"name": "X-Own", "in": "header", "required": true}],
		"responses": {"200": {"description": "d", "headers": {"Content-Type": {}, "X-Rate": {}}}}}}}}`, "file:///x"), "a")
	if o.Parameter("Authorization", "header").Required || !o.Parameter("X-Own", "header").Required {
		t.Errorf("parameters %+v %+v", o.Params[0], o.Params[1])
	}
	if r := o.Response(200); r.Header("Content-Type") != nil || r.Header("X-Rate") == nil {
		t.Errorf("headers %+v", r.Headers)
	}
}

func TestSharedPathItemsAndMediaTypes(t *testing.T) {
	c := catalogText(t, `openapi: 3.2.0
info: {title: t, version: '1'}
paths:
  /a: {$ref: '#/components/pathItems/A'}
components:
  pathItems:
    A:
      get:
        operationId: a
        responses:
          '200': {description: d, content: {application/json: {$ref: '#/components/mediaTypes/M'}}}
  mediaTypes:
    M:
      schema: {$ref: '#/components/schemas/S'}
      examples: {one: {dataValue: {n: 1}}}
  schemas:
    S: {type: object}
`, "file:///x")
	m := one(t, c, "a").Response(200).MediaType("application/json")
	if m == nil || m.Schema == nil || !m.Schema.Type.Is("object") {
		t.Fatalf("media type %+v", m)
	}
	if diff := cmp.Diff(any(map[string]any{"n": 1.0}), m.Example); diff != "" {
		t.Errorf("example (-want +got):\n%s", diff)
	}
}

func TestKeywordsBesideAReferenceCountFrom31On(t *testing.T) {
	o := one(t, catalogAt(t, "events.json", "file:///x"), "emit")
	schema := o.MediaType("application/json").Schema
	if len(schema.AllOf) != 1 || schema.AllOf[0].Value.MaxProps == nil {
		t.Errorf("maxProperties beside the $ref is lost: %+v", schema)
	}
}

func TestAResponseIsFoundByItsStatus(t *testing.T) {
	o := one(t, catalogAt(t, "stock.yaml", "file:///x"), "getItem")
	for status, want := range map[int]string{200: "200", 404: "4XX", 500: "default", 201: "default"} {
		if got := o.Response(status); got == nil || got.Status != want {
			t.Errorf("%d is described by %v, want %s", status, got, want)
		}
	}
	if got := one(t, catalogAt(t, "events.json", "file:///x"), "emit").Response(500); got != nil {
		t.Errorf("500 is described by %v, want none", got)
	}
}

func TestAMediaTypeIsFoundByTheNearestRange(t *testing.T) {
	content := []*MediaType{{Type: "*/*"}, {Type: "text/*"}, {Type: "text/plain"}, {Type: "text/plain; charset=latin1"}, {Type: "application/json"}, {Type: "application/*+xml"}}
	for wanted, want := range map[string]string{
		"application/json":                "application/json",
		"Application/JSON; charset=utf-8": "application/json",
		"text/plain":                      "text/plain",
		"text/plain; charset=latin1":      "text/plain; charset=latin1",
		"text/plain;charset=utf-8":        "text/plain",
		"text/html":                       "text/*",
		"image/png":                       "*/*",
		"application/vnd.api+json":        "*/*",
		"application/atom+xml":            "application/*+xml",
		"application/+xml":                "*/*",
		"application/xml":                 "*/*",
		"image/svg+xml":                   "*/*",
		"text":                            "*/*",
	} {
		if got := matchMedia(content, wanted); got == nil || got.Type != want {
			t.Errorf("%q is %v, want %s", wanted, got, want)
		}
	}
	if got := matchMedia(content[2:], "image/png"); got != nil {
		t.Errorf("image/png is %v, want none", got)
	}
	if got := matchMedia(content, ""); got != nil {
		t.Errorf("nothing is %v, want none", got)
	}
}

func TestPointersNameOperations(t *testing.T) {
	c := catalogAt(t, "stock.yaml", "file:///x")
	for pointer, want := range map[string]string{
		"/paths/~1items~1{id}/get": "getItem",
		"/paths/~1watch/post":      "watch", // through the $ref of its path item
		"/paths/~1watch/post/callbacks/changed/{$request.body#~1to}/post": "itemChanged",
	} {
		o, err := c.ByPointer(parsePointer(t, pointer))
		if err != nil || o.ID != want {
			t.Errorf("%s: %v %v, want %s", pointer, o, err, want)
		}
	}
	if o, err := catalogAt(t, "events.json", "file:///x").ByPointer(value.Pointer{"webhooks", "event.sent", "post"}); err != nil || o.Kind != Webhook {
		t.Errorf("webhook: %v %v", o, err)
	}
}

func TestALostPointerSaysHowFarItLeads(t *testing.T) {
	c := catalogAt(t, "stock.yaml", "file:///x")
	for pointer, want := range map[string]string{
		"/paths/~1items~1{ID}/get": `no operation "/paths/~1items~1{ID}/get": the pointer leads as far as /paths, which has no "/items/{ID}"; did you mean "/items/{id}"?`,
		"/paths/~1items~1{id}/put": `no operation "/paths/~1items~1{id}/put": the pointer leads as far as /paths/~1items~1{id}, which has no "put"; did you mean "delete" or "get"?`,
		"/paths/~1items~1{id}/GET": `no operation "/paths/~1items~1{id}/GET": methods are written in lower case in a description; did you mean "/paths/~1items~1{id}/get"?`,
		"/paths/~1watch":           `no operation "/paths/~1watch": the pointer ends at /paths/~1watch, which is no operation; did you mean "post"?`,
		"/paths/~1watch/post/tags": `no operation "/paths/~1watch/post/tags": the pointer leads beyond an operation; did you mean "/paths/~1watch/post"?`,
		"/path/~1watch/post":       `no operation "/path/~1watch/post": the pointer leads as far as the root, which has no "path"; did you mean "paths"?`,
		"":                         `no operation "": the pointer ends at the root, which is no operation; did you mean "paths"?`,
	} {
		_, err := c.ByPointer(parsePointer(t, pointer))
		var lost *NotFoundError
		if !errors.As(err, &lost) {
			t.Errorf("%s: %v, want a NotFoundError", pointer, err)
			continue
		}
		if err.Error() != want {
			t.Errorf("%s:\n got %s\nwant %s", pointer, err, want)
		}
	}
}

func parsePointer(t *testing.T, text string) value.Pointer {
	t.Helper()
	p, err := value.ParsePointer(text)
	if err != nil {
		t.Fatal(err)
	}
	return p
}
