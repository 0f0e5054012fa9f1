package mock_test

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/weft-flow/weft/arazzo"
	"github.com/weft-flow/weft/arazzo/source"
	"github.com/weft-flow/weft/executor/mock"
)

// TestSourcesOfNestedDocuments lists each description once, under its own name, with the
// names that nested documents have for it.
func TestSourcesOfNestedDocuments(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"pay.yaml":  "openapi: 3.1.0\ninfo: {title: Pay, version: '1'}\npaths: {/pay: {get: {operationId: look, responses: {'200': {description: ok}}}}}\n",
		"ship.yaml": "openapi: 3.1.0\ninfo: {title: Ship, version: '1'}\npaths: {/ship: {get: {operationId: see, responses: {'200': {description: ok}}}}}\n",
		"inner.arazzo.yaml": `
arazzo: 1.1.0
info: {title: Inner, version: '1'}
sourceDescriptions: [{name: money, url: ./pay.yaml, type: openapi}, {name: pay, url: ./ship.yaml, type: openapi}]
workflows: [{workflowId: inner, steps: [{stepId: one, operationId: $sourceDescriptions.money.look}]}]
`,
		"outer.arazzo.yaml": `
arazzo: 1.1.0
info: {title: Outer, version: '1'}
sourceDescriptions: [{name: pay, url: ./pay.yaml, type: openapi}, {name: in, url: ./inner.arazzo.yaml, type: arazzo}]
workflows: [{workflowId: outer, steps: [{stepId: one, workflowId: $sourceDescriptions.in.inner}]}]
`,
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	loader := source.NewLoader(source.Options{Offline: true})
	doc, location, faults, err := loader.LoadDocument(context.Background(), filepath.Join(dir, "outer.arazzo.yaml"))
	if err != nil || len(faults) > 0 {
		t.Fatal(err, faults)
	}
	set, problems := loader.Load(context.Background(), doc, location)
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	got := map[string][]string{}
	for _, s := range mock.Sources(set) {
		got[s.Catalog.Title+" "+s.Name] = s.Receivers
	}
	if len(got) != 2 || !slices.Equal(got["Pay pay"], []string{"in.money"}) || !slices.Equal(got["Ship pay-2"], []string{"in.pay"}) {
		t.Errorf("sources %v", got)
	}
}

// TestEachSourceHasANameOfItsOwn, though one is called as another would be.
func TestEachSourceHasANameOfItsOwn(t *testing.T) {
	api := func(id string) *source.Description {
		return &source.Description{Name: id[:len(id)-1], Identity: id, OpenAPI: &source.Catalog{}}
	}
	set := func(ids ...string) *source.Set {
		s := &source.Set{Document: &arazzo.Document{}}
		for _, id := range ids {
			s.Sources = append(s.Sources, api(id))
		}
		return s
	}
	var names []string
	for _, s := range mock.Sources(set("a1"), set("a2"), set("a-21"), set("a3"), set("a-22")) {
		names = append(names, s.Name)
	}
	if want := []string{"a", "a-2", "a-2-2", "a-3", "a-2-3"}; !slices.Equal(names, want) {
		t.Errorf("names %q, want %q", names, want)
	}
}
