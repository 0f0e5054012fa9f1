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
		mutate(root, "", func(place string, changed value.Value) bool {
			tried++
			document, faults := arazzo.Parse(name, []byte(changed.String()))
			if document == nil || document.Version == arazzo.VersionUnknown {
				return true
			}
			found, err := s.check(document)
			if err != nil {
				t.Fatal(err)
			}
			if tried%4 == 0 {
				checkQuick(t, s, document.Version, place, changed)
			}
			if (len(faults) > 0) != (len(found) > 0) && !excusedPlace(place, found) {
				t.Errorf("%s %s: the parser says %v, the schema says %v", name, place, faults, found)
			}
			return true
		})
	}
	t.Logf("tried %d mutations", tried)
}

// checkQuick holds that a document in which the quick look sees nothing has no
// faults. What it never vouches for, a pattern that Go does not read, is taken out.
func checkQuick(t *testing.T, s *shapes, version arazzo.Version, place string, changed value.Value) {
	t.Helper()
	of := s.v11
	if version == arazzo.Version10 {
		of = s.v10
	}
	quick, err := of.quick()
	if err != nil {
		t.Fatal(err)
	}
	root, err := value.ParseJSON([]byte(strings.ReplaceAll(changed.String(), "(?=ord-)", "")))
	if err != nil {
		t.Fatal(err)
	}
	if !quick.Fits(root) {
		return
	}
	full, err := of.full()
	if err != nil {
		t.Fatal(err)
	}
	if faults := full.Validate(root); len(faults) > 0 {
		t.Errorf("%s: the quick look sees nothing, the whole schema %v", place, faults)
	}
}

// TestQuickLookKnowsValidDocuments holds that it spares the whole schema where there
// is nothing to find.
func TestQuickLookKnowsValidDocuments(t *testing.T) {
	quick, err := newShapes().v11.quick()
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{"../specs/orderflow/order.arazzo.yaml", "rules/testdata/retry-safe/good.arazzo.yaml"} {
		if !quick.Fits(readValue(t, path)) {
			t.Errorf("%s is valid, and not seen to be", path)
		}
	}
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

// additions are members that each object is given.
var additions = []value.Member{
	{Name: "operationPath", Value: value.String("#/paths")},
	{Name: "workflowId", Value: value.String("order")},
	{Name: "stepId", Value: value.String("create")},
	{Name: "reference", Value: value.String("$components.parameters.trace")},
	{Name: "type", Value: value.String("retry")},
	{Name: "action", Value: value.String("send")},
	{Name: "correlationId", Value: value.Int(1)},
	{Name: "x-weft-state", Value: value.String("PAID")},
	{Name: "parameters", Value: value.Array(value.Object(
		value.Member{Name: "name", Value: value.String("p")},
		value.Member{Name: "value", Value: value.Null},
	))},
}

// mutate yields documents that differ from v in one place, with that place.
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
	for _, extra := range additions {
		if v.Kind() != value.KindObject || !v.Get(extra.Name).IsAbsent() {
			continue
		}
		if !yield(place+"/"+extra.Name+" added", value.Object(slices.Concat(members, []value.Member{extra})...)) {
			return false
		}
	}
	return true
}
