package executor_test

import (
	"path/filepath"
	"testing"

	"github.com/weft-flow/weft/arazzo/source"
	"github.com/weft-flow/weft/arazzo/value"
	"github.com/weft-flow/weft/executor"
)

// keyOf gives the key that a document makes of a business key, from the files of a
// folder.
func keyOf(t *testing.T, name, head string, folder string) string {
	t.Helper()
	dir := writeFiles(t, map[string]string{
		"shop.yaml": shopAPI,
		name: "arazzo: 1.1.0\n" + head + `
sourceDescriptions: [{name: shop, url: shop.yaml, type: openapi}]
x-weft-idempotency: {key: $inputs.ref}
workflows:
- workflowId: w
  inputs: {type: object, properties: {ref: {type: string}}}
  steps: [{stepId: a, operationId: createOrder}]
`})
	loader := source.NewLoader(source.Options{Offline: true})
	location := filepath.Join(dir, name)
	if folder != "" {
		t.Chdir(dir)
		location = name
	}
	doc, at, faults, err := loader.LoadDocument(t.Context(), location)
	if err != nil || len(faults) > 0 {
		t.Fatal(err, faults)
	}
	set, problems := loader.Load(t.Context(), doc, at)
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	plan, refusals := executor.Compile(set, nil, executor.Config{})
	if refusals != nil {
		t.Fatal(refusals)
	}
	outline, err := plan.Outline(value.Object(value.Member{Name: "ref", Value: value.String("r1")}))
	if err != nil {
		t.Fatal(err)
	}
	key := outline.Workflows[0].Steps[0].Key
	if key == "" {
		t.Fatal("there is no key")
	}
	return key
}

// TestTheKeyOfABusinessKeyIsTheSameOnEveryMachine, and another one where the document
// is another.
func TestTheKeyOfABusinessKeyIsTheSameOnEveryMachine(t *testing.T) {
	const info = "info: {title: Orders, version: \"1\"}"
	first := keyOf(t, "flow.yaml", info, "")
	if got := keyOf(t, "flow.yaml", info, ""); got != first {
		t.Errorf("another checkout has the key %s, not %s", got, first)
	}
	if got := keyOf(t, "flow.yaml", info, "inside"); got != first {
		t.Errorf("from within its folder it has the key %s, not %s", got, first)
	}
	if got := keyOf(t, "flow.yaml", "info: {title: Orders, version: \"2\"}", ""); got != first {
		t.Errorf("another version of it has the key %s, not %s", got, first)
	}
	for _, other := range []string{
		keyOf(t, "other.yaml", info, ""), keyOf(t, "flow.yaml", "info: {title: Refunds, version: \"1\"}", ""),
		keyOf(t, "flow.yaml", info+"\n$self: https://example.com/flow.yaml", ""), keyOf(t, "flow.yaml", info+"\n$self: flows/flow.yaml", ""),
	} {
		if other == first {
			t.Errorf("another document has the same key")
		}
	}
	relative, absolute := "\n$self: flows/flow.yaml", "\n$self: https://example.com/flow.yaml"
	for _, self := range []string{relative, absolute} {
		here, there := keyOf(t, "flow.yaml", info+self, ""), keyOf(t, "renamed.yaml", "info: {title: New, version: \"1\"}"+self, "inside")
		if here != there {
			t.Errorf("%q: moved and renamed it has the key %s, not %s", self, there, here)
		}
	}
}
