package rules_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync"
	"testing"

	"github.com/weft-flow/weft/arazzo/source"
	"github.com/weft-flow/weft/lint"
	"github.com/weft-flow/weft/lint/rules"
)

// TestEachSourceIsLoadedOnce lints 1,000 documents that have ten sources of the
// network between them, and counts what is fetched.
func TestEachSourceIsLoadedOnce(t *testing.T) {
	api, err := os.ReadFile("testdata/shop.openapi.yaml")
	if err != nil {
		t.Fatal(err)
	}
	flow, err := os.ReadFile("testdata/criteria-satisfiable/good.arazzo.yaml")
	if err != nil {
		t.Fatal(err)
	}
	var mu sync.Mutex
	fetched := map[string]int{}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		fetched[r.URL.Path]++
		mu.Unlock()
		_, _ = w.Write(api)
	}))
	defer server.Close()
	var inputs []lint.Input
	for i := range 1000 {
		url := fmt.Sprintf("%s/shop%d.openapi.yaml", server.URL, i%10)
		text := strings.Replace(string(flow), "../shop.openapi.yaml", url, 1)
		inputs = append(inputs, lint.Input{Path: fmt.Sprintf("%d.arazzo.yaml", i), Data: []byte(text)})
	}
	result, err := lint.Run(context.Background(), inputs, lint.Options{Rules: rules.All()})
	if err != nil {
		t.Fatal(err)
	}
	if len(fetched) != 10 {
		t.Errorf("%d sources were fetched, want 10", len(fetched))
	}
	for path, n := range fetched {
		if n != 1 {
			t.Errorf("%s was fetched %d times", path, n)
		}
	}
	if len(result.Files) != 1000 || result.Count(lint.Error) > 0 {
		t.Errorf("%d files, %d errors", len(result.Files), result.Count(lint.Error))
	}
}

// TestASourceThatIsNotThere holds that what depends on a source is silent where
// that could not be loaded, and the result says so.
func TestASourceThatIsNotThere(t *testing.T) {
	const document = `arazzo: 1.1.0
info: {title: Shop, version: 1.0.0}
sourceDescriptions:
  - {name: shop, url: 'https://shop.invalid/openapi.yaml', type: openapi}
workflows:
  - workflowId: order
    steps:
      - stepId: get
        operationId: nothingKnown
        parameters: [{name: unknown, in: query, value: $inputs.missing}]
      - {stepId: other, operationId: $sourceDescriptions.shop.nothingEither}
      - {stepId: path, operationPath: '{$sourceDescriptions.shop.url}#/paths/~1none/get'}
`
	loader := source.NewLoader(source.Options{Offline: true})
	result, err := lint.Run(context.Background(), []lint.Input{{Path: "a.arazzo.yaml", Data: []byte(document)}},
		lint.Options{Rules: rules.All(), Loader: loader})
	if err != nil {
		t.Fatal(err)
	}
	file := result.Files[0]
	for _, d := range file.Diagnostics {
		if d.Severity == lint.Error && d.Rule != "input-declared" {
			t.Errorf("%s: %s", d.Rule, d.Message)
		}
	}
	if file.Complete || len(file.Incomplete) != 1 || !strings.Contains(file.Incomplete[0].What, `"shop"`) {
		t.Errorf("complete %t, incomplete %v", file.Complete, file.Incomplete)
	}
}

// TestWhatIsNotSupportedIsNotChecked holds that a condition which Weft cannot
// judge is no finding, and is told as not checked.
func TestWhatIsNotSupportedIsNotChecked(t *testing.T) {
	path := "testdata/xpath-syntax/good.arazzo.yaml"
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	text := strings.Replace(string(data), "//order[1]", "'every $o in //order satisfies $o/paid'", 1)
	file := lintText(t, path, []byte(text)).Files[0]
	for _, d := range file.Diagnostics {
		if d.Severity == lint.Error {
			t.Errorf("%s: %s", d.Rule, d.Message)
		}
	}
	if file.Complete || len(file.Incomplete) != 1 || file.Incomplete[0].What != "condition in line 20" {
		t.Errorf("complete %t, incomplete %v", file.Complete, file.Incomplete)
	}
}
