package rules_test

import (
	"context"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/weft-flow/weft/arazzo"
	"github.com/weft-flow/weft/arazzo/source"
	"github.com/weft-flow/weft/arazzo/value"
	"github.com/weft-flow/weft/lint"
	"github.com/weft-flow/weft/lint/rules"
)

// TestBrokenDocuments removes each node of a valid document in turn, and gives
// each another kind: the rules never panic, always end, and go on finding a fault
// that has nothing to do with the change. One in twelve is tried, all of them
// where WEFT_TEST_EXHAUSTIVE is set.
func TestBrokenDocuments(t *testing.T) {
	every := 12
	if os.Getenv("WEFT_TEST_EXHAUSTIVE") != "" {
		every = 1
	}
	loader := source.NewLoader(source.Options{Offline: true})
	tried := 0
	for _, path := range []string{"../../specs/orderflow/order.arazzo.yaml", "testdata/many.arazzo.yaml"} {
		root := readValue(t, path)
		var inputs []lint.Input
		n := 0
		breakValue(root, func(broken value.Value) {
			if n++; n%every != 0 {
				return
			}
			inputs = append(inputs, lint.Input{Path: path, Data: []byte(withFault(broken).String())})
		})
		tried += len(inputs)
		result, err := lint.Run(context.Background(), inputs, lint.Options{Rules: rules.All(), Loader: loader})
		if err != nil {
			t.Fatal(err)
		}
		for i, file := range result.Files {
			if strings.Contains(string(inputs[i].Data), `"workflowId":"seeded"`) && !hasSeeded(file) {
				t.Errorf("%s: the fault is not found in %s: %s", path, inputs[i].Data, told(file.Diagnostics))
			}
		}
	}
	t.Logf("tried %d documents", tried)
}

// hasSeeded tells whether the fault of withFault was found, where the document
// can be read at all.
func hasSeeded(file lint.File) bool {
	return len(file.Incomplete) > 0 && file.Incomplete[0].What == "the document" ||
		slices.ContainsFunc(file.Diagnostics, func(d lint.Diagnostic) bool {
			return d.Rule == "input-declared" && strings.Contains(d.Message, `"nowhere"`)
		})
}

// withFault gives a document one more workflow, in which something is wrong.
func withFault(document value.Value) value.Value {
	workflows := document.Get("workflows")
	if workflows.Kind() != value.KindArray {
		return document
	}
	seeded, _ := value.ParseJSON([]byte(`{"workflowId":"seeded","inputs":{"type":"object","properties":{"here":{}}},` +
		`"steps":[{"stepId":"only","operationId":"none","outputs":{"out":"$inputs.nowhere"}}]}`))
	return with(document, "workflows", value.Array(append(slices.Clone(workflows.Items()), seeded)...))
}

func with(object value.Value, name string, v value.Value) value.Value {
	members := slices.Clone(object.Members())
	for i := range members {
		if members[i].Name == name {
			members[i].Value = v
		}
	}
	return value.Object(members...)
}

func readValue(t *testing.T, path string) value.Value {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	root, faults := arazzo.ParseTree(data)
	if len(faults) > 0 {
		t.Fatalf("%s: %v", path, faults)
	}
	return root.Value()
}

// otherKinds are what each node is replaced by.
var otherKinds = []value.Value{
	value.Null, value.Bool(true), value.Int(-1), value.String(""), value.String("$steps.a.outputs.b"),
	value.Array(), value.Array(value.Null), value.Object(), value.Object(value.Member{Name: "reference", Value: value.Int(1)}),
}

// breakValue yields v without each of its nodes in turn, and with each of another
// kind.
func breakValue(v value.Value, yield func(value.Value)) {
	for _, other := range otherKinds {
		yield(other)
	}
	for i, item := range v.Items() {
		replaced := func(by ...value.Value) value.Value {
			return value.Array(slices.Concat(v.Items()[:i], by, v.Items()[i+1:])...)
		}
		yield(replaced())
		breakValue(item, func(broken value.Value) { yield(replaced(broken)) })
	}
	for i, m := range v.Members() {
		replaced := func(by ...value.Member) value.Value {
			return value.Object(slices.Concat(v.Members()[:i], by, v.Members()[i+1:])...)
		}
		yield(replaced())
		breakValue(m.Value, func(broken value.Value) { yield(replaced(value.Member{Name: m.Name, Value: broken})) })
	}
}
