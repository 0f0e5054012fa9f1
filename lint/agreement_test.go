package lint

import (
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/weft-flow/weft/arazzo"
	"github.com/weft-flow/weft/arazzo/value"
)

// TestParserAndSchemaAgreeOnMutations changes a valid document at every place in
// turn and asks the parser and the JSON Schema whether it is still valid.
func TestParserAndSchemaAgreeOnMutations(t *testing.T) {
	if testing.Short() {
		t.Skip("thousands of documents: not in short mode")
	}
	s := newShapes()
	tried := 0
	for _, name := range []string{"clean.arazzo.yaml", "clean-1.0.arazzo.yaml"} {
		root := readValue(t, "format/testdata/"+name)
		for place, changed := range mutations(root) {
			tried++
			text := changed.String()
			document, faults := arazzo.Parse(name, []byte(text))
			if document == nil || document.Version == arazzo.VersionUnknown {
				continue
			}
			found, err := s.check(document)
			if err != nil {
				t.Fatal(err)
			}
			if (len(faults) > 0) == (len(found) > 0) || excusedPlace(place, found) {
				continue
			}
			t.Errorf("%s %s: the parser says %v, the schema says %v", name, place, faults, found)
		}
	}
	t.Logf("tried %d mutations", tried)
}

// excusedPlace tells whether only the schema looks at what was changed: into the
// JSON Schemas of inputs, the form of URIs, and the emptiness of names in the
// extensions.
func excusedPlace(place string, found []finding) bool {
	return len(found) > 0 && (strings.Contains(place, "/inputs/") || strings.HasSuffix(place, "/url") ||
		strings.HasPrefix(place, "/$self") || strings.Contains(place, "/x-weft-"))
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

// replacements are what each value is replaced by.
var replacements = []value.Value{
	value.Null, value.Int(-1), value.Int(7), value.String(""), value.String("$steps.a"),
	value.Array(), value.Object(value.Member{Name: "x-own", Value: value.Null}),
	value.Object(value.Member{Name: "reference", Value: value.String("$components.parameters.trace")}),
}

// mutations gives documents that differ from v in one place, with that place.
func mutations(v value.Value) func(yield func(string, value.Value) bool) {
	return func(yield func(string, value.Value) bool) {
		mutate(v, "", func(place string, changed value.Value) bool { return yield(place, changed) })
	}
}

func mutate(v value.Value, place string, yield func(string, value.Value) bool) bool {
	for _, r := range replacements {
		if !yield(place+" = "+r.String(), r) {
			return false
		}
	}
	for i, item := range v.Items() {
		with := func(changed ...value.Value) value.Value {
			return value.Array(slices.Concat(v.Items()[:i], changed, v.Items()[i+1:])...)
		}
		at := place + "/" + string(rune('0'+i))
		if !yield(at+" removed", with()) || !yield(at+" repeated", with(item, item)) ||
			!mutate(item, at, func(p string, c value.Value) bool { return yield(p, with(c)) }) {
			return false
		}
	}
	members := v.Members()
	for i, m := range members {
		with := func(changed ...value.Member) value.Value {
			return value.Object(slices.Concat(members[:i], changed, members[i+1:])...)
		}
		at := place + "/" + m.Name
		if !yield(at+" removed", with()) || !yield(at+" renamed", with(value.Member{Name: "re named", Value: m.Value})) ||
			!mutate(m.Value, at, func(p string, c value.Value) bool { return yield(p, with(value.Member{Name: m.Name, Value: c})) }) {
			return false
		}
	}
	for _, extra := range []string{"operationPath", "workflowId", "stepId", "reference", "type", "action", "correlationId", "parameters", "x-weft-state"} {
		if v.Kind() == value.KindObject && v.Get(extra).IsAbsent() {
			added := value.Member{Name: extra, Value: value.String("retry")}
			if extra == "parameters" {
				added.Value = value.Array(value.Object(value.Member{Name: "name", Value: value.String("p")}, value.Member{Name: "value", Value: value.Null}))
			}
			if !yield(place+"/"+extra+" added", value.Object(slices.Concat(members, []value.Member{added})...)) {
				return false
			}
		}
	}
	return true
}
