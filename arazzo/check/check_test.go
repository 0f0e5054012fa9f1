package check_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/weft-flow/weft/arazzo"
	"github.com/weft-flow/weft/arazzo/check"
	"github.com/weft-flow/weft/arazzo/source"
)

// load catalogs the description in a file.
func load(t testing.TB, path string) *source.Catalog {
	t.Helper()
	absolute, err := filepath.Abs(path)
	if err != nil {
		t.Fatal(err)
	}
	text := fmt.Sprintf(`{"arazzo":"1.1.0","info":{"title":"t","version":"1"},"sourceDescriptions":[{"name":"api","url":%q,"type":"openapi"}],"workflows":[]}`,
		"file://"+filepath.ToSlash(absolute))
	doc, _ := arazzo.Parse("flow.yaml", []byte(text))
	set, problems := source.NewLoader(source.Options{Offline: true}).Load(context.Background(), doc, "file:///flow.yaml")
	for _, p := range problems {
		t.Fatal(p.Message)
	}
	return set.Sources[0].OpenAPI
}

// describe catalogs a description that is given as text.
func describe(t testing.TB, text string) *source.Catalog {
	t.Helper()
	path := filepath.Join(t.TempDir(), "api.yaml")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return load(t, path)
}

// withSchema gives an operation POST /x that sends and answers JSON of one schema.
func withSchema(t testing.TB, version, schema, components string) *source.Operation {
	t.Helper()
	if components == "" {
		components = "{}"
	}
	content := fmt.Sprintf(`{"application/json":{"schema":%s}}`, schema)
	if !json.Valid([]byte(content)) || !json.Valid([]byte(components)) {
		t.Fatalf("the test is wrong: no JSON: %s %s", content, components)
	}
	c := describe(t, fmt.Sprintf(`{"openapi":%q,"info":{"title":"t","version":"1"},"paths":{"/x":{"post":{"operationId":"x",
		"requestBody":{"content":%s},"responses":{"200":{"description":"","content":%s}}}}},"components":{"schemas":%s}}`,
		version, content, content, components))
	return c.ByID("x")[0]
}

var asJSON = map[string][]string{"Content-Type": {"application/json"}}

func answered(op *source.Operation, body string) check.Result {
	return new(check.Checker).Response(op, check.Response{Status: 200, Header: asJSON, Body: []byte(body)})
}

func sent(op *source.Operation, body string) check.Result {
	return new(check.Checker).Request(op, check.Request{Header: asJSON, Body: []byte(body)})
}

// told gives the findings of a result, one a line.
func told(r check.Result) []string {
	var lines []string
	for _, f := range r.Findings {
		lines = append(lines, f.String())
	}
	return lines
}

func gapsOf(r check.Result) []string {
	var lines []string
	for _, g := range r.Gaps {
		lines = append(lines, g.Reason)
	}
	return lines
}
