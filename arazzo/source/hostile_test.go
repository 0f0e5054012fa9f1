package source

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

const apiHead = "openapi: 3.1.0\ninfo: {title: t, version: '1'}\npaths: {/a: {get: {operationId: a, responses: {}}}}\n"

// within fails the test where the work takes so long that it cannot be linear.
func within(t *testing.T, limit time.Duration, work func()) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), limit)
	defer cancel()
	done := make(chan struct{})
	go func() {
		defer close(done)
		work()
	}()
	select {
	case <-done:
	case <-ctx.Done():
		t.Fatalf("took more than %s", limit)
	}
}

func TestHostileDescriptionsAreRefusedInTime(t *testing.T) {
	aliases := apiHead + "x-a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n"
	for i := 1; i < 9; i++ {
		aliases += fmt.Sprintf("x-a%d: &a%d [%s]\n", i, i, strings.TrimSuffix(strings.Repeat(fmt.Sprintf("*a%d, ", i-1), 10), ", "))
	}
	var chain, fan strings.Builder
	chain.WriteString(apiHead + "components:\n  schemas:\n    S040000: {}\n")
	for i := range 40_000 {
		fmt.Fprintf(&chain, "    S%06d: {properties: {a: {$ref: '#/components/schemas/S%06d'}}}\n", i, i+1)
	}
	fan.WriteString(apiHead + "components:\n  schemas:\n    Wide:\n      properties:\n")
	for i := range 10_000 {
		fmt.Fprintf(&fan, "        p%d: {$ref: '#/components/schemas/Wide'}\n", i)
	}
	knot := apiHead + "x-k0: {a: {a: {a: {}}}}\n"
	for i := 1; i < 60; i++ {
		knot += fmt.Sprintf("x-k%d: {a: {$ref: '#/x-k%d/a/a'}, $ref: '#/x-k%d'}\n", i, i-1, i-1)
	}
	knot += "components: {schemas: {A: {$ref: '#/x-k59/a/a/a'}}}\n"
	for name, test := range map[string]struct{ text, want string }{
		"aliases that multiply":           {aliases, "its aliases stand for more than ten times what is written"},
		"an alias inside of itself":       {apiHead + "x-a: &a {b: [*a]}\n", "line 4: the alias *a stands inside of what it stands for"},
		"deep JSON":                       {`{"openapi": "3.1.0", "x": ` + strings.Repeat(`{"a":`, 200_000) + "1" + strings.Repeat("}", 200_000) + "}", "it nests more than 1000 levels deep"},
		"deep YAML":                       {apiHead + "x-a: " + strings.Repeat("[", 5000) + strings.Repeat("]", 5000), "it nests more than 1000 levels deep"},
		"references strung together":      {chain.String(), "its references are strung together to more than 100,000 levels"},
		"references that multiply":        {fan.String(), "to follow its references would take too long"},
		"a mapping as key":                {apiHead + "? {a: b}\n: c\n", "line 4: a key must be a string, not a mapping or a list"},
		"no number of JSON":               {apiHead + "x-a: .inf\n", "line 4: JSON has no number .inf"},
		"paths that are a list":           {"openapi: 3.1.0\npaths: [1]\n", "it cannot be read as OpenAPI"},
		"a list":                          {"- openapi: 3.1.0\n", "it is no mapping"},
		"a reference knotted with itself": {knot, ""},
	} {
		t.Run(name, func(t *testing.T) {
			within(t, 20*time.Second, func() {
				_, _, err := NewLoader(Options{Offline: true}).parseOpenAPI(context.Background(), flavourOpenAPI, []byte(test.text), "file:///x")
				if test.want == "" && err == nil {
					return
				}
				if err == nil || !strings.Contains(err.Error(), test.want) {
					t.Errorf("error %v, want %q", err, test.want)
				}
			})
		})
	}
}

func TestReferencesThatLeadNowhereCostOnlyThemselves(t *testing.T) {
	c := catalogText(t, `openapi: 3.1.0
info: {title: t, version: 1.0}
paths:
  /a:
    get:
      operationId: a
      parameters:
        - $ref: '#/components/parameters/None'
        - {name: q, in: query, schema: {type: string}, content: {application/json: {}}}
      responses:
        '200': {description: 404, content: {application/json: {schema: {$ref: '#/components/schemas/Round'}}}}
        '201': {description: d, content: {application/json: {schema: {$ref: '#/components/schemas/Good'}}}}
components:
  schemas:
    Round: {$ref: '#/components/schemas/Trip'}
    Trip: {$ref: '#/components/schemas/Round'}
    Anchor: {$ref: '#somewhere'}
    Good: {type: object, required: [yes, 1], properties: {example: {$ref: '#/components/schemas/Nothing'}}, example: {$ref: '#/not/a/reference'}}
`, "file:///x")
	var got []string
	for _, r := range c.Unresolved {
		got = append(got, r.Ref+": "+r.Reason)
	}
	want := []string{
		"#/components/parameters/None: nothing is there",
		"#/components/schemas/Nothing: nothing is there",
		"#/components/schemas/Round: nothing is there",
		"#/components/schemas/Trip: nothing is there",
		"#somewhere: nothing is there",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("unresolved (-want +got):\n%s", diff)
	}
	o := one(t, c, "a")
	if len(o.Params) != 1 || o.Params[0].ContentType != "application/json" {
		t.Errorf("parameters %+v", o.Params)
	}
	if s := o.Response(201).Content[0].Schema; s == nil || strings.Join(s.Required, " ") != "yes 1" {
		t.Errorf("schema %+v", s)
	}
}

func TestOtherScalarsThanJSONsAreText(t *testing.T) {
	c := catalogText(t, apiHead[:strings.Index(apiHead, "paths")]+`paths:
  /a:
    get:
      operationId: a
      parameters: [{name: on, in: query, example: 2020-01-01, schema: {type: string}}]
      responses: {200: &ok {description: d}, 201: *ok}
`, "file:///x")
	o := one(t, c, "a")
	if o.Params[0].Name != "on" || o.Params[0].Example != any("2020-01-01") {
		t.Errorf("parameter %+v", o.Params[0])
	}
	if len(o.Responses) != 2 {
		t.Errorf("responses %v", o.Responses)
	}
}

func TestTheLastOfEqualNamesInJSONStays(t *testing.T) {
	c := catalogText(t, `{"openapi": "3.1.0", "info": {"title": "a", "title": "b", "version": "1"}, "paths": {}}`, "file:///x")
	if c.Title != "b" {
		t.Errorf("title %s", c.Title)
	}
}

func TestFlowYAMLThatLooksLikeJSON(t *testing.T) {
	c := catalogText(t, "{openapi: 3.1.0, info: {title: t, version: '1'}, paths: {/a: {get: {operationId: a, responses: {}}}}}", "file:///x")
	one(t, c, "a")
}

func TestTheFlavourIsSeenFromTheContent(t *testing.T) {
	for text, want := range map[string]flavour{
		"openapi: 3.1.0":                              flavourOpenAPI,
		"\ufeffopenapi: 3.1.0":                        flavourOpenAPI,
		"# c\n---\n'swagger' : '2.0'":                 flavourSwagger,
		"info:\n  openapi: 3.1.0\narazzo: 1.0.0":      flavourArazzo,
		`{"info": {"openapi": 1}, "asyncapi": "3.0"}`: flavourAsyncAPI,
		`{"info": "\"openapi\": {", "swagger": "2"}`:  flavourSwagger,
		"{a: 1, openapi: 3.1.0}":                      flavourOpenAPI,
		"d: |\n  openapi: 3.1.0\n":                    flavourUnknown,
		`{"a": "openapi"}`:                            flavourUnknown,
		`{"a`:                                         flavourUnknown,
		"":                                            flavourUnknown,
	} {
		if got := detect([]byte(text)); got != want {
			t.Errorf("%q is %q, want %q", text, got, want)
		}
	}
}

func FuzzParse(f *testing.F) {
	for _, name := range []string{"stock.yaml", "events.json", "search.yaml", "ledger.yaml", "notices.asyncapi.yaml"} {
		data, err := os.ReadFile(filepath.Join("testdata", name))
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data)
	}
	f.Add([]byte("openapi: 3.1.0\nx: &a [*a]"))
	f.Add([]byte(`{"openapi":"3.1.0","paths":{"/a":{"$ref":"#/paths/~1a"}}}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		c, err := NewLoader(Options{Offline: true}).parse(t.Context(), data, "file:///x/y.yaml")
		if err == nil && c.catalog != nil {
			for _, o := range c.catalog.Operations {
				if found, err := c.catalog.ByPointer(parsePointer(t, o.Pointer)); err != nil || found.Pointer != o.Pointer {
					t.Errorf("%s leads to %v, %v", o.Pointer, found, err)
				}
			}
		}
	})
}

// TestForeignDescriptions loads what others have written: it may be at fault,
// but must be read or refused in plain words.
func TestForeignDescriptions(t *testing.T) {
	root := os.Getenv("WEFT_CONFORMANCE")
	if root == "" {
		t.Skip("WEFT_CONFORMANCE is not set: no foreign descriptions to read")
	}
	loader := NewLoader(Options{Offline: true, Root: root})
	loaded, refused := 0, 0
	err := filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || !strings.HasSuffix(path, ".yaml") && !strings.HasSuffix(path, ".yml") && !strings.HasSuffix(path, ".json") {
			return err
		}
		data, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		switch f := detect(data); f {
		case flavourOpenAPI, flavourSwagger, flavourAsyncAPI:
			if _, err := loader.parse(t.Context(), data, fileURL(path)); err != nil {
				refused++
				t.Logf("%s: %s", path, err)
			} else {
				loaded++
			}
		case flavourArazzo:
			if doc, location, _, err := loader.LoadDocument(t.Context(), path); err == nil && doc != nil {
				_, _ = loader.Load(t.Context(), doc, location)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%d descriptions were read, %d refused", loaded, refused)
	if loaded == 0 {
		t.Error("no description was read")
	}
}
